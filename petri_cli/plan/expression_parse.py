"""Reading an expression: operator precedence with an explicit stack (Floyd 1963), so that no nesting is too deep.

Paths stand in ``${…}``. Between the braces there may also be a whole expression, in which paths stand bare:
``${poll.state} == "done"`` and ``${poll.state == "done"}`` are the same.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NoReturn

from petri_cli.document.fields import did_you_mean
from petri_cli.errors import PetriError, Position
from petri_cli.plan.expression_tree import (
    COMPARISONS,
    FUNCTIONS,
    NEGATIVE,
    ON_PATHS,
    PRECEDENCE,
    Binary,
    Call,
    Expression,
    Junction,
    Listing,
    Literal,
    Reference,
    Unary,
)

MAX_LENGTH = 10_000
MAX_DEPTH = 100

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
_CLOSES = {"(": ")", "[": "]", "${": "}"}
_HINTS = {
    "=": "write == to compare",
    "&": "write `and`",
    "|": "write `or`",
    "!": "write `not`",
    ".": "write the whole path in the braces: ${task.field}",
}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    """``value`` (a literal or a path), ``call``, ``sign`` (operators and brackets), or ``end``."""
    text: str
    column: int
    value: Expression | None = None


@dataclass(slots=True)
class _Open:
    """An operator that lacks its right operand, or a bracket that is not closed yet.

    binds: precedence, 0 for brackets; base: how many operands were complete when a bracket was opened.
    """

    sign: str
    column: int
    binds: int = 0
    base: int = 0
    unary: bool = False
    function: str = ""


@lru_cache(maxsize=1024)
def parse(text: str) -> Expression:
    """The expression that ``text`` is.

    Raises PetriError PETRI_BAD_EXPRESSION; the column of its ``where`` counts characters of ``text`` from 1.
    """
    if len(text) > MAX_LENGTH:
        _bad(f"an expression has at most {MAX_LENGTH:,} characters, this one {len(text):,}", 1)
    return _Parser(text).read()


@dataclass(slots=True)
class _Parser:
    text: str
    done: list[tuple[Expression, int]] = field(default_factory=list)
    """Complete operands with their depth."""
    open: list[_Open] = field(default_factory=list)
    braces: bool = False
    """Between ``${`` and ``}``."""

    def read(self) -> Expression:
        at, wants_operand = 0, True
        while True:
            token, at = self._next(at)
            if wants_operand:
                wants_operand = self._operand(token)
            elif token.kind == "end":
                break
            elif (token.text, token.kind) == ("not", "sign"):
                second, at = self._next(at)
                if second.text != "in":
                    self._no_operator(token)
                wants_operand = self._operator(_Token("sign", "not in", token.column))
            else:
                wants_operand = self._operator(token)
        self._reduce(0)
        if self.open:
            left = self.open[-1]
            _bad(f"`{left.sign}` is never closed", left.column, f"add `{_CLOSES[left.sign]}`")
        return self.done[0][0]

    # Words

    def _next(self, at: int) -> tuple[_Token, int]:
        space = _SPACE.match(self.text, at)
        at = space.end() if space else at
        column = at + 1
        if at == len(self.text):
            return _Token("end", "the end", column), at
        found = _TOKEN.match(self.text, at)
        if found is None:
            self._no_word(self.text[at], column)
        word, end = found.group(), found.end()
        match found.lastgroup:
            case "ref" | "inner":
                if self.braces:
                    _bad("`${` stands within `${…}`", column, "paths stand bare between the braces")
                return _Token("value", word, column, _reference(found["inner"], column)), end
            case "number":
                if end < len(self.text) and (self.text[end].isalnum() or self.text[end] in "_."):
                    _bad(f"`{word}{self.text[end]}` is no number", column, "put text in quotes")
                return _Token("value", word, column, Literal(_number(word, column), column)), end
            case "text":
                return _Token("value", word, column, Literal(_unquoted(word, column), column)), end
            case "path":
                return self._name(word, column, at)
            case _:
                return _Token("sign", word, column), end

    def _name(self, word: str, column: int, at: int) -> tuple[_Token, int]:
        """A word that is no sign: of the language, of a function, or a path where those stand bare."""
        plain = re.match(r"[A-Za-z_][A-Za-z0-9_]*", word)
        first = plain.group() if plain else word
        called = _CALL.match(self.text, at + len(first))
        if called and first not in _WORDS:
            if first not in FUNCTIONS:
                hint = did_you_mean(first, tuple(FUNCTIONS)) or f"there are {', '.join(FUNCTIONS)}"
                _bad(f"there is no function `{first}`", column, hint)
            return _Token("call", first, column), called.end()
        if first in _WORDS and (first == word or not self.braces or word[len(first)] in "[-"):
            value = Literal(_CONSTANTS[first], column) if first in _CONSTANTS else None
            return _Token("value" if value else "sign", first, column, value), at + len(first)
        if not self.braces:
            _bad(f"`{word}` stands alone", column, f"write ${{{word}}} for a result, or '{word}' for a text")
        return _Token("value", word, column, _reference(word, column)), at + len(word)

    def _no_word(self, sign: str, column: int) -> NoReturn:
        if sign in "\"'":
            _bad("this text has no end", column, f"add {sign}")
        if sign == "$":
            _bad("`$` stands alone", column, "write ${task.field}")
        _bad(f"`{sign}` means nothing here", column, _HINTS.get(sign, ""))

    # Grammar

    def _operand(self, token: _Token) -> bool:
        """Take ``token`` where an operand begins; whether one is still wanted."""
        if token.value is not None:
            self._push(token.value, 1)
            return False
        match token.kind, token.text:
            case "call", name:
                self.open.append(_Open("(", token.column, 0, len(self.done), function=name))
            case "sign", "(" | "[" | "${":
                self._bracket(token)
            case "sign", "]" | ")" if self._just_opened(token.text):
                self._close(token)
                return False
            case "sign", "-":
                self.open.append(_Open("-", token.column, NEGATIVE, unary=True))
            case "sign", "not":
                if self.open and self.open[-1].binds > PRECEDENCE["not"]:
                    _bad("`not` comes after an operator that binds closer", token.column, "put it in parentheses")
                self.open.append(_Open("not", token.column, PRECEDENCE["not"], unary=True))
            case _:
                _bad(f"a value is expected, found {self._shown(token)}", token.column)
        return True

    def _bracket(self, token: _Token) -> None:
        if token.text == "${":
            if self.braces:
                _bad("`${` stands within `${…}`", token.column, "paths stand bare between the braces")
            self.braces = True
        self.open.append(_Open(token.text, token.column, 0, len(self.done)))

    def _just_opened(self, closing: str) -> bool:
        top = self.open[-1] if self.open else None
        return (
            top is not None
            and top.base == len(self.done)
            and _CLOSES.get(top.sign) == closing
            and (closing == "]" or top.function != "")
        )

    def _operator(self, token: _Token) -> bool:
        """Take ``token`` behind an operand; whether another one is wanted."""
        if token.kind != "sign" or token.text in ("(", "[", "${", "not"):
            self._no_operator(token)
        if token.text in (")", "]", "}"):
            self._close(token)
            return False
        if token.text == ",":
            self._reduce(0)
            if not self.open or not (self.open[-1].sign == "[" or self.open[-1].function):
                _bad("`,` means nothing here", token.column)
            return True
        binds = PRECEDENCE[token.text]
        self._reduce(binds + 1 if token.text in COMPARISONS else binds)
        if token.text in COMPARISONS and self.open and self.open[-1].binds == binds:
            _bad("comparisons do not chain", token.column, "join them with `and`")
        self.open.append(_Open(token.text, token.column, binds))
        return True

    def _no_operator(self, token: _Token) -> NoReturn:
        _bad(f"an operator is expected, found {self._shown(token)}", token.column)

    def _close(self, token: _Token) -> None:
        self._reduce(0)
        top = self.open.pop() if self.open else None
        if top is None or _CLOSES[top.sign] != token.text:
            missing = f"`{_CLOSES[top.sign]}` is expected before it" if top else "nothing is open"
            _bad(f"`{token.text}` closes nothing", token.column, missing)
        inside = self.done[top.base :]
        if top.sign == "${":
            self.braces = False
        if top.sign == "[":
            del self.done[top.base :]
            self._push(Listing(tuple(e for e, _ in inside), top.column), 1 + max((d for _, d in inside), default=0))
        elif top.function:
            del self.done[top.base :]
            self._push(_call(top, tuple(e for e, _ in inside)), 1 + max((d for _, d in inside), default=0))

    def _reduce(self, binds: int) -> None:
        """Complete the operators on top that bind at least so close."""
        while self.open and self.open[-1].binds >= max(binds, 1):
            top = self.open.pop()
            right, depth = self.done.pop()
            if top.unary:
                self._push(Unary(top.sign, right, top.column), depth + 1)
                continue
            left, left_depth = self.done.pop()
            if top.sign in ("and", "or"):
                items = (*_items(left, top.sign), *_items(right, top.sign))
                # A junction is as deep as its deepest item, and one: an item that was one itself is merged.
                merged = max(
                    left_depth + (not _is_junction(left, top.sign)), depth + (not _is_junction(right, top.sign))
                )
                self._push(Junction(top.sign, items, top.column), merged)
            else:
                self._push(Binary(top.sign, left, right, top.column), 1 + max(left_depth, depth))

    def _push(self, expression: Expression, depth: int) -> None:
        if depth > MAX_DEPTH:
            _bad(f"an expression nests at most {MAX_DEPTH} levels deep", expression.column)
        self.done.append((expression, depth))

    def _shown(self, token: _Token) -> str:
        return token.text if token.kind == "end" else f"`{token.text}`"


def _is_junction(expression: Expression, operator: str) -> bool:
    return isinstance(expression, Junction) and expression.operator == operator


def _items(expression: Expression, operator: str) -> tuple[Expression, ...]:
    if isinstance(expression, Junction) and expression.operator == operator:
        return expression.items
    return (expression,)


def _call(opened: _Open, arguments: tuple[Expression, ...]) -> Call:
    wanted = FUNCTIONS[opened.function]
    if len(arguments) != wanted:
        amount = f"{wanted} argument{'s' if wanted > 1 else ''}"
        _bad(f"{opened.function} takes {amount}, not {len(arguments)}", opened.column)
    if opened.function in ON_PATHS and not isinstance(arguments[0], Reference):
        _bad(f"{opened.function} takes a path first", opened.column, f"write {opened.function}(${{task.field}}…)")
    return Call(opened.function, arguments, opened.column)


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
        _bad(f"`{path}` is no path", column, "write task.field, task.list[0] or task.map['any key']")
    return _reference(path, column)


def _number(word: str, column: int) -> int | float:
    if word.isdigit():
        if len(word) > 300:
            _bad("this number is too large", column)
        return int(word)
    value = float(word)
    if value == float("inf"):
        _bad("this number is too large", column)
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
        _bad("this text holds half a surrogate pair, which is no character", column)
    return text


def _bad(message: str, column: int, hint: str = "") -> NoReturn:
    raise PetriError(
        "PETRI_BAD_EXPRESSION", f"{message} (character {column})", where=Position("", 0, column), hint=hint
    )
