"""The execution contract once more, slow and obvious: the oracle for :class:`petri_cli.engine.Scheduler`.

Everything is looked at in every cycle, markings are plain lists, enabling is asked of the marking itself, a clock is a
time in a dictionary. Only the data types (net, token, event, completion) are shared with the engine, none of its logic.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from petri_cli.engine import events as ev
from petri_cli.engine.firings import Completion, Failed, Produced, Returned, TimedOut
from petri_cli.engine.tokens import Token
from petri_cli.net.model import (
    AndOut,
    Cardinality,
    ForwardOut,
    Net,
    Output,
    PlaceOut,
    TimeoutOut,
    Transition,
    XorOut,
)


@dataclass
class ReferenceFiring:
    id: int
    transition: str
    started_at: int
    consumed: dict[str, list[Token]]
    reads: dict[str, Token]
    removed: dict[str, list[Token]]


def ticks(seconds: float) -> int:
    return round(seconds * 1_000_000)


def name_of(token: Token, key: str | None) -> Any:
    if key is None:
        return token.name
    if key == "..":
        return None if token.name == "" else "/".join(token.name.split("/")[:-1])
    value = token.value.get(key) if isinstance(token.value, dict) else None
    return value if type(value) in (str, int) else None


def choices(output: Output) -> list[frozenset[str]]:
    """Every complete choice (one child at every xor), as the set of places that it claims."""
    match output:
        case PlaceOut(place=place):
            return [frozenset([place])]
        case AndOut(children=children):
            return [frozenset().union(*combination) for combination in product(*map(choices, children))]
        case XorOut(children=children):
            plain = [c for child in children if not isinstance(child, TimeoutOut) for c in choices(child)]
            timed = [c for child in children if isinstance(child, TimeoutOut) for c in choices(child)]
            return plain + [c for c in timed if c not in plain]  # a second way to write the same is none
        case TimeoutOut(child=child):
            return choices(child)  # an action in time may write it itself
        case ForwardOut(target=target):
            return [frozenset([target])]


def timeouts(output: Output) -> Iterator[TimeoutOut]:
    match output:
        case TimeoutOut():
            yield output
        case AndOut(children=children) | XorOut(children=children):
            for child in children:
                yield from timeouts(child)
        case _:
            pass


def late_tokens(child: Output, consumed: Mapping[str, Sequence[Token]], now: int) -> dict[str, list[Token]]:
    match child:
        case PlaceOut(place=place, count=count):
            return {place: [Token(None, now)] * count}
        case ForwardOut(source=source, target=target):
            return {target: [Token(t.value, now, t.name) for t in consumed[source]]}
        case AndOut(children=children):
            merged: dict[str, list[Token]] = {}
            for c in children:
                merged.update(late_tokens(c, consumed, now))
            return merged
        case XorOut(children=children):
            return late_tokens(next(c for c in children if not isinstance(c, TimeoutOut)), consumed, now)
        case TimeoutOut(child=child):
            return late_tokens(child, consumed, now)


class ReferenceScheduler:
    def __init__(
        self,
        net: Net,
        marking: Mapping[str, Sequence[Token]],
        *,
        max_concurrency: int | None = None,
        tolerance: float = 0.005,
    ) -> None:
        self.net = net
        self.order = {t.id: i for i, t in enumerate(net.transitions)}
        self.marking: dict[str, list[Token]] = {p: [] for p in net.place_ids()}
        for p, tokens in marking.items():
            self.marking[p] = list(tokens)
        self.strangers = [p for p in self.marking if p not in net.place_ids() and self.marking[p]]
        self.cap = max_concurrency
        self.tolerance = ticks(tolerance)
        self.since: dict[str, int] = {}
        self.cycle = 0
        self.cycle_of: dict[str, int] = {}
        self.interrupted: set[str] = set()
        self.reaped: set[str] = set()
        self.touched: set[str] = set()
        self.in_flight: dict[int, ReferenceFiring] = {}
        self.count = 0
        self.began = False
        self.stopped = False
        self.events: list[ev.Event] = []
        self.fast = len({t.priority for t in net.transitions}) <= 1 and all(
            t.timing.kind == "immediate" for t in net.transitions
        )

    # The contract's questions, asked of the marking

    def available(self, t: Transition, place: str, name: Any) -> list[Token]:
        """The tokens that an arc of ``t`` on ``place`` may take, given the name that is matched."""
        keys = dict(t.match.keys) if t.match else {}
        if place not in keys:
            return self.marking[place]
        return [token for token in self.marking[place] if name_of(token, keys[place]) == name]

    def names(self, t: Transition) -> list[Any]:
        """The names under which ``t`` is enabled, best first; [None] when it matches nothing and is enabled."""
        keys = dict(t.match.keys) if t.match else {}
        if any(not self.marking[p] for p in t.reads):
            return []
        if any(self.marking[p] for p in t.inhibitors if p not in keys):
            return []
        if any(len(self.marking[i.place]) < i.needs for i in t.inputs if i.place not in keys):
            return []
        if not keys:
            return [None]
        inputs = [i for i in t.inputs if i.place in keys]
        candidates = {name_of(token, keys[i.place]) for i in inputs for token in self.marking[i.place]} - {None}
        good = [
            name
            for name in candidates
            if all(len(self.available(t, i.place, name)) >= i.needs for i in inputs)
            and not any(self.available(t, p, name) for p in t.inhibitors if p in keys)
        ]

        def age(name: Any) -> tuple[int, bool, Any]:
            oldest = min(self.available(t, i.place, name)[0].created_at for i in inputs)
            return oldest, isinstance(name, str), name

        return sorted(good, key=age)

    def enabled(self, t: Transition) -> bool:
        return bool(self.names(t))

    def depends_on(self, t: Transition) -> set[str]:
        return {*(i.place for i in t.inputs), *t.reads, *t.inhibitors}

    # One cycle

    def step(
        self,
        now: int,
        completions: Iterable[tuple[int, Completion]] = (),
        injections: Iterable[tuple[str, Token]] = (),
    ) -> tuple[list[ReferenceFiring], list[ev.Event], int | None]:
        self.events = []
        self.cycle += 1
        if not self.began:
            self.began = True
            self.events.append(ev.ExecutionStarted(now, self.net.id))
            self.events.append(ev.MarkingSnapshot(now, {p: tuple(q) for p, q in self.marking.items() if q}))
            for p in self.strangers:
                self.events.append(ev.LogMessage(now, "WARN", p))
        for fid, completion in completions:
            if fid in self.in_flight:
                self.complete(now, self.in_flight.pop(fid), completion)
        for place, token in injections:
            self.events.append(ev.TokenAdded(now, place, token))
            self.add(place, token)
        self.update(now)
        self.reap(now)
        firings = [] if self.stopped else self.fire(now)
        return firings, self.events, self.wake_at(now)

    def add(self, place: str, token: Token, front: bool = False) -> None:
        self.marking[place].insert(0 if front else len(self.marking[place]), token)
        self.touched.add(place)

    def complete(self, now: int, firing: ReferenceFiring, completion: Completion) -> None:
        t = self.net.transition(firing.transition)
        match completion:
            case Produced(outputs=outputs) | dict(outputs):
                produced = {
                    p: [v if isinstance(v, Token) else Token(v, now) for v in values]
                    for p, values in outputs.items()
                    if values
                }
                ways = [frozenset[str]()] if t.output is None else choices(t.output)
                if ways.count(frozenset(produced)) != 1:
                    self.events.append(ev.TransitionFailed(now, t.id, firing.id, "OutputViolation", ""))
                    return
                self.deposit(now, firing, produced)
                duration = now - firing.started_at
                self.events.append(ev.TransitionCompleted(now, t.id, firing.id, produced, duration))
            case Failed(error=error, message=message):
                self.events.append(ev.TransitionFailed(now, t.id, firing.id, error, message))
            case TimedOut():
                assert t.output is not None
                first = min(timeouts(t.output), key=lambda n: n.after)
                self.events.append(ev.ActionTimedOut(now, t.id, firing.id, ticks(first.after)))
                self.deposit(now, firing, late_tokens(first.child, firing.consumed, now))
            case Returned():
                for taken in (firing.removed, firing.consumed):
                    for place, tokens in taken.items():
                        for token in reversed(tokens):
                            self.events.append(ev.TokenAdded(now, place, token, t.id, firing.id, front=True))
                            self.add(place, token, front=True)

    def deposit(self, now: int, firing: ReferenceFiring, produced: Mapping[str, Sequence[Token]]) -> None:
        for place, tokens in produced.items():
            for token in tokens:
                self.events.append(ev.TokenAdded(now, place, token, firing.transition, firing.id))
                self.add(place, token)

    def update(self, now: int) -> None:
        for t in self.net.transitions:
            if t.id in self.reaped:
                if not self.touched & self.depends_on(t):
                    continue
                self.reaped.discard(t.id)
            if not self.enabled(t):
                self.since.pop(t.id, None)
            elif t.id not in self.since:
                self.since[t.id], self.cycle_of[t.id] = now, self.cycle
                self.events.append(ev.TransitionEnabled(now, t.id))
            elif t.id in self.interrupted:
                self.since[t.id], self.cycle_of[t.id] = now, self.cycle
                self.events.append(ev.TransitionClockRestarted(now, t.id))
        self.interrupted.clear()
        self.touched.clear()

    def reap(self, now: int) -> None:
        late = [
            (self.since[t.id] + ticks(t.timing.latest), self.order[t.id], t)
            for t in self.net.transitions
            if t.id in self.since and t.timing.hard and t.timing.latest is not None
        ]
        for limit, _, t in sorted(late, key=lambda entry: entry[:2]):
            if now > limit + self.tolerance:
                del self.since[t.id]
                self.reaped.add(t.id)
                self.events.append(ev.TransitionTimedOut(now, t.id))

    def fire(self, now: int) -> list[ReferenceFiring]:
        ready = [
            t for t in self.net.transitions if t.id in self.since and now >= self.since[t.id] + ticks(t.timing.earliest)
        ]
        if not self.fast:
            ready.sort(key=lambda t: (-t.priority, self.since[t.id], self.cycle_of[t.id], self.order[t.id]))
        firings = []
        for t in ready:
            if self.cap is not None and len(self.in_flight) >= self.cap:
                break
            if t.id not in self.interrupted:
                firings.append(self.start(now, t))
        return firings

    def start(self, now: int, t: Transition) -> ReferenceFiring:
        name = self.names(t)[0]
        self.count += 1
        del self.since[t.id]
        consumed = {}
        for i in t.inputs:
            there = self.available(t, i.place, name)
            n = len(there) if i.kind in (Cardinality.ALL, Cardinality.AT_LEAST) else i.count
            consumed[i.place] = list(there[:n])
        for place, tokens in consumed.items():
            for token in tokens:
                self.marking[place].pop(next(k for k, u in enumerate(self.marking[place]) if u is token))
                self.touched.add(place)
        reads = {p: self.marking[p][0] for p in t.reads if self.marking[p]}
        removed = {}
        for p in t.resets:
            if self.marking[p]:
                removed[p] = self.marking[p]
                self.marking[p] = []
                self.touched.add(p)
        for u in self.net.transitions:
            if u.id in self.since and not self.enabled(u):
                self.interrupted.add(u.id)
        firing = ReferenceFiring(self.count, t.id, now, consumed, reads, removed)
        self.in_flight[firing.id] = firing
        for taken in (consumed, removed):
            for place, tokens in taken.items():
                for token in tokens:
                    self.events.append(ev.TokenRemoved(now, place, token, t.id, firing.id))
        self.events.append(ev.TransitionStarted(now, t.id, firing.id, consumed))
        return firing

    def wake_at(self, now: int) -> int | None:
        """When a cycle would next do something by itself: now, if looking again would change what is enabled."""
        times = []
        for t in self.net.transitions:
            if t.id in self.reaped:
                if self.touched & self.depends_on(t) and self.enabled(t):
                    times.append(now)
            elif self.enabled(t) != (t.id in self.since) or t.id in self.interrupted:
                times.append(now)
            elif t.id in self.since:
                due = self.since[t.id] + ticks(t.timing.earliest)
                if due > now:
                    times.append(due)
                if t.timing.hard and t.timing.latest is not None:
                    times.append(self.since[t.id] + ticks(t.timing.latest) + self.tolerance + 1)
        return None if self.stopped else min(times, default=None)
