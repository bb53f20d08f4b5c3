"""The minimal coverability set of a net: how full places get together, with ω for «without limit».

For nets whose actions add constants (no inhibitor, reset or draining arc; a read asks for a token and keeps it): there
a marking with more tokens can do whatever one with fewer can. The set is finite, and a marking can be covered (some
reachable marking holds at least as much everywhere) iff it lies beneath an element (Karp & Miller, "Parallel Program
Schemata", 1969; Finkel, "The Minimal Coverability Graph for Petri Nets", 1993).

The search is Monotone-Pruning (Reynier & Servais, "Minimal Coverability Set for Petri Nets: Karp and Miller Algorithm
with Pruning", Fundamenta Informaticae 122, 2013; its proof repairs the gap in Finkel's): depth first, a new marking is
*accelerated* against its ancestors, given up when an active node covers it, and otherwise puts to rest what it makes
superfluous. Pruned nodes still take part in accelerations.

The first acceleration is a pump: no ω stands on the way to it, so a real run leads to a real marking that strictly
covers one before it. A search by breadth with the same test (:mod:`petri_cli.soundness.unbounded`) has to visit every
marking that is nearer; this one goes deep.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from operator import ge

from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.packed import effect, is_vector_addition
from petri_cli.soundness.timer import Deadline, never

Extended = tuple[float, ...]
"""Tokens by place index: whole numbers, or ``inf`` for ω."""


@dataclass(frozen=True, slots=True)
class PumpingRun:
    """``run`` leads from the initial marking to one from which ``pump`` can be repeated for ever, adding tokens."""

    run: tuple[int, ...]
    pump: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cover:
    """What a search came to.

    elements: the minimal coverability set, when ``complete``; pump: a pumping run, if the net was seen to be unbounded.
    """

    elements: tuple[Extended, ...]
    complete: bool
    pump: PumpingRun | None
    nodes: int

    def bounds(self) -> tuple[float, ...] | None:
        """The most tokens that each place ever holds; ``inf``: no limit. None when the search was not complete."""
        return tuple(map(max, zip(*self.elements, strict=True))) if self.complete else None

    def covers(self, marking: Sequence[int]) -> bool | None:
        """Whether some reachable marking holds at least the tokens of ``marking``; None when that is not known."""
        if any(all(n <= k for n, k in zip(marking, m, strict=True)) for m in self.elements):
            return True
        return False if self.complete else None


def find_pumping_run(compiled: CompiledNet, most: int = 20_000, deadline: Deadline = never) -> PumpingRun | None:
    """A pumping run, found depth first; None when the net is bounded, has other arcs, or ``most`` nodes ran out."""
    if not all(map(is_vector_addition, compiled.actions)):
        return None
    return _Search(compiled, most, deadline, until_pump=True).search().pump


def coverability(compiled: CompiledNet, most: int = 20_000, deadline: Deadline = never) -> Cover | None:
    """The minimal coverability set, within ``most`` nodes; None for a net with inhibitor, reset or draining arcs."""
    if not all(map(is_vector_addition, compiled.actions)):
        return None
    return _Search(compiled, most, deadline, until_pump=False).search()


class _Search:
    """The tree of Monotone-Pruning: for each node its marking, its parent (-1: the root) and the action between."""

    def __init__(self, compiled: CompiledNet, most: int, deadline: Deadline, *, until_pump: bool) -> None:
        self.compiled, self.most, self.deadline, self.until_pump = compiled, most, deadline, until_pump
        self.marking: list[Extended] = [compiled.initial]
        self.parent, self.by, self.active = [-1], [-1], {0: None}
        self.pump: PumpingRun | None = None
        self._needs = [
            tuple({**dict.fromkeys(a.reads, 1), **dict(a.needs)}.items()) for a in compiled.actions
        ]  # an input arc on a place that is read needs a token, too
        self._effect = [tuple(effect(a).items()) for a in compiled.actions]

    def search(self) -> Cover:
        waiting = [(0, a) for a in reversed(range(len(self._needs))) if self._enabled(a, self.marking[0])]
        complete = True
        while waiting:
            node, a = waiting.pop()
            if node not in self.active:
                continue
            if len(self.marking) > self.most or self.deadline():
                complete = False
                break
            new = self._fire(node, a)
            if self.pump is not None and self.until_pump:
                complete = False
                break
            if any(_covers(self.marking[x], new) for x in self.active):
                continue
            child = self._grow(node, a, new)
            waiting += [(child, b) for b in reversed(range(len(self._needs))) if self._enabled(b, new)]
        elements = tuple(self.marking[x] for x in self.active)
        return Cover(elements, complete, self.pump, len(self.marking))

    def _enabled(self, a: int, m: Extended) -> bool:
        return all(m[p] >= k for p, k in self._needs[a])

    def _fire(self, node: int, a: int) -> Extended:
        """The marking that ``a`` leads to from ``node``, accelerated: what grows along a path that can be repeated has
        no limit."""
        after = list(self.marking[node])
        for p, k in self._effect[a]:
            after[p] += k
        fixed = tuple(after)
        x = node
        while x >= 0:
            before = self.marking[x]
            if before != fixed and _covers(fixed, before):
                if self.pump is None:
                    path = self._path(node)
                    at = len(self._path(x))
                    self.pump = PumpingRun(path[:at], (*path[at:], a))
                for p, (low, high) in enumerate(zip(before, fixed, strict=True)):
                    if low < high:
                        after[p] = inf
            x = self.parent[x]
        return tuple(after)

    def _grow(self, node: int, a: int, new: Extended) -> int:
        """Add a node that nothing covers, and put to rest the active nodes below one that it covers."""
        ancestors = set()
        x = node
        while x >= 0:
            ancestors.add(x)
            x = self.parent[x]
        superfluous: dict[int, bool] = {-1: False}  # node → whether it, or one above it, puts what is below to rest
        for leaf in list(self.active):
            path, x = [], leaf
            while x not in superfluous:
                path.append(x)
                x = self.parent[x]
            for x in reversed(path):
                above = superfluous[self.parent[x]]
                superfluous[x] = above or ((x in self.active or x not in ancestors) and _covers(new, self.marking[x]))
        for x in [x for x in self.active if superfluous[x]]:
            del self.active[x]
        child = len(self.marking)
        self.marking.append(new)
        self.parent.append(node)
        self.by.append(a)
        self.active[child] = None
        return child

    def _path(self, node: int) -> tuple[int, ...]:
        steps = []
        while node > 0:
            steps.append(self.by[node])
            node = self.parent[node]
        return tuple(reversed(steps))


def _covers(high: Extended, low: Extended) -> bool:
    return all(map(ge, high, low))
