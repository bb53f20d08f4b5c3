"""SVG drawings: well formed, complete, the same every time; and the layout beneath them."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli import export, load
from petri_cli.formats.layout import BEND, lay_out
from petri_cli.formats.svg import write_svg
from petri_cli.net.builder import NetBuilder, delayed, either, timeout
from petri_cli.net.model import Net, Place, Transition
from tests.e2e.petri import SAMPLES
from tests.strategies.nets import nets

SVG = "{http://www.w3.org/2000/svg}"

MAIL = (
    NetBuilder("mail & more")
    .place("in", name="In tray", environment=True)
    .transition("read", ["in", "r.desk"], either("done", timeout(2, "late")), reads="light", timing=delayed(1))
    .transition("sweep", "late", "done", inhibitors="in", resets="out")
    .marking({"in": 3, "r.desk": 2, "light": 1, "late": 7})
    .final({"done": 1, "r.desk": 2})
    .build()
)


def drawn(net: Net) -> ElementTree.Element:
    return ElementTree.fromstring(write_svg(net))  # noqa: S314 - our own output


def texts(root: ElementTree.Element) -> set[str]:
    return {t.text or "" for t in root.iter(f"{SVG}text")}


def of_class(root: ElementTree.Element, tag: str, name: str) -> list[ElementTree.Element]:
    return [e for e in root.iter(f"{SVG}{tag}") if name in (e.get("class") or "").split()]


def test_everything_in_a_net_is_drawn() -> None:
    root = drawn(MAIL)
    assert root.findtext(f"{SVG}title") == "mail & more"
    assert {"In tray", "r.desk", "light", "late", "done", "out", "read", "sweep", "xor", "[1s, ∞)"} <= texts(root)
    assert len(of_class(root, "rect", "shape")) == 2
    assert len(of_class(root, "polygon", "shape")) == 1
    assert len(of_class(root, "circle", "environment")) == 1
    assert len(of_class(root, "circle", "ring")) == 2, "the places of the final marking"
    assert len(of_class(root, "circle", "resource")) == 1
    assert len(of_class(root, "circle", "token")) == 3 + 2 + 1, "seven are written as a number"
    assert "7" in texts(root)


def test_each_kind_of_arc_looks_different() -> None:
    arcs = [p for p in drawn(MAIL).findall(f"{SVG}path")]
    ends = [(p.get("class"), p.get("marker-end")) for p in arcs]
    assert ends.count(("read", None)) == 1
    assert ends.count((None, "url(#circle)")) == 1
    assert ends.count((None, "url(#cross)")) == 1
    assert ends.count(("late", "url(#arrow)")) == 1
    assert ends.count(("aside", "url(#arrow)")) == 1


def test_it_is_the_same_to_the_byte_and_loads_nothing() -> None:
    text = write_svg(MAIL)
    assert text == write_svg(MAIL)
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert "<script" not in text and "@import" not in text


def test_names_cannot_break_out() -> None:
    hostile = '</text><script>alert("1")</script>&amp;\x00\ud800]]>'
    root = drawn(Net(hostile, (Place("p", hostile),), (Transition("t", name=hostile),)))
    assert not list(root.iter(f"{SVG}script"))


def test_a_net_without_anything_is_drawn() -> None:
    assert drawn(Net("empty", (), ())).tag == f"{SVG}svg"


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.petri.yaml")), ids=lambda p: p.name)
def test_every_sample_can_be_drawn(path: str) -> None:
    root = ElementTree.fromstring(export(load(path), "svg"))  # noqa: S314 - our own output
    assert list(root.iter(f"{SVG}path"))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(nets(extras=True, hostile=True))
def test_any_net_can_be_drawn(net: Net) -> None:
    root = drawn(net)
    shapes = len(of_class(root, "circle", "shape")) - len(of_class(root, "circle", "ring"))
    assert shapes == len(net.all_places())


# the layout


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.integers(1, 9).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_nodes_do_not_overlap_and_edges_pass_the_layers_between_their_ends(
    graph: tuple[int, list[tuple[int, int]]],
) -> None:
    n, pairs = graph
    names = [f"n{k}" for k in range(n)]
    edges = [(names[a], names[b]) for a, b in pairs]
    room = {name: 20.0 + 3 * k for k, name in enumerate(names)}
    layout = lay_out(names, edges, room)
    for at in set(layout.layer.values()):
        row = sorted((layout.y[m], m) for m in names if layout.layer[m] == at)
        for (y0, a), (y1, b) in pairwise(row):
            assert y1 - y0 >= (room[a] + room[b]) / 2 - 1e-6
    for m in names:
        assert room[m] / 2 - 1e-6 <= layout.y[m] <= layout.height - room[m] / 2 + 1e-6
    for i, (a, b) in enumerate(edges):
        if a != b:
            layers = [layout.layer[a], *(k for k, _ in layout.bends[i]), layout.layer[b]]
            assert layers[0] != layers[-1]
            step = 1 if layers[-1] > layers[0] else -1
            assert layers == list(range(layers[0], layers[-1] + step, step))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(2, 9).flatmap(lambda n: st.tuples(st.just(n), st.lists(st.tuples(*[st.integers(0, n - 1)] * 2)))))
def test_without_a_cycle_every_edge_leads_to_the_right(graph: tuple[int, list[tuple[int, int]]]) -> None:
    n, pairs = graph
    edges = [(str(min(e)), str(max(e))) for e in pairs if e[0] != e[1]]
    layer = lay_out([str(k) for k in range(n)], edges, {str(k): BEND for k in range(n)}).layer
    assert all(layer[a] < layer[b] for a, b in edges)


def test_an_edge_that_closes_a_cycle_passes_the_layers_backwards() -> None:
    layout = lay_out(list("abcd"), [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")], dict.fromkeys("abcd", 10.0))
    assert [layout.layer[n] for n in "abcd"] == [0, 1, 2, 3]
    assert [k for k, _ in layout.bends[3]] == [2, 1]


def test_a_row_of_equals_is_centred_on_its_neighbour() -> None:
    layout = lay_out(list("abcd"), [("a", "b"), ("a", "c"), ("a", "d")], dict.fromkeys("abcd", 10.0))
    assert [layout.layer[n] for n in "abcd"] == [0, 1, 1, 1]
    assert sorted(layout.y[n] for n in "bcd") == pytest.approx([5.0, 15.0, 25.0])
    assert layout.y["a"] == pytest.approx(15.0)


@pytest.mark.slow
def test_depth_and_width_do_not_matter() -> None:
    chain = [str(k) for k in range(5_000)]
    assert lay_out(chain, list(pairwise(chain)), dict.fromkeys(chain, 10.0)).layer["4999"] == 4_999
    fan = [("hub", k) for k in chain]
    assert lay_out(["hub", *chain], fan, dict.fromkeys(["hub", *chain], 10.0)).height == pytest.approx(50_000.0)
    far = [(chain[0], k) for k in chain[1:]] + list(pairwise(chain))
    assert not any(lay_out(chain, far, dict.fromkeys(chain, 10.0)).bends.values()), "too many bends: straight lines"
