"""DOT, the language of Graphviz: places are circles, transitions boxes, choices diamonds."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from petri_cli.formats.drawing import Drawing, DrawnEdge, DrawnNode, draw
from petri_cli.net.model import Net


def write_dot(net: Net) -> str:
    """``net`` as a DOT graph, the same to the byte whenever it is written.

    Tokens are dots within their place; places of the final marking have a double border. Inhibitor arcs end in a
    circle, read arcs are dotted and have no arrow, reset arcs end in a crow's foot, time-outs are dashed. Resources
    (``r.…``) stand in a box of their own.
    """
    return "\n".join(_lines(draw(net))) + "\n"


def _lines(drawing: Drawing) -> Iterator[str]:
    yield f"digraph {_quoted(drawing.title)} {{"
    yield "  rankdir=LR;"
    yield '  node [fontname="sans-serif", fontsize=11];'
    yield '  edge [fontname="sans-serif", fontsize=10];'
    for node in drawing.nodes:
        if node.kind != "resource":
            yield f"  {_node(node)}"
    resources = [n for n in drawing.nodes if n.kind == "resource"]
    if resources:
        yield "  subgraph cluster_resources {"
        yield '    label="resources"; style="rounded,dashed"; color="gray50"; fontname="sans-serif"; fontsize=11;'
        for node in resources:
            yield f"    {_node(node)}"
        yield "  }"
    for edge in drawing.edges:
        yield f"  {_edge(edge)}"
    yield "}"


def _node(node: DrawnNode) -> str:
    attributes = [f"label={_label(node.lines)}"]
    match node.kind:
        case "place" | "resource":
            attributes.append("shape=ellipse")
            if node.final:
                attributes.append("peripheries=2")
            styles = ["dashed"] if node.environment else []
            if node.kind == "resource":
                styles.append("filled")
                attributes.append('fillcolor="gray92"')
            if styles:
                attributes.append(f'style="{",".join(styles)}"')
        case "transition":
            attributes.append("shape=box")
        case "xor":
            attributes.append("shape=diamond, fontsize=9, height=0.3, width=0.5")
        case "and":
            attributes.append("shape=box, fontsize=9, height=0.2, width=0.3, style=rounded")
    if node.id:
        attributes.append(f"tooltip={_quoted(node.id)}")
    return f"{node.key} [{', '.join(attributes)}];"


_EDGE_STYLES = {
    "consume": "",
    "produce": "",
    "late": "style=dashed",
    "read": "style=dotted, arrowhead=none",
    "inhibit": "arrowhead=odot",
    "reset": "arrowhead=crow",
}


def _edge(edge: DrawnEdge) -> str:
    attributes = [f"label={_quoted(edge.label)}"] if edge.label else []
    if style := _EDGE_STYLES[edge.kind]:
        attributes.append(style)
    if edge.aside:
        attributes.append('constraint=false, color="gray50"')
    written = f" [{', '.join(attributes)}]" if attributes else ""
    return f"{edge.source} -> {edge.target}{written};"


def _label(lines: tuple[str, ...]) -> str:
    """Lines of at most 32 characters where there are spaces to break at."""
    wrapped = [part for line in lines for part in textwrap.wrap(line, 32, break_long_words=False) or [""]]
    return '"' + r"\n".join(map(_escaped, wrapped)) + '"'


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """``text`` within double quotes: backslashes and ampersands have a meaning to Graphviz beside the quotes."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in text)
    return shown.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")
