"""The place/transition view takes the same steps as the net it shows."""

from __future__ import annotations

from hypothesis import assume, given, settings

from petri_cli.errors import PetriError
from petri_cli.net.firing import Step, fire, steps
from petri_cli.net.model import Net
from petri_cli.net.place_transition import pt_id, pt_view
from tests.strategies.nets import nets


@settings(max_examples=150, deadline=None, derandomize=True)
@given(nets())
def test_the_view_takes_the_same_steps(net: Net) -> None:
    try:
        view = pt_view(net)
    except PetriError as refused:
        assert refused.code == "PETRI_NOT_PT_NET"
        assert any(t.inhibitors or t.resets or t.match or any(i.drains for i in t.inputs) for t in net.transitions), (
            refused.message
        )
        assume(False)
        return
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
    from petri_cli.net.model import Input, Place, PlaceOut, Transition, XorOut

    one = Transition("one", (Input("a"),), PlaceOut("b"))
    two = Transition("two", (Input("a"),), XorOut((PlaceOut("a"), PlaceOut("b"))), reads=("b",))
    net = Net("n", (Place("a"), Place("b")), (one, two), {"a": 1})
    view = pt_view(net)
    assert [t.id for t in view.transitions] == ["one", "two#1", "two#2"]
    assert pt_id(two, Step("two", 1)) == "two#2"
