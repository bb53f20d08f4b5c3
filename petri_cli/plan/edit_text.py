"""The text of a plan and its edits: lines, offsets, encoding. What an edit does not touch stays byte for byte."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

_BREAKS = re.compile(r"\r\n|[\r\n\x85\u2028\u2029]")
_JSON_BREAKS = re.compile(r"\r?\n")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@dataclass(frozen=True, slots=True, order=True)
class TextEdit:
    """``text[start:end]`` becomes ``replacement``; offsets count characters, a byte order mark left out."""

    start: int
    end: int
    replacement: str


class Sheet:
    """A document's text, as ``file`` and its first character say how to read it; ``mark`` stands before it."""

    def __init__(self, data: bytes, file: str) -> None:
        self.mark, self.encoding = next((m for m in _MARKS if data.startswith(m[0])), (b"", "utf-8"))
        self.text = data[len(self.mark) :].decode(self.encoding)
        self.json = file.lower().endswith(".json") or (self.text.lstrip()[:1] in ("{", "[") and self._is_json(file))
        breaks = [(m.start(), m.end()) for m in (_JSON_BREAKS if self.json else _BREAKS).finditer(self.text)]
        self.starts = [0, *(end for _, end in breaks)]
        self.ends = [*(start for start, _ in breaks), len(self.text)]
        self.newline = self.text[breaks[0][0] : breaks[0][1]] if breaks else "\n"

    def _is_json(self, file: str) -> bool:
        from petri_cli.document.json_reader import read_json

        return read_json(self.text, file)[0] is not None

    def line(self, offset: int) -> int:
        """Which line ``offset`` is in, from 0."""
        return bisect_right(self.starts, offset) - 1

    def column(self, offset: int) -> int:
        """How many characters of its line stand before ``offset``."""
        return offset - self.starts[self.line(offset)]

    def indentation(self, offset: int) -> str:
        """The blanks with which the line of ``offset`` begins."""
        n = self.line(offset)
        line = self.text[self.starts[n] : self.ends[n]]
        return line[: len(line) - len(line.lstrip(" \t"))]

    def line_end(self, offset: int) -> int:
        """Where the line of ``offset`` ends, its break left out."""
        return self.ends[self.line(offset)]

    def begins_line(self, offset: int) -> bool:
        """Whether only blanks stand before ``offset`` on its line."""
        return not self.text[self.starts[self.line(offset)] : offset].strip(" \t")

    def encoded(self, text: str) -> bytes:
        """``text`` as the file holds it."""
        return self.mark + text.encode(self.encoding)


def applied(text: str, edits: Iterable[TextEdit]) -> str:
    """``text`` with the edits made; none overlaps another. Those at one place are made in the order given."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if edit.start < at:
            raise ValueError("edits overlap")
        parts += (text[at : edit.start], edit.replacement)
        at = edit.end
    return "".join([*parts, text[at:]])


def joined(sheet: Sheet, edits: Iterable[TextEdit]) -> tuple[TextEdit, ...]:
    """The same edits, those on the same line or on lines next to each other as one."""
    groups: list[list[TextEdit]] = []
    last = -2
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        if sheet.line(edit.start) > last + 1:
            groups.append([])
        groups[-1].append(edit)
        last = max(last, sheet.line(edit.end))
    return tuple(_one(sheet.text, group) for group in groups)


def _one(text: str, group: list[TextEdit]) -> TextEdit:
    start, end = group[0].start, max(e.end for e in group)
    moved = [TextEdit(e.start - start, e.end - start, e.replacement) for e in group]
    return TextEdit(start, end, applied(text[start:end], moved))
