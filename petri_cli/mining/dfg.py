"""The directly-follows graph of a log: how often one activity comes right behind another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from petri_cli.mining.log import Log


@dataclass(frozen=True, slots=True)
class DirectlyFollows:
    """Counts over all events of all cases, by codes of activities; ``empty``: cases without any event."""

    activities: tuple[str, ...]
    follows: Mapping[tuple[int, int], int]
    starts: Mapping[int, int]
    ends: Mapping[int, int]
    occurrences: Mapping[int, int]
    empty: int = 0

    def by_name(self) -> DirectlyFollows:
        """The same graph with activities in the order of their names: it no longer shows which case came first."""
        order = sorted(range(len(self.activities)), key=self.activities.__getitem__)
        code = {a: k for k, a in enumerate(order)}

        def renamed(counts: Mapping[int, int]) -> dict[int, int]:
            return {code[a]: counts[a] for a in order if a in counts}

        follows = {(code[a], code[b]): n for (a, b), n in self.follows.items()}
        names = tuple(self.activities[a] for a in order)
        return DirectlyFollows(
            names,
            dict(sorted(follows.items())),
            renamed(self.starts),
            renamed(self.ends),
            renamed(self.occurrences),
            self.empty,
        )


def directly_follows(log: Log) -> DirectlyFollows:
    """The graph of ``log``; one look at each variant."""
    follows: dict[tuple[int, int], int] = {}
    starts: dict[int, int] = {}
    ends: dict[int, int] = {}
    occurrences: dict[int, int] = {}
    empty = 0
    for trace, n in log:
        if not trace:
            empty += n
            continue
        starts[trace[0]] = starts.get(trace[0], 0) + n
        ends[trace[-1]] = ends.get(trace[-1], 0) + n
        for a in trace:
            occurrences[a] = occurrences.get(a, 0) + n
        for pair in pairwise(trace):
            follows[pair] = follows.get(pair, 0) + n
    return DirectlyFollows(log.activities, follows, starts, ends, occurrences, empty)
