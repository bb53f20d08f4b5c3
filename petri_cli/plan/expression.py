"""The small language of ``when``, ``until`` and ``over``: results of tasks compared, counted and combined.

Signatures first; the bodies follow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


class Missing(LookupError):
    """A path leads nowhere. ``str`` of it says why; ``hint``: what was probably meant."""

    def __init__(self, why: str, hint: str = "") -> None:
        super().__init__(why)
        self.hint = hint


@dataclass(frozen=True, slots=True)
class Reference:
    """``${task.field[0]}``: head (a task, ``item``, or ``loop``), then fields and indices."""

    head: str
    steps: tuple[str | int, ...] = ()


Lookup = Callable[[Reference], Any]
"""The value that a reference stands for; raises Missing."""
Expression = Reference


def is_expression(text: str) -> bool:
    """Whether ``over`` is an expression (it holds ``${``), and not prose."""
    return "${" in text


def parse(text: str) -> Expression:
    """Raises PetriError PETRI_BAD_EXPRESSION; ``where.column`` is the column in ``text``, from 1."""
    raise NotImplementedError


def evaluate(expression: Expression, lookup: Lookup) -> Any:
    """Raises PetriError PETRI_EXPRESSION_FAILED."""
    raise NotImplementedError


def holds(expression: Expression, lookup: Lookup) -> bool:
    """The value of a condition; PETRI_EXPRESSION_FAILED unless it is true or false."""
    raise NotImplementedError


def references(expression: Expression) -> tuple[Reference, ...]:
    """The paths in it, in order of appearance."""
    raise NotImplementedError


def written(expression: Expression) -> str:
    """Text that parses to the same expression."""
    raise NotImplementedError
