"""The gates against brute force, without a library for drawing examples: the same plans and nets in every run."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from petri_cli.net.firing import is_dead, replay
from petri_cli.plan.load import load_plan_text, plan_from_data
from petri_cli.plan.lower import lower_workflow
from petri_cli.plan.model import Plan
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Result, Verdict
from petri_cli.soundness.shape import target_of
from tests.bare.random_plans import random_plan
from tests.oracle.plans import truth as truth_of_plan
from tests.oracle.soundness import truth as truth_of_net
from tests.oracle.statespace import TooBig
from tests.strategies.workflow_nets import workflow_net

CAP = 800
WIDTHS = (0, 1, 2, 3)


def agrees(plan: Plan, result: Result) -> bool:
    """Whether brute force says the same, as far as it goes: at some widths, in so many states."""
    if result.verdict is Verdict.UNSOUND:
        found = truth_of_plan(plan, 0, widths=result.smallest_width, cap=CAP)
        return found is None or not found.option_to_complete
    return all(found is None or found.sound for found in (truth_of_plan(plan, w, cap=CAP) for w in WIDTHS))


@pytest.mark.slow
def test_the_gate_for_plans_agrees_with_brute_force() -> None:
    verdicts: Counter[Verdict] = Counter()
    for seed in range(120):
        plan, _ = plan_from_data(random_plan(seed))
        result = judge_plan(plan)
        assert agrees(plan, result), seed
        verdicts[result.verdict] += 1
        if result.counterexample is not None:
            found = result.counterexample
            assert replay(found.net, found.run)[-1] == dict(found.marking)
            assert is_dead(found.net, found.marking)
    assert min(verdicts[Verdict.SOUND], verdicts[Verdict.UNSOUND]) >= 20, verdicts
    assert verdicts[Verdict.UNKNOWN] == 0


@pytest.mark.slow
def test_the_comparison_of_plans_would_find_a_wrong_verdict() -> None:
    wrong = 0
    for seed in range(30):
        plan, _ = plan_from_data(random_plan(seed))
        result = judge_plan(plan)
        other = Verdict.SOUND if result.verdict is Verdict.UNSOUND else Verdict.UNSOUND
        wrong += not agrees(plan, Result(other, "turned round", smallest_width=dict(result.smallest_width)))
    assert wrong >= 15


@pytest.mark.slow
def test_the_gate_for_nets_agrees_with_the_definitions() -> None:
    verdicts: Counter[Verdict] = Counter()
    for seed in range(250):
        net = workflow_net(Random(seed))  # noqa: S311
        result = judge_net(net)
        target = target_of(net)
        try:
            expected = truth_of_net(target.net, target.final, target.sink, 300)
        except TooBig:
            continue
        assert (result.verdict is Verdict.SOUND) == expected.sound, seed
        verdicts[result.verdict] += 1
    assert min(verdicts[Verdict.SOUND], verdicts[Verdict.UNSOUND]) >= 25, verdicts


INVERSION = """
resources: [{id: A, capacity: 1}, {id: B, capacity: 1}]
flow:
  parallel:
    - guard: {resource: A, body: {guard: {resource: B, body: {task: {id: w1}}}}}
    - guard: {resource: B, body: {guard: {resource: A, body: {task: {id: w2}}}}}
"""


def inversion() -> Plan:
    return load_plan_text(INVERSION, "inversion.yaml")[0]


def test_the_lock_inversion_is_refused_with_the_state_it_would_have_died_in() -> None:
    result = judge_plan(inversion())
    assert result.message.startswith("PETRI_UNSOUND_PLAN: net is unsound:")
    assert result.counterexample is not None
    assert result.counterexample.marking == {"p.guard.g1.body": 1, "p.guard.g3.body": 1}


def test_the_net_of_a_plan_gets_the_verdict_of_the_plan() -> None:
    result = judge_net(lower_workflow(inversion()).net)
    assert result.verdict is Verdict.UNSOUND
    assert result.counterexample is not None
    assert result.counterexample.marking == {"p.guard.g1.body": 1, "p.guard.g3.body": 1}
