"""SVG: a drawing that every browser shows, without Graphviz. Light or dark as the reader has it, nothing loaded."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from petri_cli.formats.drawing import Drawing, DrawnEdge, DrawnNode, draw
from petri_cli.formats.layout import BEND, Layout, lay_out
from petri_cli.net.model import Net

RADIUS = 14.0
LINE = 14.0
CHARACTER = 6.7
"""The width of a letter of 12 px, on the safe side."""
PAD = 18.0
GAP = 46.0
MARGIN = 16.0
TURN = 13.0
"""How far the labels of two edges that go there and back are from their middle."""
WRAP = 22
MAX_LINES = 4
MAX_DOTS = 4

_STYLE = """\
.paper { fill: #ffffff }
text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #1f2328; text-anchor: middle }
.id, .edge { fill: #6e7781; font-size: 11px }
.shape { fill: #f6f8fa; stroke: #1f2328; stroke-width: 1.3 }
.resource { fill: #fff3bf }
.ring { fill: none }
.environment { stroke-dasharray: 4 3 }
.token { fill: #1f2328 }
path { fill: none; stroke: #1f2328; stroke-width: 1.2 }
.aside { stroke: #8c959f; stroke-width: 1 }
.late { stroke-dasharray: 6 4 }
.count { paint-order: stroke; stroke: #ffffff; stroke-width: 3px; fill: #1f2328 }
.read { stroke-dasharray: 2 3 }
.head { fill: #1f2328; stroke: none }
.open { fill: #ffffff; stroke: #1f2328; stroke-width: 1.2 }
@media (prefers-color-scheme: dark) {
  .paper, .open { fill: #0d1117 }
  text, .token, .head { fill: #e6edf3 }
  .id, .edge { fill: #8b949e }
  .count { stroke: #0d1117; fill: #e6edf3 }
  .shape { fill: #161b22; stroke: #e6edf3 }
  .resource { fill: #3b2f0a }
  .ring { fill: none }
  path, .open { stroke: #e6edf3 }
  .head { stroke: none }
  .aside { stroke: #6e7681 }
}"""
"""Colours as values, not variables: many programs that show SVG know no others."""

_MARKERS = """\
<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto" \
markerUnits="userSpaceOnUse"><path class="head" d="M0 0.8 8 4 0 7.2z"/></marker>
<marker id="circle" viewBox="0 0 9 9" refX="9" refY="4.5" markerWidth="9" markerHeight="9" orient="auto" \
markerUnits="userSpaceOnUse"><circle class="open" cx="4.5" cy="4.5" r="3.6"/></marker>
<marker id="cross" viewBox="0 0 9 9" refX="9" refY="4.5" markerWidth="9" markerHeight="9" orient="auto" \
markerUnits="userSpaceOnUse"><path d="M0 1 8 8M0 8 8 1"/></marker>"""

_ENDS = {"consume": "arrow", "produce": "arrow", "late": "arrow", "read": "", "inhibit": "circle", "reset": "cross"}


@dataclass(frozen=True, slots=True)
class _Box:
    """A node as drawn: the middle of its shape, half its width and half its height."""

    x: float
    y: float
    w: float
    h: float


@dataclass(frozen=True, slots=True)
class _Label:
    lines: tuple[str, ...]

    @property
    def width(self) -> float:
        return max((_columns(line) for line in self.lines), default=0) * CHARACTER


def write_svg(net: Net) -> str:
    """``net`` as an SVG document, the same to the byte whenever it is written.

    From left to right: places are circles with their tokens, of the final marking with a double border, dashed where
    tokens come from outside; transitions are boxes; a choice is a diamond. Inhibitor arcs end in a circle, read arcs
    are dotted and have no arrow, reset arcs end in a cross, time-outs are dashed. Resources (``r.…``) stand below.
    """
    return svg_of(draw(net), net.initial)


@dataclass(frozen=True, slots=True)
class Space:
    """What is left free: between columns, between nodes of a column, and for an edge that passes a column."""

    gap: float = GAP
    pad: float = PAD
    bend: float = BEND


_DENSE = Space()


def svg_of(drawing: Drawing, tokens: Mapping[str, int] | None = None, space: Space = _DENSE) -> str:
    """A drawing as an SVG document. tokens: place → how many are shown."""
    return "\n".join(_document(drawing, tokens or {}, space)) + "\n"


def _document(drawing: Drawing, tokens: Mapping[str, int], space: Space) -> Iterator[str]:
    labels = {n.key: _label(n) for n in drawing.nodes}
    flow = [n for n in drawing.nodes if n.kind != "resource"]
    inner = [(i, e) for i, e in enumerate(drawing.edges) if not e.aside]
    half = {n.key: _half(n, labels[n.key]) for n in drawing.nodes}
    room = {n.key: _room(n, labels[n.key]) + space.pad for n in flow}
    layout = lay_out([n.key for n in flow], [(e.source, e.target) for _, e in inner], room, space.bend)
    columns = _columns_of(flow, layout, labels, half, space.gap)
    top = MARGIN
    boxes = {n.key: _Box(columns[layout.layer[n.key]][0], top + layout.y[n.key], *half[n.key]) for n in flow}
    right = max((x + w for x, w in columns), default=0.0)
    right, bottom = _put_resources(drawing, labels, half, boxes, right, top + layout.height)
    width, height = right + MARGIN, bottom + MARGIN
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_n(width)} {_n(height)}" width="{_n(width)}" ' + (
        f'height="{_n(height)}" role="img">'
    )
    yield f"<title>{_text(drawing.title)}</title>"
    yield f"<style>\n{_STYLE}\n</style>"
    yield f"<defs>\n{_MARKERS}\n</defs>"
    yield '<rect class="paper" width="100%" height="100%"/>'
    bends = {i: layout.bends.get(k, ()) for k, (i, _) in enumerate(inner)}
    both_ways = {(e.source, e.target) for e in drawing.edges}
    for i, edge in enumerate(drawing.edges):
        shift = 4.0 if (edge.target, edge.source) in both_ways and not edge.aside else 0.0
        yield from _edge(edge, boxes, [(columns[k], top + y) for k, y in bends.get(i, ())], shift)
    for node in drawing.nodes:
        yield from _node(node, boxes[node.key], labels[node.key], tokens.get(node.id, 0))
    yield "</svg>"


# sizes


def _label(node: DrawnNode) -> _Label:
    lines = [line for line in node.lines if "●" not in line]
    if node.kind in ("place", "resource") and len(lines) > 1 and lines[1] == node.id:
        del lines[1]  # the name says it; the id is in the tooltip
    if node.kind == "resource":
        del lines[1:]  # units come back: a pool ends as it began
    most = 2 if node.kind in ("place", "resource") else MAX_LINES
    wrapped = [part for line in lines for part in _wrapped(line)]
    if len(wrapped) > most:
        wrapped = [*wrapped[: most - 1], wrapped[most - 1][: WRAP - 1] + "…"]
    return _Label(tuple(wrapped))


def _wrapped(text: str) -> list[str]:
    """``text`` in lines of about ``WRAP`` columns, broken at blanks and behind the signs that ids are made of."""
    lines = [""]
    for part in re.findall(r"[^\s._\-]*[\s._\-]?", " ".join(text.split())):
        if lines[-1] and _columns(lines[-1]) + _columns(part.rstrip()) > WRAP:
            lines.append("")
        lines[-1] += part
    return [cut for line in lines for cut in _cut(line.strip())]


def _cut(line: str) -> list[str]:
    """``line`` itself unless it is far too long and has nowhere to break."""
    return [line[k : k + WRAP] for k in range(0, len(line), WRAP)] if _columns(line) > WRAP + 4 else [line]


def _half(node: DrawnNode, label: _Label) -> tuple[float, float]:
    match node.kind:
        case "place" | "resource":
            return RADIUS, RADIUS
        case "transition":
            return max(18.0, label.width / 2 + 8), max(14.0, len(label.lines) * LINE / 2 + 5)
        case "xor":
            return 20.0, 14.0
        case "and":
            return 18.0, 10.0


def _room(node: DrawnNode, label: _Label) -> float:
    below = len(label.lines) * LINE if node.kind == "place" else 0.0
    return 2 * _half(node, label)[1] + below


def _columns_of(
    flow: Sequence[DrawnNode],
    layout: Layout,
    labels: Mapping[str, _Label],
    half: Mapping[str, tuple[float, float]],
    gap: float,
) -> list[tuple[float, float]]:
    """For each layer the middle and half the width of its column."""
    widest = [0.0] * (max(layout.layer.values(), default=-1) + 1)
    for n in flow:
        at = layout.layer[n.key]
        widest[at] = max(widest[at], half[n.key][0], labels[n.key].width / 2)
    columns, x = [], MARGIN
    for w in widest:
        columns.append((x + w, w))
        x += 2 * w + gap
    return columns


def _put_resources(
    drawing: Drawing,
    labels: Mapping[str, _Label],
    half: Mapping[str, tuple[float, float]],
    boxes: dict[str, _Box],
    right: float,
    bottom: float,
) -> tuple[float, float]:
    """Resources in one row below the flow, each below those who use it; returns the new right and lower end."""
    pools = [n for n in drawing.nodes if n.kind == "resource"]
    if not pools:
        return right, bottom
    users: dict[str, list[float]] = {n.key: [] for n in pools}
    for e in drawing.edges:
        for pool, user in ((e.source, e.target), (e.target, e.source)):
            if pool in users and user in boxes:
                users[pool].append(boxes[user].x)
    wish = {key: sum(xs) / len(xs) if xs else MARGIN for key, xs in users.items()}
    x, y = 0.0, bottom + GAP
    for n in sorted(pools, key=lambda n: wish[n.key]):
        w = max(RADIUS, labels[n.key].width / 2)
        at = max(wish[n.key], x + w + MARGIN)
        boxes[n.key] = _Box(at, y, *half[n.key])
        x = at + w
        right = max(right, x)
    return right, y + RADIUS + 2 * LINE


# shapes


def _node(node: DrawnNode, box: _Box, label: _Label, tokens: int) -> Iterator[str]:
    yield f"<g><title>{_text(' · '.join(dict.fromkeys((*node.lines, node.id))))}</title>"
    x, y = _n(box.x), _n(box.y)
    match node.kind:
        case "place" | "resource":
            style = "shape" + " resource" * (node.kind == "resource") + " environment" * node.environment
            yield f'<circle class="{style}" cx="{x}" cy="{y}" r="{_n(RADIUS)}"/>'
            if node.final:
                yield f'<circle class="shape ring" cx="{x}" cy="{y}" r="{_n(RADIUS - 3)}"/>'
            yield from _tokens(box, tokens)
            yield from _lines(label, box.x, box.y + RADIUS + LINE - 1, node)
        case "xor":
            w, h = box.w, box.h
            points = f"{_n(box.x - w)},{y} {x},{_n(box.y - h)} {_n(box.x + w)},{y} {x},{_n(box.y + h)}"
            yield f'<polygon class="shape" points="{points}"/>'
            yield from _lines(label, box.x, box.y + 4, node)
        case "transition" | "and":
            corner = "2" if node.kind == "transition" else "8"
            yield (
                f'<rect class="shape" x="{_n(box.x - box.w)}" y="{_n(box.y - box.h)}" '
                f'width="{_n(2 * box.w)}" height="{_n(2 * box.h)}" rx="{corner}"/>'
            )
            yield from _lines(label, box.x, box.y + 4 - (len(label.lines) - 1) * LINE / 2, node)
    yield "</g>"


def _lines(label: _Label, x: float, y: float, node: DrawnNode) -> Iterator[str]:
    for k, line in enumerate(label.lines):
        style = ' class="id"' if node.kind in ("xor", "and") or (k and node.kind == "transition") else ""
        yield f'<text{style} x="{_n(x)}" y="{_n(y + k * LINE)}">{_text(line)}</text>'


def _tokens(box: _Box, tokens: int) -> Iterator[str]:
    """Up to four dots, else their number."""
    if tokens > MAX_DOTS:
        yield f'<text x="{_n(box.x)}" y="{_n(box.y + 4)}">{tokens if tokens < 1000 else "…"}</text>'
        return
    spots = {1: [(0, 0)], 2: [(-4, 0), (4, 0)], 3: [(0, -4), (-4, 3), (4, 3)], 4: [(-4, -4), (4, -4), (-4, 4), (4, 4)]}
    for dx, dy in spots.get(tokens, ()):
        yield f'<circle class="token" cx="{_n(box.x + dx)}" cy="{_n(box.y + dy)}" r="3"/>'


def _edge(
    edge: DrawnEdge, boxes: Mapping[str, _Box], bends: Sequence[tuple[tuple[float, float], float]], shift: float
) -> Iterator[str]:
    a, b = boxes[edge.source], boxes[edge.target]
    style = " ".join(filter(None, ("aside" if edge.aside else "", edge.kind if edge.kind in ("late", "read") else "")))
    marker = f' marker-end="url(#{_ENDS[edge.kind]})"' if _ENDS[edge.kind] else ""
    if edge.aside:
        way, at = _upright(a, b)
    elif edge.source == edge.target:
        way, at = _round(a)
    else:
        way, at = _sideways(a, b, bends, shift if a.x <= b.x else -shift)
    if edge.width:
        yield f"<g><title>{_text(edge.title)}</title>"
        marker += f' style="stroke-width:{_n(edge.width)}"'
    yield f'<path{f""" class="{style}" """.rstrip() if style else ""} d="{way}"{marker}/>'
    if edge.width:
        if bends:  # where it passes a column it has room of its own
            (x, _), y = bends[len(bends) // 2]
            at = x, y
        elif shift:
            at = at[0], at[1] + (TURN if a.x <= b.x else -TURN)
        yield from _beside(edge.label, at)
        yield "</g>"
    elif edge.label:
        yield f'<text class="edge" x="{_n(at[0])}" y="{_n(at[1] - 4)}">{_text(edge.label)}</text>'


def _beside(label: str, at: tuple[float, float]) -> Iterator[str]:
    """The lines of a label, on its edge."""
    lines = label.split("\n")
    top = at[1] + 4 - 6 * (len(lines) - 1)
    for k, line in enumerate(lines):
        yield f'<text class="edge count" x="{_n(at[0])}" y="{_n(top + 12 * k)}">{_text(line)}</text>'


def _round(a: _Box) -> tuple[str, tuple[float, float]]:
    """From a node to itself, over its upper side."""
    x, y, w = a.x, a.y - a.h, min(a.w, 26.0)
    way = f"M{_n(x + w * 0.6)} {_n(y)}C{_n(x + w)} {_n(y - 26)} {_n(x - w)} {_n(y - 26)} {_n(x - w * 0.6)} {_n(y)}"
    return way, (x, y - 28)


def _upright(a: _Box, b: _Box) -> tuple[str, tuple[float, float]]:
    """Between a node and a resource below or above it."""
    down = 1 if b.y > a.y else -1
    x0, y0, x1, y1 = a.x, a.y + down * a.h, b.x, b.y - down * b.h
    reach = max(20.0, abs(y1 - y0) / 2) * down
    way = f"M{_n(x0)} {_n(y0)}C{_n(x0)} {_n(y0 + reach)} {_n(x1)} {_n(y1 - reach)} {_n(x1)} {_n(y1)}"
    return way, ((x0 + x1) / 2, (y0 + y1) / 2)


def _sideways(
    a: _Box, b: _Box, bends: Sequence[tuple[tuple[float, float], float]], shift: float
) -> tuple[str, tuple[float, float]]:
    """From side to side, level where a column is crossed."""
    right = 1 if b.x >= a.x else -1
    points = [(a.x + right * a.w, a.y + shift)]
    for (x, half), y in bends:
        points += [(x - right * half, y), (x + right * half, y)]
    points.append((b.x - right * b.w, b.y + shift))
    way = f"M{_n(points[0][0])} {_n(points[0][1])}"
    for k, ((x0, y0), (x1, y1)) in enumerate(pairwise(points)):
        if k % 2:
            way += f"L{_n(x1)} {_n(y1)}"
        else:
            reach = (x1 - x0) / 2
            way += f"C{_n(x0 + reach)} {_n(y0)} {_n(x1 - reach)} {_n(y1)} {_n(x1)} {_n(y1)}"
    (x0, y0), (x1, y1) = points[:2]
    return way, ((x0 + x1) / 2, (y0 + y1) / 2)


# text

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}


def _text(text: str) -> str:
    clean = _NOT_XML.sub("\ufffd", text)
    return re.sub("[&<>]", lambda m: _ESCAPES[m[0]], clean)


def _columns(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def _n(number: float) -> str:
    """A number with at most one decimal."""
    return f"{number:.1f}".removesuffix(".0")
