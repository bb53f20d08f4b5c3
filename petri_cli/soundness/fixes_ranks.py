"""An order of a few things against which as little as possible goes: minimum feedback arcs.

Exact by dynamic programming over subsets for small sets (Lawler 1964), else greedy (Eades, Lin, Smyth 1993, "A fast and
effective heuristic for the feedback arc set problem") and improved by swaps of neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable

Weights = dict[tuple[int, int], int]
"""(r, s) → what it costs to have s before r."""

EXACT = 10
ROUNDS = 20


def best_order(items: Iterable[int], weights: Weights) -> list[int]:
    """``items`` in an order with little weight against it; the smallest numbers first where it is all the same."""
    things = sorted(items)
    if len(things) < 2:
        return things
    return _exact(things, weights) if len(things) <= EXACT else _improved(_greedy(things, weights), weights)


def _exact(things: list[int], weights: Weights) -> list[int]:
    best: list[tuple[int, tuple[int, ...]]] = [(0, ())]
    for chosen in range(1, 1 << len(things)):
        options = []
        for k, last in enumerate(things):
            if chosen >> k & 1:
                cost, before = best[chosen & ~(1 << k)]
                options.append((cost + sum(weights.get((last, r), 0) for r in before), (*before, last)))
        best.append(min(options))
    return list(best[-1][1])


def _greedy(things: list[int], weights: Weights) -> list[int]:
    """Sinks to the end, sources to the front, else whatever points forward the most to the front."""
    out: dict[int, dict[int, int]] = {r: {} for r in things}
    into: dict[int, dict[int, int]] = {r: {} for r in things}
    forward = dict.fromkeys(things, 0)  # what points away from a thing, less what points to it
    for (r, s), weight in weights.items():
        if r in out and s in out and r != s:
            out[r][s] = into[s][r] = weight
            forward[r] += weight
            forward[s] -= weight
    front: list[int] = []
    back: list[int] = []
    while out:
        sink = next((r for r in out if not out[r]), None)
        chosen = sink if sink is not None else max(out, key=forward.__getitem__)
        (front if sink is None else back).append(chosen)
        for s, weight in out.pop(chosen).items():
            del into[s][chosen]
            forward[s] += weight
        for r, weight in into.pop(chosen).items():
            del out[r][chosen]
            forward[r] -= weight
    return front + back[::-1]


def _improved(order: list[int], weights: Weights) -> list[int]:
    for _ in range(ROUNDS):
        swapped = False
        for i in range(len(order) - 1):
            r, s = order[i], order[i + 1]
            if weights.get((s, r), 0) > weights.get((r, s), 0):
                order[i], order[i + 1] = s, r
                swapped = True
        if not swapped:
            break
    return order
