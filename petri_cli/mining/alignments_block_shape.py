"""What can be worked out about a tree of blocks once: least costs, ways down to the leaves, branches that are alike."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from petri_cli.mining.alignments_blocks import SILENT, Blocks
from petri_cli.mining.tree import Op

DO, AFTER, REDO = 0, 1, 2
"""Phases of a loop: in its first child, past it (and free to leave), in the second."""

State = tuple[int, ...]
"""node · width + value, ascending: a node that is in progress with where it is, or a branch that is done."""


@dataclass(frozen=True, slots=True)
class Way:
    """From the root down to a leaf. path: (node, which child); enter: for each of its steps, the least cost of what
    comes before the leaf from there, all fresh; codes: the entries of a state that has just gone down it; loops: steps
    at a loop; twins: (the branch before that is alike, the branch on the path)."""

    path: list[tuple[int, int]]
    enter: list[int]
    codes: list[int]
    loops: list[int]
    twins: list[tuple[int, int]]


class Shape:
    """``blocks`` with labels. ``label_of``: action → label, or None for a silent one.

    width: values of a node; done: the one that says that it is done; least: the least cost of a whole run of each node;
    before: for each sequence, that of its first k children; opening: the labels that can come first in each node at no
    cost, as bit masks; leaves: label → its leaves; twins: parallel node → groups
    of branches that are alike in every label, as the copies of a foreach are.
    """

    def __init__(self, blocks: Blocks, label_of: Sequence[int | None], n_labels: int) -> None:
        self.blocks = blocks
        self.width = max((len(c) for c in blocks.children), default=0) + 3
        self.done = self.width - 1
        self.least = self._least(label_of)
        self.before = [self._sums(c) for c in blocks.children]
        self.opening = self._openings(label_of)
        self.leaves: list[list[int]] = [[] for _ in range(n_labels)]
        for n, a in enumerate(blocks.action):
            label = None if a == SILENT else label_of[a]
            if label is not None:
                self.leaves[label].append(n)
        self.parent = {c: (n, k) for n, below in enumerate(blocks.children) for k, c in enumerate(below)}
        self.twins = self._find_twins(label_of)
        self._ways: dict[int, Way] = {}

    def _least(self, label_of: Sequence[int | None]) -> list[int]:
        """The least cost of a whole run of each node."""
        blocks = self.blocks
        least = [0] * len(blocks.op)
        for n in range(len(least) - 1, -1, -1):
            below = blocks.children[n]
            match blocks.op[n]:
                case None:
                    a = blocks.action[n]
                    least[n] = 0 if a == SILENT or label_of[a] is None else 1
                case Op.SEQ | Op.AND:
                    least[n] = sum(least[c] for c in below)
                case Op.XOR:
                    least[n] = min(least[c] for c in below)
                case Op.LOOP:
                    least[n] = least[below[0]]
        return least

    def _openings(self, label_of: Sequence[int | None]) -> list[int]:
        """The labels that can come first in each node with nothing but silent steps before them."""
        blocks, least = self.blocks, self.least
        opening = [0] * len(blocks.op)
        for n in range(len(opening) - 1, -1, -1):
            op, a = blocks.op[n], blocks.action[n]
            if op is None:
                label = None if a == SILENT else label_of[a]
                opening[n] = 0 if label is None else 1 << label
            for c in blocks.children[n]:
                opening[n] |= opening[c]
                if least[c] and op in (Op.SEQ, Op.LOOP):
                    break
        return opening

    def _sums(self, children: tuple[int, ...]) -> list[int]:
        sums = [0]
        for c in children:
            sums.append(sums[-1] + self.least[c])
        return sums

    def _find_twins(self, label_of: Sequence[int | None]) -> dict[int, list[tuple[int, ...]]]:
        """Parallel node → groups of branches that are alike in every label: the copies of a foreach, for one."""
        blocks = self.blocks
        shapes: dict[object, int] = {}
        shape = [0] * len(blocks.op)
        found: dict[int, list[tuple[int, ...]]] = {}
        for n in range(len(shape) - 1, -1, -1):
            a, below = blocks.action[n], blocks.children[n]
            label = None if a == SILENT else label_of[a]
            key = (blocks.op[n], label, tuple([shape[c] for c in below]))
            shape[n] = shapes.setdefault(key, len(shapes))
            if blocks.op[n] is Op.AND:
                groups: dict[int, list[int]] = {}
                for c in below:
                    groups.setdefault(shape[c], []).append(c)
                alike = [tuple(g) for g in groups.values() if len(g) > 1]
                if alike:
                    found[n] = alike
        return found

    def way(self, leaf: int) -> Way:
        """The way down to ``leaf``, found at its first use: all ways together may be much longer than the tree."""
        known = self._ways.get(leaf)
        if known is not None:
            return known
        blocks = self.blocks
        path: list[tuple[int, int]] = []
        at = leaf
        while at:
            path.append(self.parent[at])
            at = self.parent[at][0]
        path.reverse()
        enter = [0] * (len(path) + 1)
        twins: list[tuple[int, int]] = []
        for i in range(len(path) - 1, -1, -1):
            node, k = path[i]
            ahead = self.before[node][k] if blocks.op[node] in (Op.SEQ, Op.LOOP) else 0
            enter[i] = enter[i + 1] + ahead
            child = blocks.children[node][k]
            for group in self.twins.get(node, ()):
                place = bisect_left(group, child)
                if 0 < place < len(group) and group[place] == child:
                    twins.append((group[place - 1], child))
        loops = [i for i, (node, _) in enumerate(path) if blocks.op[node] is Op.LOOP]
        codes = [node * self.width + entered(blocks.op[node], k) for node, k in path]
        way = self._ways[leaf] = Way(path, enter, codes, loops, twins)
        return way

    def value(self, state: Sequence[int], node: int) -> int | None:
        """Where ``node`` is; None where it has not begun (or the block around it is done)."""
        low = node * self.width
        at = bisect_left(state, low)
        return state[at] - low if at < len(state) and state[at] < low + self.width else None

    # branches that are alike

    def below(self, state: Sequence[int], node: int) -> list[int]:
        """The entries of the nodes from ``node`` down, as if it were the root."""
        low = node * self.width
        first, last = bisect_left(state, low), bisect_left(state, self.blocks.end[node] * self.width)
        return [x - low for x in state[first:last]]

    def has_twin(self, state: State, way: Way) -> bool:
        """Whether a branch that is alike stands just as the one on the way does, and comes before it."""
        return any(self.below(state, a) == self.below(state, b) for a, b in way.twins)

    def canonical(self, state: State) -> State:
        """``state`` with the entries of branches that are alike in ascending order: which of them it is that has come
        how far makes no difference to any cost."""
        if not self.twins:
            return state
        width = self.width
        codes = list(state)
        for code in reversed(state):
            node, v = divmod(code, width)
            if v == self.done:
                continue
            for group in self.twins.get(node, ()):
                entries = [self.below(codes, c) for c in group]
                ordered = sorted(entries)
                if ordered == entries:
                    continue
                for c, entry in zip(group, ordered, strict=True):
                    low, high = bisect_left(codes, c * width), bisect_left(codes, self.blocks.end[c] * width)
                    codes[low:high] = [x + c * width for x in entry]
        return tuple(codes)


def entered(op: Op | None, k: int) -> int:
    """The value of a node that has just been entered towards its child ``k``."""
    if op is Op.AND:
        return 0
    return (REDO if k else DO) if op is Op.LOOP else k
