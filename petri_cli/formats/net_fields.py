"""Typed reading of a document's nodes: a value, or None once the problem is noted.

Nothing stops at the first mistake, so that a file's problems are reported in one go.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from petri_cli.document import ListNode, MapNode, Node, ScalarNode, describe, position, shorten
from petri_cli.errors import Position, Problem, Severity
from petri_cli.formats.nearest import did_you_mean

MAX_DEPTH = 100
"""Output trees and token values may nest so deep."""


class Fields:
    """Collects the problems of one document."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.declared: dict[str, ScalarNode] | None = None
        """Places by id; None while they are not known (then names of places are not checked)."""

    @property
    def failed(self) -> bool:
        return any(p.severity == "error" for p in self.problems)

    def note(
        self,
        code: str,
        message: str,
        node: Node,
        hint: str = "",
        *,
        related: tuple[Position, ...] = (),
        severity: Severity = "error",
    ) -> None:
        self.problems.append(Problem(code, message, position(node), hint, severity, related))

    def keys(
        self, node: Node, what: str, known: Collection[str], required: Sequence[str] = ()
    ) -> dict[str, Node] | None:
        """The entries of a map, checked against the keys it may and must have."""
        if not isinstance(node, MapNode):
            self.note("PETRI_WRONG_TYPE", f"{what} must be a map, got {describe(node)}", node, f"keys: {_list(known)}")
            return None
        found: dict[str, Node] = {}
        for key, value in node.entries:
            name = str(key.value)
            if name in known:
                found[name] = value
            else:
                hint = did_you_mean(name, known)
                self.note("PETRI_UNKNOWN_KEY", f"{what} has no key `{shorten(name)}`", key, hint)
        for name in required:
            if name not in found:
                self.note("PETRI_MISSING_KEY", f"{what} needs the key `{name}`", node)
        return found

    def one_key(self, node: Node, what: str, known: Collection[str]) -> tuple[str, Node] | None:
        """The only entry of a map that has exactly one."""
        before = len(self.problems)
        found = self.keys(node, what, known)
        if found is None or len(self.problems) > before:
            return None
        if len(found) != 1:
            self.note("PETRI_BAD_VALUE", f"{what} has exactly one of the keys {_list(known)}", node)
            return None
        return next(iter(found.items()))

    def items(self, node: Node, what: str, least: int = 0) -> tuple[Node, ...] | None:
        if not isinstance(node, ListNode):
            self.note("PETRI_WRONG_TYPE", f"{what} must be a list, got {describe(node)}", node)
            return None
        if len(node.items) < least:
            wanted = "one item" if least == 1 else f"{least} items"
            self.note("PETRI_BAD_VALUE", f"{what} needs at least {wanted}", node)
            return None
        return node.items

    def text(self, node: Node, what: str, *, empty: bool = False) -> str | None:
        if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
            quotes = "put it in quotes" if isinstance(node, ScalarNode) and node.text else ""
            self.note("PETRI_WRONG_TYPE", f"{what} must be text, got {describe(node)}", node, quotes)
            return None
        if not node.value and not empty:
            self.note("PETRI_BAD_VALUE", f"{what} is empty", node)
            return None
        return node.value

    def whole(self, node: Node, what: str, least: int | None = None) -> int | None:
        """A whole number; ``3.0`` is one."""
        value = node.value if isinstance(node, ScalarNode) else None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            quoted = isinstance(value, str) and value.strip().lstrip("+-").isdecimal()
            hint = "remove the quotes" if quoted else ""
            self.note("PETRI_WRONG_TYPE", f"{what} must be a whole number, got {describe(node)}", node, hint)
            return None
        if least is not None and value < least:
            self.note("PETRI_BAD_VALUE", f"{what} must be at least {least}, got {shorten(str(value))}", node)
            return None
        return value

    def truth(self, node: Node, what: str) -> bool:
        if not isinstance(node, ScalarNode) or not isinstance(node.value, bool):
            self.note("PETRI_WRONG_TYPE", f"{what} must be true or false, got {describe(node)}", node)
            return False
        return node.value

    def names(self, node: Node, what: str, least: int = 0) -> list[ScalarNode]:
        """A list of names, or a single one; each non-empty text."""
        if isinstance(node, ScalarNode):
            return [node] if self.text(node, what) is not None else []
        found = self.items(node, what, least) or ()
        return [n for n in found if self.text(n, f"a name in {what}") is not None and isinstance(n, ScalarNode)]

    def place(self, node: Node, what: str) -> str | None:
        """The name of a declared place."""
        name = self.text(node, what)
        if name is None or self.declared is None or name in self.declared:
            return name
        hint = did_you_mean(name, self.declared)
        self.note("PETRI_UNKNOWN_PLACE", f"{what} names the place `{shorten(name)}`, which is not declared", node, hint)
        return None

    def places(self, node: Node, what: str, *, unique: bool = True, least: int = 0) -> tuple[str, ...]:
        """The declared places in a list of names (or the one place named)."""
        found: dict[str, ScalarNode] = {}
        every: list[str] = []
        for item in self.names(node, what, least):
            name = self.place(item, what)
            if name is None:
                continue
            if unique and name in found:
                first = (position(found[name]),)
                self.note("PETRI_DUPLICATE_NAME", f"{what} names `{name}` twice", item, "keep one", related=first)
                continue
            found[name] = item
            every.append(name)
        return tuple(every)


def _list(words: Collection[str]) -> str:
    return ", ".join(f"`{w}`" for w in words)
