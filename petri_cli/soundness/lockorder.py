"""The lock-order relation → and what follows from its cycles (statements C and D).

r → s when a guard on s lies inside the body of a guard on r. Havender 1968 ("Avoiding Deadlock in Multitasking
Systems", IBM Systems Journal 7(2)): acquiring in one order never deadlocks. Guards nested n deep give n² / 2
edges; the relation is kept as bit sets, and no edge is ever looked at by itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from petri_cli.soundness.bits import components, members
from petri_cli.soundness.core import CoreNode


@dataclass(frozen=True, slots=True)
class LockOrder:
    """The relation → among ``resources`` (a bit set), and its condensation.

    after: resource → its successors as a bit set, left out where there are none; components: the strongly connected
    components as bit sets, in an order in which → never points backward.
    """

    resources: int
    after: Mapping[int, int]
    components: tuple[int, ...]

    def cyclic(self) -> list[int]:
        """The components that hold a cycle: more than one resource, or one with r → r."""
        found = []
        for c in self.components:
            r = c.bit_length() - 1
            if c != 1 << r or self.after.get(r, 0) & c:
                found.append(c)
        return found

    def order(self) -> list[int]:
        """The resources in an order that every nesting of guards follows, when no component is cyclic."""
        return [c.bit_length() - 1 for c in self.components]

    def ancestors(self, component: int) -> int:
        """The resources from which ``component`` can be reached along →, itself included."""
        found = component
        for c in reversed(self.components):
            if any(self.after.get(r, 0) & found for r in members(c)):
                found |= c
        return found


def lock_order(nodes: Sequence[CoreNode], resources: int) -> LockOrder:
    """→ restricted to ``resources`` (a bit set), over ``nodes``: a subtree in pre-order. Time linear in its size."""
    after = nestings(nodes, resources)
    return LockOrder(resources, after, tuple(components(after, resources)))


def nestings(nodes: Sequence[CoreNode], resources: int) -> dict[int, int]:
    """→ among ``resources`` as successor bit sets: for each guard, what is asked for inside it is added at once."""
    after: dict[int, int] = {}
    inside: dict[int, int] = {}  # what is asked for inside a node, gathered from its children
    for node in reversed(nodes):
        wanted = inside.pop(node.index, 0)
        own = node.mask & resources
        if own:
            if wanted:
                for r, _ in node.units:
                    if own >> r & 1:
                        after[r] = after.get(r, 0) | wanted
            wanted |= own
        if wanted:
            inside[node.parent] = inside.get(node.parent, 0) | wanted
    return after


def closest_nestings(nodes: Sequence[CoreNode], resources: int) -> frozenset[tuple[int, int]]:
    """The edges r → s with no guard on ``resources`` between the guard on r and that on s. Their transitive closure is
    that of →, so they close the same cycles, and there are few of them."""
    edges: set[tuple[int, int]] = set()
    around: dict[int, list[int]] = {}  # the innermost resources held around a node
    for node in nodes:
        held = around.pop(node.index, ())
        own = [r for r, _ in node.units if resources >> r & 1] if node.mask & resources else []
        if own:
            edges.update((r, s) for r in held for s in own)
            held = own
        if held:
            around.update((c, held) for c in node.children)
    return frozenset(edges)
