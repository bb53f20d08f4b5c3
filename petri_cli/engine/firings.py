"""Firings that have begun, and the four ways in which the scheduler is told that one is over."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from petri_cli.engine.tokens import Token


class Firing(NamedTuple):
    """A transition that has consumed its tokens and whose action is to run.

    ordinal: of the transition in its net; started_at: ticks; consumed: place → tokens, oldest first; reads: place → its
    oldest token; removed: what resets took away. A named tuple, because it is made on the hot path.
    """

    id: int
    ordinal: int
    transition: str
    started_at: int
    consumed: Mapping[str, Sequence[Token]]
    reads: Mapping[str, Token]
    removed: Mapping[str, Sequence[Token]]


def in_flight_firing(
    number: int,
    transition: str,
    consumed: Mapping[str, Sequence[Token]],
    *,
    started_at: int,
    reads: Mapping[str, Token] | None = None,
    removed: Mapping[str, Sequence[Token]] | None = None,
) -> Firing:
    """A firing that began in another life, to be handed to :meth:`Scheduler.restore`, which fills in its ordinal."""
    return Firing(number, -1, transition, started_at, consumed, reads or {}, removed or {})


class Produced:
    """The action ended. outputs: place → values (or ready-made tokens), in order; empty ones do not count."""

    __slots__ = ("outputs",)

    def __init__(self, outputs: Mapping[str, Sequence[object]]) -> None:
        self.outputs = outputs

    def __repr__(self) -> str:
        return f"Produced({dict(self.outputs)!r})"


class Failed:
    """The action raised, or what it returned was refused."""

    __slots__ = ("error", "message")

    def __init__(self, error: str, message: str = "") -> None:
        self.error = error
        self.message = message

    def __repr__(self) -> str:
        return f"Failed({self.error!r}, {self.message!r})"

    @classmethod
    def of(cls, error: BaseException) -> Failed:
        return cls(type(error).__name__, str(error))


class TimedOut:
    """The action was abandoned because its budget ran out."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "TimedOut()"


class Returned:
    """The firing never really began (its claim was refused or lapsed): everything it took goes back."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "Returned()"


Completion = Produced | Failed | TimedOut | Returned | dict[str, Sequence[object]]
"""How a firing ended; a bare dict stands for ``Produced`` of it."""

Completions = Iterable[tuple[int, Completion]]
"""(firing id, how it ended), in the order in which they ended."""

NO_OUTPUTS = Produced({})
TIMED_OUT = TimedOut()
RETURNED = Returned()
