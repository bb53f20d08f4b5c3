"""How small: the widths at which a plan first deadlocks, the capacity from which it no longer does."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from petri_cli.soundness.core import Kind
from petri_cli.soundness.decide import Decision, Question
from petri_cli.soundness.demand import demands_of
from petri_cli.soundness.result import Verdict, Wait

MAX_TRIALS = 64
"""Capacities tried for one resource whose demand is far above its capacity."""
MAX_TRIALS_UNBOUNDED = 8
"""The same where the demand has no bound."""

Decide = Callable[[Question], Decision]


def smallest_widths(
    question: Question, start: Decision, decide: Decide, expired: Callable[[], bool]
) -> tuple[dict[int, int], Decision, bool]:
    """(limits by plan index, the deadlock at those widths, whether they are known to be smallest).

    First the smallest common width, then each foreach on its own, in document order, while the deadlock stays.
    Deadlocks are monotone in each width (statement E), so each is a bisection, and whole runs of foreachs can be tried
    at width 0 at once. Literal lists have the width that they have.
    """
    core = question.core
    open_ = [n for n in core.nodes if n.kind is Kind.FOREACH and not n.literal]
    if not open_:
        return {}, start, True
    trial = _Trial(question, decide, expired, start)
    common = _least(0, _widest(start), lambda w: trial.deadlocks({n.plan: w for n in open_}))
    limits = {n.plan: common if n.limit is None else min(common, n.limit) for n in open_}
    groups = [[n.plan for n in open_]]  # next in document order on top
    while groups:
        group = groups.pop()
        if trial.deadlocks({**limits, **dict.fromkeys(group, 0)}):
            limits.update(dict.fromkeys(group, 0))
        elif len(group) == 1:
            [node] = group
            limits[node] = _least(1, limits[node], partial(trial.deadlocks_at, limits, node))
        else:
            half = len(group) // 2
            groups += [group[half:], group[:half]]
    if not trial.deadlocks(limits):
        return {}, start, False
    return limits, trial.best, trial.exact


@dataclass(slots=True)
class _Trial:
    """Asks whether the plan deadlocks at given widths; ``best`` is the last deadlock found, ``exact`` whether every
    question so far was decided."""

    question: Question
    decide: Decide
    expired: Callable[[], bool]
    best: Decision
    exact: bool = True

    def deadlocks(self, limits: dict[int, int]) -> bool:
        if self.expired():
            self.exact = False
            return False
        found = self.decide(replace(self.question, limits=limits))
        if found.verdict is Verdict.UNSOUND:
            self.best = found
            return True
        self.exact = self.exact and found.verdict is Verdict.SOUND
        return False

    def deadlocks_at(self, others: dict[int, int], node: int, width: int) -> bool:
        return self.deadlocks({**others, node: width})


def _widest(decision: Decision) -> int:
    """The widest foreach in the deadlock found."""
    witness = decision.witness
    if witness is None or witness.skeleton is None:
        return 1
    return max([1, *witness.skeleton.widths.values()])


def _least(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """The least w in [low, high] where the monotone ``holds`` is true; it is known to be true at ``high``."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return high


@dataclass(frozen=True, slots=True)
class Remedy:
    """The smallest capacity of one resource that, raised alone, makes the plan sound; None where it is not known.

    tried: up to where every larger capacity was found not to help; hopeless: that none helps at all (statement H, or
    the structural demand was reached); enough: for None, one that does help, where smaller ones were not tried.
    """

    resource: str
    capacity: int | None
    tried: int
    hopeless: bool = False
    enough: int | None = None


def smallest_capacity(question: Question, resource: int, waits: Sequence[Wait], decide: Decide) -> Remedy | None:
    """Try capacities upwards, each through the gate (soundness is not monotone in capacity). None: nothing is known.

    From the structural demand on, the resource never makes anyone wait, so a larger capacity changes nothing.
    """
    core = question.core
    now = question.capacities[resource]
    if swallowed(question, resource, waits):
        return Remedy(core.resources[resource], None, now, hopeless=True)
    largest_request = max((r.units for r in core.requests if r.resource == resource), default=1)
    demands = demands_of(core, question.width_limits())
    demand = max(demands[0].get(resource, 0) if demands else 0, largest_request)
    last = now + MAX_TRIALS_UNBOUNDED if math.isinf(demand) else min(int(demand), now + MAX_TRIALS)
    name = core.resources[resource]

    def verdict(k: int) -> Verdict:
        capacities = (*question.capacities[:resource], k, *question.capacities[resource + 1 :])
        return decide(replace(question, capacities=capacities, demands=demands)).verdict

    tried = max(now, largest_request - 1)
    while tried < last:
        match verdict(tried + 1):
            case Verdict.SOUND:
                return Remedy(name, tried + 1, tried)
            case Verdict.UNKNOWN:
                break
            case Verdict.UNSOUND:
                tried += 1
    if tried >= demand:
        return Remedy(name, None, tried, hopeless=True)
    enough = int(demand) if math.isfinite(demand) and verdict(int(demand)) is Verdict.SOUND else None
    return None if tried == now and enough is None else Remedy(name, None, tried, enough=enough)


def swallowed(question: Question, resource: int, waits: Sequence[Wait]) -> bool:
    """Whether one more item of some foreach can always take one more unit, and keep it (statement H).

    Some waiter is an item of a foreach without width limit, holds one unit of the resource and nothing else inside the
    body, and got there by no other acquisition: then at capacity c + 1 one more such item leads to the same deadlock,
    and so on for every larger capacity.
    """
    core = question.core
    in_core = {n.plan: n for n in core.nodes}
    for wait in waits:
        units = 0
        if wait.guard_node not in in_core:
            continue  # a quota: nobody holds it
        node = in_core[wait.guard_node]
        while node.parent >= 0:
            child, node = node, core.nodes[node.parent]
            match node.kind:
                case Kind.GUARD:
                    mine = dict(node.units)
                    if mine.keys() != {resource}:
                        break
                    units += mine[resource]
                case Kind.SEQ:
                    if node.children[0] != child.index:
                        break
                case Kind.PARALLEL:
                    break
                case Kind.FOREACH:
                    if node.limit is None and units == 1:
                        return True
                    break
                case Kind.CHOICE:
                    pass
    return False
