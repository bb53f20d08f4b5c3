"""The gate for plans against the meaning of plans, evaluated state by state (``tests/oracle/plans.py``).

The oracle knows widths 0 to 4 and two rounds of a loop; the gate speaks for all. So: SOUND must be sound at each of
these widths, and UNSOUND must die at the widths that it names, and not at smaller ones.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings

from petri_cli.net.firing import is_dead, replay
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Foreach, Plan
from petri_cli.soundness import search
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Budget, Counterexample, Result, Verdict
from tests.oracle.plans import Truth, truth
from tests.strategies.contended_plans import Document, contended_plan, contended_plans, gated_plan

WIDTHS = (0, 1, 2, 3, 4)
CAP = 1_500
drawn = settings(max_examples=120, deadline=None, derandomize=True)


def load(document: Document) -> Plan:
    plan, _ = plan_from_data(document)
    return plan


def widths_of(plan: Plan) -> tuple[int, ...]:
    """The widths that are tried; one stands for all where there is no foreach."""
    return WIDTHS if any(isinstance(n, Foreach) and n.items is None for n in plan.nodes) else (1,)


def truths(plan: Plan) -> Iterator[tuple[int, Truth]]:
    """What holds at each width, as far as the oracle can tell."""
    for width in widths_of(plan):
        found = truth(plan, width, cap=CAP)
        if found is None:
            return
        yield width, found


def with_capacity(plan: Plan, resource: str, capacity: int) -> Plan:
    return replace(
        plan, resources=tuple(replace(r, capacity=capacity) if r.id == resource else r for r in plan.resources)
    )


class Comparison:
    """Verdicts beside the oracle. A plan with too many states for the oracle is not compared: few may be like that."""

    def __init__(self) -> None:
        self.verdicts: Counter[Verdict] = Counter()
        self.compared: Counter[Verdict] = Counter()

    def check(self, plan: Plan, result: Result) -> None:
        self.verdicts[result.verdict] += 1
        match result.verdict:
            case Verdict.SOUND:
                widths = 0
                for width, found in truths(plan):
                    widths += 1
                    assert found.sound, f"SOUND ({result.evidence}), but not at width {width}: {found}"
                # one width says little where there are more: two, where a foreach has any
                self.compared[result.verdict] += widths >= min(2, len(widths_of(plan)))
            case Verdict.UNSOUND:
                found_there = truth(plan, 0, widths=result.smallest_width, cap=CAP)
                assert found_there is None or not found_there.option_to_complete
                self.compared[result.verdict] += found_there is not None
            case Verdict.UNKNOWN:
                raise AssertionError(f"undecided: {result.message}")

    def most_were_compared(self, share: float = 0.8) -> None:
        for verdict in (Verdict.SOUND, Verdict.UNSOUND):
            assert self.compared[verdict] >= max(1, share * self.verdicts[verdict]), (verdict, self.__dict__)


def test_the_gate_agrees_with_brute_force() -> None:
    comparison = Comparison()

    @drawn
    @given(contended_plans())
    def check(document: Document) -> None:
        plan = load(document)
        comparison.check(plan, judge_plan(plan))

    check()
    comparison.most_were_compared()


@pytest.mark.slow
@pytest.mark.parametrize("block", range(8))
def test_the_gate_agrees_with_brute_force_on_many_plans(block: int) -> None:
    comparison = Comparison()
    for seed in range(block * 300, block * 300 + 300):
        rng = random.Random(seed)  # noqa: S311
        plan = load(contended_plan(rng, rng.choice([3, 4, 5])))
        comparison.check(plan, judge_plan(plan))
    comparison.most_were_compared()


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_harmless_lock_cycles_are_told_from_deadly_ones(block: int) -> None:
    comparison = Comparison()
    evidence: Counter[str] = Counter()
    for seed in range(block * 150, block * 150 + 150):
        plan = load(gated_plan(random.Random(seed)))  # noqa: S311
        result = judge_plan(plan)
        comparison.check(plan, result)
        evidence[result.evidence.partition(":")[0]] += 1
    comparison.most_were_compared()
    assert evidence["exhaustive"] + evidence["no-lasting-wait"] > 5, "too few were sound in spite of a lock cycle"
    assert min(evidence["exhaustive"], evidence["no-lasting-wait"]) > 0, evidence


@pytest.mark.slow
def test_candidates_are_confirmed_or_refused_rightly(monkeypatch: pytest.MonkeyPatch) -> None:
    """With no quick search of everything, each candidate of statement D is replayed on the plan or given up."""
    monkeypatch.setattr(search, "QUICK", 1)
    comparison = Comparison()
    for seed in range(250):
        plan = load(gated_plan(random.Random(seed)))  # noqa: S311
        result = judge_plan(plan)
        if result.verdict is not Verdict.UNKNOWN:
            comparison.check(plan, result)
    comparison.most_were_compared()


@pytest.mark.slow
def test_plans_in_which_a_wait_cannot_last_are_sound_at_every_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Statement B, beside the same gate without it: no plan changes its verdict."""
    comparison = Comparison()
    proved = 0
    for seed in range(600):
        rng = random.Random(seed)  # noqa: S311
        plan = load(gated_plan(rng) if seed % 2 else contended_plan(rng, 4))
        result = judge_plan(plan)
        if result.evidence == "no-lasting-wait":
            comparison.check(plan, result)
            proved += 1
        with monkeypatch.context() as patch:
            patch.setattr(search, "lasting_waits", lambda nodes, waiting, limits, free: waiting)
            assert judge_plan(plan).verdict is result.verdict
    assert proved >= 5
    assert comparison.compared[Verdict.SOUND] >= 0.8 * proved


