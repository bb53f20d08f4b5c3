"""The core of a plan: its guards and the structure that relates them; everything that never waits is left out.

Tasks take no resource, loops count once (statement F of ``docs/theory.md``), a foreach whose list is empty never runs
its body. Nodes are flat and in pre-order, as in the plan.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import assert_never

from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task


class Kind(Enum):
    SEQ = "seq"
    PARALLEL = "parallel"
    CHOICE = "choice"
    FOREACH = "foreach"
    GUARD = "guard"


@dataclass(frozen=True, slots=True)
class CoreNode:
    """A node of the core. ``children`` are core indices, greater than ``index``; ``plan`` is the index in the plan;
    ``end`` is one past the last descendant.

    units: (resource index, k) of a guard, quotas left out; limit: the largest width of a foreach, None when unbounded;
    branches: for a choice, the 1-based plan branch of each child; skip: a branch without guards, 0 when there is none.
    """

    index: int
    parent: int
    kind: Kind
    plan: int
    children: tuple[int, ...] = ()
    units: tuple[tuple[int, int], ...] = ()
    limit: int | None = None
    branches: tuple[int, ...] = ()
    skip: int = 0
    end: int = 0
    literal: bool = False
    """A foreach over a list written in the plan: it has that width and no other."""


@dataclass(frozen=True, slots=True)
class Request:
    """Units asked for by one guard at once, quotas included; it fits when no number exceeds the capacity."""

    plan: int
    resource: int
    units: int


@dataclass(frozen=True, slots=True)
class Core:
    """Guards and their structure. ``nodes`` is empty when no part of the plan ever waits."""

    plan: Plan
    nodes: tuple[CoreNode, ...]
    resources: tuple[str, ...]
    capacities: tuple[int, ...]
    requests: tuple[Request, ...]
    """Every reachable request, in document order."""


def core_of(plan: Plan) -> Core:
    """The core of ``plan``, in time linear in the plan."""
    resources = tuple(r.id for r in plan.resources)
    index = {r: i for i, r in enumerate(resources)}
    quotas = {r.id for r in plan.resources if r.per is not None}
    reachable = _reachable(plan)
    relevant = _relevant(plan, reachable)
    requests = tuple(Request(n.index, index[r], k) for n in plan.guards() if reachable[n.index] for r, k in n.units)
    nodes = _build(plan, relevant, index, quotas)
    return Core(plan, nodes, resources, tuple(r.capacity for r in plan.resources), requests)


def _reachable(plan: Plan) -> list[bool]:
    """Whether a node can run at all: not inside a foreach over an empty list."""
    reachable = [True] * len(plan.nodes)
    for n in plan.nodes:
        if n.parent >= 0:
            above = plan.nodes[n.parent]
            empty = isinstance(above, Foreach) and above.width_limit == 0
            reachable[n.index] = reachable[n.parent] and not empty
    return reachable


def _relevant(plan: Plan, reachable: list[bool]) -> list[bool]:
    """Whether a subtree holds a reachable guard."""
    relevant = [False] * len(plan.nodes)
    for n in reversed(plan.nodes):
        if isinstance(n, Guard) and reachable[n.index]:
            relevant[n.index] = True
        if relevant[n.index] and n.parent >= 0:
            relevant[n.parent] = True
    return relevant


def _build(plan: Plan, relevant: list[bool], index: dict[str, int], quotas: set[str]) -> tuple[CoreNode, ...]:
    if not relevant or not relevant[0]:
        return ()
    nodes: list[CoreNode] = []
    children: list[list[int]] = []
    stack: list[tuple[int, int]] = [(0, -1)]  # (plan index, core parent), next in document order on top
    while stack:
        at, parent = stack.pop()
        node = plan.nodes[at]
        inner = [c for c in node.children if relevant[c]]
        match node:
            case Task():
                raise AssertionError("a task holds no guard")
            case Loop():
                stack.append((inner[0], parent))
                continue
            case Seq() | Parallel() if len(inner) == 1:
                stack.append((inner[0], parent))
                continue
            case Seq():
                new = CoreNode(len(nodes), parent, Kind.SEQ, at)
            case Parallel():
                new = CoreNode(len(nodes), parent, Kind.PARALLEL, at)
            case Choice():
                branches = tuple(k for k, c in enumerate(node.children, 1) if relevant[c])
                skip = next((k for k, c in enumerate(node.children, 1) if not relevant[c]), 0)
                new = CoreNode(len(nodes), parent, Kind.CHOICE, at, branches=branches, skip=skip)
            case Foreach():
                new = CoreNode(
                    len(nodes), parent, Kind.FOREACH, at, limit=node.width_limit, literal=node.items is not None
                )
            case Guard():
                units = tuple((index[r], k) for r, k in node.units if r not in quotas)
                new = CoreNode(len(nodes), parent, Kind.GUARD, at, units=units)
            case other:
                assert_never(other)
        nodes.append(new)
        children.append([])
        if parent >= 0:
            children[parent].append(new.index)
        stack.extend((c, new.index) for c in reversed(inner))
    end = list(range(1, len(nodes) + 1))
    for n in reversed(nodes):
        if n.parent >= 0:
            end[n.parent] = max(end[n.parent], end[n.index])
    return tuple(replace(n, children=tuple(children[n.index]), end=end[n.index]) for n in nodes)
