"""The resources of a session as they stand: what is free, who holds the rest since when, and who waits for it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from petri_cli.driver.threads import called, items_of, name_of
from petri_cli.plan.lower import Lowered
from petri_cli.plan.model import Foreach, Guard, Plan
from petri_cli.session.state import RESOURCE, State

Inside = Mapping[tuple[str, str], list[str]]
"""(``t.guard.<id>``, thread) → the work that is claimed in that block."""


@dataclass(frozen=True, slots=True)
class HolderRow:
    """A guard's block that holds units since a time. inside: the work that is claimed in it."""

    guard: str
    line: int
    units: int
    since: int
    inside: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ResourceRow:
    """free + held + coming = capacity; coming: units of a quota on their way back, and ticks until the first one."""

    id: str
    capacity: int
    free: int
    held: int
    holders: tuple[HolderRow, ...]
    coming: int
    coming_in: int | None
    wanted: tuple[str, ...]
    """Guards whose turn has come and that have not got their units."""


def resource_rows(plan: Plan, lowered: Lowered, state: State, now: int) -> Iterable[ResourceRow]:
    """The resources of ``plan`` in ``state`` at store time ``now``."""
    wanted = _wanted(plan, lowered, state)
    holders = _holders(plan, state, _inside(plan, lowered, state))
    coming: dict[str, tuple[int, int]] = {}
    for timer in state.timers.values():
        units, due = coming.get(timer.place, (0, timer.due))
        coming[timer.place] = units + len(timer.tokens), min(due, timer.due)
    for resource in plan.resources:
        place = RESOURCE + resource.id
        units, due = coming.get(place, (0, 0))
        held = holders.get(place, [])
        yield ResourceRow(
            resource.id,
            resource.capacity,
            state.free(resource.id),
            sum(h.units for h in held),
            tuple(held),
            units,
            max(0, due - now) if place in coming else None,
            tuple(wanted.get(place, ())),
        )


def _wanted(plan: Plan, lowered: Lowered, state: State) -> dict[str, list[str]]:
    """Place of a resource → who waits for it."""
    wanted: dict[str, list[str]] = {}
    for t in lowered.net.transitions:
        if t.id.endswith(".acquire"):
            node = plan.nodes[lowered.origin[t.id].node]
            for token in state.marking.get(t.inputs[0].place, ()):
                for arc in t.inputs[1:]:
                    wanted.setdefault(arc.place, []).append(called(f"guard {node.id}", token.name))
    return wanted


def _holders(plan: Plan, state: State, inside: Inside) -> dict[str, list[HolderRow]]:
    """Place of a resource → who holds units of it."""
    guards = {f"t.guard.{g.id}": g for g in plan.guards()}
    holders: dict[str, list[HolderRow]] = {}
    for (head, _), h in state.holdings.items():
        guard = guards.get(head)
        name, line = (head, 0) if guard is None else (called(guard.id, h.thread), guard.where.line)
        for place, units in h.units.items():
            row = HolderRow(name, line, units, h.since, tuple(inside.get((head, h.thread), ())))
            holders.setdefault(place, []).append(row)
    return holders


def _inside(plan: Plan, lowered: Lowered, state: State) -> Inside:
    """Work belongs to each guard around it, in the thread that its items have out there."""
    inside: dict[tuple[str, str], list[str]] = {}
    for claim in state.claims.values():
        items = items_of(claim.thread)
        for node in plan.ancestors(lowered.origin[claim.transition].node):
            if isinstance(node, Foreach):
                items = items[:-1]
            elif isinstance(node, Guard):
                key = f"t.guard.{node.id}", name_of(items)
                inside.setdefault(key, []).append(called(claim.task, claim.thread))
    return inside
