"""Place invariants: weights y ≥ 0 on places with yᵀC = 0, so that yᵀm is the same in every reachable marking.

Found by Farkas' elimination in exact integers (Colom & Silva, "Convex Geometry and Semiflows in P/T Nets", 1991): start
from the unit rows, remove one action after the other by adding up rows of opposite effect. There can be exponentially
many; past :data:`MOST_ROWS` the rows with the most places are dropped, which loses invariants but makes none false.

What they prove, for nets whose actions add constants: with s = yᵀm₀, a place never holds more than s / y(p); places
whose weights add up to more than s are never marked together. What they don't prove may hold all the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import gcd

from petri_cli.net.compiled import CompiledNet
from petri_cli.net.model import Property
from petri_cli.soundness.packed import effect, is_vector_addition
from petri_cli.soundness.timer import Deadline, never

MOST_ROWS = 1_000
MOST_PAIRS = 20_000
"""Pairs added up for one action; beyond, only the first rows are paired."""

Weights = dict[int, int]
"""Place index → weight > 0."""


@dataclass(slots=True)
class _Row:
    """A combination of places and what each action not yet removed does to it."""

    weights: Weights
    effects: dict[int, int]


def place_invariants(compiled: CompiledNet, deadline: Deadline = never) -> list[Weights]:
    """Invariants of minimal support, as many as were found; none for a net with inhibitor, reset or draining arcs."""
    if not all(is_vector_addition(a) for a in compiled.actions):
        return []
    rows = [_Row({p: 1}, {}) for p in range(len(compiled.places))]
    for a, action in enumerate(compiled.actions):
        for p, change in effect(action).items():
            rows[p].effects[a] = change
    while (cheapest := _cheapest(rows)) is not None and not deadline():
        rows = _without(rows, cheapest)
    return [row.weights for row in rows if not row.effects]


def _cheapest(rows: Sequence[_Row]) -> int | None:
    """The action whose removal adds up the fewest pairs of rows; None when none is left."""
    more: Counter[int] = Counter()
    less: Counter[int] = Counter()
    for row in rows:
        for a, change in row.effects.items():
            (more if change > 0 else less)[a] += 1
    return min(more.keys() | less.keys(), key=lambda a: (more[a] * less[a], a), default=None)


def _without(rows: Sequence[_Row], a: int) -> list[_Row]:
    """The rows on which ``a`` has no effect, and the sums of two on which its effects cancel."""
    kept = [r for r in rows if a not in r.effects]
    more = [r for r in rows if r.effects.get(a, 0) > 0]
    less = [r for r in rows if r.effects.get(a, 0) < 0]
    while len(more) * len(less) > MOST_PAIRS:
        longer = max(more, less, key=len)
        longer.sort(key=lambda r: len(r.weights))
        del longer[len(longer) // 2 :]
    kept += [_sum(m, -k.effects[a], k, m.effects[a]) for m in more for k in less]
    return _minimal(kept)


def _sum(one: _Row, times: int, other: _Row, by: int) -> _Row:
    weights = _combine(one.weights, times, other.weights, by)
    effects = _combine(one.effects, times, other.effects, by)
    common = gcd(*weights.values(), *effects.values())
    if common > 1:
        weights, effects = ({k: v // common for k, v in vector.items()} for vector in (weights, effects))
    return _Row(weights, effects)


def _combine(one: dict[int, int], times: int, other: dict[int, int], by: int) -> dict[int, int]:
    total = {k: v * times for k, v in one.items()}
    for k, v in other.items():
        total[k] = total.get(k, 0) + v * by
    return {k: v for k, v in total.items() if v}


def _minimal(rows: list[_Row]) -> list[_Row]:
    """The rows whose places do not include all places of another, the shortest ones if there are too many."""
    rows = sorted(rows, key=lambda r: len(r.weights))[: 2 * MOST_ROWS]
    kept: list[tuple[int, _Row]] = []
    for row in rows:
        support = sum(1 << p for p in row.weights)
        if not any(other & support == other for other, _ in kept):
            kept.append((support, row))
    return [row for _, row in kept[:MOST_ROWS]]


def proved_by_invariants(compiled: CompiledNet, properties: Sequence[Property], deadline: Deadline = never) -> set[int]:
    """The indices of those ``properties`` that an invariant proves."""
    if not any(p.kind in ("placeBound", "mutualExclusion", "unreachable") for p in properties):
        return set()
    found = place_invariants(compiled, deadline)
    weighed = [(y, sum(w * compiled.initial[p] for p, w in y.items())) for y in found]
    return {k for k, prop in enumerate(properties) if _proved(compiled, prop, weighed)}


def _proved(compiled: CompiledNet, prop: Property, weighed: Sequence[tuple[Weights, int]]) -> bool:
    places = [compiled.index[p] for p in prop.places]
    match prop.kind:
        case "placeBound":
            return any(y.get(places[0], 0) * ((prop.maximum or 0) + 1) > s for y, s in weighed)
        case "mutualExclusion":
            return all(_never_together({p, q}, weighed) for p, q in combinations(places, 2))
        case "unreachable":
            return _never_together(set(places), weighed)
        case _:
            return False


def _never_together(places: set[int], weighed: Sequence[tuple[Weights, int]]) -> bool:
    """Whether one token on each of ``places`` would weigh too much."""
    return any(sum(y.get(p, 0) for p in places) > s for y, s in weighed)
