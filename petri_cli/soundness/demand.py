"""Structural demand on each resource: how many units can be held and asked for at one time (statement B).

A resource whose demand never exceeds its capacity never makes a guard wait, and is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import assert_never

from petri_cli.soundness.core import Core, Kind

Demand = dict[int, float]
"""Units by resource index; ``math.inf`` under a foreach of unbounded width."""


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
                width = limits[node.index]
                times = math.inf if width is None else width
                total = {} if times == 0 else {r: d * times for r, d in parts[0].items()}
            case Kind.GUARD:
                total = dict(parts[0]) if parts else {}
                for r, k in node.units:
                    total[r] = total.get(r, 0) + k
            case other:
                assert_never(other)
        demands[node.index] = total
    return demands


def total_of(parts: Iterable[Demand]) -> Demand:
    """What parts that run at one time demand together."""
    total: Demand = {}
    for part in parts:
        for r, d in part.items():
            total[r] = total.get(r, 0) + d
    return total


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
