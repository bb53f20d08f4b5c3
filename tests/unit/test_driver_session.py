"""The driver's loop in made-up time: in which order things happen, how much at once, how often something is tried."""

from __future__ import annotations

import pytest

from petri_cli.driver.commands import Job
from petri_cli.session.events import (
    Claimed,
)
from tests.sessions import OpenPlay, Play, failing_until, task


def kinds(play: Play) -> list[str]:
    return [e.type for e in play.events]


def test_a_task_is_claimed_started_reported_verified_in_this_order(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    assert play.run().state == "completed"
    assert kinds(play) == [
        "SessionCreated", "RevisionCommitted", "DriverStarted", "Claimed", "WorkStarted", "Reported", "Verified",
        "Ended", "DriverEnded",
    ]  # fmt: skip
    assert play.state.ended == "completed"
    assert play.state.driver is None


def test_nothing_of_the_work_happens_before_its_start_is_in_the_log(open_play: OpenPlay) -> None:
    play = open_play({"parallel": [task("a"), task("b")]})
    seen: list[str] = []

    def seconds(job: Job) -> float:
        stage = play.store.state(play.session).claims[job.claim].stage
        seen.append(stage)
        return 1.0

    play.fake.seconds = seconds
    assert play.run().state == "completed"
    assert seen == ["started", "started"]


def test_branches_run_side_by_side_and_a_seq_in_order(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), {"parallel": [task("b"), task("c"), task("d")]}, task("e")]})
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["a", "b", "c", "d", "e"]
    assert play.fake.peak == 3
    assert play.loop.time() == pytest.approx(3, abs=0.01)


@pytest.mark.parametrize("most", [1, 2, 3])
def test_max_concurrency_is_a_ceiling_over_local_work(open_play: OpenPlay, most: int) -> None:
    play = open_play({"foreach": {"id": "f", "over": [1, 2, 3, 4, 5, 6], "body": task("a")}})
    assert play.run(max_concurrency=most).state == "completed"
    assert play.fake.peak == most


@pytest.mark.parametrize("capacity", [1, 2, 3])
def test_a_guard_is_a_ceiling_and_max_concurrency_a_second_one(open_play: OpenPlay, capacity: int) -> None:
    body = {"guard": {"resource": "slots", "body": task("a")}}
    flow = {"foreach": {"id": "f", "over": [1, 2, 3, 4, 5, 6], "body": body}}
    play = open_play(flow, [{"id": "slots", "capacity": capacity}])
    assert play.run().state == "completed"
    assert play.fake.peak == capacity
    again = open_play(flow, [{"id": "slots", "capacity": capacity}])
    assert again.run(max_concurrency=2).state == "completed"
    assert again.fake.peak == min(2, capacity)


def test_priority_goes_first_then_the_order_of_declaration_then_whoever_waited_longest(open_play: OpenPlay) -> None:
    each = {"foreach": {"id": "f", "over": ["x", "y"], "body": task("a")}}
    play = open_play({"parallel": [each, task("b"), task("c", priority=5)]})
    assert play.run(max_concurrency=1).state == "completed"
    assert [(t, n) for t, n, _ in play.fake.done] == [("c", ""), ("a", "1"), ("a", "2"), ("b", "")]


# Attempts


def test_a_refused_attempt_is_burnt_and_the_next_one_is_made_after_the_backoff(open_play: OpenPlay) -> None:
    play = open_play(task("a", maxAttempts=3, retry={"delay": "10s", "factor": 2}))
    play.fake.verdict = failing_until(3)
    assert play.run().state == "completed"
    assert play.fake.done == [("a", "", 1), ("a", "", 2), ("a", "", 3)]
    assert play.loop.time() == pytest.approx(1 + 10 + 1 + 20 + 1, abs=0.01)
    assert [e.attempt for e in play.events if isinstance(e, Claimed)] == [1, 2, 3]


def test_an_exhausted_budget_ends_deadlocked_with_what_is_missing(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a", maxAttempts=2), task("b")]})
    play.fake.verdict = lambda job, report: False
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert outcome.missing == ("task a has had all its 2 attempts: the verifier did not pass it",)
    assert play.state.missing == outcome.missing
    assert [t for t, _, _ in play.fake.done] == ["a", "a"]


def test_work_in_flight_is_drained_and_nothing_new_begins_once_a_budget_is_exhausted(open_play: OpenPlay) -> None:
    play = open_play({"parallel": [task("bad"), {"seq": [task("good"), task("later")]}]})
    play.fake.seconds = lambda job: 1.0 if job.node.id == "bad" else 5.0
    play.fake.verdict = lambda job, report: job.node.id != "bad"
    assert play.run().state == "deadlocked"
    assert [t for t, _, _ in play.fake.done] == ["bad", "good"]
    assert play.state.results["good"] == {"": None}


def test_keep_going_does_everything_else_first(open_play: OpenPlay) -> None:
    play = open_play({"parallel": [task("bad"), {"seq": [task("good"), task("later")]}]})
    play.fake.verdict = lambda job, report: job.node.id != "bad"
    assert play.run(keep_going=True).state == "deadlocked"
    assert [t for t, _, _ in play.fake.done] == ["bad", "good", "later"]


def test_guards_that_wait_are_named_with_whoever_holds_what_they_want(open_play: OpenPlay) -> None:
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


def test_a_time_out_ends_the_attempt(open_play: OpenPlay) -> None:
    play = open_play(task("a", timeout="5s", maxAttempts=2))
    play.fake.seconds = lambda job: 100.0
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert "timed out after 5 s" in outcome.missing[0]
    assert play.loop.time() == pytest.approx(10, abs=0.01)
