"""A document as a tree of nodes that know where they stand.

Scalars are already read by the YAML 1.2 core schema, so that ``on`` is the string it looks like. A node's place in the
document is a chain of steps up to the root, shared by all its descendants: a path is only written out when somebody
asks, and a document 5,000 blocks deep costs no more than its text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypeVar, assert_never, dataclass_transform

from petri_cli.errors import Position

_T = TypeVar("_T")

Path = tuple["Path | None", str | int]
"""(path of the parent, key or index within it); the root's is ``(None, file)``."""

Value = str | int | float | bool | None


@dataclass_transform(frozen_default=True, eq_default=False)
def _frozen(cls: type[_T]) -> type[_T]:
    """A slotted dataclass that the type checker holds to be frozen.

    Checked at run time, the same promise would triple the cost of making a node, and a large document has a million.
    """
    return dataclass(slots=True, eq=False, repr=False)(cls)


@_frozen
class ScalarNode:
    """A single value: ``text`` as written (without quotes), ``value`` as the core schema reads it."""

    value: Value
    text: str
    quoted: bool
    line: int
    column: int
    path: Path


@_frozen
class ListNode:
    """A list of nodes."""

    items: tuple[Node, ...]
    line: int
    column: int
    path: Path


@_frozen
class MapNode:
    """Keys with their values, in document order; no key comes twice, and every key is text.

    Entries that a merge key (``<<``) brought in follow the map's own.
    """

    entries: tuple[tuple[ScalarNode, Node], ...]
    line: int
    column: int
    path: Path

    def find(self, key: str) -> Node | None:
        """The value of ``key``, None when the map has no such key."""
        for k, value in self.entries:
            if k.value == key:
                return value
        return None


Node = ScalarNode | ListNode | MapNode


def position(node: Node) -> Position:
    """Where ``node`` stands: file, line, column and path. Costs the length of the path."""
    return Position(file_of(node), node.line, node.column, path_text(node.path))


def file_of(node: Node) -> str:
    """The file that ``node`` was read from."""
    path = node.path
    while (parent := path[0]) is not None:
        path = parent
    return str(path[1])


MAX_STEPS = 200
"""Of a longer path only the end is written out: many problems in a deep document would take quadratic room."""


def path_text(path: Path) -> str:
    """``flow.parallel[0].guard.resource``; empty at the root. Of more than ``MAX_STEPS`` steps, the last ones."""
    parts: list[str] = []
    while (parent := path[0]) is not None:
        step = path[1]
        if isinstance(step, int):
            parts.append(f"[{step}]")
        else:
            parts.append(step if parent[0] is None else f".{step}")
        path = parent
        if len(parts) == MAX_STEPS and path[0] is not None:
            parts.append("…")
            break
    return "".join(reversed(parts))


def describe(node: Node) -> str:
    """What ``node`` is, for a message: ``the string "3"``, ``a list``, ``nothing``."""
    match node:
        case MapNode():
            return "a map" if node.entries else "an empty map"
        case ListNode():
            return "a list" if node.items else "an empty list"
        case ScalarNode(value):
            return _describe_scalar(node, value)
        case other:
            assert_never(other)


def _describe_scalar(node: ScalarNode, value: Value) -> str:
    if value is None:
        return "nothing" if not node.text else "null"
    if isinstance(value, bool):
        return node.text
    if isinstance(value, str):
        return f'the string "{shorten(value)}"'
    if isinstance(value, float) and not math.isfinite(value):
        return shorten(node.text)
    return f"the number {shorten(node.text)}"


def shorten(text: str, limit: int = 40) -> str:
    """``text`` on one line and no longer than ``limit`` characters."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def plain(root: Node) -> Any:
    """``root`` as dicts, lists and scalars. What an alias shares in the document is shared in the result."""
    made: dict[int, Any] = {}
    stack: list[tuple[Node, bool]] = [(root, False)]
    while stack:
        node, children_made = stack.pop()
        match node:
            case ScalarNode(value):
                made[id(node)] = value
            case MapNode(entries):
                if children_made:
                    made[id(node)] = {str(k.value): made[id(v)] for k, v in entries}
                elif id(node) not in made:
                    stack.append((node, True))
                    stack.extend((v, False) for _, v in entries)
            case ListNode(items):
                if children_made:
                    made[id(node)] = [made[id(i)] for i in items]
                elif id(node) not in made:
                    stack.append((node, True))
                    stack.extend((i, False) for i in items)
            case other:
                assert_never(other)
    return made[id(root)]


def root_path(file: str) -> Path:
    """The path of a document's root."""
    return (None, file)
