"""Whether a net is block-structured, and which blocks it is made of: a net folded back into a process tree.

Five rules fold parts of a net into one transition that stands for a block, until one transition is left that leads from
the start to the end: a sequence (one place between two transitions), a choice (same places before and behind), a
parallel block (places filled together and emptied together), a loop, and a loop around a place. Each keeps the runs of
the net, so a net that folds up entirely *is* its tree; one that does not is left to the search over markings. The rules
are series and parallel reductions (Murata 1989, section V-B) that remember what they joined.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from petri_cli.mining.tree import Op
from petri_cli.net.compiled import CompiledNet

SILENT = -1
"""Stands for a leaf that is no action of the net."""


@dataclass(frozen=True, slots=True)
class Blocks:
    """A tree over the actions of a net, numbered in pre-order: the nodes below node n are n + 1 … end[n] − 1.

    op: None for a leaf; action: index of the leaf's action in the compiled net, ``SILENT`` where it is none.
    """

    op: tuple[Op | None, ...]
    children: tuple[tuple[int, ...], ...]
    end: tuple[int, ...]
    action: tuple[int, ...]


def blocks_of(compiled: CompiledNet) -> Blocks | None:
    """The blocks of a place/transition net that starts and ends with at most one token a place; None where it is not
    block-structured. Work is about linear in the arcs."""
    final = compiled.final
    if final is None or not compiled.plain or max((*compiled.initial, *final), default=0) > 1:
        return None
    for a in compiled.actions:
        weights = [*a.needs, *a.produced]
        if any(k != 1 for _, k in weights) or len({p for p, _ in a.produced}) < len(a.produced):
            return None
        if not a.needs or not a.produced:
            return None
    folding = _Folding(compiled)
    root = folding.run()
    return None if root is None else _numbered(folding.nodes, root)


class _Folding:
    """The net while it is folded. nodes: what the transitions stand for, each an action or an operator over others."""

    def __init__(self, compiled: CompiledNet) -> None:
        self.nodes: list[tuple[Op | None, tuple[int, ...]]] = []
        self.ins: dict[int, frozenset[int]] = {}
        self.outs: dict[int, frozenset[int]] = {}
        self.tree: dict[int, int] = {}
        self.alike: dict[tuple[frozenset[int], frozenset[int]], int] = {}
        """Places before and behind → the one transition with those; a second one becomes a choice with it."""
        self.start, self.end = len(compiled.places), len(compiled.places) + 1
        self.fresh = self.end + 1
        self.producers: dict[int, dict[int, None]] = {p: {} for p in range(self.fresh)}
        self.consumers: dict[int, dict[int, None]] = {p: {} for p in range(self.fresh)}
        self.waiting: dict[int, None] = {}
        """Transitions to look at again."""
        self.serial = 0
        marked = [p for p, n in enumerate(compiled.initial) if n]
        ends = [p for p, n in enumerate(compiled.final or ()) if n]
        self._add({self.start}, marked, self._leaf(SILENT))
        self._add(ends, {self.end}, self._leaf(SILENT))
        for k, a in enumerate(compiled.actions):
            self._add((p for p, _ in a.needs), (p for p, _ in a.produced), self._leaf(k))

    def run(self) -> int | None:
        """Fold until nothing changes; the root of the tree, or None."""
        while self.waiting:
            t = next(iter(self.waiting))
            del self.waiting[t]
            while t in self.tree and (self._around(t) or self._sequence(t) or self._loop(t) or self._parallel(t)):
                pass
        whole = (frozenset((self.start,)), frozenset((self.end,)))
        return self.tree[self.alike[whole]] if len(self.tree) == 1 and whole in self.alike else None

    # changing the net

    def _leaf(self, action: int) -> int:
        self.nodes.append((None, (action,)))
        return len(self.nodes) - 1

    def _inner(self, op: Op, *children: int) -> int:
        self.nodes.append((op, children))
        return len(self.nodes) - 1

    def _add(self, ins: Iterable[int], outs: Iterable[int], tree: int) -> None:
        """A transition, or a choice with the one that has the same places."""
        key = (frozenset(ins), frozenset(outs))
        twin = self.alike.get(key)
        if twin is not None:
            self.tree[twin] = self._inner(Op.XOR, self.tree[twin], tree)
            self.waiting[twin] = None
            return
        t = self.serial
        self.serial += 1
        self.alike[key] = t
        self.ins[t], self.outs[t] = key
        self.tree[t] = tree
        for p in sorted(key[0]):
            self.consumers[p][t] = None
        for p in sorted(key[1]):
            self.producers[p][t] = None
        self.waiting[t] = None

    def _remove(self, t: int) -> int:
        """Take ``t`` out of the net; what it stood for."""
        ins, outs = self.ins.pop(t), self.outs.pop(t)
        del self.alike[ins, outs]
        for p in sorted(ins):
            del self.consumers[p][t]
        for p in sorted(outs):
            del self.producers[p][t]
        self.waiting.pop(t, None)
        for p in sorted(ins | outs):
            self._look_again(p)
        return self.tree.pop(t)

    def _look_again(self, p: int) -> None:
        """Whatever touches ``p`` may fold now, where few do."""
        if len(self.producers[p]) + len(self.consumers[p]) <= 4:
            for t in (*self.producers[p], *self.consumers[p]):
                self.waiting[t] = None

    # the rules: each folds something at ``t`` and says whether it did

    def _around(self, t: int) -> bool:
        """t leads from a place back to it: whoever takes from that place may first do t as often as wanted."""
        if self.ins[t] != self.outs[t] or len(self.ins[t]) != 1:
            return False
        (p,) = self.ins[t]
        loop = self._inner(Op.LOOP, self._leaf(SILENT), self._remove(t))
        behind = self.fresh
        self.fresh += 1
        self.producers[behind], self.consumers[behind] = {}, {}
        for u in list(self.consumers[p]):
            ins, outs = self.ins[u], self.outs[u]
            self._add(ins - {p} | {behind}, outs, self._remove(u))
        self._add({p}, {behind}, loop)
        return True

    def _sequence(self, t: int) -> bool:
        """t, one place that only t fills, and one transition that only takes from there."""
        if len(self.outs[t]) != 1:
            return False
        (p,) = self.outs[t]
        if len(self.producers[p]) != 1 or len(self.consumers[p]) != 1:
            return False
        (u,) = self.consumers[p]
        if u == t or len(self.ins[u]) != 1:
            return False
        ins, outs = self.ins[t], self.outs[u]
        self._add(ins, outs, self._inner(Op.SEQ, self._remove(t), self._remove(u)))
        return True

    def _loop(self, t: int) -> bool:
        """t from p to q, alone there, and a way back from q to p."""
        if len(self.ins[t]) != 1 or len(self.outs[t]) != 1:
            return False
        (p,), (q,) = self.ins[t], self.outs[t]
        back = self.alike.get((self.outs[t], self.ins[t]))
        if back is None or back == t or len(self.consumers[p]) != 1 or len(self.producers[q]) != 1:
            return False
        self.tree[t] = self._inner(Op.LOOP, self.tree[t], self._remove(back))
        return True

    def _parallel(self, t: int) -> bool:
        """Branches between the places that t fills and those that some join empties, all at once each.

        A branch is a place, a transition, and a place; or one place alone, in which nothing happens.
        """
        if len(self.outs[t]) < 2:
            return False
        groups: dict[tuple[tuple[int, ...], tuple[int, ...]], list[tuple[int, int | None, int]]] = {}
        for p in sorted(self.outs[t]):
            branch = self._branch(p)
            if branch is not None:
                key = (tuple(sorted(self.producers[p])), tuple(sorted(self.consumers[branch[2]])))
                groups.setdefault(key, []).append(branch)
        for (_, joins), branches in groups.items():
            if len(branches) > 1 and joins:
                self._join(branches)
                return True
        return False

    def _branch(self, p: int) -> tuple[int, int | None, int] | None:
        """(place, transition, place behind it) of the branch that begins with ``p``."""
        if len(self.consumers[p]) == 1:
            (b,) = self.consumers[p]
            if len(self.ins[b]) == 1 and len(self.outs[b]) == 1:
                (q,) = self.outs[b]
                if q != p and len(self.producers[q]) == 1 and q not in (self.start, self.end):
                    return (p, b, q)
        return (p, None, p)

    def _join(self, branches: list[tuple[int, int | None, int]]) -> None:
        """One place, one transition and one place in the stead of all ``branches``."""
        steps = [b for _, b, _ in branches if b is not None]
        first = next((branch for branch in branches if branch[1] is not None), branches[0])
        trees = [self._remove(b) for b in steps]
        gone = {p for p, _, q in branches} | {q for _, _, q in branches}
        gone -= {first[0], first[2]}
        touched: dict[int, None] = {}
        for p in sorted(gone):
            touched |= self.producers[p] | self.consumers[p]
        for u in touched:
            ins, outs = self.ins[u] - gone, self.outs[u] - gone
            self._add(ins, outs, self._remove(u))
        if trees:
            self._add({first[0]}, {first[2]}, trees[0] if len(trees) == 1 else self._inner(Op.AND, *trees))


def _numbered(nodes: list[tuple[Op | None, tuple[int, ...]]], root: int) -> Blocks:
    """The tree below ``root`` in pre-order; an operator directly below the same one is merged into it."""
    ops: list[Op | None] = []
    children: list[list[int]] = []
    action: list[int] = []
    parent: list[int] = []
    stack = [(root, -1)]
    while stack:
        index, above = stack.pop()
        op, below = nodes[index]
        if op is not None and op is not Op.LOOP and above >= 0 and ops[above] is op:
            stack.extend((c, above) for c in reversed(below))
            continue
        here = len(ops)
        ops.append(op)
        parent.append(above)
        children.append([])
        action.append(below[0] if op is None else SILENT)
        if above >= 0:
            children[above].append(here)
        if op is not None:
            stack.extend((c, here) for c in reversed(below))
    end = [0] * len(ops)
    for n in range(len(ops) - 1, -1, -1):
        end[n] = max(end[n], n + 1)
        if parent[n] >= 0:
            end[parent[n]] = max(end[parent[n]], end[n])
    return Blocks(tuple(ops), tuple(map(tuple, children)), tuple(end), tuple(action))
