"""Cuts: one inequality in place of «some input of this action is missing»."""

from __future__ import annotations

from math import lcm

from petri_cli.soundness.linear.proof import Literal, Row
from petri_cli.soundness.linear.refute import Search


def add_cuts(search: Search) -> None:
    """Add the cut of each action with several inputs that all are bounded, as far as a look shows it."""
    bounds: dict[int, int | None] = {}
    for a, literals in enumerate(search.equation.disabled):
        if len(literals) > 1:
            row = _cut(search, a, bounds)
            if row is not None:
                search.add_row(row)


def _cut(search: Search, a: int, bounds: dict[int, int | None]) -> Row | None:
    """The cut of ``a``: with B(p) the bound of p and n(p) what is needed, Σ (m(p) - n(p) + 1) / (B(p) - n(p) + 1) is at
    most the number of inputs less one, if one of them lacks. Each term is 1 at most, and 0 at most where p lacks."""
    terms: list[tuple[int, int, int]] = []  # place, what it holds at most when it lacks, the room above
    literals = search.equation.disabled[a]
    for literal in literals:
        if literal.side < 0:
            return None
        bound = _bound(search, literal.of, literal.bound + 1, bounds)
        if bound is None or bound <= literal.bound:
            return None
        terms.append((literal.of, literal.bound, bound - literal.bound))
    scale = lcm(*(room for _, _, room in terms))
    weights = {p: scale // room for p, _, room in terms}
    limit = scale * (len(terms) - 1) + sum(k * (scale // room) for _, k, room in terms)
    return Row(weights, Literal("row", -1, 1, limit), "cut", a)


def _bound(search: Search, p: int, needed: int, bounds: dict[int, int | None]) -> int | None:
    """A bound of place ``p``: what is needed of it, or else what it holds at the start."""
    if p not in bounds:
        bounds[p] = None
        for k in sorted({max(needed, 1), max(search.equation.initial[p], needed)}):
            literal = Literal("place", p, 1, k)
            leaf = search.holds(literal)
            if leaf is not None:
                search.assume(literal, leaf)
                bounds[p] = k
                break
    return bounds[p]
