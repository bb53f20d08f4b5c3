"""The scheduler and the slow reference scheduler, told the same things, say the same things."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from petri_cli.engine.checkpoint import Checkpoint
from petri_cli.engine.events import Event, event_to_json
from petri_cli.engine.firings import Completion, Failed, Produced, Returned, TimedOut
from petri_cli.engine.outputs import first_timeout
from petri_cli.engine.scheduler import Scheduler
from petri_cli.engine.tokens import Token
from petri_cli.net.model import IMMEDIATE, Net, PlaceOut, leaves
from petri_cli.net.outcomes import outcomes
from tests.reference_scheduler import ReferenceScheduler
from tests.strategies.busy_nets import busy_net
from tests.strategies.nets import nets

NAMES = ["", "x", "y", "x/1", "x/2"]
FIELDS: list[Any] = [
    None,
    7,
    {"id": "A"},
    {"id": "B"},
    {"id": 1, "order": "A"},
    {"order": "B"},
    {"id": "A", "order": 1},
]


def token(rng: random.Random, now: int) -> Token:
    return Token(rng.choice(FIELDS), max(0, now - rng.randrange(3)), rng.choice(NAMES))


def said(events: list[Event]) -> list[dict[str, object]]:
    """Events as data; the wording of a message is nobody's contract."""
    told = []
    for data in map(event_to_json, events):
        if data["type"] == "LogMessage" or data.get("error") == "OutputViolation":
            data.pop("message", None), data.pop("logger", None)
        told.append(data)
    return told


def completion(rng: random.Random, net: Net, transition: str, now: int) -> Completion:
    t = net.transition(transition)
    kind = rng.choice(["conform"] * 8 + ["any", "fail", "late", "late", "return"])
    if kind == "late" and first_timeout(t.output) is not None:
        return TimedOut()
    if kind == "fail":
        return Failed("ValueError", "boom")
    if kind == "return":
        return Returned()
    ways = [o for o in outcomes(t.output) if not o.timeout]
    places = [leaf.place for leaf in rng.choice(ways).leaves if isinstance(leaf, PlaceOut)] if ways else []
    if kind == "any":
        claimed = sorted({leaf.place for leaf in leaves(t.output) if isinstance(leaf, PlaceOut)})
        places = [p for p in claimed if rng.random() < 0.5]
    values: list[object] = [token(rng, now), rng.choice(FIELDS)]
    outputs: dict[str, Sequence[object]] = {p: rng.choices(values, k=rng.choice([1] * 8 + [2, 2, 0])) for p in places}
    return rng.choice([outputs, Produced(outputs)])


