"""Which activity of a log can be left out so that the others can be cut: all of them tried, from one look at the log.

Most of the trials say no, of hundreds of activities almost all. So each begins with what is cheap to know and settles
most of them: the graph stays strongly connected where the activity is a leaf of two spanning trees, one along the edges
and one against them, and then neither a choice nor a sequence can be cut from it.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from petri_cli.mining.cuts import (
    Graph,
    between,
    choice_cut,
    mask_of,
    members,
    parallel_cut,
    sequence_cut,
    strongly_connected,
)
from petri_cli.mining.inductive_splits import Traces, projected

ROUNDS = 4
"""Pairs of spanning trees that are tried."""


class Bridges:
    """The graphs of a log without one activity each.

    Leaving out a makes two events neighbours where nothing but a stood between them.
    """

    def __init__(self, traces: Traces, graph: Graph) -> None:
        self.traces, self.graph = traces, graph
        self.pairs: dict[int, list[tuple[int, int]]] = {a: [] for a in members(graph.alphabet)}
        triples: set[tuple[int, int, int]] = set()
        firsts: set[int] = set()
        lasts: set[int] = set()
        starts: dict[int, int] = dict.fromkeys(self.pairs, 0)
        ends: dict[int, int] = dict.fromkeys(self.pairs, 0)
        for trace in traces:
            runs = [a for a, _ in groupby(trace)]
            firsts.add(runs[0])
            lasts.add(runs[-1])
            triples.update(zip(runs, runs[1:], runs[2:], strict=False))
            if len(runs) > 1:
                starts[runs[0]] |= 1 << runs[1]
                ends[runs[-1]] |= 1 << runs[-2]
        for before, a, behind in triples:
            self.pairs[a].append((before, behind))
        first, last = mask_of(firsts), mask_of(lasts)
        self.starts = {a: first & ~(1 << a) | more for a, more in starts.items()}
        self.ends = {a: last & ~(1 << a) | more for a, more in ends.items()}
        self.needed = _needed(graph)
        """Activities without which the graph may fall apart; of the others it is known that it does not."""
        self.spoilt = _spoilt(graph, graph.alphabet)
        self.holding = _holding(graph, self.spoilt)
        """Activities without which some part may be a way back of a loop."""

    def without(self, a: int) -> Graph:
        """The graph of the log without ``a``."""
        rest = ~(1 << a)
        after, before = self._bridged(a)
        kept = [b for b in after if b != a]
        return Graph(
            self.graph.alphabet & rest,
            {b: after[b] & rest for b in kept},
            {b: before[b] & rest for b in kept},
            self.starts[a],
            self.ends[a],
        )

    def _bridged(self, a: int) -> tuple[dict[int, int], dict[int, int]]:
        """The edges with those that come in, and still those of ``a`` itself."""
        after, before = dict(self.graph.after), dict(self.graph.before)
        for b, c in self.pairs[a]:
            after[b] |= 1 << c
            before[c] |= 1 << b
        return after, before

    def cuttable(self, a: int) -> bool:
        """Whether the log without ``a`` has a cut."""
        alphabet = self.graph.alphabet & ~(1 << a)
        after, before = self._bridged(a)
        graph = Graph(alphabet, after, before, self.starts[a], self.ends[a])
        if self.needed >> a & 1 and not strongly_connected(graph):
            rest = self.without(a)
            if len(choice_cut(rest)) > 1 or len(sequence_cut(rest)) > 1:
                return True
        if self._may_loop(a, graph) and _spread(graph, _spoilt(graph, alphabet)) != alphabet & ~_body(graph):
            return True
        if len(parallel_cut(graph)) < 2:
            return False
        return len(parallel_cut(graph, between(projected(self.traces, alphabet)))) > 1

    def _may_loop(self, a: int, graph: Graph) -> bool:
        """Whether it is not known from the graph with ``a`` that the one without it has no way back of a loop."""
        if (self.holding | _body(self.graph)) >> a & 1:
            return True
        touched = mask_of([b for pair in self.pairs[a] for b in pair]) & self.spoilt
        return _spoilt(graph, touched) != touched


def _needed(graph: Graph) -> int:
    """Activities without which the graph may not be strongly connected: some more than there are, but not many.

    The others are leaves of a spanning tree along the edges and of one against them, both from the same root; each time
    of trees in which those that were inner nodes before are so only where they must.
    """
    needed = graph.alphabet
    for _ in range(ROUNDS):
        candidates = graph.alphabet & ~needed or graph.alphabet
        root = max(members(candidates), key=lambda b: min(graph.after[b].bit_count(), graph.before[b].bit_count()))
        inner = _inner(graph.after, root, graph.alphabet, needed) | _inner(graph.before, root, graph.alphabet, needed)
        if needed & inner == needed:
            break
        needed &= inner
    return needed


def _inner(edges: Mapping[int, int], root: int, alphabet: int, avoided: int) -> int:
    """The nodes that have a child in a spanning tree along ``edges``, and its root; all, where there is no such tree.

    Children come to an avoided node only where others have none left, and to those with most edges first, since a flat
    tree has few inner nodes.
    """
    found = inner = 1 << root
    open_: list[int] = [root]
    put_off: list[int] = []
    while open_ or put_off:
        a = open_.pop() if open_ else put_off.pop()
        new = edges[a] & alphabet & ~found
        if new:
            inner |= 1 << a
            found |= new
            for b in sorted(members(new), key=lambda b: edges[b].bit_count()):
                (put_off if avoided >> b & 1 else open_).append(b)
    return inner if found == alphabet else alphabet


def _body(graph: Graph) -> int:
    return graph.starts | graph.ends


def _spoilt(graph: Graph, within: int) -> int:
    """Activities outside the body of a loop that are in no way back, whatever is in one with them: see
    :func:`petri_cli.mining.cuts.loop_cut`. A part that has none of them is a way back, and it takes all of it."""
    after, before, body = graph.after, graph.before, _body(graph)
    enters, leaves = (0, graph.ends), (0, graph.starts)
    spoilt = 0
    for a in members(within & graph.alphabet & ~body):
        if before[a] & body not in enters or after[a] & body not in leaves:
            spoilt |= 1 << a
    return spoilt


def _spread(graph: Graph, spoilt: int) -> int:
    """What is in one part outside the body with a spoilt activity."""
    outside = graph.alphabet & ~_body(graph)
    todo = spoilt
    while todo and spoilt != outside:
        low = todo & -todo
        todo ^= low
        a = low.bit_length() - 1
        new = (graph.after[a] | graph.before[a]) & outside & ~spoilt
        spoilt |= new
        todo |= new
    return spoilt


def _holding(graph: Graph, spoilt: int) -> int:
    """The inner nodes of a spanning forest outside the body whose roots are the spoilt activities; all activities,
    where it does not span."""
    outside = graph.alphabet & ~_body(graph)
    found, inner, todo = spoilt, 0, list(members(spoilt))
    todo.sort(key=lambda a: -((graph.after[a] | graph.before[a]) & outside).bit_count())
    for a in todo:
        new = (graph.after[a] | graph.before[a]) & outside & ~found
        if new:
            inner |= 1 << a
            found |= new
            todo += members(new)
    return inner if found == outside else graph.alphabet
