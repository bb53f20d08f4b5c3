"""Building nets in Python."""

from __future__ import annotations

from typing import Any

import pytest

from petri_cli.errors import PetriError
from petri_cli.net.builder import (
    NetBuilder,
    at_least,
    both,
    deadline,
    delayed,
    either,
    every,
    exact,
    exactly,
    forward,
    one,
    timeout,
    window,
)
from petri_cli.net.model import (
    AndOut,
    Cardinality,
    ForwardOut,
    Input,
    Match,
    Net,
    Place,
    PlaceOut,
    TimeoutOut,
    Timing,
    Transition,
    XorOut,
)


def test_words_stand_for_arcs_trees_and_times() -> None:
    net = (
        NetBuilder("orders")
        .place("inbox", name="In tray", environment=True)
        .transition("pack", ["inbox", exactly(2, "box"), every("note"), at_least(3, "tape"), one("label")], "parcel")
        .transition(
            "ship", "parcel", either(both("sent", "log"), timeout(2.5, forward("parcel", "inbox"))), name="Ship it"
        )
        .transition("clean", inhibitors="inbox", reads=["log"], resets="tape", timing=delayed(5), priority=-1)
        .transition("join", ["sent", "log"], match={"sent": "id", "log": None})
        .marking(inbox=2, box=["small", "large"])
        .final(sent=1)
        .build()
    )
    assert net == Net(
        "orders",
        (
            Place("inbox", "In tray", environment=True),
            *map(Place, ["box", "note", "tape", "label", "parcel", "sent", "log"]),
        ),
        (
            Transition(
                "pack",
                (
                    Input("inbox"),
                    Input("box", Cardinality.EXACTLY, 2),
                    Input("note", Cardinality.ALL),
                    Input("tape", Cardinality.AT_LEAST, 3),
                    Input("label"),
                ),
                PlaceOut("parcel"),
            ),
            Transition(
                "ship",
                (Input("parcel"),),
                XorOut((AndOut((PlaceOut("sent"), PlaceOut("log"))), TimeoutOut(2.5, ForwardOut("parcel", "inbox")))),
                name="Ship it",
            ),
            Transition("clean", (), None, ("inbox",), ("log",), ("tape",), Timing("delayed", 5), -1),
            Transition("join", (Input("sent"), Input("log")), match=Match((("sent", "id"), ("log", None)))),
        ),
        {"inbox": 2, "box": 2},
        {"sent": 1},
        values={"box": ("small", "large")},
    )


def test_every_timing_has_a_word() -> None:
    assert [deadline(2), window(1, 2), exact(3)] == [
        Timing("deadline", 0.0, 2),
        Timing("window", 1, 2),
        Timing("exact", 3),
    ]


def test_places_may_be_matched_by_their_own_names() -> None:
    [t] = NetBuilder("n").transition("t", ["a", "b"], match=["a", "b"]).build().transitions
    assert t.match == Match((("a", None), ("b", None)))


def test_the_last_marking_of_a_place_counts() -> None:
    net = NetBuilder("n").place("p").marking(p=["a"]).marking({"p": 3}).build()
    assert (net.initial, net.values) == ({"p": 3}, {})


@pytest.mark.parametrize(
    "build",
    [
        lambda b: b.transition("t", ["p", "p"]),
        lambda b: b.transition("t", exactly(0, "p")),
        lambda b: b.transition("t", "p", XorOut((PlaceOut("q"),))),
        lambda b: b.transition("t", "p", both("q", "q")),
        lambda b: b.transition("t", "p", timing=window(2, 1)),
        lambda b: b.transition("t", "p", timing=deadline(0)),
        lambda b: b.transition("t", "p", timeout(0, "q")),
        lambda b: b.transition("t", "p", forward("p", "q")),
        lambda b: b.transition("t", "p", inhibitors="q", match=["q"]),
        lambda b: b.transition("t", "p", reads="r", match=["p", "r"]),
        lambda b: b.transition("t", "p").transition("t", "p"),
    ],
)
def test_a_net_that_breaks_a_rule_is_refused(build: Any) -> None:
    with pytest.raises(PetriError) as refused:
        build(NetBuilder("n")).build()
    assert refused.value.code == "PETRI_BAD_NET"


def test_tokens_are_a_number_or_a_list() -> None:
    with pytest.raises(TypeError, match="a number or a list"):
        NetBuilder("n").marking(p="abc")
