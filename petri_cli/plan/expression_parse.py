"""Reading an expression: operator precedence with an explicit stack (Floyd 1963), so that no nesting is too deep.

Paths stand in ``${…}``. Between the braces there may also be a whole expression, in which paths stand bare:
``${poll.state} == "done"`` and ``${poll.state == "done"}`` are the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import NoReturn

from petri_cli.plan.expression_tokens import Token, bad, token_at
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
    Reference,
    Unary,
)

MAX_LENGTH = 10_000
MAX_DEPTH = 100

_CLOSES = {"(": ")", "[": "]", "${": "}"}


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
        bad(f"an expression has at most {MAX_LENGTH:,} characters, this one {len(text):,}", 1)
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
            token, at = token_at(self.text, at, braces=self.braces)
            if wants_operand:
                wants_operand = self._operand(token)
            elif token.kind == "end":
                break
            elif (token.text, token.kind) == ("not", "sign"):
                second, at = token_at(self.text, at, braces=self.braces)
                if second.text != "in":
                    self._no_operator(token)
                wants_operand = self._operator(Token("sign", "not in", token.column))
            else:
                wants_operand = self._operator(token)
        self._reduce(0)
        if self.open:
            left = self.open[-1]
            bad(f"`{left.sign}` is never closed", left.column, f"add `{_CLOSES[left.sign]}`")
        return self.done[0][0]

    def _operand(self, token: Token) -> bool:
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
                    bad("`not` comes after an operator that binds closer", token.column, "put it in parentheses")
                self.open.append(_Open("not", token.column, PRECEDENCE["not"], unary=True))
            case _:
                bad(f"a value is expected, found {self._shown(token)}", token.column)
        return True

    def _bracket(self, token: Token) -> None:
        if token.text == "${":
            if self.braces:
                bad("`${` stands within `${…}`", token.column, "paths stand bare between the braces")
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

    def _operator(self, token: Token) -> bool:
        """Take ``token`` behind an operand; whether another one is wanted."""
        if token.kind != "sign" or token.text in ("(", "[", "${", "not"):
            self._no_operator(token)
        if token.text in (")", "]", "}"):
            self._close(token)
            return False
        if token.text == ",":
            self._reduce(0)
            if not self.open or not (self.open[-1].sign == "[" or self.open[-1].function):
                bad("`,` means nothing here", token.column)
            return True
        binds = PRECEDENCE[token.text]
        self._reduce(binds + 1 if token.text in COMPARISONS else binds)
        if token.text in COMPARISONS and self.open and self.open[-1].binds == binds:
            bad("comparisons do not chain", token.column, "join them with `and`")
        self.open.append(_Open(token.text, token.column, binds))
        return True

    def _no_operator(self, token: Token) -> NoReturn:
        bad(f"an operator is expected, found {self._shown(token)}", token.column)

    def _close(self, token: Token) -> None:
        self._reduce(0)
        top = self.open.pop() if self.open else None
        if top is None or _CLOSES[top.sign] != token.text:
            missing = f"`{_CLOSES[top.sign]}` is expected before it" if top else "nothing is open"
            bad(f"`{token.text}` closes nothing", token.column, missing)
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
            bad(f"an expression nests at most {MAX_DEPTH} levels deep", expression.column)
        self.done.append((expression, depth))

    def _shown(self, token: Token) -> str:
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
        bad(f"{opened.function} takes {amount}, not {len(arguments)}", opened.column)
    if opened.function in ON_PATHS and not isinstance(arguments[0], Reference):
        bad(f"{opened.function} takes a path first", opened.column, f"write {opened.function}(${{task.field}}…)")
    return Call(opened.function, arguments, opened.column)
