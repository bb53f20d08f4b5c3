"""What is to be shown of a plan, part by part: statements B, F and G of ``docs/theory.md``, derived from the tree.

B: a resource makes nobody wait when what can be held and asked for at one time is no more than there is; and nobody
waits for ever when what can be kept by those who wait for others leaves enough for any request. F: a loop is its body,
once. G: where nothing runs beside a block it is judged by itself, with what the guards around it leave.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from petri_cli.certificate.claim import demand
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, PlanNode, Seq, Task

Units = dict[str, float]
"""Units by resource; infinitely many under a foreach of any width."""

MOST_ROUNDS = 100
"""Rounds after which no further resource is dropped: that is always allowed."""


def counted(plan: Plan) -> set[str]:
    """The resources that are held: the units of a quota come back by themselves."""
    return {r.id for r in plan.resources if r.per is None}


def live_nodes(plan: Plan) -> list[bool]:
    """For each node whether it can run: whether it is not inside a foreach over an empty list."""
    live: list[bool] = []
    for node in plan.nodes:
        above = plan.nodes[node.parent] if node.parent >= 0 else None
        empty = isinstance(above, Foreach) and above.width_limit == 0
        live.append((above is None or live[above.index]) and not empty)
    return live


def check_requests(plan: Plan) -> None:
    """No guard that can run asks for more than there is. Raises Unproved."""
    capacity = plan.capacities()
    for node, live in zip(plan.nodes, live_nodes(plan), strict=True):
        for r, k in node.units if isinstance(node, Guard) and live else ():
            demand(k <= capacity[r], f"the guard `{node.id}` asks for {k} of `{r}`, which has {capacity[r]}")


def demands(plan: Plan) -> Iterator[tuple[int, Units]]:
    """How many units of each resource can be held and asked for at one time in a node, children before parents. What is
    said of a node changes when its parent is looked at: deep plans would take quadratic room otherwise."""
    held = counted(plan)
    below: dict[int, list[Units]] = {}
    for node in reversed(plan.nodes):
        total = together(node, below.pop(node.index, []))
        for r, k in node.units if isinstance(node, Guard) else ():
            if r in held:
                total[r] = total.get(r, 0) + k
        below.setdefault(node.parent, []).append(total)
        yield node.index, total


def together(node: PlanNode, parts: Sequence[Units]) -> Units:
    """What the children of a node take at one time: side by side the sum, one after the other the most."""
    match node:
        case Parallel():
            return add(parts)
        case Guard() if parts:
            return parts[0]
        case Foreach():
            width = math.inf if node.width_limit is None else node.width_limit
            return {r: _bounded(n * width) for part in parts for r, n in part.items() if n} if width else {}
        case Seq() | Choice() | Loop() | Guard() | Task():
            most: Units = {}
            for part in parts:
                for r, n in part.items():
                    most[r] = max(n, most.get(r, 0))
            return most


MANY = 10**15
"""More units than any resource has: from here on they count as endless."""


def _bounded(units: float) -> float:
    return units if units <= MANY else math.inf


def add(parts: Sequence[Units]) -> Units:
    total: Units = {}
    for part in parts:
        for r, n in part.items():
            total[r] = total.get(r, 0) + n
    return total


@dataclass(frozen=True)
class Part:
    """Branches of a parallel or items of a foreach that get in each other's way. free: what the guards around it leave
    of each resource; waits: the resources for which somebody in it may have to wait."""

    plan: Plan
    root: int
    branches: tuple[int, ...]
    free: Mapping[str, int]
    waits: frozenset[str]

    @property
    def path(self) -> str:
        return self.plan.path(self.root)

    @cached_property
    def nodes(self) -> tuple[PlanNode, ...]:
        """The root and what is below its branches, parents before children; what never runs is left out."""
        nodes = [self.plan.nodes[self.root]]
        for b in self.branches:
            at, end = b, self.plan.nodes[b].end
            while at < end:
                node = self.plan.nodes[at]
                nodes.append(node)
                at = node.end if isinstance(node, Foreach) and node.width_limit == 0 else at + 1
        return tuple(nodes)

    def units(self, node: PlanNode, kept: frozenset[str] | set[str]) -> dict[str, int]:
        """What a guard takes of the resources ``kept``."""
        return {r: k for r, k in node.units if r in kept} if isinstance(node, Guard) else {}

    @cached_property
    def lasting(self) -> frozenset[str]:
        """The resources of ``waits`` for which somebody may have to wait for ever."""
        largest: dict[str, int] = {}
        for node in self.nodes:
            for r, k in self.units(node, self.waits).items():
                largest[r] = max(k, largest.get(r, 0))
        lasting = frozenset(largest)
        for _ in range(MOST_ROUNDS):
            keeps = self._kept(lasting)
            still = frozenset(r for r in lasting if keeps.get(r, 0) + largest[r] > self.free[r])
            if still == lasting:
                break
            lasting = still
        return lasting

    def _kept(self, lasting: frozenset[str]) -> Units:
        """How many units can be held at one time by guards with another guard on ``lasting`` inside."""
        below: dict[int, list[Units]] = {}  # of the children with a guard on ``lasting``
        for node in reversed(self.nodes):
            parts, own = below.pop(node.index, []), self.units(node, lasting)
            if parts:
                below.setdefault(node.parent, []).append(add([together(node, parts), {**own}]))
            elif own:
                below.setdefault(node.parent, []).append({})
        [kept] = below.get(self.nodes[0].parent, [{}])
        return kept

    def check_requests(self) -> None:
        """Every request fits what the guards around the part leave. Raises Unproved."""
        for node in self.nodes:
            for r, k in self.units(node, set(self.free)).items():
                demand(k <= self.free[r], f"the guard `{node.id}` asks for {k} of `{r}`, and {self.free[r]} are left")


def parts_of(plan: Plan) -> Iterator[Part]:
    """The parts in which somebody may have to wait for ever: the plan is sound if none of them can deadlock, once
    every request fits. Raises Unproved where one does not."""
    demanded = {at: dict(units) for at, units in demands(plan)}
    held = counted(plan)
    todo = [(0, {r: n for r, n in plan.capacities().items() if r in held})]
    while todo:
        at, free = todo.pop()
        node = plan.nodes[at]
        waits = frozenset(r for r, n in demanded[at].items() if n > free[r])
        if not waits:
            continue
        branches = node.children
        match node:
            case Parallel():
                branches = tuple(c for c in branches if demanded[c].keys() & waits)
            case Guard():
                free = dict(free)
                for r, k in ((r, k) for r, k in node.units if r in held):
                    demand(k <= free[r], f"the guard `{node.id}` asks for {k} of `{r}`, and {free[r]} are left")
                    free[r] -= k
            case _:
                pass
        alone = isinstance(node, Seq | Choice | Loop | Guard) or len(branches) == 1
        if isinstance(node, Foreach):
            alone = node.width_limit == 1
        if alone:
            todo += [(c, free) for c in reversed(branches)]
            continue
        part = Part(plan, at, branches, free, waits)
        part.check_requests()
        if part.lasting:
            yield part
