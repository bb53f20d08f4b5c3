"""What a log that other programs wrote says about a plan, counted as the logs of sessions are.

An event is an attempt at the task that has its name. Where the log tells outcomes, one that is no success is a burnt
attempt and no occurrence of the task; otherwise each event is one that passed. A guard is held from the first event of
its body in a case to the last, and waits from the end of the event before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from itertools import accumulate

from petri_cli.mining.evidence import Evidence, ResourceEvidence, Streak, TaskEvidence
from petri_cli.mining.log import NO_TIME, Log
from petri_cli.mining.plan_model import activity_of
from petri_cli.mining.retries import outcomes_of
from petri_cli.plan.model import Foreach, Guard, Loop, Plan, Task


@dataclass(frozen=True, slots=True)
class Seen:
    """An event of a case. task: the plan's, None where it has none of that name (then it is the activity); began,
    ended: ticks, ``NO_TIME`` where they are not known; passed: False for an attempt that failed."""

    name: str
    task: str | None
    began: int
    ended: int
    passed: bool


def cases_seen(plan: Plan, log: Log, success: Collection[str] | None) -> Iterator[tuple[str, list[Seen]]]:
    """The cases of ``log``, each with its events. success: outcomes, None where none are told."""
    tasks = {activity_of(t, log.activities): t.id for t in plan.tasks()}
    outcomes, times, at = None if success is None else outcomes_of(log), log.times, 0
    told = set() if outcomes is None else _told(log, outcomes)
    for case, variant in zip(log.cases, log.variant_of, strict=True):
        events = []
        for k, a in enumerate(log.variants[variant], at):
            name = log.activities[a]
            passed = outcomes is None or name not in told or outcomes[k].strip().lower() in (success or ())
            began = NO_TIME if times is None or times.began is None else times.began[k]
            events.append(Seen(name, tasks.get(name), began, NO_TIME if times is None else times.ended[k], passed))
        at += len(events)
        yield case, events


def _told(log: Log, outcomes: list[str]) -> set[str]:
    """Activities with any outcome: one that has none is not taken to have failed."""
    codes = (a for variant in log.variant_of for a in log.variants[variant])
    return {log.activities[a] for a, outcome in zip(codes, outcomes, strict=True) if outcome}


def log_evidence(plan: Plan, cases: list[tuple[str, list[Seen]]], attempts: Mapping[str, int]) -> Evidence:
    """Everything that the cases say about ``plan``, but which transitions fired. attempts: task → those it may have."""
    evidence = Evidence(
        tasks={t.id: TaskEvidence(t.id, allowed=[attempts[t.id]]) for t in plan.tasks()},
        resources={r.id: ResourceEvidence(r.id) for r in plan.resources},
    )
    for case, events in cases:
        evidence.sessions.append(case)
        evidence.completed.append(case)
        known = [t for e in events for t in (e.began, e.ended) if t != NO_TIME]
        if known:
            evidence.makespans.append((max(known) - min(known)) / 1e6)
        _attempts(evidence, case, events, attempts)
    capacity = {r.id: r.capacity for r in plan.resources}
    for resource in capacity:
        _holds(evidence.resources[resource], plan, cases, capacity[resource])
    return evidence


def _attempts(evidence: Evidence, case: str, events: list[Seen], attempts: Mapping[str, int]) -> None:
    open_: dict[str, Streak] = {}
    for event in events:
        if event.task is None:
            continue
        streak = open_.setdefault(event.task, Streak(case, (f"t.{event.task}", "", ())))
        if not event.passed:
            streak.burnt += 1
            continue
        streak.passed = True
        evidence.tasks[event.task].streaks.append(open_.pop(event.task))
        if NO_TIME < event.began < event.ended:
            evidence.tasks[event.task].seconds.append((event.ended - event.began) / 1e6)
    for task, streak in open_.items():
        streak.exhausted = streak.burnt >= attempts[task]
        evidence.tasks[task].streaks.append(streak)


@dataclass(frozen=True, slots=True)
class _Hold:
    """ready: when it could have begun, ``NO_TIME`` where nothing came before."""

    case: str
    guard: str
    ready: int
    began: int
    ended: int
    units: int


def _holds(of: ResourceEvidence, plan: Plan, cases: list[tuple[str, list[Seen]]], capacity: int) -> None:
    """Who held units of the resource, and who waited, for how long, while they were short."""
    holds = [hold for guard, units in _guards(plan, of.resource) for hold in _of_guard(plan, guard, units, cases)]
    of.acquisitions = len(holds)
    levels = _levels(holds)
    of.busiest = max((busy for _, busy in levels), default=0)
    short = {units: _Stretches(levels, capacity - units) for units in {h.units for h in holds}}
    for hold in holds:
        waited = short[hold.units].within(hold.ready, hold.began) if hold.ready != NO_TIME else 0
        if waited:
            of.starved.append((hold.case, hold.guard, ""))
            of.waited += waited / 1e6


def _levels(holds: list[_Hold]) -> list[tuple[int, int]]:
    """(instant, units taken from then on), in order; what ends at an instant makes room for what begins there."""
    change: dict[int, int] = {}
    for hold in holds:
        change[hold.began] = change.get(hold.began, 0) + hold.units
        change[hold.ended] = change.get(hold.ended, 0) - hold.units
    instants = sorted(change)
    return list(zip(instants, accumulate(change[t] for t in instants), strict=True))


class _Stretches:
    """The times in which more than ``most`` units were taken."""

    def __init__(self, levels: list[tuple[int, int]], most: int) -> None:
        self.begins: list[int] = []
        self.ends: list[int] = []
        for at, busy in levels:
            if len(self.begins) > len(self.ends):
                self.ends.append(at)
            if busy > most:
                self.begins.append(at)
        self.sums = list(accumulate((e - b for b, e in zip(self.begins, self.ends, strict=True)), initial=0))

    def within(self, begin: int, end: int) -> int:
        """Ticks of them between two instants."""
        return self._until(end) - self._until(begin) if begin < end else 0

    def _until(self, at: int) -> int:
        k = bisect_right(self.begins, at)
        return self.sums[k] - max(0, self.ends[k - 1] - at) if k else 0


def _guards(plan: Plan, resource: str) -> list[tuple[Guard, int]]:
    """The guards that take the resource, with how much. One in a loop or foreach is met more than once a case: what it
    holds is known only if it is around one task."""
    found = []
    for node in plan.nodes:
        units = dict(node.units).get(resource, 0) if isinstance(node, Guard) else 0
        if units and isinstance(node, Guard):
            inside = plan.nodes[node.index : node.end]
            if sum(isinstance(n, Task) for n in inside) == 1 or not _repeated(plan, node):
                found.append((node, units))
    return found


def _repeated(plan: Plan, node: Guard) -> bool:
    at = node.parent
    while at >= 0:
        if isinstance(plan.nodes[at], (Loop, Foreach)):
            return True
        at = plan.nodes[at].parent
    return False


def _of_guard(plan: Plan, guard: Guard, units: int, cases: list[tuple[str, list[Seen]]]) -> Iterator[_Hold]:
    tasks = {n.id for n in plan.nodes[guard.index : guard.end] if isinstance(n, Task)}
    for case, events in cases:
        ready, spans = NO_TIME, list[tuple[int, int, int]]()
        for event in events:
            if event.task in tasks and NO_TIME < event.began <= event.ended:
                spans.append((ready if ready <= event.began else NO_TIME, event.began, event.ended))
            ready = max(ready, event.ended)
        if len(tasks) > 1 and spans:
            spans = [(spans[0][0], spans[0][1], max(end for _, _, end in spans))]
        for since, begin, end in spans:
            yield _Hold(case, guard.id, since, begin, end, units)
