"""The scheduler: one pure cycle of the execution loop, without a clock, a thread or any input and output.

A cycle, in this order: deposit what completed firings produced, apply injected tokens, bring enablement up to date for
the transitions that these changes concern, disable those past their deadline, fire the ready ones. What a firing
produces is deposited in a later cycle, so nothing that happens within a pass is seen by the rest of that pass.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from petri_cli.engine.agenda import ENABLED, IDLE, INTERRUPTED, Agenda, DeclarationOrder
from petri_cli.engine.arrivals import Arrivals
from petri_cli.engine.checkpoint import Checkpoint, Snapshot
from petri_cli.engine.compiled import EngineNet, EngineTransition, compile_engine_net
from petri_cli.engine.consumption import NO_READS, NO_TOKENS, take
from petri_cli.engine.enablement import Enablement
from petri_cli.engine.events import Event, ExecutionCompleted, ExecutionStarted, MarkingSnapshot
from petri_cli.engine.firings import Completions, Firing, Produced
from petri_cli.engine.queues import NamedQueue, Queue, take_called
from petri_cli.engine.reporter import Reporter, Sink, new
from petri_cli.engine.tokens import Name, Token, Tokens, as_tokens, stamped, to_ticks
from petri_cli.net.model import Net

DEADLINE_TOLERANCE = 0.005
"""Seconds past a deadline that are still forgiven, for clocks that are read a little late."""

Injections = Iterable[tuple[str, Token]]

_NO_LIMIT = 1 << 60


class Step(NamedTuple):
    """What one cycle did: the firings that began, its events, and when to call again if nothing else happens.

    ``wake_at`` is a time in ticks (the present one when there is more to do at once), or None to wait for a completion
    or an injection.
    """

    firings: list[Firing]
    events: list[Event]
    wake_at: int | None


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
        self._held: dict[str, int] = {}
        self._minted: dict[str, int] = {}
        self._events: list[Event] = []
        self._reporter = Reporter(compiled, self._events if sink is None else sink) if events else None

        named = [bool(row) for row in compiled.matched]
        self._queues: list[Queue] = [NamedQueue() if by_name else deque() for by_name in named]
        self._state = bytearray(len(transitions))
        self._order = DeclarationOrder(len(transitions)) if compiled.fast else None
        self._agenda = Agenda(compiled, self._state, to_ticks(tolerance))
        self._enablement = Enablement(compiled, self._queues, self._state, self._order or self._agenda)
        self._arrivals = Arrivals(compiled, self._queues, self._enablement, self._reporter)
        self._sources = [_source(compiled, i, self._queues, self._enablement) for i in range(len(transitions))]
        self._simple = [_simple(compiled, t, self._queues) if t.simple else None for t in transitions]
        self._silent = [t.rule.conforms(frozenset()) for t in transitions]
        self._targets = [_target(t, self._arrivals.index, self._queues, self._enablement) for t in transitions]
        self._place_initial_tokens(marking)
        self._hot = (
            self._in_flight,
            self._arrivals,
            self._enablement,
            self._state,
            self._enablement.dirty,
            self._order,
            self._agenda,
            (self._order or self._agenda).ready,
            bytearray() if self._order is None else self._order.is_ready,
            self._sources,
            self._targets,
            self._reporter,
        )
        """What a cycle works on, to be unpacked at once."""

    @classmethod
    def restore(
        cls,
        net: Net | EngineNet,
        checkpoint: Checkpoint,
        *,
        events: bool = True,
        sink: Sink | None = None,
        max_concurrency: int | None = None,
        tolerance: float = DEADLINE_TOLERANCE,
    ) -> Scheduler:
        """A scheduler that goes on where another one stood (see :class:`Checkpoint`).

        Raises ValueError for a checkpoint that does not fit the net; PetriError as above.
        """
        scheduler = cls(
            net,
            Snapshot(checkpoint.marking, checkpoint.minted),
            now=checkpoint.now,
            events=events,
            sink=sink,
            max_concurrency=max_concurrency,
            tolerance=tolerance,
        )
        scheduler._resume(checkpoint)
        return scheduler

    def _resume(self, checkpoint: Checkpoint) -> None:
        checkpoint.check(self.compiled.net)
        ordinal = {t.id: i for i, t in enumerate(self.compiled.transitions)}
        self._began_at = checkpoint.began_at
        self._stopped = checkpoint.stopped
        self._in_flight.update((f.id, f._replace(ordinal=ordinal[f.transition])) for f in checkpoint.in_flight)
        self._next_id = 1 + max([checkpoint.firings, *self._in_flight])
        self._arrivals.failures = checkpoint.failures
        order = self._order or self._agenda
        for transition, since in checkpoint.clocks.items():
            self._state[t := ordinal[transition]] = ENABLED
            order.enable(t, self._now if since is None else since)
        for transition in checkpoint.interrupted:
            self._state[ordinal[transition]] = INTERRUPTED
        self._enablement.leave_reaped(ordinal[t] for t in checkpoint.reaped)

    def _place_initial_tokens(self, given: Mapping[str, Tokens] | Snapshot | None) -> None:
        if isinstance(given, Snapshot):
            self._minted.update(given.minted)
            given = given.marking
        net, index = self.compiled.net, self._arrivals.index
        if given is None:
            given = {p: net.values.get(p, n) for p, n in net.initial.items()}
        for place, tokens in given.items():
            made = as_tokens(tokens, self._now)
            if place in index:
                self._queues[index[place]].extend(made)
            elif made:
                self._arrivals.strangers[place] = deque(made)

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
    def failures(self) -> int:
        """Firings that failed so far; time-outs are none."""
        return self._arrivals.failures + (0 if self._reporter is None else self._reporter.failures)

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
        return not (self._in_flight or self.restless) and (self._order or self._agenda).idle()

    def wake_at(self) -> int | None:
        """When to run the next cycle if nothing completes or is injected before (see :class:`Step`)."""
        if self._stopped:
            return None
        return self._now if self.restless else (self._order or self._agenda).wake_at(self._now)

    def marking(self) -> dict[str, tuple[Token, ...]]:
        """The tokens of every place that holds some, oldest first, places in declaration order."""
        marking = {p: tuple(q) for p, q in zip(self.compiled.places, self._queues, strict=True) if q}
        marking.update((p, tuple(q)) for p, q in self._arrivals.strangers.items())
        return marking

    def enabled(self) -> list[str]:
        """The transitions that were enabled when enablement was last brought up to date and have not fired since."""
        return [t.id for t, state in zip(self.compiled.transitions, self._state, strict=True) if state]

    def snapshot(self) -> Snapshot:
        """The marking, to be restored. Raises RuntimeError while firings are in flight: their tokens are nowhere."""
        if self._in_flight:
            raise RuntimeError(f"{len(self._in_flight)} firings are in flight; their tokens would be lost")
        return Snapshot(self.marking(), dict(self._minted))

    def checkpoint(self) -> Checkpoint:
        """Everything that the run depends on from here on, firings in flight included: see :meth:`restore`."""
        ids = [t.id for t in self.compiled.transitions]
        since = (self._order or self._agenda).since
        return Checkpoint(
            now=self._now,
            marking=self.marking(),
            in_flight=tuple(self._in_flight.values()),
            clocks={ids[t]: since(t) for t, state in enumerate(self._state) if state == ENABLED},
            interrupted=frozenset(ids[t] for t, state in enumerate(self._state) if state == INTERRUPTED),
            reaped=frozenset(ids[t] for t in self._enablement.reaped()),
            minted=dict(self._minted),
            firings=self.firings,
            failures=self.failures,
            began_at=self._began_at,
            stopped=self._stopped,
        )

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
        """The firings that one cycle begins: :meth:`step` without the wrapping.

        The most frequent kinds of deposit and of start are written out here; the others have methods of their own.
        """
        if now < self._now:
            now = self._now
        self._now = now
        if self._began_at is None:
            self._begin(now)
        in_flight, arrivals, enablement, state, dirty, order, agenda, ready, is_ready, sources, targets, reporter = (
            self._hot
        )
        limit = self._limit
        # 1: completions
        for fid, completion in completions:
            firing = in_flight.pop(fid, None)
            if firing is None:
                continue  # it was abandoned before: a late result lands nowhere
            outputs: Mapping[str, Sequence[object]]
            if completion.__class__ is dict:
                outputs = completion
            elif completion.__class__ is Produced:
                outputs = completion.outputs
            else:
                arrivals.ended(now, firing, completion)
                continue
            target = targets[firing[1]]
            if target is None or len(outputs) != 1 or len(values := outputs.get(target[0], ())) != 1:
                if outputs or reporter is not None or not self._silent[firing[1]]:
                    arrivals.produced(now, firing, outputs)
                continue
            place, p, queue, sole = target
            value = values[0]
            token = new(Token, (value, now, "")) if value.__class__ is not Token else stamped(value, now)
            if reporter is not None and not reporter.completed_with_one(now, firing, place, token):
                continue
            queue.append(token)
            if sole < 0:
                enablement.added(p)
            elif order is None or reporter is not None:
                dirty.append(sole)
            elif not state[sole]:
                # Nobody wants its clock or an event, and nothing in the rest of steps 1 to 3 could disable it again.
                state[sole] = ENABLED
                if not is_ready[sole]:
                    is_ready[sole] = 1
                    heappush(order.ready, sole)
        # 2: external events
        for place, token in injections:
            arrivals.inject(now, place, token)
        # 3: enablement
        if dirty:
            enablement.update(now, reporter)
        # 4: deadlines
        if order is None:
            if agenda.limits:
                self._reap(now)
            if agenda.waiting:
                agenda.wake(now)
        if self._stopped:
            return []
        # 5: firing
        firings: list[Firing] = []
        while ready and len(in_flight) < limit:
            if order is None:
                t = agenda.next_ready(now)
                if t < 0:
                    break
            else:
                t = heappop(order.ready)
                is_ready[t] = 0
                if state[t] != ENABLED:
                    continue
            source = sources[t]
            if source is None:
                self._start(t, now, firings)
                continue
            state[t] = IDLE
            fid = self._next_id
            self._next_id = fid + 1
            tid, place, queue = source
            token = queue.popleft()
            firing = new(Firing, (fid, t, tid, now, {place: (token,)}, NO_READS, NO_TOKENS))
            if queue:
                dirty.append(t)
            if reporter is None or reporter.started_with_one(firing, place, token):
                in_flight[fid] = firing
                firings.append(firing)
        return firings

    def stop(self) -> None:
        """From now on nothing starts; what is in flight may still complete."""
        self._stopped = True

    # Held transitions

    def hold(self, transitions: Iterable[str]) -> None:
        """These never fire by themselves from now on: somebody decides when they do, and calls :meth:`claim`.

        To be called before the first cycle. Raises ValueError for a transition that the net lacks, or that needs more
        than one token of one place.
        """
        ordinal = {t.id: i for i, t in enumerate(self.compiled.transitions)}
        for transition in transitions:
            t = self.compiled.transitions[ordinal[transition]] if transition in ordinal else None
            if t is None or len(t.needs) != 1 or not t.simple or t.inhibitors or t.earliest or t.latest is not None:
                raise ValueError(f"{transition!r} cannot be held: it is no transition that takes one token at any time")
            self._held[transition] = ordinal[transition]
            (self._order or self._agenda).hold(ordinal[transition])

    def claim(self, now: int, transition: str, name: Name) -> Firing | None:
        """Begin a firing of a held transition with the oldest token of this name; None when there is no such token.

        It begins whatever ``max_concurrency`` says, and is in flight like any other one.
        """
        now = self._now = max(now, self._now)
        t = self._held[transition]
        p = self.compiled.transitions[t].inputs[0].place
        token = None if self._stopped else take_called(self._queues[p], name)
        if token is None:
            return None
        fid = self._next_id
        self._next_id = fid + 1
        self._state[t] = IDLE
        place = self.compiled.places[p]
        firing = Firing(fid, t, transition, now, {place: (token,)}, NO_READS, NO_TOKENS)
        self._enablement.taken(t, (p,))
        if self._reporter is not None and not self._reporter.started_with_one(firing, place, token):
            return None
        self._in_flight[fid] = firing
        return firing

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
            for place in self._arrivals.strangers:
                self._arrivals.warn_of_stranger(now, place)

    # Deadlines and firing

    def _reap(self, now: int) -> None:
        for t in self._agenda.overdue(now):
            self._state[t] = IDLE
            if self._reporter is not None:
                self._reporter.reaped(now, t)

    def _start(self, t: int, now: int, firings: list[Firing]) -> None:
        """Begin a firing of ``t`` and add it to ``firings``, unless the sink throws: then it has failed already."""
        fid = self._next_id
        self._next_id = fid + 1
        self._state[t] = IDLE
        enablement = self._enablement
        transition = self.compiled.transitions[t]
        if (arcs := self._simple[t]) is not None:
            consumed = {place: (queue.popleft(),) for place, _, queue in arcs}
            firing = Firing(fid, t, transition.id, now, consumed, NO_READS, NO_TOKENS)
            enablement.taken(t, [p for _, p, _ in arcs])
        else:
            taken = take(self.compiled, transition, self._queues, enablement.matchers[t])
            firing = Firing(fid, t, transition.id, now, *taken[:3])
            enablement.taken(t, taken[3])
        if self._reporter is None or self._reporter.started(firing):
            self._in_flight[fid] = firing
            firings.append(firing)


_Simple = tuple[tuple[str, int, Queue], ...]
"""(place id, its index, its queue) of each input"""


def _simple(compiled: EngineNet, t: EngineTransition, queues: Sequence[Queue]) -> _Simple:
    return tuple((compiled.places[a.place], a.place, queues[a.place]) for a in t.inputs)


_Target = tuple[str, int, Queue, int]
"""(place id, its index, its queue, the only transition that must hear of a token there, or −1)"""


def _target(
    t: EngineTransition, index: Mapping[str, int], queues: Sequence[Queue], enablement: Enablement
) -> _Target | None:
    """The one place that every conforming firing of ``t`` produces to, if it is so."""
    if t.rule.only is None:
        return None
    p = index[t.rule.only]
    return t.rule.only, p, queues[p], -1 if enablement.hears_additions[p] else enablement.sole[p]


_Source = tuple[str, str, Queue]
"""(transition id, id of its one input place, its queue)"""


def _source(compiled: EngineNet, ordinal: int, queues: Sequence[Queue], enablement: Enablement) -> _Source | None:
    """The input of a transition that takes one token of one place and whose firing concerns no other transition."""
    t = compiled.transitions[ordinal]
    if not (t.simple and len(t.inputs) == 1):
        return None
    p = t.inputs[0].place
    mine = enablement.sole[p] == ordinal and not enablement.hears_removals[p]
    return (t.id, compiled.places[p], queues[p]) if mine else None
