"""Sets of small numbers as integers: bit i is set when i is in the set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def members(bits: int) -> Iterator[int]:
    """The numbers in a set, ascending."""
    while bits:
        low = bits & -bits
        yield low.bit_length() - 1
        bits ^= low


def bits_of(numbers: Iterable[int]) -> int:
    """The set of ``numbers``."""
    bits = 0
    for n in numbers:
        bits |= 1 << n
    return bits
