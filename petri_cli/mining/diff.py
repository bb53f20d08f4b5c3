"""What was planned against what happens: activities missing or extra, and order relations that cases break.

Relations of a plan are read from its blocks: two tasks meet in their innermost common block, and that is what relates
them. In a sequence the one is over before the other begins; of a choice a case has one branch. Inside a loop or a
foreach nothing is said: another round, another item may bring either of them. (Relations of activities as in Weidlich,
Mendling and Weske 2011, "Efficient Consistency Measurement Based on Behavioral Profiles of Process Models".)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, assert_never

from petri_cli.mining.log import Log, Trace
from petri_cli.mining.plan_model import activity_of
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task

Relation = Literal["before", "exclusive"]

EXAMPLES = 3
"""Cases that each finding names, where not said."""


@dataclass(frozen=True, slots=True)
class Finding:
    """cases: in which it is so, of as many as it could be; events: of the activity in them; examples: ids."""

    activity: str
    cases: int
    of: int
    events: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Broken:
    """relation: what the plan says of both, ``before`` (the first is over before the second begins) or ``exclusive``;
    cases: that break it, of those that have both."""

    first: str
    second: str
    relation: Relation
    cases: int
    of: int
    examples: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """missing: tasks that no case has (``never``), or that every run of the plan has and some cases lack; extra:
    activities that the plan lacks; broken: order relations. Those with most cases first. never: of ``missing``, those
    that no case has."""

    cases: int
    missing: tuple[Finding, ...]
    extra: tuple[Finding, ...]
    broken: tuple[Broken, ...]
    never: tuple[str, ...]

    @property
    def empty(self) -> bool:
        return not (self.missing or self.extra or self.broken)


@dataclass(slots=True)
class _Tally:
    """A finding while it is counted: cases, of how many, events, and the variants that show it."""

    cases: int = 0
    of: int = 0
    events: int = 0
    variants: list[int] = field(default_factory=list)


def difference(log: Log, plan: Plan, *, examples: int = EXAMPLES) -> Difference:
    """Set ``log`` beside ``plan``. Tasks are activities as :func:`activity_of` says; one that is written more than once
    stands in no order to others."""
    code = {name: k for k, name in enumerate(log.activities)}
    tasks: dict[str, int] = {}
    needed: set[str] = set()
    twice: set[str] = set()
    for t in plan.tasks():
        name = activity_of(t, code)
        if name is None:
            continue
        if name in tasks:
            twice.add(name)
        tasks.setdefault(name, t.index)
        if not _optional(plan, t):
            needed.add(name)
    order = [name for name in tasks if name in code and name not in twice]
    relations = _Relations(plan)
    absent = {name: _Tally() for name in tasks}
    extra = {name: _Tally() for name in log.activities if name not in tasks}
    broken: dict[tuple[str, str, Relation], _Tally] = {}
    for k, (trace, n) in enumerate(log):
        first, last = _ends(trace)
        for name, tally in extra.items():
            if code[name] in first:
                _count(tally, k, n, events=trace.count(code[name]))
        for name, tally in absent.items():
            if code.get(name) not in first:
                _count(tally, k, n)
        for a, b in combinations([name for name in order if code[name] in first], 2):
            relation = relations.of(tasks[a], tasks[b])
            if relation is None:
                continue
            tally = broken.setdefault((a, b, relation), _Tally())
            tally.of += n
            if relation == "exclusive" or last[code[a]] > first[code[b]]:
                _count(tally, k, n)
    total = log.n_cases
    never = tuple(name for name, tally in absent.items() if tally.cases == total)
    missing = {name: t for name, t in absent.items() if t.cases and (name in needed or t.cases == total)}
    extra = {name: t for name, t in extra.items() if t.cases}
    wrong = {key: t for key, t in broken.items() if t.cases}
    shown = _examples(log, examples, [*missing.values(), *extra.values(), *wrong.values()])
    return Difference(
        total,
        _ordered(missing, total, shown),
        _ordered(extra, total, shown),
        tuple(
            Broken(a, b, relation, t.cases, t.of, shown[id(t)])
            for (a, b, relation), t in sorted(wrong.items(), key=lambda item: -item[1].cases)
        ),
        never,
    )


def _count(tally: _Tally, variant: int, n: int, *, events: int = 0) -> None:
    tally.cases += n
    tally.events += events * n
    tally.variants.append(variant)


def _ordered(tallies: Mapping[str, _Tally], total: int, shown: Mapping[int, tuple[str, ...]]) -> tuple[Finding, ...]:
    ordered = sorted(tallies.items(), key=lambda item: -item[1].cases)
    return tuple(Finding(name, t.cases, total, t.events, shown[id(t)]) for name, t in ordered)


def _ends(trace: Trace) -> tuple[dict[int, int], dict[int, int]]:
    """activity → where it comes first, and where last."""
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for k, a in enumerate(trace):
        first.setdefault(a, k)
        last[a] = k
    return first, last


def _optional(plan: Plan, task: Task) -> bool:
    """Whether some run does without ``task``: it is in one branch of a choice, or done for items that may be none."""
    return any(
        (isinstance(node, Choice) and len(node.children) > 1) or (isinstance(node, Foreach) and not node.items)
        for node in plan.ancestors(task.index)
    )


class _Relations:
    """What the plan says of two tasks; asked for once a pair."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._depth: list[int] = []
        for node in plan.nodes:
            self._depth.append(0 if node.parent < 0 else self._depth[node.parent] + 1)
        self._known: dict[tuple[int, int], Relation | None] = {}

    def of(self, a: int, b: int) -> Relation | None:
        """Of two tasks, ``a`` the one that is written first."""
        if (a, b) not in self._known:
            self._known[a, b] = self._ask(a, b)
        return self._known[a, b]

    def _ask(self, a: int, b: int) -> Relation | None:
        nodes, depth = self.plan.nodes, self._depth
        while a != b:
            if depth[a] >= depth[b]:
                a = nodes[a].parent
            else:
                b = nodes[b].parent
        if any(isinstance(node, Loop | Foreach) for node in (nodes[a], *self.plan.ancestors(a))):
            return None
        match nodes[a]:
            case Seq():
                return "before"
            case Choice():
                return "exclusive"
            case Parallel() | Task() | Loop() | Foreach() | Guard():
                return None
            case other:
                assert_never(other)


def _examples(log: Log, limit: int, tallies: Iterable[_Tally]) -> dict[int, tuple[str, ...]]:
    """The first cases of each tally, in the order of the document, by its identity. One look at each case."""
    tallies = list(tallies)
    firsts: dict[int, list[int]] = {k: [] for t in tallies for k in t.variants}
    for case, variant in enumerate(log.variant_of):
        found = firsts.get(variant)
        if found is not None and len(found) < limit:
            found.append(case)

    def named(variants: Sequence[int]) -> tuple[str, ...]:
        return tuple(log.cases[c] for c in sorted(c for k in variants for c in firsts[k])[:limit])

    return {id(t): named(t.variants) for t in tallies}
