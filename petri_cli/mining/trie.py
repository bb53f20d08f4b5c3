"""Traces in the order of a prefix trie: each shares what it can with the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from petri_cli.mining.log import Trace


def by_prefix(traces: Sequence[Trace]) -> Iterator[tuple[int, int]]:
    """(index of a trace, how long a prefix it shares with the trace before), in lexicographic order.

    Who keeps a stack of what was found at each depth, cut back to that length, visits every node of the trie once.
    """
    order = sorted(range(len(traces)), key=lambda k: traces[k])
    before: Trace = ()
    for index in order:
        trace = traces[index]
        shared = 0
        for a, b in zip(before, trace, strict=False):
            if a != b:
                break
            shared += 1
        yield index, shared
        before = trace
