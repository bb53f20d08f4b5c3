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
    left = dict.fromkeys(things)
    out = {r: {s: weights[r, s] for s in things if (r, s) in weights and s != r} for r in things}
    into = {s: {r: weights[r, s] for r in things if (r, s) in weights and s != r} for s in things}
    front: list[int] = []
    back: list[int] = []
    while left:
        sink = next((r for r in left if not out[r]), None)
        chosen = sink if sink is not None else max(left, key=lambda r: sum(out[r].values()) - sum(into[r].values()))
        (front if sink is None else back).append(chosen)
        del left[chosen]
        for s in out.pop(chosen):
            del into[s][chosen]
        for r in into.pop(chosen):
            del out[r][chosen]
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
