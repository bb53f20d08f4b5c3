"""Revisions under a running driver."""

from __future__ import annotations

import json
from typing import Any

from petri_cli.driver.commit import Document, commit
from petri_cli.plan.load import load_plan_text
from petri_cli.session.events import (
    Claimed,
    Revoked,
)
from petri_cli.soundness.plans import judge_plan
from tests.sessions import OpenPlay, Play, task


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