class Pair:
    """The scheduler, with and without events, and the reference on one net, driven by one source of chance.

    restores: how likely it is that before a cycle the schedulers are thrown away, and made again from checkpoints;
    bare: the silent one from no more than the marking and the firings in flight, and it alone.
    """

    def __init__(self, net: Net, rng: random.Random, *, restores: float = 0.0, bare: bool = False) -> None:
        self.net, self.rng, self.now = net, rng, 0
        self.restores, self.restored, self.bare = restores, 0, bare
        stray = {"nowhere": 1} if rng.random() < 0.1 else {}
        marking = {p: [token(rng, 0) for _ in range(n)] for p, n in {**net.initial, **stray}.items()}
        self.options: dict[str, Any] = {
            "max_concurrency": rng.choice([None, None, None, 1, 2]),
            "tolerance": rng.choice([0.0, 0.005]),
        }
        self.fast = Scheduler(net, marking, **self.options)
        self.silent = Scheduler(net, marking, events=False, **self.options)
        self.slow = ReferenceScheduler(net, marking, **self.options)

    def perhaps_restore(self) -> None:
        if not (self.restores and self.rng.random() < self.restores):
            return
        self.restored += 1
        if self.bare:
            kept = self.silent.checkpoint()
            known = Checkpoint(kept.now, kept.marking, kept.in_flight, firings=kept.firings)
            self.silent = Scheduler.restore(self.net, known, events=False, **self.options)
        else:
            self.fast = Scheduler.restore(self.net, self.fast.checkpoint(), **self.options)
            self.silent = Scheduler.restore(self.net, self.silent.checkpoint(), events=False, **self.options)

    def both(self, completions: list[tuple[int, Completion]], injections: list[tuple[str, Token]]) -> int | None:
        """One cycle of both, repeated at the same time as long as the fast one asks for it; the time to wake up at.

        Some of the firings that begin are synchronous: they are over in the next cycle.
        """
        for _ in range(60):
            self.perhaps_restore()
            ours = self.fast.step(self.now, completions, injections)
            firings, events, wake_at = self.slow.step(self.now, completions, injections)
            unheard = self.silent.step(self.now, completions, injections)
            assert said(ours.events) == said(events)
            assert unheard.firings == ours.firings and not unheard.events
            assert [(f.id, f.transition, dict(f.reads)) for f in ours.firings] == [
                (f.id, f.transition, f.reads) for f in firings
            ]
            marking = {p: q for p, q in self.slow.marking.items() if q}
            assert {p: list(q) for p, q in self.fast.marking().items()} == marking
            assert {p: list(q) for p, q in self.silent.marking().items()} == marking
            if ours.wake_at != self.now and not (firings and self.rng.random() < 0.5):
                assert ours.wake_at == wake_at
                assert self.fast.quiescent == (not self.slow.since and not self.slow.in_flight)
                assert (self.silent.wake_at(), self.silent.quiescent) == (ours.wake_at, self.fast.quiescent)
                return wake_at
            if sum(map(len, self.slow.marking.values())) > 60 or len(self.slow.in_flight) > 40:
                break
            at_once = [f for f in firings if self.rng.random() < 0.5]
            completions = [(f.id, completion(self.rng, self.net, f.transition, self.now)) for f in at_once]
            injections = []
        return self.now  # a net that never rests at one point in time

    def drive(self, cycles: int) -> None:
        rng = self.rng
        for _ in range(cycles):
            flying = list(self.slow.in_flight.values())
            over = [f for f in flying if rng.random() < 0.5]
            rng.shuffle(over)
            completions = [(f.id, completion(rng, self.net, f.transition, self.now)) for f in over]
            injections = []
            if rng.random() < 0.2:
                injections = [(rng.choice(self.net.place_ids()), token(rng, self.now))]
            wake_at = self.both(completions, injections)
            if sum(map(len, self.slow.marking.values())) > 60 or len(self.slow.in_flight) > 40:
                return
            step = rng.choice(["stay", "stay", "little", "wake", "wake", "late"])
            if step == "little":
                self.now += rng.choice([1, 1000, 50_000])
            elif step in ("wake", "late") and wake_at is not None:
                self.now = max(self.now, wake_at) + (0 if step == "wake" else rng.choice([1, 4_000, 6_000, 10**7]))


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(nets(max_tokens=3), st.integers(0, 2**32))
def test_the_scheduler_tells_the_same_story_as_the_reference(net: Net, seed: int) -> None:
    pair = Pair(net, random.Random(seed))  # noqa: S311
    pair.drive(12)
    event(f"firings: {min(pair.slow.count, 20) // 5 * 5}+")


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.integers(0, 2**32))
def test_the_two_agree_on_nets_in_which_a_lot_happens(seed: int) -> None:
    pair = Pair(busy_net(seed), random.Random(seed + 1))  # noqa: S311
    pair.drive(25)
    event(f"firings: {min(pair.slow.count, 60) // 20 * 20}+")


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.integers(0, 2**32))
def test_a_run_that_is_restored_from_checkpoints_again_and_again_tells_the_same_story(seed: int) -> None:
    pair = Pair(busy_net(seed), random.Random(seed + 2), restores=0.3)  # noqa: S311
    pair.drive(25)
    event(f"restored: {min(pair.restored, 15) // 5 * 5}+")


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.integers(0, 2**32))
def test_the_marking_and_the_firings_in_flight_are_enough_where_no_clock_matters(seed: int) -> None:
    net = busy_net(seed)
    net = replace(net, transitions=tuple(replace(t, timing=IMMEDIATE, priority=0) for t in net.transitions))
    pair = Pair(net, random.Random(seed + 3), restores=0.5, bare=True)  # noqa: S311
    pair.drive(25)
    event(f"restored: {min(pair.restored, 15) // 5 * 5}+")


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(nets(max_tokens=3), st.integers(0, 2**32))
def test_nets_of_every_kind_are_restored_from_checkpoints(net: Net, seed: int) -> None:
    Pair(net, random.Random(seed), restores=0.5).drive(12)  # noqa: S311
