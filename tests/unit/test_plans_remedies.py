"""What is said of capacities that would be enough: null only where none is, and what was tried where it is open."""

from __future__ import annotations

from typing import Any

import pytest

from petri_cli.api import Analysis, export, load_data
from petri_cli.net.firing import replay
from petri_cli.net.model import Net
from petri_cli.render.json_report import result_data
from petri_cli.soundness import refusal, smallest
from petri_cli.soundness.decide import Decision, Question
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Result, Verdict
from tests.unit.test_plans_waits import each, guard, plan, task

TWICE = guard("a", guard("a", task("t")))


def _over(items: int | None, capacity: int, **more: Any) -> Result:
    over = {} if items is None else {"over": [str(k) for k in range(items)]}
    return judge_plan(plan(each(TWICE, **over, **more), a=capacity))


def test_a_capacity_far_above_what_is_tried_is_left_open_though_it_suffices() -> None:
    result = _over(70, 5)
    assert "a" not in result.smallest_capacity
    assert result.detail == (
        "a capacity of 140 of a alone suffices, and none up to 69 does; whether one below 140 does was not worked out",
    )
    assert [_over(70, k).verdict for k in (69, 70, 71)] == [Verdict.UNSOUND, Verdict.UNSOUND, Verdict.SOUND]


def test_a_large_limit_of_the_width_is_no_proof_that_no_capacity_suffices() -> None:
    assert "a" not in _over(None, 5, maxWidth=10**9).smallest_capacity


def test_none_is_said_where_more_items_can_always_take_one_more_unit() -> None:
    result = _over(None, 5)
    assert result.smallest_capacity == {"a": None}
    assert result.detail == ("no larger capacity of a alone suffices",)


def test_a_request_that_never_fits_is_found_in_a_foreach_that_could_be_passed_without_items() -> None:
    """At width 0 nothing is left of the part that was searched: that is no deadlock of width 0."""
    never = {"seq": [each(guard("b", guard("b", task("t"), units=2))), guard("a", task("u"))]}
    others = {"foreach": {"id": "others", "over": ["x", "y"], "body": guard("b", guard("a", task("v")))}}
    result = judge_plan(plan({"parallel": [never, others]}, a=1, b=1))
    assert result.verdict is Verdict.UNSOUND
    assert result.smallest_width == {"each": 1}


def test_a_capacity_within_what_is_tried_is_found() -> None:
    assert _over(8, 5).smallest_capacity == {"a": 9}


def test_none_is_said_where_all_were_tried_up_to_the_demand() -> None:
    def hold(a: str, b: str, name: str) -> dict[str, Any]:
        return guard(a, guard(b, task(name)))

    flow = {"parallel": [hold("a", "b", "x"), hold("b", "a", "y"), hold("c", "d", "u"), hold("d", "c", "v")]}
    result = judge_plan(plan({"seq": [flow]}, a=1, b=1, c=1, d=1))
    assert set(result.smallest_capacity.values()) == {None}
    assert all(d.startswith("no larger capacity of ") for d in result.detail)


@pytest.mark.parametrize(("trials", "said"), [(2, "none up to 7 does"), (0, "a capacity of 140 of a alone suffices;")])
def test_what_was_tried_is_said(monkeypatch: pytest.MonkeyPatch, trials: int, said: str) -> None:
    monkeypatch.setattr(smallest, "MAX_TRIALS", trials)
    result = _over(70, 5)
    assert result.smallest_capacity == {}
    assert said in result.detail[0]


def test_a_run_whose_smallest_width_is_open_replays_on_the_export_at_the_widths_that_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def undecided(question: Question, start: Decision, *_: object) -> tuple[dict[int, int], Decision, bool]:
        return {}, start, False

    monkeypatch.setattr(refusal, "smallest_widths", undecided)
    document = plan(each(TWICE), a=3)
    result = judge_plan(document)
    cx = result.counterexample
    assert cx is not None and result.smallest_width == {}
    assert dict(cx.widths) == {"each": 3}
    assert "the smallest width could not be decided within the budget" in result.detail
    assert "the run that is shown has so many items: each=3" in result.detail
    net, _ = load_data(export(document, "json", widths=cx.widths).encode(), "x.petri.json")
    assert isinstance(net, Net)
    assert replay(net, cx.run)[-1] == cx.marking
    assert result_data(Analysis("x", "plan", result))["counterexample"]["widths"] == {"each": 3}


def test_widths_are_told_with_every_run_of_a_plan() -> None:
    cx = _over(None, 2).counterexample
    assert cx is not None and dict(cx.widths) == {"each": 2}
    cx = _over(8, 5).counterexample
    assert cx is not None and dict(cx.widths) == {}
