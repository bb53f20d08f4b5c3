"""Structural demand on each resource: how many units can be held and asked for at one time (statement B).

A resource whose demand never exceeds its capacity never makes a guard wait, and is dropped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import assert_never

from petri_cli.soundness.core import Core, Kind

Demand = dict[int, float]
"""Units by resource index; ``math.inf`` under a foreach of unbounded width."""


def demand_of(core: Core, widths: Sequence[int | None]) -> Demand:
    """Units of each resource demanded by the whole plan at most.

    Task 0; seq and choice (and loop): maximum; parallel: sum; foreach: width times the body; guard: its units more than
    the body. ``widths`` gives the width by core index (None: unbounded; read for foreach nodes only).
    """
    demands: list[Demand] = [{} for _ in core.nodes]
    for node in reversed(core.nodes):
        parts = [demands[c] for c in node.children]
        total: Demand
        match node.kind:
            case Kind.SEQ | Kind.CHOICE:
                total = parts[0]
                for part in parts[1:]:
                    for r, d in part.items():
                        total[r] = max(total.get(r, 0), d)
            case Kind.PARALLEL:
                total = parts[0]
                for part in parts[1:]:
                    for r, d in part.items():
                        total[r] = total.get(r, 0) + d
            case Kind.FOREACH:
                width = widths[node.index]
                times = math.inf if width is None else width
                total = {} if times == 0 else {r: d * times for r, d in parts[0].items()}
            case Kind.GUARD:
                total = parts[0] if parts else {}
                for r, k in node.units:
                    total[r] = total.get(r, 0) + k
            case other:
                assert_never(other)
        demands[node.index] = total
    return demands[0] if demands else {}


def blocking(core: Core, capacities: Sequence[int], widths: Sequence[int | None]) -> int:
    """Bit set of the resources that can make a guard wait: those whose demand exceeds their capacity."""
    return sum(1 << r for r, d in demand_of(core, widths).items() if d > capacities[r])
