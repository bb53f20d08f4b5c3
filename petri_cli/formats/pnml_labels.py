"""The labels of PNML elements (names, markings, weights): their text, and what it says of the element."""

from __future__ import annotations

import re
from collections.abc import Callable
from json import loads
from typing import Protocol

from petri_cli.document import shorten
from petri_cli.document.fields import LARGEST
from petri_cli.formats.pnml_elements import FinalMarking, RawArc, RawNet, RawNode, Where

Element = RawNode | RawArc | RawNet | FinalMarking

_ARC_KINDS = {
    "": "normal",
    "normal": "normal",
    "inhibitor": "inhibitor",
    "reset": "reset",
    "read": "read",
    "test": "read",
}
_COUNT = re.compile(r"\+?([0-9]{1,18})")
_COLOURED = re.compile(r"([A-Za-z_]\w*)\s*,\s*([0-9]{1,18})", re.ASCII)


class Note(Protocol):
    """Takes a problem down."""

    def __call__(self, code: str, message: str, where: Where, hint: str = "", path: str = "") -> None: ...


class Labels:
    """The label whose text is being read, and the element that it belongs to.

    note: takes what is wrong; here: where the parser stands.
    """

    def __init__(self, net: RawNet, note: Note, here: Callable[[], Where]) -> None:
        self.net, self.note, self.here = net, note, here
        self.pieces: list[str] = []
        """The text so far, as the parser hands it out."""
        self._owner: Element = net
        self._complete: list[str] = []
        """Labels of the owner that are read."""
        self._label = ""
        self._where: Where = (1, 1)
        self._place = ""
        self._text: str | None = None

    def belong_to(self, owner: Element) -> None:
        """The labels that follow are those of ``owner``."""
        self._owner, self._complete = owner, []

    def name_exactly(self, text: str) -> None:
        """The owner has this name, told as a JSON string; what is none tells nothing."""
        owner = self._owner
        if not isinstance(owner, (RawNode, RawNet)):
            return
        try:
            name = loads(text)
        except ValueError:
            return
        if isinstance(name, str):
            owner.exact = name

    def open(self, name: str, inside: str, attributes: dict[str, str]) -> None:
        """A label begins."""
        self._label, self._where, self._text, self.pieces = name, self.here(), None, []
        if inside == "net":
            self._owner = self.net
        elif inside == "marking":
            self._label = "final"
            self._place = attributes.get("idref", "")
        elif name == "type" and inside == "arc" and "value" in attributes:
            self._text = attributes["value"]

    def begin_text(self, name: str) -> None:
        """The element within the label begins that holds the text."""
        self.pieces = []
        if name == "value":
            self._lenient("`<value>` where `<text>` is meant")

    def end_text(self) -> None:
        """The element within the label ends that holds the text."""
        text = "".join(self.pieces)
        if self._text is not None and self._text != text:
            self.note("PETRI_PNML_NUMBER", f"`<{self._label}>` holds two texts", self._where)
        self._text = text

    def close(self) -> None:
        """The label is complete: give its text to the element it belongs to."""
        text = ("".join(self.pieces) if self._text is None else self._text).strip()
        if text and self._text is None:
            self._lenient(f"text of `<{self._label}>` without `<text>` around it")
        owner, label, where = self._owner, self._label, self._where
        if isinstance(owner, FinalMarking):
            if label == "final":
                owner.tokens.append((self._place, self._count(text, 1, "a final marking", 0), where))
            return
        if label == "final":
            return
        if label in self._complete and label != "name":
            self.note("PETRI_PNML_NUMBER", f"`{owner.id}` has two labels `<{label}>`", where, "keep one", label)
        self._complete.append(label)
        match owner, label:
            case _, "name":
                owner.name = text
            case RawNode(), "initialMarking":
                owner.tokens = self._count(text, 0, f"the initial marking of `{owner.id}`", 0)
            case RawNode(), "capacity":
                if self._count(text, 0, f"the capacity of `{owner.id}`", 0):
                    message = f"place `{owner.id}` has a capacity of {text}; places of P/T nets have none"
                    hint = f"model the free room as a place of its own with {text} tokens"
                    self.note("PETRI_PNML_UNSUPPORTED", message, where, hint, f"place[{owner.id}]")
            case RawArc(), "inscription":
                owner.weight = self._count(text, 1, f"the weight of arc `{owner.id}`", 1)
                owner.inscribed = True
            case RawArc(), _:
                self.arc_kind(owner, text, where)

    def arc_kind(self, arc: RawArc, text: str, where: Where) -> None:
        """Give ``arc`` the kind that ``text`` names."""
        kind = _ARC_KINDS.get(text.strip().lower())
        if kind is None:
            message = f"arc `{arc.id}` is of the type `{text.strip()}`, which is not read"
            hint = "normal, inhibitor, reset and read (test) arcs are"
            self.note("PETRI_PNML_UNSUPPORTED", message, where, hint, f"arc[{arc.id}]")
        else:
            arc.kind = kind

    def _count(self, text: str, absent: int, what: str, least: int) -> int:
        """The number that ``text`` writes; ``absent`` when it is empty or no number (then a problem is noted)."""
        if match := _COUNT.fullmatch(text):
            number = int(match[1])
        elif match := _COLOURED.fullmatch(text):
            self._lenient(f"`{match[1]},n` where `n` is meant")
            self.net.colours.add(match[1])
            number = int(match[2])
        elif not text:
            return absent
        else:
            number = -1
        if not least <= number <= LARGEST:
            hint = f"write a whole number from {least} to {LARGEST:,}"
            self.note("PETRI_PNML_NUMBER", f"{what} is `{shorten(text)}`", self._where, hint, self._label)
            return absent
        return number

    def _lenient(self, what: str) -> None:
        self.net.lenient.setdefault(what, self.here())
