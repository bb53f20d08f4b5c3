"""What a transition of a reduced net stands for: steps of the original net, one after the other.

An expansion is an action of the original net, or one expansion followed by another so many times. Parts are shared, so
building one costs nothing; written out it can be long, so that is done only for a run that is to be shown, and up to a
limit.
"""

from __future__ import annotations

from collections.abc import Iterable

Expansion = int | tuple["Expansion", "Expansion", int]
"""An action index, or (first, then, how many times ``then``)."""

LONGEST = 100_000
"""Steps past which a run is not written out."""


def written_out(expansions: Iterable[Expansion], longest: int = LONGEST) -> list[int] | None:
    """The actions that ``expansions`` stand for, in order; None when there are more than ``longest``."""
    run: list[int] = []
    stack = list(expansions)
    stack.reverse()
    while stack:
        part = stack.pop()
        if isinstance(part, int):
            run.append(part)
            continue
        first, then, times = part
        if len(run) + len(stack) + times > longest:
            return None
        stack.extend([then] * times)
        stack.append(first)
    return run


def actions_of(expansions: Iterable[Expansion]) -> set[int]:
    """The actions that occur in ``expansions``."""
    found: set[int] = set()
    seen: set[int] = set()
    stack = list(expansions)
    while stack:
        part = stack.pop()
        if isinstance(part, int):
            found.add(part)
        elif id(part) not in seen:
            seen.add(id(part))
            stack += part[:2]
    return found
