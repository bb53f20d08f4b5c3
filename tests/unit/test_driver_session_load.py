"""A machine with little room: ceilings, and programs that cannot be started now."""

from __future__ import annotations

import asyncio
import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from petri_cli.driver import external
from petri_cli.driver.commands import Command, Job
from petri_cli.driver.crew import Start
from petri_cli.driver.process import Ended, NoRoom, Programs
from petri_cli.driver.verify import LATER, Report, Verdict
from petri_cli.errors import PetriError
from petri_cli.session.events import Noted
from tests.sessions import OpenPlay, Play, task
from tests.virtual_time import run_virtually

CHECKED = {"verify": {"command": "make check"}}


class Judges:
    """Verifiers that take a second; peak: how many were at it at once, with the work."""

    def __init__(self, play: Play) -> None:
        self.play = play
        self.now = self.peak = 0

    async def judge(self, job: Job, report: Report) -> Verdict:
        self.now += 1
        self.peak = max(self.peak, self.now + len(self.play.fake.running))
        await asyncio.sleep(1.0)
        self.now -= 1
        return Verdict(True, "fake")


def test_verifiers_keep_to_the_ceiling(open_play: OpenPlay) -> None:
    play = open_play({"foreach": {"id": "f", "over": list(range(9)), "body": {"task": {"id": "w", **CHECKED}}}})
    for _ in range(9):
        taken = external.claim(play.store, play.session, "w")
        assert taken is not None
        external.report(play.store, play.session, taken.claim)
    judges = Judges(play)
    play.fake.judge = judges.judge  # type: ignore[method-assign]
    assert play.run(max_concurrency=2).state == "completed"
    assert judges.peak == 2
    assert play.loop.time() == 5


def test_what_was_done_is_judged_before_more_is_begun(open_play: OpenPlay) -> None:
    play = open_play({"foreach": {"id": "f", "over": list(range(6)), "body": task("w", **CHECKED)}})
    judges = Judges(play)
    play.fake.judge = judges.judge  # type: ignore[method-assign]
    assert play.run(max_concurrency=2).state == "completed"
    assert judges.peak <= 2
    kinds = [type(e).__name__ for e in play.events if type(e).__name__ in ("Claimed", "Verified")]
    assert kinds == ["Claimed", "Claimed", "Verified", "Verified"] * 3


class Small:
    """A machine with room for so many programs; asked: how often one was to be started."""

    def __init__(self, play: Play, room: int) -> None:
        self.room, self.asked, self.there = room, 0, 0
        self.inner = play.fake.perform

    async def perform(self, job: Job, timeout: float, start: Start) -> Ended:
        self.asked += 1
        if self.there >= self.room:
            raise NoRoom("PETRI_CANNOT_START", "`sh` cannot be started: too many open files")
        self.there += 1
        try:
            return await self.inner(job, timeout, start)
        finally:
            self.there -= 1


def test_what_the_machine_has_no_room_for_is_begun_later_and_burns_no_attempt(open_play: OpenPlay) -> None:
    play = open_play({"foreach": {"id": "f", "over": list(range(12)), "body": task("w")}})
    small = Small(play, 3)
    play.fake.perform = small.perform  # type: ignore[method-assign]
    assert play.run(wait=False).state == "completed"
    assert len(play.fake.done) == 12
    assert {attempt for _, _, attempt in play.fake.done} == {1}
    assert play.fake.peak == 3
    assert small.asked < 40, "it learns how much room there is"
    assert [e.message for e in play.events if isinstance(e, Noted)] == [
        "`sh` cannot be started: too many open files: what there is no room for is begun later"
    ]


def test_where_there_is_never_room_it_is_an_attempt_that_failed(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    small = Small(play, 0)
    play.fake.perform = small.perform  # type: ignore[method-assign]
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert "too many open files" in outcome.missing[0]
    assert small.asked == 5
    assert play.loop.time() == 1 + 2 + 4 + 8 + 16


def test_ctrl_c_ends_a_wait_for_room(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    play.fake.perform = Small(play, 0).perform  # type: ignore[method-assign]
    driver = play.driver()

    async def interrupted() -> str:
        running = asyncio.create_task(driver.run())
        await asyncio.sleep(0.5)
        driver.interrupt()
        return (await running).state

    assert run_virtually(interrupted(), play.loop) == "suspended"
    assert play.loop.time() < 1
    assert not play.state.attempts


def test_a_verifier_that_there_is_no_room_for_is_asked_later(open_play: OpenPlay) -> None:
    play = open_play(task("a", **CHECKED))
    asked: list[float] = []

    async def judge(job: Job, report: Report) -> Verdict:
        asked.append(play.loop.time())
        return Verdict(None, LATER, "no more processes") if len(asked) < 3 else Verdict(True, "fake")

    play.fake.judge = judge  # type: ignore[method-assign]
    assert play.run(wait=False).state == "completed"
    assert asked == [1, 2, 4]
    assert play.fake.done == [("a", "", 1)]


def test_a_machine_without_room_is_told_from_a_program_that_cannot_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = Command(("true",))

    async def start(error: int) -> PetriError:
        async def launch(self: Programs, *args: object) -> None:
            raise OSError(error, "no")

        monkeypatch.setattr(Programs, "_launch", launch)
        programs = Programs()
        with pytest.raises(PetriError) as caught:
            await programs.start(command, folder=tmp_path)
        await programs.close()
        return caught.value

    for number in (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM):
        assert isinstance(asyncio.run(start(number)), NoRoom)
    assert not isinstance(asyncio.run(start(errno.E2BIG)), NoRoom)


def test_a_pause_that_ends_during_a_commit_ends(open_play: OpenPlay, monkeypatch: pytest.MonkeyPatch) -> None:
    play = open_play(task("a"))
    small = Small(play, 0)
    play.fake.perform = small.perform  # type: ignore[method-assign]
    driver = play.driver()
    real = driver.store.writing

    @contextmanager
    def slow(session: str) -> Iterator[Any]:
        with real(session) as w:
            yield w
        play.loop.elapsed += 40.0  # longer than any pause

    monkeypatch.setattr(driver.store, "writing", slow)
    assert play.run(driver).state == "deadlocked"
    assert small.asked == 5
