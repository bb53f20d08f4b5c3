"""Expressions as trees: what is compared, counted and combined, and where in the text it stands.

``column`` counts characters of the text from 1; two expressions are equal wherever they stand.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, assert_never

NAME: Final = re.compile(r"[\w-]+")
"""A field that needs no quotes in a path."""

ITEM, LOOP = "item", "loop"
"""Heads of paths that are no tasks: the item of the foreach around, and the loop around with its ``round``."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A number (not negative), a text, true, false or null."""

    value: int | float | str | bool | None
    column: int = field(default=0, compare=False)

    def __eq__(self, other: object) -> bool:  # 1 is not true, and 1.0 is not 1
        return isinstance(other, Literal) and (type(self.value), self.value) == (type(other.value), other.value)

    def __hash__(self) -> int:
        return hash((type(self.value), self.value))


@dataclass(frozen=True, slots=True)
class Reference:
    """``${task.field[0]}``: the head (a task, ``item`` or ``loop``), then fields and indices."""

    head: str
    steps: tuple[str | int, ...] = ()
    column: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"${{{self.path}}}"

    @property
    def path(self) -> str:
        return self.head + "".join(map(_step, self.steps))


@dataclass(frozen=True, slots=True)
class Listing:
    """``[a, b, …]``."""

    items: tuple[Expression, ...]
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Unary:
    """``not a`` or ``-a``."""

    operator: str
    operand: Expression
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Binary:
    """``a == b``, ``a + b``, …: one of the operators of ``PRECEDENCE`` that takes two operands."""

    operator: str
    left: Expression
    right: Expression
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Junction:
    """``a and b and …`` or ``a or b or …``, at least two; none of them is a junction of the same kind."""

    operator: str
    items: tuple[Expression, ...]
    column: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class Call:
    """``len(a)``: one of the functions of ``FUNCTIONS``."""

    function: str
    arguments: tuple[Expression, ...]
    column: int = field(default=0, compare=False)


Expression = Literal | Reference | Listing | Unary | Binary | Junction | Call

COMPARISONS: Final = ("==", "!=", "<", "<=", ">", ">=", "in", "not in")
PRECEDENCE: Final = {
    "or": 1,
    "and": 2,
    "not": 3,
    **dict.fromkeys(COMPARISONS, 4),
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "%": 6,
}
NEGATIVE: Final = 7
"""Of ``-a``, which binds closest."""

ATOM: Final = 8

FUNCTIONS: Final = {"exists": 1, "default": 2, "len": 1, "contains": 2, "startswith": 2, "endswith": 2}
"""Functions with how many arguments they take."""

ON_PATHS: Final = frozenset(("exists", "default"))
"""Functions whose first argument is a path that may lead nowhere."""


def parts(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that it is directly made of."""
    match expression:
        case Literal() | Reference():
            return ()
        case Listing(items=items) | Junction(items=items) | Call(arguments=items):
            return items
        case Unary(operand=operand):
            return (operand,)
        case Binary(left=left, right=right):
            return (left, right)
        case other:
            assert_never(other)


def leaves_first(expression: Expression) -> Iterator[Expression]:
    """Everything in it, each after its parts, in the order of the text."""
    stack = [(expression, False)]
    while stack:
        part, parts_done = stack.pop()
        inside = () if parts_done else parts(part)
        if not inside:
            yield part
            continue
        stack.append((part, True))
        stack.extend((p, False) for p in reversed(inside))


def references(expression: Expression) -> tuple[Reference, ...]:
    """The paths in it, in the order of the text."""
    return tuple(part for part in leaves_first(expression) if isinstance(part, Reference))


def written(expression: Expression) -> str:
    """Text that parses to the same expression, with no more parentheses than it needs."""
    done: list[tuple[str, int]] = []
    """Text and how close it binds, of what is complete and no part of anything complete yet."""
    for part in leaves_first(expression):
        count = len(parts(part))
        inside = done[len(done) - count :]
        del done[len(done) - count :]
        done.append(_text(part, inside))
    return done[0][0]


def _text(part: Expression, inside: list[tuple[str, int]]) -> tuple[str, int]:
    match part:
        case Literal(value=value):
            return json.dumps(value, ensure_ascii=False), ATOM
        case Reference():
            return str(part), ATOM
        case Listing():
            return f"[{', '.join(text for text, _ in inside)}]", ATOM
        case Call(function=function):
            return f"{function}({', '.join(text for text, _ in inside)})", ATOM
        case Unary(operator="-"):
            return f"-{_bound(inside[0], NEGATIVE)}", NEGATIVE
        case Unary(operator=operator):
            binds = PRECEDENCE[operator]
            return f"{operator} {_bound(inside[0], binds)}", binds
        case Junction(operator=operator):
            binds = PRECEDENCE[operator]
            return f" {operator} ".join(_bound(item, binds + 1) for item in inside), binds
        case Binary(operator=operator):
            binds = PRECEDENCE[operator]
            left = binds + 1 if operator in COMPARISONS else binds  # comparisons do not chain
            return f"{_bound(inside[0], left)} {operator} {_bound(inside[1], binds + 1)}", binds
        case other:
            assert_never(other)


def _bound(inner: tuple[str, int], least: int) -> str:
    text, binds = inner
    return text if binds >= least else f"({text})"


def _step(step: str | int) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    return f".{step}" if NAME.fullmatch(step) else f"[{json.dumps(step, ensure_ascii=False)}]"
