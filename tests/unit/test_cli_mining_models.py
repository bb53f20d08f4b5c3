"""A mined plan is written with guards only where the gate finds it sound with them."""

from __future__ import annotations

import pytest

from petri_cli.cli import mining_models
from petri_cli.mining.guards import GuardProposal
from petri_cli.mining.log import log_of
from petri_cli.soundness.result import Budget, Result, Verdict

DESK = GuardProposal("activity", "b", 2, {"b": 5}, 5, 5, 5, 5, 0.5)


@pytest.mark.parametrize("verdict", [Verdict.SOUND, Verdict.UNSOUND, Verdict.UNKNOWN])
def test_guards_are_left_out_unless_the_gate_says_sound(monkeypatch: pytest.MonkeyPatch, verdict: Verdict) -> None:
    monkeypatch.setattr(mining_models, "guards_of", lambda log, proposals: {p.name: p for p in proposals})
    if verdict is not Verdict.SOUND:
        monkeypatch.setattr(mining_models, "analyze", lambda plan, budget: Result(verdict, "told"))
    found = mining_models.find(log_of(["ab"] * 5), "inductive", 100, Budget(), [DESK])
    assert found.guarded is not None
    assert (found.guarded.guards, found.guarded.result.verdict) == (1, verdict)
    assert ("guard" in found.text) == ("capacity: 2" in found.text) == (verdict is Verdict.SOUND)
