"""Whether a plan can deadlock, for every foreach width and loop count: statements A to G in their order of cost.

A cyclic component S of → is judged apart from the others (statement G): a deadlock of the plan leaves, for some such S,
a deadlock of the plan with no resources but S, and with none but S and those above it. So three over-approximations are
explored, each only when the one before left a candidate that could not be confirmed on the whole plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from petri_cli.soundness.core import Core, Request
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.demand import blocking
from petri_cli.soundness.lift import Lift
from petri_cli.soundness.lockorder import LockOrder, lock_order
from petri_cli.soundness.result import Verdict
from petri_cli.soundness.skeleton import Skeleton, build, cut_off, size_of

MAX_SKELETON = 200_000
"""A larger search net is not built: the answer is UNKNOWN."""


@dataclass(frozen=True, slots=True)
class Question:
    """A plan, or a variation of it: other capacities, other limits on the width of a foreach (by plan index)."""

    core: Core
    capacities: tuple[int, ...]
    limits: Mapping[int, int] = field(default_factory=dict)

    def widths(self) -> list[int | None]:
        """The width limit of each core node."""
        return [_least(n.limit, self.limits.get(n.plan)) for n in self.core.nodes]


def _least(a: int | None, b: int | None) -> int | None:
    return b if a is None else a if b is None else min(a, b)


@dataclass(frozen=True, slots=True)
class Decision:
    """What was found, and on what it rests.

    order: the lock order of a certificate (resource indices); lift: the run to a deadlock on the plan's workflow net;
    misfit: a request that exceeds its capacity; states: explored in all; stopped: what ran out, for UNKNOWN.
    """

    verdict: Verdict
    method: str
    order: tuple[int, ...] = ()
    lift: Lift | None = None
    misfit: Request | None = None
    states: int = 0
    stopped: str = ""
    cyclic: tuple[int, ...] = ()
    """The cyclic components of →, as bit sets."""


@dataclass(slots=True)
class Limits:
    """What is left of a budget: states to explore, and a clock to ask whether the time is up."""

    states: int
    expired: Callable[[], bool]
    used: int = 0

    def left(self) -> int:
        return max(0, self.states - self.used)


Confirm = Callable[[Question, Skeleton, Sequence[int]], Lift | None]
"""(question, search net, run of it that ends dead) → the same deadlock on the plan's workflow net, if it is one."""


def decide(question: Question, limits: Limits, confirm: Confirm) -> Decision:
    """Judge ``question``; every candidate is confirmed before it counts."""
    core, capacities = question.core, question.capacities
    widths = question.widths()
    live = _live(core, widths)
    misfit = next((r for r in _live_requests(question) if r.units > capacities[r.resource]), None)
    if misfit is not None:
        return Decision(Verdict.UNSOUND, "request", misfit=misfit)
    waiting = blocking(core, capacities, widths)
    order = lock_order(core, waiting, live)
    cycles = order.cyclic()
    if not waiting:
        return Decision(Verdict.SOUND, "no-waiting")
    if not cycles:
        return Decision(Verdict.SOUND, "lock-order", order=tuple(order.order()))
    return _explore(question, widths, order, cycles, limits, confirm)


def _explore(
    question: Question,
    widths: Sequence[int | None],
    order: LockOrder,
    cycles: Sequence[int],
    limits: Limits,
    confirm: Confirm,
) -> Decision:
    start = limits.used
    stopped = ""
    free: set[int] = set()  # sets of resources that, kept alone, leave no deadlock
    for component in cycles:
        why = ""
        for kept in dict.fromkeys((component, order.ancestors(component), order.resources)):
            clear, lift, ran_out = (True, None, "") if kept in free else _with(kept, question, widths, limits, confirm)
            if lift is not None:
                found = limits.used - start
                return Decision(Verdict.UNSOUND, "counterexample", lift=lift, states=found, cyclic=tuple(cycles))
            if clear:
                free.add(kept)
                why = ""
                break
            if kept == order.resources and not ran_out:
                raise AssertionError("a deadlock of the whole plan could not be replayed on it")
            why = why or ran_out or "candidate"
        stopped = stopped or why
        if order.resources in free:
            stopped = ""
            break
    return Decision(
        Verdict.UNKNOWN if stopped else Verdict.SOUND,
        "search",
        states=limits.used - start,
        stopped=stopped,
        cyclic=tuple(cycles),
    )


def _with(
    kept: int, question: Question, widths: Sequence[int | None], limits: Limits, confirm: Confirm
) -> tuple[bool, Lift | None, str]:
    """Explore the plan with the resources ``kept`` only: (no deadlock, a confirmed one, what ran out)."""
    chosen = cut_off(question.core, kept, question.capacities, widths)
    if size_of(question.core, kept, chosen) > MAX_SKELETON:
        return False, None, "size"
    skeleton = build(question.core, kept, question.capacities, chosen)
    net = skeleton.net
    found = find_deadlock(net, final=net.final, max_states=limits.left(), deadline=limits.expired)
    limits.used += found.states
    if found.run is not None:
        return False, confirm(question, skeleton, found.run), ""
    if found.complete:
        return True, None, ""
    return False, None, "time" if limits.expired() else "states"


def _live(core: Core, widths: Sequence[int | None]) -> list[bool]:
    """Whether a core node can run at these widths (no foreach around it has width 0)."""
    live = [True] * len(core.nodes)
    for n in core.nodes:
        if n.parent >= 0:
            live[n.index] = live[n.parent] and widths[n.parent] != 0
    return live


def _live_requests(question: Question) -> list[Request]:
    empty = {plan for plan, limit in question.limits.items() if limit == 0}
    if not empty:
        return list(question.core.requests)
    plan = question.core.plan
    return [r for r in question.core.requests if not any(a.index in empty for a in plan.ancestors(r.plan))]
