"""A process tree as a plan of the plan language: the way back from what happens to what can be run.

A sequence is ``seq``, a choice ``choice``, parallel ``parallel``. A silent step is a task that does nothing
(``run: "true"``): the language has no empty step. The loop of the language runs its body and then goes again or leaves,
so "do, then as often as wanted redo and do again" is written as it reads: do, and then maybe a loop of redo and do. The
second do is a copy of the first, with ids of its own and the same names. Such a plan holds no resource, so nothing in
it can wait for ever: it passes the gate by construction. Where resources are asked for, each
guard is around one task, which holds nothing else while it waits: that cannot get stuck either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from petri_cli.mining.guards import GuardProposal
from petri_cli.mining.log import Log
from petri_cli.mining.plan_shapes import Shape, Shapes
from petri_cli.mining.tree import Tree
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Plan, Task
from petri_cli.plan.printer import print_plan
from petri_cli.plan.words import ID

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
    resources: Mapping[str, GuardProposal]
    """Resource id → why it is there."""


Guards = Mapping[str, GuardProposal]
"""Activity → the resource that its task is to hold (:func:`petri_cli.mining.guards.guards_of`)."""


def plan_of(tree: Tree, log: Log | None = None, name: str = "mined", guards: Guards | None = None) -> Plan:
    """The plan of ``tree``. ``log``: what it was mined from, for the objective."""
    return raise_plan(tree, log, name, guards).plan


def plan_text(tree: Tree, log: Log, name: str = "mined", guards: Guards | None = None) -> str:
    """The plan as YAML, with what was counted as comments."""
    raised = raise_plan(tree, log, name, guards)
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


def raise_plan(tree: Tree, log: Log | None = None, name: str = "mined", guards: Guards | None = None) -> RaisedPlan:
    """The plan of ``tree``, with which task stands for what."""
    return _Writer(Shapes(tree), guards or {}).write(name, log)


class _Writer:
    """The shapes written out as data: ids in document order."""

    def __init__(self, shapes: Shapes, guards: Guards) -> None:
        self.shapes = shapes.made
        self.root = shapes.root
        self.names = tuple(shapes.codes)
        self.guards = {activity: p for activity, p in guards.items() if activity in shapes.codes}
        self.resources: dict[str, GuardProposal] = {}
        self.holds: dict[str, str] = {}
        """Activity → resource id."""
        self.waiting = {name for name in self.names if ID.fullmatch(name)}
        self.taken = set(self.waiting)
        self.activities: dict[str, str] = {}
        self.absent: dict[str, int] = {}
        self.loose: list[str] = []

    def write(self, name: str, log: Log | None) -> RaisedPlan:
        written: list[tuple[Shape, list[int]]] = []
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
        self._hold()
        entries = self._entries([shape for shape, _ in written], above)
        data: list[dict[str, Any]] = [{}] * len(written)
        for k in range(len(written) - 1, -1, -1):
            shape, children = written[k]
            below = [data[c] for c in children]
            if shape.kind in ("task", "nothing"):
                data[k] = {"task": entries[k]}
                if shape.kind == "task" and shape.activity in self.holds:
                    data[k] = {"guard": {"resource": self.holds[shape.activity], "body": data[k]}}
            elif shape.kind == "loop":
                data[k] = {"loop": {**entries[k], "body": below[0]}}
            else:
                data[k] = {shape.kind: below}
        document: dict[str, Any] = {"name": name, "flow": data[0]}
        if self.resources:
            document["resources"] = [{"id": rid, "capacity": p.capacity} for rid, p in self.resources.items()]
        if log is not None:
            document["objective"] = f"What {log.n_cases:,} cases did"
        plan, _ = plan_from_data(document)
        return RaisedPlan(plan, self.activities, tuple(self.loose), self.absent, self.names, self.resources)

    def _hold(self) -> None:
        """A resource for each proposal that some task needs."""
        ids: dict[tuple[str, str], str] = {}
        for activity in self.names:
            proposal = self.guards.get(activity)
            if proposal is None:
                continue
            rid = ids.get((proposal.kind, proposal.name))
            if rid is None:
                rid = ids[proposal.kind, proposal.name] = self._id(proposal.name, "resource")
                self.resources[rid] = proposal
            self.holds[activity] = rid

    def _entries(self, shapes: Sequence[Shape], above: Sequence[int]) -> list[dict[str, Any]]:
        """What stands below the key of each; activities get their ids before tasks that do nothing."""
        entries: list[dict[str, Any]] = [{} for _ in shapes]
        for k, shape in enumerate(shapes):
            if shape.kind == "task":
                tid = self._task_id(shape.activity)
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

    def _task_id(self, activity: str) -> str:
        """What is an id already is its own first task's, so that no other activity goes by that name."""
        if activity in self.waiting:
            self.waiting.remove(activity)
            return activity
        return self._id(activity, "task")

    def _id(self, text: str, default: str) -> str:
        """An id that nobody has, made from ``text``."""
        plain = text
        if not ID.fullmatch(text):
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
    notes |= {rid: p.rationale() for rid, p in raised.resources.items()}
    notes |= dict.fromkeys(raised.loose, "allows more than was seen: the last part may be left out, or come last")
    return notes


_ID_LINE = re.compile(r"(?:.*\btask: \{id: ([\w-]+)[,}].*|\s*(?:- )?(?:\{)?id: ([\w-]+)(?:, capacity: \d+\})?)")


def _with_note(line: str, notes: Mapping[str, str]) -> str:
    found = _ID_LINE.fullmatch(line)
    note = notes.get(found[1] or found[2], "") if found else ""
    return f"{line}  # {note}" if note else line
