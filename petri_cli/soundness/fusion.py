"""Moves of a search net; fusing away places that are only ever left at once (post-agglomeration, Berthelot 1987)."""

from __future__ import annotations

from dataclasses import dataclass

from petri_cli.soundness.parts import Items

Arcs = tuple[tuple[int, int], ...]
"""(place, weight) pairs."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a step of the search means in the plan: ``acquire`` or ``release`` of a guard, ``choose`` branch k, or
    ``skip`` a foreach (pass it without any item)."""

    what: str
    node: int
    """Index in the plan."""
    branch: int = 0


@dataclass(frozen=True, slots=True)
class Move:
    """One step before fusion. ``items`` names the unfolded foreach items around it. In a counted foreach the item is
    whichever token is moved, and ``tail`` names the items further in (all of them of width 1)."""

    needs: Arcs
    gives: Arcs
    mark: Mark | None
    items: Items
    tail: Items = ()


def joined(one: tuple[Arcs, Arcs], other: tuple[Arcs, Arcs]) -> tuple[Arcs, Arcs]:
    """Needs and gives of two steps fired one after the other, the second fed by the first alone."""
    gives = dict(one[1])
    for p, k in other[0]:
        gives[p] -= k
        if not gives[p]:
            del gives[p]
    for p, k in other[1]:
        gives[p] = gives.get(p, 0) + k
    return one[0], tuple(sorted(gives.items()))


def effect(run: tuple[Move, ...]) -> tuple[Arcs, Arcs]:
    """Needs and gives of moves fired one after the other, each fed by the one before through a fused place."""
    needs = dict(run[0].needs)
    gives = dict(run[0].gives)
    for move in run[1:]:
        for p, k in move.needs:
            gives[p] -= k  # a fused move needs one token of the place before it and nothing else
            if not gives[p]:
                del gives[p]
        for p, k in move.gives:
            gives[p] = gives.get(p, 0) + k
    return tuple(sorted(needs.items())), tuple(sorted(gives.items()))


def fuse(runs: list[tuple[Move, ...]], places: int, fixed: set[int]) -> list[tuple[Move, ...]]:
    """Fuse away each place that is only ever left by steps that need it alone, as long as the net doesn't grow.

    A marking with a token there is never dead, so no dead marking is lost, and none is added: the fused step is the
    producer followed at once by one of the consumers, all of which stay possible.
    """
    alive: dict[int, tuple[Move, ...]] = dict(enumerate(runs))
    feeding: list[set[int]] = [set() for _ in range(places)]
    leaving: list[set[int]] = [set() for _ in range(places)]
    arcs: dict[int, tuple[Arcs, Arcs]] = {}
    fresh = len(runs)

    def link(i: int) -> None:
        for p, _ in arcs[i][0]:
            leaving[p].add(i)
        for p, _ in arcs[i][1]:
            feeding[p].add(i)

    def unlink(i: int) -> None:
        for p, _ in arcs[i][0]:
            leaving[p].discard(i)
        for p, _ in arcs[i][1]:
            feeding[p].discard(i)
        del alive[i], arcs[i]

    for i in alive:
        arcs[i] = effect(alive[i])
        link(i)
    todo = [p for p in range(places) if p not in fixed]
    for p in todo:
        out, into = leaving[p], feeding[p]
        if not out or not into or len(out) * len(into) > len(out) + len(into):
            continue
        if any(arcs[i][0] != ((p, 1),) for i in out) or any((p, 1) not in arcs[i][1] for i in into):
            continue
        if any(q == p for i in into for q, _ in arcs[i][0]):
            continue
        before, after = sorted(into), sorted(out)
        merged = [(alive[a] + alive[b], joined(arcs[a], arcs[b])) for a in before for b in after]
        for i in (*before, *after):
            unlink(i)
        for run, both in merged:
            alive[fresh], arcs[fresh] = run, both
            link(fresh)
            fresh += 1
    return [alive[i] for i in sorted(alive)]
