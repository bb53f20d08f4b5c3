"""A process tree for a person: an outline in the words of the plan language, small blocks on one line."""

from __future__ import annotations

from petri_cli.mining.tree import Leaf, Op, Tree
from petri_cli.render.look import KEEP
from petri_cli.render.names import short

INLINE = 48
"""Columns up to which a block stands on one line."""

_WORDS = {Op.SEQ: "seq", Op.XOR: "choice", Op.AND: "parallel", Op.LOOP: "loop"}
_BETWEEN = {Op.SEQ: " → ", Op.XOR: " or ", Op.AND: " and ", Op.LOOP: " again after "}
NOTHING = "nothing"
OFTEN, ANY = ", once or more", ", any number of times"


def outline(tree: Tree) -> list[str]:
    """The lines of the outline. A loop shows what is done, then what leads back to it."""
    inline = _inline(tree)
    lines: list[str] = []
    stack: list[tuple[int, str, str]] = [(tree.root, "", "")]
    """(node, what stands before its line, what stands before those below it)."""
    while stack:
        index, head, rest = stack.pop()
        node = tree.nodes[index]
        if isinstance(node, Leaf) or index in inline:
            lines.append(head.replace(" ", KEEP) + inline[index])
            continue
        lines.append(head.replace(" ", KEEP) + _WORDS[node.op])
        last = len(node.children) - 1
        below = []
        for k, child in enumerate(node.children):
            again = "again after " if node.op is Op.LOOP and k else ""
            more = (child, f"{rest}├ {again}", f"{rest}│ ") if k < last else (child, f"{rest}╰ {again}", f"{rest}  ")
            below.append(more)
        stack += reversed(below)
    return lines


def _inline(tree: Tree) -> dict[int, str]:
    """Node → its line, of leaves and of blocks of leaves that are short enough."""
    found: dict[int, str] = {}
    for index in tree.bottom_up():
        node = tree.nodes[index]
        if isinstance(node, Leaf):
            found[index] = NOTHING if node.activity is None else _leaf(node.activity)
            continue
        parts = [tree.nodes[c] for c in node.children]
        if node.op is Op.XOR and len(parts) == 2 and Leaf(None) in parts:
            other = node.children[1 if parts[0] == Leaf(None) else 0]
            if other in found and (isinstance(tree.nodes[other], Leaf) or found[other].endswith(OFTEN)):
                found[index] = _maybe(found[other])
            continue
        if not all(isinstance(p, Leaf) for p in parts):
            continue
        if node.op is Op.LOOP and parts[1] == Leaf(None):
            text = found[node.children[0]] + OFTEN
        elif node.op is Op.LOOP and parts[0] == Leaf(None):
            text = found[node.children[1]] + ANY
        else:
            text = _BETWEEN[node.op].join(found[c] for c in node.children)
        if len(text) <= INLINE:
            found[index] = text
    return found


def _leaf(name: str) -> str:
    return f'"{name}"' if name == NOTHING else short(name)


def _maybe(text: str) -> str:
    return text.removesuffix(OFTEN) + ANY if text.endswith(OFTEN) else f"maybe {text}"
