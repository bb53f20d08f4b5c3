"""Walking into a deadlock: one run of a search net, taking before giving back and nobody ahead of the others.

It finds the usual deadlocks of large nets at once (everybody takes a first lock and waits for the next one) and proves
nothing when it finds none. A step is fired as often as it can be in one go, so a pool of a million equal units costs no
more than one of two.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.timer import Deadline

CHECK_EVERY = 10_000
"""Looks at an action between two looks at the deadline."""

Walk = tuple[tuple[int, int], ...]
"""(action index, how many times it is fired in a row) of each step."""


def walk(net: CompiledNet, resources: int, deadline: Deadline) -> Walk | None:
    """A run of ``net`` from its initial state to a dead one that is not final; None when this one run ends otherwise.

    resources: the first so many places hold resources; all others are control places, and no token of theirs ever comes
    back to where it was, so that every run ends. Arcs are input and output arcs only.
    """
    state = list(net.initial)
    rank = _ranks(net, resources)
    heap = [(rank[a], a) for a in range(len(net.actions))]
    heapify(heap)
    waiting = [True] * len(net.actions)
    """Whether an action is in the heap."""
    steps: list[tuple[int, int]] = []
    looks = 0
    while heap:
        looks += 1
        if looks % CHECK_EVERY == 0 and deadline():
            return None
        _, a = heappop(heap)
        waiting[a] = False
        action = net.actions[a]
        times = min((state[p] // k for p, k in action.needs), default=0)
        if not times:
            continue
        for p, k in action.needs:
            state[p] -= k * times
        for p, k in action.produced:
            state[p] += k * times
            for b in net.readers[p]:
                if not waiting[b]:
                    waiting[b] = True
                    heappush(heap, (rank[b], b))
        steps.append((a, times))
    return None if tuple(state) == net.final else tuple(steps)


def _ranks(net: CompiledNet, resources: int) -> list[tuple[bool, int]]:
    """For each action when its turn is: those that only give resources back last, of others the outermost first."""
    depth = _depths(net, resources)
    return [
        (_gives_back(action.needs, action.produced, resources), max((depth[p] for p, _ in action.needs), default=0))
        for action in net.actions
    ]


def _gives_back(needs: Sequence[tuple[int, int]], gives: Sequence[tuple[int, int]], resources: int) -> bool:
    change = {p: k for p, k in gives if p < resources}
    for p, k in needs:
        if p < resources:
            change[p] = change.get(p, 0) - k
    return bool(change) and all(k >= 0 for k in change.values())


def _depths(net: CompiledNet, resources: int) -> list[int]:
    """How many steps a control place is from the start; 0 for resources."""
    depth = [0 if p < resources or n else -1 for p, n in enumerate(net.initial)]
    layer = [p for p, n in enumerate(net.initial) if n and p >= resources]
    while layer:
        further = []
        for p in layer:
            for a in net.readers[p]:
                for q, _ in net.actions[a].produced:
                    if depth[q] < 0:
                        depth[q] = depth[p] + 1
                        further.append(q)
        layer = further
    return depth
