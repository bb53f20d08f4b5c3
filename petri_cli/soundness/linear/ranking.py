"""Weights on places that every firing lowers, so that runs end, or that none raises, so that places are bounded."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from math import lcm

from petri_cli.soundness.linear.equation import Equation
from petri_cli.soundness.linear.proof import Ranking
from petri_cli.soundness.linear.simplex import GRANTED, OutOfWork, Tableau
from petri_cli.soundness.timer import Deadline, never


def ranking_of(equation: Equation, end: Collection[int], deadline: Deadline = never) -> Ranking | None:
    """Weights that all actions lower, or all but some that need not be taken: by Farkas' lemma there are such unless
    firing some of them, each some number of times, takes nothing away from anywhere.

    Where a loop stands in the way, one of its actions is left out, if another is enabled whenever that one is (the way
    out of the loop): of several the one that leads farthest from the places ``end``. None when there is no other.
    """
    table = Tableau(equation.places, GRANTED, deadline)
    for p in range(equation.places):
        table.bound(p, -1, 0)
    rows = [table.add_row(dict(column)) for column in equation.columns]
    chosen = set(range(equation.actions))
    refuted = None
    for a, v in enumerate(rows):
        refuted = refuted or table.bound(v, 1, -1 if a < equation.actions else 0)
    distance = _distances(equation, end)
    try:
        while (refuted := table.check()) is not None:
            loop = {v - rows[0] for (v, _), _ in refuted.multipliers if v >= rows[0]} & chosen
            out = _to_leave_out(equation, loop, chosen, distance)
            if out is None:
                return None
            chosen.discard(out)
            table.free(rows[out], 1)
    except OutOfWork:
        return None
    return Ranking(_whole_weights(table, equation.places), tuple(sorted(chosen)))


def bounding_weights(equation: Equation, deadline: Deadline = never) -> dict[int, int] | None:
    """Weights y ≥ 1 on all places such that nothing raises y·m: no place p ever holds more than y·m₀ / y(p).

    None when there are none; then some firings, each some number of times, take nothing away and add something, and the
    net is unbounded from some initial marking (not from every one).
    """
    table = Tableau(equation.places, GRANTED, deadline)
    refuted = None
    for p in range(equation.places):
        refuted = refuted or table.bound(p, -1, 1)
    for column in equation.columns:
        refuted = refuted or table.bound(table.add_row(dict(column)), 1, 0)
    try:
        if refuted is not None or table.check() is not None:
            return None
    except OutOfWork:
        return None
    return _whole_weights(table, equation.places)


def _whole_weights(table: Tableau, places: int) -> dict[int, int]:
    values = [table.value(p) for p in range(places)]
    scale = lcm(*(x.denominator for x in values))
    return {p: int(x * scale) for p, x in enumerate(values) if x}


def _distances(equation: Equation, end: Collection[int]) -> list[int]:
    """For each action how many firings lie between it and ``end``, at least; actions that lead nowhere are far."""
    producers: list[list[int]] = [[] for _ in equation.initial]
    for a, places in enumerate(equation.puts):
        for p in places:
            producers[p].append(a)
    far = 2 * equation.actions + 1
    distance = [far] * equation.actions
    seen = set(end)
    todo = deque((p, 0) for p in end)
    while todo:
        p, d = todo.popleft()
        for a in producers[p]:
            if distance[a] == far:
                distance[a] = d
                for literal in equation.disabled[a]:
                    if literal.side > 0 and literal.of not in seen:
                        seen.add(literal.of)
                        todo.append((literal.of, d + 1))
    return distance


def _to_leave_out(equation: Equation, loop: set[int], chosen: set[int], distance: list[int]) -> int | None:
    """An action of ``loop`` that another one stands in for."""
    needs = {a: set(equation.disabled[a]) for a in chosen}
    by_need: dict[object, list[int]] = {}
    for a in sorted(chosen):
        for literal in needs[a]:
            by_need.setdefault(literal, []).append(a)
    best, gain = None, (False, 0)
    for a in sorted(loop):
        others = {b for literal in needs[a] for b in by_need[literal]} - {a}
        others = {b for b in others if needs[b] <= needs[a]}
        if others:
            nearer = distance[a] - min(distance[b] for b in others)
            if best is None or (bool(others - loop), nearer) > gain:
                best, gain = a, (bool(others - loop), nearer)
    return best
