"""The scheduler: one pure cycle of the execution loop, without a clock, a thread or any input and output.

A cycle, in this order: deposit what completed firings produced, apply injected tokens, bring enablement up to date for
the transitions that these changes concern, disable those past their deadline, fire the ready ones. What a firing
produces is deposited in a later cycle, so nothing that happens within a pass is seen by the rest of that pass.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from petri_cli.engine.agenda import ENABLED, IDLE, INTERRUPTED, Agenda, DeclarationOrder
from petri_cli.engine.arrivals import Arrivals, Injections
from petri_cli.engine.checkpoint import Checkpoint, Snapshot
from petri_cli.engine.compiled import EngineNet, compile_engine_net
from petri_cli.engine.departures import Departures
from petri_cli.engine.enablement import Enablement
from petri_cli.engine.events import Event, ExecutionCompleted, ExecutionStarted, MarkingSnapshot
from petri_cli.engine.firings import Completions, Firing
from petri_cli.engine.queues import NamedQueue, Queue, take_called
from petri_cli.engine.reporter import Reporter, Sink
from petri_cli.engine.tokens import Name, Token, Tokens, to_ticks
from petri_cli.net.model import Net

DEADLINE_TOLERANCE = 0.005
"""Seconds past a deadline that are still forgiven, for clocks that are read a little late."""


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
        self._in_flight: dict[int, Firing] = {}
        self._minted: dict[str, int] = {}
        self._held: dict[str, int] = {}
        self._events: list[Event] = []
        self._reporter = Reporter(compiled, self._events if sink is None else sink) if events else None

        self._queues: list[Queue] = [NamedQueue() if row else deque() for row in compiled.matched]
        self._state = state = bytearray(len(transitions))
        self._agenda = None if compiled.fast else Agenda(compiled, state, to_ticks(tolerance))
        self._order = order = self._agenda or DeclarationOrder(len(transitions))
        self._enablement = Enablement(compiled, self._queues, state, order)
        parts = compiled, self._queues, self._enablement, order, self._in_flight, self._reporter
        self._arrivals = Arrivals(*parts)
        self._departures = Departures(*parts, max_concurrency)
        self._dirty = self._enablement.dirty
        if isinstance(marking, Snapshot):
            self._minted.update(marking.minted)
            marking = marking.marking
        if marking is None:
            marking = {p: compiled.net.values.get(p, n) for p, n in compiled.net.initial.items()}
        self._arrivals.place(now, marking)

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
        self._departures.next_id = 1 + max([checkpoint.firings, *self._in_flight])
        self._arrivals.failures = checkpoint.failures
        clocks = [(ordinal[t], self._now if since is None else since) for t, since in checkpoint.clocks.items()]
        for t, _ in clocks:
            self._state[t] = ENABLED
        self._order.resume(clocks)
        for transition in checkpoint.interrupted:
            self._state[ordinal[transition]] = INTERRUPTED
        self._enablement.leave_reaped(ordinal[t] for t in checkpoint.reaped)

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
        return self._departures.next_id - 1

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
        return bool(self._dirty) or self._began_at is None

    @property
    def quiescent(self) -> bool:
        """Nothing is enabled and nothing is in flight: without a token from outside, nothing will ever happen again."""
        return not (self._in_flight or self.restless) and self._order.idle()

    def wake_at(self) -> int | None:
        """When to run the next cycle if nothing completes or is injected before (see :class:`Step`)."""
        if self._stopped:
            return None
        return self._now if self.restless else self._order.wake_at(self._now)

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
        enabled = [t for t, state in enumerate(self._state) if state == ENABLED]
        return Checkpoint(
            now=self._now,
            marking=self.marking(),
            in_flight=tuple(self._in_flight.values()),
            clocks={ids[t]: since for t, since in self._order.clocks(enabled)},
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
        """The firings that one cycle begins: :meth:`step` without the wrapping. The sixth step, to wait, is yours."""
        if now < self._now:
            now = self._now
        self._now = now
        if self._began_at is None:
            self._begin(now)
        self._arrivals.complete(now, completions)
        if injections:
            self._arrivals.inject(now, injections)
        if self._dirty:
            self._enablement.update(now, self._reporter)
        if self._agenda is not None:
            self._enforce_deadlines(now, self._agenda)
        return [] if self._stopped else self._departures.fire(now)

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
            if transition not in ordinal or not self.compiled.transitions[ordinal[transition]].claimable:
                raise ValueError(f"{transition!r} cannot be held: it is no transition that takes one token at any time")
            self._held[transition] = ordinal[transition]
            self._order.hold(ordinal[transition])

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
        return self._departures.start_with(t, now, token)

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

    def _enforce_deadlines(self, now: int, agenda: Agenda) -> None:
        """Step 4, where there are clocks: disable what is past its deadline, and make ready whose time has come."""
        if agenda.limits:
            for t in agenda.overdue(now):
                self._state[t] = IDLE
                if self._reporter is not None:
                    self._reporter.reaped(now, t)
        if agenda.waiting:
            agenda.wake(now)
        agenda.cycle += 1
