"""The driver's loop in made-up time: order, ceilings, attempts, decisions, delays, endings, resumption."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from petri_cli.driver.commands import Job
from petri_cli.driver.commit import Document, commit
from petri_cli.driver.process import Ended
from petri_cli.driver.session_driver import SessionDriver
from petri_cli.errors import PetriError
from petri_cli.plan.load import load_plan_text
from petri_cli.session.events import (
    Claimed,
    DriverEnded,
    Fired,
    FiringFailed,
    Heartbeat,
    Injected,
    Lapsed,
    Noted,
    Refused,
    Revoked,
    WorkStarted,
)
from petri_cli.session.memory import MemoryEventStore
from petri_cli.soundness.plans import judge_plan
from tests.sessions import BASE, Play
from tests.virtual_time import run_virtually


def task(tid: str, **settings: Any) -> dict[str, Any]:
    return {"task": {"id": tid, "run": "true", **settings}}


@pytest.fixture
def plays() -> Iterator[list[Play]]:
    made: list[Play] = []
    yield made
    for play in made:
        play.close()


@pytest.fixture
def open_play(plays: list[Play]) -> Any:
    def make(*args: Any, **settings: Any) -> Play:
        play = Play(*args, **settings)
        plays.append(play)
        return play

    return make


def kinds(play: Play) -> list[str]:
    return [e.type for e in play.events]


def test_a_task_is_claimed_started_reported_verified_in_this_order(open_play: Any) -> None:
    play = open_play(task("a"))
    assert play.run().state == "completed"
    assert kinds(play) == [
        "SessionCreated", "RevisionCommitted", "DriverStarted", "Claimed", "WorkStarted", "Reported", "Verified",
        "Ended", "DriverEnded",
    ]  # fmt: skip
    assert play.state.ended == "completed"
    assert play.state.driver is None


def test_nothing_of_the_work_happens_before_its_start_is_in_the_log(open_play: Any) -> None:
    play = open_play({"parallel": [task("a"), task("b")]})
    seen: list[str] = []

    def seconds(job: Job) -> float:
        stage = play.store.state(play.session).claims[job.claim].stage
        seen.append(stage)
        return 1.0

    play.fake.seconds = seconds
    assert play.run().state == "completed"
    assert seen == ["started", "started"]


def test_branches_run_side_by_side_and_a_seq_in_order(open_play: Any) -> None:
    play = open_play({"seq": [task("a"), {"parallel": [task("b"), task("c"), task("d")]}, task("e")]})
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["a", "b", "c", "d", "e"]
    assert play.fake.peak == 3
    assert play.loop.time() == pytest.approx(3, abs=0.01)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_max_concurrency_is_a_ceiling_over_local_work(open_play: Any, most: int) -> None:
    play = open_play({"foreach": {"id": "f", "over": [1, 2, 3, 4, 5, 6], "body": task("a")}})
    assert play.run(max_concurrency=most).state == "completed"
    assert play.fake.peak == most


@pytest.mark.parametrize("capacity", [1, 2, 3])
def test_a_guard_is_a_ceiling_and_max_concurrency_a_second_one(open_play: Any, capacity: int) -> None:
    body = {"guard": {"resource": "slots", "body": task("a")}}
    flow = {"foreach": {"id": "f", "over": [1, 2, 3, 4, 5, 6], "body": body}}
    play = open_play(flow, [{"id": "slots", "capacity": capacity}])
    assert play.run().state == "completed"
    assert play.fake.peak == capacity
    again = open_play(flow, [{"id": "slots", "capacity": capacity}])
    assert again.run(max_concurrency=2).state == "completed"
    assert again.fake.peak == min(2, capacity)


def test_priority_goes_first_then_the_order_of_declaration_then_whoever_waited_longest(open_play: Any) -> None:
    each = {"foreach": {"id": "f", "over": ["x", "y"], "body": task("a")}}
    play = open_play({"parallel": [each, task("b"), task("c", priority=5)]})
    assert play.run(max_concurrency=1).state == "completed"
    assert [(t, n) for t, n, _ in play.fake.done] == [("c", ""), ("a", "1"), ("a", "2"), ("b", "")]


# Attempts


def failing_until(attempt: int) -> Any:
    return lambda job, report: job.attempt >= attempt


def test_a_refused_attempt_is_burnt_and_the_next_one_is_made_after_the_backoff(open_play: Any) -> None:
    play = open_play(task("a", maxAttempts=3, retry={"delay": "10s", "factor": 2}))
    play.fake.verdict = failing_until(3)
    assert play.run().state == "completed"
    assert play.fake.done == [("a", "", 1), ("a", "", 2), ("a", "", 3)]
    assert play.loop.time() == pytest.approx(1 + 10 + 1 + 20 + 1, abs=0.01)
    assert [e.attempt for e in play.events if isinstance(e, Claimed)] == [1, 2, 3]


def test_an_exhausted_budget_ends_deadlocked_with_what_is_missing(open_play: Any) -> None:
    play = open_play({"seq": [task("a", maxAttempts=2), task("b")]})
    play.fake.verdict = lambda job, report: False
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert outcome.missing == ("task a has had all its 2 attempts: the verifier did not pass it",)
    assert play.state.missing == outcome.missing
    assert [t for t, _, _ in play.fake.done] == ["a", "a"]


def test_work_in_flight_is_drained_and_nothing_new_begins_once_a_budget_is_exhausted(open_play: Any) -> None:
    play = open_play({"parallel": [task("bad"), {"seq": [task("good"), task("later")]}]})
    play.fake.seconds = lambda job: 1.0 if job.node.id == "bad" else 5.0
    play.fake.verdict = lambda job, report: job.node.id != "bad"
    assert play.run().state == "deadlocked"
    assert [t for t, _, _ in play.fake.done] == ["bad", "good"]
    assert play.state.results["good"] == {"": None}


def test_keep_going_does_everything_else_first(open_play: Any) -> None:
    play = open_play({"parallel": [task("bad"), {"seq": [task("good"), task("later")]}]})
    play.fake.verdict = lambda job, report: job.node.id != "bad"
    assert play.run(keep_going=True).state == "deadlocked"
    assert [t for t, _, _ in play.fake.done] == ["bad", "good", "later"]


def test_guards_that_wait_are_named_with_whoever_holds_what_they_want(open_play: Any) -> None:
    both = [
        {"guard": {"resource": "x", "body": {"guard": {"resource": "y", "body": task("a")}}}},
        {"guard": {"resource": "y", "body": {"guard": {"resource": "x", "body": task("b")}}}},
    ]
    play = open_play({"parallel": both}, [{"id": "x", "capacity": 1}, {"id": "y", "capacity": 1}])
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert outcome.missing == (
        "guard g2 waits for a unit of y (0 free, held by guard g3)",
        "guard g4 waits for a unit of x (0 free, held by guard g1)",
    )


def test_a_time_out_ends_the_attempt(open_play: Any) -> None:
    play = open_play(task("a", timeout="5s", maxAttempts=2))
    play.fake.seconds = lambda job: 100.0
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert "timed out after 5 s" in outcome.missing[0]
    assert play.loop.time() == pytest.approx(10, abs=0.01)


# Decisions


def result(**results: Any) -> Any:
    return lambda job: Ended(0, output=results.get(job.node.id))


def test_the_first_branch_whose_condition_holds_is_taken(open_play: Any) -> None:
    branches = [
        {"when": "${a.n} > 5", "body": task("big")},
        {"when": "${a.n} > 2", "body": task("middle")},
        task("small"),
    ]
    for n, chosen in ((9, "big"), (3, "middle"), (1, "small")):
        play = open_play({"seq": [task("a"), {"choice": branches}]})
        play.fake.says = result(a={"n": n})
        assert play.run().state == "completed"
        assert [t for t, _, _ in play.fake.done] == ["a", chosen]


def test_without_conditions_priority_decides_then_declaration(open_play: Any) -> None:
    play = open_play({"choice": [task("a"), {"seq": [task("b", priority=3), task("c")]}, task("d", priority=3)]})
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["b", "c"]


def test_a_condition_that_cannot_be_judged_fails_the_session(open_play: Any) -> None:
    play = open_play({"seq": [task("a"), {"choice": [{"when": "${a.n} > 5", "body": task("b")}, task("c")]}]})
    play.fake.says = result(a="text")
    outcome = play.run()
    assert outcome.state == "failed"
    assert [e.error for e in play.events if isinstance(e, FiringFailed)] == ["PETRI_EXPRESSION_FAILED"]
    assert play.state.failed == outcome.why


def polling(ready_after: int, **settings: Any) -> tuple[dict[str, Any], Any]:
    loop = {"loop": {"id": "poll", "until": "${look.ready}", "body": task("look"), **settings}}
    rounds = iter(range(1, 1000))
    return loop, lambda job: Ended(0, output={"ready": next(rounds) >= ready_after})


def test_a_loop_with_a_delay_polls_until_ready(open_play: Any) -> None:
    flow, says = polling(4, delay="30s")
    play = open_play(flow)
    play.fake.says = says
    assert play.run().state == "completed"
    assert len(play.fake.done) == 4
    assert play.loop.time() == pytest.approx(4 + 3 * 30, abs=0.01)
    assert [e.timer != "" for e in play.events if isinstance(e, Injected)] == [True] * 3


def test_a_loop_that_has_had_its_rounds_fails_or_is_left_and_says_exhausted(open_play: Any) -> None:
    flow, says = polling(99, maxIterations=3)
    play = open_play(flow)
    play.fake.says = says
    outcome = play.run()
    assert (outcome.state, len(play.fake.done)) == ("failed", 3)
    assert "still false after 3 rounds" in outcome.why
    flow, says = polling(99, maxIterations=3, onExhausted="exit")
    play = open_play(flow)
    play.fake.says = says
    assert play.run().state == "completed"
    assert any("had all its 3 rounds" in e.note for e in play.events if isinstance(e, Fired))


def test_a_foreach_over_an_expression_over_prose_and_over_nothing(open_play: Any) -> None:
    play = open_play({"seq": [task("a"), {"foreach": {"id": "f", "over": "${a.list}", "body": task("b")}}]})
    play.fake.says = result(a={"list": ["x", "y", {"z": 1}]})
    assert play.run().state == "completed"
    assert [n for t, n, _ in play.fake.done if t == "b"] == ["1", "2", "3"]

    play = open_play({"foreach": {"id": "f", "over": "whatever there is", "run": "ls", "body": task("b")}})
    play.fake.says = result(f=[1, 2])
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["f", "b", "b"]
    assert [e.task for e in play.events if isinstance(e, Claimed)] == ["foreach.f", "b", "b"]

    play = open_play({"foreach": {"id": "f", "over": "whatever there is", "run": "ls", "body": task("b")}})
    play.fake.says = result(f=[])
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["f"]


@pytest.mark.parametrize(
    ("found", "why"), [("text", "must be a list, not str"), ([1, 2, 3], "found 3 items; maxWidth is 2")]
)
def test_a_discovery_that_is_no_list_or_too_long_is_refused(open_play: Any, found: Any, why: str) -> None:
    each = {"id": "f", "over": "whatever", "run": "ls", "maxWidth": 2, "maxAttempts": 2, "body": task("b")}
    play = open_play({"foreach": each})
    play.fake.says = result(f=found)
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert why in outcome.missing[0]
    assert len([e for e in play.events if isinstance(e, Refused)]) == 2


def test_a_quota_gives_its_units_back_with_time(open_play: Any) -> None:
    each = {"foreach": {"id": "f", "over": [1, 2, 3, 4, 5], "body": {"guard": {"resource": "q", "body": task("a")}}}}
    play = open_play(each, [{"id": "q", "capacity": 2, "per": "60s"}])
    assert play.run().state == "completed"
    assert play.loop.time() == pytest.approx(121, abs=0.01)
    assert play.state.free("q") + play.state.held("q") == 2


def test_a_task_with_a_delay_begins_so_much_after_it_could(open_play: Any) -> None:
    play = open_play({"seq": [task("a"), task("b", timing={"delayed": "10s"})]})
    assert play.run().state == "completed"
    assert play.loop.time() == pytest.approx(12, abs=0.01)


# Ending and going on


def test_work_for_others_is_waited_for_or_rested_on(open_play: Any) -> None:
    play = open_play({"task": {"id": "a", "verify": "human"}})
    outcome = play.run(wait=False)
    assert (outcome.state, outcome.why) == ("suspended", "1 to be claimed by workers")
    assert play.run(pull=False).missing == ("task a has no body, and no worker comes for it",)


def test_one_interrupt_drains(open_play: Any) -> None:
    play = open_play({"seq": [task("a"), task("b")]})
    driver = play.driver()
    play.loop.call_later(0.5, driver.interrupt)
    outcome = play.run(driver)
    assert (outcome.state, outcome.signal) == ("suspended", 2)
    assert play.fake.done == [("a", "", 1)]
    assert "a" in play.state.results
    assert play.run().state == "completed"
    assert play.fake.done == [("a", "", 1), ("b", "", 1)]


def test_a_second_interrupt_ends_what_runs_and_no_attempt_is_burnt(open_play: Any) -> None:
    play = open_play({"seq": [task("a"), task("b")]})
    driver = play.driver()
    play.loop.call_later(0.3, driver.interrupt)
    play.loop.call_later(0.6, driver.interrupt)
    assert play.run(driver).state == "suspended"
    assert play.fake.done == []
    assert [e.type for e in play.events[-3:]] == ["Revoked", "Ended", "DriverEnded"]
    assert play.state.attempts == {}
    assert not play.fake.running
    assert play.run().state == "completed"


def test_cancelling_the_task_that_drives_closes_the_session_properly(open_play: Any) -> None:
    play = open_play(task("a"))

    async def drive_and_cancel() -> None:
        running = asyncio.create_task(play.driver().run())
        await asyncio.sleep(0.5)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

    run_virtually(drive_and_cancel(), play.loop)
    assert play.state.ended == "suspended"
    assert play.state.driver is None
    assert not play.fake.running


class Dead(MemoryEventStore):
    """Of a driver that is no more."""

    @contextmanager
    def writing(self, session: str) -> Iterator[Any]:
        raise OSError("dead")
        yield


def crash(play: Play, after: float, **options: Any) -> SessionDriver:
    """Let a driver run for some time and then vanish."""
    driver = play.driver(**options)

    async def vanish() -> None:
        running = asyncio.create_task(driver.run())
        await asyncio.sleep(after)
        driver.store = Dead()  # whatever it still does, nothing is written
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)

    run_virtually(vanish(), play.loop)
    return driver


def test_claims_of_a_dead_driver_lapse_at_once_and_burn_one_attempt(open_play: Any) -> None:
    play = open_play(task("a", maxAttempts=2))
    crash(play, 0.5)
    assert play.state.driver is not None
    assert play.run().state == "completed"
    assert [e.reason for e in play.events if isinstance(e, Lapsed)] == ["its driver died"]
    assert [e.why for e in play.events if isinstance(e, DriverEnded)] == ["died", "ended"]
    assert play.loop.time() == pytest.approx(1.5, abs=0.01)


def test_attempts_are_in_the_log_crash_and_resume_ten_times_is_exactly_max_attempts_claims(open_play: Any) -> None:
    play = open_play(task("a", maxAttempts=3))
    for _ in range(10):
        if play.state.ended is None:
            crash(play, 0.5)
    assert play.run().state == "deadlocked"
    assert len([e for e in play.events if isinstance(e, Claimed)]) == 3


def test_an_unverified_report_in_the_log_is_verified_not_run_again(open_play: Any) -> None:
    play = open_play(task("a", verify={"command": "make check"}))
    play.fake.judging = 1.0
    crash(play, 1.5)
    assert [c.stage for c in play.state.claims.values()] == ["reported"]
    assert play.run().state == "completed"
    assert play.fake.done == [("a", "", 1)]


def test_delays_and_backoff_go_on_after_a_crash(open_play: Any) -> None:
    play = open_play({"seq": [task("a", maxAttempts=2, retry={"delay": "60s"}), task("b")]})
    play.fake.verdict = failing_until(2)
    crash(play, 31)
    assert play.run().state != "completed"  # `b` has one attempt, and that is refused
    assert play.fake.done[:2] == [("a", "", 1), ("a", "", 2)]
    assert play.loop.time() == pytest.approx(1 + 60 + 1 + 1, abs=0.01)


def test_a_session_has_one_driver_and_says_who_it_is(open_play: Any) -> None:
    play = open_play(task("a"))
    crash(play, 0.5)
    with pytest.raises(PetriError) as caught:
        play.run(alive=lambda process: True)
    assert caught.value.code == "PETRI_SESSION_BUSY"
    assert "process 4711 on host" in caught.value.message
    with pytest.raises(PetriError) as caught:
        play.run(alive=lambda process: None)
    assert caught.value.code == "PETRI_SESSION_BUSY"


def test_a_completed_session_does_not_go_on(open_play: Any) -> None:
    play = open_play(task("a"))
    play.run()
    with pytest.raises(PetriError) as caught:
        play.run()
    assert caught.value.code == "PETRI_SESSION_ENDED"


# Time


def test_local_claims_get_heartbeats_and_do_not_lapse(open_play: Any) -> None:
    play = open_play(task("a", lease="30s"))
    play.fake.seconds = lambda job: 100.0
    assert play.run().state == "completed"
    beats = [e.at - BASE for e in play.events if isinstance(e, Heartbeat)]
    assert [round(b / 1e6) for b in beats] == [10, 20, 30, 40, 50, 60, 70, 80, 90]


@pytest.mark.parametrize("jump", [3600, -3600])
def test_a_clock_that_jumps_is_noted_and_neither_ends_leases_nor_keeps_them(open_play: Any, jump: int) -> None:
    flow, says = polling(3, delay="30s")
    play = open_play({"seq": [flow, task("b", lease="10s")]})
    play.fake.says = says
    play.fake.seconds = lambda job: 40.0 if job.node.id == "b" else 1.0
    for at in (15, 80):
        play.loop.call_later(at, lambda: setattr(play, "skew", jump * 1_000_000 - play.skew))
    assert play.run().state == "completed"
    assert play.loop.time() == pytest.approx(3 + 60 + 40, abs=0.01)
    assert not [e for e in play.events if isinstance(e, Lapsed)]
    assert [e.level for e in play.events if isinstance(e, Noted)] == ["warning", "warning"]
    times = [e.at for e in play.events]
    assert times == sorted(times)


# What must not happen


def test_a_result_that_the_log_cannot_hold_is_refused_not_fatal(open_play: Any) -> None:
    play = open_play(task("a"))
    play.fake.says = lambda job: Ended(0, output=float("inf"))
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert "JSON" in outcome.missing[0]


def test_control_that_fails_lets_what_runs_end_and_its_results_count(open_play: Any) -> None:
    bad = {"seq": [task("a"), {"choice": [{"when": "${a.n} > 1", "body": task("b")}, task("c")]}]}
    play = open_play({"parallel": [bad, {"seq": [task("long"), task("later")]}]})
    play.fake.seconds = lambda job: 10.0 if job.node.id == "long" else 1.0
    assert play.run().state == "failed"
    assert [t for t, _, _ in play.fake.done] == ["a", "long"]
    assert "long" in play.state.results
    assert play.run().state == "failed", "and it stays so until there is another plan"
    assert [t for t, _, _ in play.fake.done] == ["a", "long"]


def test_a_snapshot_is_taken_when_it_is_time_to(open_play: Any) -> None:
    play = open_play({"foreach": {"id": "f", "over": list(range(300)), "body": task("a")}})
    assert play.run(max_concurrency=4, check=False).state == "completed"
    assert play.store.snapshots(play.session)
    with_them = play.state
    play.store.drop_snapshots(play.session)
    assert play.state == with_them


def test_observers_hear_of_every_event_once_and_after_it_was_committed(open_play: Any) -> None:
    play = open_play({"seq": [task("a"), task("b")]})
    heard: list[int] = []

    class Ear:
        def committed(self, entries: Any, state: Any) -> None:
            assert play.store.last(play.session) == entries[-1].seq == state.seq
            heard.extend(e.seq for e in entries)

    play.run(play.driver([Ear()]))
    assert heard == list(range(3, play.store.last(play.session) + 1))


def test_work_that_breaks_the_performer_is_an_attempt_that_failed(open_play: Any) -> None:
    def breaks(job: Job) -> Ended:
        raise RuntimeError("boom")

    play = open_play(task("a"))
    play.fake.says = breaks
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert "RuntimeError: boom" in str(play.events)


def test_a_verifier_that_breaks_is_not_a_pass(open_play: Any) -> None:
    def breaks(job: Job, report: Any) -> bool:
        raise RuntimeError("boom")

    for settings in ({}, {"verify": {"command": "make check"}}):
        play = open_play(task("a", **settings))
        play.fake.verdict = breaks
        outcome = play.run()
        assert outcome.state == "deadlocked"
        assert "RuntimeError: boom" in outcome.missing[0]


class Full(MemoryEventStore):
    """A store that is full from some commit on."""

    def __init__(self, store: MemoryEventStore, commits: int) -> None:
        self.inner, self.left = store, commits

    @contextmanager
    def writing(self, session: str) -> Iterator[Any]:
        with self.inner.writing(session) as w:
            yield w
            self.left -= 1
            if self.left < 0:
                raise PetriError("PETRI_STORE_FULL", "no space left on device")

    def __getattribute__(self, name: str) -> Any:
        if name in ("state", "snapshots", "snapshot", "changed", "last"):
            return getattr(self.inner, name)
        return super().__getattribute__(name)


@pytest.mark.parametrize("commits", range(6))
def test_a_full_disk_ends_the_driver_and_what_it_runs_and_the_log_stays_good(open_play: Any, commits: int) -> None:
    play = open_play({"seq": [task("a", maxAttempts=2), task("b", maxAttempts=2)]})
    driver = play.driver()
    driver.store = Full(play.store, commits)
    with pytest.raises(PetriError, match="no space left"):
        play.run(driver)
    assert not play.fake.running
    assert play.run().state == "completed"


def test_an_observer_that_fails_is_not_asked_again_and_the_work_goes_on(open_play: Any) -> None:
    play = open_play({"seq": [task("a"), task("b")]})
    asked: list[int] = []

    class Broken:
        def committed(self, entries: Any, state: Any) -> None:
            asked.append(state.seq)
            raise BrokenPipeError(32, "Broken pipe")

    assert play.run(play.driver([Broken()])).state == "completed"
    assert len(asked) == 1
    assert [e.message for e in play.events if isinstance(e, Noted)] == [
        "nobody follows any more: BrokenPipeError: [Errno 32] Broken pipe"
    ]


def test_work_that_cannot_be_started_is_an_attempt_that_failed(open_play: Any) -> None:
    play = open_play(task("a"))

    async def perform(job: Job, timeout: float, start: Any) -> Ended:
        raise PetriError("PETRI_CANNOT_START", "no more processes")

    play.fake.perform = perform
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert "no more processes" in outcome.missing[0]
    assert not [e for e in play.events if isinstance(e, WorkStarted)]


def test_what_has_ended_before_the_second_interrupt_counts(open_play: Any) -> None:
    play = open_play({"parallel": [task("a"), task("b")]})
    play.fake.seconds = lambda job: 1.0 if job.node.id == "a" else 100.0
    driver = play.driver()

    def close_at_once() -> None:
        driver.interrupt()
        driver.interrupt()

    original = play.fake.says

    def says(job: Job) -> Ended:
        play.loop.call_soon(close_at_once)
        return original(job)

    play.fake.says = says
    assert play.run(driver).state == "suspended"
    assert list(play.state.results) == ["a"]
    assert [e.claim for e in play.events if isinstance(e, Revoked)] == ["c2"]


# Revisions under a running driver


def revise(play: Play, flow: Any, **settings: Any) -> None:
    text = json.dumps({"name": "play", "flow": flow})
    plan, _ = load_plan_text(text.encode(), "plan.json")
    commit(play.store, play.session, Document(text, "plan.json"), plan, judge_plan(plan), **settings)


def test_a_revision_under_a_running_driver_goes_on_with_what_runs(open_play: Any) -> None:
    play = open_play({"seq": [task("a"), task("b")]}, name="play")
    play.fake.seconds = lambda job: 10.0
    play.loop.call_later(5, lambda: revise(play, {"seq": [task("a"), task("c"), task("b", maxAttempts=2)]}))
    assert play.run(poll=0.5).state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["a", "c", "b"]
    assert len([e for e in play.events if isinstance(e, Claimed)]) == 3


def test_a_revision_that_takes_work_back_ends_it(open_play: Any) -> None:
    play = open_play({"seq": [task("a"), task("b")]}, name="play")
    play.fake.seconds = lambda job: 10.0
    play.loop.call_later(5, lambda: revise(play, {"seq": [task("x"), task("b")]}, revoke=True))
    assert play.run(poll=0.5).state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["x", "b"]
    assert [e.claim for e in play.events if isinstance(e, Revoked)] == ["c1"]
    assert play.loop.time() < 27


def test_a_revision_frees_a_session_that_failed(open_play: Any) -> None:
    play = open_play(
        {"seq": [task("a"), {"choice": [{"when": "${a.n} > 1", "body": task("b")}, task("c")]}]}, name="play"
    )
    assert play.run().state == "failed"
    revise(play, {"seq": [task("a"), task("c")]})
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["a", "c"]
