"""The runs of a block-structured net, told apart by how far each block has come.

The state of a run holds an entry for each block that has begun and is not done: which child of a sequence or choice it
is at, in which phase a loop is, which branches are done. To match a leaf from there, every block around it has at most
two ways: go on as it stands, or, for a loop, finish the round and begin another. Whatever else has to be finished
first is finished in the cheapest way, since what is done looks the same however it was done. So a state has few
successors however much is parallel, where a search over markings would list every interleaving.

Branches that are alike, as the copies of a foreach are, are told apart only by how many have come how far.
"""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.mining.alignments_block_firing import actions_of, actions_to
from petri_cli.mining.alignments_block_shape import AFTER, DO, REDO, Shape, State
from petri_cli.mining.alignments_blocks import Blocks
from petri_cli.mining.alignments_runs import NEVER
from petri_cli.mining.tree import Op


class BlockRuns:
    """:class:`Runs` over ``blocks``; ``label_of``: action → label, or None for a silent one."""

    def __init__(self, blocks: Blocks, label_of: Sequence[int | None], n_labels: int) -> None:
        self.shape = Shape(blocks, label_of, n_labels)
        self.states: list[State] = []
        self.index: dict[State, int] = {}
        self._to_finish: list[dict[int, int] | None] = []
        self._after: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._explained: dict[tuple[int, int, int, int], tuple[list[int], int]] = {}
        self._ended: dict[int, list[int]] = {}
        self.start = self._number(())

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
        shape = self.shape
        blocks, least, width = shape.blocks, shape.least, shape.width
        left = {}
        for code in reversed(self.states[number]):
            n, v = divmod(code, width)
            below = blocks.children[n]
            if v == shape.done:
                left[n] = 0
                continue
            op = blocks.op[n]
            if op is Op.SEQ:
                sums = shape.before[n]
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

    # what a search asks

    def finish(self, state: int, slack: int) -> int:
        return self._left(state).get(0, self.shape.least[0])

    def after(self, state: int, label: int, slack: int) -> Sequence[tuple[int, int]]:
        key = (state, label)
        found = self._after.get(key)
        if found is None:
            shape = self.shape
            best: dict[int, int] = {}
            for leaf in shape.leaves[label]:
                if shape.has_twin(self.states[state], shape.way(leaf)):
                    continue
                for cost, depth in self._ways(state, leaf):
                    to = self._number(shape.canonical(self._fired(state, leaf, depth)))
                    if cost < best.get(to, NEVER):
                        best[to] = cost
            found = self._after[key] = sorted([(cost, to) for to, cost in best.items()], key=_cost)
        return found

    def _ways(self, number: int, leaf: int) -> list[tuple[int, int]]:
        """(cost, depth) of each way to run ``leaf`` next: at that depth of its path something begins anew."""
        state = self.states[number]
        shape = self.shape
        way, width, least, blocks = shape.way(leaf), shape.width, shape.least, shape.blocks
        path, enter = way.path, way.enter
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
            if v == shape.done:
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
                sums = shape.before[node]
                ways.append((left.get(below[v], least[below[v]]) + sums[k] - sums[v + 1] + enter[depth + 1], depth))
                return ways
            elif v != k:
                return ways
        if values.get(leaf) != shape.done:
            ways.append((0, len(path)))
        return ways

    def _fired(self, number: int, leaf: int, depth: int) -> State:
        """The state once ``leaf`` has run, its path begun anew from ``depth`` on."""
        shape = self.shape
        blocks, width, done = shape.blocks, shape.width, shape.done
        path = shape.way(leaf).path
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
            ending = self._ended[state] = actions_of(self.shape, self.states[state], [0])
        return matches, ending

    def _explain(self, state: int, label: int, cost: int, to: int) -> tuple[list[int], int]:
        """(actions, actual state after them) of a match that costs ``cost`` and leads to what looks like ``to``."""
        shape, target = self.shape, self.states[to]
        for leaf in shape.leaves[label]:
            for price, depth in self._ways(state, leaf):
                if price == cost:
                    after = self._fired(state, leaf, depth)
                    if shape.canonical(after) == target:
                        return actions_to(shape, self.states[state], leaf, depth), self._number(after)
        raise AssertionError("no such match")


def _cost(way: tuple[int, int]) -> int:
    return way[0]
