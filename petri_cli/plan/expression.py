"""The small language of ``when``, ``until`` and ``over``: results of tasks compared, counted and combined.

Values are those of JSON, and strictly typed: only true and false are conditions, only numbers and texts have an order,
and 1 is not true. There is nothing to call but six functions, nothing to define, and no way to loop: evaluation ends
after no more steps than the expression has characters, and a step costs no more than the values that it looks at.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final, NoReturn, assert_never

from petri_cli.errors import PetriError, Position
from petri_cli.plan.expression_parse import parse
from petri_cli.plan.expression_tree import (
    Binary,
    Call,
    Expression,
    Junction,
    Listing,
    Literal,
    Reference,
    Unary,
    references,
    written,
)
from petri_cli.plan.json_values import MAX_BITS, described, is_number, same

__all__ = [
    "Expression",
    "Lookup",
    "Missing",
    "Reference",
    "described",
    "evaluate",
    "follow",
    "holds",
    "parse",
    "references",
    "same",
    "written",
]

MAX_TEXT: Final = 1_000_000


class Missing(LookupError):
    """A path leads nowhere. Its text says why; ``hint``: what was probably meant."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.hint = hint


Lookup = Callable[[Reference], Any]
"""The value that a reference stands for; raises Missing."""


def follow(value: Any, reference: Reference) -> Any:
    """The part of ``value`` that the steps of ``reference`` lead to. Raises Missing."""
    from petri_cli.document.fields import did_you_mean

    for k, step in enumerate(reference.steps):
        so_far = Reference(reference.head, reference.steps[:k])
        if isinstance(step, int):
            if not isinstance(value, list | tuple):
                raise Missing(f"{so_far} is {described(value)}, not a list")
            if not -len(value) <= step < len(value):
                raise Missing(f"{so_far} has {len(value)} elements, there is no [{step}]", "the first one is [0]")
            value = value[step]
        elif not isinstance(value, Mapping):
            raise Missing(f"{so_far} is {described(value)}, which has no fields such as `{step}`")
        elif step not in value:
            known = tuple(str(key) for key in value)
            hint = did_you_mean(step, known) or (f"it has {', '.join(known[:8])}" if known else "it is empty")
            raise Missing(f"{so_far} has no field `{step}`", hint)
        else:
            value = value[step]
    return value


def holds(expression: Expression, lookup: Lookup) -> bool:
    """The value of a condition. Raises PetriError PETRI_EXPRESSION_FAILED, also when it is neither true nor false."""
    value = evaluate(expression, lookup)
    if not isinstance(value, bool):
        _failed(f"a condition is true or false, this one is {described(value)}", expression, "compare it: == …")
    return value


def evaluate(expression: Expression, lookup: Lookup) -> Any:
    """The value of ``expression``: JSON data. Raises PetriError PETRI_EXPRESSION_FAILED.

    ``and`` and ``or`` look at no more operands than they need, from the left.
    """
    todo: list[tuple[Expression, int]] = [(expression, 0)]
    """What to do next, last first; with each, how many of its parts are done."""
    values: list[Any] = []
    while todo:
        part, done = todo.pop()
        match part:
            case Literal(value=value):
                values.append(value)
            case Reference():
                values.append(_looked_up(part, lookup))
            case Junction(items=items):
                decided = done and _truth(values[-1], items[done - 1]) == (part.operator == "or")
                if decided or done == len(items):
                    continue
                if done:
                    values.pop()
                todo += [(part, done + 1), (items[done], 0)]
            case Unary(operand=operand):
                if done:
                    values.append(_unary(part, values.pop()))
                else:
                    todo += [(part, 1), (operand, 0)]
            case Binary(left=left, right=right):
                if done:
                    second = values.pop()
                    values.append(_binary(part, values.pop(), second))
                else:
                    todo += [(part, 1), (right, 0), (left, 0)]
            case Listing(items=items):
                if done:
                    first = len(values) - len(items)
                    values[first:] = [values[first:]]
                else:
                    todo += [(part, 1), *[(item, 0) for item in reversed(items)]]
            case Call(function="exists", arguments=(Reference() as path,)):
                values.append(_exists(path, lookup))
            case Call(function="default", arguments=(Reference() as path, otherwise)):
                try:
                    values.append(lookup(path))
                except Missing:
                    todo.append((otherwise, 0))
            case Call(arguments=arguments):
                if done:
                    first = len(values) - len(arguments)
                    values[first:] = [_called(part, values[first:])]
                else:
                    todo += [(part, 1), *[(argument, 0) for argument in reversed(arguments)]]
            case other:
                assert_never(other)
    return values[0]


