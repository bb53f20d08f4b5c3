"""The place/transition view takes the same steps as the net it shows."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from petri_cli.errors import PetriError
from petri_cli.net.firing import Step, fire, steps
from petri_cli.net.model import Cardinality, Input, Net, Place, PlaceOut, Transition, XorOut
from petri_cli.net.place_transition import pt_id, pt_view
from tests.strategies.nets import nets


def without_what_weights_cannot_say(t: Transition) -> Transition:
    inputs = tuple(Input(i.place, Cardinality.EXACTLY, i.count) if i.drains else i for i in t.inputs)
    return replace(t, inputs=inputs, inhibitors=(), resets=(), match=None)


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True)
@given(nets())
def test_the_view_takes_the_same_steps_or_is_refused_where_weights_cannot_say_it(net: Net) -> None:
    if any(t != without_what_weights_cannot_say(t) for t in net.transitions):
        with pytest.raises(PetriError) as refused:
            pt_view(net)
        assert refused.value.code == "PETRI_NOT_PT_NET"
        net = replace(net, transitions=tuple(map(without_what_weights_cannot_say, net.transitions)))
    view = pt_view(net)
    by_id = {t.id: t for t in net.transitions}
    marking = dict(net.initial)
    for _ in range(8):
        ours = {pt_id(by_id[s.transition], s): after for s, after in steps(net, marking)}
        theirs = {s.transition: after for s, after in steps(view, marking)}
        assert ours == theirs
        if not theirs:
            return
        first = min(theirs)
        assert fire(view.transition(first), marking) == theirs[first]
        marking = theirs[first]


def test_the_id_of_a_lone_outcome_is_that_of_its_transition() -> None:
    one = Transition("one", (Input("a"),), PlaceOut("b"))
    two = Transition("two", (Input("a"),), XorOut((PlaceOut("a"), PlaceOut("b"))), reads=("b",))
    net = Net("n", (Place("a"), Place("b")), (one, two), {"a": 1})
    view = pt_view(net)
    assert [t.id for t in view.transitions] == ["one", "two#1", "two#2"]
    assert pt_id(two, Step("two", 1)) == "two#2"
