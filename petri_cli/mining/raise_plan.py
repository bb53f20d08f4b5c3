"""A process tree as a plan of the plan language: the way back from what happens to what can be run.

A sequence is ``seq``, a choice ``choice``, parallel ``parallel``. A silent step is a task that does nothing
(``run: "true"``): the language has no empty step. The loop of the language runs its body and then goes again or leaves,
so "do, then as often as wanted redo and do again" is written as it reads: do, and then maybe a loop of redo and do. The
second do is a copy of the first, with ids of its own and the same names. Such a plan holds no resource, so nothing in
it can wait for ever: it passes the gate by construction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from petri_cli.mining.log import Log
from petri_cli.mining.tree import Leaf, Op, Tree
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Plan, Task
from petri_cli.plan.printer import print_plan

MOST_COPIED = 500
"""Steps of a loop's body that are written twice. A longer body is written once, and the loop allows more than the tree:
redo may come last, or be passed over. Without a limit, bodies within bodies would double at every level."""

NOTHING: Mapping[str, str] = {"run": "true"}

_NO_ID = re.compile(r"[^A-Za-z0-9-]+")


@dataclass(frozen=True, slots=True)
class RaisedPlan:
    """activities: task id → activity (the tasks that do nothing are left out); loose: ids of loops that allow more
    than the tree; absent: id of a task that does nothing → the activities that it passes by, as a bit mask over
    ``names``."""

    plan: Plan
    activities: Mapping[str, str]
    loose: tuple[str, ...]
    absent: Mapping[str, int]
    names: tuple[str, ...]


def plan_of(tree: Tree, log: Log | None = None, name: str = "mined") -> Plan:
    """The plan of ``tree``. ``log``: what it was mined from, for the objective."""
    return raise_plan(tree, log, name).plan


def plan_text(tree: Tree, log: Log, name: str = "mined") -> str:
    """The plan as YAML, with what was counted as comments."""
    raised = raise_plan(tree, log, name)
    text = print_plan(raised.plan)
    if text.startswith("{"):  # too deep for YAML's blocks: JSON has no comments
        return text
    notes = _notes(raised, log)
    lines = [f"# Mined from {log.n_cases:,} cases with {log.n_events:,} events: `petri mine`"]
    if any(isinstance(n, Task) and is_nothing(n) for n in raised.plan.nodes):
        lines.append('# A task with `run: "true"` does nothing: the way past the other branches.')
    lines += [_with_note(line, notes) for line in text.splitlines()]
    return "\n".join(lines) + "\n"


def is_nothing(task: Task) -> bool:
    """Whether a task of a mined plan is a silent step."""
    return not task.name and dict(task.settings) == NOTHING


def raise_plan(tree: Tree, log: Log | None = None, name: str = "mined") -> RaisedPlan:
    """The plan of ``tree``, with which task stands for what."""
    shapes = _Shapes(tree)
    return _Writer(shapes).write(name, log)


# What the plan will look like: a graph in which a part that is written twice is one node.


@dataclass(frozen=True, slots=True)
class _Shape:
    """kind: a key of the language; ``nothing`` is a task too. size: steps once everything is written out; alphabet: the
    activities in it, as a bit mask; passed: those that a case lacks which takes the way past (of a choice)."""

    kind: str
    children: tuple[int, ...] = ()
    activity: str = ""
    size: int = 1
    alphabet: int = 0
    loose: bool = False
    passed: int = 0


class _Shapes:
    def __init__(self, tree: Tree) -> None:
        self.made: list[_Shape] = []
        self.codes: dict[str, int] = {}
        self.nothing = self._add(_Shape("nothing"))
        below: dict[int, int] = {}
        for index in tree.bottom_up():
            node = tree.nodes[index]
            if isinstance(node, Leaf):
                below[index] = self.nothing if node.activity is None else self._task(node.activity)
                continue
            children = [below[c] for c in node.children]
            match node.op:
                case Op.SEQ:
                    below[index] = self._several("seq", children)
                case Op.AND:
                    below[index] = self._several("parallel", children)
                case Op.XOR:
                    below[index] = self._choice(children)
                case Op.LOOP:
                    below[index] = self._loop(*children)
        self.root = below[tree.root]

    def _add(self, shape: _Shape) -> int:
        self.made.append(shape)
        return len(self.made) - 1

    def _task(self, activity: str) -> int:
        k = self.codes.setdefault(activity, len(self.codes))
        return self._add(_Shape("task", activity=activity, alphabet=1 << k))

    def _inner(self, kind: str, children: Sequence[int], *, loose: bool = False, passed: int | None = None) -> int:
        parts = [self.made[c] for c in children]
        alphabet = reduce(or_, (p.alphabet for p in parts))
        size = 1 + sum(p.size for p in parts)
        return self._add(
            _Shape(
                kind,
                tuple(children),
                size=size,
                alphabet=alphabet,
                loose=loose,
                passed=alphabet if passed is None else passed,
            )
        )

    def _flat(self, kind: str, children: Sequence[int]) -> Iterator[int]:
        """``children``, with those of their like in place of them."""
        for c in children:
            if self.made[c].kind == kind:
                yield from self.made[c].children
            else:
                yield c

    def _several(self, kind: str, children: Sequence[int]) -> int:
        parts = [c for c in self._flat(kind, children) if c != self.nothing]
        if len(parts) < 2:
            return parts[0] if parts else self.nothing
        return self._inner(kind, parts)

    def _choice(self, children: Sequence[int], passed: int | None = None) -> int:
        """The way past comes last, as an ``otherwise`` does."""
        parts = list(self._flat("choice", children))
        past = [self.nothing] if self.nothing in parts else []
        parts = [c for c in parts if c != self.nothing] + past
        return parts[0] if len(parts) == 1 else self._inner("choice", parts, passed=passed)

    def _loop(self, body: int, redo: int) -> int:
        if body == self.nothing:
            return self.nothing if redo == self.nothing else self._choice([self._inner("loop", [redo]), self.nothing])
        if redo == self.nothing:
            return self._inner("loop", [body])
        if self.made[body].size > MOST_COPIED:
            once = self._several("seq", [body, self._choice([redo, self.nothing])])
            return self._inner("loop", [once], loose=True)
        again = self._inner("loop", [self._several("seq", [redo, body])])
        return self._several("seq", [body, self._choice([again, self.nothing], self.made[redo].alphabet)])


class _Writer:
    """The shapes written out as data: ids in document order."""

    def __init__(self, shapes: _Shapes) -> None:
        self.shapes = shapes.made
        self.root = shapes.root
        self.names = tuple(shapes.codes)
        self.taken: set[str] = set()
        self.activities: dict[str, str] = {}
        self.absent: dict[str, int] = {}
        self.loose: list[str] = []

    def write(self, name: str, log: Log | None) -> RaisedPlan:
        written: list[tuple[_Shape, list[int]]] = []
        above: list[int] = []
        """Of each: the activities that a case lacks which takes the way past."""
        stack: list[tuple[int, int, int]] = [(self.root, -1, 0)]
        while stack:
            index, parent, around = stack.pop()
            shape = self.shapes[index]
            if parent >= 0:
                written[parent][1].append(len(written))
            stack += [(c, len(written), shape.passed) for c in reversed(shape.children)]
            written.append((shape, []))
            above.append(around)
        entries = self._entries([shape for shape, _ in written], above)
        data: list[dict[str, Any]] = [{}] * len(written)
        for k in range(len(written) - 1, -1, -1):
            shape, children = written[k]
            below = [data[c] for c in children]
            if shape.kind in ("task", "nothing"):
                data[k] = {"task": entries[k]}
            elif shape.kind == "loop":
                data[k] = {"loop": {**entries[k], "body": below[0]}}
            else:
                data[k] = {shape.kind: below}
        document: dict[str, Any] = {"name": name, "flow": data[0]}
        if log is not None:
            document["objective"] = f"What {log.n_cases:,} cases did"
        plan, _ = plan_from_data(document)
        return RaisedPlan(plan, self.activities, tuple(self.loose), self.absent, self.names)

    def _entries(self, shapes: Sequence[_Shape], above: Sequence[int]) -> list[dict[str, Any]]:
        """What stands below the key of each; activities get their ids before tasks that do nothing."""
        entries: list[dict[str, Any]] = [{} for _ in shapes]
        for k, shape in enumerate(shapes):
            if shape.kind == "task":
                tid = self._id(shape.activity, "task")
                self.activities[tid] = shape.activity
                entries[k] = {"id": tid} if tid == shape.activity else {"id": tid, "name": shape.activity}
        for k, shape in enumerate(shapes):
            if shape.kind == "nothing":
                tid = self._id("skip", "skip")
                self.absent[tid] = above[k]
                entries[k] = {"id": tid, **NOTHING}
            elif shape.kind == "loop":
                tid = self._id("again", "again")
                entries[k] = {"id": tid}
                if shape.loose:
                    self.loose.append(tid)
        return entries

    def _id(self, text: str, default: str) -> str:
        """An id that nobody has, made from ``text``: what is already one stays as it is."""
        plain = text
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_-]*", text):
            plain = _NO_ID.sub("_", text).strip("_-").lower() or default
            plain = plain if plain[0].isalpha() else f"_{plain}"
        free, number = plain, 1
        while free in self.taken:
            number += 1
            free = f"{plain}_{number}"
        self.taken.add(free)
        return free


# What was counted


def _notes(raised: RaisedPlan, log: Log) -> dict[str, str]:
    """id → comment."""
    events = dict.fromkeys(log.activities, 0)
    cases = dict.fromkeys(log.activities, 0)
    for trace, n in log:
        for a in trace:
            events[log.activities[a]] += n
        for a in set(trace):
            cases[log.activities[a]] += n
    total = log.n_cases
    notes: dict[str, str] = {}
    first: dict[str, str] = {}
    for tid, activity in raised.activities.items():
        if activity in first:
            notes[tid] = f"counted with {first[activity]}"
        elif activity in events:
            first[activity] = tid
            times = "" if events[activity] == cases[activity] else f"{events[activity]:,} times in "
            notes[tid] = f"{times}{cases[activity]:,} of {total:,} cases"
    codes = {name: 1 << k for k, name in enumerate(raised.names)}
    seen = [(reduce(or_, (codes.get(name, 0) for name in log.named(trace)), 0), n) for trace, n in log]
    for tid, passed in raised.absent.items():
        without = sum(n for mask, n in seen if not mask & passed)
        notes[tid] = f"{without:,} of {total:,} cases do none of it"
    notes |= dict.fromkeys(raised.loose, "allows more than was seen: the last part may be left out, or come last")
    return notes


_ID_LINE = re.compile(r"(?:.*\btask: \{id: ([\w-]+)[,}].*|\s*(?:- )?id: ([\w-]+))")


def _with_note(line: str, notes: Mapping[str, str]) -> str:
    found = _ID_LINE.fullmatch(line)
    note = notes.get(found[1] or found[2], "") if found else ""
    return f"{line}  # {note}" if note else line
