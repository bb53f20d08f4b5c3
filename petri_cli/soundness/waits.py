"""Who holds what and who waits for what in a dead marking of a plan's workflow net, told in the plan's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from petri_cli.errors import Position
from petri_cli.plan.lower import Items, Lowered, acquire_id, resource_place, verb
from petri_cli.plan.model import Foreach, Guard, Plan
from petri_cli.soundness.bits import components, members
from petri_cli.soundness.branches import lanes_of
from petri_cli.soundness.result import Held, Lane, Wait
from petri_cli.soundness.story import name_of
from petri_cli.soundness.timer import Deadline, Pace, never
from petri_cli.soundness.waits_text import sentence_of

TOLD = 100
"""Participants that are listed; the sentence speaks of all."""
PATHS = 100
"""Of so many guards around a participant it is said by a path where they stand; of those further in by line and column
alone: the paths of a deep nest take quadratic room."""


@dataclass(frozen=True, slots=True)
class Standstill:
    """A dead marking: the participants that keep each other waiting, and the branches of the run that led there.

    count: how many participants there are; waits, lanes: of the first of them; lacking: the resources they lack.
    """

    sentence: str
    waits: tuple[Wait, ...]
    lanes: tuple[Lane, ...]
    count: int = 0
    lacking: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Waiter:
    guard: Guard
    items: Items
    place: str
    lacks: tuple[tuple[str, int, int], ...]
    """(resource, units needed, units free)"""
    holds: tuple[tuple[Guard, Items], ...]
    """Outermost first."""

    def held_resources(self) -> set[str]:
        return {r for g, _ in self.holds for r, _ in g.units}


def standstill(
    plan: Plan, lowered: Lowered, run: Sequence[str], marking: Mapping[str, int], deadline: Deadline = never
) -> Standstill:
    """Explain the dead ``marking`` that ``run`` (transition ids) leads to. Raises OutOfTime past the deadline."""
    pace = Pace(deadline)
    participants = _knot(_waiters(plan, lowered, marking, pace), plan.capacities())
    at = {tid: i for i, tid in enumerate(run, 1)}
    holders: dict[str, list[str]] = {}
    names = []
    for i, w in enumerate(participants):
        pace.step()
        name = name_of(plan, w.guard, w.items)
        names.append(name)
        for r in w.held_resources():
            listed = holders.setdefault(r, [])
            if i < TOLD:
                listed.append(name)
    who_holds = {r: tuple(listed) for r, listed in holders.items()}
    waits = []
    for i, (w, name) in enumerate(zip(participants, names, strict=True)):
        waits.append(_wait(plan, w, name, who_holds, at, PATHS if i < TOLD else 0, pace))
    told = [(w.guard.index, w.items) for w in participants[:TOLD]]
    return Standstill(
        sentence_of(plan, waits),
        tuple(waits[:TOLD]),
        lanes_of(plan, lowered, told, names[:TOLD], run, pace),
        len(waits),
        tuple(dict.fromkeys(w.resource for w in waits)),
    )


def _waiters(plan: Plan, lowered: Lowered, marking: Mapping[str, int], pace: Pace) -> list[_Waiter]:
    quotas = {r.id for r in plan.resources if r.per is not None}
    found = []
    for t in lowered.net.transitions:
        pace.step()
        if not marking.get(t.inputs[0].place, 0):
            continue
        origin = lowered.origin[t.id]
        node = plan.nodes[origin.node]
        if not isinstance(node, Guard) or verb(t.id) != "acquire":
            continue
        free = {r: marking.get(resource_place(r), 0) for r, _ in node.units}
        lacks = tuple((r, k, free[r]) for r, k in node.units if free[r] < k)
        holds = []
        items = origin.items
        for above in plan.ancestors(node.index):
            if isinstance(above, Foreach):
                items = items[:-1]
            elif isinstance(above, Guard) and any(r not in quotas for r, _ in above.units):
                holds.append((replace(above, units=tuple(u for u in above.units if u[0] not in quotas)), items))
        found.append(_Waiter(node, origin.items, t.inputs[0].place, lacks, tuple(reversed(holds))))
    return found


def _knot(waiters: Sequence[_Waiter], capacities: Mapping[str, int]) -> list[_Waiter]:
    """A smallest set of waiters that wait only for each other: a bottom component of «w lacks what v holds».

    A request that exceeds the capacity waits for nobody and is a set of its own.
    """
    for w in waiters:
        if any(k > capacities[r] for r, k, _ in w.lacks):
            return [replace(w, lacks=tuple(x for x in w.lacks if x[1] > capacities[x[0]]))]
    classes: dict[tuple[frozenset[str], frozenset[str]], list[int]] = {}  # (holds, lacks): hundreds of items are few
    for i, w in enumerate(waiters):
        key = frozenset(w.held_resources()), frozenset(r for r, _, _ in w.lacks)
        classes.setdefault(key, []).append(i)
    kinds = list(classes)
    found = [sorted(i for k in bottom for i in classes[kinds[k]]) for bottom in _bottoms(kinds)]
    knot = min(found, key=lambda members: (len(members), members))
    if len(knot) > FOLLOWED:
        return [waiters[i] for i in knot]
    lacking = {i: {r for r, _, _ in waiters[i].lacks} for i in knot}
    onward = {i: [j for j in knot if lacking[i] & waiters[j].held_resources()] for i in knot}
    return [waiters[i] for i in _round_trip(onward, frozenset(knot))]


FOLLOWED = 100
"""More participants than this are listed in document order."""


def _bottoms(kinds: Sequence[tuple[frozenset[str], frozenset[str]]]) -> list[list[int]]:
    """The bottom components of «k lacks what l holds» among kinds (what they hold, what they lack), as kind numbers.

    An edge goes by way of the resource, so there are no more edges than kinds have resources.
    """
    number = {r: len(kinds) + i for i, r in enumerate(dict.fromkeys(r for held, _ in kinds for r in sorted(held)))}
    after: dict[int, int] = {}
    for k, (held, lacked) in enumerate(kinds):
        for r in held:
            after[number[r]] = after.get(number[r], 0) | 1 << k
        after[k] = sum(1 << number[r] for r in lacked if r in number)
    everything = (1 << len(kinds) + len(number)) - 1
    bottoms = []
    for component in components(after, everything):
        inside = list(members(component))
        if all(not after[n] & ~component for n in inside):
            bottoms.append([n for n in inside if n < len(kinds)])
    return bottoms


def _round_trip(after: Mapping[int, Sequence[int]], knot: frozenset[int]) -> list[int]:
    """The members in an order that follows «waits for» as far as it goes, the first in the document first."""
    left = set(knot)
    order: list[int] = []
    at = min(left)
    while True:
        order.append(at)
        left.discard(at)
        if not left:
            return order
        onward = [j for j in after[at] if j in left]
        at = min(onward) if onward else min(left)


def _wait(
    plan: Plan,
    w: _Waiter,
    who: str,
    holders: Mapping[str, tuple[str, ...]],
    at: Mapping[str, int],
    paths: int,
    pace: Pace,
) -> Wait:
    """paths: of how many of the guards around it the path is worked out."""
    resource, needs, free = next((x for x in w.lacks if x[0] in holders), w.lacks[0])
    holds = []
    for n, (g, items) in enumerate(w.holds):
        pace.step()
        where = _position(plan, g) if n < paths else g.where
        holds += [Held(r, k, g.id, at.get(acquire_id(g, items), 0), where) for r, k in g.units]
    pace.step()
    return Wait(
        who=who,
        place=w.place,
        transition=acquire_id(w.guard, w.items),
        guard=w.guard.id,
        resource=resource,
        needs=needs,
        free=free,
        holds=tuple(holds),
        where=_position(plan, w.guard, units=needs > plan.capacities()[resource]) if paths else w.guard.where,
        holders=holders.get(resource, ()),
        guard_node=w.guard.index,
    )


def _position(plan: Plan, guard: Guard, *, units: bool = False) -> Position:
    where = guard.units_at if units and guard.units_at.line else guard.where
    return replace(where, path=where.path or plan.path(guard.index))
