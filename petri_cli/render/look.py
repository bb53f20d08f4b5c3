"""How a stream is drawn on: its width, whether it has colour, and whether it can show the signs we draw with.

Text is built as lines of *spans* (style, text); only :meth:`Look.paint` knows escape codes. Styles are few and use the
terminal's own sixteen colours, so that they suit light and dark backgrounds alike.
"""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, TextIO

Span = tuple[str, str]
"""(style, text); the style is a key of ``STYLES``."""

Line = list[Span]

KEEP = "\u2007"
"""A blank at which :func:`wrap` does not break and that it does not swallow; painted as an ordinary one."""

ColourMode = Literal["auto", "always", "never"]

STYLES: Mapping[str, str] = {
    "": "",
    "good": "1;32",
    "bad": "1;31",
    "doubt": "1;33",
    "stop": "31",
    "strong": "1",
    "dim": "2",
    "lane0": "36",
    "lane1": "35",
    "lane2": "34",
    "lane3": "33",
    "lane4": "32",
}
LANE_STYLES = ("lane0", "lane1", "lane2", "lane3", "lane4")

PLAIN_WIDTH = 80
"""Columns where there is no terminal to ask: what a pipe gets is the same everywhere."""
WIDEST, NARROWEST = 110, 40
UNBROKEN = 1_000_000

