"""The inductive miner: a process tree that allows every trace of the log.

S. J. J. Leemans, D. Fahland and W. M. P. van der Aalst, "Discovering Block-Structured Process Models from Event Logs: A
Constructive Approach", Petri Nets 2013. A log is split by the first cut that its directly-follows graph has: choice,
sequence, parallel, loop; each part is mined the same way. Where there is no cut, the fall-throughs of S. J. J. Leemans,
"Robust Process Mining with Guarantees", 2017, section 6.2, take one step that always fits. Nothing depends on the order
of cases: where there is a choice, the activity whose name comes first is taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petri_cli.mining.cuts import (
    Graph,
    between,
    choice_cut,
    graph_of,
    loop_cut,
    members,
    parallel_cut,
    sequence_cut,
)
from petri_cli.mining.inductive_bridges import Bridges
from petri_cli.mining.inductive_splits import Traces, by_choice, by_loop, by_projection, cut_at, projected
from petri_cli.mining.log import Log
from petri_cli.mining.tree import Op, Tree, TreeBuilder

MOST_TRIALS = 2_000_000
"""Nodes looked at, in all, to find activities beside the rest: hundreds of activities that nothing orders would take
minutes. Past it, that fall-through is passed over, and the next ones say less, and fit as well."""


@dataclass(frozen=True, slots=True)
class Block:
    """An operator over what is still to be mined, over leaves (an activity, or None for a silent step) and blocks."""

    op: Op
    parts: tuple[Block | Traces | int | None, ...]


Part = Block | Traces | int | None


def inductive(log: Log) -> Tree:
    """The tree of ``log``. An empty log gives a silent step."""
    order = sorted(range(len(log.activities)), key=log.activities.__getitem__)
    code = {a: k for k, a in enumerate(order)}
    names = [log.activities[a] for a in order]
    traces: Traces = {}
    for trace, n in log:
        renamed = tuple([code[a] for a in trace])
        traces[renamed] = traces.get(renamed, 0) + n
    return _Miner(names).mine(traces)


class _Miner:
    """nodes: the tree so far, parents before children; what is still to be mined waits with the index of its node."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = names
        self.trials = 0
        self.nodes: list[int | tuple[Op, list[int]] | None] = []

    def mine(self, traces: Traces) -> Tree:
        self.nodes.append(None)
        todo: list[tuple[int, Part]] = [(0, traces)]
        while todo:
            index, part = todo.pop()
            if isinstance(part, dict):
                part = self._step(part)
            if isinstance(part, Block):
                children = list(range(len(self.nodes), len(self.nodes) + len(part.parts)))
                self.nodes += [None] * len(children)
                self.nodes[index] = (part.op, children)
                todo += zip(children, part.parts, strict=True)
            else:
                self.nodes[index] = part
        return self._tree()

    def _step(self, traces: Traces) -> Block | int | None:
        """One step on a log: a base case, a cut or a fall-through."""
        if () in traces:
            rest = {trace: n for trace, n in traces.items() if trace}
            return Block(Op.XOR, (None, rest)) if rest else None
        if not traces:
            return None
        graph = graph_of(traces)
        if graph.alphabet.bit_count() == 1 and all(len(trace) == 1 for trace in traces):
            return graph.alphabet.bit_length() - 1
        return _cut(traces, graph) or self._fall_through(traces, graph)

    def _fall_through(self, traces: Traces, graph: Graph) -> Block:
        """What always fits, the most telling first."""
        return (
            _once_a_trace(traces, graph)
            or self._beside_the_rest(traces, graph)
            or _repeated(traces, graph, strict=True)
            or _repeated(traces, graph, strict=False)
            or _anything(graph)
        )

    def _beside_the_rest(self, traces: Traces, graph: Graph) -> Block | None:
        """An activity without which the others can be cut, beside them."""
        if graph.alphabet.bit_count() < 3:
            return None
        bridges = Bridges(traces, graph)
        n = graph.alphabet.bit_count()
        for a in members(graph.alphabet):
            self.trials += n
            if self.trials > MOST_TRIALS:
                return None
            if bridges.cuttable(a):
                rest = graph.alphabet & ~(1 << a)
                return Block(Op.AND, (projected(traces, 1 << a), projected(traces, rest)))
        return None

    def _tree(self) -> Tree:
        """The nodes as a tree in which no choice, sequence or parallel stands directly below its like."""
        nodes, builder = self.nodes, TreeBuilder()
        merged: dict[int, list[int]] = {}
        made: dict[int, int] = {}
        for index in range(len(nodes) - 1, -1, -1):
            node = nodes[index]
            if isinstance(node, tuple):
                op, children = node
                merged[index] = []
                for c in children:
                    below = nodes[c]
                    like = op is not Op.LOOP and isinstance(below, tuple) and below[0] is op
                    merged[index] += merged[c] if like else [c]
                if op is Op.XOR:
                    silent = [c for c in merged[index] if nodes[c] is None]
                    merged[index] = silent[:1] + [c for c in merged[index] if nodes[c] is not None]
        stack = [(0, False)]
        while stack:
            index, ready = stack.pop()
            node = nodes[index]
            if not isinstance(node, tuple):
                made[index] = builder.leaf(None if node is None else self.names[node])
            elif ready:
                made[index] = builder.inner(node[0], [made[c] for c in merged[index]])
            else:
                stack.append((index, True))
                stack += [(c, False) for c in reversed(merged[index])]
        return builder.tree(made[0])


def _cut(traces: Traces, graph: Graph) -> Block | None:
    """The first cut there is, with the log split by it."""
    if graph.alphabet.bit_count() == 1:
        return None
    if len(parts := choice_cut(graph)) > 1:
        return Block(Op.XOR, tuple(by_choice(traces, parts)))
    if len(parts := sequence_cut(graph)) > 1:
        return Block(Op.SEQ, tuple(by_projection(traces, parts)))
    side_by_side = len(parallel_cut(graph)) > 1
    if side_by_side and len(parts := parallel_cut(graph, between(traces))) > 1:
        return Block(Op.AND, tuple(by_projection(traces, parts)))
    if len(parts := loop_cut(graph)) > 1:
        body, *back = by_loop(traces, parts)
        return Block(Op.LOOP, (body, back[0] if len(back) == 1 else Block(Op.XOR, tuple(back))))
    return None


def _once_a_trace(traces: Traces, graph: Graph) -> Block | None:
    """An activity that is in each trace once, beside all others."""
    if graph.alphabet.bit_count() == 1:
        return None
    for a in members(graph.alphabet):
        if all(trace.count(a) == 1 for trace in traces):
            return Block(Op.AND, (a, projected(traces, graph.alphabet & ~(1 << a))))
    return None


def _repeated(traces: Traces, graph: Graph, *, strict: bool) -> Block | None:
    """A loop around the log, where traces look like several put one behind the other."""
    pieces = cut_at(traces, graph, strict=strict)
    if sum(pieces.values()) == sum(traces.values()):
        return None
    return Block(Op.LOOP, (pieces, None))


def _anything(graph: Graph) -> Block:
    """Every activity, as often as wanted and in any order."""
    activities = tuple(members(graph.alphabet))
    return Block(Op.LOOP, (None, activities[0] if len(activities) == 1 else Block(Op.XOR, activities)))
