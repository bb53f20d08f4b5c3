"""The rules of the model: each one refused, with the part of the transition that it is about."""

from __future__ import annotations

from dataclasses import fields

import pytest

from petri_cli.net.model import (
    AndOut,
    BrokenRule,
    Cardinality,
    ForwardOut,
    Input,
    Match,
    Net,
    Output,
    Place,
    PlaceOut,
    TimeoutOut,
    Timing,
    Transition,
    XorOut,
)
from petri_cli.net.outcomes import MAX_OUTCOMES
from petri_cli.net.rules import check_net

A = (Input("a"),)
B = PlaceOut("b")


def _named(*keys: str) -> Match:
    return Match(tuple((k, None) for k in keys))


def _put(output: Output) -> Transition:
    return Transition("t", A, output)


TOO_MANY = AndOut(tuple(XorOut((PlaceOut(f"l{n}"), PlaceOut(f"r{n}"))) for n in range(MAX_OUTCOMES.bit_length())))


@pytest.mark.parametrize(
    ("transition", "part", "told"),
    [
        (Transition("t", (*A, *A)), "inputs", "two input arcs on one place"),
        (Transition("t", (Input("a", Cardinality.EXACTLY, 0),)), "inputs", "needs 0 tokens of `a`"),
        (Transition("t", (Input("a", Cardinality.ALL, 2),)), "inputs", "counts 2 on a `all` input"),
        (Transition("t", reads=("nowhere",)), "", "the place `nowhere`"),
        (Transition("t", A, match=_named("b")), "match", "matches on `b`"),
        (Transition("t", A, match=_named("a", "a")), "match", "matches twice"),
        (Transition("t", inhibitors=("a",), match=_named("a")), "match", "matches on no input"),
        (Transition("t", A, timing=Timing("window", 2.0, 1.0)), "timing", "empty firing interval"),
        (Transition("t", A, timing=Timing("soon")), "timing", "unknown kind `soon`"),
        (Transition("t", A, timing=Timing("deadline")), "timing", "a deadline without an end"),
        (Transition("t", A, timing=Timing("deadline", 0.0, 0.0)), "timing", "a deadline of 0 s"),
        (_put(PlaceOut("b", 0)), "output", "puts 0 tokens into `b`"),
        (_put(ForwardOut("a", "b")), "output", "forwards `a` outside a timeout"),
        (_put(XorOut((B, TimeoutOut(1.0, ForwardOut("b", "b"))))), "output", "forwards `b`, which is not an input"),
        (_put(AndOut(())), "output", "an `and` output without children"),
        (_put(XorOut((B,))), "output", "fewer than two children"),
        (_put(XorOut((B, TimeoutOut(0.0, B)))), "output", "a timeout of 0.0 s"),
        (_put(AndOut((B, B))), "output", "names a place twice"),
    ],
)
def test_a_broken_rule_says_which_part_of_the_transition_it_is_about(
    transition: Transition, part: str, told: str
) -> None:
    with pytest.raises(BrokenRule) as caught:
        check_net(Net("n", (Place("a"), Place("b")), (transition,)))
    assert caught.value.code == "PETRI_BAD_NET"
    assert caught.value.part == part
    assert told in caught.value.message
    assert "`t`" in caught.value.message
    assert part in ("", *(f.name for f in fields(Transition)))


def test_an_output_with_too_many_outcomes_is_refused() -> None:
    places = tuple(Place(f"{side}{n}") for side in "lr" for n in range(MAX_OUTCOMES.bit_length()))
    with pytest.raises(BrokenRule, match="more than 4096 outcomes") as caught:
        check_net(Net("n", places, (Transition("t", (), TOO_MANY),)))
    assert caught.value.part == "output"


def test_ids_are_unique_in_a_net() -> None:
    with pytest.raises(BrokenRule, match="two places"):
        check_net(Net("n", (Place("a"), Place("a")), ()))
    with pytest.raises(BrokenRule, match="two transitions are called `t`"):
        check_net(Net("n", (), (Transition("t"), Transition("t"))))
