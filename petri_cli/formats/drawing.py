"""A net as nodes and edges to draw: what DOT, Mermaid and SVG have in common, before either's syntax."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Literal, assert_never

from petri_cli.formats.net_time import duration_text
from petri_cli.net.model import (
    AndOut,
    Cardinality,
    ForwardOut,
    Input,
    Net,
    Output,
    Place,
    PlaceOut,
    TimeoutOut,
    Timing,
    Transition,
    XorOut,
)

NodeKind = Literal["place", "resource", "transition", "xor", "and"]
EdgeKind = Literal["consume", "produce", "late", "read", "inhibit", "reset"]

RESOURCE_PREFIX = "r."
"""Places of counted resources are called so; they are drawn apart from the flow."""


@dataclass(frozen=True, slots=True)
class DrawnNode:
    """A node. ``key`` is short and safe in any syntax (``p0``, ``t3``, ``x1``); ``lines`` are to be escaped.

    final: the place is marked in the final marking; environment: tokens come to it from outside.
    """

    key: str
    kind: NodeKind
    lines: tuple[str, ...]
    id: str = ""
    final: bool = False
    environment: bool = False


@dataclass(frozen=True, slots=True)
class DrawnEdge:
    """An edge; ``aside`` edges lead to or from a resource. width, title: of one that stands for a count."""

    source: str
    target: str
    kind: EdgeKind
    label: str = ""
    aside: bool = False
    width: float = 0.0
    title: str = ""


@dataclass(frozen=True, slots=True)
class Drawing:
    """Nodes and edges in the order of the net."""

    title: str
    nodes: tuple[DrawnNode, ...]
    edges: tuple[DrawnEdge, ...]


def draw(net: Net) -> Drawing:
    """The drawing of ``net``. Places that only a marking names are drawn too."""
    places = net.all_places()
    keys = {p.id: f"p{n}" for n, p in enumerate(places)}
    nodes = [_place(net, p, keys[p.id]) for p in places]
    edges: list[DrawnEdge] = []
    resources = {keys[p.id] for p in places if p.id.startswith(RESOURCE_PREFIX)}
    inner = count()
    for n, t in enumerate(net.transitions):
        key = f"t{n}"
        nodes.append(DrawnNode(key, "transition", tuple(_transition_lines(t)), t.id))
        edges += [DrawnEdge(keys[i.place], key, "consume", _input_label(i)) for i in t.inputs]
        edges += [DrawnEdge(keys[p], key, "read") for p in t.reads]
        edges += [DrawnEdge(keys[p], key, "inhibit") for p in t.inhibitors]
        edges += [DrawnEdge(keys[p], key, "reset") for p in t.resets]
        for drawn in _output(t.output, key, keys, inner):
            if isinstance(drawn, DrawnNode):
                nodes.append(drawn)
            else:
                edges.append(drawn)
    beside = [
        DrawnEdge(e.source, e.target, e.kind, e.label, aside=e.source in resources or e.target in resources)
        for e in edges
    ]
    return Drawing(net.name or net.id, tuple(nodes), tuple(beside))


def _place(net: Net, place: Place, key: str) -> DrawnNode:
    lines = [place.name, place.id] if place.name else [place.id]
    if n := net.initial.get(place.id, 0):
        lines.append("●" * n if n <= 4 else f"{n} ●")
    expected = (net.final or {}).get(place.id, 0)
    if expected > 1:
        lines.append(f"ends with {expected}")
    kind: NodeKind = "resource" if place.id.startswith(RESOURCE_PREFIX) else "place"
    return DrawnNode(key, kind, tuple(lines), place.id, bool(expected), place.environment)


def _transition_lines(t: Transition) -> Iterator[str]:
    if t.name:
        yield t.name
    yield t.id
    if interval := _interval(t.timing):
        yield interval
    if t.priority:
        yield f"priority {t.priority}"
    if t.match is not None:
        yield "match " + ", ".join(p if key is None else f"{p} by {key}" for p, key in t.match.keys)


def _interval(timing: Timing) -> str:
    """The interval in the usual brackets; nothing for one that fires whenever it can."""
    earliest = duration_text(timing.earliest)
    match timing.kind:
        case "immediate":
            return ""
        case "exact":
            return f"at {earliest}"
        case _ if timing.latest is None:
            return f"[{earliest}, ∞)"
        case _:
            return f"[{earliest}, {duration_text(timing.latest)}]"


def _input_label(arc: Input) -> str:
    match arc.kind:
        case Cardinality.ALL:
            return "all"
        case Cardinality.AT_LEAST:
            return f"all, ≥ {arc.count}"
        case Cardinality.ONE | Cardinality.EXACTLY:
            return str(arc.count) if arc.count > 1 else ""
        case other:
            assert_never(other)


def _output(
    root: Output | None, transition: str, keys: dict[str, str], inner: count[int]
) -> Iterator[DrawnNode | DrawnEdge]:
    """The output tree, from left to right: an ``and`` is more arcs of its parent, a choice is a node of its own."""
    stack: list[tuple[Output, str, EdgeKind, str, bool]] = []
    if root is not None:
        stack.append((root, transition, "produce", "", False))
    while stack:
        node, parent, kind, label, branch = stack.pop()
        match node:
            case PlaceOut(place, n):
                yield DrawnEdge(parent, keys[place], kind, _joined(label, str(n) if n > 1 else ""))
            case ForwardOut(source, target):
                yield DrawnEdge(parent, keys[target], kind, _joined(label, f"forwards {source}"))
            case TimeoutOut(after, child):
                stack.append((child, parent, "late", f"after {duration_text(after)}", True))
            case AndOut(children) if not branch:
                stack.extend((c, parent, kind, label, False) for c in reversed(children))
            case AndOut(children) | XorOut(children):
                key = f"x{next(inner)}"
                word: NodeKind = "and" if isinstance(node, AndOut) else "xor"
                yield DrawnNode(key, word, (word,))
                yield DrawnEdge(parent, key, kind, label)
                stack.extend((c, key, "produce", "", word == "xor") for c in reversed(children))
            case other:
                assert_never(other)


def _joined(first: str, second: str) -> str:
    return f"{first}: {second}" if first and second else first or second
