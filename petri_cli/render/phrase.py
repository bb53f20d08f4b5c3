"""Numbers, amounts and lists as a sentence has them."""

from __future__ import annotations

import re


def amount(resource: str, units: int) -> str:
    """``A``, or ``2 × mem`` where it is not one."""
    return resource if units == 1 else f"{units} × {resource}"


def are(amounts: str) -> str:
    """``is`` or ``are``, after ``A``, ``2 × mem`` or ``A and B``."""
    return "are" if " " in amounts else "is"


def many(n: int, noun: str) -> str:
    """``1 file``, ``3 files``."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


_ITEM = r"(.+)\[(\d+)\]"


def together(names: list[str]) -> str:
    """``align[1] to align[4]`` where the names are neighbouring items, else at most three of them, listed."""
    items = [m.groups() if (m := re.fullmatch(_ITEM, name)) else (name, "0") for name in names]
    numbers = [int(k) for _, k in items]
    if len(names) > 2 and len({n for n, _ in items}) == 1 and numbers == list(range(numbers[0], numbers[-1] + 1)):
        return f"{names[0]} to {names[-1]}"
    return listed(names, limit=3)


def listed(names: list[str], last: str = "and", limit: int = 4) -> str:
    """``a, b and c``; more than ``limit`` are counted."""
    if len(names) > limit:
        names = [*names[: limit - 1], f"{len(names) - limit + 1} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"
