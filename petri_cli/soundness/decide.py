"""Whether a plan can deadlock, for every foreach width and loop count: statements A to G in their order of cost.

First the whole plan: does every request fit, does any guard ever wait (B), is there a lock order (C)? What remains is
searched, part by part (:mod:`petri_cli.soundness.search`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from petri_cli.soundness.core import Core, Request
from petri_cli.soundness.demand import Demand, blocking, demand_of, demands_of
from petri_cli.soundness.lockorder import lock_order
from petri_cli.soundness.result import Verdict

if TYPE_CHECKING:
    from petri_cli.soundness.skeleton import Skeleton
    from petri_cli.soundness.timer import Deadline, Timer


@dataclass(frozen=True, slots=True)
class Question:
    """A plan, or a variation of it: other capacities, other limits on the width of a foreach (by plan index)."""

    core: Core
    capacities: tuple[int, ...]
    limits: Mapping[int, int] = field(default_factory=dict)
    demands: Sequence[Demand] | None = None
    """The demand of each core node at these limits, where it has been worked out before."""
    exact: bool = False
    """Search literal lists at the length that they have, not at the cut-off."""

    def width_limits(self) -> list[int | None]:
        """The width limit of each core node."""
        return [_least(n.limit, self.limits.get(n.plan)) for n in self.core.nodes]


def _least(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)


@dataclass(frozen=True, slots=True)
class Witness:
    """Why a plan deadlocks: a run of a search net that ends dead, or a guard (plan index) that can never be met."""

    skeleton: Skeleton | None = None
    run: tuple[int, ...] = ()
    guard: int = -1
    told: bool = True
    """False: there is such a run, and it is too long to be written out."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What was found, and on what it rests.

    method: ``no-waiting``, ``lock-order``, ``no-lasting-wait``, ``search`` or ``counterexample``;
    order: the lock order of a certificate (resource indices; empty when each part has its own);
    states: explored in all; stopped: what ran out, for UNKNOWN;
    equations: search nets that the state equation proved, without a look at their markings;
    parts: how many parts were judged apart; cyclic: the cyclic components that were searched, as bit sets.
    """

    verdict: Verdict
    method: str
    order: tuple[int, ...] = ()
    witness: Witness | None = None
    states: int = 0
    stopped: str = ""
    parts: int = 0
    cyclic: tuple[int, ...] = ()
    equations: int = 0


@dataclass(slots=True)
class Limits:
    """What is left of a budget: states to explore, and a clock to ask whether the time is up.

    work: states times moves of the search net, for questions on the side that should cost little.
    """

    states: int
    expired: Callable[[], bool]
    used: int = 0
    work: int | None = None
    timer: Timer | None = None
    """For provers that get a share of the time that is left; where there is none, they have all of it."""
    max_bytes: int = 2_000_000_000
    """What the states of one search may take up."""

    def left(self, moves: int = 1) -> int:
        states = max(0, self.states - self.used)
        return states if self.work is None else min(states, max(0, self.work) // max(1, moves))

    def share(self, part: float) -> Deadline:
        return self.expired if self.timer is None else self.timer.share(part)

    def spend(self, states: int, moves: int) -> None:
        self.used += states
        if self.work is not None:
            self.work -= states * moves


Confirm = Callable[[Question, Witness], bool]
"""Whether a candidate, found with some resources left out, leads to a deadlock of the plan."""


def decide(question: Question, limits: Limits, confirm: Confirm) -> Decision:
    """Judge ``question``; every candidate is confirmed before it counts."""
    core, capacities = question.core, question.capacities
    misfit = next((r for r in _live_requests(question) if r.units > capacities[r.resource]), None)
    if misfit is not None:
        return Decision(Verdict.UNSOUND, "counterexample", witness=Witness(guard=misfit.plan))
    widths = question.width_limits()
    demand = demand_of(core, widths) if question.demands is None else question.demands[0]
    waiting = blocking(demand, capacities)
    if not waiting:
        return Decision(Verdict.SOUND, "no-waiting")
    order = lock_order(core.nodes, waiting)
    if not order.cyclic():
        return Decision(Verdict.SOUND, "lock-order", order=tuple(order.order()))
    from petri_cli.soundness.search import Search  # not before something has to be searched

    demands = demands_of(core, widths) if question.demands is None else question.demands
    return Search(question, widths, limits, confirm, order).search(demands)


def _live_requests(question: Question) -> Iterator[Request]:
    """The requests that can be made at the question's widths, in document order."""
    core = question.core
    if not any(limit == 0 for limit in question.limits.values()):
        yield from core.requests
        return
    dead: set[int] = set()  # plan nodes inside a foreach of width 0
    for node in core.plan.nodes:
        if node.parent in dead or question.limits.get(node.parent) == 0:
            dead.add(node.index)
    yield from (r for r in core.requests if r.plan not in dead)
