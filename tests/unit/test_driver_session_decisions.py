"""What a plan leaves open, decided in a session: conditions over results, rounds, items, delays, quotas."""

from __future__ import annotations

import re
from typing import Any

import pytest

from petri_cli.session.events import (
    Claimed,
    Fired,
    FiringFailed,
    Injected,
    Refused,
)
from tests.sessions import OpenPlay, Play, polling, result, task


def test_the_first_branch_whose_condition_holds_is_taken(open_play: OpenPlay) -> None:
    branches = [
        {"when": "${a.n} > 5", "body": task("big")},
        {"when": "${a.n} > 2", "body": task("middle")},
        task("small"),
    ]
    for n, chosen in ((9, "big"), (3, "middle"), (1, "small")):
        play = open_play({"seq": [task("a"), {"choice": branches}]})
        play.fake.says = result(a={"n": n})
        assert play.run().state == "completed"
        assert [t for t, _, _ in play.fake.done] == ["a", chosen]


def test_without_conditions_priority_decides_then_declaration(open_play: OpenPlay) -> None:
    play = open_play({"choice": [task("a"), {"seq": [task("b", priority=3), task("c")]}, task("d", priority=3)]})
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["b", "c"]


def notes(play: Play) -> list[str]:
    return [e.note for e in play.events if isinstance(e, Fired) and e.note]


def test_the_log_says_who_decided_where_the_plan_does_not(open_play: OpenPlay) -> None:
    by = "is taken by priority, then by the order of the plan"
    play = open_play({"choice": [task("a"), task("b", priority=1)]})
    play.run()
    assert notes(play) == [f"choice 1: no branch has a condition; branch 2 {by}"]
    conditional = {"when": "${a.n} > 5", "body": task("b")}
    for others, said in (([task("c")], []), ([task("c"), task("d")], [f"choice x: no condition holds; branch 2 {by}"])):
        play = open_play({"seq": [task("a"), {"choice": {"id": "x", "branches": [conditional, *others]}}]})
        play.fake.says = result(a={"n": 1})
        assert play.run().state == "completed"
        assert notes(play) == said


def test_a_branch_whose_condition_does_not_hold_is_never_taken(open_play: OpenPlay) -> None:
    deploy = {"when": "${a.ok}", "body": task("deploy", priority=9)}
    flow = {
        "seq": [task("a"), {"choice": {"id": "ship", "branches": [deploy, {"when": "${a.n} > 5", "body": task("b")}]}}]
    }
    play = open_play(flow)
    play.fake.says = result(a={"ok": False, "n": 1})
    outcome = play.run()
    assert (outcome.state, [t for t, _, _ in play.fake.done]) == ("failed", ["a"])
    assert [e.error for e in play.events if isinstance(e, FiringFailed)] == ["PETRI_NO_BRANCH"]
    assert re.match(r"choice ship \(plan\.json:1:\d+\): none of its conditions holds \(add a branch", outcome.why)


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        (
            {"choice": {"id": "x", "branches": [{"when": "${a} > 5", "body": task("b")}, task("c")]}},
            r"choice x \(plan\.json:1:\d+\): when `\$\{a\} > 5`: > takes two numbers or two texts, not the text",
        ),
        (
            {"loop": {"id": "x", "until": "${b.ok}", "maxIterations": 2, "body": task("b")}},
            r"loop x \(plan\.json:1:\d+\): until `\$\{b\.ok\}`: \$\{b\} is the text \"text\", which has no fields",
        ),
        (
            {"loop": {"id": "x", "until": "${a} != 'text'", "maxIterations": 2, "body": task("b")}},
            r"loop x \(plan\.json:1:\d+\): `until` is still false after 2 rounds",
        ),
        (
            {"foreach": {"id": "x", "over": "${a.items}", "body": task("b")}},
            r"foreach x \(plan\.json:1:\d+\): over `\$\{a\.items\}`: \$\{a\} is the text",
        ),
        (
            {"foreach": {"id": "x", "over": "${a}", "body": task("b")}},
            r"foreach x \(plan\.json:1:\d+\): over `\$\{a\}` is the text \"text\", not a list",
        ),
    ],
)
def test_a_decision_that_fails_names_its_block_and_its_place(open_play: OpenPlay, flow: Any, said: str) -> None:
    play = open_play({"seq": [task("a"), flow]})
    play.fake.says = result(a="text", b="text")
    outcome = play.run()
    assert outcome.state == "failed"
    assert re.match(said, outcome.why), outcome.why


