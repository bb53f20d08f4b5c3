"""What another number would change: two simulated worlds that differ in nothing else, played many times.

How long a task takes is drawn from the durations that history has. They are few, so how they are distributed is not
known well: each time the observations themselves are drawn anew, with replacement, before anything is drawn from them
(Efron 1979, "Bootstrap Methods"). Both worlds get the same chances (common random numbers; Law 2015, "Simulation
Modeling and Analysis", section 11.2), so that what differs is due to the change.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from petri_cli.soundness.timer import Deadline, never

RUNS = 200
SHARE = 0.95
"""Of the runs, how many lie in an interval that is told."""

Sampler = Callable[[random.Random], float]


@dataclass(frozen=True, slots=True)
class Played:
    """One simulated run. seconds: makespan; done: it came to its end; used: resource → unit-seconds held; queued:
    resource → seconds that acquisitions waited, all together; waits: resource → acquisitions that waited."""

    seconds: float
    done: bool
    used: Mapping[str, float]
    queued: Mapping[str, float]
    waits: Mapping[str, int]


Play = Callable[[Mapping[str, int], int, Mapping[str, Sampler]], Played]
"""Plays the plan: (capacities, seed, task → durations)."""


@dataclass(frozen=True, slots=True)
class Spread:
    """mean: of all runs; low and high: between them lie ``SHARE`` of the runs."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Load:
    """Of one resource, before and after: capacity; utilisation: share of its units × time that was held; queued:
    seconds waited for it a run; waits: acquisitions that waited a run. Means."""

    resource: str
    capacity: tuple[int, int]
    utilisation: tuple[float, float]
    queued: tuple[float, float]
    waits: tuple[float, float]


@dataclass(frozen=True, slots=True)
class WhatIf:
    """change: makespan after − before, run by run; runs: pairs that were played, of ``wanted``; stuck: pairs of which
    one did not come to its end, left out of the numbers."""

    changes: Mapping[str, int]
    runs: int
    wanted: int
    stuck: int
    before: Spread
    after: Spread
    change: Spread
    loads: tuple[Load, ...]


def what_if(
    play: Play,
    capacities: Mapping[str, int],
    changes: Mapping[str, int],
    observed: Mapping[str, Sequence[float]],
    *,
    runs: int = RUNS,
    seed: int = 0,
    deadline: Deadline = never,
) -> WhatIf:
    """Play both worlds ``runs`` times, fewer past the deadline, at least once. observed: task → seconds."""
    changed = {**capacities, **changes}
    pairs: list[tuple[Played, Played]] = []
    tried = 0
    for k in range(runs):
        if tried and deadline():
            break
        tried += 1
        drawn = _drawn(observed, random.Random(f"{seed}:{k}"))  # noqa: S311
        before, after = play(capacities, seed + k, drawn), play(changed, seed + k, drawn)
        if before.done and after.done:
            pairs.append((before, after))
    return WhatIf(
        changes,
        len(pairs),
        runs,
        tried - len(pairs),
        _spread([b.seconds for b, _ in pairs]),
        _spread([a.seconds for _, a in pairs]),
        _spread([a.seconds - b.seconds for b, a in pairs]),
        tuple(_load(r, capacities[r], changed[r], pairs) for r in capacities),
    )


def _drawn(observed: Mapping[str, Sequence[float]], rng: random.Random) -> dict[str, Sampler]:
    """One draw of the observations of each task, as something to draw durations from."""
    drawn: dict[str, Sampler] = {}
    for task, values in observed.items():
        if values:
            sample = rng.choices(values, k=len(values))
            drawn[task] = _from(sample)
    return drawn


def _from(sample: Sequence[float]) -> Sampler:
    return lambda rng: rng.choice(sample)


def _spread(values: Sequence[float]) -> Spread:
    if not values:
        return Spread(0.0, 0.0, 0.0)
    ordered = sorted(values)
    outside = (1 - SHARE) / 2 * len(ordered)
    first = int(outside)
    return Spread(sum(ordered) / len(ordered), ordered[first], ordered[len(ordered) - 1 - first])


def _load(resource: str, before: int, after: int, pairs: Sequence[tuple[Played, Played]]) -> Load:
    n = len(pairs) or 1

    def utilisation(side: int, capacity: int) -> float:
        room = capacity * sum(pair[side].seconds for pair in pairs)
        return sum(pair[side].used.get(resource, 0.0) for pair in pairs) / room if room else 0.0

    def mean(side: int, of: Callable[[Played], Mapping[str, float]]) -> float:
        return sum(of(pair[side]).get(resource, 0) for pair in pairs) / n

    return Load(
        resource,
        (before, after),
        (utilisation(0, before), utilisation(1, after)),
        (mean(0, lambda p: p.queued), mean(1, lambda p: p.queued)),
        (mean(0, lambda p: p.waits), mean(1, lambda p: p.waits)),
    )
