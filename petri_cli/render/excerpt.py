"""Lines of a source file with the places marked that a finding is about."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from petri_cli.errors import Position
from petri_cli.render.look import Line, Look, columns, crop, length, pad, wrap

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|\w[^\s,:{}\[\]]*(?: +[^\s,:{}\[\]#]+)*|[^\s,:{}\[\]]+|.')
"""What a mark underlines: a quoted value, the words of a plain one, a sign."""
_BLANKS = re.compile(r"[ \t]{0,10000}")
_LEFT_CONTEXT = 16
"""Columns shown before a mark when a line has to be cut there."""
_CHARACTERS = 8
"""Characters looked at for a column: some take none. A line may have millions, and as many marks."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A position to point at and what to say there (nothing is said when ``label`` is empty).

    ``named``: write out ``file:line:column``, which many terminals turn into a link.
    """

    where: Position
    label: Line
    style: str = "stop"
    named: bool = False


def excerpt(lines: Sequence[str], marks: Iterable[Mark], look: Look, indent: int = 4) -> list[Line]:
    """Each marked line once, numbered, with carets and labels below it; marks outside ``lines`` are left out.

    Positions stand at the right where all of them fit, else each above its line.
    """
    known = sorted((m for m in marks if 0 < m.where.line <= len(lines)), key=lambda m: (m.where.line, m.where.column))
    if not known:
        return []
    gutter = len(str(known[-1].where.line))
    room = look.width - indent - gutter - 3
    shared = min(_indentation(lines[m.where.line - 1]) for m in known)
    drawn: list[_Drawn] = []
    for number, group in groupby(known, key=lambda m: m.where.line):
        text = lines[number - 1]
        drawn += [_draw(text, number, window, room) for window in _windows(text, list(group), shared, room)]
    beside = all(d.fits_beside(room) for d in drawn)
    return [line for d in drawn for line in d.lines(" " * indent, gutter, room, beside=beside)]


@dataclass(frozen=True, slots=True)
class _Window:
    """The part of a line from character ``start`` on, and the marks that can be seen in it."""

    start: int
    marks: tuple[Mark, ...]


def _windows(text: str, marks: list[Mark], shared: int, room: int) -> list[_Window]:
    """One window where all marks can be seen in one, else one a mark."""
    last = marks[-1].where.column - 1
    if _fits(text, shared, len(text), room) or _fits(text, shared, last, room - _LEFT_CONTEXT):
        return [_Window(shared, tuple(marks))]
    return [_Window(max(shared, m.where.column - 1 - _LEFT_CONTEXT), (m,)) for m in marks]


def _fits(text: str, start: int, end: int, room: int) -> bool:
    return end - start <= max(0, room) * _CHARACTERS and columns(text[start:end].rstrip("\n")) <= room


@dataclass(frozen=True, slots=True)
class _Drawn:
    """A source line, the rows below it (each mark's carets first), and the positions to write out."""

    number: int
    source: Line
    below: list[list[Line]]
    places: list[str]

    def fits_beside(self, room: int) -> bool:
        """Whether every position fits at the right: of the source line if it is one mark's, else of its carets."""
        sides = [self.source] if len(self.below) == 1 else [rows[0] for rows in self.below]
        return all(not p or length(line) + 2 + columns(p) <= room for line, p in zip(sides, self.places, strict=True))

    def lines(self, blank: str, gutter: int, room: int, *, beside: bool) -> list[Line]:
        """The finished lines."""
        margin = ("dim", f"{blank}{'':>{gutter}} │ ")
        source, below = self.source, [list(rows) for rows in self.below]
        above: list[Line] = []
        if not beside and any(self.places):
            above = [[("dim", blank + part)] for part in _folded(_all_of(self.places), gutter + 3 + room)]
        if beside and len(below) == 1:
            source = _with_place(source, self.places[0], room)
        elif beside:
            below = [[_with_place(rows[0], p, room), *rows[1:]] for rows, p in zip(below, self.places, strict=True)]
        numbered: Line = [("dim", f"{blank}{self.number:>{gutter}} │ "), *source]
        return [*above, numbered, *[[margin, *row] for rows in below for row in rows]]


def _all_of(places: list[str]) -> str:
    """Positions on one line of a file: the first in full, of the others the column."""
    first, *others = dict.fromkeys(p for p in places if p)
    return first + "".join(f" and :{p.rpartition(':')[2]}" for p in others)


def _folded(text: str, width: int) -> Iterator[str]:
    """Lines of at most ``width`` columns: broken at a blank, else behind a ``/``, else where it has to be."""
    while columns(text) > width:
        fits = 1
        while fits < len(text) and columns(text[: fits + 1]) <= width:
            fits += 1
        cut = text.rfind(" ", 1, fits + 1)
        if cut < 0:
            cut = text.rfind("/", 0, fits) + 1 or fits
        yield text[:cut]
        text = text[cut:].removeprefix(" ")
    yield text


def _with_place(line: Line, place: str, room: int) -> Line:
    return [*pad(line, room - columns(place)), ("dim", place)] if place else line


def _draw(text: str, number: int, window: _Window, room: int) -> _Drawn:
    cut = "…" if window.start > _indentation(text) else ""
    seen = text[window.start : window.start + room * _CHARACTERS].rstrip("\n").replace("\t", " ")
    below: list[list[Line]] = []
    for mark in window.marks:
        start = max(0, min(mark.where.column - 1 - window.start, len(seen)))
        offset = columns(cut + seen[:start])
        token = _TOKEN.match(seen, start)
        carets = "^" * max(1, min(columns(token.group()) if token else 1, room - offset))
        row: Line = [("", " " * offset), (mark.style, carets)]
        if not mark.label:
            below.append([row])
        elif length(row) + 1 + length(mark.label) <= room:
            below.append([[*row, ("", " "), *mark.label]])
        else:
            below.append([row, *wrap(mark.label, room, " " * max(0, min(offset, room - 40)))])
    places = [str(mark.where) if mark.named else "" for mark in window.marks]
    return _Drawn(number, [("", crop(cut + seen, room))], below, places)


def _indentation(text: str) -> int:
    """Blanks at the start of a line; very many for one that has nothing else."""
    blanks = _BLANKS.match(text)
    end = blanks.end() if blanks is not None else 0
    return end if text[end : end + 1].strip() else 10**6