def test_a_condition_that_cannot_be_judged_fails_the_session(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), {"choice": [{"when": "${a.n} > 5", "body": task("b")}, task("c")]}]})
    play.fake.says = result(a="text")
    outcome = play.run()
    assert outcome.state == "failed"
    assert [e.error for e in play.events if isinstance(e, FiringFailed)] == ["PETRI_EXPRESSION_FAILED"]
    assert play.state.failed == outcome.why


def test_a_loop_with_a_delay_polls_until_ready(open_play: OpenPlay) -> None:
    flow, says = polling(4, delay="30s")
    play = open_play(flow)
    play.fake.says = says
    assert play.run().state == "completed"
    assert len(play.fake.done) == 4
    assert play.loop.time() == pytest.approx(4 + 3 * 30, abs=0.01)
    assert [e.timer != "" for e in play.events if isinstance(e, Injected)] == [True] * 3


def test_a_loop_that_has_had_its_rounds_fails_or_is_left_and_says_exhausted(open_play: OpenPlay) -> None:
    flow, says = polling(99, maxIterations=3)
    play = open_play(flow)
    play.fake.says = says
    outcome = play.run()
    assert (outcome.state, len(play.fake.done)) == ("failed", 3)
    assert "still false after 3 rounds" in outcome.why
    flow, says = polling(99, maxIterations=3, onExhausted="exit")
    play = open_play(flow)
    play.fake.says = says
    assert play.run().state == "completed"
    assert any("had all its 3 rounds" in e.note for e in play.events if isinstance(e, Fired))


def test_a_foreach_over_an_expression_over_prose_and_over_nothing(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), {"foreach": {"id": "f", "over": "${a.list}", "body": task("b")}}]})
    play.fake.says = result(a={"list": ["x", "y", {"z": 1}]})
    assert play.run().state == "completed"
    assert [n for t, n, _ in play.fake.done if t == "b"] == ["1", "2", "3"]

    play = open_play({"foreach": {"id": "f", "over": "whatever there is", "run": "ls", "body": task("b")}})
    play.fake.says = result(f=[1, 2])
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["f", "b", "b"]
    assert [e.task for e in play.events if isinstance(e, Claimed)] == ["foreach.f", "b", "b"]

    play = open_play({"foreach": {"id": "f", "over": "whatever there is", "run": "ls", "body": task("b")}})
    play.fake.says = result(f=[])
    assert play.run().state == "completed"
    assert [t for t, _, _ in play.fake.done] == ["f"]


@pytest.mark.parametrize(
    ("found", "why"), [("some", 'must be a list, not the text "some"'), ([1, 2, 3], "found 3 items; maxWidth is 2")]
)
def test_a_discovery_that_is_no_list_or_too_long_is_refused(open_play: OpenPlay, found: Any, why: str) -> None:
    each = {"id": "f", "over": "whatever", "run": "ls", "maxWidth": 2, "maxAttempts": 2, "body": task("b")}
    play = open_play({"foreach": each})
    play.fake.says = result(f=found)
    outcome = play.run()
    assert outcome.state == "deadlocked"
    assert why in outcome.missing[0]
    assert len([e for e in play.events if isinstance(e, Refused)]) == 2


def test_a_quota_gives_its_units_back_with_time(open_play: OpenPlay) -> None:
    each = {"foreach": {"id": "f", "over": [1, 2, 3, 4, 5], "body": {"guard": {"resource": "q", "body": task("a")}}}}
    play = open_play(each, [{"id": "q", "capacity": 2, "per": "60s"}])
    assert play.run().state == "completed"
    assert play.loop.time() == pytest.approx(121, abs=0.01)
    assert play.state.free("q") + play.state.held("q") == 2


def test_a_task_with_a_delay_begins_so_much_after_it_could(open_play: OpenPlay) -> None:
    play = open_play({"seq": [task("a"), task("b", timing={"delayed": "10s"})]})
    assert play.run().state == "completed"
    assert play.loop.time() == pytest.approx(12, abs=0.01)


def test_a_loop_without_a_condition_has_one_round(open_play: OpenPlay) -> None:
    play = open_play({"loop": {"id": "l", "maxIterations": 5, "body": task("a")}})
    assert play.run().state == "completed"
    assert len(play.fake.done) == 1
