"""Packed markings at the edges of their fields."""

from __future__ import annotations

import pytest

from petri_cli.net.compiled import compile_net
from petri_cli.net.model import Input, Net, Place, PlaceOut, Transition
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.explore import StateSpace
from petri_cli.soundness.packed import PackedNet, with_room
from tests.parts import first_quick


def _wide_net(bits: int, raised: int) -> Net:
    """A net whose fields take ``bits`` bits at the start; ``more`` puts a second token on place ``raised``.

    Each place but one takes two bits; a place that starts with two tokens takes three.
    """
    initial = {"p0": 1, f"p{raised}": 1, "fuel": 1}
    places = [f"p{i}" for i in range(bits // 2 - 1)]
    if bits % 2:
        initial[places[-1]] = 2
    more = Transition("more", (Input("fuel"),), PlaceOut(f"p{raised}"))
    return Net("wide", tuple(Place(p) for p in (*places, "fuel")), (more,), initial)


@pytest.mark.parametrize("bits", first_quick(504, 505))
def test_any_field_may_overflow_at_any_width_of_a_marking(bits: int) -> None:
    top = PackedNet(compile_net(_wide_net(bits, 0)))
    assert top.guards.bit_length() == bits
    for raised in range(bits // 2 - 1):
        compiled = compile_net(_wide_net(bits, raised))
        space = with_room(compiled, _whole)
        assert len(space.markings) == 2
        assert space.state(1)[raised] == compiled.initial[raised] + 1
        for shortest in (True, False):
            found = find_deadlock(compiled, final=None, max_states=10, shortest=shortest)
            assert found.run == (0,)


def _whole(net: PackedNet) -> StateSpace:
    space = StateSpace(net)
    space.advance(10)
    return space
