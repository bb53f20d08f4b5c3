"""The parts of a plan that are judged apart (statement G), and the sub-plans in which a deadlock is looked for first.

Where nothing runs beside it, a block starts with every resource that the guards around it leave free. So, from the
root: the members of a seq and the branches of a choice are judged one by one; a guard's body is judged with the rest
of the capacity; the branches of a parallel fall into groups that share, transitively, a resource which can make one
of them wait. A group of several branches, and a foreach over several items, is a *part*.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import assert_never

from petri_cli.soundness.bits import members
from petri_cli.soundness.core import Core, CoreNode, Kind
from petri_cli.soundness.demand import Demand, blocking, total_of
from petri_cli.soundness.lockorder import closest_nestings, nestings

Items = tuple[int, ...]


@dataclass(frozen=True)
class Part:
    """A block of the core, run alone: some branches of a parallel, or the whole subtree of another node.

    root: core index; branches: the children that belong to it; capacities: what the guards around it leave, by resource
    index; items: the item of each foreach around it (all of width 1); demand: of the part.
    """

    core: Core
    root: int
    branches: tuple[int, ...]
    capacities: tuple[int, ...]
    items: Items
    demand: Demand

    @cached_property
    def nodes(self) -> tuple[CoreNode, ...]:
        """The nodes of the part in pre-order, with the children that belong to it."""
        nodes = self.core.nodes
        inside = [n for b in self.branches for n in nodes[b : nodes[b].end]]
        root = nodes[self.root]
        return (_with_branches(root, self.branches), *inside)

    def waiting(self) -> int:
        """The resources that can make a guard of the part wait (statement B), as a bit set."""
        return blocking(self.demand, self.capacities)

    def edges(self, resources: int) -> dict[int, frozenset[tuple[int, int]]]:
        """For each branch that nests guards on ``resources``, which it nests in which; of many resources, only those
        next to each other."""
        nodes, known = self.core.nodes, self.core.nestings
        found = {}
        for b in self.branches:
            edges = known.get((b, resources))
            if edges is None:
                inside = nodes[b : nodes[b].end]
                if resources.bit_count() > FEW:
                    edges = closest_nestings(inside, resources)
                else:
                    after = nestings(inside, resources)
                    edges = frozenset((r, s) for r, bits in after.items() for s in members(bits))
                known[b, resources] = edges
            if edges:
                found[b] = edges
        return found

    def holding(self, resources: int) -> Part:
        """The branches that can hold some of ``resources`` while they ask for others: with no resources but these they
        deadlock exactly when the part does (statement G)."""
        if self.core.nodes[self.root].kind is not Kind.PARALLEL:
            return self
        branches = tuple(self.edges(resources))
        return self if branches == self.branches else replace(self, branches=branches)


def _with_branches(root: CoreNode, branches: tuple[int, ...]) -> CoreNode:
    if root.children == branches:
        return root
    return CoreNode(root.index, root.parent, root.kind, root.plan, branches, end=root.end)


def parts_of(
    core: Core, capacities: tuple[int, ...], limits: Sequence[int | None], demands: Sequence[Demand]
) -> Iterator[Part]:
    """The parts of the core in document order; blocks that never wait are left out.

    limits: width limit by core index; demands: of each node (:func:`petri_cli.soundness.demand.demands_of`).
    """
    stack: list[tuple[int, tuple[int, ...], Items]] = [(0, capacities, ())] if core.nodes else []
    while stack:
        at, free, items = stack.pop()
        node = core.nodes[at]
        if not blocking(demands[at], free):
            continue
        match node.kind:
            case Kind.SEQ | Kind.CHOICE:
                stack.extend((c, free, items) for c in reversed(node.children))
            case Kind.GUARD:
                left = list(free)
                for r, k in node.units:
                    left[r] -= k
                if min(left, default=0) < 0:
                    yield Part(core, at, node.children, free, items, demands[at])
                else:
                    stack.extend((c, tuple(left), items) for c in node.children)
            case Kind.FOREACH if limits[at] == 1:
                stack.append((node.children[0], free, (*items, 1)))
            case Kind.FOREACH:
                yield Part(core, at, node.children, free, items, demands[at])
            case Kind.PARALLEL:
                groups = _groups(node, free, demands)
                alone = [g[0] for g in groups if len(g) == 1]
                for group in groups:
                    if len(group) > 1:
                        yield Part(core, at, group, free, items, total_of(demands[c] for c in group))
                stack.extend((c, free, items) for c in reversed(alone))
            case other:
                assert_never(other)


def _groups(node: CoreNode, free: Sequence[int], demands: Sequence[Demand]) -> list[tuple[int, ...]]:
    """The branches of a parallel by shared resources that can make one of them wait; branches without any left out."""
    waiting = blocking(total_of(demands[c] for c in node.children), free)
    leader: dict[int, int] = {}

    def find(r: int) -> int:
        while leader.setdefault(r, r) != r:
            leader[r] = leader[leader[r]]
            r = leader[r]
        return r

    uses = [(c, [r for r in demands[c] if waiting >> r & 1]) for c in node.children]
    for _, mine in uses:
        for r in mine[1:]:
            leader[find(r)] = find(mine[0])
    groups: dict[int, list[int]] = {}
    for c, mine in uses:
        if mine:
            groups.setdefault(find(mine[0]), []).append(c)
    return sorted(tuple(g) for g in groups.values())


FEW = 64
"""Resources whose nestings are listed pair by pair."""
MAX_SUBPLANS = 40
MAX_CYCLES = 200
"""Edges of → for which a cycle through them is looked for."""


def subplans(part: Part, component: int) -> Iterator[Part]:
    """Smaller parts in which a deadlock over the cyclic ``component`` of → (a bit set) is likely, best first.

    Fewer branches of a parallel: a deadlock of theirs is one of the whole part, since whatever else runs on until it
    stops only takes units and gives them back. Each is the branches that provide the edges of one cycle, as many for
    each edge as its first resource has units.
    """
    if len(part.branches) < 3 or part.core.nodes[part.root].kind is not Kind.PARALLEL:
        return
    providers: dict[tuple[int, int], list[int]] = {}
    for b, edges in part.edges(component).items():
        for edge in edges:
            providers.setdefault(edge, []).append(b)
    tried: set[tuple[int, ...]] = set()
    for edge in sorted(providers, key=lambda e: (len(providers[e]), e))[:MAX_CYCLES]:
        cycle = _cycle_through(edge, providers)
        if not cycle:
            continue
        chosen: set[int] = set()
        for r, s in cycle:
            wanted = part.capacities[r] if r != s else part.capacities[r] + 1
            fresh = [b for b in providers[r, s] if b not in chosen][:wanted]
            chosen.update(fresh or providers[r, s][:1])
        branches = tuple(sorted(chosen))
        if len(branches) < len(part.branches) and branches not in tried:
            tried.add(branches)
            yield replace(part, branches=branches)
            if len(tried) >= MAX_SUBPLANS:
                return


def _cycle_through(edge: tuple[int, int], edges: Collection[tuple[int, int]]) -> list[tuple[int, int]]:
    """A shortest cycle that begins with ``edge``; empty when there is none."""
    first, at = edge
    if first == at:
        return [edge]
    after: dict[int, list[int]] = {}
    for r, s in edges:
        after.setdefault(r, []).append(s)
    parent: dict[int, int] = {at: first}
    queue = [at]
    for r in queue:  # grows while it is read
        for s in after.get(r, ()):
            if s == first:
                path = [(r, s)]
                while r != at:
                    path.append((parent[r], r))
                    r = parent[r]
                return [edge, *reversed(path)]
            if s not in parent:
                parent[s] = r
                queue.append(s)
    return []
