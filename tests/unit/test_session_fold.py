"""What cannot have happened is refused: one test a way in which an event does not fit the log before it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

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
    Process,
    Refused,
    Reported,
    ReportRefused,
    RevisionCommitted,
    Revoked,
    SessionCreated,
    SessionEvent,
    Timer,
    Verified,
    WorkStarted,
)
from petri_cli.session.fold import apply, fold
from petri_cli.session.state import State

WORK = Token(None, 1, "1")
UNIT = Token(None, 1)
ME = Process(1, 1, "boot", "host")
PLAN: tuple[SessionEvent, ...] = (
    SessionCreated(10, "demo"),
    RevisionCommitted(10, 1, "yaml", "…", "00", {"p.start": (WORK, Token(None, 1, "2")), "r.slots": (UNIT, UNIT)}),
)


def claimed(claim: str = "c1", attempt: int = 1, at: int = 10, **more: Any) -> Claimed:
    return Claimed(at, claim, "t.work", "work", {"p.start": (WORK,)}, attempt, 60, at + 60, "1", **more)


def acquire(n: int = 1, *timers: Timer, thread: str = "1") -> Fired:
    token = Token(None, 1, thread)
    return Fired(10, "t.guard.g.acquire", {"p.start": (token,), "r.slots": (UNIT,) * n}, {"p.body": (token,)}, timers)


def release(n: int) -> Fired:
    units = {"r.slots": (UNIT,) * n} if n else {}
    return Fired(10, "t.guard.g.release", {"p.body": (WORK,)}, {"p.end": (WORK,), **units})


def quota(n: int, place: str = "r.slots", name: str = "1.1") -> Timer:
    return Timer(name, 70, place, (UNIT,) * n)


def state_after(*events: SessionEvent) -> State:
    return fold([*PLAN, *events])


CLAIM = (claimed(),)
STARTED = (*CLAIM, WorkStarted(10, "c1", ME))
REPORTED = (*STARTED, Reported(10, "c1", 5))
HELD = (acquire(2),)
ENDED = (Ended(10, "completed"),)

MISFITS: dict[str, tuple[tuple[SessionEvent, ...], SessionEvent, str]] = {
    "a second creation": ((), SessionCreated(10, "demo"), "begins with its one SessionCreated"),
    "time that goes back": ((), Noted(9, "info", "x"), "is before that of the event before"),
    "anything after completion": (ENDED, claimed(), "nothing happens in it any more"),
    "a plan after completion": (ENDED, RevisionCommitted(10, 2, "yaml", "…", "00", {}), "nothing happens"),
    "a driver after cancelling": ((Ended(10, "cancelled"),), DriverStarted(10, "d1", ME), "nothing happens"),
    "a second end": (ENDED, Ended(10, "cancelled"), "nothing happens"),
    "an end state by another name": ((), Ended(10, "done"), "no end state"),
    "completion with work going on": (CLAIM, Ended(10, "completed"), "claim c1 is not over"),
    "cancelling with work going on": (CLAIM, Ended(10, "cancelled"), "claim c1 is not over"),
    "cancelling without giving back": (HELD, Ended(10, "cancelled"), "units that are held are"),
    "giving back too much": ((), Ended(10, "cancelled", returned={"r.slots": (UNIT,)}), "units that are held are"),
    "giving back what is no unit": ((), Ended(10, "cancelled", returned={"p.start": (UNIT,)}), "nothing but units"),
    "giving back at rest": (HELD, Ended(10, "suspended", returned={"r.slots": (UNIT, UNIT)}), "only a cancelled"),
    "a second driver": ((DriverStarted(10, "d1", ME),), DriverStarted(10, "d2", ME), "driver d1 has the session"),
    "the end of no driver": ((), DriverEnded(10, "d1"), "d1 has not the session"),
    "the end of another driver": ((DriverStarted(10, "d1", ME),), DriverEnded(10, "d2"), "d2 has not the session"),
    "a revision out of turn": ((), RevisionCommitted(10, 3, "yaml", "…", "00", {}), "revision 2 comes next"),
    "a revision that forgets a claim": (CLAIM, RevisionCommitted(10, 2, "yaml", "…", "00", {}), "every claim is moved"),
    "a revision that moves no claim": (
        (),
        RevisionCommitted(10, 2, "yaml", "…", "00", {}, moved={"c1": {}}),
        "every claim is moved",
    ),
    "a revision that changes what it moves": (
        CLAIM,
        RevisionCommitted(10, 2, "yaml", "…", "00", {}, moved={"c1": {"p.start": (WORK,)}}, changed=("t.work",)),
        "cannot go on as work that is another one",
    ),
    "a claim of a name in use": (CLAIM, claimed(attempt=2), "is there already"),
    "a claim of tokens that are not there": (CLAIM, claimed("c2", attempt=2), "does not hold the token"),
    "a claim of nothing": ((), Claimed(10, "c1", "t.work", "work", {}, 1, 60, 70), "takes a token"),
    "a claim of a unit": ((), Claimed(10, "c1", "t.work", "work", {"r.slots": (UNIT,)}, 1, 60, 70), "only a guard's"),
    "an attempt too many": ((), claimed(attempt=2), "attempt 1 comes next, not 2"),
    "an attempt again": ((*CLAIM, Lapsed(10, "c1", "late")), claimed("c2"), "attempt 2 comes next, not 1"),
    "an attempt after one taken back": ((*CLAIM, Revoked(10, "c1", "x")), claimed("c2", 2), "attempt 1 comes next"),
    "work that starts twice": (STARTED, WorkStarted(10, "c1", ME), "is started already"),
    "work that starts when reported": ((*CLAIM, Reported(10, "c1")), WorkStarted(10, "c1", ME), "is reported already"),
    "a second report": (REPORTED, Reported(10, "c1", 6), "was reported on already"),
    "approval before a report": (STARTED, Approved(10, "c1", True), "nobody reported"),
    "a verdict before a report": (STARTED, Verified(10, "c1", {}), "nobody reported"),
    "a refusal before a report": (STARTED, Refused(10, "c1", "no"), "nobody reported"),
    "passing what a person refused": (
        (*REPORTED, Approved(10, "c1", False, "eve")),
        Verified(10, "c1", {}),
        "eve has not",
    ),
    "passing with units": (REPORTED, Verified(10, "c1", {"r.slots": (UNIT,)}), "only a guard's"),
    "a lapse of what was reported": (REPORTED, Lapsed(10, "c1", "late"), "it is to be judged"),
    "a firing of tokens that are not there": ((), Fired(10, "t.x", {"p.x": (UNIT,)}, {}), "p.x does not hold"),
    "a firing of another token": ((), Fired(10, "t.x", {"p.start": (Token(7),)}, {}), "p.start does not hold"),
    "a failure of tokens that are not there": ((), FiringFailed(10, "t.x", {"p.x": (UNIT,)}, "E"), "p.x does not hold"),
    "a failure with units": ((), FiringFailed(10, "t.x", {"r.slots": (UNIT,)}, "E"), "only a guard's"),
    "units taken without a guard": ((), Fired(10, "t.x", {"r.slots": (UNIT,)}, {}), "only a guard's"),
    "units made": ((), Fired(10, "t.x", {"p.start": (WORK,)}, {"r.slots": (UNIT,)}), "only a guard's"),
    "units made by time": ((), Fired(10, "t.x", {"p.start": (WORK,)}, {}, (quota(1),)), "only a guard's"),
    "a guard of that name that is none": ((), Fired(10, "t.acquire", {"r.slots": (UNIT,)}, {}), "only a guard's"),
    "a guard that holds twice": (
        (Fired(10, "t.x", {"p.start": (Token(None, 1, "2"),)}, {"p.start": (WORK,)}), acquire()),
        acquire(),
        "holds units for '1' already",
    ),
    "more back by time than taken": ((), acquire(1, quota(2)), "more units would come back"),
    "other units back by time": ((), acquire(1, quota(1, "r.others")), "more units would come back"),
    "too little given back": (HELD, release(1), "neither more nor less"),
    "too much given back": ((acquire(1),), release(2), "neither more nor less"),
    "a quota given back twice": ((acquire(1, quota(1)),), release(1), "neither more nor less"),
    "a timer of a name in use": ((acquire(1, quota(1)),), acquire(1, quota(1), thread="2"), "a timer 1.1 already"),
    "a timer that is not there": ((), Injected(10, "p.x", (UNIT,), "1.1"), "there is no timer 1.1"),
    "a timer that is due twice": (
        (acquire(1, quota(1)), Injected(10, "r.slots", (UNIT,), "1.1")),
        Injected(10, "r.slots", (UNIT,), "1.1"),
        "there is no timer",
    ),
    "a timer that brings too much": ((acquire(1, quota(1)),), Injected(10, "r.slots", (UNIT,) * 2, "1.1"), "brings 1"),
    "a timer that brings it elsewhere": ((acquire(1, quota(1)),), Injected(10, "p.x", (UNIT,), "1.1"), "to r.slots"),
    "units from outside": ((), Injected(10, "r.slots", (UNIT,), by="me"), "only a guard's"),
}


@pytest.mark.parametrize("name", MISFITS)
def test_what_cannot_have_happened_is_refused(name: str) -> None:
    before, event, why = MISFITS[name]
    state = state_after(*before)
    with pytest.raises(PetriError) as error:
        apply(state, event)
    assert error.value.code == "PETRI_BAD_LOG"
    assert why in error.value.message and f"event {len(before) + 3} ({event.type})" in error.value.message


@pytest.mark.parametrize("event", [Noted(10, "info", "x"), RevisionCommitted(10, 1, "yaml", "…", "00", {})])
def test_a_log_begins_with_its_creation(event: SessionEvent) -> None:
    with pytest.raises(PetriError, match=r"event 1 .* begins with its one SessionCreated"):
        apply(State(), event)


OF_A_CLAIM: tuple[Callable[[], SessionEvent], ...] = (
    lambda: WorkStarted(10, "c1", ME),
    lambda: Heartbeat(10, "c1", 99),
    lambda: Reported(10, "c1"),
    lambda: Approved(10, "c1", True),
    lambda: Verified(10, "c1", {}),
    lambda: Refused(10, "c1", "no"),
    lambda: Lapsed(10, "c1", "late"),
    lambda: Revoked(10, "c1", "x"),
)
OVERS: dict[str, tuple[SessionEvent, ...]] = {
    "never begun": (),
    "passed": (*REPORTED, Verified(10, "c1", {})),
    "refused": (*REPORTED, Refused(10, "c1", "no")),
    "lapsed": (*CLAIM, Lapsed(10, "c1", "late")),
    "taken back": (*CLAIM, Revoked(10, "c1", "x")),
}


@pytest.mark.parametrize("make", OF_A_CLAIM, ids=[m().type for m in OF_A_CLAIM])
@pytest.mark.parametrize("over", OVERS)
def test_nothing_happens_to_a_claim_that_is_over(make: Callable[[], SessionEvent], over: str) -> None:
    with pytest.raises(PetriError, match=r"PETRI_BAD_LOG .* there is no claim c1"):
        state_after(*OVERS[over], make())


# What may happen


@pytest.mark.parametrize("state", ["completed", "cancelled"])
def test_late_words_may_follow_an_end(state: str) -> None:
    after = state_after(
        DriverStarted(10, "d1", ME),
        Ended(10, state),
        ReportRefused(11, "c1", "the session is over"),
        DriverEnded(12, "d1"),
        Noted(13, "info", "x"),
    )
    assert after.final and after.driver is None and after.seq == 7


@pytest.mark.parametrize("state", ["failed", "deadlocked", "suspended"])
def test_a_session_at_rest_goes_on(state: str) -> None:
    after = state_after(*CLAIM, Ended(10, state, "why", ("what",)), Reported(11, "c1"))
    assert (after.ended, after.why, after.missing) == (state, "why", ("what",))
    apply(after, DriverStarted(12, "d1", ME))
    assert (after.ended, after.why, after.missing) == (None, "", ())


def test_a_claim_takes_its_token_and_a_verdict_puts_it_on() -> None:
    state = state_after(*REPORTED)
    assert [t.name for t in state.marking["p.start"]] == ["2"] and state.claims["c1"].stage == "reported"
    apply(state, Verified(11, "c1", {"p.done": (WORK,)}))
    assert list(state.marking["p.done"]) == [WORK] and not state.claims and not state.attempts
    assert state.results == {"work": {"1": 5}} and state.fired == {"t.work": 1}


@pytest.mark.parametrize("how", [Refused(11, "c1", "no", retry_at=99), Lapsed(11, "c1", "late", 99)])
def test_a_burnt_attempt_returns_the_token_to_the_head_and_counts(how: SessionEvent) -> None:
    before = REPORTED if isinstance(how, Refused) else CLAIM
    state = state_after(*before, how)
    assert [t.name for t in state.marking["p.start"]] == ["1", "2"]
    [tries] = state.attempts.values()
    assert (tries.begun, tries.burnt, tries.retry_at, bool(tries.reason)) == (1, 1, 99, True)
    apply(state, claimed("c2", 2, 11))
    assert (tries.begun, tries.burnt, tries.retry_at) == (2, 1, None)


def test_a_claim_that_is_taken_back_burns_nothing() -> None:
    state = state_after(*CLAIM, Revoked(11, "c1", "x"))
    assert not state.attempts and state.claims_made == 1
    apply(state, claimed("c2", 1, 11))


def test_a_guard_holds_from_its_acquire_to_its_release() -> None:
    state = state_after(*HELD)
    assert state.holdings == {("t.guard.g", "1"): Holding("t.guard.g.acquire", "1", 10, {"r.slots": 2})}
    assert (state.free("slots"), state.held("slots")) == (0, 2)
    apply(state, release(2))
    assert not state.holdings and (state.free("slots"), state.held("slots")) == (2, 0)


def test_units_of_a_quota_come_back_with_time() -> None:
    state = state_after(acquire(2, quota(2)))
    assert not state.holdings and (state.free("slots"), state.held("slots")) == (0, 2)
    apply(state, release(0))
    assert (state.free("slots"), state.held("slots")) == (0, 2)
    apply(state, Injected(70, "r.slots", (UNIT, UNIT), "1.1"))
    assert not state.timers and (state.free("slots"), state.held("slots")) == (2, 0)


def test_a_cancelled_session_holds_nothing() -> None:
    state = state_after(*HELD, Ended(11, "cancelled", returned={"r.slots": (UNIT, UNIT)}))
    assert not state.holdings and (state.free("slots"), state.held("slots")) == (2, 0)


def test_a_result_that_is_only_in_a_file_is_known_by_it_until_the_next_one() -> None:
    file = {"path": "o", "size": 3, "sha256": "00"}
    state = state_after(*CLAIM, Reported(10, "c1", None, 0, {"output": file}), Verified(11, "c1", {"p.start": (WORK,)}))
    assert state.results == {"work": {"1": None}} and state.in_files == {"work": {"1": file}}
    for event in (claimed("c2", 1, 12), Reported(12, "c2", 6), Verified(12, "c2", {})):
        apply(state, event)
    assert state.results == {"work": {"1": 6}} and not any(state.in_files.values())
