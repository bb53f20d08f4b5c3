"""Alignment costs the slow way: Dijkstra on the product of a trace and the markings of a net."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from petri_cli.mining.alignments import Kind, Move
from petri_cli.mining.model import LabelledNet
from petri_cli.net.compiled import compile_net


def cheapest(model: LabelledNet, trace: Sequence[str], most_states: int = 20_000) -> int | None:
    """The cost of an optimal alignment; None when there is none. Raises OverflowError past ``most_states``."""
    net = compile_net(model.net)
    queue = [(0, 0, net.initial)]
    done = set()
    while queue:
        cost, at, marking = heappop(queue)
        if (at, marking) in done:
            continue
        if at == len(trace) and marking == net.final:
            return cost
        done.add((at, marking))
        if len(done) > most_states:
            raise OverflowError
        if at < len(trace):
            heappush(queue, (cost + 1, at + 1, marking))
        for action in net.actions:
            if action.enabled(marking):
                label = model.labels.get(action.step.transition)
                after = action.fire(marking)
                heappush(queue, (cost + (label is not None), at, after))
                if at < len(trace) and label == trace[at]:
                    heappush(queue, (cost, at + 1, after))
    return None


def check_moves(model: LabelledNet, trace: Sequence[str], moves: Sequence[Move]) -> int:
    """What ``moves`` cost; AssertionError unless they tell the trace and a complete run of the net."""
    net = compile_net(model.net)
    by_id = {a.step.transition: a for a in net.actions}
    told = [m.activity for m in moves if m.kind in (Kind.SYNC, Kind.LOG)]
    assert told == list(trace)
    marking = net.initial
    for m in moves:
        if m.kind is Kind.LOG:
            assert m.transition is None
            continue
        assert m.transition is not None
        assert model.labels.get(m.transition) == m.activity
        assert (m.kind is Kind.SILENT) == (m.activity is None)
        assert by_id[m.transition].enabled(marking)
        marking = by_id[m.transition].fire(marking)
    assert marking == net.final
    return sum(m.kind in (Kind.LOG, Kind.MODEL) for m in moves)
