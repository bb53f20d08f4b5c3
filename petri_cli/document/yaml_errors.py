"""What PyYAML says of broken YAML, in words that help."""

from __future__ import annotations

import re

from yaml import MarkedYAMLError, YAMLError

from petri_cli.errors import Position, Problem

_INDENTED_BY_TAB = re.compile(r" *\t\s*\S")

_HINTS = (
    ("mapping values are not allowed", 'check the indentation; a value that holds ": " needs quotes'),
    ("could not find expected ':'", "a key needs a colon and a space after it: `key: value`"),
    ("did not find expected key", "check the indentation, and the quotes and brackets above"),
    ("did not find expected '-' indicator", "check the indentation: items of one list stand below each other"),
    ("did not find expected ',' or", "a bracket or a comma is missing, or a value needs quotes"),
    ("found unexpected end of stream", "a closing quote or bracket is missing"),
    ("unexpected end of", "a closing quote or bracket is missing"),
    ("unknown escape character", r"write \\ for a backslash, or use single quotes"),
    ("did not find expected <document start>", "what follows does not belong to the document; check the indentation"),
)


def from_parser(error: YAMLError, text: str, file: str) -> Problem:
    """The problem behind an exception of PyYAML's scanner, parser or reader."""
    if not isinstance(error, MarkedYAMLError) or error.problem is None:
        return Problem("PETRI_YAML_SYNTAX", " ".join(str(error).split()), Position(file, 1, 1))
    mark = error.problem_mark or error.context_mark
    where = Position(file, mark.line + 1, mark.column + 1) if mark else Position(file, 1, 1)
    if "exceeded maximum nesting depth" in error.problem:
        message = "blocks are nested deeper than the YAML parser follows (1,000 levels)"
        hint = "write the document as JSON, which may nest as deep as it likes"
        return Problem("PETRI_TOO_DEEP", message, where, hint)
    if "tab" in error.problem.split() or _character(text, where) == "\t":
        return _tab(text, where, file)
    if "cannot start any token" in error.problem:
        sign = _character(text, where)
        return Problem("PETRI_YAML_SYNTAX", f"a value cannot begin with `{sign}`", where, "put the value in quotes")
    context = f"{error.context}: " if error.context else ""
    related: tuple[Position, ...] = ()
    if error.context_mark and error.context_mark.line + 1 != where.line:
        begin = Position(file, error.context_mark.line + 1, error.context_mark.column + 1)
        related = (begin,)
        context = f"{error.context} that begins on line {begin.line}: "
    hint = next((h for part, h in _HINTS if part in error.problem), "")
    return Problem("PETRI_YAML_SYNTAX", f"{context}{error.problem}", where, hint, related=related)


def _tab(text: str, where: Position, file: str) -> Problem:
    others = [n for n, line in enumerate(text.splitlines(), 1) if n != where.line and _INDENTED_BY_TAB.match(line)]
    also = f"; {len(others)} more line{'s begin' if len(others) > 1 else ' begins'} with a tab" if others else ""
    message = "YAML is indented with spaces, and here is a tab"
    related = tuple(Position(file, n, 1) for n in others[:20])
    return Problem("PETRI_YAML_TAB", message, where, f"replace tabs by spaces{also}", related=related)


def _character(text: str, where: Position) -> str:
    lines = text.splitlines()
    line = lines[where.line - 1] if where.line <= len(lines) else ""
    return line[where.column - 1 : where.column]
