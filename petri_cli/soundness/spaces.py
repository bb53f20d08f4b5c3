"""Which state space serves a search: that of the compiled core where there is one, else that of Python.

The two are alike in every answer and in the order of their states; only their speed and their memory differ.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.explore import StateSpace
from petri_cli.soundness.native.binding import MOST_BYTES
from petri_cli.soundness.native.space import NativeSpace, NotHere, with_core
from petri_cli.soundness.packed import PackedNet, with_room
from petri_cli.soundness.stubborn import StubbornSets

Found = TypeVar("Found")
Space = StateSpace | NativeSpace


def with_space(
    compiled: CompiledNet, search: Callable[[Space], Found], *, reduced: bool = False, most_bytes: int = MOST_BYTES
) -> Found:
    """Run ``search`` on the state space of ``compiled``, again with wider fields as long as it raises Overflow.

    reduced: of the actions enabled in a marking only those in a strongly stubborn set are followed; all must be
    vector-adding. most_bytes: what the states may take up.
    """
    try:
        return with_core(compiled, lambda core: search(NativeSpace(compiled, core)), reduced=reduced, most=most_bytes)
    except NotHere as e:
        floor = e.floor

    def in_python(packed: PackedNet) -> Found:
        select = StubbornSets(packed).choose if reduced else None
        return search(StateSpace(packed, select, most_bytes))

    return with_room(compiled, in_python, floor)
