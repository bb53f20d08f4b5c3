"""The scheduler: one pure cycle of the execution loop, without a clock, a thread or any input and output.

A cycle, in this order: deposit what completed firings produced, apply injected tokens, bring enablement up to date for
the transitions that these changes concern, disable those past their deadline, fire the ready ones. What a firing
produces is deposited in a later cycle, so nothing that happens within a pass is seen by the rest of that pass.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from petri_cli.engine.agenda import IDLE, Agenda, DeclarationOrder
from petri_cli.engine.compiled import ANY_NAME, EngineNet, InputArc, compile_engine_net
from petri_cli.engine.enablement import Enablement
from petri_cli.engine.events import Event, ExecutionCompleted, ExecutionStarted, MarkingSnapshot, TokenAdded
from petri_cli.engine.firings import Completion, Completions, Failed, Firing, Produced, Returned, TimedOut
from petri_cli.engine.queues import NamedQueue, Queue
from petri_cli.engine.reporter import Reporter, Sink, new
from petri_cli.engine.tokens import Name, Token, Tokens, as_tokens, stamped, to_ticks
from petri_cli.net.model import Net, PlaceOut

DEADLINE_TOLERANCE = 0.005
"""Seconds past a deadline that are still forgiven, for clocks that are read a little late."""

Injections = Iterable[tuple[str, Token]]

_NO_TOKENS: Mapping[str, Sequence[Token]] = {}
_NO_READS: Mapping[str, Token] = {}
_NO_LIMIT = 1 << 60


class Step(NamedTuple):
    """What one cycle did: the firings that began, its events, and when to call again if nothing else happens.

    ``wake_at`` is a time in ticks (the present one when there is more to do at once), or None to wait for a completion
    or an injection.
    """

    firings: list[Firing]
    events: list[Event]
    wake_at: int | None


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A marking that can be restored, with the counters that keep minted names unique."""

    marking: Mapping[str, tuple[Token, ...]]
    minted: Mapping[str, int]


