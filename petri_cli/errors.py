"""What can be wrong with an input, and how it is said.

A :class:`Problem` is position + code + message + hint; a :class:`PetriError` is a problem that stops the work.
Codes are stable and greppable; each has a page in ``docs/codes`` that ``petri explain CODE`` prints.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, TypeVar, dataclass_transform

Severity = Literal["error", "warning"]

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, order_default=True)
def _frozen(cls: type[_T]) -> type[_T]:
    """A slotted, ordered, hashable dataclass that the type checker holds to be frozen.

    Checked at run time, the same promise would triple the cost of making one, and a large plan has a hundred thousand.
    """
    return dataclass(slots=True, order=True, unsafe_hash=True)(cls)


@_frozen
class Position:
    """A place in a source file. ``line`` and ``column`` are 1-based; 0 means that the input has no lines."""

    file: str = ""
    line: int = 0
    column: int = 0
    path: str = ""
    """Where in the document, e.g. ``flow.parallel[0].guard.resource``."""

    def __str__(self) -> str:
        if not self.line:
            return self.file or self.path
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Position()


@dataclass(frozen=True, slots=True)
class Problem:
    """One finding about an input: never more than position, code, message and a way out."""

    code: str
    message: str
    where: Position = NOWHERE
    hint: str = ""
    severity: Severity = "error"
    related: tuple[Position, ...] = ()
    """Other places that take part, e.g. the first of two equal keys."""

    def __str__(self) -> str:
        place = f"{self.where} " if str(self.where) else ""
        hint = f" ({self.hint})" if self.hint else ""
        return f"{place}{self.code} {self.message}{hint}"

    def in_file(self, file: str) -> Problem:
        """The same problem, told about ``file``."""
        related = tuple(replace(r, file=file) for r in self.related)
        return replace(self, where=replace(self.where, file=file), related=related)


class PetriError(Exception):
    """An error a user can act on: ``code``, ``message``, ``where`` it is, and a ``hint`` at what to do next."""

    def __init__(self, code: str, message: str, *, where: Position | None = None, hint: str = "") -> None:
        self.problem = Problem(code, message, where or NOWHERE, hint)
        super().__init__(str(self.problem))

    @property
    def code(self) -> str:
        return self.problem.code

    @property
    def message(self) -> str:
        return self.problem.message

    @property
    def where(self) -> Position:
        return self.problem.where

    @property
    def hint(self) -> str:
        return self.problem.hint


class InputError(PetriError):
    """An input with one or more problems, all reported at once, sorted by position."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = tuple(sorted(problems, key=lambda p: (p.where, p.code, p.message)))
        errors = [p for p in self.problems if p.severity == "error"]
        first = (errors or list(self.problems))[0]
        super().__init__(first.code, first.message, where=first.where, hint=first.hint)
        more = len(self.problems) - 1
        self.args = (f"{first}{f' (and {more} more)' if more else ''}",)
