"""Process trees: block-structured models, kept flat in pre-order so that no depth exhausts the stack.

``→`` sequence, ``×`` exclusive choice, ``∧`` parallel, ``↺`` loop. A loop has two children, do and redo: do, then as
often as wanted redo and do again (Leemans, Fahland and van der Aalst 2013, "Discovering Block-Structured Process Models
from Event Logs", section 2). What other formats write as a third child is an exit, and becomes a sequence behind it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Op(Enum):
    """What an inner node does with its children."""

    SEQ = "->"
    XOR = "X"
    AND = "+"
    LOOP = "*"


@dataclass(frozen=True, slots=True)
class Leaf:
    """An activity, or a silent step (None)."""

    activity: str | None


@dataclass(frozen=True, slots=True)
class Inner:
    """An operator over at least one child (a loop: exactly two). children: indices into ``Tree.nodes``."""

    op: Op
    children: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """nodes: every node once; ``root``: the index of the root. Children may come before or after their parents."""

    nodes: tuple[Leaf | Inner, ...]
    root: int

    def __str__(self) -> str:
        """``->( 'a', X( tau, 'b' ) )``, as other tools write it."""
        text: dict[int, str] = {}
        for index in self.bottom_up():
            node = self.nodes[index]
            if isinstance(node, Leaf):
                text[index] = "tau" if node.activity is None else f"'{node.activity}'"
            else:
                text[index] = f"{node.op.value}( {', '.join(text[c] for c in node.children)} )"
        return text[self.root]

    def bottom_up(self) -> list[int]:
        """The indices of all nodes below the root, children before parents."""
        order: list[int] = []
        stack = [self.root]
        while stack:
            index = stack.pop()
            order.append(index)
            node = self.nodes[index]
            if isinstance(node, Inner):
                stack.extend(node.children)
        return order[::-1]


class TreeBuilder:
    """Makes a tree from the leaves up: each call returns an index, for the calls that follow."""

    def __init__(self) -> None:
        self._nodes: list[Leaf | Inner] = []

    def leaf(self, activity: str | None) -> int:
        self._nodes.append(Leaf(activity))
        return len(self._nodes) - 1

    def inner(self, op: Op, children: Sequence[int]) -> int:
        self._nodes.append(Inner(op, tuple(children)))
        return len(self._nodes) - 1

    def tree(self, root: int) -> Tree:
        return Tree(tuple(self._nodes), root)
