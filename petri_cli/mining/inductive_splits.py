"""Splitting a log by a cut: one log for each part. A log is a count for each distinct trace."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise

from petri_cli.mining.cuts import Graph, members
from petri_cli.mining.log import Trace

Traces = dict[Trace, int]
"""Trace → cases."""


def _parts_of(parts: Sequence[int]) -> dict[int, int]:
    return {a: k for k, part in enumerate(parts) for a in members(part)}


def by_choice(traces: Traces, parts: Sequence[int]) -> list[Traces]:
    """Each trace is of one part alone."""
    of = _parts_of(parts)
    logs: list[Traces] = [{} for _ in parts]
    for trace, n in traces.items():
        logs[of[trace[0]]][trace] = n
    return logs


def by_projection(traces: Traces, parts: Sequence[int]) -> list[Traces]:
    """Each part sees its own events of each trace: for sequences, where they stand side by side, and for parallel."""
    return [projected(traces, part) for part in parts]


def projected(traces: Traces, part: int) -> Traces:
    """The log without the activities outside ``part``."""
    kept = frozenset(members(part)).__contains__
    log: Traces = {}
    for trace, n in traces.items():
        piece = tuple(filter(kept, trace))
        log[piece] = log.get(piece, 0) + n
    return log


def by_loop(traces: Traces, parts: Sequence[int]) -> list[Traces]:
    """Each trace falls into stretches: the body, a way back, the body again, and so on."""
    of = _parts_of(parts)
    logs: list[Traces] = [{} for _ in parts]
    for trace, n in traces.items():
        for k, stretch in groupby(trace, key=of.__getitem__):
            piece = tuple(stretch)
            logs[k][piece] = logs[k].get(piece, 0) + n
    return logs


def cut_at(traces: Traces, graph: Graph, *, strict: bool) -> Traces:
    """Each trace cut before every activity that can begin one; strict: only behind one that can end one."""
    log: Traces = {}
    for trace, n in traces.items():
        cuts = [
            k
            for k, (a, b) in enumerate(pairwise(trace), 1)
            if graph.starts >> b & 1 and (not strict or graph.ends >> a & 1)
        ]
        for begin, end in pairwise([0, *cuts, len(trace)]):
            piece = trace[begin:end]
            log[piece] = log.get(piece, 0) + n
    return log
