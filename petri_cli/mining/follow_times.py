"""How long it takes from one activity to the one right behind it, and how long activities take."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from petri_cli.mining.log import NO_TIME, Log


@dataclass(frozen=True, slots=True)
class Spread:
    """What n durations come to, in seconds. median: of an even number the upper one, which was seen."""

    n: int
    least: float
    median: float
    mean: float
    most: float


def spread(ticks: array[int]) -> Spread:
    """Of durations in microseconds, at least one. The mean is rounded once, so the order of cases does not show."""
    found = sorted(ticks)
    n = len(found)
    return Spread(n, found[0] / 1e6, found[n // 2] / 1e6, sum(found) / n / 1e6, found[-1] / 1e6)


def follow_times(log: Log) -> Mapping[tuple[int, int], Spread]:
    """Edge of the directly-follows graph → times from the end of the first event to the beginning of the second (to
    its end where the log does not tell beginnings). Edges without known times are left out."""
    times = log.times
    if times is None:
        return {}
    gaps: dict[tuple[int, int], array[int]] = {}
    at = 0
    for variant in log.variant_of:
        trace = log.variants[variant]
        for k, edge in enumerate(pairwise(trace), at):
            left, right = times.ended[k], times.ended[k + 1]
            if times.began is not None and NO_TIME < times.began[k + 1] <= right:
                right = times.began[k + 1]
            if left != NO_TIME and right != NO_TIME:
                gaps.setdefault(edge, array("q")).append(max(0, right - left))
        at += len(trace)
    return {edge: spread(found) for edge, found in gaps.items()}


def activity_times(log: Log) -> Mapping[int, Spread]:
    """Activity → how long its events took. Empty where the log does not tell when events began."""
    times = log.times
    if times is None or times.began is None:
        return {}
    took: dict[int, array[int]] = {}
    at = 0
    for variant in log.variant_of:
        trace = log.variants[variant]
        for k, activity in enumerate(trace, at):
            if NO_TIME < times.began[k] <= times.ended[k]:
                took.setdefault(activity, array("q")).append(times.ended[k] - times.began[k])
        at += len(trace)
    return {activity: spread(found) for activity, found in took.items()}
