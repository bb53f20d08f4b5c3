"""What a log without one activity can be cut into is seen without making that log."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from petri_cli.mining.cuts import between, choice_cut, graph_of, loop_cut, members, parallel_cut, sequence_cut
from petri_cli.mining.inductive_bridges import Bridges
from petri_cli.mining.inductive_splits import projected

TRACES = st.lists(st.lists(st.integers(0, 6), min_size=1, max_size=9).map(tuple), min_size=1, max_size=7, unique=True)


LOOP_WITHOUT_4 = [(0, 1), (0, 2), (0, 1, 3, 0, 1), (0, 2, 4, 3, 0, 2)]
"""3 comes behind 1, and behind 2 once 4 is gone; then it is the way back from all ends."""


@given(TRACES)
@example(LOOP_WITHOUT_4)
@settings(deadline=None, derandomize=True, max_examples=600)
def test_a_log_without_an_activity_is_cut_as_if_it_had_been_made(traces: list[tuple[int, ...]]) -> None:
    log = dict.fromkeys(traces, 1)
    graph = graph_of(log)
    bridges = Bridges(log, graph)
    for a in members(graph.alphabet):
        rest = projected(log, graph.alphabet & ~(1 << a))
        rest.pop((), None)
        without = graph_of(rest)
        assert bridges.without(a) == without
        cuts = (choice_cut(without), sequence_cut(without), loop_cut(without), parallel_cut(without, between(rest)))
        assert bridges.cuttable(a) == any(len(parts) > 1 for parts in cuts)
