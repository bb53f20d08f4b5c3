"""The directly-follows graph in the languages of drawing tools: DOT and Mermaid."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from petri_cli.mining.dfg import DirectlyFollows

THINNEST, THICKEST = 1.0, 5.0

Times = Mapping[tuple[int, int], float]
"""Edge → median seconds."""


def write_dfg_dot(graph: DirectlyFollows, times: Times) -> str:
    """``graph`` as a DOT graph: nodes with their frequency, edges as thick as they are frequent."""
    return "\n".join(_dot(graph, times)) + "\n"


def _dot(graph: DirectlyFollows, times: Times) -> Iterator[str]:
    yield "digraph log {"
    yield '  rankdir=LR; node [shape=box, style=rounded, fontname="sans-serif", fontsize=11];'
    yield '  edge [fontname="sans-serif", fontsize=10];'
    yield '  start [label="", shape=circle, width=0.2]; end [label="", shape=doublecircle, width=0.15];'
    for a, n in sorted(graph.occurrences.items()):
        yield f'  a{a} [label="{_escaped(graph.activities[a])}\\n{n:,}"];'
    most = max(graph.follows.values(), default=1)
    for (a, b), n in sorted(graph.follows.items()):
        width = THINNEST + (THICKEST - THINNEST) * n / most
        yield f'  a{a} -> a{b} [label="{_told(n, times.get((a, b)))}", penwidth={width:.1f}];'
    for a, n in sorted(graph.starts.items()):
        yield f'  start -> a{a} [label="{n:,}", style=dashed];'
    for a, n in sorted(graph.ends.items()):
        yield f'  a{a} -> end [label="{n:,}", style=dashed];'
    yield "}"


def write_dfg_mermaid(graph: DirectlyFollows, times: Times) -> str:
    """``graph`` as a Mermaid flowchart."""
    return "\n".join(_mermaid(graph, times)) + "\n"


def _mermaid(graph: DirectlyFollows, times: Times) -> Iterator[str]:
    yield "flowchart LR"
    yield "  begin(( ))"
    yield "  finish((( )))"
    for a, n in sorted(graph.occurrences.items()):
        yield f'  a{a}("{_safe(graph.activities[a])}<br>{n:,}")'
    for (a, b), n in sorted(graph.follows.items()):
        yield f'  a{a} -->|"{_told(n, times.get((a, b)))}"| a{b}'
    for a, n in sorted(graph.starts.items()):
        yield f'  begin -.->|"{n:,}"| a{a}'
    for a, n in sorted(graph.ends.items()):
        yield f'  a{a} -.->|"{n:,}"| finish'


def _told(n: int, seconds: float | None) -> str:
    return f"{n:,}" if seconds is None else f"{n:,} / {span(seconds)}"


def span(seconds: float) -> str:
    """Seconds with a unit that suits: ``340ms``, ``12.5s``, ``3.2h``, ``4.1d``."""
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f}{unit}"
    return f"{seconds:.1f}s" if seconds >= 1 or not seconds else f"{1000 * seconds:.0f}ms"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


def _safe(text: str) -> str:
    """A label in quotes: what Mermaid would read is written as an entity."""
    return "".join(f"#{ord(c)};" if c in '"#<>&;`\n\\' else c for c in text)
