"""The runs of a block-structured net, told apart by how far each block has come.

The state of a run holds an entry for each block that has begun and is not done: which child of a sequence or choice it
is at, in which phase a loop is, which branches are done. To match a leaf from there, every block around it has at most
two ways: go on as it stands, or, for a loop, finish the round and begin another. Whatever else has to be finished
first is finished in the cheapest way, since what is done looks the same however it was done. So a state has few
successors however much is parallel, where a search over markings would list every interleaving.

Branches that are alike, as the copies of a foreach are, are told apart only by how many have come how far.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from petri_cli.mining.alignments_blocks import SILENT, Blocks
from petri_cli.mining.alignments_runs import NEVER
from petri_cli.mining.tree import Op

DO, AFTER, REDO = 0, 1, 2
"""Phases of a loop: in its first child, past it (and free to leave), in the second."""

State = tuple[int, ...]
"""node · width + value, ascending: a node that is in progress with where it is, or a branch that is done."""


class BlockRuns:
    """:class:`Runs` over ``blocks``; ``label_of``: action → label, or None for a silent one."""

    def __init__(self, blocks: Blocks, label_of: Sequence[int | None], n_labels: int) -> None:
        self.blocks = blocks
        self.width = max((len(c) for c in blocks.children), default=0) + 3
        self.done = self.width - 1
        self.least = self._least(label_of)
        self.before = [self._sums(c) for c in blocks.children]
        """For each sequence, the least cost of its first k children."""
        self.leaves: list[list[int]] = [[] for _ in range(n_labels)]
        self.parent = {c: (n, k) for n, below in enumerate(blocks.children) for k, c in enumerate(below)}
        """Node → (the one above, which child it is)."""
        self.path: dict[int, list[tuple[int, int]]] = {}
        """Labelled leaf → (node, which child) from the root down to it."""
        self.enter: dict[int, list[int]] = {}
        """Labelled leaf → for each step of its path, the least cost of what comes before it from there, all fresh."""
        self.twins = self._find_twins(label_of)
        self.twin_on_path: dict[int, list[tuple[int, int]]] = {}
        """Labelled leaf → (the branch before that is alike, the branch on its path)."""
        self._find_leaves(label_of)
        self.states: list[State] = []
        self.index: dict[State, int] = {}
        self._to_finish: list[dict[int, int] | None] = []
        self._after: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._explained: dict[tuple[int, int, int, int], tuple[list[int], int]] = {}
        self._ended: dict[int, list[int]] = {}
        self.start = self._number(())

    # once for the model

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

    def _sums(self, children: tuple[int, ...]) -> list[int]:
        sums = [0]
        for c in children:
            sums.append(sums[-1] + self.least[c])
        return sums

    def _find_leaves(self, label_of: Sequence[int | None]) -> None:
        for n, a in enumerate(self.blocks.action):
            label = None if a == SILENT else label_of[a]
            if label is not None:
                self.leaves[label].append(n)

    def _find_path(self, leaf: int) -> None:
        """Note the way down to ``leaf``, at its first use: all paths together may be much longer than the tree."""
        blocks, parent = self.blocks, self.parent
        path: list[tuple[int, int]] = []
        at = leaf
        while at:
            path.append(parent[at])
            at = parent[at][0]
        path.reverse()
        cost = [0] * (len(path) + 1)
        for i in range(len(path) - 1, -1, -1):
            node, k = path[i]
            ahead = 0
            if blocks.op[node] is Op.SEQ or (blocks.op[node] is Op.LOOP and k):
                ahead = self.before[node][k]
            cost[i] = cost[i + 1] + ahead
        self.path[leaf], self.enter[leaf] = path, cost
        twins: list[tuple[int, int]] = []
        for node, k in path:
            child = blocks.children[node][k]
            for group in self.twins.get(node, ()):
                if child in group[1:]:
                    twins.append((group[group.index(child) - 1], child))
        self.twin_on_path[leaf] = twins

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

    # states

    def _number(self, state: State) -> int:
        number = self.index.get(state)
        if number is None:
            number = self.index[state] = len(self.states)
            self.states.append(state)
            self._to_finish.append(None)
        return number

    def _left(self, number: int) -> dict[int, int]:
        """Node → least cost to its end, for every node in progress or done."""
        left = self._to_finish[number]
        if left is not None:
            return left
        blocks, least, width, done = self.blocks, self.least, self.width, self.done
        left = {}
        for code in reversed(self.states[number]):
            n, v = divmod(code, width)
            below = blocks.children[n]
            if v == done:
                left[n] = 0
                continue
            op = blocks.op[n]
            if op is Op.SEQ:
                sums = self.before[n]
                left[n] = left.get(below[v], least[below[v]]) + sums[-1] - sums[v + 1]
            elif op is Op.AND:
                left[n] = sum([left.get(c, least[c]) for c in below])
            elif op is Op.XOR:
                left[n] = left.get(below[v], least[below[v]])
            elif v == AFTER:
                left[n] = 0
            elif v == DO:
                left[n] = left.get(below[0], least[below[0]])
            else:
                left[n] = left.get(below[1], least[below[1]]) + least[below[0]]
        self._to_finish[number] = left
        return left

    # branches that are alike

    def _below(self, state: Sequence[int], node: int) -> list[int]:
        """The entries of the nodes from ``node`` down, as if it were the root."""
        low = node * self.width
        return [
            x - low for x in state[bisect_left(state, low) : bisect_left(state, self.blocks.end[node] * self.width)]
        ]

    def _has_twin(self, number: int, leaf: int) -> bool:
        """Whether a branch that is alike stands just as the one of ``leaf`` does, and comes before it."""
        state = self.states[number]
        return any(self._below(state, a) == self._below(state, b) for a, b in self.twin_on_path[leaf])

    def _canonical(self, state: State) -> State:
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
                entries = [self._below(codes, c) for c in group]
                ordered = sorted(entries)
                if ordered == entries:
                    continue
                for c, entry in zip(group, ordered, strict=True):
                    low, high = bisect_left(codes, c * width), bisect_left(codes, self.blocks.end[c] * width)
                    codes[low:high] = [x + c * width for x in entry]
        return tuple(codes)

    # what a search asks

    def finish(self, state: int, slack: int) -> int:
        return self._left(state).get(0, self.least[0])

    def after(self, state: int, label: int, slack: int) -> Sequence[tuple[int, int]]:
        key = (state, label)
        found = self._after.get(key)
        if found is None:
            best: dict[int, int] = {}
            for leaf in self.leaves[label]:
                if leaf not in self.path:
                    self._find_path(leaf)
                if self._has_twin(state, leaf):
                    continue
                for cost, depth in self._ways(state, leaf):
                    to = self._number(self._canonical(self._fired(state, leaf, depth)))
                    if cost < best.get(to, NEVER):
                        best[to] = cost
            found = self._after[key] = sorted([(cost, to) for to, cost in best.items()], key=_cost)
        return found

    def _ways(self, number: int, leaf: int) -> list[tuple[int, int]]:
        """(cost, depth) of each way to run ``leaf`` next: at that depth of its path something begins anew."""
        state = self.states[number]
        path, enter = self.path[leaf], self.enter[leaf]
        width, least, blocks = self.width, self.least, self.blocks
        left = self._left(number)
        if not state:
            return [(enter[0], 0)]
        values = {code // width: code % width for code in state}
        ways: list[tuple[int, int]] = []
        for depth, (node, k) in enumerate(path):
            v = values.get(node)
            if v is None:
                ways.append((enter[depth], depth))
                return ways
            if v == self.done:
                return ways
            op = blocks.op[node]
            if op is Op.AND:
                continue
            below = blocks.children[node]
            if op is Op.LOOP:
                do, redo = below
                if v == DO:
                    finish = left.get(do, least[do])
                elif v == REDO:
                    finish = left.get(redo, least[redo])
                else:
                    finish = 0
                inside = enter[depth + 1]
                if (v == DO and k == 1) or (v == REDO and k == 0) or (v == AFTER and k == 1):
                    ways.append((finish + inside, depth))
                    return ways
                if v == AFTER:
                    ways.append((least[redo] + inside, depth))
                    return ways
                ways.append((finish + least[below[1 - k]] + inside, depth))
            elif op is Op.SEQ and v < k:
                sums = self.before[node]
                ways.append((left.get(below[v], least[below[v]]) + sums[k] - sums[v + 1] + enter[depth + 1], depth))
                return ways
            elif v != k:
                return ways
        if values.get(leaf) != self.done:
            ways.append((0, len(path)))
        return ways

    def _fired(self, number: int, leaf: int, depth: int) -> State:
        """The state once ``leaf`` has run, its path begun anew from ``depth`` on."""
        blocks, width, done = self.blocks, self.width, self.done
        path = self.path[leaf]
        values: dict[int, int] = {}
        cleared = path[depth][0] if depth < len(path) else leaf
        low, high = cleared * width, blocks.end[cleared] * width
        for code in self.states[number]:
            if code < low or code >= high:
                values[code // width] = code % width
        for node, k in path[depth:]:
            op = blocks.op[node]
            values[node] = 0 if op is Op.AND else (REDO if k else DO) if op is Op.LOOP else k
        finished = leaf
        for node, k in reversed(path):
            values.pop(finished, None)
            op = blocks.op[node]
            below = blocks.children[node]
            if op is Op.SEQ and k < len(below) - 1:
                values[node] = k + 1
                break
            if op is Op.LOOP:
                values[node] = DO if k else AFTER
                break
            if op is Op.AND:
                values[finished] = done
                if any(values.get(c) != done for c in below):
                    break
                for c in below:
                    del values[c]
            finished = node
        else:
            values = {0: done}
        return tuple(sorted([n * width + v for n, v in values.items()]))

    # the actions behind an answer

    def explain(self, path: Sequence[tuple[int, int, int]]) -> tuple[list[list[int]], list[int]]:
        """The states of ``path`` are canonical; the run goes from one actual state to the next."""
        state = self.start
        matches: list[list[int]] = []
        for label, cost, to in path:
            key = (state, label, cost, to)
            known = self._explained.get(key)
            if known is None:
                known = self._explained[key] = self._explain(*key)
            matches.append(known[0])
            state = known[1]
        ending = self._ended.get(state)
        if ending is None:
            ending = self._ended[state] = self._run(state, [0])
        return matches, ending

    def _explain(self, state: int, label: int, cost: int, to: int) -> tuple[list[int], int]:
        """(actions, actual state after them) of a match that costs ``cost`` and leads to what looks like ``to``."""
        target = self.states[to]
        for leaf in self.leaves[label]:
            if leaf not in self.path:
                self._find_path(leaf)
            for price, depth in self._ways(state, leaf):
                if price == cost:
                    after = self._fired(state, leaf, depth)
                    if self._canonical(after) == target:
                        return self._actions(state, leaf, depth), self._number(after)
        raise AssertionError("no such match")

    def _actions(self, number: int, leaf: int, depth: int) -> list[int]:
        """What runs before and with ``leaf``. Nodes to run: n ≥ 0 to finish as it stands, ~n afresh."""
        blocks, width = self.blocks, self.width
        path = self.path[leaf]
        values = {code // width: code % width for code in self.states[number]}
        tasks: list[int] = []
        for at in range(depth, len(path)):
            node, k = path[at]
            below = blocks.children[node]
            op = blocks.op[node]
            v = values.get(node) if at == depth else None
            if op is Op.SEQ:
                if v is not None:
                    tasks.append(below[v])
                tasks.extend(~c for c in below[0 if v is None else v + 1 : k])
            elif op is Op.LOOP:
                if v == DO:
                    tasks.append(below[0])
                elif v == REDO:
                    tasks.append(below[1])
                if v is None:
                    tasks.extend([~below[0]] if k else [])
                elif (v == k == DO) or (v == AFTER and k == 0):
                    tasks.append(~below[1])
                elif v == REDO and k == 1:
                    tasks.append(~below[0])
        return [*self._run(number, tasks), blocks.action[leaf]]

    def _run(self, number: int, tasks: list[int]) -> list[int]:
        blocks, width, done, least = self.blocks, self.width, self.done, self.least
        values = {code // width: code % width for code in self.states[number]}
        actions: list[int] = []
        stack = tasks[::-1]
        while stack:
            task = stack.pop()
            n = task if task >= 0 else ~task
            v = values.get(n) if task >= 0 else None
            below = blocks.children[n]
            op = blocks.op[n]
            if v == done:
                continue
            if op is None:
                if blocks.action[n] != SILENT:
                    actions.append(blocks.action[n])
            elif op is Op.SEQ:
                at = 0 if v is None else v
                stack.extend(~c for c in reversed(below[at if v is None else at + 1 :]))
                if v is not None:
                    stack.append(below[at])
            elif op is Op.AND:
                stack.extend(~c if v is None else c for c in reversed(below))
            elif op is Op.XOR:
                stack.append(~min(below, key=least.__getitem__) if v is None else below[v])
            elif v is None:
                stack.append(~below[0])
            elif v == DO:
                stack.append(below[0])
            elif v == REDO:
                stack.extend((~below[0], below[1]))
        return actions


def _cost(way: tuple[int, int]) -> int:
    return way[0]
