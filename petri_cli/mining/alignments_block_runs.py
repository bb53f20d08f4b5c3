"""The runs of a block-structured net, told apart by how far each block has come.

The state of a run holds an entry for each block that has begun and is not done: which child of a sequence or choice it
is at, in which phase a loop is, which branches are done. To match a leaf from there, every block around it has at most
two ways: go on as it stands, or, for a loop, finish the round and begin another. Whatever else has to be finished
first is finished in the cheapest way, since what is done looks the same however it was done. So a state has few
successors however much is parallel, where a search over markings would list every interleaving.

Branches that are alike, as the copies of a foreach are, are told apart only by how many have come how far.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence

from petri_cli.mining.alignments_block_firing import actions_of, actions_to
from petri_cli.mining.alignments_block_shape import AFTER, DO, REDO, Shape, State, entered
from petri_cli.mining.alignments_block_standing import allowed, costs_left
from petri_cli.mining.alignments_blocks import Blocks
from petri_cli.mining.tree import Op


class BlockRuns:
    """:class:`Runs` over ``blocks``; ``label_of``: action → label, or None for a silent one."""

    def __init__(self, blocks: Blocks, label_of: Sequence[int | None], n_labels: int) -> None:
        self.shape = Shape(blocks, label_of, n_labels)
        self.states: list[State] = []
        self.index: dict[State, int] = {}
        self._to_finish: list[int | None] = []
        self._after: dict[tuple[int, int], tuple[list[tuple[int, int, int]], list[tuple[int, int]]]] = {}
        """(state, label) → ways whose states have not been asked for, dearest first, and the answers so far."""
        self._explained: dict[tuple[int, int, int, int], tuple[list[int], int]] = {}
        self._ended: dict[int, list[int]] = {}
        self._standing: tuple[int, dict[int, int]] = (-1, {})
        self.start = self._number(())

    def _number(self, state: State) -> int:
        number = self.index.get(state)
        if number is None:
            number = self.index[state] = len(self.states)
            self.states.append(state)
            self._to_finish.append(None)
        return number

    def _left(self, number: int, node: int) -> int:
        """The least cost from where ``node`` is to its end."""
        return self._costs(number).get(node, self.shape.least[node])

    def _costs(self, number: int) -> dict[int, int]:
        """Those of all nodes, kept for the state that was asked for last: all together are too many to keep."""
        known, left = self._standing
        if known != number:
            left = costs_left(self.shape, self.states[number])
            self._standing = number, left
        return left

    # what a search asks

    def finish(self, state: int, slack: int) -> int:
        cost = self._to_finish[state]
        if cost is None:
            cost = self._to_finish[state] = self._left(state, 0)
        return cost

    def allowed(self, state: int) -> int:
        return allowed(self.shape, self.states[state], self._costs(state))

    def after(self, state: int, label: int, slack: int) -> Sequence[tuple[int, int]]:
        key = (state, label)
        known = self._after.get(key)
        if known is None:
            shape = self.shape
            ways: list[tuple[int, int, int]] = []
            for leaf in shape.leaves[label]:
                if not shape.has_twin(self.states[state], shape.way(leaf)):
                    ways += [(cost, leaf, depth) for cost, depth in self._ways(state, leaf)]
            ways.sort(key=_cost, reverse=True)
            known = self._after[key] = ways, []
        ways, found = known
        while ways and ways[-1][0] <= slack:
            cost, leaf, depth = ways.pop()
            to = self._number(self.shape.canonical(self._fired(state, leaf, depth)))
            if all(to != other for _, other in found):
                found.append((cost, to))
        return found

    def _ways(self, number: int, leaf: int) -> list[tuple[int, int]]:
        """(cost, depth) of each way to run ``leaf`` next: at that depth of its path something begins anew.

        Where a node of the path has begun, those above it stand at its branch; so only the last one that has begun
        needs a look, and every loop that may begin another round.
        """
        state, shape = self.states[number], self.shape
        way = shape.way(leaf)
        path, enter = way.path, way.enter
        begun, fresh = 0, len(path)
        while begun < fresh:
            middle = (begun + fresh) // 2
            if shape.value(state, path[middle][0]) is None:
                fresh = middle
            else:
                begun = middle + 1
        if not fresh:
            return [] if state else [(enter[0], 0)]
        ways: list[tuple[int, int]] = []
        for depth in way.loops:
            if depth >= fresh:
                break
            ways += self._another_round(number, path[depth], depth, enter[depth + 1])
        node, k = path[fresh - 1]
        v = shape.value(state, node)
        op = shape.blocks.op[node]
        at_branch = v != shape.done if op is Op.AND else v == entered(op, k)
        if at_branch:
            done = fresh == len(path) and shape.value(state, leaf) is not None
            if not done:
                ways.append((enter[fresh], fresh))
        elif op is Op.SEQ and v is not None and v < k:
            sums = shape.before[node]
            skipped = self._left(number, shape.blocks.children[node][v]) + sums[k] - sums[v + 1]
            ways.append((skipped + enter[fresh], fresh - 1))
        return ways

    def _another_round(self, number: int, step: tuple[int, int], depth: int, inside: int) -> list[tuple[int, int]]:
        """The way to a leaf of a loop that finishes what the loop is at and goes round, if it is in progress."""
        node, k = step
        shape = self.shape
        do, redo = shape.blocks.children[node]
        least = shape.least
        v = shape.value(self.states[number], node)
        if v == DO:
            return [(self._left(number, do) + (0 if k else least[redo]) + inside, depth)]
        if v == AFTER:
            return [((0 if k else least[redo]) + inside, depth)]
        if v == REDO:
            return [(self._left(number, redo) + (least[do] if k else 0) + inside, depth)]
        return []

    def _fired(self, number: int, leaf: int, depth: int) -> State:
        """The state once ``leaf`` has run, its path begun anew from ``depth`` on."""
        shape = self.shape
        blocks, width, done = shape.blocks, shape.width, shape.done
        way = shape.way(leaf)
        path = way.path
        state = self.states[number]
        cleared = path[depth][0] if depth < len(path) else leaf
        low, high = bisect_left(state, cleared * width), bisect_left(state, blocks.end[cleared] * width)
        codes = [*state[:low], *way.codes[depth:], *state[high:]]
        finished = leaf
        for node, k in reversed(path):
            if finished != leaf:
                del codes[bisect_left(codes, finished * width)]
            op, below = blocks.op[node], blocks.children[node]
            here = bisect_left(codes, node * width)
            if op is Op.SEQ and k < len(below) - 1:
                codes[here] = node * width + k + 1
                break
            if op is Op.LOOP:
                codes[here] = node * width + (DO if k else AFTER)
                break
            if op is Op.AND:
                insort(codes, finished * width + done)
                behind = bisect_left(codes, blocks.end[node] * width)
                branches = codes[here + 1 : behind]
                if len(branches) != len(below) or any(x % width != done for x in branches):
                    break
                del codes[here + 1 : behind]
            finished = node
        else:
            codes = [done]
        return tuple(codes)

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


def _cost(way: tuple[int, int, int]) -> int:
    return way[0]
