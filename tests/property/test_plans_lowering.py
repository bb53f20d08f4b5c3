"""Three judges of one plan at given widths: its meaning, the gate for nets on its workflow net, the gate for plans."""

from __future__ import annotations

import random

import pytest

from petri_cli.plan.load import plan_from_data
from petri_cli.plan.lower import lower_workflow
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Budget, Verdict
from tests.oracle.plans import truth
from tests.parts import parts
from tests.strategies.contended_plans import contended_plan

BUDGET = Budget(max_states=3_000)


@pytest.mark.slow
@pytest.mark.parametrize("block", parts(3))
def test_the_workflow_net_means_what_the_plan_means(block: int) -> None:
    judged = 0
    for seed in range(block * 150, block * 150 + 150):
        plan, _ = plan_from_data(contended_plan(random.Random(seed), 3))  # noqa: S311
        whole = judge_plan(plan)
        for width in (0, 1, 2):
            meaning = truth(plan, width, cap=1_000)
            net = lower_workflow(plan, default_width=width).net
            found = judge_net(net, BUDGET)
            if meaning is None or found.verdict is Verdict.UNKNOWN:
                continue
            judged += 1
            assert (found.verdict is Verdict.SOUND) == meaning.sound, f"seed {seed}, width {width}"
            if whole.verdict is Verdict.SOUND:
                assert found.verdict is Verdict.SOUND, f"seed {seed}, width {width}"
    assert judged > 250
