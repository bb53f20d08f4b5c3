"""The order of the places in a decision diagram: places that actions touch together stand near each other.

FORCE (Aloul, Markov, Sakallah, "FORCE: a fast and easy-to-implement variable-ordering heuristic", GLSVLSI 2003): each
place moves to the mean of the centres of the actions that touch it, again and again, as long as that shortens the
actions' spans.
"""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.net.compiled import Action, CompiledNet

ROUNDS = 60
WORSE = 4
"""Rounds without a shorter total span after which it ends."""


def touched(action: Action) -> set[int]:
    """The places that ``action`` looks at or changes."""
    pairs = {p for p, _ in (*action.needs, *action.produced)}
    return pairs.union(action.reads, action.inhibitors, action.resets, *action.forwards)


def place_order(compiled: CompiledNet) -> list[int]:
    """The places from the top of the diagram to its bottom; in the net's own order where nothing beats that."""
    edges = [sorted(touched(a)) for a in compiled.actions]
    edges = [e for e in edges if len(e) > 1]
    order = list(range(len(compiled.places)))
    at = [float(p) for p in order]
    best, least, worse = order, _span(edges, at), 0
    of: list[list[int]] = [[] for _ in order]
    for k, edge in enumerate(edges):
        for p in edge:
            of[p].append(k)
    for _ in range(ROUNDS):
        centre = [sum(at[p] for p in edge) / len(edge) for edge in edges]
        wish = [sum(centre[k] for k in of[p]) / len(of[p]) if of[p] else at[p] for p in range(len(at))]
        order = sorted(range(len(at)), key=lambda p: (wish[p], at[p]))
        for i, p in enumerate(order):
            at[p] = float(i)
        span = _span(edges, at)
        if span < least:
            best, least, worse = order, span, 0
        else:
            worse += 1
            if worse == WORSE:
                break
    return best


def _span(edges: Sequence[Sequence[int]], at: Sequence[float]) -> float:
    return sum(max(at[p] for p in edge) - min(at[p] for p in edge) for edge in edges)
