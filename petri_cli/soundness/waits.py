"""Who holds what and who waits for what in a dead marking of a plan's workflow net, told in the plan's words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from petri_cli.errors import Position
from petri_cli.plan.lower import Items, Lowered, acquire_id, resource_place, verb
from petri_cli.plan.model import Foreach, Guard, Parallel, Plan
from petri_cli.soundness.result import Held, Lane, Wait
from petri_cli.soundness.story import name_of


@dataclass(frozen=True, slots=True)
class Standstill:
    """A dead marking: the participants that keep each other waiting, and the branches of the run that led there."""

    sentence: str
    waits: tuple[Wait, ...]
    lanes: tuple[Lane, ...]


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


def standstill(plan: Plan, lowered: Lowered, run: Sequence[str], marking: Mapping[str, int]) -> Standstill:
    """Explain the dead ``marking`` that ``run`` (transition ids) leads to."""
    waiters = _waiters(plan, lowered, marking)
    members = _knot(waiters, plan.capacities())
    at = {tid: i for i, tid in enumerate(run, 1)}
    names = [name_of(plan, w.guard, w.items) for w in members]
    waits = tuple(_wait(plan, w, name, members, names, at) for w, name in zip(members, names, strict=True))
    return Standstill(_sentence(plan, waits), waits, _lanes(plan, lowered, members, names, run))


def _waiters(plan: Plan, lowered: Lowered, marking: Mapping[str, int]) -> list[_Waiter]:
    quotas = {r.id for r in plan.resources if r.per is not None}
    found = []
    for t in lowered.net.transitions:
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
    after = [[j for j, (held, _) in enumerate(kinds) if lacks & held] for _, lacks in kinds]
    reach = [_reachable(after, i) for i in range(len(kinds))]
    bottoms = [r for i, r in enumerate(reach) if all(i in reach[j] for j in r)]
    found = [sorted(i for k in bottom for i in classes[kinds[k]]) for bottom in bottoms]
    knot = min(found, key=lambda members: (len(members), members))
    if len(knot) > FOLLOWED:
        return [waiters[i] for i in knot]
    lacking = {i: {r for r, _, _ in waiters[i].lacks} for i in knot}
    onward = {i: [j for j in knot if lacking[i] & waiters[j].held_resources()] for i in knot}
    return [waiters[i] for i in _round_trip(onward, frozenset(knot))]


FOLLOWED = 100
"""More participants than this are listed in document order."""


def _reachable(after: Sequence[Sequence[int]], start: int) -> frozenset[int]:
    seen: set[int] = set()
    todo = [start]
    while todo:
        for j in after[todo.pop()]:
            if j not in seen:
                seen.add(j)
                todo.append(j)
    return frozenset(seen or {start})


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
    plan: Plan, w: _Waiter, who: str, members: Sequence[_Waiter], names: Sequence[str], at: Mapping[str, int]
) -> Wait:
    held_here = set().union(*(m.held_resources() for m in members))
    resource, needs, free = next((x for x in w.lacks if x[0] in held_here), w.lacks[0])
    holds = tuple(
        Held(r, k, g.id, at.get(acquire_id(g, items), 0), _position(plan, g))
        for g, items in w.holds
        for r, k in g.units
    )
    return Wait(
        who=who,
        place=w.place,
        transition=acquire_id(w.guard, w.items),
        guard=w.guard.id,
        resource=resource,
        needs=needs,
        free=free,
        holds=holds,
        where=_position(plan, w.guard, units=needs > plan.capacities()[resource]),
        holders=tuple(n for m, n in zip(members, names, strict=True) if resource in m.held_resources()),
        guard_node=w.guard.index,
    )


def _position(plan: Plan, guard: Guard, *, units: bool = False) -> Position:
    where = guard.units_at if units and guard.units_at.line else guard.where
    return replace(where, path=where.path or plan.path(guard.index))


def _sentence(plan: Plan, waits: Sequence[Wait]) -> str:
    capacity = plan.capacities()
    if len(waits) == 1 and waits[0].needs > capacity[waits[0].resource]:
        w = waits[0]
        return f"`{w.who}` asks for {w.needs} of {w.resource}, which has {capacity[w.resource]}: it can never start."
    if len(waits) == 1 and (never := _never(waits[0], capacity)):
        return never
    wanted = {w.resource for w in waits}
    groups: dict[tuple[object, ...], list[Wait]] = {}
    for w in waits:
        held = tuple((h.resource, h.units) for h in w.holds if h.resource in wanted)
        groups.setdefault((held, w.resource, w.needs), []).append(w)
    parts = [_phrase(group, wanted, capacity) for group in groups.values()]
    if len(parts) > 4:
        parts = [*parts[:3], f"and {len(parts) - 3} more wait in the same way"]
    return "; ".join(parts) + "."


def _never(w: Wait, capacity: Mapping[str, int]) -> str:
    """What to say of somebody who asks for more than is left beside what it holds itself; empty when that is not so."""
    held = sum(h.units for h in w.holds if h.resource == w.resource)
    there = capacity[w.resource]
    if held + w.needs <= there:
        return ""
    if there == 1:
        return f"`{w.who}` holds {w.resource} and waits for {w.resource} again: there is only 1, so it can never go on."
    return (
        f"`{w.who}` needs {held + w.needs} {w.resource} at once, {held} of which it holds; "
        f"there are {there}: it can never go on."
    )


def _phrase(group: Sequence[Wait], wanted: set[str], capacity: Mapping[str, int]) -> str:
    w = group[0]
    held: dict[str, int] = {}
    for h in w.holds:
        if h.resource in wanted:
            held[h.resource] = held.get(h.resource, 0) + h.units
    have = " and ".join(_amount(r, k, capacity[r]) for r, k in held.items())
    want = _amount(w.resource, w.needs, capacity[w.resource], more=w.resource in held)
    if len(group) == 1:
        who = f"`{w.who}`"
        return f"{who} holds {have} and waits for {want}" if have else f"{who} waits for {want}"
    names = f"`{w.who}` … `{group[-1].who}`" if len(group) > 2 else f"`{w.who}` and `{group[-1].who}`"
    if len({tuple((h.guard, h.step) for h in each.holds if h.resource in wanted) for each in group}) == 1:
        return f"{names} together hold {have} and each wait for {want}"
    return f"{names} each hold {have} and wait for {want}"


def _amount(resource: str, units: int, capacity: int, *, more: bool = False) -> str:
    if capacity == 1 and units == 1:
        return f"{resource} again" if more else resource
    return f"{units} more {resource}" if more else f"{units} {resource}"


# Lanes: one for each participant, holding the steps of the branch that sets it apart from the others.

_At = tuple[int, Items]


def _lanes(
    plan: Plan, lowered: Lowered, members: Sequence[_Waiter], names: Sequence[str], run: Sequence[str]
) -> tuple[Lane, ...]:
    chains = [_chain(plan, w.guard.index, w.items) for w in members]
    shared = min((_common(chains[0], other) for other in chains[1:]), default=_forked(plan, chains[0]))
    owner: dict[_At, int] = {}  # what is around some participants but not around all: the first of them
    for i, chain in enumerate(chains):
        for at in chain[shared:]:
            owner.setdefault(at, i)
    steps: dict[int, list[tuple[int, str]]] = {i: [] for i in range(-1, len(members))}
    for number, tid in enumerate(run, 1):
        origin = lowered.origin[tid]
        lane = next((owner[at] for at in reversed(_chain(plan, origin.node, origin.items)) if at in owner), -1)
        steps[lane].append((number, tid))
    lanes = [Lane(name, tuple(steps[i])) for i, name in enumerate(names)]
    return (Lane("", tuple(steps[-1])), *lanes) if steps[-1] else tuple(lanes)


def _chain(plan: Plan, index: int, items: Items) -> list[_At]:
    """The nodes around a place in the plan, outermost first, each with the foreach items it belongs to."""
    chain = [(index, items)]
    for above in plan.ancestors(index):
        if isinstance(above, Foreach):
            items = items[:-1]
        chain.append((above.index, items))
    return chain[::-1]


def _forked(plan: Plan, chain: Sequence[_At]) -> int:
    """How many nodes of a chain are around the last place where branches or items part."""
    forks = (n + 1 for n, (index, _) in enumerate(chain) if isinstance(plan.nodes[index], (Parallel, Foreach)))
    return max(forks, default=0)


def _common(a: Sequence[_At], b: Sequence[_At]) -> int:
    n = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        n += 1
    return n
