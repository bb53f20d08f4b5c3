"""At which widths a foreach has to be unfolded so that the verdict holds for all (statement E)."""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.soundness.core import Kind
from petri_cli.soundness.parts import Part


def cut_off(
    part: Part, kept: int, limits: Sequence[int | None], at_most: int | None = None, *, exact: bool = False
) -> dict[int, int]:
    """For each foreach of the part (by core index) the width that decides all widths (statement E), within its limit.

    An item that holds something holds some outermost guard of the body. Guards are told apart by one resource of theirs
    (the scarcest); of resource r with least request u no more than ⌊capacity/u⌋ such items fit at one time.
    ``at_most`` cuts further: what is found there is a deadlock, what is not found says nothing. ``exact``: literal
    lists keep the length that they have.
    """
    width: dict[int, int] = {}
    outermost: dict[int, dict[int, int]] = {}  # node → resource → least units
    capacities = part.capacities
    for node in reversed(part.nodes):
        mine = outermost[node.index] = {}
        wanted = [(r, k) for r, k in node.units if kept >> r & 1]
        if wanted:
            r, k = min(wanted, key=lambda rk: (capacities[rk[0]] // rk[1], rk[0]))
            mine[r] = k
            continue
        for c in node.children:
            for r, k in outermost[c].items():
                mine[r] = min(k, mine.get(r, k))
        if node.kind is Kind.FOREACH:
            enough = max(1, sum(capacities[r] // k for r, k in mine.items()))
            bounds = [b for b in (limits[node.index], at_most) if b is not None]
            width[node.index] = limits[node.index] if exact and node.literal else min([enough, *bounds])  # type: ignore[assignment]
    return width
