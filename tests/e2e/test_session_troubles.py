"""What users of other tools met while their work ran, and what happens here, with real processes.

Tests are named after the trouble. Those of reading a plan are in ``test_troubles.py``, those of the store itself in
``test_session_processes.py``.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from petri_cli.driver import external
from petri_cli.errors import PetriError
from petri_cli.session.events import (
    Claimed,
    DriverEnded,
    Lapsed,
    Noted,
    Refused,
    Reported,
    ReportRefused,
    SessionEvent,
    Verified,
    WorkStarted,
)
from petri_cli.session.sqlite import SqliteEventStore
from tests.e2e.session_world import Fault, World, fork, kill, task, wait

SIGKILL = -9
FOREVER = "sleep 1000"


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Callable[..., World]]:
    worlds: list[World] = []

    def make(flow: Any, resources: list[dict[str, Any]] | None = None, **settings: Any) -> World:
        worlds.append(World(tmp_path, {"resources": resources or [], "flow": flow, **settings}))
        return worlds[-1]

    yield make
    for made in worlds:
        made.check()


def until(true: Callable[[], object], patience: float = 20.0) -> None:
    """Wait for something that is bound to happen."""
    end = time.monotonic() + patience
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def seen(world: World, kind: type[SessionEvent], n: int = 1) -> Callable[[], bool]:
    return lambda: sum(isinstance(e, kind) for e in world.events) >= n


def visit(world: World, call: Callable[..., Any], *args: Any, **settings: Any) -> Any:
    store = world.store()
    try:
        found = call(store, world.session, *args, **settings)
        return asyncio.run(found) if asyncio.iscoroutine(found) else found
    finally:
        store.close()


def guarded(body: Any) -> dict[str, Any]:
    return {"guard": {"resource": "slots", "body": body}}


SLOT = [{"id": "slots", "capacity": 1}]


@pytest.mark.parametrize("end", ["cancelled", "killed and cancelled", "killed and gone on with"])
def test_a_cancelled_or_killed_run_keeps_no_slot(world: Callable[..., World], end: str) -> None:
    play = world(guarded(task("long", run=FOREVER, maxAttempts=2)), SLOT)
    driver = play.fork()
    until(seen(play, WorkStarted))
    state = play.state
    assert (state.free("slots"), state.held("slots")) == (0, 1)
    if end == "cancelled":
        visit(play, external.cancel)
        assert wait(driver) == 3
    else:
        kill(driver)
        if end == "killed and gone on with":  # its work is tried again, and the slot is its own until it is done
            driver = play.fork()
            until(seen(play, WorkStarted, 2))
            assert (play.state.free("slots"), play.state.held("slots")) == (0, 1)
            (holding,) = play.state.holdings.values()
            assert holding.transition == "t.guard.g1.acquire"
            visit(play, external.cancel)
            assert wait(driver) == 3
        else:
            visit(play, external.cancel)
    assert (play.state.free("slots"), play.state.held("slots")) == (1, 0)
    assert play.state.ended == "cancelled"


def test_a_long_task_outlives_its_visibility_time_out_and_two_report(world: Callable[..., World]) -> None:
    play = world({"task": {"id": "long", "lease": "500ms", "maxAttempts": 2, "verify": {"command": "true"}}})
    driver = play.fork()
    until(lambda: play.state.driver)
    first = visit(play, external.claim, "slow")
    for _ in range(6):  # a heartbeat renews
        time.sleep(0.2)
        visit(play, external.heartbeat, first.claim)
    assert not seen(play, Lapsed)()
    until(seen(play, Lapsed))
    second = visit(play, external.claim, "quick")
    assert (second.claim, second.attempt) == ("c2", 2)
    with pytest.raises(PetriError) as caught:
        visit(play, external.report, first.claim, output="late")
    assert caught.value.code == "PETRI_CLAIM_ENDED"
    assert "stop" in caught.value.hint
    visit(play, external.report, second.claim, output="in time")
    assert wait(driver) == 0
    assert play.state.results == {"long": {"": "in time"}}
    assert [e.output for e in play.events if isinstance(e, ReportRefused)] == ["late"]


def test_two_runners_on_one_workflow(world: Callable[..., World], capfd: pytest.CaptureFixture[str]) -> None:
    play = world({"seq": [task("a", 1.0), task("b")]})
    first = play.fork()
    until(seen(play, WorkStarted))
    assert play.run() == 4
    said = capfd.readouterr().err
    assert f"PETRI_SESSION_BUSY the session {play.session} is driven by process {first}" in said
    assert wait(first) == 0


def test_runners_racing_for_one_workflow(world: Callable[..., World]) -> None:
    play = world({"seq": [task("a", 0.3), task("b")]})
    ended = sorted(wait(pid) for pid in [play.fork() for _ in range(4)])
    assert ended == [0, 4, 4, 4]
    assert [e.task for e in play.events if isinstance(e, Claimed)] == ["a", "b"]


def test_finished_work_reruns_when_its_worker_died(world: Callable[..., World]) -> None:
    """Eight workers ask for six pieces of work at once: the claim is made in the store, each piece goes to one."""
    work = {"task": {"id": "t", "verify": {"command": "true"}}}
    play = world({"foreach": {"id": "f", "over": list(range(6)), "body": work}})

    def ask() -> int:
        store = SqliteEventStore(play.database)
        taken = external.claim(store, play.session, f"w{os.getpid()}")
        store.close()
        return 10 if taken is None else 0

    assert sorted(wait(pid) for pid in [fork(ask) for _ in range(8)]) == [0] * 6 + [10] * 2
    assert sorted(e.thread for e in play.events if isinstance(e, Claimed)) == list("123456")


GRANDCHILDREN = "sh -c 'trap \"\" TERM; sleep 1000 & sleep 1000; wait' & trap '' TERM; touch started; wait"


@pytest.mark.parametrize("end", ["time-out", "cancel", "interrupt", "driver death"])
def test_children_of_a_killed_task_run_on(world: Callable[..., World], end: str) -> None:
    play = world(task("t", run=GRANDCHILDREN, maxAttempts=1, timeout="1s" if end == "time-out" else "1h"))
    driver = play.fork()
    until((play.folder / "started").exists)
    until(lambda: len(play.processes(0)) >= 4)
    match end:
        case "time-out":
            assert wait(driver) == 1
        case "cancel":
            visit(play, external.cancel)
            assert wait(driver) == 3
        case "interrupt":
            os.kill(driver, signal.SIGINT)
            time.sleep(0.1)
            os.kill(driver, signal.SIGINT)
            assert wait(driver) == 130
        case _:
            kill(driver)
    assert play.processes() == []


@pytest.mark.parametrize("guarded", [True, False])
def test_children_of_a_dead_driver_are_ended_before_the_next_attempt(
    world: Callable[..., World], guarded: bool
) -> None:
    """By the guardian at once; where that was killed, too, by the next driver."""
    alone = "touch alive.$PETRI_CLAIM; test $(ls alive.* | wc -l) = 2 || sleep 1000"
    play = world(task("t", run=alone, maxAttempts=2, verify="exit-code"))
    driver = play.fork()
    until((play.folder / "alive.c1").exists)
    if not guarded:
        os.kill(guardian_of(driver), signal.SIGKILL)
    kill(driver)
    if not guarded:
        assert play.processes(0.3) != []
    assert play.run() == 0
    (first, second) = [e for e in play.events if isinstance(e, WorkStarted)]
    assert first.process.group != second.process.group
    assert [e.why for e in play.events if isinstance(e, DriverEnded)] == ["died", "ended"]


def guardian_of(driver: int) -> int:
    children = Path(f"/proc/{driver}/task/{driver}/children").read_text().split()
    (found,) = [int(c) for c in children if b"guardian.py" in Path(f"/proc/{c}/cmdline").read_bytes()]
    return found


def test_ctrl_c_once_drains(world: Callable[..., World]) -> None:
    play = world({"seq": [task("a", 0.5), task("b")]})
    driver = play.fork()
    until(seen(play, WorkStarted))
    os.kill(driver, signal.SIGINT)
    assert wait(driver) == 130
    assert play.state.ended == "suspended"
    assert [line.partition("/")[0] for line in play.effects()] == ["a"]
    assert [e.why for e in play.events if isinstance(e, DriverEnded)] == ["drained"]
    assert play.run() == 0


@pytest.mark.parametrize("signals", [[signal.SIGINT] * 2, [signal.SIGTERM], [signal.SIGHUP], [signal.SIGQUIT]])
def test_ctrl_c_twice_closes_as_a_signal_to_end_does(
    world: Callable[..., World], signals: list[signal.Signals]
) -> None:
    play = world({"seq": [task("a", run=FOREVER, maxAttempts=1)]})
    before = signal.signal(signals[-1], signal.default_int_handler)  # also where the tests run deaf to it
    driver = play.fork()
    signal.signal(signals[-1], before)
    until(seen(play, WorkStarted))
    for number in signals:
        os.kill(driver, number)
        time.sleep(0.1)
    assert wait(driver) == 128 + signals[-1]
    assert play.state.ended == "suspended"
    assert play.state.attempts == {}, "what was ended by hand burns no attempt"
    assert [e.why for e in play.events if isinstance(e, DriverEnded)] == ["closed"]


def test_a_run_that_was_started_deaf_to_a_hangup_stays_so(world: Callable[..., World]) -> None:
    play = world({"seq": [task("a", run=FOREVER, maxAttempts=1)]})
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    driver = play.fork()
    signal.signal(signal.SIGHUP, before)
    until(seen(play, WorkStarted))
    os.kill(driver, signal.SIGHUP)
    time.sleep(0.1)
    assert play.state.ended is None
    os.kill(driver, signal.SIGTERM)
    assert wait(driver) == 128 + signal.SIGTERM


def test_database_is_locked(world: Callable[..., World]) -> None:
    """A driver works while three others write all the time: nobody meets an error, and nothing is lost."""
    item = {"task": {"id": "pull", "maxAttempts": 1000, "verify": {"command": "true"}}}
    each = {"foreach": {"id": "f", "over": list(range(30)), "body": item}}
    play = world({"parallel": [each, {"seq": [task("a", 0.3), task("b", 0.3)]}]})
    driver = play.fork()
    until(lambda: play.state.driver)

    def worker() -> int:
        store = SqliteEventStore(play.database)
        while True:
            try:
                taken = external.claim(store, play.session, f"w{os.getpid()}")
                if taken is None:
                    return 0
                for _ in range(3):
                    external.heartbeat(store, play.session, taken.claim)
                external.report(store, play.session, taken.claim, output="done")
            except PetriError as error:
                return 0 if error.code == "PETRI_SESSION_ENDED" else 1

    assert [wait(pid) for pid in [fork(worker) for _ in range(3)]] == [0, 0, 0]
    assert wait(driver) == 0
    assert len([e for e in play.events if isinstance(e, Verified)]) == 32


def test_a_stale_lock_needs_no_manual_unlock(world: Callable[..., World]) -> None:
    play = world(task("a", 0.1))
    assert play.run(Fault("during work")) == SIGKILL
    held = play.state.driver
    assert held is not None
    assert play.run() == 0
    said = [e.message for e in play.events if isinstance(e, Noted)]
    assert said == [f"driver {held.id} (process {held.process.pid}) died; its work is taken over"]


def test_reading_the_log_needs_no_write_lock(world: Callable[..., World]) -> None:
    play = world(task("a"))
    store = play.store()
    with store.writing(play.session):
        began = time.monotonic()
        assert play.state.revision == 1
        assert time.monotonic() - began < 5
    store.close()
    assert play.run() == 0


def test_the_plan_is_edited_under_a_running_run(world: Callable[..., World]) -> None:
    """What runs is what was committed, whatever becomes of the file."""
    file = Path("plan.json")
    play = world({"seq": [task("a", 0.3), task("b")]})
    (play.folder / file).write_text("{}")
    driver = play.fork()
    until(seen(play, WorkStarted))
    (play.folder / file).write_text("not even a plan")
    assert wait(driver) == 0


def test_secrets_in_the_log(world: Callable[..., World], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("API_TOKEN", "hunter2hunter2")
    says = 'echo "token $API_TOKEN"; echo "err $API_TOKEN" >&2'
    play = world({"task": {"id": "a", "run": says}}, secrets=["API_TOKEN"])
    assert play.run() == 0
    kept = [p for p in play.folder.rglob("*") if p.is_file()]
    assert len(kept) > 3
    for file in kept:
        assert b"hunter2hunter2" not in file.read_bytes(), file
    assert play.state.results == {"a": {"": "token ***"}}


def test_an_agent_claims_success_with_nothing_done(world: Callable[..., World]) -> None:
    """A report moves nothing; the lie and its refusal are kept; once the budget is used up, the run is deadlocked."""
    play = world({"seq": [task("lie", run="echo done", maxAttempts=2), task("after")]})
    assert play.run() == 1
    assert [e.output for e in play.events if isinstance(e, Reported)] == ["done", "done"]
    assert len([e for e in play.events if isinstance(e, Refused)]) == 2
    assert play.state.ended == "deadlocked"
    assert play.state.missing[0].startswith("task lie has had all its 2 attempts")
    assert play.effects() == []


def test_an_attempt_counter_is_reset_by_a_restart(world: Callable[..., World]) -> None:
    play = world(task("t", 0.3, maxAttempts=3))
    ended = [play.run(Fault("during work")) for _ in range(10)]
    assert ended[:3] == [SIGKILL] * 3
    assert set(ended[3:]) == {1}
    assert len([e for e in play.events if isinstance(e, Claimed)]) == 3


def test_a_stuck_run_is_stored_as_completed(world: Callable[..., World]) -> None:
    def nest(outer: str, first: str, inner: str, second: str) -> dict[str, Any]:
        within = {"guard": {"resource": inner, "body": task(second)}}
        return {"guard": {"resource": outer, "body": {"seq": [task(first, 0.2), within]}}}

    crossed = [nest("x", "a", "y", "b"), nest("y", "c", "x", "d")]
    play = world({"parallel": crossed}, [{"id": "x", "capacity": 1}, {"id": "y", "capacity": 1}])
    assert play.run() == 1
    assert play.state.ended == "deadlocked"
    assert len(play.state.missing) == 2


def test_two_unequal_branches_meet_once(world: Callable[..., World]) -> None:
    play = world({"seq": [{"parallel": [task("short"), {"seq": [task("l1"), task("l2")]}]}, task("after")]})
    assert play.run() == 0
    assert [line.partition("/")[0] for line in play.effects()].count("after") == 1


@pytest.mark.parametrize("room", [0, 10_000, 20_000, 40_000, 80_000])
def test_the_disk_is_full(world: Callable[..., World], room: int, capfd: pytest.CaptureFixture[str]) -> None:
    """The driver says so and ends what it runs; once there is room again, it goes on where the log ends."""
    play = world({"foreach": {"id": "f", "over": list(range(30)), "body": task("t", 0.05)}})
    assert play.run_on_full_disk(room) == 6
    assert "PETRI_STORE_" in capfd.readouterr().err
    assert play.processes() == []
    assert play.run() == 0
    assert play.state.ended == "completed"
