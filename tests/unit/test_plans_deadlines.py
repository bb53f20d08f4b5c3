"""What a refusal says when time runs out, or the net gets too large, in the middle of its explanation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from petri_cli.errors import PetriError
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.lower import lower_workflow
from petri_cli.plan.model import Plan
from petri_cli.soundness import refusal, replayer, search
from petri_cli.soundness.native import binding
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Budget, Result, Verdict
from petri_cli.soundness.timer import OutOfTime, Pace, Timer
from tests.strategies.contended_plans import Document


def guard(resource: str, body: Document, units: int = 1) -> Document:
    return {"guard": {"resource": resource, "units": units, "body": body}}


def task(name: str) -> Document:
    return {"task": {"id": name}}


def load(flow: Document, **capacities: int) -> Plan:
    resources = [{"id": r, "capacity": c} for r, c in capacities.items()]
    return plan_from_data({"name": "x", "resources": resources, "flow": flow})[0]


def pool(capacity: int) -> Plan:
    """As many items as there are units deadlock, and no fewer."""
    body = guard("a", guard("a", task("t")))
    return load({"foreach": {"id": "f", "over": "items", "body": body}}, a=capacity)


class Clock:
    """Stands still until told that it is late."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def late(self) -> None:
        self.now = 1e9


def when_late(monkeypatch: pytest.MonkeyPatch, stage: str, plan: Plan) -> Result:
    """The answer when the time is up as ``stage`` of the explanation begins."""
    clock = Clock()
    original: Callable[..., Any] = getattr(refusal, stage)

    def begun(*args: Any, **more: Any) -> Any:
        clock.late()
        return original(*args, **more)

    monkeypatch.setattr(refusal, stage, begun)
    return judge_plan(plan, Budget(seconds=1.0), clock)


@pytest.mark.parametrize("stage", ["smallest_widths", "end_of", "standstill", "tell", "census", "smallest_capacity"])
def test_a_refusal_that_is_not_explained_in_time_is_one_all_the_same(
    monkeypatch: pytest.MonkeyPatch, stage: str
) -> None:
    result = when_late(monkeypatch, stage, pool(1_200))
    assert (result.verdict, result.code) == (Verdict.UNSOUND, "PETRI_UNSOUND_PLAN")
    assert result.message.startswith("PETRI_UNSOUND_PLAN: net is unsound: at least 1 deadlock marking(s) reachable")
    cx = result.counterexample
    if stage in ("smallest_widths", "end_of"):
        assert cx is None
        assert result.evidence == "deadlock found"
        assert "the run to the deadlock was not worked out in time" in result.detail
        assert [c.holds for c in result.conditions] == [False, True, None]
    else:
        assert cx is not None
        assert len(cx.run) == 1_201
    if stage in ("standstill", "tell"):
        assert cx is not None
        assert cx.sentence == "After 1,201 steps nothing can move."
        assert "who waits for whom was not worked out in time" in result.detail
    if stage == "smallest_widths":
        assert dict(result.smallest_width) == {}
    else:
        assert dict(result.smallest_width) == {"f": 1_200}


def test_a_net_too_large_to_show_leaves_the_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replayer, "SHOWN", 100)
    monkeypatch.setattr(refusal, "SHOWN", 100)
    result = judge_plan(pool(50))
    assert (result.verdict, result.evidence, result.counterexample) == (Verdict.UNSOUND, "deadlock found", None)
    assert result.smallest_width == {"f": 50}
    assert (
        "the run to the deadlock was not worked out on a net of more than 100 places and transitions" in result.detail
    )


