"""Markings, steps and state spaces as a certificate lists them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.net.firing import Step
from petri_cli.soundness.bits import members
from petri_cli.soundness.explore import StateSpace
from petri_cli.soundness.packed import PackedNet
from petri_cli.soundness.stubborn import StubbornSets
from petri_cli.soundness.timer import Deadline

MOST_STATES = 50_000
"""Markings that one certificate lists."""

Json = dict[str, Any]
Written = tuple[str, Json]
"""Kind of the evidence, and the evidence."""


def listed(compiled: CompiledNet, states: Iterable[State]) -> Json:
    rows: list[Sequence[int]] = [[x for p, n in enumerate(state) if n for x in (p, n)] for state in states]
    return {"places": list(compiled.places), "markings": rows}


def steps(run: Iterable[Step]) -> list[Json]:
    return [{"transition": s.transition, "outcome": s.outcome} for s in run]


def started(compiled: CompiledNet, start: State) -> CompiledNet:
    """``compiled`` with another marking to start from."""
    return CompiledNet(compiled.net, compiled.places, compiled.actions, start, compiled.final)


def explored(space: StateSpace, limit: int, deadline: Deadline) -> StateSpace | None:
    """``space`` with all of its markings; None where there are more than ``limit``, or the time is up."""
    space.advance(limit, deadline)
    return space if space.complete else None


def all_states(space: StateSpace) -> list[State]:
    return [space.state(i) for i in range(len(space.markings))]


def towards(space: StateSpace) -> list[int] | None:
    """The states by their distance to the final one, it first; None where one does not lead there."""
    final = space.find(space.net.compiled.final)
    if final is None:
        return None
    before: list[list[int]] = [[] for _ in range(len(space.markings))]
    for i in range(len(space.markings)):
        for j in space.successors(i):
            before[j].append(i)
    order, seen = [final], {final}
    for j in order:  # grows while it is read
        for i in before[j]:
            if i not in seen:
                seen.add(i)
                order.append(i)
    return order if len(order) == len(space.markings) else None


def reduced(packed: PackedNet, limit: int, deadline: Deadline) -> tuple[StateSpace, StubbornSets] | None:
    """The reduced state space, and the stubborn sets that made it."""
    sets = StubbornSets(packed)
    space = explored(StateSpace(packed, sets.choose), limit, deadline)
    return None if space is None else (space, sets)


def with_sets(packed: PackedNet, space: StateSpace, sets: StubbornSets, order: Iterable[int]) -> Json:
    """The states of a reduced space in ``order``, with the stubborn set chosen at each."""
    order = list(order)
    chosen = []
    for i in order:
        m = space.markings[i]
        enabled = packed.enabled(m)
        chosen.append(list(members(sets.whole(m, enabled))) if enabled else [])
    return {**listed(packed.compiled, (space.state(i) for i in order)), "sets": chosen}
