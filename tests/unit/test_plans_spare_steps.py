"""Runs of plans too large for a shortest run: still without a step to spare."""

from __future__ import annotations

import random

import pytest

from petri_cli.net.firing import is_dead
from petri_cli.plan.load import plan_from_data
from petri_cli.soundness import refusal, replayer
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Verdict
from tests.property.test_plans_gate import end_without
from tests.strategies.contended_plans import contended_plan


@pytest.mark.slow
def test_without_a_search_for_the_shortest_no_step_can_be_taken_away(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refusal, "SHORTEST_ACTIONS", 0)
    monkeypatch.setattr(replayer, "BRIEF_STATES", 1)
    met = 0
    for seed in range(400):
        plan, _ = plan_from_data(contended_plan(random.Random(seed), 4))  # noqa: S311
        result = judge_plan(plan)
        if result.verdict is not Verdict.UNSOUND:
            continue
        found = result.counterexample
        assert found is not None
        assert not found.shortest
        met += 1
        for left_out in range(len(found.run)):
            end = end_without(found, left_out)
            assert not is_dead(found.net, end) or end == dict(found.net.final or {})
    assert met > 60