@drawn
@given(contended_plans(depth=3))
def test_the_three_conditions_agree_with_deadlock_freedom(document: Document) -> None:
    """Statement A: proper completion always holds, and there are dead transitions only where there is a deadlock."""
    for _, found in truths(load(document)):
        assert found.proper_completion
        assert found.no_dead_transitions or not found.option_to_complete


def drawn_plans(seeds: range, *, depth: int = 4, fan_out: bool = False) -> Iterator[Plan]:
    for seed in seeds:
        yield load(contended_plan(random.Random(seed), depth, fan_out=fan_out))  # noqa: S311


def unsound_plans(seeds: range, *, depth: int = 4, fan_out: bool = False) -> Iterator[tuple[Plan, Result]]:
    """Those of the plans drawn that deadlock; a check on them must meet some."""
    met = 0
    for plan in drawn_plans(seeds, depth=depth, fan_out=fan_out):
        result = judge_plan(plan)
        if result.verdict is Verdict.UNSOUND:
            met += 1
            yield plan, result
    assert met > len(seeds) // 10


@pytest.mark.slow
def test_every_counterexample_replays() -> None:
    for _, result in unsound_plans(range(300)):
        found = result.counterexample
        assert found is not None
        assert replay(found.net, found.run)[-1] == dict(found.marking)
        assert is_dead(found.net, found.marking)
        assert dict(found.marking) != dict(found.net.final or {})
        assert found.waits
        assert found.sentence.endswith(".")


def test_no_step_of_a_counterexample_can_be_taken_away() -> None:
    for _, result in unsound_plans(range(300, 500)):
        found = result.counterexample
        assert found is not None
        for left_out in range(len(found.run)):
            end = end_without(found, left_out)
            assert not is_dead(found.net, end) or end == dict(found.net.final or {})


def end_without(found: Counterexample, left_out: int) -> dict[str, int]:
    """Where the run ends without one step and those that then can't happen."""
    marking = dict(found.net.initial)
    for n, step in enumerate(found.run):
        if n != left_out:
            try:
                marking = replay(found.net, [step], marking)[-1]
            except ValueError:
                continue
    return {p: k for p, k in marking.items() if k}


@pytest.mark.slow
def test_the_reported_widths_are_smallest() -> None:
    checked = 0
    for plan, result in unsound_plans(range(300), fan_out=True, depth=3):
        widths = result.smallest_width
        common = max(widths.values(), default=0)
        if common:
            below = truth(plan, common - 1, cap=CAP)
            assert below is None or below.option_to_complete, "a smaller common width deadlocks"
            checked += below is not None
        for each, width in widths.items():
            if width:
                narrower = truth(plan, 0, widths={**widths, each: width - 1}, cap=CAP)
                assert narrower is None or narrower.option_to_complete, f"{each} can be narrower"
    assert checked > 20


def test_the_reported_capacity_is_smallest() -> None:
    checked = 0
    for plan, result in unsound_plans(range(150), depth=3):
        for resource, capacity in result.smallest_capacity.items():
            now = plan.capacities()[resource]
            if capacity is not None:
                assert all(found.sound for _, found in truths(with_capacity(plan, resource, capacity)))
                checked += 1
            for tried in range(now + 1, capacity if capacity is not None else now + 3):
                assert judge_plan(with_capacity(plan, resource, tried)).verdict is Verdict.UNSOUND
    assert checked > 20


def test_a_wider_gate_lock_breaks_a_sound_plan() -> None:
    def inside(first: str, second: str, task: str) -> Document:
        inner = {"guard": {"resource": first, "body": {"guard": {"resource": second, "body": {"task": {"id": task}}}}}}
        return {"guard": {"resource": "turn", "body": inner}}

    locks = [{"id": r, "capacity": 1} for r in ("turn", "a", "b")]
    plan = load({"resources": locks, "flow": {"parallel": [inside("a", "b", "x"), inside("b", "a", "y")]}})
    assert judge_plan(plan).verdict is Verdict.SOUND
    wider = judge_plan(with_capacity(plan, "turn", 2))
    assert wider.verdict is Verdict.UNSOUND
    assert wider.counterexample is not None
    assert "holds a and waits for b" in wider.counterexample.sentence


@drawn
@given(contended_plans())
def test_a_small_budget_gives_unknown_or_the_same_answer(document: Document) -> None:
    plan = load(document)
    full = judge_plan(plan).verdict
    for states in (1, 5, 25):
        hurried = judge_plan(plan, Budget(max_states=states)).verdict
        assert hurried in (full, Verdict.UNKNOWN)


def test_a_foreach_whose_items_take_two_units_may_be_mended_by_one_more() -> None:
    """Statement H speaks of items that hold one unit: with two, capacity 3 leaves one for the first to end."""
    body = {"guard": {"resource": "r", "units": 2, "body": {"guard": {"resource": "r", "body": {"task": {"id": "t"}}}}}}
    flow = {"foreach": {"id": "each", "over": "items", "body": body}}
    result = judge_plan(load({"resources": [{"id": "r", "capacity": 2}], "flow": flow}))
    assert result.verdict is Verdict.UNSOUND
    assert result.smallest_capacity == {"r": 3}