def test_a_literal_list_searched_at_less_than_its_length_is_unsound_only_with_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Statement E: the list has to end before what follows it, which only a replay shows."""
    before = {"foreach": {"id": "l", "over": ["x"] * 9, "body": guard("a", guard("a", task("s")))}}
    after = {"parallel": [guard("b", guard("c", task("x"))), guard("c", guard("b", task("y")))]}
    plan = load({"parallel": [{"seq": [before, after]}, guard("c", guard("a", task("z")))]}, a=2, b=1, c=1)
    assert judge_plan(plan).verdict is Verdict.UNSOUND
    monkeypatch.setattr(replayer, "SHOWN", 1)
    result = judge_plan(plan)
    assert result.verdict is Verdict.UNKNOWN
    assert result.code == "PETRI_UNKNOWN"


@pytest.mark.slow
def test_a_large_pool_is_refused_with_its_run() -> None:
    result = judge_plan(pool(1_500))
    assert result.counterexample is not None
    assert len(result.counterexample.waits) == 100
    assert len(result.counterexample.waits[0].holders) == 100
    assert result.smallest_width == {"f": 1_500}


def test_a_search_net_too_large_to_search_is_unknown_at_once() -> None:
    joined = {"parallel": [guard("a", task("s")), guard("a", task("t"))]}
    plan = load({"foreach": {"id": "f", "over": "items", "body": guard("a", joined)}}, a=30_000)
    result = judge_plan(plan)
    assert result.verdict is Verdict.UNKNOWN
    assert "the size of the search net" in result.message


def test_five_thousand_locks_inside_each_other_are_judged() -> None:
    """As many edges of the lock order as there are pairs: twelve million."""
    inner = task("t")
    for k in range(5_000):
        inner = guard(f"r{k}", inner)
    locks = [{"id": f"r{k}", "capacity": 1} for k in range(5_000)]
    both = {"parallel": [inner, guard("r0", task("u")), guard("r4999", task("v"))]}
    result = judge_plan(plan_from_data({"name": "deep", "resources": locks, "flow": both})[0])
    assert (result.verdict, result.evidence) == (Verdict.SOUND, "lock-order")


def test_unfolding_stops_at_its_deadline_and_at_the_size_that_is_allowed() -> None:
    plan = pool(1)
    with pytest.raises(TimeoutError):
        lower_workflow(plan, {"f": 5_000}, deadline=lambda: True)
    with pytest.raises(PetriError) as refused:
        lower_workflow(plan, {"f": 5_000}, most=5_000)
    assert refused.value.code == "PETRI_NET_TOO_LARGE"


# The timer


def test_half_of_the_time_is_half_of_what_is_left() -> None:
    clock = Clock()
    timer = Timer(clock, 100.0)
    clock.now = 40.0
    half = timer.half()
    clock.now = 70.0
    assert not half()
    clock.now = 70.5
    assert half()
    assert not timer.expired()
    assert not timer.nearly()
    clock.now = 85.5
    assert timer.nearly()
    clock.now = 100.5
    assert timer.expired()
    assert timer.half()()


def test_without_a_clock_there_is_no_limit() -> None:
    timer = Timer(None, 0.0)
    assert not any((timer.expired(), timer.nearly(), timer.half()()))


def test_a_pace_asks_now_and_then() -> None:
    asked: list[int] = []

    def deadline() -> bool:
        asked.append(1)
        return len(asked) == 3

    pace = Pace(deadline, every=10)
    for _ in range(29):
        pace.step()
    with pytest.raises(OutOfTime):
        pace.step()
    assert len(asked) == 3


@pytest.mark.parametrize("compiled", [True, False])
def test_a_search_that_runs_out_of_memory_says_so(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    monkeypatch.setattr(search, "PATIENCE", 10**9)  # nothing but the search
    if not compiled:
        monkeypatch.setattr(binding, "core", None)

    def inside(a: str, b: str, name: str) -> Document:
        return guard("gate", guard(a, guard(b, task(name))))

    branches = [inside("a", "b", "x"), inside("b", "a", "y")]
    plan = load({"parallel": [*branches, guard("gate", guard("a", task("z")))]}, gate=1, a=1, b=1)
    assert judge_plan(plan).verdict is Verdict.SOUND
    little = judge_plan(plan, Budget(max_bytes=500))
    assert little.verdict is Verdict.UNKNOWN
    assert little.message.startswith("PETRI_UNKNOWN: undecided within 0 MB of memory")
