"""Runs without a search: to realise a solution of the state equation, and to see every action fire."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.packed import effect, is_vector_addition
from petri_cli.soundness.timer import Deadline, never

Run = tuple[int, ...]
"""Actions, in the order in which they fire from the initial marking."""

TRIES = 12
"""Walks along one solution."""
STRAYS = 3
"""Walks without a plan."""
LONGEST = 10_000
"""Steps of one of them."""


class Walker:
    """A net to walk in: the effects of its actions are worked out once."""

    def __init__(self, compiled: CompiledNet) -> None:
        self.compiled = compiled
        self.effects = [list(effect(a).items()) if is_vector_addition(a) else None for a in compiled.actions]
        self.needs = [(*a.needs, *((p, 1) for p in a.reads)) for a in compiled.actions]
        self.enabled = [a for a, action in enumerate(compiled.actions) if action.enabled(compiled.initial)]

    def start(self) -> Walk:
        return Walk(self)


class Walk:
    """A run under construction: the marking it has come to and what is enabled there."""

    def __init__(self, walker: Walker) -> None:
        self.walker = walker
        self.marking = list(walker.compiled.initial)
        self.enabled = set(walker.enabled)
        self.run: list[int] = []

    def fire(self, a: int) -> None:
        marking, compiled = self.marking, self.walker.compiled
        actions, readers = compiled.actions, compiled.readers
        self.run.append(a)
        changes = self.walker.effects[a]
        if changes is None:
            after = actions[a].fire(tuple(marking))
            changes = [(p, new - old) for p, (old, new) in enumerate(zip(marking, after, strict=True)) if old != new]
        for p, k in changes:
            marking[p] += k
        for p, _ in changes:
            for b in readers[p]:
                for q, k in self.walker.needs[b]:
                    if marking[q] < k:
                        self.enabled.discard(b)
                        break
                else:
                    if actions[b].inhibitors and not actions[b].enabled(marking):
                        self.enabled.discard(b)
                    else:
                        self.enabled.add(b)

    def is_at(self, state: State | None) -> bool:
        return self.marking == list(state or ())


def stray(walker: Walker, wanted: Callable[[Walk], bool], deadline: Deadline = never, seed: int = 0) -> Walk | None:
    """A walk to a marking that is ``wanted``, met by chance: a walk that lets nobody get ahead, then random ones."""
    rng = Random(seed)  # noqa: S311
    actions = len(walker.compiled.actions)
    for attempt in range(STRAYS):
        walk, fired = walker.start(), [0] * actions
        while not wanted(walk):
            if not walk.enabled or len(walk.run) > min(4 * actions, LONGEST) or deadline():
                break
            if attempt:
                a = rng.choice(sorted(walk.enabled))
            else:
                a = min(walk.enabled, key=lambda b: (fired[b], -len(walker.compiled.actions[b].needs), b))
            fired[a] += 1
            walk.fire(a)
        else:
            return walk
    return None


def realise(walker: Walker, counts: Sequence[int], wanted: Callable[[Walk], bool], seed: int = 0) -> Run | None:
    """A run that fires each action ``counts`` times at most and comes to a marking that is ``wanted``; a few tries."""
    rng = Random(seed)  # noqa: S311
    for attempt in range(TRIES):
        walk, left = walker.start(), list(counts[: len(walker.compiled.actions)])
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


def covering_runs(walker: Walker, longest: int = 100_000, seed: int = 0, deadline: Deadline = never) -> Covered:
    """Runs that between them fire every action, or as many as were seen to fire.

    Each walk heads for the actions not seen yet, by the fewest steps that the arcs of the net allow, and ends when none
    is ahead. Walks that see nothing new are tried a few times, with other choices. longest: steps in all.
    """
    rng, compiled = Random(seed), walker.compiled  # noqa: S311
    unseen, runs = set(range(len(compiled.actions))), list[Run]()
    barren = steps = 0
    while unseen and barren < TRIES:
        walk, seen_at, distance = walker.start(), 0, _distances(compiled, unseen)
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
