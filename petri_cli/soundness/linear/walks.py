"""Runs without a search: to realise a solution of the state equation, and to see every action fire."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.timer import Deadline, never

Run = tuple[int, ...]
"""Actions, in the order in which they fire from the initial marking."""

TRIES = 12
"""Walks along one solution."""


class Walk:
    """A run under construction: the marking it has come to and what is enabled there."""

    def __init__(self, compiled: CompiledNet) -> None:
        self.compiled = compiled
        self.marking: State = compiled.initial
        self.enabled = {a for a, action in enumerate(compiled.actions) if action.enabled(self.marking)}
        self.run: list[int] = []

    def fire(self, a: int) -> None:
        before, actions, readers = self.marking, self.compiled.actions, self.compiled.readers
        self.marking = after = actions[a].fire(before)
        self.run.append(a)
        for p, (old, new) in enumerate(zip(before, after, strict=True)):
            if old != new:
                for b in readers[p]:
                    if actions[b].enabled(after):
                        self.enabled.add(b)
                    else:
                        self.enabled.discard(b)


def realise(compiled: CompiledNet, counts: Sequence[int], wanted: Callable[[Walk], bool], seed: int = 0) -> Run | None:
    """A run that fires each action ``counts`` times at most and comes to a marking that is ``wanted``; a few tries."""
    rng = Random(seed)  # noqa: S311
    for attempt in range(TRIES):
        walk, left = Walk(compiled), list(counts[: len(compiled.actions)])
        while True:
            if wanted(walk):
                return tuple(walk.run)
            ready = [a for a in walk.enabled if left[a] > 0]
            if not ready:
                break
            a = min(ready) if attempt == 0 else max(ready) if attempt == 1 else rng.choice(sorted(ready))
            left[a] -= 1
            walk.fire(a)
    return None


@dataclass(frozen=True, slots=True)
class Covered:
    """Runs, and the actions that none of them fires."""

    runs: tuple[Run, ...]
    unseen: frozenset[int]


def covering_runs(compiled: CompiledNet, longest: int = 100_000, seed: int = 0, deadline: Deadline = never) -> Covered:
    """Runs that between them fire every action, or as many as were seen to fire.

    Each walk heads for the actions not seen yet, by the fewest steps that the arcs of the net allow, and ends when none
    is ahead. Walks that see nothing new are tried a few times, with other choices. longest: steps in all.
    """
    rng = Random(seed)  # noqa: S311
    unseen, runs = set(range(len(compiled.actions))), list[Run]()
    barren = steps = 0
    while unseen and barren < TRIES:
        walk, seen_at, distance = Walk(compiled), 0, _distances(compiled, unseen)
        visits = [0] * len(compiled.actions)
        while walk.enabled and steps < longest and len(walk.run) <= 20 * len(compiled.actions) and not deadline():
            nearest = min((distance[a], visits[a]) for a in walk.enabled)
            if nearest[0] > len(compiled.actions) and seen_at:
                break
            ready = sorted(a for a in walk.enabled if (distance[a], visits[a]) == nearest)
            if barren and rng.random() < 0.5:
                ready = sorted(walk.enabled)
            a = rng.choice(ready) if barren else ready[0]
            visits[a] += 1
            steps += 1
            walk.fire(a)
            if a in unseen:
                unseen.discard(a)
                seen_at = len(walk.run)
                distance = _distances(compiled, unseen) if distance[a] == 0 and len(walk.run) % 16 == 0 else distance
                distance[a] = 1
        if seen_at:
            runs.append(tuple(walk.run[:seen_at]))
        barren = 0 if seen_at else barren + 1
        if steps >= longest or deadline():
            break
    return Covered(tuple(runs), frozenset(unseen))


def _distances(compiled: CompiledNet, goals: set[int]) -> list[int]:
    """For each action how many firings lie between it and one of ``goals``, at least; far when there is no way."""
    far = 2 * len(compiled.actions) + 1
    distance = [far] * len(compiled.actions)
    producers: list[list[int]] = [[] for _ in compiled.places]
    for a, action in enumerate(compiled.actions):
        for p in {*(q for q, _ in action.produced), *(q for _, q in action.forwards)}:
            producers[p].append(a)
    todo = deque(sorted(goals))
    for a in goals:
        distance[a] = 0
    while todo:
        a = todo.popleft()
        for p, _ in compiled.actions[a].needs:
            for b in producers[p]:
                if distance[b] == far:
                    distance[b] = distance[a] + 1
                    todo.append(b)
    return distance
