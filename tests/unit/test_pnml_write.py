"""Writing PNML: what other checkers read, to the byte."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from petri_cli.errors import PetriError
from petri_cli.formats.pnml import read_pnml, write_pnml
from petri_cli.net.model import (
    AndOut,
    Cardinality,
    Input,
    Match,
    Net,
    Output,
    Place,
    PlaceOut,
    Timing,
    Transition,
    XorOut,
)

LOCKED = Net(
    "locked work",
    (Place("p.start"), Place("r.lock", "The lock"), Place("p.end")),
    (
        Transition(
            "t.take", (Input("p.start"), Input("r.lock", Cardinality.EXACTLY, 2)), PlaceOut("p.end"), name="a < b & c"
        ),
        Transition("t.give", (Input("p.end"),), AndOut((PlaceOut("r.lock", 2), AndOut((PlaceOut("p.start"),))))),
    ),
    initial={"p.start": 1, "r.lock": 2},
    final={"p.end": 1},
)


def test_the_whole_file() -> None:
    assert (
        write_pnml(LOCKED)
        == """\
<?xml version="1.0" encoding="UTF-8"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
  <net id="locked_work" type="http://www.pnml.org/version-2009/grammar/ptnet">
    <name><text>locked work</text></name>
    <page id="page1">
      <place id="p.start"><name><text>p.start</text></name><initialMarking><text>1</text></initialMarking></place>
      <place id="r.lock"><name><text>The lock</text></name><initialMarking><text>2</text></initialMarking></place>
      <place id="p.end"><name><text>p.end</text></name></place>
      <transition id="t.take"><name><text>a &lt; b &amp; c</text></name></transition>
      <arc id="arc1" source="p.start" target="t.take"/>
      <arc id="arc2" source="r.lock" target="t.take"><inscription><text>2</text></inscription></arc>
      <arc id="arc3" source="t.take" target="p.end"/>
      <transition id="t.give"><name><text>t.give</text></name></transition>
      <arc id="arc4" source="p.end" target="t.give"/>
      <arc id="arc5" source="t.give" target="r.lock"><inscription><text>2</text></inscription></arc>
      <arc id="arc6" source="t.give" target="p.start"/>
    </page>
    <finalmarkings>
      <marking>
        <place idref="p.end"><text>1</text></place>
      </marking>
    </finalmarkings>
  </net>
</pnml>
"""
    )


def test_reading_it_back_needs_no_tolerance() -> None:
    net, warnings = read_pnml(write_pnml(LOCKED).encode(), "x.pnml")
    assert warnings == ()
    assert net.places == LOCKED.places
    assert (net.initial, net.final) == (LOCKED.initial, LOCKED.final)
    assert net.name == "locked work"


def ids(net: Net) -> list[str]:
    return [e.attrib["id"] for e in ET.fromstring(write_pnml(net)).iter() if "id" in e.attrib]  # noqa: S314 - our own


def test_ids_that_are_no_xml_names_are_replaced_and_kept_as_names() -> None:
    net = Net("n", (Place("a b"), Place("a_b"), Place("1"), Place("x:y", "both"), Place("é")), (Transition("[0]"),))
    assert ids(net) == ["n", "page1", "a_b_1", "a_b", "_1", "x_y", "é", "_0_"]
    back, _ = read_pnml(write_pnml(net).encode(), "x.pnml")
    assert [p.name for p in back.places] == ["a b", "", "1", "both", ""]


def test_a_place_and_a_transition_of_one_id_are_told_apart() -> None:
    net = Net("x", (Place("x"), Place("page1"), Place("arc1")), (Transition("x", (Input("x"),)), Transition("arc2")))
    found = ids(net)
    assert len(set(found)) == len(found)
    assert found[2:5] == ["x_1", "page1", "arc1"] or found[0] != found[2]


def test_places_that_only_a_marking_names_are_declared() -> None:
    back, _ = read_pnml(write_pnml(Net("n", (), (), initial={"stray": 1}, final={"end": 1})).encode(), "x.pnml")
    assert back.place_ids() == ("stray", "end")
    assert (back.initial, back.final) == ({"stray": 1}, {"end": 1})


def test_names_are_kept_also_where_xml_cannot_hold_them() -> None:
    names = ("x\r\ny\tz", "nul\x00 \uffff", "]]>&amp;", " a ", '"\n')
    net = Net("n", tuple(Place(f"p{k}", name) for k, name in enumerate(names)), ())
    text = write_pnml(net)
    back, _ = read_pnml(text.encode(), "x")
    assert tuple(p.name for p in back.places) == names
    assert "<text>nul\ufffd \ufffd</text>" in text, "other tools see what can be shown"


def test_a_name_to_the_letter_that_is_none_tells_nothing() -> None:
    text = write_pnml(Net("n", (Place("a", " x "),), ()))
    for broken in ("&quot; x", "1", "", "[&quot;x&quot;]"):
        again, _ = read_pnml(text.replace("&quot; x &quot;", broken).encode(), "x")
        assert again.places[0].name == "x"


def test_an_empty_final_marking_is_not_the_same_as_none() -> None:
    assert "finalmarkings" not in write_pnml(Net("n", (Place("a"),), ()))
    assert read_pnml(write_pnml(Net("n", (Place("a"),), (), final={})).encode(), "x")[0].final == {}


A = (Input("a"),)


@pytest.mark.parametrize(
    ("transition", "named"),
    [
        (Transition("t", (Input("a", Cardinality.ALL),)), "an `all` or `atLeast` input"),
        (Transition("t", (Input("a", Cardinality.AT_LEAST, 2),)), "an `all` or `atLeast` input"),
        (Transition("t", A, inhibitors=("a",)), "an inhibitor arc"),
        (Transition("t", A, resets=("a",)), "a reset arc"),
        (Transition("t", A, inhibitors=("a",), resets=("a",)), "an inhibitor arc, a reset arc"),
        (Transition("t", A, timing=Timing("delayed", 1.0)), "a timing"),
        (Transition("t", A, priority=1), "a priority"),
        (Transition("t", A, XorOut((PlaceOut("a"), PlaceOut("b"))), priority=1), "a priority"),
        (Transition("t", A, match=Match((("a", None),))), "a name match"),
    ],
)
def test_what_place_transition_nets_lack_is_refused_by_name(transition: Transition, named: str) -> None:
    with pytest.raises(PetriError) as caught:
        write_pnml(Net("n", (Place("a"), Place("b")), (transition,)))
    assert caught.value.code == "PETRI_NOT_PT_NET"
    assert caught.value.message == f"transition `t` has {named}, which place/transition nets cannot express"


def test_the_number_of_elements_does_not_matter() -> None:
    places = tuple(Place(f"p {n}") for n in range(3_000))
    outputs: Output = AndOut(tuple(PlaceOut(p.id) for p in places))
    back, _ = read_pnml(write_pnml(Net("n", places, (Transition("t", (), outputs),))).encode(), "x")
    assert len(back.places) == 3_000
