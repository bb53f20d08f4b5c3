"""A machine with little room: ceilings, and programs that cannot be started now."""

from __future__ import annotations

import asyncio

from petri_cli.driver import external
from petri_cli.driver.commands import Job
from petri_cli.driver.verify import Report, Verdict
from tests.sessions import OpenPlay, Play, task

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
