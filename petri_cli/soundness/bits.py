"""Sets of small numbers as integers: bit i is set when i is in the set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping


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


def components(after: Mapping[int, int], nodes: int) -> list[int]:
    """The strongly connected components of a graph on ``nodes`` (a bit set), in an order in which no edge points
    backward. after: node → its successors, left out where there are none.

    The path-based algorithm (Dijkstra 1976, chapter 25; Gabow 2000, "Path-Based Depth-First Search for Strong and
    Biconnected Components"): a depth-first search keeps a chain of sets of nodes that are known to reach each other; an
    edge back into the chain makes one set of all from there on. ``below[k]`` is the union of the first k + 1 sets.
    """
    fresh = nodes
    found: list[int] = []
    while fresh:
        path: list[int] = []
        first: list[int] = []  # the node by which each set of the chain was entered
        sets: list[int] = []
        below: list[int] = []
        enter = fresh & -fresh
        while True:
            if enter:
                fresh ^= enter
                n = enter.bit_length() - 1
                path.append(n)
                first.append(n)
                sets.append(enter)
                below.append(enter | (below[-1] if below else 0))
                back = after.get(n, 0)
                while len(below) > 1 and back & below[-2]:
                    merged, union = sets.pop(), below.pop()
                    first.pop()
                    sets[-1] |= merged
                    below[-1] = union
            n = path[-1]
            onward = after.get(n, 0) & fresh
            enter = onward & -onward
            if enter:
                continue
            path.pop()
            if first[-1] == n:
                first.pop()
                below.pop()
                found.append(sets.pop())
            if not path:
                break
    return found[::-1]
