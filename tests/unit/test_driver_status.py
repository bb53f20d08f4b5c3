"""Where a session stands: how much is to come, who is inside of whose block."""

from __future__ import annotations

from typing import Any

from petri_cli.driver.process import Ended
from petri_cli.driver.status import Status, status_of
from tests.sessions import OpenPlay, Play, crash, task

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
