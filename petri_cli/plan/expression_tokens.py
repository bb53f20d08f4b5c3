"""The words of an expression: numbers, texts, paths, signs, and the names of functions.

Paths stand in ``${…}``, or bare between such braces (see :mod:`petri_cli.plan.expression_parse`).
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import NoReturn

from petri_cli.document.fields import did_you_mean
from petri_cli.errors import PetriError, Position
from petri_cli.plan.expression_tree import FUNCTIONS, Expression, Literal, Reference

_TEXT = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
_STEP = rf"\.[\w-]+|\[(?:-?[0-9]{{1,9}}|{_TEXT})\]"
PATH = rf"[A-Za-z_][A-Za-z0-9_-]*(?:{_STEP})*"
_STEPS = re.compile(_STEP, re.DOTALL)
_TOKEN = re.compile(
    rf"(?P<ref>\$\{{[ ]*(?P<inner>{PATH})[ ]*\}})"
    r"|(?P<number>[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)"
    rf"|(?P<text>{_TEXT})"
    rf"|(?P<path>{PATH})"
    r"|(?P<sign>\$\{|==|!=|<=|>=|[-+*/%<>()\[\],}])",
    re.DOTALL,
)
_SPACE = re.compile(r"\s*")
_CALL = re.compile(r"\s*\(")
_CONSTANTS: dict[str, bool | None] = {"true": True, "false": False, "null": None}
_WORDS = frozenset((*_CONSTANTS, "and", "or", "not", "in"))
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r"}
_HINTS = {
    "=": "write == to compare",
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`",
    ".": "write the whole path in the braces: ${task.field}",
}


@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    """``value`` (a literal or a path), ``call``, ``sign`` (operators and brackets), or ``end``."""
    text: str
    column: int
    value: Expression | None = None


def token_at(text: str, at: int, *, braces: bool) -> tuple[Token, int]:
    """The token behind the blanks at index ``at``, and the index behind it. braces: between ``${`` and ``}``, where
    paths stand bare. Raises PetriError PETRI_BAD_EXPRESSION."""
    space = _SPACE.match(text, at)
    at = space.end() if space else at
    column = at + 1
    if at == len(text):
        return Token("end", "the end", column), at
    found = _TOKEN.match(text, at)
    if found is None:
        _no_word(text[at], column)
    word, end = found.group(), found.end()
    match found.lastgroup:
        case "ref" | "inner":
            if braces:
                bad("`${` stands within `${…}`", column, "paths stand bare between the braces")
            return Token("value", word, column, _reference(found["inner"], column)), end
        case "number":
            if end < len(text) and (text[end].isalnum() or text[end] in "_."):
                bad(f"`{word}{text[end]}` is no number", column, "put text in quotes")
            return Token("value", word, column, Literal(_number(word, column), column)), end
        case "text":
            return Token("value", word, column, Literal(_unquoted(word, column), column)), end
        case "path":
            return _name(text, word, column, at, braces=braces)
        case _:
            return Token("sign", word, column), end


def _name(text: str, word: str, column: int, at: int, *, braces: bool) -> tuple[Token, int]:
    """A word that is no sign: of the language, of a function, or a path where those stand bare."""
    plain = re.match(r"[A-Za-z_][A-Za-z0-9_]*", word)
    first = plain.group() if plain else word
    called = _CALL.match(text, at + len(first))
    if called and first not in _WORDS:
        if first not in FUNCTIONS:
            hint = did_you_mean(first, tuple(FUNCTIONS)) or f"there are {', '.join(FUNCTIONS)}"
            bad(f"there is no function `{first}`", column, hint)
        return Token("call", first, column), called.end()
    if first in _WORDS and (first == word or not braces or word[len(first)] in "[-"):
        value = Literal(_CONSTANTS[first], column) if first in _CONSTANTS else None
        return Token("value" if value else "sign", first, column, value), at + len(first)
    if not braces:
        bad(f"`{word}` stands alone", column, f"write ${{{word}}} for a result, or '{word}' for a text")
    return Token("value", word, column, _reference(word, column)), at + len(word)


def _no_word(sign: str, column: int) -> NoReturn:
    if sign in "\"'":
        bad("this text has no end", column, f"add {sign}")
    if sign == "$":
        bad("`$` stands alone", column, "write ${task.field}")
    bad(f"`{sign}` means nothing here", column, _HINTS.get(sign, ""))


def _reference(path: str, column: int) -> Reference:
    """The reference of a text that ``PATH`` matches."""
    head = re.match(r"[A-Za-z0-9_-]+", path)
    first = head.group() if head else path
    steps: list[str | int] = []
    for step in _STEPS.findall(path[len(first) :]):
        if step[0] == ".":
            steps.append(step[1:])
        elif step[1] in "\"'":
            steps.append(_unquoted(step[1:-1], column))
        else:
            steps.append(int(step[1:-1]))
    return Reference(first, tuple(steps), column)


def parse_path(path: str, column: int = 1) -> Reference:
    """A bare path, ``item.name`` or ``survey.files[0]``. Raises PetriError PETRI_BAD_EXPRESSION."""
    if not re.fullmatch(PATH, path, re.DOTALL):
        bad(f"`{path}` is no path", column, "write task.field, task.list[0] or task.map['any key']")
    return _reference(path, column)


def _number(word: str, column: int) -> int | float:
    if word.isdigit():
        if len(word) > 300:
            bad("this number is too large", column)
        return int(word)
    value = float(word)
    if value == float("inf"):
        bad("this number is too large", column)
    return value


def _unquoted(word: str, column: int) -> str:
    """The text between quotes; the escapes of JSON mean the same."""

    def meant(found: re.Match[str]) -> str:
        code = found.group(1)
        if code[0] == "u":
            return str(json.loads(f'"\\{code}"')) if len(code) == 5 else ""
        return _ESCAPES.get(code, code)

    text = re.sub(r"\\(u[0-9a-fA-F]{4}|.)", meant, word[1:-1], flags=re.DOTALL)
    if any("\ud800" <= c <= "\udfff" for c in text):
        bad("this text holds half a surrogate pair, which is no character", column)
    return text


def bad(message: str, column: int, hint: str = "") -> NoReturn:
    raise PetriError(
        "PETRI_BAD_EXPRESSION", f"{message} (character {column})", where=Position("", 0, column), hint=hint
    )
