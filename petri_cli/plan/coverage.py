"""Whether of several conditions one always holds: a truth table over the comparisons that they are made of.

What is compared is not looked into: ``${a.n} < 3`` and ``${a.n} >= 3`` are a condition and its negation, ``${a.n} < 3``
and ``${a.n} < 4`` are two conditions that have nothing to do with each other. So the answer errs on one side alone:
conditions that are said to cover every case do so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Final

from petri_cli.plan.expression_tree import Binary, Expression, Junction, Literal, Unary, parts, written

MAX_ATOMS: Final = 8
"""Different comparisons in the conditions of one choice; 2^n rows are looked at, and with more the answer is no."""

_NEGATIVE: Final = {"!=": "==", ">=": "<", "not in": "in"}
"""Operators that say the opposite of another one. Both operands have an order, or the condition fails to be judged."""
_MIRRORED: Final = {">": "<", "<=": ">="}
"""Operators that say the same of swapped operands."""

Step = tuple[str, str | bool | int, bool]
"""Of a condition in postfix order: ("atom", its normal form, whether it is meant to hold), ("constant", its value, ),
or ("and" | "or" | "not", how many of the last values it takes, )."""


def one_always_holds(conditions: Sequence[Expression]) -> bool:
    """Whether at least one of ``conditions`` holds wherever all of them can be judged, as far as is plain to see."""
    programs = [_postfix(c) for c in conditions]
    atoms = sorted({str(what) for program in programs for kind, what, _ in program if kind == "atom"})
    if len(atoms) > MAX_ATOMS:
        return False
    for row in product((False, True), repeat=len(atoms)):
        values = dict(zip(atoms, row, strict=True))
        if not any(_holds(program, values) for program in programs):
            return False
    return True


def _postfix(condition: Expression) -> list[Step]:
    """What ``and``, ``or`` and ``not`` join is an atom, whatever it is made of."""
    steps: list[Step] = []
    stack = [(condition, False)]
    while stack:
        part, parts_done = stack.pop()
        match part:
            case Literal(value=bool() as value):
                steps.append(("constant", value, True))
            case Junction(operator=operator) | Unary(operator="not" as operator):
                if parts_done:
                    steps.append((operator, len(parts(part)), True))
                else:
                    stack += [(part, True), *[(p, False) for p in parts(part)]]
            case _:
                steps.append(_atom(part))
    return steps


def _atom(part: Expression) -> Step:
    if not isinstance(part, Binary):
        return "atom", written(part), True
    operator, left, right = part.operator, written(part.left), written(part.right)
    if operator in _MIRRORED:
        operator, left, right = _MIRRORED[operator], right, left
    meant = operator not in _NEGATIVE
    operator = _NEGATIVE.get(operator, operator)
    if operator == "==":
        left, right = sorted((left, right))
    return "atom", f"({left}) {operator} ({right})", meant


def _holds(program: Sequence[Step], row: Mapping[str, bool]) -> bool:
    """Its value in a row of the table."""
    values: list[bool] = []
    for kind, what, meant in program:
        if kind == "atom":
            values.append(row[str(what)] == meant)
        elif kind == "constant":
            values.append(bool(what))
        else:
            first = len(values) - int(what)
            inside = values[first:]
            values[first:] = [all(inside) if kind == "and" else any(inside) if kind == "or" else not inside[0]]
    return values[0]
