"""Unboundedness: a marking that strictly covers one of its ancestors.

In a net whose actions add constants and stay enabled when there are more tokens (no inhibitor, reset or draining arc;
a read only asks for a token, so it does no harm), a path from m to m' > m can be fired again from m', and again: tokens
grow without end. The path is the *pump*. Conversely every unbounded net has such a path (Karp & Miller, "Parallel
Program Schemata", 1969, by Dickson's lemma).

An unbounded net with a final marking f that is not empty is never sound: let σ lead from m to f (if there is no such σ,
the option to complete fails); then σ leads from m' to f + (m' - m), which covers f strictly: proper completion fails.

On an infinite path all but finitely many markings cover an ancestor, so it is enough to look at the states that a
search has not yet expanded, each time it has doubled: a bounded net pays little, an unbounded one is found out in the
end.
"""

from __future__ import annotations

from dataclasses import dataclass

from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.packed import is_vector_addition
from petri_cli.soundness.spaces import Space


@dataclass(frozen=True, slots=True)
class Pump:
    """State ``above`` strictly covers its ancestor ``below``: the path between them can be repeated for ever."""

    below: int
    above: int


def pumps_prove_unboundedness(compiled: CompiledNet) -> bool:
    """Whether a covered ancestor proves anything on this net."""
    return all(is_vector_addition(a) for a in compiled.actions)


def find_pump(space: Space) -> Pump | None:
    """The earliest pump of the search tree, if there is one that ends in a state not yet expanded.

    The caller has checked :func:`pumps_prove_unboundedness`.
    """
    if space.pump(space.expanded) is None:
        return None
    found = space.pump(0)
    return None if found is None else Pump(*found)
