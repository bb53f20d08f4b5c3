"""Evidence by the rank theorem, for :mod:`petri_cli.certificate.rank`."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

from petri_cli.evidence.listing import Written
from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.free_choice import Row, closed_free_choice, is_sound, positive_solution
from petri_cli.soundness.linear.simplex import OutOfWork
from petri_cli.soundness.shape import Target

MOST_TOUCHED = 5_000_000
"""Entries touched while the kernel is worked out."""


def free_choice_soundness(target: Target, compiled: CompiledNet) -> Written | None:
    """What shows that a sound free-choice net is; None for other nets, and where it takes too long."""
    net = closed_free_choice(compiled) if target.end == target.final else None
    if net is None or not is_sound(net):
        return None
    rows = net.rows()
    turn = rows[1:] + rows[:1]  # there the way back comes first, here last
    columns: list[Row] = [{} for _ in range(net.places)]
    for t, row in enumerate(turn):
        for p, n in row.items():
            columns[p][t] = n
    try:
        invariant, rates = _positive(turn, net.places), _positive(columns, len(turn))
        pivots, kernel = _eliminated(turn, columns)
    except OutOfWork:
        return None
    return "free-choice", {"invariant": invariant, "rates": rates, "pivots": pivots, "kernel": kernel}


def _positive(rows: Sequence[Row], columns: int) -> list[int]:
    """Some x ≥ 1 with row·x = 0 for every row, which there is; whole. Raises OutOfWork."""
    tableau = positive_solution(rows, columns)
    if tableau is None:
        raise OutOfWork
    values = [tableau.value(v) for v in range(columns)]
    scale = lcm(*(x.denominator for x in values))
    return [int(x * scale) for x in values]


def _eliminated(rows: Sequence[Row], columns: Sequence[Row]) -> tuple[list[list[int]], list[list[list[int]]]]:
    """Pivots (row, column) of the matrix in the order of an elimination, and a basis of the solutions of xᵀ·rows = 0,
    each with an entry of its own. Raises OutOfWork.

    The equations are the columns: each in turn is solved for one transition and put into all others.
    """
    left = [{t: Fraction(n) for t, n in column.items()} for column in columns]
    users: dict[int, set[int]] = {}
    for p, form in enumerate(left):
        for t in form:
            users.setdefault(t, set()).add(p)
    pivots: list[list[int]] = []
    solved: dict[int, int] = {}  # transition → the equation that gives it
    work = 0
    todo = set(range(len(left)))
    while todo:
        p = min(todo, key=lambda p: (len(left[p]), p))
        todo.discard(p)
        form = left[p]
        if not form:
            continue
        t = min(form, key=lambda t: (len(users[t]), t))
        scale = form[t]
        left[p] = form = {s: n / scale for s, n in form.items()}
        for q in users[t] - {p}:
            factor = left[q][t]
            for s, n in form.items():
                value = left[q].get(s, Fraction(0)) - factor * n
                if value:
                    left[q][s] = value
                    users[s].add(q)
                else:
                    left[q].pop(s, None)
                    users[s].discard(q)
            work += len(form)
            if work > MOST_TOUCHED:
                raise OutOfWork
        pivots.append([t, p])
        solved[t] = p
    kernel = []
    for free in (t for t in range(len(rows)) if t not in solved):
        vector = {free: Fraction(1)} | {t: -left[p][free] for t, p in solved.items() if free in left[p]}
        times = lcm(*(x.denominator for x in vector.values()))
        kernel.append([[t, int(x * times)] for t, x in sorted(vector.items())])
    return pivots, kernel
