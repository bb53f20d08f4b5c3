"""Where the compiled core is, if it is, and how a net is told to it.

``PETRI_PURE=1`` in the environment switches it off. A core that was built from other sources than these is not used
when the two no longer understand each other.
"""

from __future__ import annotations

from array import array

from petri_cli.compiled_part import load
from petri_cli.net.compiled import Action, CompiledNet

INTERFACE = 2
"""The same number as in module.c."""
COMPLETE, PAUSED, LIMIT, OVERFLOWED, NO_MEMORY, FOUND = range(6)
"""``enum status`` of core.h."""
FLOORS = (1, 3, 7, 15, 31, 63)
"""Value bits of a field, from one search to the next: with a guard bit 4, 8, 16, 32, 64 in all. One bit needs none."""
MOST_BYTES = 2_000_000_000
"""What a search may hold where nobody says otherwise."""

core = load("petri_cli.soundness.native._core", INTERFACE)
"""The compiled core; None where there is none. Tests set it to None to compare."""


def numbers(compiled: CompiledNet) -> array[int]:
    """A net as the core reads it. Raises OverflowError for a count of more than 63 bits.

    Places, actions, whether there is a final marking; the initial marking, the final one; then every action: whether it
    has a hard deadline, and, each list after its length, needs as (place, tokens, drains), reads, inhibitors, resets,
    productions as (place, tokens), forwards as (source, target).
    """
    told = [len(compiled.places), len(compiled.actions), compiled.final is not None]
    told += compiled.initial
    told += compiled.final or ()
    for action in compiled.actions:
        _tell(action, told)
    return array("q", told)


def _tell(a: Action, told: list[int]) -> None:
    told += (a.hard, len(a.needs))
    for p, k in a.needs:
        told += (p, k, p in a.drained)
    if a.reads or a.inhibitors or a.resets:
        for places in (a.reads, a.inhibitors, a.resets):
            told.append(len(places))
            told += places
    else:
        told += (0, 0, 0)
    for pairs in (a.produced, a.forwards):
        told.append(len(pairs))
        for pair in pairs:
            told += pair
