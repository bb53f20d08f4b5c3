"""The lock-order relation → and what follows from its cycles (statements C and D).

r → s when a guard on s lies inside the body of a guard on r. Havender 1968 ("Avoiding Deadlock in Multitasking
Systems", IBM Systems Journal 7(2)): acquiring in one order never deadlocks. The strongly connected components are
Tarjan's (1972).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from petri_cli.soundness.core import CoreNode


@dataclass(frozen=True, slots=True)
class LockOrder:
    """The relation → among ``resources`` (a bit set), as successor bit sets, and its condensation.

    components: the strongly connected components as bit sets, in an order in which → never points backward.
    """

    resources: int
    after: tuple[int, ...]
    components: tuple[int, ...]

    def cyclic(self) -> list[int]:
        """The components that hold a cycle: more than one resource, or one with r → r."""
        found = []
        for c in self.components:
            r = c.bit_length() - 1
            if c != 1 << r or self.after[r] & c:
                found.append(c)
        return found

    def order(self) -> list[int]:
        """The resources in an order that every nesting of guards follows, when no component is cyclic."""
        return [c.bit_length() - 1 for c in self.components]

    def ancestors(self, component: int) -> int:
        """The resources from which ``component`` can be reached along →, itself included."""
        found = component
        for c in reversed(self.components):
            out = 0
            for r in members(c):
                out |= self.after[r]
            if out & found:
                found |= c
        return found


def lock_order(nodes: Iterable[CoreNode], resources: int, count: int) -> LockOrder:
    """→ restricted to ``resources`` (a bit set; ``count`` is the number of resources in all), over ``nodes``: a subtree
    in pre-order. Work: its size times the number of resources held around a guard."""
    after = [0] * count
    held: dict[int, int] = {}  # what is held around a node
    for node in nodes:
        around = held.get(node.index, 0)
        if node.units:
            wanted = sum(1 << r for r, _ in node.units) & resources
            if wanted:
                for r in members(around):
                    after[r] |= wanted
                around |= wanted
        if around:
            for c in node.children:
                held[c] = around
    return LockOrder(resources, tuple(after), tuple(_components(after, resources)))


def members(resources: int) -> list[int]:
    """The resource indices in a bit set, ascending."""
    found = []
    while resources:
        low = resources & -resources
        found.append(low.bit_length() - 1)
        resources ^= low
    return found


def _components(after: Sequence[int], resources: int) -> list[int]:
    """Tarjan's algorithm with an explicit stack; components come out sinks first and are returned sources first."""
    number: dict[int, int] = {}
    low: dict[int, int] = {}
    open_: list[int] = []
    on_stack = 0
    found: list[int] = []
    for root in members(resources):
        if root in number:
            continue
        work = [(root, iter(members(after[root] & resources)))]
        number[root] = low[root] = len(number)
        open_.append(root)
        on_stack |= 1 << root
        while work:
            r, successors = work[-1]
            for s in successors:
                if s not in number:
                    number[s] = low[s] = len(number)
                    open_.append(s)
                    on_stack |= 1 << s
                    work.append((s, iter(members(after[s] & resources))))
                    break
                if on_stack >> s & 1:
                    low[r] = min(low[r], number[s])
            else:
                work.pop()
                if work:
                    above = work[-1][0]
                    low[above] = min(low[above], low[r])
                if low[r] == number[r]:
                    component = 0
                    while True:
                        s = open_.pop()
                        on_stack ^= 1 << s
                        component |= 1 << s
                        if s == r:
                            break
                    found.append(component)
    return found[::-1]
