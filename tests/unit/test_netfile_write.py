"""Writing net files: short, in a fixed order, and read back as the same net."""

from __future__ import annotations

import json

import pytest

from petri_cli.document import from_data, plain, read_document
from petri_cli.document.write import scalar_text
from petri_cli.formats.netfile import net_to_data, parse_net, write_net
from petri_cli.net.model import (
    AndOut,
    Cardinality,
    ForwardOut,
    Input,
    Match,
    Net,
    Place,
    PlaceOut,
    Property,
    TimeoutOut,
    Timing,
    Transition,
    XorOut,
)

MAILBOX = Net(
    "mailbox",
    (Place("start"), Place("in box", "In tray", True), Place("mail"), Place("r.lock"), Place("done")),
    (
        Transition(
            "read",
            (Input("in box"), Input("mail", Cardinality.EXACTLY, 2), Input("r.lock", Cardinality.ALL)),
            XorOut(
                (
                    AndOut((PlaceOut("done"), PlaceOut("r.lock", 2))),
                    TimeoutOut(0.05, ForwardOut("mail", "mail")),
                    PlaceOut("start"),
                )
            ),
            inhibitors=("done",),
            timing=Timing("window", 1.0, 90.0),
            priority=3,
            match=Match((("mail", "from"), ("in box", None))),
            name="Read: a letter",
            action={"produce": {"done": (1,), "start": ([1], None)}},
        ),
        Transition("stop", (Input("start"), Input("mail")), action={"fork": None}),
    ),
    initial={"start": 1, "mail": 2},
    final={"done": 1},
    properties=(
        Property("placeBound:r.lock<=1", "placeBound", ("r.lock",), 0, 1),
        Property("one", "quiescentCount", ("done", "start"), 1, None),
    ),
    values={"mail": ({"from": "ann"}, "no")},
    name="Mailbox",
)

TEXT = """\
kind: net
id: mailbox
name: Mailbox
places:
  - {id: start, tokens: 1}
  - {id: in box, name: In tray, environment: true}
  - {id: mail, tokens: [{from: ann}, "no"]}
  - r.lock
  - done
transitions:
  - id: read
    name: "Read: a letter"
    inputs: {in box: one, mail: 2, r.lock: all}
    inhibitors: [done]
    output: {xor: [[done, {place: r.lock, count: 2}], {timeout: {after: 50ms, child: {forwardInput: {from: mail, to: mail}}}}, start]}
    timing: {window: [1s, 1m30s]}
    priority: 3
    match: {mail: from, in box: null}
    action: {produce: {done: 1, start: [[1], null]}}
  - id: stop
    inputs: [start, mail]
    action: fork
final: {done: 1}
properties:
  - {placeBound: {place: r.lock, bound: 1}}
  - {id: one, quiescentCount: {places: [done, start], min: 1}}
"""  # noqa: E501 - a line of output is one line


def test_the_whole_file() -> None:
    assert write_net(MAILBOX) == TEXT


def test_it_reads_back_as_the_same_net() -> None:
    assert parse_net(read_document(TEXT, "x.yaml")) == (MAILBOX, ())


def test_data_is_json_and_reads_back_as_the_same_net() -> None:
    data = json.loads(json.dumps(net_to_data(MAILBOX)))
    assert data == net_to_data(MAILBOX)
    assert parse_net(from_data(data)) == (MAILBOX, ())


def test_empty_parts_are_left_out_but_not_an_empty_final_marking() -> None:
    assert write_net(Net("x", (), (Transition("t"),), final={})) == (
        "kind: net\nid: x\nplaces: []\ntransitions:\n  - id: t\nfinal: {}\n"
    )


def test_places_that_only_a_marking_names_are_declared() -> None:
    back, _ = parse_net(read_document(write_net(Net("n", (), (), initial={"stray": 1}, final={"end": 2}))))
    assert back.place_ids() == ("stray", "end")
    assert (back.initial, back.final) == ({"stray": 1}, {"end": 2})


def test_a_single_value_that_is_a_list_stays_one_value() -> None:
    net = Net("x", (Place("a"),), (Transition("t", action={"produce": {"a": ([1, 2],)}}),))
    assert "{a: [[1, 2]]}" in write_net(net)
    assert parse_net(read_document(write_net(net)))[0] == net


def test_exactly_one_is_not_one() -> None:
    net = Net("x", (Place("a"),), (Transition("t", (Input("a", Cardinality.EXACTLY, 1),)),))
    assert "{a: {exactly: 1}}" in write_net(net)


def test_ids_longer_than_a_yaml_key_may_be() -> None:
    long = "x" * 3_000
    net = Net("n", (Place(long),), (Transition("t", (Input(long, Cardinality.ALL),)),), final={long: 1})
    assert parse_net(read_document(write_net(net))) == (net, ())


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain words", "plain words"),
        ("r.lock", "r.lock"),
        ("30m", "30m"),
        ("no", '"no"'),
        ("NULL", '"NULL"'),
        ("Y", '"Y"'),
        ("", '""'),
        ("12", '"12"'),
        ("1e3", '"1e3"'),
        ("a: b", '"a: b"'),
        ("a #b", '"a #b"'),
        (" a", '" a"'),
        ("a ", '"a "'),
        ("- a", '"- a"'),
        ('say "hi"\\', "'say \"hi\"\\'"),
        ('it\'s "so"', '"it\'s \\"so\\""'),
        ("tab\tline\n", '"tab\\tline\\n"'),
        ("\x00\x85\u2028\ufeff\U0010ffff", '"\\u0000\\u0085\\u2028\\ufeff\U0010ffff"'),
        ("é → 🙂", '"é → 🙂"'),
        (None, "null"),
        (True, "true"),
        (-3, "-3"),
        (0.5, "0.5"),
        (1e300, "1.0e+300"),
        (1e-7, "1.0e-07"),
    ],
)
def test_scalars(value: str | float | None, written: str) -> None:
    assert scalar_text(value) == written
    assert plain(read_document(f"[{written}]")) == [value]
