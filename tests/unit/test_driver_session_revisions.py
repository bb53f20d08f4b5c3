"""Revisions under a running driver."""

from __future__ import annotations

import json
from typing import Any

import pytest

from petri_cli.driver.commit import Document, commit
from petri_cli.driver.process import Ended
from petri_cli.errors import PetriError
from petri_cli.plan.load import load_plan_text
from petri_cli.session.events import (
    Claimed,
    Revoked,
)
from petri_cli.soundness.plans import judge_plan
from tests.sessions import OpenPlay, Play, crash, task


def revise(play: Play, flow: Any, **settings: Any) -> None:
    text = json.dumps({"name": "play", "flow": flow})
    plan, _ = load_plan_text(text.encode(), "plan.json")
    commit(play.store, play.session, Document(text, "plan.json"), plan, judge_plan(plan), **settings)


def test_a_revision_under_a_running_driver_goes_on_with_what_runs(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), task("b")]}, name="play")
    play.fake.seconds = lambda job: 10.0
    play.loop.call_later(5, lambda: revise(play, {"seq": [task("a"), task("c"), task("b", maxAttempts=2)]}))
    assert play.run(poll=0.5).state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["a", "c", "b"]
    assert len([e for e in play.events if isinstance(e, Claimed)]) == 3


def test_a_revision_that_takes_work_back_ends_it(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), task("b")]}, name="play")
    play.fake.seconds = lambda job: 10.0
    play.loop.call_later(5, lambda: revise(play, {"seq": [task("x"), task("b")]}, revoke=True))
    assert play.run(poll=0.5).state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["x", "b"]
    assert [e.claim for e in play.events if isinstance(e, Revoked)] == ["c1"]
    assert play.loop.time() < 27


def test_a_revision_frees_a_session_that_failed(open_play: OpenPlay) -> None:
    play = open_play(
        {"seq": [task("a"), {"choice": [{"when": "${a.n} > 1", "body": task("b")}, task("c")]}]}, name="play"
    )
    assert play.run().state == "failed"
    revise(play, {"seq": [task("a"), task("c")]})
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["a", "c"]


def test_a_revision_goes_on_with_a_discovery_that_runs(open_play: OpenPlay) -> None:
    def each(*after: str) -> dict[str, Any]:
        find = {"foreach": {"id": "each", "over": "whatever there is", "run": "find", "body": task("work")}}
        return {"seq": [task("a"), {"loop": {"id": "again", "body": find}}, *map(task, after)]}

    play = open_play(each(), name="play")
    play.fake.seconds = lambda job: 10.0
    play.fake.says = lambda job: Ended(0, output=["x", "y"])
    play.loop.call_later(15, lambda: revise(play, each("c")))
    assert play.run(poll=0.5).state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["a", "each", "work", "work", "c"]


def test_work_whose_one_attempt_died_with_its_driver_says_how_to_go_on_and_goes_on_so(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), task("b")]}, name="play")
    crash(play, 0.5)
    outcome = play.run(alive=lambda process: False)
    assert outcome.state == "deadlocked"
    assert outcome.missing == (
        "task a has had its one attempt: its driver died; raise maxAttempts in the plan and commit it "
        f"(petri plan FILE --session {play.session})",
    )
    revise(play, {"seq": [task("a", maxAttempts=2), task("b")]})
    assert play.run().state == "completed"


def test_a_revision_does_not_go_on_with_a_discovery_of_something_else(open_play: OpenPlay) -> None:
    def each(over: str) -> dict[str, Any]:
        return {"foreach": {"id": "each", "over": over, "run": "find", "body": task("work")}}

    play = open_play(each("what there is"), name="play")
    crash(play, 0.5)
    with pytest.raises(PetriError, match=r"`foreach.each` is being worked on \(claim c1, .*\) and is another task"):
        revise(play, each("what there was"))


def test_work_that_runs_does_not_get_into_a_loop_where_its_attempts_would_count_anew(open_play: OpenPlay) -> None:
    play = open_play(task("a", maxAttempts=2), name="play")
    crash(play, 0.5)
    with pytest.raises(PetriError, match=r"`a` is being worked on \(claim c1, .*\) and is no longer where it was"):
        revise(play, {"loop": {"id": "l", "body": task("a", maxAttempts=2)}})


def test_who_commits_hears_what_is_not_kept(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), task("b"), {"task": {"id": "w", "verify": "human"}}]}, name="play")
    play.run(wait=False)
    text = json.dumps({"name": "play", "flow": {"seq": [task("a", run="x"), {"task": {"id": "w", "verify": "human"}}]}})
    plan, _ = load_plan_text(text, "plan.json")
    done = commit(play.store, play.session, Document(text, "plan.json"), plan, judge_plan(plan))
    assert (done.kept, done.again) == (0, ("a", "b"))
