"""Traps: sets of places that, once marked, are never all empty again.

Every action that takes from the set puts something back into it, so a trap that is marked at the start holds a token in
every reachable marking, which the state equation alone does not know (Esparza & Melzer 2000).
"""

from __future__ import annotations

from collections.abc import Iterable

from petri_cli.soundness.linear.equation import Equation
from petri_cli.soundness.linear.proof import Literal, Row

MOST_SHRUNK = 60
"""Places of a trap that is still made smaller, at a pass over the net for each."""


def largest_trap(equation: Equation, places: Iterable[int]) -> set[int]:
    """The largest trap among ``places``; linear in the net."""
    trap = set(places)
    takers: list[list[int]] = [[] for _ in equation.initial]
    fillers: list[list[int]] = [[] for _ in equation.initial]
    for a, (takes, puts) in enumerate(zip(equation.takes, equation.puts, strict=True)):
        for p in takes:
            takers[p].append(a)
        for p in puts:
            fillers[p].append(a)
    inside = [len(puts & trap) for puts in equation.puts]
    todo = [a for a in range(equation.actions) if not inside[a]]
    while todo:
        for p in equation.takes[todo.pop()] & trap:
            trap.discard(p)
            for a in fillers[p]:
                inside[a] -= 1
                if not inside[a]:
                    todo.append(a)
    return trap


def marked_trap(equation: Equation, empty: Iterable[int]) -> Row | None:
    """A trap among the places ``empty`` that is marked at the start, as a row; None when there is none."""
    trap = largest_trap(equation, empty)
    initial = equation.initial
    if not any(initial[p] for p in trap):
        return None
    if len(trap) <= MOST_SHRUNK:
        for p in sorted(trap):
            smaller = largest_trap(equation, trap - {p}) if p in trap else set()
            if any(initial[q] for q in smaller):
                trap = smaller
    return Row(dict.fromkeys(sorted(trap), 1), Literal("row", -1, -1, 1), "trap")
