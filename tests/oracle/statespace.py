"""Every reachable marking of a net by the plain firing rule: slow, and short enough to be seen to be right."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from petri_cli.net.firing import Step, steps
from petri_cli.net.model import Marking, Net

Frozen = frozenset[tuple[str, int]]
"""A marking as (place, tokens) pairs, empty places left out."""


class TooBig(Exception):
    """More reachable markings than the test wanted to see; ``space`` has those that were seen."""

    def __init__(self, space: StateSpace) -> None:
        super().__init__(f"more than {len(space.successors)} markings")
        self.space = space


def freeze(marking: Marking) -> Frozen:
    return frozenset((p, n) for p, n in marking.items() if n)


@dataclass
class StateSpace:
    """successors: marking → every step from it with where it leads; distance: marking → length of a shortest run."""

    initial: Frozen
    successors: dict[Frozen, list[tuple[Step, Frozen]]] = field(default_factory=dict)
    distance: dict[Frozen, int] = field(default_factory=dict)

    @property
    def dead(self) -> set[Frozen]:
        return {m for m, out in self.successors.items() if not out}

    def can_reach(self, goals: set[Frozen]) -> set[Frozen]:
        """The markings from which some marking of ``goals`` is reachable, by iterating to a fixpoint."""
        good = {m for m in goals if m in self.successors}
        growing = True
        while growing:
            more = {m for m, out in self.successors.items() if m not in good and any(n in good for _, n in out)}
            good |= more
            growing = bool(more)
        return good


def explore(net: Net, limit: int = 2000) -> StateSpace:
    """All reachable markings, breadth first; TooBig past ``limit``."""
    space = StateSpace(freeze(net.initial))
    space.distance[space.initial] = 0
    queue = deque([space.initial])
    while queue:
        marking = queue.popleft()
        out = [(step, freeze(after)) for step, after in steps(net, dict(marking))]
        space.successors[marking] = out
        for _, after in out:
            if after not in space.distance:
                space.distance[after] = space.distance[marking] + 1
                queue.append(after)
        if len(space.distance) > limit:
            raise TooBig(space)
    return space
