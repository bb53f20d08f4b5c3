"""Where a session stands: how much is to come, who is inside of whose block."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from petri_cli.cli.store import Chosen
from petri_cli.cli.streams import Output, page_on
from petri_cli.cli.watching import Looking
from petri_cli.driver import external
from petri_cli.driver.process import Ended
from petri_cli.driver.status import Status, status_of
from petri_cli.render.look import KEEP, Line, Look, columns
from petri_cli.render.session_waits import waits
from petri_cli.render.status import draw_at_work, draw_status
from tests.sessions import OpenPlay, Play, crash, task
from tests.virtual_time import run_virtually

A, B = {"id": "a", "capacity": 3}, {"id": "b", "capacity": 4}


def each(fid: str, over: Any, body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"foreach": {"id": fid, "over": over, "body": body, **more}}


def guard(gid: str, resource: Any, body: dict[str, Any]) -> dict[str, Any]:
    return {"guard": {"id": gid, "resource": resource, "body": body}}


def status(play: Play) -> Status:
    state = play.state
    return status_of(play.session, state, now=state.at)


def to_do(status: Status) -> dict[str, tuple[int, bool]]:
    return {row.task: (row.total, row.exact) for row in status.tasks}


def test_what_is_not_discovered_counts_for_one_and_what_is_listed_for_all(open_play: OpenPlay) -> None:
    inner = each("inner", [1, 2], task("y"))
    flow = {"seq": [task("s"), each("outer", "what there is", {"seq": [task("x"), inner]}, run="true")]}
    play = open_play(flow)
    assert to_do(status(play)) == {
        "s": (1, True), "foreach.outer": (1, True), "x": (1, False), "y": (2, False)
    }  # fmt: skip
    play.fake.says = lambda job: Ended(0, output=["p", "q", "r"])
    play.fake.verdict = lambda job, report: job.node.id != "y"
    play.run(keep_going=True)
    assert to_do(status(play)) == {
        "s": (1, True), "foreach.outer": (1, True), "x": (3, True), "y": (6, True)
    }  # fmt: skip


def test_the_other_branch_of_a_choice_is_not_to_do_but_in_a_loop_it_may_be(open_play: OpenPlay) -> None:
    choice = {"choice": {"id": "c", "branches": [{"when": "true", "body": task("l")}, {"body": task("r")}]}}
    play = open_play({"seq": [choice, task("after", worker="somebody", verify="human")]})
    assert to_do(status(play)) == {"l": (1, False), "r": (1, False), "after": (1, True)}
    play.run(wait=False)
    assert to_do(status(play)) == {"l": (1, True), "r": (0, True), "after": (1, True)}
    again = open_play({"seq": [{"loop": {"id": "go", "body": choice}}, task("after", worker="x", verify="human")]})
    again.run(wait=False)
    assert to_do(status(again)) == {"l": (1, True), "r": (1, True), "after": (1, True)}


def test_work_is_inside_of_every_block_around_it_in_the_items_of_that_block(open_play: OpenPlay) -> None:
    inner = each("in", [1, 2], guard("g", "b", task("work")))
    play = open_play(guard("outer", "a", each("out", [1, 2], guard("mid", "a", inner))), [A, B])
    play.fake.seconds = lambda job: 100.0
    crash(play, 5.0)
    rows = {r.id: {h.guard: h.inside for h in r.holders} for r in status(play).resources}
    every = ("work[1][1]", "work[1][2]", "work[2][1]", "work[2][2]")
    assert {gid: sorted(work) for gid, work in rows["a"].items()} == {
        "outer": list(every), "mid[1]": list(every[:2]), "mid[2]": list(every[2:])
    }  # fmt: skip
    assert sorted(rows["b"].items()) == [(f"g{w[4:]}", (w,)) for w in every]


def test_what_a_session_rests_for_is_what_there_is_to_do_now(open_play: OpenPlay) -> None:
    by_hand = {"worker": "somebody", "verify": "human"}
    play = open_play({"parallel": [task("a", **by_hand), task("b", **by_hand)]})
    play.run(wait=False)
    assert (status(play).phase, status(play).why) == ("suspended", "2 to be claimed by workers")
    claim = external.claim(play.store, play.session, "w")
    assert claim is not None
    assert status(play).why == "1 claimed by workers; 1 to be claimed by workers"
    external.report(play.store, play.session, claim.claim, output=1)
    assert status(play).why == "1 reported and waiting for a verdict; 1 to be claimed by workers"


def test_work_that_is_out_of_attempts_is_not_enabled(open_play: OpenPlay) -> None:
    play = open_play({"parallel": [task("a"), task("b", worker="somebody", verify="human")]})
    play.fake.verdict = lambda job, report: False
    assert play.run().state == "deadlocked"
    assert play.state.marking.keys() >= {"p.par.1.1.todo", "p.par.1.2.todo"}
    assert status(play).enabled == ("t.b",)


def test_nothing_is_ready_or_enabled_in_a_session_that_was_cancelled(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    assert (status(play).tasks[0].ready, status(play).enabled) == (1, ("t.a",))
    run_virtually(external.cancel(play.store, play.session), play.loop)
    shown = status(play)
    assert (shown.tasks[0].ready, shown.tasks[0].done, shown.enabled, shown.work) == (0, 0, (), ())


def test_a_session_that_ended_after_its_driver_died_does_not_say_that_it_goes_on(open_play: OpenPlay) -> None:
    play = open_play(task("a"))
    crash(play, 0.5)
    state = play.state
    dead = status_of(play.session, state, now=state.at, alive=False)
    assert "has died: petri run goes on" in text_of(dead)
    state.ended = "deadlocked"
    ended = status_of(play.session, state, now=state.at, alive=False)
    assert "has died" not in text_of(ended)


def text_of(shown: Status) -> str:
    return "\n".join(map(plain, draw_status(shown, Look())))


def test_work_that_waits_for_its_time_says_when_it_goes_on(open_play: OpenPlay) -> None:
    play = open_play(task("a", timing={"delayed": "90s"}))
    driver = play.driver()
    seen: list[tuple[Status, str]] = []

    def look() -> None:
        now = play.clock()
        s = status_of(play.session, play.state, now=now, alive=True)
        seen.append((s, "\n".join(plain(line) for line in draw_status(s, Look()))))

    play.loop.call_later(30, look)
    assert play.run(driver).state == "completed"
    [(found, text)] = seen
    assert (found.tasks[0].ready, found.tasks[0].later, found.tasks[0].resting) == (0, 1, 0)
    assert found.work[0].due_in == 60_000_000
    assert "goes on in 1m" in text
    assert "a  before its time" in text


def test_the_time_of_a_log_that_is_ahead_of_the_clock_is_told_with_a_way_out(open_play: OpenPlay) -> None:
    play = open_play(task("a", worker="somebody", verify="human"))
    play.run(wait=False)
    state = play.state
    ahead = status_of(play.session, state, now=state.at - 7_200_000_000)
    assert (ahead.now, ahead.ahead) == (state.at, 7_200_000_000)
    text = " ".join(plain(line).strip() for line in draw_status(ahead, Look()))
    assert "the time of this log is 2h ahead of this machine's clock" in text
    assert "go on in a new session (petri run FILE)" in text
    assert "ahead" not in " ".join(map(plain, draw_status(status(play), Look())))


def plain(line: Sequence[tuple[str, str]]) -> str:
    return "".join(text for _, text in line).replace(KEEP, " ")


LONG = "build_the_package_with_a_rather_long_name"


def at_work(open_play: OpenPlay, after: float, flow: Any, resources: list[dict[str, Any]] | None = None) -> Status:
    """The status of a running session after so many seconds."""
    play = open_play(flow, resources)
    seen: list[Status] = []

    def look() -> None:
        seen.append(status_of(play.session, play.state, now=play.clock(), alive=True))

    play.loop.call_later(after, look)
    play.run()
    return seen[0]


@pytest.mark.parametrize("width", [70, 80, 120])
def test_what_is_drawn_fits_the_terminal_and_says_which_item_it_is_about(open_play: OpenPlay, width: int) -> None:
    s = at_work(open_play, 0.5, each("f", [1, 2, 3], guard("g", "a", task(LONG))), [A, B])
    look = Look(width=width, prose=width)
    history: list[Line] = [[("dim", "14:03:07.250  "), ("", f"{LONG}[2] is done"), ("dim", " (1.537s, exit-code)")]] * 2
    page = draw_status(s, look, history=history)
    live = draw_at_work(s, look)
    for line in (*page, *live):
        assert columns(plain(line).rstrip()) <= width, plain(line)
    for drawn in (page, live):
        text = "\n".join(map(plain, drawn))
        assert all(re.search(rf"c{n}    build_the_.*\[{n}\]  ", text) for n in (1, 2, 3)), text
    assert "a 0/3 free, b 4/4 free" in plain(live[-1])


def test_units_that_nobody_wants_are_nothing_to_go_on_with(open_play: OpenPlay) -> None:
    quota = [{"id": "q", "capacity": 1, "per": "60s"}]
    body = guard("g", "q", task("a"))
    wanted = at_work(open_play, 30, each("f", [1, 2], body), quota)
    assert any("goes on in 30s" in line for line in waits(wanted))
    others = {"seq": [body, task("b", worker="somebody", verify="human")]}
    play = open_play(others, quota)
    play.run(wait=False)
    unwanted = status_of(play.session, play.state, now=play.state.at + 1, alive=True)
    assert unwanted.state.timers and not any("goes on" in line for line in waits(unwanted))


def test_a_small_screen_shows_the_latest_steps(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task(f"t{n}") for n in range(30)]})
    play.run()
    with Output("/dev/null") as out:
        looking = Looking(Chosen(play.store, play.session), page_on(out, "never", verbosity=0))
        for rows in (60, 30, 12, 8):
            text = [plain(line) for line in looking.drawn(looking.status(), rows)]
            assert len(text) <= rows
            assert text[0].startswith("✓ completed")
            assert text[-1].endswith("completed"), text[-1]
            assert "t29 is done" in text[-2]
