"""PNML in and out, on random nets and random damage."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.errors import PetriError
from petri_cli.formats.pnml import read_pnml, write_pnml
from petri_cli.formats.pnml_plain import read_plain
from petri_cli.formats.pnml_read import read_by_events
from petri_cli.net.model import Cardinality, Input, Net, Place, PlaceOut, Transition, leaves
from tests.strategies.nets import nets, plain_nets


@settings(max_examples=150, deadline=None, derandomize=True)
@given(plain_nets())
def test_a_net_comes_back_as_it_was(net: Net) -> None:
    back, warnings = read_pnml(write_pnml(net).encode(), "x.pnml")
    assert back == net
    assert all("final marking is empty" in w.message for w in warnings)


def shape(net: Net) -> object:
    """``net`` by the positions of its places, so that ids do not matter."""
    index = {p: n for n, p in enumerate(net.place_ids())}
    return (
        len(net.places),
        [
            (
                {index[i.place]: i.count for i in t.inputs},
                {index[o.place]: o.count for o in leaves(t.output) if isinstance(o, PlaceOut)},
            )
            for t in net.transitions
        ],
        {index[p]: n for p, n in net.initial.items()},
        net.final and {index[p]: n for p, n in net.final.items()},
    )


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True)
@given(plain_nets(hostile=True))
def test_a_net_with_hostile_ids_comes_back_isomorphic_and_with_its_names(net: Net) -> None:
    text = write_pnml(net)
    back, _ = read_pnml(text.encode(), "x.pnml")
    assert shape(back) == shape(net)
    for before, after in zip([*net.places, *net.transitions], [*back.places, *back.transitions], strict=True):
        assert (after.name or after.id) == (before.name or before.id)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(nets(extras=True, hostile=True))
def test_a_net_is_written_or_refused_and_never_written_wrongly(net: Net) -> None:
    try:
        text = write_pnml(net)
    except PetriError as error:
        assert error.code == "PETRI_NOT_PT_NET"
    else:
        back, _ = read_pnml(text.encode(), "x.pnml")
        assert shape(back) == shape(net)


SAMPLE = write_pnml(
    Net(
        "n",
        (Place("a"), Place("b")),
        (Transition("t", (Input("a", Cardinality.EXACTLY, 2),), PlaceOut("b")),),
        initial={"a": 1},
        final={"b": 1},
    )
).encode()

PIECES = [b"<", b">", b"</", b"/>", b'"', b"&", b"&#0;", b"]]>", b"<![CDATA[", b"<!--", b"<?", b"<!DOCTYPE a>", b"\xff"]
PIECES += [b"<net>", b"<page>", b"<place id='a'>", b"<text>", b"-1", b"\x00", b"\xed\xa0\x80", b" xmlns:p='q'", b"p:"]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.randoms(use_true_random=False), st.integers(1, 4))
def test_damaged_files_are_read_or_refused_with_a_position(rng: random.Random, times: int) -> None:
    data = SAMPLE
    for _ in range(times):
        start = rng.randrange(len(data))
        end = min(len(data), start + rng.choice([0, 0, 1, 5, 40]))
        data = data[:start] + rng.choice([*PIECES, b""]) + data[end:]
    try:
        read_pnml(data, "x.pnml")
    except PetriError as error:
        assert error.code.startswith("PETRI_")
        assert error.where.line >= 1
        assert error.where.column >= 1


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=60))
def test_random_bytes_are_refused(data: bytes) -> None:
    try:
        read_pnml(data, "x.pnml")
    except PetriError:
        return
    raise AssertionError("random bytes made a net")


PARTS = (
    *(
        "<name><text> a b </text></name>",
        "<name/>",
        "<!-- c -->",
        "&amp;",
        "\n",
        " ",
        "\t",
        "x",
        '"',
        "<",
        ">",
        "/>",
        "0",
    ),
    *("<initialMarking><text>2</text></initialMarking>", "<initialMarking><text>0</text></initialMarking>"),
    *("<inscription><text>3</text></inscription>", "<inscription><text>0</text></inscription>", "<graphics/>"),
    *("<![CDATA[x]]>", "\u00e9", "\ufffe", "\x01", "\x85", "</place>", "</page>", '<page id="q">', "</arc>"),
    *(
        '<arc id="new" source="a" target="t0"/>',
        '<place id="new"/>',
        '<transition id="new"><name><text/></name></transition>',
    ),
)


def _as_read(data: bytes) -> tuple[Net, int] | None:
    """What the reader by events makes of ``data``; None when it refuses."""
    try:
        net, warnings = read_by_events(data, "x.pnml")
    except PetriError:
        return None
    return net, len(warnings)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(plain_nets(), st.integers(0, 2**32))
def test_the_short_cut_for_plain_documents_reads_what_events_tell_or_nothing(net: Net, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311
    text = write_pnml(net)
    for _ in range(12):
        data = text.encode()
        short = read_plain(data)
        assert short is None or _as_read(data) == (short, 0), text
        at = rng.randrange(len(text))
        cut = rng.choice([0, 0, 1, rng.randrange(1, 40)])
        if rng.random() < 0.3:
            lines = text.split("\n")
            rng.shuffle(lines[6:-3]) if rng.random() < 0.5 else lines.insert(
                rng.randrange(len(lines)), rng.choice(lines)
            )
            text = "\n".join(lines)
        else:
            text = text[:at] + rng.choice(PARTS) + text[at + cut :]


@settings(max_examples=30, deadline=None, derandomize=True)
@given(plain_nets())
def test_what_we_write_of_a_net_without_final_marking_takes_the_short_cut(net: Net) -> None:
    data = write_pnml(replace(net, final=None)).encode()
    assert read_plain(data) == read_by_events(data, "x.pnml")[0]


PLAIN = (
    '<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">'
    '<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">'
    '<place id="a"><initialMarking><text>1</text></initialMarking></place><place id="b"/><transition id="t"/>'
    '<arc id="x" source="a" target="t"/><arc id="y" source="t" target="b"/></page></net></pnml>'
)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ("</page>", '<arc id="z" source="a" target="t"/></page>'),
        ("</page>", '<arc id="b" source="b" target="t"/></page>'),
        ("</page>", '<arc id="x" source="b" target="t"/></page>'),
        ("</page>", '<arc id="z" source="b" target="u"/></page>'),
        ("</page>", '<arc id="z" source="b" target="a"/></page>'),
        ("</page>", '<arc id="z" source="b" target="t"><inscription><text>0</text></inscription></arc></page>'),
        ("</page>", '<arc id="z" source="b" target="t"><inscription><text>7</text></inscription></arc></page>'),
        ("</page>", '<arc id="z" source="b" target="t"><inscription><text>1</text></inscription></arc></page>'),
        ("</page>", '<place id="a"/></page>'),
        ("</page>", '<place id="t"/></page>'),
        ("</page>", ""),
        ("</net>", ""),
        ('<transition id="t"/>', '<transition id="t"><initialMarking><text>1</text></initialMarking></transition>'),
        ('<transition id="t"/>', '<transition id="t"></place>'),
        ("<text>1</text>", "<text>0</text>"),
        ("<text>1</text>", "<text>1000000000</text>"),
        ("<text>1</text>", "<text>00000000012</text>"),
        ("<text>1</text>", "<text> 1 </text>"),
        ('<place id="b"/>', '<place id="b"><name><text> b </text></name></place>'),
        ('<place id="b"/>', '<place id="b"><name><text>n</text></name><name><text>m</text></name></place>'),
        ('<place id="b"/>', '<place  id="b"></place>'),
        ('<place id="b"/>', "<place id='b'></place>"),
        ("<page", "<name><text>n</text></name><page"),
        ("<page", "<name><text>the net</text></name><page"),
        ("<pnml", '<?xml version="1.0" encoding="UTF-8"?>\n<pnml'),
        ("<pnml", '<?xml version="1.0" encoding="ISO-8859-1"?>\n<pnml'),
        ("</pnml>", "</pnml>\n \n"),
        ("</pnml>", "</pnml>x"),
    ],
)
def test_one_thing_that_is_less_plain_is_read_alike_or_left_to_the_events(old: str, new: str) -> None:
    data = PLAIN.replace(old, new, 1).encode()
    short = read_plain(data)
    assert short is None or _as_read(data) == (short, 0)
    assert read_plain(PLAIN.encode()) is not None
