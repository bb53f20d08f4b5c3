"""How long it takes from one activity to the one right behind it."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from itertools import pairwise

from petri_cli.mining.log import Log


def follow_times(log: Log) -> Mapping[tuple[int, int], float]:
    """Edge of the directly-follows graph → median seconds from the end of the first event to the beginning of the
    second (to its end where the log does not tell beginnings). Edges without known times are left out."""
    times = log.times
    if times is None:
        return {}
    gaps: dict[tuple[int, int], array[int]] = {}
    at = 0
    for variant in log.variant_of:
        trace = log.variants[variant]
        for k, edge in enumerate(pairwise(trace), at):
            left, right = times.ended[k], times.ended[k + 1]
            if times.began is not None and 0 <= times.began[k + 1] <= right:
                right = times.began[k + 1]
            if left >= 0 and right >= 0:
                gaps.setdefault(edge, array("q")).append(max(0, right - left))
        at += len(trace)
    return {edge: sorted(found)[len(found) // 2] / 1e6 for edge, found in gaps.items()}
