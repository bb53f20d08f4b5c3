"""How drivers end, are interrupted, die and are followed by others."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from petri_cli.driver.commands import Job
from petri_cli.driver.process import Ended
from petri_cli.errors import PetriError
from petri_cli.session.events import (
    Claimed,
    DriverEnded,
    Lapsed,
    Noted,
    Revoked,
)
from tests.sessions import OpenPlay, Play, crash, failing_until, task
from tests.virtual_time import run_virtually


def test_work_for_others_is_waited_for_or_rested_on(open_play: OpenPlay) -> None:
    play = open_play({"task": {"id": "a", "verify": "human"}})
    outcome = play.run(wait=False)
    assert (outcome.state, outcome.why) == ("suspended", "1 to be claimed by workers")
    assert play.run(pull=False).missing == ("task a has no body, and no worker comes for it",)


def test_one_interrupt_drains(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), task("b")]})
    driver = play.driver()
    play.loop.call_later(0.5, driver.interrupt)
    outcome = play.run(driver)
    assert (outcome.state, outcome.signal) == ("suspended", 2)
    assert play.fake.done == [("a", "", 1)]
    assert "a" in play.state.results
    assert play.run().state == "completed"
    assert play.fake.done == [("a", "", 1), ("b", "", 1)]


def test_a_second_interrupt_ends_what_runs_and_no_attempt_is_burnt(open_play: OpenPlay) -> None:
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


def test_cancelling_the_task_that_drives_closes_the_session_properly(open_play: OpenPlay) -> None:
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


def test_claims_of_a_dead_driver_lapse_at_once_and_burn_one_attempt(open_play: OpenPlay) -> None:
    play = open_play(task("a", maxAttempts=2))
    crash(play, 0.5)
    assert play.state.driver is not None
    assert play.run().state == "completed"
    assert [e.reason for e in play.events if isinstance(e, Lapsed)] == ["its driver died"]
    assert [e.why for e in play.events if isinstance(e, DriverEnded)] == ["died", "ended"]
    assert play.loop.time() == pytest.approx(1.5, abs=0.01)


def test_attempts_are_in_the_log_crash_and_resume_ten_times_is_exactly_max_attempts_claims(open_play: OpenPlay) -> None:
    play = open_play(task("a", maxAttempts=3))
    for _ in range(10):
        if play.state.ended is None:
            crash(play, 0.5)
    assert play.run().state == "deadlocked"
    assert len([e for e in play.events if isinstance(e, Claimed)]) == 3


def test_an_unverified_report_in_the_log_is_verified_not_run_again(open_play: OpenPlay) -> None:
    play = open_play(task("a", verify={"command": "make check"}))
    play.fake.judging = 1.0
    crash(play, 1.5)
    assert [c.stage for c in play.state.claims.values()] == ["reported"]
    assert play.run().state == "completed"
    assert play.fake.done == [("a", "", 1)]


def test_delays_and_backoff_go_on_after_a_crash(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a", maxAttempts=2, retry={"delay": "60s"}), task("b")]})
    play.fake.verdict = failing_until(2)
    crash(play, 31)
    assert play.run().state != "completed"  # `b` has one attempt, and that is refused
    assert play.fake.done[:2] == [("a", "", 1), ("a", "", 2)]
    assert play.loop.time() == pytest.approx(1 + 60 + 1 + 1, abs=0.01)


def test_a_session_has_one_driver_and_says_who_it_is(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    crash(play, 0.5)
    with pytest.raises(PetriError) as caught:
        play.run(alive=lambda process: True)
    assert caught.value.code == "PETRI_SESSION_BUSY"
    assert "process 4711 on host" in caught.value.message
    with pytest.raises(PetriError) as caught:
        play.run(alive=lambda process: None)
    assert caught.value.code == "PETRI_SESSION_BUSY"


def test_a_completed_session_does_not_go_on(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    play.run()
    with pytest.raises(PetriError) as caught:
        play.run()
    assert caught.value.code == "PETRI_SESSION_ENDED"


def test_what_has_ended_before_the_second_interrupt_counts(open_play: OpenPlay) -> None:
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


def elsewhere(open_play: OpenPlay, *, after: float) -> Play:
    """A session whose driver, on a host that cannot be seen from here, stopped ``after`` so many seconds."""
    play = open_play(task("a", lease="30s", maxAttempts=2))
    play.options = replace(play.options, alive=lambda process: None)
    play.fake.seconds = lambda job: 10.0
    crash(play, after)
    return play


def test_a_driver_that_cannot_be_seen_is_dead_when_its_leases_have_ended_for_long(open_play: OpenPlay) -> None:
    play = elsewhere(open_play, after=1)
    for wait, dead in ((28.0, False), (20.0, False), (12.1, True)):
        run_virtually(asyncio.sleep(wait), play.loop)
        if dead:
            assert play.run().state == "completed"
            continue
        with pytest.raises(PetriError, match=r"PETRI_SESSION_BUSY .*if it does not: petri run --take-over") as caught:
            play.run()
        assert "can only be seen on host" in caught.value.hint
    assert any("on host has let its leases end; its work is taken over" in n for n in noted(play))


def test_a_driver_that_cannot_be_seen_is_dead_when_somebody_says_so(open_play: OpenPlay) -> None:
    play = elsewhere(open_play, after=1)
    assert play.run(take_over=True).state == "completed"
    assert any("on host was said to be dead" in n for n in noted(play))


def test_nobodys_word_takes_over_from_a_driver_that_is_seen_to_live(open_play: OpenPlay) -> None:
    play = elsewhere(open_play, after=1)
    with pytest.raises(PetriError, match="PETRI_SESSION_BUSY"):
        play.run(take_over=True, alive=lambda process: True)


def noted(play: Play) -> list[str]:
    return [e.message for e in play.events if isinstance(e, Noted)]
