"""Properties in one line and as maps."""

from __future__ import annotations

import pytest

from petri_cli.document import read_document
from petri_cli.errors import InputError, PetriError
from petri_cli.formats.netfile import parse_net, parse_property, property_text
from petri_cli.net.model import Property


@pytest.mark.parametrize(
    ("text", "kind", "places", "minimum", "maximum"),
    [
        ("placeBound:lock<=1", "placeBound", ("lock",), 0, 1),
        (" placeBound : lock <= 12 ", "placeBound", ("lock",), 0, 12),
        ("deadlockFree:done,failed", "deadlockFree", ("done", "failed"), 0, None),
        ("deadlockFree", "deadlockFree", (), 0, None),
        ("deadlockFree:", "deadlockFree", (), 0, None),
        ("mutualExclusion: a , b", "mutualExclusion", ("a", "b"), 0, None),
        ("mutualExclusion:z,z", "mutualExclusion", ("z", "z"), 0, None),
        ("unreachable:a", "unreachable", ("a",), 0, None),
        ("terminatesAtSink:p.end", "terminatesAtSink", ("p.end",), 0, None),
        ("quiescentCount:a,b=1..2", "quiescentCount", ("a", "b"), 1, 2),
        ("quiescentCount:a=3", "quiescentCount", ("a",), 3, 3),
        ("quiescentCount:a=1..", "quiescentCount", ("a",), 1, None),
        ("quiescentCount:a=..4", "quiescentCount", ("a",), 0, 4),
        ("quiescentCount:a = 0 .. 0", "quiescentCount", ("a",), 0, 0),
        ('unreachable:"a b","c,d","say \\"hi\\""', "unreachable", ("a b", "c,d", 'say "hi"'), 0, None),
        ("unreachable:p[0],é", "unreachable", ("p[0]", "é"), 0, None),
    ],
)
def test_one_line(text: str, kind: str, places: tuple[str, ...], minimum: int, maximum: int | None) -> None:
    prop = parse_property(text)
    assert (prop.kind, prop.places, prop.minimum, prop.maximum) == (kind, places, minimum, maximum)
    assert parse_property(property_text(prop)) == prop
    assert prop.id == property_text(prop)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "known: deadlockFree"),
        ("placebound:a<=1", "did you mean `placeBound`?"),
        ("placeBound:a", "placeBound:PLACE<=N"),
        ("placeBound:a<1", "placeBound:PLACE<=N"),
        ("placeBound:a<=-1", "placeBound:PLACE<=N"),
        ("placeBound:a,b<=1", "placeBound:PLACE<=N"),
        ("placeBound:<=1", "placeBound:PLACE<=N"),
        ("deadlockFree:a<=1", "deadlockFree:SINK,…"),
        ("deadlockFree:a,", "write one of placeBound:PLACE<=N"),
        ("deadlockFree:,a", "write one of placeBound:PLACE<=N"),
        ("deadlockFree:a b", "deadlockFree:SINK,…"),
        ("unreachable", "unreachable:PLACE,…"),
        ("mutualExclusion:", "mutualExclusion:PLACE,PLACE,…"),
        ("quiescentCount:a", "quiescentCount:PLACE,…=MIN..MAX"),
        ("quiescentCount:a=", "quiescentCount:PLACE,…=MIN..MAX"),
        ("quiescentCount:a=x", "quiescentCount:PLACE,…=MIN..MAX"),
        ("quiescentCount:a=2..1", "write the smaller number first"),
        ('unreachable:"a', "unreachable:PLACE,…"),
        ('unreachable:"\\x"', "quotes work as in JSON"),
    ],
)
def test_lines_that_are_no_property(text: str, hint: str) -> None:
    with pytest.raises(PetriError) as caught:
        parse_property(text)
    assert caught.value.code == "PETRI_BAD_PROPERTY"
    assert hint in caught.value.hint


def test_places_are_checked_where_they_are_known() -> None:
    assert parse_property("unreachable:a,lock", ["a", "lock"]).places == ("a", "lock")
    with pytest.raises(PetriError) as caught:
        parse_property("unreachable:a,lok", ["a", "lock"])
    assert (caught.value.code, caught.value.hint) == ("PETRI_UNKNOWN_PLACE", "did you mean `lock`?")


def properties(text: str) -> tuple[Property, ...]:
    return parse_net(read_document(f"kind: net\nplaces: [a, b]\nproperties: {text}", "n.yaml"))[0].properties


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("{placeBound: {place: a, bound: 1}}", "placeBound:a<=1"),
        ("{deadlockFree: {sinks: [a, b]}}", "deadlockFree:a,b"),
        ("{deadlockFree: [a, b]}", "deadlockFree:a,b"),
        ("{deadlockFree: {sinks: []}}", "deadlockFree"),
        ("{terminatesAtSink: {sinks: a}}", "terminatesAtSink:a"),
        ("{terminatesAtSink: a}", "terminatesAtSink:a"),
        ("{mutualExclusion: {places: [a, b]}}", "mutualExclusion:a,b"),
        ("{unreachable: [b]}", "unreachable:b"),
        ("{quiescentCount: {places: [a, b], min: 1, max: 2}}", "quiescentCount:a,b=1..2"),
        ("{quiescentCount: {places: a}}", "quiescentCount:a=0.."),
        ("'unreachable:a, b'", "unreachable:a,b"),
    ],
)
def test_maps(text: str, line: str) -> None:
    assert properties(f"[{text}]") == (parse_property(line),)


def test_a_property_may_have_an_id_of_its_own() -> None:
    assert properties("[{id: mine, unreachable: [a]}]") == (Property("mine", "unreachable", ("a",)),)


@pytest.mark.parametrize(
    ("text", "code", "path"),
    [
        ("{}", "PETRI_WRONG_TYPE", "properties"),
        ("[[]]", "PETRI_WRONG_TYPE", "properties[0]"),
        ("[{}]", "PETRI_BAD_VALUE", "properties[0]"),
        ("[{id: x}]", "PETRI_BAD_VALUE", "properties[0]"),
        ("[{unreachable: [a], mutualExclusion: [a]}]", "PETRI_BAD_VALUE", "properties[0]"),
        ("[{deadlockfree: [a]}]", "PETRI_UNKNOWN_KEY", "properties[0].deadlockfree"),
        ("[{unreachable: []}]", "PETRI_BAD_VALUE", "properties[0].unreachable"),
        ("[{unreachable: [c]}]", "PETRI_UNKNOWN_PLACE", "properties[0].unreachable[0]"),
        ("[{placeBound: [a]}]", "PETRI_WRONG_TYPE", "properties[0].placeBound"),
        ("[{placeBound: {place: a}}]", "PETRI_MISSING_KEY", "properties[0].placeBound"),
        ("[{placeBound: {place: a, bound: -1}}]", "PETRI_OUT_OF_RANGE", "properties[0].placeBound.bound"),
        ("[{quiescentCount: {places: [a], min: 2, max: 1}}]", "PETRI_BAD_PROPERTY", "properties[0].quiescentCount"),
        ("['unreachable:c']", "PETRI_UNKNOWN_PLACE", "properties[0]"),
        ("[nonsense]", "PETRI_BAD_PROPERTY", "properties[0]"),
        ("[unreachable:a, {unreachable: [a]}]", "PETRI_DUPLICATE_ID", "properties[1]"),
    ],
)
def test_mistakes_in_a_file(text: str, code: str, path: str) -> None:
    with pytest.raises(InputError) as caught:
        properties(text)
    assert [(p.code, p.where.path) for p in caught.value.problems] == [(code, path)]
