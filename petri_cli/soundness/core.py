"""The core of a plan: its guards and the structure that relates them; everything that never waits is left out.

Tasks take no resource, loops count once (statement F of ``docs/theory.md``), a foreach whose list is empty never runs
its body. Nodes are flat and in pre-order, as in the plan.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeVar, assert_never, dataclass_transform

from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task
from petri_cli.soundness.bits import bits_of

_T = TypeVar("_T")


class Kind(Enum):
    SEQ = "seq"
    PARALLEL = "parallel"
    CHOICE = "choice"
    FOREACH = "foreach"
    GUARD = "guard"


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def _frozen(cls: type[_T]) -> type[_T]:
    """A slotted dataclass, compared by identity, that the type checker holds to be frozen: see
    :mod:`petri_cli.plan.model`."""
    return dataclass(slots=True, eq=False)(cls)


@_frozen
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
    mask: int = 0
    """The resources of ``units`` as a bit set."""
    literal: bool = False
    """A foreach over a list written in the plan: it has that width and no other."""


@_frozen
class Request:
    """Units asked for by one guard at once, quotas included; it fits when no number exceeds the capacity."""

    plan: int
    resource: int
    units: int


@dataclass(frozen=True, slots=True, eq=False)
class Core:
    """Guards and their structure. ``nodes`` is empty when no part of the plan ever waits."""

    plan: Plan
    nodes: tuple[CoreNode, ...]
    resources: tuple[str, ...]
    capacities: tuple[int, ...]
    requests: tuple[Request, ...]
    """Every reachable request, in document order."""
    nestings: dict[tuple[int, int], frozenset[tuple[int, int]]] = field(default_factory=dict)
    """(node, resources) → which of the resources are nested in which below the node; filled when asked for,
    since one plan is judged again and again at other capacities."""


def core_of(plan: Plan) -> Core:
    """The core of ``plan``, in time linear in the plan."""
    resources = tuple(r.id for r in plan.resources)
    index = {r: i for i, r in enumerate(resources)}
    quotas = {r.id for r in plan.resources if r.per is not None}
    reachable = _reachable(plan)
    relevant = _relevant(plan, reachable)
    requests = tuple([Request(n.index, index[r], k) for n in plan.guards() if reachable[n.index] for r, k in n.units])
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
    at, parents = _chosen(plan, relevant)
    children: list[list[int]] = [[] for _ in at]
    end = list(range(1, len(at) + 1))
    for i in range(len(at) - 1, 0, -1):
        parent = parents[i]
        children[parent].append(i)
        if end[i] > end[parent]:
            end[parent] = end[i]
    taken: dict[tuple[tuple[str, int], ...], tuple[tuple[tuple[int, int], ...], int]] = {}
    """What guards ask for, as written → by resource index, and as a bit set: many ask for the same."""
    nodes = []
    for i, n in enumerate(at):
        node = plan.nodes[n]
        inside = tuple(reversed(children[i]))
        match node:
            case Guard():
                known = taken.get(node.units)
                if known is None:
                    units = tuple([(index[r], k) for r, k in node.units if r not in quotas])
                    known = taken[node.units] = units, bits_of(r for r, _ in units)
                units, mask = known
                new = CoreNode(i, parents[i], Kind.GUARD, n, inside, units, end=end[i], mask=mask)
            case Seq():
                new = CoreNode(i, parents[i], Kind.SEQ, n, inside, end=end[i])
            case Parallel():
                new = CoreNode(i, parents[i], Kind.PARALLEL, n, inside, end=end[i])
            case Foreach():
                limit, literal = node.width_limit, node.items is not None
                new = CoreNode(i, parents[i], Kind.FOREACH, n, inside, limit=limit, literal=literal, end=end[i])
            case Choice():
                branches = tuple(k for k, c in enumerate(node.children, 1) if relevant[c])
                skip = next((k for k, c in enumerate(node.children, 1) if not relevant[c]), 0)
                new = CoreNode(i, parents[i], Kind.CHOICE, n, inside, branches=branches, skip=skip, end=end[i])
            case Task() | Loop():
                raise AssertionError("neither a task nor a loop is part of the core")
            case other:
                assert_never(other)
        nodes.append(new)
    return tuple(nodes)


def _chosen(plan: Plan, relevant: list[bool]) -> tuple[list[int], list[int]]:
    """The plan nodes of the core in pre-order, and the core index of each one's parent.

    A loop stands for its body, a seq or parallel with one relevant child for that child.
    """
    at: list[int] = []
    parents: list[int] = []
    stack: list[tuple[int, int]] = [(0, -1)]
    while stack:
        n, parent = stack.pop()
        node = plan.nodes[n]
        inner = [c for c in node.children if relevant[c]]
        if isinstance(node, Loop) or (len(inner) == 1 and isinstance(node, (Seq, Parallel))):
            stack.append((inner[0], parent))
            continue
        here = len(at)
        at.append(n)
        parents.append(parent)
        for c in reversed(inner):
            stack.append((c, here))
    return at, parents
