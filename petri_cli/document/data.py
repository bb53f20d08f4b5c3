"""Data made in Python as a document: the same nodes, without lines."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from petri_cli.document.collector import collector_paused
from petri_cli.document.nodes import ListNode, MapNode, Node, Path, ScalarNode, path_text, root_path, shorten
from petri_cli.errors import InputError, Position, Problem

MAX_NODES = 10_000_000
"""Data that unfolds to more nodes is refused: a structure that shares its parts can be small and still be huge."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_SCALARS = frozenset((str, int, float, bool, type(None)))


def from_data(data: Any, file: str = "") -> Node:
    """The nodes of dicts, lists, tuples and scalars; lines and columns are 0.

    Raises InputError (PETRI_BAD_DATA) naming every value of another type and every key that is no text, or that the
    data contains itself.
    """
    builder = _Builder(file)
    with collector_paused():
        root = builder.build(data)
    if builder.problems:
        raise InputError(builder.problems)
    return root


class _Builder:
    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.open: set[int] = set()
        self.done: list[Node] = []
        """Complete nodes whose parent is not complete yet, as in postfix notation."""

    def build(self, data: Any) -> Node:
        stack: list[tuple[Any, Path, bool]] = [(data, root_path(self.file), False)]
        count = 0
        while stack:
            value, path, children_done = stack.pop()
            count += 1
            if children_done:
                self._finish(value, path)
            elif type(value) in _SCALARS or not isinstance(value, Mapping | list | tuple):
                self.done.append(self._scalar(value, path))
            elif id(value) in self.open or count > MAX_NODES:
                self._problem(path, "the data contains itself" if count <= MAX_NODES else "the data has no end")
                return ListNode((), 0, 0, path)
            else:
                self.open.add(id(value))
                stack.append((value, path, True))
                stack.extend((child, (path, step), False) for step, child in self._children(value, path))
        return self.done[0]

    def _children(self, value: Any, path: Path) -> Sequence[tuple[str | int, Any]]:
        """Key or index with child, last first."""
        if isinstance(value, list | tuple):
            return list(enumerate(value))[::-1]
        for key in value:
            if not isinstance(key, str):
                self._problem(path, f"a key must be text, got {shorten(repr(key))}")
            else:
                self._check_text(key, path)
        return [(key, child) for key, child in value.items() if isinstance(key, str)][::-1]

    def _finish(self, value: Any, path: Path) -> None:
        self.open.discard(id(value))
        if isinstance(value, list | tuple):
            first = len(self.done) - len(value)
            self.done[first:] = [ListNode(tuple(self.done[first:]), 0, 0, path)]
            return
        keys = [key for key in value if isinstance(key, str)]
        first = len(self.done) - len(keys)
        entries = tuple(
            (ScalarNode(key, key, True, 0, 0, (path, key)), child)
            for key, child in zip(keys, self.done[first:], strict=True)
        )
        self.done[first:] = [MapNode(entries, 0, 0, path)]

    def _scalar(self, value: Any, path: Path) -> ScalarNode:
        if isinstance(value, str):
            self._check_text(value, path)
            return ScalarNode(value, value, True, 0, 0, path)
        if value is None or isinstance(value, bool):
            return ScalarNode(value, {None: "null", True: "true", False: "false"}[value], False, 0, 0, path)
        if isinstance(value, int | float):
            return ScalarNode(value, repr(value), False, 0, 0, path)
        self._problem(path, f"{shorten(repr(value))} is a {type(value).__name__}, which no document can hold")
        return ScalarNode(None, "null", False, 0, 0, path)

    def _check_text(self, text: str, path: Path) -> None:
        if not text.isascii() and _SURROGATE.search(text):
            self._problem(path, f"{shorten(ascii(text))} holds half a surrogate pair, which is no character")

    def _problem(self, path: Path, message: str) -> None:
        hint = "use dicts with text as keys, lists, strings, numbers, booleans and None"
        self.problems.append(Problem("PETRI_BAD_DATA", message, Position(self.file, 0, 0, path_text(path)), hint))
