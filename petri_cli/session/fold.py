"""From events to state: a pure function of the log, applied one event at a time.

Nothing is looked up: an event carries the tokens that it moves, so the fold needs neither plan nor net, and a prefix of
a log is always a state. An event that does not fit the state is a fault of the log, not of the reader:
``PETRI_BAD_LOG``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeVar, assert_never, cast

from petri_cli.session import fold_claims as claims
from petri_cli.session.events import (
    Approved,
    Claimed,
    DriverEnded,
    DriverStarted,
    Ended,
    Fired,
    FiringFailed,
    Heartbeat,
    Injected,
    Lapsed,
    Noted,
    Refused,
    RepairDecided,
    RepairProposed,
    Reported,
    ReportRefused,
    RevisionCommitted,
    Revoked,
    SessionCreated,
    SessionEvent,
    Verified,
    WorkStarted,
)
from petri_cli.session.fold_tokens import check_no_units, fire, give_back, inject, misfit, take, thread_of
from petri_cli.session.state import END_STATES, FINAL, Driver, EndState, Repair, Revision, State

if TYPE_CHECKING:
    from petri_cli.session.store import Writing

T = TypeVar("T")
AFTER_THE_END = ReportRefused | DriverEnded | Noted
"""What may still be written to a session that was completed or cancelled."""

FOLD_VERSION = 1
"""Of what the fold makes of a log: raised with every change of its meaning or of :class:`State`. Snapshots by another
version are not used."""


def fold(events: Iterable[SessionEvent], state: State | None = None) -> State:
    """The state after ``events``, which follow on ``state`` (changed in place), or begin a log."""
    state = State() if state is None else state
    for event in events:
        apply(state, event)
    return state


def caught_up(state: State, writing: Writing) -> State:
    """``state`` with what was appended since: what is so within a ``writing`` block (changed in place)."""
    return fold((entry.event for entry in writing.tail(state.seq)), state)


def apply(state: State, event: SessionEvent) -> None:
    """Change ``state`` by one event. Raises PetriError ``PETRI_BAD_LOG`` when it cannot have happened in it.

    Then the state may be half-changed, and is of no use any more.
    """
    seq = state.seq + 1
    if (seq == 1) != isinstance(event, SessionCreated):
        raise misfit(state, event, "a log begins with its one SessionCreated")
    if event.at < state.at:
        raise misfit(state, event, f"its time, {event.at}, is before that of the event before it, {state.at}")
    if state.ended is not None and state.final and not isinstance(event, AFTER_THE_END):
        raise misfit(state, event, f"the session is {state.ended}: nothing happens in it any more")
    match event:
        case Claimed():
            claims.begin(state, event)
        case Verified():
            claims.verify(state, event)
        case Refused() | Lapsed():
            claims.burn(state, event)
        case Revoked():
            claims.revoke(state, event)
        case Heartbeat():
            claims.claim_of(state, event, event.claim).expires = event.expires
        case WorkStarted():
            claims.start(state, event)
        case Reported():
            claims.report(state, event)
        case Approved():
            claims.approve(state, event)
        case Fired():
            fire(state, event)
            claims.discover(state, event.transition, thread_of(event.consumed), event.produced)
            state.fired[event.transition] = state.fired.get(event.transition, 0) + 1
        case FiringFailed():
            check_no_units(state, event, event.consumed)
            take(state, event, event.consumed)
            state.failed = event.message or event.error
        case Injected():
            inject(state, event)
        case DriverStarted() | DriverEnded():
            _driven(state, event)
        case Ended():
            _ended(state, event)
        case SessionCreated():
            state.name, state.objective, state.created_at = event.name, event.objective, event.at
        case RevisionCommitted():
            _revised(state, event, seq)
        case RepairProposed():
            _proposed(state, event, seq)
        case RepairDecided():
            _decided(state, event)
        case ReportRefused() | Noted():
            pass
        case other:
            assert_never(other)
    state.seq = seq
    state.at = event.at


def _driven(state: State, event: DriverStarted | DriverEnded) -> None:
    """One driver at a time."""
    if isinstance(event, DriverStarted):
        if state.driver is not None:
            raise misfit(state, event, f"driver {state.driver.id} has the session")
        state.driver = Driver(event.driver, event.process, event.worker, event.at)
        state.ended, state.why, state.missing = None, "", ()
    else:
        if state.driver is None or state.driver.id != event.driver:
            raise misfit(state, event, f"driver {event.driver} has not the session")
        state.driver = None


def _ended(state: State, event: Ended) -> None:
    if event.state not in END_STATES:
        raise misfit(state, event, f"no end state is called {event.state!r}")
    if event.state in FINAL and state.claims:
        raise misfit(state, event, f"claim {next(iter(state.claims))} is not over")
    if event.state == "cancelled":
        give_back(state, event)
    elif event.returned:
        raise misfit(state, event, "only a cancelled session gives back units")
    state.ended = cast(EndState, event.state)
    state.why, state.missing = event.why, event.missing


def _proposed(state: State, event: RepairProposed, seq: int) -> None:
    """One at a time, for the plan that there is."""
    if event.repair != f"r{len(state.repairs) + 1}":
        raise misfit(state, event, f"repair r{len(state.repairs) + 1} comes next")
    if event.revision != state.revision:
        raise misfit(state, event, f"the plan is at revision {state.revision}")
    if state.repair is not None:
        raise misfit(state, event, f"repair {state.repair.id} is not over")
    complete = event.text is not None and event.verdict == "SOUND"
    state.repairs[event.repair] = Repair(event.repair, event.kind, event.revision, seq, event.at, complete)


def _decided(state: State, event: RepairDecided) -> None:
    repair = state.repairs.get(event.repair)
    if repair is None or repair.accepted is not None:
        raise misfit(state, event, f"no repair {event.repair} waits for a decision")
    if event.accepted and not repair.complete:
        raise misfit(state, event, f"repair {event.repair} has no plan that passed the gate")
    repair.accepted, repair.why, repair.by = event.accepted, event.why, event.by


def _kept(results: dict[str, dict[str, T]], kept: Mapping[str, set[str]]) -> dict[str, dict[str, T]]:
    return {
        task: {thread: value for thread, value in by_thread.items() if thread in kept[task]}
        for task, by_thread in results.items()
        if task in kept
    }


def _revised(state: State, event: RevisionCommitted, seq: int) -> None:
    if event.revision != state.revision + 1:
        raise misfit(state, event, f"revision {state.revision + 1} comes next")
    if event.moved.keys() != state.claims.keys():
        raise misfit(state, event, "every claim is moved or was revoked before")
    if other := next((c.id for c in state.claims.values() if c.transition in event.changed), None):
        raise misfit(state, event, f"claim {other} cannot go on as work that is another one now")
    state.revisions.append(
        Revision(
            event.revision,
            seq,
            event.at,
            event.format,
            event.text,
            event.hash,
            event.file,
            event.verdict,
            event.evidence,
            event.accepted_unknown,
        )
    )
    state.marking = {p: deque(ts) for p, ts in event.marking.items() if ts}
    kept = {task: set(threads) for task, threads in event.kept.items()}
    state.results = _kept(state.results, kept)
    state.in_files = _kept(state.in_files, kept)
    for claim, tokens in event.moved.items():
        check_no_units(state, event, tokens)
        state.claims[claim].consumed = tokens
    state.attempts = {work: tries for work, tries in state.attempts.items() if work[0] not in event.changed}
    state.holdings = {(h.transition.rpartition(".")[0], h.thread): h for h in event.holdings}
    state.timers = {t.id: t for t in event.timers}
    state.ended, state.why, state.missing, state.failed = None, "", (), ""
