"""Typed reading of a document's nodes: a value, or None once the problem is noted.

Nothing stops at the first mistake, so that all problems of a file are reported in one go. ``what`` is how a message
calls the value, usually its key.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from functools import lru_cache
from typing import Any

from petri_cli.document.nodes import ListNode, MapNode, Node, ScalarNode, describe, plain, position, shorten
from petri_cli.errors import Position, Problem, Severity

MAX_KNOWN = 5_000
"""Looking for the nearest word costs time for every known one; in a longer list none is looked for."""

MAX_DEPTH = 100
"""Free data, which a program gets as JSON, may nest so deep."""

LARGEST = 1_000_000_000
"""No count in a document is larger: a marking stays a machine word, and a slip of the finger is noticed."""

_WHOLE_NUMBER = re.compile(r"\s*[-+]?[0-9]+\s*")


class Fields:
    """Collects the problems of one document."""

    required: Collection[str] = ()
    """The values that no document can do without, as messages call them: no hint says to leave them out."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

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
        """A problem at ``node``."""
        self.problems.append(Problem(code, message, position(node), hint, severity, related))

    def wrong_type(self, what: str, wanted: str, node: Node, hint: str = "") -> None:
        if not hint and isinstance(node, ScalarNode) and node.value is None:
            hint = "write a value" if what in self.required else "write a value, or leave the key out"
        self.note("PETRI_WRONG_TYPE", f"{what} must be {wanted}, got {describe(node)}", node, hint)

    def unknown_key(self, key: ScalarNode, what: str, known: Collection[str], hint: str = "") -> None:
        name = str(key.value)
        hint = hint or did_you_mean(name, tuple(known)) or f"known: {', '.join(known)}"
        self.note("PETRI_UNKNOWN_KEY", f"{what} has no key `{shorten(name)}`", key, hint)

    def missing_key(self, name: str, what: str, node: Node, hint: str = "") -> None:
        self.note("PETRI_MISSING_KEY", f"{what} needs the key `{name}`", node, hint)

    def map(self, node: Node, what: str, known: Collection[str]) -> dict[str, Node] | None:
        """The entries of a map with only ``known`` keys; others are noted and left out."""
        if not isinstance(node, MapNode):
            self.wrong_type(what, "a map", node, f"keys: {', '.join(known)}")
            return None
        found: dict[str, Node] = {}
        for key, value in node.entries:
            name = str(key.value)
            if name in known:
                found[name] = value
            else:
                self.unknown_key(key, what, known)
        return found

    def one_key(self, node: Node, what: str, known: Collection[str]) -> tuple[ScalarNode, Node] | None:
        """The only entry of a map that has exactly one, of a ``known`` key."""
        if not isinstance(node, MapNode):
            self.wrong_type(what, "a map", node, f"keys: {', '.join(known)}")
            return None
        unknown = [key for key, _ in node.entries if key.value not in known]
        for key in unknown:
            self.unknown_key(key, what, known)
        if not unknown and len(node.entries) != 1:
            found = " and ".join(f"`{key.value}`" for key, _ in node.entries) or "none"
            wanted = ", ".join(known)
            self.note("PETRI_BAD_VALUE", f"{what} has exactly one of the keys {wanted}, found {found}", node)
        return node.entries[0] if not unknown and len(node.entries) == 1 else None

    def text(self, node: Node, what: str, *, blank: bool = False) -> str | None:
        """Text; with at least one character that is no white space unless ``blank``."""
        if not isinstance(node, ScalarNode) or not isinstance(node.value, str):
            scalar = isinstance(node, ScalarNode) and node.value is not None
            self.wrong_type(what, "text", node, "put it in quotes" if scalar else "")
            return None
        if not blank and not node.value.strip():
            hint = "write something" if what in self.required else "write something, or leave the key out"
            self.note("PETRI_BAD_VALUE", f"{what} is empty", node, hint)
            return None
        return node.value

    def choice(self, node: Node, what: str, options: Collection[str]) -> str | None:
        """One of a few words."""
        value = self.text(node, what, blank=True)
        if value is None or value in options:
            return value
        hint = did_you_mean(value, tuple(options))
        wanted = " or ".join(options)
        self.note("PETRI_BAD_VALUE", f'{what} is {wanted}, got "{shorten(value)}"', node, hint)
        return None

    def matching(self, node: Node, what: str, pattern: re.Pattern[str], wanted: str) -> str | None:
        """Text that ``pattern`` matches as a whole."""
        value = self.text(node, what, blank=True)
        if value is None or pattern.fullmatch(value):
            return value
        self.note("PETRI_BAD_VALUE", f'{what} is {wanted}, got "{shorten(value)}"', node)
        return None

    def whole(self, node: Node, what: str, least: int = -LARGEST, most: int = LARGEST) -> int | None:
        """An integer within bounds; ``3.0`` is one, as in JSON Schema."""
        value = node.value if isinstance(node, ScalarNode) else None
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool):
            number = isinstance(value, str) and _WHOLE_NUMBER.fullmatch(value)
            self.wrong_type(what, "an integer", node, "remove the quotes" if number else "")
            return None
        return value if self._within(value, node, what, least, most) else None

    def number(self, node: Node, what: str, least: float = -LARGEST, most: float = LARGEST) -> float | None:
        """A finite number within bounds."""
        value = node.value if isinstance(node, ScalarNode) else None
        if not isinstance(value, int | float) or isinstance(value, bool):
            self.wrong_type(what, "a number", node)
            return None
        if isinstance(value, float) and not math.isfinite(value):
            self.note("PETRI_BAD_NUMBER", f"{what} must be a finite number, got {describe(node)}", node)
            return None
        return value if self._within(value, node, what, least, most) else None

    def _within(self, value: float, node: Node, what: str, least: float, most: float) -> bool:
        if least <= value <= most:
            return True
        bound = f"at least {least:,}" if value < least else f"at most {most:,}"
        found = node.text if isinstance(node, ScalarNode) else str(value)
        self.note("PETRI_OUT_OF_RANGE", f"{what} must be {bound}, got {shorten(found)}", node)
        return False

    def data(self, node: Node, what: str) -> Any:
        """Free data that JSON can carry: finite numbers, at most ``MAX_DEPTH`` levels."""
        stack = [(node, 0)]
        seen: dict[int, int] = {}
        while stack:
            part, depth = stack.pop()
            if isinstance(part, ScalarNode):
                if isinstance(part.value, float) and not math.isfinite(part.value):
                    message = f"{what} holds {describe(part)}, which JSON cannot carry"
                    self.note("PETRI_BAD_NUMBER", message, part, "put it in quotes if it is text")
                continue
            if depth >= MAX_DEPTH:
                self.note("PETRI_TOO_DEEP", f"{what} is nested more than {MAX_DEPTH} levels deep", part)
                break
            if seen.get(id(part), -1) >= depth:
                continue
            seen[id(part)] = depth
            parts = part.items if isinstance(part, ListNode) else [value for _, value in part.entries]
            stack.extend((p, depth + 1) for p in parts)
        return plain(node)


@lru_cache(maxsize=256)
def did_you_mean(word: str, known: tuple[str, ...]) -> str:
    """A hint such as ``did you mean `lock`?``; empty when nothing is near. Remembered: a slip is often made often."""
    if len(known) > MAX_KNOWN or len(word) > 200:
        return ""
    folded = {_folded(w): w for w in known}
    near = folded.get(_folded(word))
    if near is None:
        from difflib import get_close_matches

        near = next(iter(get_close_matches(word, known, n=1, cutoff=0.6)), None)
    return f"did you mean `{near}`?" if near else ""


def _folded(word: str) -> str:
    return word.casefold().replace("_", "").replace("-", "")
