"""From events to state: a pure function of the log, applied one event at a time.

Nothing is looked up: an event carries the tokens that it moves, so the fold needs neither plan nor net, and a prefix of
a log is always a state. An event that does not fit the state is a fault of the log, not of the reader:
``PETRI_BAD_LOG``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar, assert_never, cast

from petri_cli.engine.tokens import Token
from petri_cli.errors import PetriError
from petri_cli.session.events import (
    Approved,
    Claimed,
    DriverEnded,
    DriverStarted,
    Ended,
    Fired,
    FiringFailed,
    Heartbeat,
    Holding,
    Injected,
    Lapsed,
    Noted,
    Refused,
    Reported,
    ReportRefused,
    RevisionCommitted,
    Revoked,
    SessionCreated,
    SessionEvent,
    Verified,
    WorkStarted,
)
from petri_cli.session.state import RESOURCE, Attempts, Claim, Driver, EndState, Revision, State

T = TypeVar("T")
ByPlace = Mapping[str, Sequence[Token]]

FOLD_VERSION = 1
"""Of what the fold makes of a log: raised with every change of its meaning or of :class:`State`. Snapshots by another
version are not used."""


def fold(events: Iterable[SessionEvent], state: State | None = None) -> State:
    """The state after ``events``, which follow on ``state`` (changed in place), or begin a log."""
    state = State() if state is None else state
    for event in events:
        apply(state, event)
    return state


def apply(state: State, event: SessionEvent) -> None:
    """Change ``state`` by one event. Raises PetriError ``PETRI_BAD_LOG`` when it cannot have happened in it."""
    seq = state.seq + 1
    if (seq == 1) != isinstance(event, SessionCreated):
        raise _misfit(state, event, "a log begins with its one SessionCreated")
    match event:
        case Claimed():
            _claimed(state, event)
        case Verified():
            _verified(state, event)
        case Refused() | Lapsed():
            claim = _end_claim(state, event, event.claim)
            _return(state, claim)
            tries = state.attempts[claim.work]
            tries.burnt += 1
            tries.retry_at, tries.reason = event.retry_at, event.reason
        case Revoked():
            claim = _end_claim(state, event, event.claim)
            _return(state, claim)
            _unbegin(state, claim)
        case Heartbeat():
            _claim(state, event, event.claim).expires = event.expires
        case WorkStarted():
            claim = _claim(state, event, event.claim)
            claim.stage, claim.process = "started", event.process
        case Reported():
            claim = _claim(state, event, event.claim)
            claim.stage, claim.report = "reported", event
        case Approved():
            claim = _claim(state, event, event.claim)
            claim.approval, claim.approved_by, claim.note = event.approved, event.by, event.note
        case Fired():
            _take(state, event, event.consumed)
            _put(state, event.produced)
            _held(state, event)
            _discovered(state, event.transition, _thread(event.consumed), event.produced)
            state.timers.update((t.id, t) for t in event.timers)
            state.fired[event.transition] = state.fired.get(event.transition, 0) + 1
        case FiringFailed():
            _take(state, event, event.consumed)
            state.failed = event.message or event.error
        case Injected():
            if event.timer and state.timers.pop(event.timer, None) is None:
                raise _misfit(state, event, f"there is no timer {event.timer}")
            _put(state, {event.place: event.tokens})
        case DriverStarted():
            state.driver = Driver(event.driver, event.process, event.worker, event.at)
            state.ended, state.why, state.missing = None, "", ()
        case DriverEnded():
            state.driver = None
        case Ended():
            _ended(state, event)
        case SessionCreated():
            state.name, state.objective, state.created_at = event.name, event.objective, event.at
        case RevisionCommitted():
            _revised(state, event, seq)
        case ReportRefused() | Noted():
            pass
        case other:
            assert_never(other)
    state.seq = seq
    state.at = event.at


def _misfit(state: State, event: SessionEvent, why: str) -> PetriError:
    return PetriError("PETRI_BAD_LOG", f"event {state.seq + 1} ({event.type}) does not fit the log before it: {why}")


# Tokens


def _take(state: State, event: SessionEvent, tokens: ByPlace) -> None:
    """Remove these very tokens. The engine takes them from the head, or by name out of the middle."""
    for place, gone in tokens.items():
        queue = state.marking.get(place)
        for token in gone:
            if queue and queue[0] == token:
                queue.popleft()
                continue
            try:
                if queue is None:
                    raise ValueError
                queue.remove(token)
            except ValueError:
                raise _misfit(state, event, f"place {place} does not hold the token {token!r}") from None
        if not queue:
            state.marking.pop(place, None)


def _put(state: State, tokens: ByPlace) -> None:
    for place, new in tokens.items():
        if new:
            queue = state.marking.get(place)
            if queue is None:
                queue = state.marking[place] = deque()
            queue.extend(new)


def _return(state: State, claim: Claim) -> None:
    """The tokens of a claim go back to the head of their places, as if it had not begun."""
    for place, tokens in claim.consumed.items():
        if tokens:
            queue = state.marking.setdefault(place, deque())
            queue.extendleft(reversed(tokens))


def _held(state: State, event: Fired) -> None:
    """What a guard's block takes, and gives back at its end."""
    head, _, part = event.transition.rpartition(".")
    if part == "acquire":
        units = {p: len(ts) for p, ts in event.consumed.items() if p.startswith(RESOURCE)}
        lasting = {p: n - sum(len(t.tokens) for t in event.timers if t.place == p) for p, n in units.items()}
        lasting = {p: n for p, n in lasting.items() if n}
        if lasting:
            name = _thread(event.consumed)
            state.holdings[head, name] = Holding(event.transition, name, event.at, lasting)
    elif part == "release":
        state.holdings.pop((head, _thread(event.consumed)), None)


