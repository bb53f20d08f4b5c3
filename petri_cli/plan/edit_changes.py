"""Changes of a plan that ask for no other work to be done, only for other waiting, and what a plan is with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

from petri_cli.plan.compare import same_plan
from petri_cli.plan.data import generated_ids
from petri_cli.plan.model import Choice, Guard, Parallel, Plan, PlanNode, Resource

_GENERATED = re.compile(r"g?[0-9]+")


@dataclass(frozen=True, slots=True)
class SetCapacity:
    """The resource has ``capacity`` units."""

    resource: str
    capacity: int


@dataclass(frozen=True, slots=True)
class AddResource:
    """There is one more resource, declared last."""

    id: str
    capacity: int


@dataclass(frozen=True, slots=True)
class Reorder:
    """The k-th of ``guards`` (indices in the plan) takes what the ``order[k]``-th of them took."""

    guards: tuple[int, ...]
    order: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Together:
    """The guard takes a unit of ``resources`` as well, at once with its own, and the guards on these inside go."""

    guard: int
    resources: tuple[str, ...]
    inside: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Wrap:
    """The node (an index in the plan) stands in a guard that takes one unit of ``resource``."""

    node: int
    resource: str


@dataclass(frozen=True, slots=True)
class SetWidth:
    """The foreach (an index in the plan) takes at most so many items."""

    foreach: int
    width: int


Change = SetCapacity | AddResource | Reorder | Together | Wrap | SetWidth


def with_changes(plan: Plan, changes: Sequence[Change]) -> Plan:
    """``plan`` with the changes, positions as they were. Generated ids are generated anew."""
    resources = {r.id: r for r in plan.resources}
    shape = _Shape({}, {}, set())
    for change in changes:
        match change:
            case SetCapacity(resource, capacity):
                resources[resource] = replace(resources[resource], capacity=capacity)
            case AddResource(rid, capacity):
                resources[rid] = Resource(rid, capacity)
            case Reorder(guards, order):
                taken = [guard_at(plan, g).units for g in guards]
                shape.own.update((g, {"units": taken[k]}) for g, k in zip(guards, order, strict=True))
            case Together(guard, more, inside):
                shape.own[guard] = {"units": (*guard_at(plan, guard).units, *((r, 1) for r in more))}
                shape.gone.update(inside)
            case Wrap(node, resource):
                shape.wraps.setdefault(node, []).append(resource)
            case SetWidth(foreach, width):
                shape.own[foreach] = {"max_width": width}
            case other:
                assert_never(other)
    return replace(plan, resources=tuple(resources.values()), nodes=shape.of(plan))


def guard_at(plan: Plan, index: int) -> Guard:
    """The guard with this index."""
    node = plan.nodes[index]
    assert isinstance(node, Guard)  # noqa: S101
    return node


def same_but_for_ids(a: Plan, b: Plan) -> bool:
    """Whether the plans are the same, ids that are generated, or look like it, aside."""
    return same_plan(_without_ids(a), _without_ids(b))


def _without_ids(plan: Plan) -> Plan:
    return replace(plan, nodes=tuple(replace(n, id="") if _looks_generated(n) else n for n in plan.nodes))


def _looks_generated(node: PlanNode) -> bool:
    return isinstance(node, Guard | Parallel | Choice) and _GENERATED.fullmatch(node.id) is not None


@dataclass(slots=True)
class _Shape:
    """own: new fields of a node; wraps: resources of the guards around a node, outermost first; gone: guards that are
    not there any more. By index in the plan as it was."""

    own: dict[int, dict[str, Any]]
    wraps: dict[int, list[str]]
    gone: set[int]

    def of(self, plan: Plan) -> tuple[PlanNode, ...]:
        """The nodes of ``plan`` in this shape."""
        if not self.wraps and not self.gone:
            nodes = list(plan.nodes)
            for index, own in self.own.items():
                nodes[index] = replace(nodes[index], **own)
            return tuple(nodes)
        hidden = generated_ids(plan)
        made: list[PlanNode] = []
        parents: list[int] = []
        at = {-1: -1}  # where the children of a node that was there belong
        for node in plan.nodes:
            parent = at[node.parent]
            for resource in self.wraps.get(node.index, ()):
                parents.append(parent)
                parent = len(made)
                made.append(Guard(parent, 0, (), 0, node.where, "", units=((resource, 1),)))
            if node.index in self.gone:
                at[node.index] = parent
                continue
            at[node.index] = len(made)
            parents.append(parent)
            own = {**({"id": ""} if node.index in hidden else {}), **self.own.get(node.index, {})}
            made.append(replace(node, **own))
        return _linked(made, parents)


def _linked(made: Sequence[PlanNode], parents: Sequence[int]) -> tuple[PlanNode, ...]:
    children: list[list[int]] = [[] for _ in made]
    ends = list(range(1, len(made) + 1))
    for i in range(len(made) - 1, 0, -1):
        children[parents[i]].append(i)
        ends[parents[i]] = max(ends[parents[i]], ends[i])
    ids = _ids(made)
    return tuple(
        replace(node, index=i, parent=parents[i], children=tuple(reversed(children[i])), end=ends[i], id=ids[i])
        for i, node in enumerate(made)
    )


def _ids(nodes: Sequence[PlanNode]) -> list[str]:
    """Ids for those that have none, by the rule of the language: the ordinal among their kind, or what is free."""
    ids = [n.id for n in nodes]
    kinds: tuple[tuple[type[Any], str], ...] = ((Guard, "g"), (Parallel, ""), (Choice, ""))
    for kind, prefix in kinds:
        mine = [i for i, n in enumerate(nodes) if isinstance(n, kind)]
        taken = {ids[i] for i in mine}
        names = [f"{prefix}{k}" for k in range(1, 2 * len(mine) + 1)]
        free = (n for n in names[len(mine) :] if n not in taken)
        for i, name in zip(mine, names, strict=False):
            if not ids[i]:
                ids[i] = name if name not in taken else next(free)
    return ids
