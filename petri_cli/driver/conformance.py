"""How well a plan tells what sessions did: their verified work, aligned exactly with the runs of the plan.

A case is a session under one revision of its plan. What counts is a case that came to its end: under an earlier
revision, or in a session that goes on, work is missing that nobody left out. A revision keeps the work that was done
before it, so the trace of the case that ended is all the work of its session. Each case is aligned at the widths that
its foreach blocks had.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from petri_cli.errors import PetriError
from petri_cli.mining.alignments import JUST_BELOW, align
from petri_cli.mining.case_widths import Widths, spread
from petri_cli.mining.deviations import Deviation, deviations
from petri_cli.mining.log import log_of
from petri_cli.mining.plan_model import plan_model
from petri_cli.mining.session_log import DISCOVERY, history_of
from petri_cli.plan.lower import END
from petri_cli.plan.model import Foreach, Plan
from petri_cli.session.state import State
from petri_cli.session.store import EventStore
from petri_cli.soundness.timer import Deadline, never


@dataclass(frozen=True, slots=True)
class PastCase:
    """A case: its id ``session@revision``; ended: it came to its end; trace: tasks in the order in which they were
    verified; widths: items of each foreach (the most, where it was met more than once); uneven: not always the same;
    fired: control transition → how often."""

    case: str
    ended: bool
    trace: tuple[str, ...] = ()
    widths: Widths = ()
    uneven: bool = False
    fired: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Conformance:
    """cases: all there are, and ``ended``: those that were aligned; fitting, fitness and cost: intervals, equal where
    the search was not cut (cost None: not known); uneven: cases at widths that one number does not tell; widths:
    foreach → least and most items."""

    cases: int
    ended: int
    fitting: tuple[int, int]
    fitness: tuple[float, float]
    cost: tuple[int, int | None]
    deviations: tuple[Deviation, ...]
    uneven: int = 0
    widths: Mapping[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def known(self) -> bool:
        """Whether there was anything to align."""
        return self.ended > 0


def past_of(store: EventStore, sessions: Iterable[str]) -> list[PastCase]:
    """The cases of these sessions, oldest first."""
    found: list[PastCase] = []
    for name in sessions:
        state = store.state(name)
        if not state.revision:
            continue
        found += [PastCase(f"{name}@{r.number}", ended=False) for r in state.revisions[:-1]]
        case = f"{name}@{state.revision}"
        if state.ended != "completed" or END not in state.marking:
            found.append(PastCase(case, ended=False, fired=state.fired))
            continue
        history = history_of(name, (entry.event for entry in store.read(name)))
        work = (history.attempts[k].task for k in history.verified)
        trace = tuple(task for task in work if not task.startswith(DISCOVERY))
        found.append(PastCase(case, True, trace, _widths(state), _uneven(state), state.fired))
    return found


def _widths(state: State) -> Widths:
    return tuple(sorted((loop, max(of.values())) for loop, of in state.widths.items() if of))


def _uneven(state: State) -> bool:
    return any(len(set(of.values())) > 1 for of in state.widths.values())


def conformance(
    plan: Plan, past: Iterable[PastCase], *, deadline: Deadline = never, activities: Collection[str] | None = None
) -> Conformance:
    """Align the cases that ended with ``plan``. A net that gets too large at some widths leaves their cases open.

    activities: tasks that a case can show, all of them where not said.
    """
    past = list(past)
    known = {t.id for t in plan.tasks()} if activities is None else activities
    loops = {node.id for node in plan.nodes if isinstance(node, Foreach)}
    groups: dict[Widths, list[PastCase]] = {}
    for case in past:
        if case.ended:
            groups.setdefault(tuple(w for w in case.widths if w[0] in loops), []).append(case)
    total = _Sum(known)
    for widths, cases in groups.items():
        total.add(plan, widths, cases, deadline)
    ended = sum(len(cases) for cases in groups.values())
    low, high = (value / ended if ended else 1.0 for value in total.fitness)
    high = high if total.fitting[1] == ended else min(high, JUST_BELOW)
    uneven = sum(case.uneven for case in past if case.ended)
    found = tuple(sorted(total.deviations.values(), key=lambda d: (-d.cases, d.activity)))
    return Conformance(
        len(past), ended, total.fitting, (low, high), (total.cost[0], total.cost[1]), found, uneven, spread(groups)
    )


class _Sum:
    """Over groups of cases that have the same widths."""

    def __init__(self, known: Collection[str]) -> None:
        self.known = known
        self.fitness = (0.0, 0.0)
        self.fitting = (0, 0)
        self.cost: tuple[int, int | None] = (0, 0)
        self.deviations: dict[str, Deviation] = {}

    def add(self, plan: Plan, widths: Widths, cases: list[PastCase], deadline: Deadline) -> None:
        n = len(cases)
        try:
            model = plan_model(plan, dict(widths), self.known)
        except PetriError as error:
            if error.code != "PETRI_NET_TOO_LARGE":
                raise
            self._count((0.0, 1.0), (0, n), (0, None), n)
            return
        log = log_of([case.trace for case in cases], [case.case for case in cases])
        aligned = align(log, model, deadline=deadline)
        self._count(aligned.fitness(), aligned.fitting_cases(), aligned.cost(), n)
        for d in deviations(aligned):
            self.deviations[d.activity] = _both(self.deviations.get(d.activity), d)

    def _count(
        self, fitness: tuple[float, float], fitting: tuple[int, int], cost: tuple[int, int | None], n: int
    ) -> None:
        self.fitness = (self.fitness[0] + fitness[0] * n, self.fitness[1] + fitness[1] * n)
        self.fitting = (self.fitting[0] + fitting[0], self.fitting[1] + fitting[1])
        most = None if self.cost[1] is None or cost[1] is None else self.cost[1] + cost[1]
        self.cost = (self.cost[0] + cost[0], most)


def _both(before: Deviation | None, d: Deviation) -> Deviation:
    if before is None:
        return d
    return replace(
        d,
        extra=before.extra + d.extra,
        skipped=before.skipped + d.skipped,
        cases=before.cases + d.cases,
        examples=(before.examples + d.examples)[:3],
    )