def _discovered(state: State, transition: str, thread: str, produced: ByPlace) -> None:
    """How many items a foreach has, once they are known."""
    head, _, part = transition.rpartition(".")
    if part == "discover":
        foreach = head.removeprefix("t.foreach.")
        state.widths.setdefault(foreach, {})[thread] = len(produced.get(f"p.foreach.{foreach}.body", ()))


def _thread(consumed: ByPlace) -> str:
    """The name of the one token that is no unit of a resource."""
    return next((ts[0].name for p, ts in consumed.items() if ts and not p.startswith(RESOURCE)), "")


# Claims


def _claim(state: State, event: SessionEvent, claim: str) -> Claim:
    found = state.claims.get(claim)
    if found is None:
        raise _misfit(state, event, f"there is no claim {claim}")
    return found


def _end_claim(state: State, event: SessionEvent, claim: str) -> Claim:
    found = _claim(state, event, claim)
    del state.claims[claim]
    return found


def _claimed(state: State, event: Claimed) -> None:
    if event.claim in state.claims:
        raise _misfit(state, event, f"claim {event.claim} is there already")
    _take(state, event, event.consumed)
    claim = Claim(
        event.claim,
        event.transition,
        event.task,
        event.thread,
        tuple(event.rounds),
        event.attempt,
        event.worker,
        event.driver,
        event.at,
        event.lease,
        event.expires,
        event.consumed,
    )
    state.claims[event.claim] = claim
    state.claims_made += 1
    tries = state.attempts.setdefault(claim.work, Attempts())
    tries.begun += 1
    tries.retry_at = None


def _unbegin(state: State, claim: Claim) -> None:
    tries = state.attempts[claim.work]
    tries.begun -= 1
    if not tries.begun:
        del state.attempts[claim.work]


def _verified(state: State, event: Verified) -> None:
    claim = _end_claim(state, event, event.claim)
    if claim.report is None:
        raise _misfit(state, event, f"nobody reported on claim {claim.id}")
    _put(state, event.produced)
    state.attempts.pop(claim.work, None)
    state.results.setdefault(claim.task, {})[claim.thread] = claim.report.output
    if claim.report.output is None and "output" in claim.report.files:
        state.in_files.setdefault(claim.task, {})[claim.thread] = claim.report.files["output"]
    elif claim.thread in state.in_files.get(claim.task, ()):
        del state.in_files[claim.task][claim.thread]
    _discovered(state, claim.transition, claim.thread, event.produced)
    state.fired[claim.transition] = state.fired.get(claim.transition, 0) + 1


# The session


def _ended(state: State, event: Ended) -> None:
    state.ended = cast(EndState, event.state)
    state.why, state.missing = event.why, event.missing
    if event.returned:
        _put(state, event.returned)
    if event.state == "cancelled":
        state.holdings.clear()
        state.timers.clear()


def _kept(results: dict[str, dict[str, T]], kept: Mapping[str, set[str]]) -> dict[str, dict[str, T]]:
    return {
        task: {thread: value for thread, value in by_thread.items() if thread in kept[task]}
        for task, by_thread in results.items()
        if task in kept
    }


def _revised(state: State, event: RevisionCommitted, seq: int) -> None:
    if event.revision != state.revision + 1:
        raise _misfit(state, event, f"revision {state.revision + 1} comes next")
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
    if event.moved.keys() != state.claims.keys():
        raise _misfit(state, event, "every claim is moved or was revoked before")
    for claim, tokens in event.moved.items():
        _claim(state, event, claim).consumed = tokens
    state.holdings = {(h.transition.rpartition(".")[0], h.thread): h for h in event.holdings}
    state.timers = {t.id: t for t in event.timers}
    state.ended, state.why, state.missing, state.failed = None, "", (), ""
