"""Variations of an unsound plan, each put to the gate, as far as a small budget goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from petri_cli.plan.edit_changes import Change, SetCapacity, SetWidth, with_changes
from petri_cli.plan.model import Plan, Task
from petri_cli.soundness.bits import members
from petri_cli.soundness.core import core_of
from petri_cli.soundness.decide import Limits, Question, decide
from petri_cli.soundness.demand import Demand, blocking, demand_of
from petri_cli.soundness.lockorder import LockOrder, lock_order
from petri_cli.soundness.replayer import Replayer
from petri_cli.soundness.result import Verdict

WORK = 150_000
"""States times moves of the search nets, for one kind of fix."""
NODES = 100_000
"""Nodes of the core in all questions about one kind of fix."""
STATES = 10_000
"""States of one search."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A fix that the gate found good on the plan as it is in memory. cost: see ``docs/fixes.md``."""

    kind: str
    cost: int
    description: str
    changes: tuple[Change, ...]


class Trials:
    """Asks the gate about one plan with changes. ``spent`` once the budget has run out: then nothing is sound; ``open``
    once a question was not decided."""

    def __init__(self, plan: Plan, expired: Callable[[], bool]) -> None:
        self.plan = plan
        self.core = core_of(plan)
        self.expired = expired
        self.replayer = Replayer(self.core, expired)
        self.spent = False
        self.open = False
        self.work = 0
        self.nodes = 0

    def renew(self) -> None:
        """A new kind of fix begins, with a budget of its own."""
        self.spent, self.work, self.nodes = False, WORK, NODES

    def sound(self, changes: Sequence[Change]) -> bool:
        """Whether the plan is SOUND with the changes; False where that was not decided."""
        if all(isinstance(c, SetCapacity | SetWidth) for c in changes):
            capacities = {c.resource: c.capacity for c in changes if isinstance(c, SetCapacity)}
            widths = {c.foreach: c.width for c in changes if isinstance(c, SetWidth)}
            return self._ask(self.question(capacities, widths), self.replayer)
        if self.spent:
            return False
        core = core_of(with_changes(self.plan, changes))
        return self._ask(Question(core, core.capacities), Replayer(core, self.expired))

    def question(self, capacities: Mapping[str, int], widths: Mapping[int, int]) -> Question:
        """The plan at other capacities and bounds of widths."""
        core = self.core
        now = tuple(capacities.get(r, c) for r, c in zip(core.resources, core.capacities, strict=True))
        return Question(core, now, widths)

    def _ask(self, question: Question, replayer: Replayer) -> bool:
        self.nodes -= len(question.core.nodes)
        self.spent = self.spent or self.work < 0 or self.nodes < 0 or self.expired()
        if self.spent:
            return False
        limits = Limits(STATES, self.expired, work=self.work)
        verdict = decide(question, limits, replayer.confirm).verdict
        self.work = limits.work if limits.work is not None else self.work
        self.open = self.open or verdict is Verdict.UNKNOWN
        return verdict is Verdict.SOUND

    def needed(self, changes: Sequence[Change], fixed: Sequence[Change] = ()) -> list[Change]:
        """``changes``, which make the plan sound together with ``fixed``, without those that are not needed: none of
        the rest can be left out alone. As many as possible are left out at a time, later ones first."""
        kept = list(changes)
        groups = [kept] if fixed else _halves(kept)
        while groups and not self.spent:
            group = groups.pop()
            rest = [c for c in kept if all(c is not g for g in group)]
            if rest and self.sound([*fixed, *rest]):
                kept = rest
            elif len(group) > 1:
                groups += _halves(group)
        return kept

    def largest(self, holds: Callable[[int], bool], most: int) -> int:
        """The largest k in [1, most] up to which ``holds``, as far as doubling and bisection find it; it holds at 1."""
        low, high = 1, 2
        while high <= most and holds(high):
            low, high = high, 2 * high
        high = min(high, most + 1)
        while high - low > 1:
            middle = (low + high) // 2
            if holds(middle):
                low = middle
            else:
                high = middle
        return low

    # What the structure says

    @cached_property
    def demand(self) -> Demand:
        """How many units of each resource the plan can ask for at one time."""
        return demand_of(self.core, [n.limit for n in self.core.nodes])

    @cached_property
    def order(self) -> LockOrder:
        """→ among the resources that can make a guard wait."""
        return lock_order(self.core.nodes, blocking(self.demand, self.core.capacities))

    @cached_property
    def knotted(self) -> int:
        """The resources on a cycle of →, as a bit set."""
        found = 0
        for component in self.order.cyclic():
            found |= component
        return found

    @cached_property
    def keeping(self) -> frozenset[int]:
        """The core guards that hold a resource of a cycle of → while another one of it is asked for inside."""
        cycle_of = {r: c for c in self.order.cyclic() for r in members(c)}
        inside = [0] * len(self.core.nodes)
        keeping = []
        for node in reversed(self.core.nodes):
            wanted = inside[node.index] & self.knotted
            if wanted and any(wanted & cycle_of.get(r, 0) for r, _ in node.units):
                keeping.append(node.index)
            if node.parent >= 0:
                inside[node.parent] |= wanted | node.mask
        return frozenset(keeping)

    def task_in(self, index: int) -> str:
        """How a block is called: by its first task."""
        node = self.plan.nodes[index]
        inside = self.plan.nodes[node.index : node.end]
        return next((n.id for n in inside if isinstance(n, Task)), node.id)


def _halves(group: list[Change]) -> list[list[Change]]:
    half = len(group) // 2
    return [group[:half], group[half:]] if half else []
