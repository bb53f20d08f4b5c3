"""Mermaid flowcharts, which Markdown viewers draw: places are circles, transitions boxes, choices rhombs."""

from __future__ import annotations

from collections.abc import Iterator

from petri_cli.formats.drawing import Drawing, DrawnEdge, DrawnNode, draw
from petri_cli.net.model import Net


def write_mermaid(net: Net) -> str:
    """``net`` as a Mermaid flowchart, the same to the byte whenever it is written.

    Tokens are dots within their place; places of the final marking have a double border. Inhibitor arcs end in a
    circle, read arcs are dotted and have no arrow, reset arcs end in a cross, time-outs are dotted. Resources
    (``r.…``) stand in a box of their own.
    """
    return "\n".join(_lines(draw(net))) + "\n"


def _lines(drawing: Drawing) -> Iterator[str]:
    yield "flowchart LR"
    for node in drawing.nodes:
        if node.kind != "resource":
            yield f"  {_node(node)}"
    resources = [n for n in drawing.nodes if n.kind == "resource"]
    if resources:
        yield "  subgraph resources"
        for node in resources:
            yield f"    {_node(node)}"
        yield "  end"
    for edge in drawing.edges:
        yield f"  {_edge(edge)}"
    if outside := [n.key for n in drawing.nodes if n.environment]:
        yield "  classDef outside stroke-dasharray: 4 3"
        yield f"  class {','.join(outside)} outside"
    if aside := [str(n) for n, e in enumerate(drawing.edges) if e.aside]:
        yield f"  linkStyle {','.join(aside)} stroke:#999"


def _node(node: DrawnNode) -> str:
    label = '"' + "<br/>".join(map(_escaped, node.lines)) + '"'
    match node.kind:
        case "place":
            return f"{node.key}((({label})))" if node.final else f"{node.key}(({label}))"
        case "resource":
            return f"{node.key}((({label})))" if node.final else f"{node.key}([{label}])"
        case "transition":
            return f"{node.key}[{label}]"
        case "xor":
            return f"{node.key}{{{label}}}"
        case "and":
            return f"{node.key}({label})"


_ARROWS = {"consume": "-->", "produce": "-->", "late": "-.->", "read": "-.-", "inhibit": "--o", "reset": "--x"}


def _edge(edge: DrawnEdge) -> str:
    label = f'|"{_escaped(edge.label)}"|' if edge.label else ""
    return f"{edge.source} {_ARROWS[edge.kind]}{label} {edge.target}"


_SAFE = frozenset(" _.,-/()+=●≥∞")


def _escaped(text: str) -> str:
    """``text`` within double quotes, every sign that Mermaid, Markdown or HTML may read as syntax as an entity code."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in text)
    return "".join(c if c.isalnum() or c in _SAFE else f"#{ord(c)};" for c in shown) or " "