_ASCII = str.maketrans(
    {
        "✗": "x", "✓": "+", "●": "o", "○": "o", "·": ".", "→": ">", "←": "<", "×": "x", "∞": "*", "…": "~", "–": "-",
        "│": "|", "┊": ":", "─": "-", "╭": "+", "╮": "+", "╰": "+", "╯": "+", "├": "+", "┤": "+", "┬": "+", "┴": "+",
        "┼": "+", "▶": ">", "«": '"', "»": '"', "≥": ">=", "≤": "<=", "—": "-", "’": "'",
    }
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Look:
    """What may be drawn: ``width`` in columns, ``colour``, and ``signs`` beyond ASCII.

    Messages are broken at ``prose`` columns: not at all where no terminal shows them, so that they can be searched.
    """

    width: int = PLAIN_WIDTH
    colour: bool = False
    signs: bool = True
    prose: int = UNBROKEN

    def paint(self, line: Iterable[Span]) -> str:
        """``line`` as text for the stream, without trailing blanks and without a newline."""
        spans = _without_trailing_blanks([(style, visible(text)) for style, text in line if text])
        if not self.signs:
            spans = [(style, text.translate(_ASCII)) for style, text in spans]
        if not self.colour:
            return "".join(text for _, text in spans)
        return "".join(f"\x1b[{STYLES[style]}m{text}\x1b[0m" if STYLES[style] else text for style, text in spans)


def look_at(stream: TextIO, colour: ColourMode = "auto", environ: Mapping[str, str] = os.environ) -> Look:
    """The look that suits ``stream`` under ``environ``: NO_COLOR, FORCE_COLOR, TERM=dumb, COLUMNS and the encoding."""
    terminal = stream.isatty()
    width = PLAIN_WIDTH
    if terminal:
        width = max(NARROWEST, min(WIDEST, _columns(stream, environ)))
    coloured = wants_colour(colour, environ, terminal=terminal)
    return Look(width, coloured, can_draw(stream, environ), width if terminal else UNBROKEN)


def fitted(look: Look, stream: TextIO, environ: Mapping[str, str] = os.environ) -> Look:
    """``look`` at the width that its terminal has by now; what is no terminal has no other."""
    if look.prose == UNBROKEN:
        return look
    width = max(NARROWEST, min(WIDEST, _columns(stream, environ)))
    return look if width == look.width else replace(look, width=width, prose=width)


def wants_colour(mode: ColourMode, environ: Mapping[str, str], *, terminal: bool) -> bool:
    """``--color`` decides; left at ``auto``, NO_COLOR, then FORCE_COLOR, then whether this is a capable terminal."""
    if mode != "auto":
        return mode == "always"
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return terminal and environ.get("TERM") != "dumb"


def can_draw(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Whether ``stream`` can show lines and ticks. Python writes UTF-8 under LANG=C, but its reader asked for ASCII."""
    try:
        "✗✓●│╭→".encode(getattr(stream, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    if environ.get("PYTHONIOENCODING") or environ.get("PYTHONUTF8"):
        return True
    return (environ.get("LC_ALL") or environ.get("LANG")) not in ("C", "POSIX")


def _columns(stream: TextIO, environ: Mapping[str, str]) -> int:
    asked = environ.get("COLUMNS", "")
    if asked.isdecimal() and int(asked):
        return int(asked)
    try:
        return os.get_terminal_size(stream.fileno()).columns or PLAIN_WIDTH
    except (OSError, ValueError):
        return PLAIN_WIDTH


def visible(text: str) -> str:
    """``text`` with control characters written out, so that no name in a file can steer the terminal."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else " " if c == KEEP else repr(c)[1:-1] for c in text)


def columns(text: str) -> int:
    """How many columns ``text`` takes: wide characters two, marks on another one none."""
    return len(text) if text.isascii() else sum(map(_columns_of, text))


def _columns_of(c: str) -> int:
    if unicodedata.category(c) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(c) in "WF" else 1


def length(line: Iterable[Span]) -> int:
    """Columns that ``line`` takes."""
    return sum(columns(text) for _, text in line)


def pad(line: Line, width: int) -> Line:
    """``line`` filled with blanks up to ``width`` columns."""
    return [*line, ("", " " * max(0, width - length(line)))]


def crop(text: str, width: int) -> str:
    """``text`` cut to ``width`` columns, the cut marked."""
    if columns(text) <= width:
        return text
    kept, used = [], 0
    for c in text:
        used += _columns_of(c)
        if used > width - 1:
            break
        kept.append(c)
    return "".join(kept) + "…"


def cut(line: Iterable[Span], width: int) -> Line:
    """``line`` cut to ``width`` columns, as it is painted: one row of a terminal, that can be drawn over."""
    kept: Line = []
    left = width
    for style, text in line:
        shown = visible(text)
        if columns(shown) > left:
            return [*kept, (style, crop(shown, left))] if left > 0 else kept
        kept.append((style, shown))
        left -= columns(shown)
    return kept


def wrap(line: Iterable[Span], width: int, first: str = "", rest: str | None = None) -> list[Line]:
    """``line`` broken at blanks into lines of at most ``width`` columns, indented by ``first``, then ``rest``.

    A word longer than a line is not broken: paths and ids stay whole.
    """
    indent = first if rest is None else rest
    lines: list[Line] = [[("", first)]]
    used, empty = columns(first), True
    for word in _words(line):
        n = length(word)
        if not empty and used + 1 + n > width:
            lines.append([("", indent)])
            used, empty = columns(indent), True
        if not empty:
            # a blank between two words of one style belongs to it
            style = word[0][0] if lines[-1][-1][0] == word[0][0] else ""
            lines[-1].append((style, " "))
            used += 1
        lines[-1].extend(word)
        used, empty = used + n, False
    return lines


def _words(line: Iterable[Span]) -> list[Line]:
    """The words of ``line``; a word may run over several spans."""
    words: list[Line] = []
    open_word = False
    for style, text in line:
        pieces = text.split(" ")
        for k, piece in enumerate(pieces):
            if k:
                open_word = False
            if piece and open_word:
                words[-1].append((style, piece))
            elif piece:
                words.append([(style, piece)])
                open_word = True
    return words


def _without_trailing_blanks(spans: Line) -> Line:
    while spans:
        style, text = spans[-1]
        if text.rstrip(" "):
            return [*spans[:-1], (style, text.rstrip(" "))]
        spans = spans[:-1]
    return spans