def _looked_up(reference: Reference, lookup: Lookup) -> Any:
    try:
        return lookup(reference)
    except Missing as missing:
        _failed(str(missing), reference, missing.hint)


def _exists(reference: Reference, lookup: Lookup) -> bool:
    try:
        lookup(reference)
    except Missing:
        return False
    return True


def _truth(value: Any, part: Expression) -> bool:
    if not isinstance(value, bool):
        _failed(f"and, or, not take true and false, this is {described(value)}", part, "compare it: == …")
    return value


def _unary(part: Unary, value: Any) -> Any:
    if part.operator == "not":
        return not _truth(value, part.operand)
    if not is_number(value):
        _failed(f"- takes a number, this is {described(value)}", part.operand)
    return -value


def _binary(part: Binary, left: Any, right: Any) -> Any:
    match part.operator:
        case "==":
            return same(left, right)
        case "!=":
            return not same(left, right)
        case "in":
            return _contained(part, left, right)
        case "not in":
            return not _contained(part, left, right)
        case "<" | "<=" | ">" | ">=":
            return _ordered(part, left, right)
        case _:
            return _calculated(part, left, right)


def _ordered(part: Binary, left: Any, right: Any) -> bool:
    if not (is_number(left) and is_number(right)) and not (isinstance(left, str) and isinstance(right, str)):
        what = f"{part.operator} takes two numbers or two texts, not {described(left)} and {described(right)}"
        _failed(what, part)
    match part.operator:
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
        case _:
            return bool(left >= right)


def _calculated(part: Binary, left: Any, right: Any) -> Any:
    if part.operator == "+" and isinstance(left, str) and isinstance(right, str):
        if len(left) + len(right) > MAX_TEXT:
            _failed(f"the text would have more than {MAX_TEXT:,} characters", part)
        return left + right
    if not (is_number(left) and is_number(right)):
        kinds = "two numbers or two texts" if part.operator == "+" else "two numbers"
        _failed(f"{part.operator} takes {kinds}, not {described(left)} and {described(right)}", part)
    if part.operator in ("/", "%") and right == 0:
        _failed(f"{part.operator} by 0", part)
    try:
        value = _ARITHMETIC[part.operator](left, right)
    except OverflowError:
        value = math.inf
    if not math.isfinite(value) if isinstance(value, float) else value.bit_length() > MAX_BITS:
        _failed(f"the result of {part.operator} is too large for a number", part)
    return value


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: a % b,
}


def _contained(part: Expression, element: Any, whole: Any) -> bool:
    if isinstance(whole, list | tuple):
        return any(same(element, e) for e in whole)
    if not isinstance(whole, str | Mapping):
        _failed(f"nothing is in {described(whole)}", part, "it takes a list, a text or a map")
    if not isinstance(element, str):
        kind = "text" if isinstance(whole, str) else "map"
        _failed(f"only texts are in a {kind}, this is {described(element)}", part)
    return element in whole


def _called(part: Call, values: list[Any]) -> Any:
    if part.function == "len":
        if not isinstance(values[0], str | list | tuple | Mapping):
            _failed(f"len takes a list, a text or a map, this is {described(values[0])}", part)
        return len(values[0])
    whole, element = values
    if part.function == "contains":
        return _contained(part, element, whole)
    if not isinstance(whole, str) or not isinstance(element, str):
        _failed(f"{part.function} takes two texts, not {described(whole)} and {described(element)}", part)
    return whole.startswith(element) if part.function == "startswith" else whole.endswith(element)


def _failed(message: str, part: Expression, hint: str = "") -> NoReturn:
    place = f" (character {part.column})" if part.column else ""
    raise PetriError("PETRI_EXPRESSION_FAILED", message + place, where=Position("", 0, part.column), hint=hint)
