"""Large pools, rings and nests: their deadlocks are walked into, and what is claimed of the run is true."""

from __future__ import annotations

from typing import Any

import pytest

from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness import refusal
from petri_cli.soundness.cutoff import cut_off
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Budget, Result, Verdict
from petri_cli.soundness.skeleton import build
from petri_cli.soundness.timer import never
from petri_cli.soundness.walk import walk
from tests.unit.test_plans_waits import each, guard, plan, task, the_part

FEW = Budget(max_states=3_000)
"""Far fewer states than units, items or steps."""


def _net(flow: dict[str, Any], **capacities: int) -> tuple[CompiledNet, int]:
    part = the_part(flow, **capacities)
    kept = part.waiting()
    limits = [n.limit for n in part.core.nodes]
    return build(part, kept, cut_off(part, kept, limits)).net, len(part.core.resources)


def _other(body: dict[str, Any]) -> dict[str, Any]:
    return {"foreach": {"id": "other", "over": "others", "body": body}}


def _ring(size: int) -> tuple[dict[str, Any], dict[str, int]]:
    branches = [guard(f"r{k}", guard(f"r{(k + 1) % size}", task(f"t{k}"))) for k in range(size)]
    return {"parallel": branches}, {f"r{k}": 1 for k in range(size)}


def _nest(depth: int, name: str) -> dict[str, Any]:
    body = task(name)
    for _ in range(depth):
        body = guard("r", body)
    return body


def _said(result: Result) -> str:
    assert result.verdict is Verdict.UNSOUND
    assert result.counterexample is not None
    return result.counterexample.sentence


@pytest.mark.parametrize(
    ("flow", "capacities"),
    [
        (each(guard("a", guard("a", task("x")))), {"a": 10**9}),
        (
            {"parallel": [each(guard("a", guard("b", task("x")))), _other(guard("b", guard("a", task("y"))))]},
            {"a": 7, "b": 5},
        ),
        _ring(50),
        ({"parallel": [_nest(20, "x"), _nest(20, "y")]}, {"r": 20}),
    ],
)
def test_a_walk_is_a_run_to_a_dead_marking_that_is_not_the_end(
    flow: dict[str, Any], capacities: dict[str, int]
) -> None:
    net, resources = _net(flow, **capacities)
    steps = walk(net, resources, never)
    assert steps is not None and len(steps) < 200
    state = list(net.initial)
    for a, times in steps:
        action = net.actions[a]
        assert times > 0 and all(state[p] >= k * times for p, k in action.needs)
        for p, k in action.needs:
            state[p] -= k * times
        for p, k in action.produced:
            state[p] += k * times
    assert not any(action.enabled(state) for action in net.actions)
    assert tuple(state) != net.final


def test_a_walk_to_the_end_shows_nothing() -> None:
    net, resources = _net(
        {"parallel": [guard("a", guard("b", task("x"))), guard("b", guard("c", task("y")))]}, a=1, b=1, c=1
    )
    assert walk(net, resources, never) is None


def test_a_walk_past_the_deadline_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri_cli.soundness.walk.CHECK_EVERY", 1)
    flow, capacities = _ring(3)
    net, resources = _net(flow, **capacities)
    assert walk(net, resources, lambda: True) is None


@pytest.mark.parametrize("units", [10**6, 10**9])
def test_a_pool_of_equal_units_is_not_counted_one_by_one(units: int) -> None:
    result = judge_plan(plan(each(guard("a", guard("a", task("x")))), a=units), FEW)
    assert result.verdict is Verdict.UNSOUND
    assert result.smallest_width == {"each": units}
    assert result.stats["states"] < 100
    crossed = {"parallel": [each(guard("a", guard("b", task("x")))), _other(guard("b", guard("a", task("y"))))]}
    result = judge_plan(plan(crossed, a=units, b=units), FEW)
    assert result.verdict is Verdict.UNSOUND
    assert result.smallest_width == {"each": units, "other": units}


def test_a_ring_of_many_locks_is_found_at_once() -> None:
    flow, capacities = _ring(300)
    result = judge_plan(plan(flow, **capacities), FEW)
    assert _said(result).startswith("`t0` holds r0 and waits for r1; `t1` holds r1 and waits for r2;")
    assert result.stats["states"] < 500


@pytest.mark.parametrize("depth", [300, 600])
def test_two_deep_nests_on_one_pool_are_found_at_once(depth: int) -> None:
    result = judge_plan(plan({"parallel": [_nest(depth, "x"), _nest(depth, "y")]}, r=depth), FEW)
    assert _said(result) == f"`x` and `y` each hold {depth // 2} r and wait for 1 more r."
    assert result.counterexample is not None and result.counterexample.minimal


def test_a_run_that_was_not_shortened_is_not_said_to_have_no_step_to_spare(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusal, "SPARE_STEPS", 100)
    result = judge_plan(plan({"parallel": [_nest(300, "x"), _nest(300, "y")]}, r=300), FEW)
    assert result.counterexample is not None
    assert not result.counterexample.shortest and not result.counterexample.minimal


def test_of_guards_far_inside_others_only_line_and_column_are_told() -> None:
    result = judge_plan(plan({"parallel": [_nest(300, "x"), _nest(300, "y")]}, r=300), FEW)
    assert result.counterexample is not None
    holds = result.counterexample.waits[0].holds
    assert len(holds) == 150
    assert [bool(h.where.path) for h in holds] == [True] * 100 + [False] * 50
