"""The directly-follows graph in the languages of drawing tools: DOT, Mermaid and SVG."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from petri_cli.formats.drawing import Drawing, DrawnEdge, DrawnNode
from petri_cli.formats.svg import Space, svg_of
from petri_cli.mining.dfg import DirectlyFollows
from petri_cli.mining.follow_times import Spread

THINNEST, THICKEST = 1.0, 5.0
SPACE = Space(gap=132, pad=42, bend=34)
"""In an SVG: room for what edges are labelled with."""

Times = Mapping[tuple[int, int], Spread]
"""Edge → times between."""
Took = Mapping[int, Spread]
"""Activity → how long it takes."""

_NOTHING: Took = {}


def write_dfg_dot(graph: DirectlyFollows, times: Times, took: Took = _NOTHING) -> str:
    """``graph`` as a DOT graph: nodes with their frequency, edges as thick as they are frequent; each with the median
    and the mean of its times."""
    return "\n".join(_dot(graph, times, took)) + "\n"


def _dot(graph: DirectlyFollows, times: Times, took: Took) -> Iterator[str]:
    yield "digraph log {"
    yield '  rankdir=LR; node [shape=box, style=rounded, fontname="sans-serif", fontsize=11];'
    yield '  edge [fontname="sans-serif", fontsize=10];'
    yield '  start [label="", shape=circle, width=0.2]; end [label="", shape=doublecircle, width=0.15];'
    for a, n in sorted(graph.occurrences.items()):
        label = "\\n".join([_escaped(graph.activities[a]), *_told(n, took.get(a))])
        yield f'  a{a} [label="{label}"];'
    most = max(graph.follows.values(), default=1)
    for (a, b), n in sorted(graph.follows.items()):
        label = "\\n".join(_told(n, times.get((a, b))))
        yield f'  a{a} -> a{b} [label="{label}", penwidth={_width(n, most):.1f}];'
    for a, n in sorted(graph.starts.items()):
        yield f'  start -> a{a} [label="{n:,}", style=dashed];'
    for a, n in sorted(graph.ends.items()):
        yield f'  a{a} -> end [label="{n:,}", style=dashed];'
    yield "}"


def write_dfg_mermaid(graph: DirectlyFollows, times: Times, took: Took = _NOTHING) -> str:
    """``graph`` as a Mermaid flowchart."""
    return "\n".join(_mermaid(graph, times, took)) + "\n"


def _mermaid(graph: DirectlyFollows, times: Times, took: Took) -> Iterator[str]:
    yield "flowchart LR"
    yield "  begin(( ))"
    yield "  finish((( )))"
    for a, n in sorted(graph.occurrences.items()):
        yield f'  a{a}("{"<br>".join([_safe(graph.activities[a]), *_told(n, took.get(a))])}")'
    for (a, b), n in sorted(graph.follows.items()):
        yield f'  a{a} -->|"{"<br>".join(_told(n, times.get((a, b))))}"| a{b}'
    for a, n in sorted(graph.starts.items()):
        yield f'  begin -.->|"{n:,}"| a{a}'
    for a, n in sorted(graph.ends.items()):
        yield f'  a{a} -.->|"{n:,}"| finish'


def write_dfg_svg(graph: DirectlyFollows, times: Times, took: Took = _NOTHING) -> str:
    """``graph`` as an SVG document. Edges are as thick as they are frequent; what an edge says shows, too, where it is
    pointed at."""
    most = max(graph.follows.values(), default=1)
    name = graph.activities
    nodes = [DrawnNode("start", "place", (), "start")]
    nodes += [
        DrawnNode(f"a{a}", "transition", (name[a], *_told(n, took.get(a))))
        for a, n in sorted(graph.occurrences.items())
    ]
    nodes.append(DrawnNode("end", "place", (), "end", final=True))
    edges = [_edge("start", f"a{a}", [f"{n:,}"], 0, f"start → {name[a]}") for a, n in sorted(graph.starts.items())]
    edges += [
        _edge(f"a{a}", f"a{b}", _told(n, times.get((a, b))), _width(n, most), f"{name[a]} → {name[b]}")
        for (a, b), n in sorted(graph.follows.items())
    ]
    edges += [_edge(f"a{a}", "end", [f"{n:,}"], 0, f"{name[a]} → end") for a, n in sorted(graph.ends.items())]
    return svg_of(Drawing("what directly follows what", tuple(nodes), tuple(edges)), space=SPACE)


def _edge(source: str, target: str, label: list[str], width: float, title: str) -> DrawnEdge:
    told = f"{title}: {', '.join(label)}"
    return DrawnEdge(source, target, "produce" if width else "late", "\n".join(label), width=width or 1.2, title=told)


def _width(n: int, most: int) -> float:
    return THINNEST + (THICKEST - THINNEST) * n / most


def _told(n: int, times: Spread | None) -> list[str]:
    """How often, and the median and the mean of the times."""
    return [f"{n:,}"] if times is None else [f"{n:,}", f"{span(times.median)}, mean {span(times.mean)}"]


def span(seconds: float) -> str:
    """Seconds with a unit that suits: ``340ms``, ``12.5s``, ``3.2h``, ``4.1d``, ``2.5y``."""
    for unit, size in (("y", 31_556_952), ("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f}{unit}"
    return f"{seconds:.1f}s" if seconds >= 1 or not seconds else f"{1000 * seconds:.0f}ms"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _safe(text: str) -> str:
    """A label in quotes: what Mermaid would read is written as an entity."""
    return "".join(f"#{ord(c)};" if c in '"#<>&;`\n\\' else c for c in text)
