"""A driver that is killed at every point of a task's life, and at random ones: never lost, never counted twice."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path

import pytest

from petri_cli.session.events import Claimed, Revoked, Verified
from tests.e2e.session_world import POINTS, Fault, World, kill, task

SIGKILL = -9


@pytest.mark.parametrize("point", POINTS)
@pytest.mark.parametrize("nth", [1, 2])
def test_kill_at(tmp_path: Path, point: str, nth: int) -> None:
    flow = {"seq": [task("a", 0.15), task("b", 0.15), task("c")]}
    world = World(tmp_path, {"flow": flow})
    assert world.run(Fault(point, nth)) == SIGKILL
    assert world.run() == 0
    world.check()
    assert world.state.ended == "completed"
    claims = [e.task for e in world.events if isinstance(e, Claimed)]
    struck = ("a", "b")[nth - 1]
    again = point in ("after claim", "during work", "after work")
    assert claims.count(struck) == (2 if again else 1), "a report in the log is verified, not run again"
    assert len([e for e in world.events if isinstance(e, Verified)]) == 3


@pytest.mark.slow
def test_chaos(tmp_path: Path) -> None:
    """The driver is killed 200 times and more, at random moments, over sessions with everything in them."""
    rng = random.Random(5)  # noqa: S311
    killed = sessions = 0
    while killed < 200 or sessions < 3:
        folder = tmp_path / str(sessions)
        folder.mkdir()
        world = World(folder, everything())
        sessions += 1
        while not world.state.final:
            driver = world.fork()
            end = time.monotonic() + rng.uniform(0.01, 0.3)
            status = wait_until(driver, end)
            if status is not None:
                assert status == 0
                continue
            kill(driver)
            killed += 1
        world.check()
        assert world.state.ended == "completed"
    assert killed >= 200


def everything() -> dict[str, object]:
    guarded = {"guard": {"resource": "slots", "body": task("each", 0.05)}}
    each = {"foreach": {"id": "f", "over": [1, 2, 3], "body": guarded}}
    polls = {"loop": {"id": "l", "until": "${loop.round} >= 3", "delay": "20ms", "body": task("poll")}}
    discovery = {"over": "what there is", "run": "echo '[1, 2]'", "maxAttempts": 1000}
    found = {"foreach": {"id": "g", **discovery, "body": task("b")}}
    flow = {"seq": [task("a", 0.02), {"parallel": [each, polls]}, found, task("z")]}
    return {"resources": [{"id": "slots", "capacity": 2}], "flow": flow}


def wait_until(pid: int, end: float) -> int | None:
    """The exit status of a child that has ended by then."""
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.002)
    return None


def test_a_claim_whose_work_never_began_burns_no_attempt(tmp_path: Path) -> None:
    world = World(tmp_path, {"flow": task("a", 0.05, maxAttempts=1)})
    assert world.run(Fault("after claim", 1)) == SIGKILL
    assert world.run() == 0
    world.check()
    assert world.state.ended == "completed"
    assert [e.attempt for e in world.events if isinstance(e, Claimed)] == [1, 1]
    assert [e.reason for e in world.events if isinstance(e, Revoked)] == ["its driver died before it began"]
