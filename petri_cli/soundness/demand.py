"""Structural demand on each resource: how many units can be held and asked for at one time (statement B).

A resource whose demand never exceeds its capacity never makes a guard wait, and is dropped. So is one for which a guard
may have to wait, but never for ever.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import assert_never

from petri_cli.soundness.bits import members
from petri_cli.soundness.core import Core, CoreNode, Kind

Demand = dict[int, float]
"""Units by resource index; ``math.inf`` under a foreach of unbounded width."""


MANY = 10**15
"""More units than any resource has: from here on a demand counts as endless, and no number grows without end."""


def _times(demand: Demand, width: int | None) -> Demand:
    """What so many items demand together, each for itself ``demand``; None: any number of them."""
    if width == 0:
        return {}
    if width is None:
        return dict.fromkeys(demand, math.inf)
    return {r: d * width if d * width <= MANY else math.inf for r, d in demand.items()}


def demands_of(core: Core, limits: Sequence[int | None]) -> list[Demand]:
    """For each core node, the units of each resource that its subtree demands at most at one time.

    Task 0; seq and choice (and loop): maximum; parallel: sum; foreach: width times the body; guard: its units more than
    the body. ``limits`` gives the width limit by core index (None: unbounded; read for foreach nodes only).
    """
    demands: list[Demand] = [{} for _ in core.nodes]
    for node in reversed(core.nodes):
        parts = [demands[c] for c in node.children]
        total: Demand
        match node.kind:
            case Kind.SEQ | Kind.CHOICE:
                total = _most(parts)
            case Kind.PARALLEL:
                total = total_of(parts)
            case Kind.FOREACH:
                total = _times(parts[0], limits[node.index])
            case Kind.GUARD:
                total = dict(parts[0]) if parts else {}
                for r, k in node.units:
                    total[r] = total.get(r, 0) + k
            case other:
                assert_never(other)
        demands[node.index] = total
    return demands


def demand_of(core: Core, limits: Sequence[int | None]) -> Demand:
    """The demand of the whole: what :func:`demands_of` says of the root, without a table for each node around."""
    inside: dict[int, list[Demand]] = {}
    for node in reversed(core.nodes):
        parts = inside.pop(node.index, [])
        match node.kind:
            case Kind.SEQ | Kind.CHOICE:
                total = _most(parts)
            case Kind.PARALLEL:
                total = total_of(parts)
            case Kind.FOREACH:
                total = _times(parts[0], limits[node.index])
            case Kind.GUARD:
                total = parts[0] if parts else {}  # nobody else looks at it
                for r, k in node.units:
                    total[r] = total.get(r, 0) + k
            case other:
                assert_never(other)
        inside.setdefault(node.parent, []).append(total)
    return inside[-1][0] if core.nodes else {}


def total_of(parts: Iterable[Demand]) -> Demand:
    """What parts that run at one time demand together."""
    total: defaultdict[int, float] = defaultdict(int)
    for part in parts:
        for r, d in part.items():
            total[r] += d
    return dict(total)


def _most(parts: Iterable[Demand]) -> Demand:
    most: Demand = {}
    for part in parts:
        for r, d in part.items():
            if d > most.get(r, 0):
                most[r] = d
    return most


def blocking(demand: Demand, capacities: Sequence[int]) -> int:
    """Bit set of the resources that can make a guard wait: those whose demand exceeds their capacity."""
    waiting = 0
    for r, d in demand.items():
        if d > capacities[r]:
            waiting |= 1 << r
    return waiting


MAX_ROUNDS = 20
"""Rounds after which no further resource is dropped: that is always allowed."""


def lasting_waits(nodes: Sequence[CoreNode], waiting: int, limits: Sequence[int | None], free: Sequence[int]) -> int:
    """The resources of ``waiting`` (a bit set) for which a guard of a part may have to wait for ever (statement B).

    Only who waits for a resource like that keeps what it holds. So of a resource r at most the demand of those guards
    can be kept that have such a wait inside; when that leaves enough for any one request, nobody waits for r for ever.
    Each resource dropped may let others be dropped. nodes: of the part; free: units of each resource when it starts.
    """
    largest: dict[int, int] = {}
    for node in nodes:
        for r, k in node.units:
            largest[r] = max(k, largest.get(r, 0))
    lasting = waiting
    for _ in range(MAX_ROUNDS):
        kept = _kept(nodes, lasting, limits)
        still = sum(1 << r for r in members(lasting) if r in largest and kept.get(r, 0) + largest[r] > free[r])
        if still == lasting:
            break
        lasting = still
    return lasting


def _kept(nodes: Sequence[CoreNode], lasting: int, limits: Sequence[int | None]) -> Demand:
    """How many units of each resource in ``lasting`` can be held at one time by guards with another on one of these
    inside."""
    inside: dict[int, list[Demand]] = {}  # what the children of a node can keep; none: there is no lasting wait in it
    for node in reversed(nodes):
        parts = inside.pop(node.index, None)
        if parts is None and not node.mask & lasting:
            continue
        total: Demand | None
        match node.kind:
            case Kind.GUARD:
                total = parts[0] if parts else None
                if total is not None:
                    for r, k in node.units:
                        if lasting >> r & 1:
                            total[r] = total.get(r, 0) + k
                elif node.mask & lasting:
                    total = {}
            case Kind.FOREACH:
                width = limits[node.index]
                total = _times(parts[0], width) if parts and width != 0 else None
            case Kind.SEQ | Kind.CHOICE:
                total = _most(parts) if parts else None
            case Kind.PARALLEL:
                total = total_of(parts) if parts else None
            case other:
                assert_never(other)
        if total is not None:
            inside.setdefault(node.parent, []).append(total)
    return inside.get(nodes[0].parent, [{}])[0]
