"""What goes wrong around a driver, and does not bring it down."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf
from typing import Any

import pytest

from petri_cli.driver import external, session_driver
from petri_cli.driver.commands import Job
from petri_cli.driver.process import Ended
from petri_cli.driver.replica import Replica
from petri_cli.driver.session_driver import Options, SessionDriver
from petri_cli.errors import PetriError
from petri_cli.session.events import Lapsed, Noted, Refused, Revoked, WorkStarted
from petri_cli.session.memory import MemoryEventStore
from tests.sessions import OpenPlay, task
from tests.virtual_time import VirtualLoop, run_virtually


def test_a_result_that_the_log_cannot_hold_is_refused_not_fatal(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    play.fake.says = lambda job: Ended(0, output=float("inf"))
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert "JSON" in outcome.missing[0]


def test_control_that_fails_lets_what_runs_end_and_its_results_count(open_play: OpenPlay) -> None:
    later = {"guard": {"resource": "r", "body": task("later")}}
    bad = {"seq": [task("a"), {"choice": [{"when": "${a.n} > 1", "body": task("b")}, task("c")]}]}
    play = open_play({"parallel": [bad, {"seq": [task("long"), later]}]}, [{"id": "r", "capacity": 1}])
    play.fake.seconds = lambda job: 10.0 if job.node.id == "long" else 1.0
    assert play.run().state == "failed"
    assert [t for t, _, _ in play.fake.done] == ["a", "long"]
    assert "long" in play.state.results
    assert play.state.free("r") == 1, "control stands still, too"
    assert play.run().state == "failed", "and it stays so until there is another plan"
    assert [t for t, _, _ in play.fake.done] == ["a", "long"]


def test_a_snapshot_is_taken_when_it_is_time_to(open_play: OpenPlay) -> None:
    play = open_play({"foreach": {"id": "f", "over": list(range(300)), "body": task("a")}})
    assert play.run(max_concurrency=4, check=False).state == "completed"
    assert play.store.snapshots(play.session)
    with_them = play.state
    play.store.drop_snapshots(play.session)
    assert play.state == with_them


def test_observers_hear_of_every_event_once_and_after_it_was_committed(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), task("b")]})
    heard: list[int] = []

    class Ear:
        def committed(self, entries: Any, state: Any) -> None:
            assert play.store.last(play.session) == entries[-1].seq == state.seq
            heard.extend(e.seq for e in entries)

    play.run(play.driver([Ear()]))
    assert heard == list(range(3, play.store.last(play.session) + 1))


def test_work_that_breaks_the_performer_is_an_attempt_that_failed(open_play: OpenPlay) -> None:
    def breaks(job: Job) -> Ended:
        raise RuntimeError("boom")

    play = open_play(task("a"))
    play.fake.says = breaks
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert "RuntimeError: boom" in str(play.events)


def test_a_verifier_that_breaks_is_not_a_pass(open_play: OpenPlay) -> None:
    def breaks(job: Job, report: Any) -> bool:
        raise RuntimeError("boom")

    for settings in ({}, {"verify": {"command": "make check"}}):
        play = open_play(task("a", **settings))
        play.fake.verdict = breaks
        outcome = play.run()
        assert outcome.state == "deadlocked"
        assert "RuntimeError: boom" in outcome.missing[0]


class Full(MemoryEventStore):
    """A store that is full from some commit on, for some commits or for good."""

    def __init__(self, store: MemoryEventStore, commits: int, failures: float = inf) -> None:
        self.inner, self.left, self.failures = store, commits, failures

    @contextmanager
    def writing(self, session: str) -> Iterator[Any]:
        with self.inner.writing(session) as w:
            yield w
            self.left -= 1
            if self.left < 0 < self.failures:
                self.failures -= 1
                raise PetriError("PETRI_STORE_FULL", "no space left on device")

    def __getattribute__(self, name: str) -> Any:
        if name in ("state", "snapshots", "snapshot", "changed", "last"):
            return getattr(self.inner, name)
        return super().__getattribute__(name)


@pytest.mark.parametrize("commits", range(6))
def test_a_full_disk_ends_the_driver_and_what_it_runs_and_the_log_stays_good(open_play: OpenPlay, commits: int) -> None:
    play = open_play({"seq": [task("a", maxAttempts=2), task("b", maxAttempts=2)]})
    driver = play.driver()
    driver.store = Full(play.store, commits)
    with pytest.raises(PetriError, match="no space left"):
        play.run(driver)
    assert not play.fake.running
    assert play.run().state == "completed"


@pytest.mark.parametrize("failures", [1, 4])
@pytest.mark.parametrize("commits", range(1, 7))
def test_once_there_is_room_again_nothing_was_forgotten_and_nothing_is_done_twice(
    open_play: OpenPlay, commits: int, failures: int
) -> None:
    play = open_play({"seq": [task("a"), {"parallel": [task("b"), task("c")]}]})
    heard: list[int] = []

    class Ear:
        def committed(self, entries: Any, state: Any) -> None:
            heard.extend(e.seq for e in entries)

    driver = play.driver([Ear()])
    driver.store = Full(play.store, commits, failures)
    assert play.run(driver).state == "completed"
    assert sorted(play.fake.done) == [("a", "", 1), ("b", "", 1), ("c", "", 1)]
    assert not [e for e in play.events if isinstance(e, (Lapsed, Revoked, Refused))]
    assert heard == list(range(3, play.store.last(play.session) + 1))


def test_ctrl_c_does_not_wait_for_room(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    driver = play.driver()
    driver.store = Full(play.store, 1)

    async def impatient() -> None:
        running = asyncio.create_task(driver.run())
        await asyncio.sleep(0.5)
        driver.interrupt()
        driver.interrupt()
        with pytest.raises(PetriError, match="no space left"):
            await running

    run_virtually(impatient(), play.loop)
    assert play.loop.time() < 1


def test_an_observer_that_fails_is_not_asked_again_and_the_work_goes_on(open_play: OpenPlay) -> None:
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


def test_work_that_cannot_be_started_is_an_attempt_that_failed(open_play: OpenPlay) -> None:
    play = open_play(task("a"))

    async def perform(job: Job, timeout: float, start: Any) -> Ended:
        raise PetriError("PETRI_CANNOT_START", "no more processes")

    play.fake.perform = perform
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert "no more processes" in outcome.missing[0]
    assert not [e for e in play.events if isinstance(e, WorkStarted)]


def test_a_session_without_a_plan_cannot_be_driven_but_can_be_cancelled() -> None:
    loop = VirtualLoop()
    store = MemoryEventStore()
    session = store.create("empty")

    async def nobody(*args: Any) -> Any:
        raise AssertionError

    driver = SessionDriver(store, session, nobody, nobody, Options(signals=False))
    with pytest.raises(PetriError) as caught:
        run_virtually(driver.run(), loop)
    assert caught.value.code == "PETRI_NO_PLAN"
    run_virtually(external.cancel(store, session), loop)
    assert store.state(session).ended == "cancelled"
    loop.close()


def test_a_fault_inside_the_driver_lets_go_of_the_session_and_burns_no_attempt(
    open_play: OpenPlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = open_play({"parallel": [task("a"), task("b")]})
    play.fake.seconds = lambda job: 1.0 if job.node.id == "a" else 5.0

    def broken(*args: Any) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(session_driver, "read_mail", broken)
    with pytest.raises(ZeroDivisionError):
        play.run()
    assert not play.fake.running
    assert (play.state.driver, play.state.claims, play.state.attempts) == (None, {}, {})
    monkeypatch.undo()
    assert play.run(alive=lambda process: True).state == "completed"


def test_the_self_check_sees_when_log_and_scheduler_part(open_play: OpenPlay, monkeypatch: pytest.MonkeyPatch) -> None:
    play = open_play(task("a"))
    replica = Replica(play.session, play.state, check=True)
    replica.settle(play.state.at)
    replica.state.marking.clear()
    with pytest.raises(AssertionError, match="the log says"):
        replica.settle(play.state.at)
    monkeypatch.setenv("PETRI_SELF_CHECK", "1")
    assert Options().check
    monkeypatch.setenv("PETRI_SELF_CHECK", "0")
    assert not Options().check
