"""What PyYAML says of broken YAML, in words that help."""

from __future__ import annotations

import re
from typing import Any

from yaml import MarkedYAMLError, YAMLError

from petri_cli.document.yaml_slips import slip
from petri_cli.errors import Position, Problem

_INDENTED_BY_TAB = re.compile(r" *\t\s*\S")

_Told = tuple[str, str]

_PLAIN_WORDS: tuple[tuple[str, _Told], ...] = (
    (
        "mapping values are not allowed",
        ("a `:` cannot stand here", 'check that a space follows each colon; a value that holds ": " needs quotes'),
    ),
    (
        "did not find expected key",
        (
            "this does not fit the map that begins on line {line}",
            "check the indentation, and the quotes and brackets above",
        ),
    ),
    (
        "expected <block end>",
        ("this does not fit what begins on line {line}", "check the indentation, and the quotes and brackets above"),
    ),
    (
        "did not find expected '-' indicator",
        ("this does not fit the list that begins on line {line}", "items of one list stand exactly below each other"),
    ),
    (
        "did not find expected ',' or '}'",
        ("expected `,` or `}}` in the braces that begin on line {line}", "a comma is missing, or a value needs quotes"),
    ),
    (
        "did not find expected ',' or ']'",
        (
            "expected `,` or `]` in the brackets that begin on line {line}",
            "a comma is missing, or a value needs quotes",
        ),
    ),
    (
        "could not find expected ':'",
        ("the key that begins on line {line} has no `:`", "write `key: value`, with a space after the colon"),
    ),
    (
        "unknown escape character",
        ("an unknown escape in double quotes", r"write \\ for a backslash, or use single quotes"),
    ),
    (
        "did not find expected <document start>",
        ("this does not belong to the document that ends above", "check the indentation, and the brackets above"),
    ),
)
"""Part of what the parser says, and what it means: message and hint. ``line`` is where the collection begins."""


def from_parser(error: YAMLError, text: str, file: str) -> Problem:
    """The problem behind an exception of PyYAML's scanner, parser or reader."""
    if not isinstance(error, MarkedYAMLError) or error.problem is None:
        return Problem("PETRI_YAML_SYNTAX", " ".join(str(error).split()), Position(file, 1, 1))
    where = _position(error.problem_mark or error.context_mark, file)
    begin = _position(error.context_mark, file) if error.context_mark else where
    if "exceeded maximum nesting depth" in error.problem:
        message = "blocks are nested deeper than the YAML parser follows (1,000 levels)"
        hint = "write the document as JSON, which may nest as deep as it likes"
        return Problem("PETRI_TOO_DEEP", message, where, hint)
    if "tab" in error.problem.split() or _character(text, where) == "\t":
        return _tab(text, where, file)
    if "cannot start any token" in error.problem:
        sign = _character(text, where)
        return Problem("PETRI_YAML_SYNTAX", f"a value cannot begin with `{sign}`", where, "put the value in quotes")
    opened = _character(text, begin)
    if not text[_index(text, where) :].strip() and opened in ("'", '"', "{", "["):
        what = "quote" if opened in ("'", '"') else "bracket"
        return Problem("PETRI_YAML_SYNTAX", f"the {what} `{opened}` is never closed", begin, "add the closing one")
    if (known := slip(error.problem, text, where, begin)) is not None:
        return known
    related = (begin,) if begin.line != where.line else ()
    for part, (message, hint) in _PLAIN_WORDS:
        if part in error.problem:
            return Problem("PETRI_YAML_SYNTAX", message.format(line=begin.line), where, hint, related=related)
    context = f"{error.context}: " if error.context else ""
    return Problem("PETRI_YAML_SYNTAX", f"{context}{error.problem}", where, related=related)


def _position(mark: Any, file: str) -> Position:
    return Position(file, mark.line + 1, mark.column + 1) if mark else Position(file, 1, 1)


def _tab(text: str, where: Position, file: str) -> Problem:
    others = [n for n, line in enumerate(text.splitlines(), 1) if n != where.line and _INDENTED_BY_TAB.match(line)]
    also = f"; {len(others)} more line{'s begin' if len(others) > 1 else ' begins'} with a tab" if others else ""
    message = "YAML is indented with spaces, and here is a tab"
    related = tuple(Position(file, n, 1) for n in others[:20])
    return Problem("PETRI_YAML_TAB", message, where, f"replace tabs by spaces{also}", related=related)


def _character(text: str, where: Position) -> str:
    at = _index(text, where)
    return text[at : at + 1]


def _index(text: str, where: Position) -> int:
    """The offset of a position in ``text``."""
    lines = text.splitlines(keepends=True)
    return sum(map(len, lines[: where.line - 1])) + where.column - 1
