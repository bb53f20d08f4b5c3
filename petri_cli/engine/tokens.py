"""Tokens: a value, when it was made, and the name it goes by.

Times in the engine are whole microseconds (*ticks*): sums are exact, so transitions that are due at one instant are due
in one cycle, and a tick count since 1970 still fits the 53 bits that a JSON number holds exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

TICKS_PER_SECOND = 1_000_000

PARENT_NAME = ".."
"""Match key: project a token to the name of its parent, the path without its last item."""

NAME_SEPARATOR = "/"
"""Between the items of a path-like name: the parent of ``each[2]/inner[1]`` is ``each[2]``, whose parent is ``""``."""

Name = str | int
"""What tokens are matched by. Integers and strings are never equal."""


UNSTAMPED = -1
"""``created_at`` of a token that is dated when it is deposited."""


class Token(NamedTuple):
    """An immutable token. The unit token has the value None; ``name`` is the path of foreach items it belongs to.

    A named tuple, because a frozen dataclass takes five times as long to make and the engine makes one a firing.
    """

    value: object = None
    created_at: int = 0
    """Ticks on the clock of the run that made it."""
    name: str = ""


def to_ticks(seconds: float) -> int:
    """The nearest whole number of ticks."""
    return round(seconds * TICKS_PER_SECOND)


def to_seconds(ticks: int) -> float:
    return ticks / TICKS_PER_SECOND


def project(token: Token, key: str | None) -> Name | None:
    """The name of ``token`` under a match key: its own (None), its parent's (``..``), or a field of its value.

    None when it has no such name; a token without a name is never matched.
    """
    if key is None:
        return token.name
    if key == PARENT_NAME:
        path, _, _ = token.name.rpartition(NAME_SEPARATOR)
        return path if token.name else None
    if isinstance(token.value, Mapping):
        field = token.value.get(key)
        if isinstance(field, (str, int)) and not isinstance(field, bool):
            return field
    return None


def name_order(name: Name) -> tuple[bool, Name]:
    """A sort key under which every two names compare: integers by size, then strings."""
    return isinstance(name, str), name


Tokens = int | Iterable[object]
"""What a caller may give for the tokens of a place: a number of unit tokens, or values and ready-made tokens."""


def as_tokens(given: Tokens, now: int) -> list[Token]:
    """The tokens that ``given`` stands for; values become tokens made ``now``."""
    if isinstance(given, int):
        return [Token(None, now)] * given
    if isinstance(given, (str, bytes, Mapping)):
        raise TypeError(f"the tokens of a place are a number or a list of values, not {given!r}")
    return [stamped(v, now) if isinstance(v, Token) else Token(v, now) for v in given]


def stamped(token: Token, now: int) -> Token:
    """``token``, dated ``now`` if it has no date yet."""
    return token if token.created_at != UNSTAMPED else Token(token.value, now, token.name)


MarkingOf = Mapping[str, Sequence[Token]]
"""Tokens by place id, oldest first; a place that is absent holds none."""


def values_of(marking: MarkingOf) -> dict[str, list[object]]:
    """The values of a marking, place by place."""
    return {p: [t.value for t in tokens] for p, tokens in marking.items()}
