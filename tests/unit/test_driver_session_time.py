"""Time in a session: signs of life, clocks that jump."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from petri_cli.driver.watch import SteadyWatch
from petri_cli.session.events import (
    Heartbeat,
    Lapsed,
    Noted,
)
from petri_cli.session.memory import MemoryEventStore
from tests.sessions import BASE, OpenPlay, Play, polling, task


def test_local_claims_get_heartbeats_and_do_not_lapse(open_play: OpenPlay) -> None:
    play = open_play(task("a", lease="30s"))
    play.fake.seconds = lambda job: 100.0
    assert play.run().state == "completed"
    beats = [e.at - BASE for e in play.events if isinstance(e, Heartbeat)]
    assert [round(b / 1e6) for b in beats] == [10, 20, 30, 40, 50, 60, 70, 80, 90]


@pytest.mark.parametrize("jump", [3600, -3600])
def test_a_clock_that_jumps_is_noted_and_neither_ends_leases_nor_keeps_them(open_play: OpenPlay, jump: int) -> None:
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


def test_a_time_runs_on_the_steady_clock_from_when_it_was_first_asked_for() -> None:
    steady = 100
    watch = SteadyWatch(lambda: steady)
    assert watch.remaining("a", 5_000, None, 4_000) == 1_000
    assert watch.remaining("b", 5_000, 300, 4_000) == 300, "no longer than the limit, whatever the clocks say"
    assert watch.remaining("c", 5_000, None, 6_000) == 0
    watch.turn()
    steady = 500
    assert watch.remaining("a", 5_000, None, 4_900) == 600, "the store's clock has been moved since"
    assert watch.remaining("b", 5_000, 300, 4_000) == 0
    assert watch.soonest() == 600
    assert watch.remaining("a", 5_300, None, 5_000) == 300, "another time is another question"
    watch.turn()
    assert watch.soonest() is None
    assert watch.remaining("b", 5_000, 300, 4_000) == 0
    watch.turn()
    watch.turn()
    assert watch.remaining("b", 5_000, 300, 4_000) == 300, "what nobody asks for is forgotten"


def test_what_others_write_in_another_session_wakes_nobody(
    open_play: OpenPlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    play = open_play(task("a"))
    play.fake.seconds = lambda job: 30.0
    steps: list[float] = []
    writing = type(play.store).writing

    def counted(store: MemoryEventStore, session: str) -> Any:
        steps.append(play.loop.time())
        return writing(store, session)

    monkeypatch.setattr(type(play.store), "writing", counted)
    for at in range(1, 15):
        play.loop.call_later(at, play.store.create, "other")
    assert play.run(poll=0.1).state == "completed"
    assert [at for at in steps if 0.5 < at < 15] == []


def test_what_comes_due_while_a_step_is_committed_is_not_slept_through() -> None:
    clock = [0]
    watch = SteadyWatch(lambda: clock[0])
    assert watch.remaining("soon", 1_000, None, 0) == 1_000
    assert watch.remaining("later", 5_000, None, 0) == 5_000
    clock[0] = 1_200
    assert watch.soonest() == 0, "nobody has acted on it"
    watch.turn()
    assert watch.remaining("soon", 1_000, None, 1_200) == 0
    assert watch.remaining("later", 5_000, None, 1_200) == 3_800
    assert watch.soonest() == 3_800, "what was over when it was asked for has been acted on"


def test_a_delay_that_ends_during_a_commit_ends(open_play: OpenPlay, monkeypatch: pytest.MonkeyPatch) -> None:
    flow, says = polling(3, delay="20ms")
    play = open_play(flow)
    play.fake.says = says
    driver = play.driver()
    real = driver.store.writing

    @contextmanager
    def slow(session: str) -> Iterator[Any]:
        with real(session) as w:
            yield w
        play.loop.elapsed += 0.03

    monkeypatch.setattr(driver.store, "writing", slow)
    assert play.run(driver).state == "completed"
    assert len(play.fake.done) == 3


def test_a_driver_says_that_the_time_of_its_log_is_ahead(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), task("b")]})
    play.skew = 3_600_000_000
    play.fake.verdict = lambda job, report: job.node.id != "b"
    assert play.run().state == "deadlocked"
    assert notes(play) == []
    play.skew = 0
    play.run()
    [said] = notes(play)
    assert said.startswith(("the time of this log is 59m", "the time of this log is 1h ahead"))
    assert "petri run FILE" in said


def notes(play: Play) -> list[str]:
    return [e.message for e in play.events if isinstance(e, Noted)]
