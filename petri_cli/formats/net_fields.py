"""Typed reading of a net document's nodes: what every document has, and names of places."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from petri_cli.document import ListNode, Node, ScalarNode, position, shorten
from petri_cli.document.fields import MAX_DEPTH
from petri_cli.formats.nearest import did_you_mean
from petri_cli.plan.load_fields import PlanFields

__all__ = ["MAX_DEPTH", "NetFields"]

MAX_GUESSES = 50
"""So many unknown names get a «did you mean»; each compares with every place."""


class NetFields(PlanFields):
    """Collects the problems of one net document."""

    def __init__(self) -> None:
        super().__init__()
        self.declared: dict[str, ScalarNode] | None = None
        """Places by id; None while they are not known (then names of places are not checked)."""
        self.guesses = 0

    @property
    def failed(self) -> bool:
        return any(p.severity == "error" for p in self.problems)

    def keys(
        self, node: Node, what: str, known: Collection[str], required: Sequence[str] = ()
    ) -> dict[str, Node] | None:
        """The entries of a map, checked against the keys it may and must have."""
        found = self.map(node, what, known)
        for name in required if found is not None else ():
            if name not in (found or ()):
                self.missing_key(name, what, node)
        return found

    def items(self, node: Node, what: str, least: int = 0) -> tuple[Node, ...] | None:
        if not isinstance(node, ListNode):
            self.wrong_type(what, "a list", node)
            return None
        if len(node.items) < least:
            wanted = "one item" if least == 1 else f"{least} items"
            self.note("PETRI_BAD_VALUE", f"{what} needs at least {wanted}", node)
            return None
        return node.items

    def optional_text(self, found: dict[str, Node], key: str) -> str:
        """The text under ``key``; empty when it is not there."""
        return (self.text(found[key], key, blank=True) or "") if key in found else ""

    def truth(self, node: Node, what: str) -> bool:
        if not isinstance(node, ScalarNode) or not isinstance(node.value, bool):
            self.wrong_type(what, "true or false", node)
            return False
        return node.value

    def place(self, node: Node, what: str) -> str | None:
        """The name of a declared place."""
        name = self.text(node, what)
        if name is None or self.declared is None or name in self.declared:
            return name
        self.guesses += 1
        hint = did_you_mean(name, self.declared) if self.guesses <= MAX_GUESSES else ""
        self.note("PETRI_UNKNOWN_PLACE", f"{what} names the place `{shorten(name)}`, which is not declared", node, hint)
        return None

    def places(self, node: Node, what: str, *, unique: bool = True, least: int = 0) -> tuple[str, ...]:
        """The declared places in a list of names (or the one place named)."""
        items = (node,) if isinstance(node, ScalarNode) else self.items(node, what, least) or ()
        first: dict[str, Node] = {}
        found: list[str] = []
        for item in items:
            name = self.place(item, what)
            if name is None:
                continue
            before = first.setdefault(name, item)
            if unique and before is not item:
                related = (position(before),)
                self.note("PETRI_DUPLICATE_NAME", f"{what} names `{name}` twice", item, "keep one", related=related)
            else:
                found.append(name)
        return tuple(found)