class Scheduler:
    """Marking, clocks and in-flight firings of one run of a net.

    marking: tokens by place instead of the net's initial ones, or a snapshot to restore; now: the time, in ticks, of
    tokens given as values; events: False makes none; sink: takes the events as they happen (without one,
    :meth:`step` returns them); max_concurrency: most firings in flight; tolerance: seconds forgiven after a deadline.

    Raises PetriError ``PETRI_BAD_NET`` for a net that breaks a rule of the model.
    """

    def __init__(
        self,
        net: Net | EngineNet,
        marking: Mapping[str, Tokens] | Snapshot | None = None,
        *,
        now: int = 0,
        events: bool = True,
        sink: Sink | None = None,
        max_concurrency: int | None = None,
        tolerance: float = DEADLINE_TOLERANCE,
    ) -> None:
        compiled = net if isinstance(net, EngineNet) else compile_engine_net(net)
        transitions = compiled.transitions
        self.compiled = compiled
        self._now = now
        self._began_at: int | None = None
        self._stopped = False
        self._limit = _NO_LIMIT if max_concurrency is None else max_concurrency
        self._next_id = 1
        self._in_flight: dict[int, Firing] = {}
        self._minted: dict[str, int] = {}
        self.failures = 0
        """Firings that failed so far; time-outs are none."""
        self._events: list[Event] = []
        self._reporter = Reporter(compiled, self._events if sink is None else sink) if events else None

        named = [bool(row) for row in compiled.matched]
        self._queues: list[Queue] = [NamedQueue() if by_name else deque() for by_name in named]
        self._index = {p: i for i, p in enumerate(compiled.places)}
        self._strangers: dict[str, deque[Token]] = {}
        state = bytearray(len(transitions))
        self._agenda = DeclarationOrder(state) if compiled.fast else Agenda(compiled, state, to_ticks(tolerance))
        self._enablement = Enablement(compiled, self._queues, state, self._agenda)
        self._simple = [_simple_arcs(compiled, t.inputs, self._queues) if t.simple else None for t in transitions]
        self._only = [None if t.rule.only is None else (t.rule.only, self._index[t.rule.only]) for t in transitions]
        self._place_initial_tokens(marking)

    def _place_initial_tokens(self, given: Mapping[str, Tokens] | Snapshot | None) -> None:
        if isinstance(given, Snapshot):
            self._minted.update(given.minted)
            given = given.marking
        net = self.compiled.net
        if given is None:
            given = {p: net.values.get(p, n) for p, n in net.initial.items()}
        for place, tokens in given.items():
            made = as_tokens(tokens, self._now)
            if place in self._index:
                self._queues[self._index[place]].extend(made)
            elif made:
                self._strangers[place] = deque(made)

    # What others may ask

    @property
    def now(self) -> int:
        """The time of the last cycle."""
        return self._now

    @property
    def in_flight(self) -> Mapping[int, Firing]:
        """Firings that have begun and are not over, by id, in the order in which they began."""
        return self._in_flight

    @property
    def firings(self) -> int:
        """Firings that began so far."""
        return self._next_id - 1

    @property
    def store_error(self) -> Exception | None:
        """The last thing that the sink threw."""
        return None if self._reporter is None else self._reporter.error

    @property
    def restless(self) -> bool:
        """Whether another cycle at the same time may change something: enablement is not up to date."""
        return bool(self._enablement.dirty) or self._began_at is None

    @property
    def quiescent(self) -> bool:
        """Nothing is enabled and nothing is in flight: without a token from outside, nothing will ever happen again."""
        return not (self._in_flight or self.restless) and self._agenda.idle()

    def wake_at(self) -> int | None:
        """When to run the next cycle if nothing completes or is injected before (see :class:`Step`)."""
        if self._stopped:
            return None
        return self._now if self.restless else self._agenda.wake_at(self._now)

    def marking(self) -> dict[str, tuple[Token, ...]]:
        """The tokens of every place that holds some, oldest first, places in declaration order."""
        marking = {p: tuple(q) for p, q in zip(self.compiled.places, self._queues, strict=True) if q}
        marking.update((p, tuple(q)) for p, q in self._strangers.items())
        return marking

    def enabled(self) -> list[str]:
        """The transitions that were enabled when enablement was last brought up to date and have not fired since."""
        return [t.id for t, state in zip(self.compiled.transitions, self._enablement.state, strict=True) if state]

    def snapshot(self) -> Snapshot:
        """The marking, to be restored. Raises RuntimeError while firings are in flight: their tokens are nowhere."""
        if self._in_flight:
            raise RuntimeError(f"{len(self._in_flight)} firings are in flight; their tokens would be lost")
        return Snapshot(self.marking(), dict(self._minted))

    def fresh_name(self, transition: str) -> str:
        """A name that no other call in this run returns: ``<transition>#<n>``, n = 1, 2, …"""
        n = self._minted[transition] = self._minted.get(transition, 0) + 1
        return f"{transition}#{n}"

    def note(self, event: Event) -> None:
        """Pass on an event from outside the scheduler, such as a message of an action."""
        if self._reporter is not None:
            self._reporter.note(event)

    # The loop

    def step(self, now: int, completions: Completions = (), injections: Injections = ()) -> Step:
        """One cycle at time ``now``, with the firings that are over and the tokens that came from outside."""
        firings = self.cycle(now, completions, injections)
        events = self._events[:]
        self._events.clear()
        return Step(firings, events, self.wake_at())

    def cycle(self, now: int, completions: Completions = (), injections: Injections = ()) -> list[Firing]:
        """The firings that one cycle begins: :meth:`step` without the wrapping."""
        if now < self._now:
            now = self._now
        self._now = now
        if self._began_at is None:
            self._begin(now)
        for fid, completion in completions:
            firing = self._in_flight.pop(fid, None)
            if firing is None:
                continue  # it was abandoned before: a late result lands nowhere
            if completion.__class__ is Produced:
                self._produced(now, firing, completion.outputs)
            else:
                self._ended(now, firing, completion)
        for place, token in injections:
            self._inject(now, place, token)
        if self._enablement.dirty:
            self._enablement.update(now, self._reporter)
        if not self.compiled.fast:
            self._reap(now)
        return [] if self._stopped else self._fire(now)

    def stop(self) -> None:
        """From now on nothing starts; what is in flight may still complete."""
        self._stopped = True

    def finish(self, now: int, reason: str) -> list[Event]:
        """Tell the sink that the run is over; without a sink, the events are returned."""
        if self._reporter is not None:
            began = now if self._began_at is None else self._began_at
            self._reporter.note(MarkingSnapshot(now, self.marking()))
            self._reporter.note(ExecutionCompleted(now, reason, now - began))
        events = self._events[:]
        self._events.clear()
        return events

    def _begin(self, now: int) -> None:
        self._began_at = now
        if self._reporter is not None:
            self._reporter.note(ExecutionStarted(now, self.compiled.net.id))
            self._reporter.note(MarkingSnapshot(now, self.marking()))
            for place in self._strangers:
                self._warn_of_stranger(now, place)

    def _warn_of_stranger(self, now: int, place: str) -> None:
        if self._reporter is not None:
            self._reporter.warn(now, f"the net declares no place {place!r}; tokens on it are kept and do nothing")

    # Completions and injections

    def _produced(self, now: int, firing: Firing, outputs: Mapping[str, Sequence[object]]) -> None:
        only = self._only[firing.index]
        if only is not None and len(outputs) == 1 and (values := outputs.get(only[0])):
            place, p = only
            tokens = [new(Token, (v, now, "")) if v.__class__ is not Token else stamped(v, now) for v in values]
            if self._reporter is None or self._reporter.completed(now, firing, {place: tokens}):
                self._queues[p].extend(tokens)
                self._enablement.added(p)
            return
        rule = self.compiled.transitions[firing.index].rule
        produced = {p: as_tokens(values, now) for p, values in outputs.items() if values}
        places = frozenset(produced)
        if not rule.conforms(places):
            self._failed(now, firing, Failed("OutputViolation", rule.violation(places)))
        elif self._reporter is None or self._reporter.completed(now, firing, produced):
            self._deposit(produced)

    def _ended(self, now: int, firing: Firing, completion: Completion) -> None:
        match completion:
            case Produced():
                self._produced(now, firing, completion.outputs)
            case Failed():
                self._failed(now, firing, completion)
            case TimedOut():
                self._timed_out(now, firing)
            case Returned():
                self._returned(now, firing)

    def _failed(self, now: int, firing: Firing, failure: Failed) -> None:
        self.failures += 1
        if self._reporter is not None:
            self._reporter.failed(now, firing, failure.error, failure.message)

    def _timed_out(self, now: int, firing: Firing) -> None:
        rule = self.compiled.transitions[firing.index].rule
        produced: dict[str, list[Token]] = {}
        for leaf in rule.late:
            if isinstance(leaf, PlaceOut):
                produced[leaf.place] = [Token(None, now)] * leaf.count
            else:
                produced[leaf.target] = [Token(t.value, now, t.name) for t in firing.consumed[leaf.source]]
        if self._reporter is None or self._reporter.timed_out(now, firing, rule.budget or 0, produced):
            self._deposit(produced)

    def _returned(self, now: int, firing: Firing) -> None:
        """Put back what ``firing`` took, in its old order: what a reset took lay behind what was consumed."""
        for taken in (firing.removed, firing.consumed):
            for place, tokens in taken.items():
                p = self._index[place]
                for token in reversed(tokens):
                    if self._reporter is not None:
                        self._reporter.returned(now, firing, place, token)
                    self._queues[p].appendleft(token)
                self._enablement.added(p)

    def _deposit(self, produced: Mapping[str, Sequence[Token]]) -> None:
        for place, tokens in produced.items():
            p = self._index[place]
            self._queues[p].extend(tokens)
            self._enablement.added(p)

    def _inject(self, now: int, place: str, token: Token) -> None:
        if self._reporter is not None:
            self._reporter.note(TokenAdded(now, place, token))
        if place in self._index:
            self._deposit({place: (token,)})
        elif place in self._strangers:
            self._strangers[place].append(token)
        else:
            self._strangers[place] = deque([token])
            self._warn_of_stranger(now, place)

    # Deadlines and firing

    def _reap(self, now: int) -> None:
        for t in self._agenda.overdue(now):
            self._enablement.state[t] = IDLE
            if self._reporter is not None:
                self._reporter.reaped(now, t)

    def _fire(self, now: int) -> list[Firing]:
        firings: list[Firing] = []
        in_flight, limit, next_ready = self._in_flight, self._limit, self._agenda.next_ready
        while len(in_flight) < limit and (t := next_ready(now)) >= 0:
            fid = self._next_id
            self._next_id = fid + 1
            self._enablement.state[t] = IDLE
            arcs = self._simple[t]
            firing = self._take(fid, t, now) if arcs is None else self._take_one_each(fid, t, now, arcs)
            if self._reporter is None or self._reporter.started(firing):
                in_flight[fid] = firing
                firings.append(firing)
        return firings

    def _take_one_each(self, fid: int, t: int, now: int, arcs: tuple[_SimpleArc, ...]) -> Firing:
        """Begin a firing that takes the oldest token of each input and touches nothing else."""
        enablement = self._enablement
        hears = enablement.hears_removals
        consumed: dict[str, Sequence[Token]] = {}
        emptied = -1
        loud = False
        for place, p, queue in arcs:
            consumed[place] = (queue.popleft(),)
            if not queue:
                emptied = p
            if hears[p]:
                loud = True
        if loud:
            for _, p, _ in arcs:
                if hears[p]:
                    enablement.taken(p)
            enablement.fired(t, [p for _, p, _ in arcs])
        elif emptied < 0 or not enablement.plain[t]:
            enablement.dirty.append(t)
        else:
            enablement.waiting[emptied].append(t)
        return Firing(fid, t, self.compiled.transitions[t].id, now, consumed, _NO_READS, _NO_TOKENS)

    def _take(self, fid: int, t: int, now: int) -> Firing:
        """Begin a firing: consume, then peek reads, then reset."""
        transition = self.compiled.transitions[t]
        places, queues = self.compiled.places, self._queues
        matcher = self._enablement.matchers[t]
        name = None if matcher is None else matcher.best()
        consumed = {places[a.place]: _consume(queues[a.place], a, name) for a in transition.inputs}
        reads = {places[p]: queues[p][0] for p in transition.reads if queues[p]}
        removed: dict[str, Sequence[Token]] = {}
        for p in transition.resets:
            if queues[p]:
                removed[places[p]] = tuple(queues[p])
                queues[p].clear()
        changed = dict.fromkeys([a.place for a in transition.inputs])
        changed.update((self._index[place], None) for place in removed)
        for p in changed:
            self._enablement.taken(p)
        self._enablement.fired(t, changed)
        return Firing(fid, t, transition.id, now, consumed, reads, removed)


_SimpleArc = tuple[str, int, Queue]
"""(place id, place index, its queue)"""


def _simple_arcs(compiled: EngineNet, arcs: Sequence[InputArc], queues: Sequence[Queue]) -> tuple[_SimpleArc, ...]:
    return tuple((compiled.places[a.place], a.place, queues[a.place]) for a in arcs)


def _consume(queue: Queue, arc: InputArc, name: Name | None) -> Sequence[Token]:
    """Take what ``arc`` takes: oldest first, of the matched name where the arc is correlated."""
    if arc.key is not ANY_NAME:
        assert isinstance(queue, NamedQueue) and name is not None  # noqa: S101 - a compiled net has it so
        available = queue.index(arc.key).counts[name]
        return tuple(queue.take(arc.key, name) for _ in range(available if arc.drains else arc.count))
    if arc.drains:
        taken = tuple(queue)
        queue.clear()
        return taken
    return tuple(queue.popleft() for _ in range(arc.count))
