"""Judging a net by its markings alone, without reducing it first: what every other way has to agree with."""

from __future__ import annotations

from dataclasses import replace

from petri_cli.net.compiled import compile_net
from petri_cli.net.model import Net
from petri_cli.net.start import start_of
from petri_cli.soundness.result import Budget, Result
from petri_cli.soundness.shape import target_of
from petri_cli.soundness.timer import Timer
from petri_cli.soundness.workflow import by_exploration


def judge_by_exploration(net: Net, budget: Budget | None = None) -> Result:
    """The soundness of ``net`` as :func:`petri_cli.soundness.nets.judge_net` has it, by exploration."""
    budget = budget or Budget()
    target = target_of(start_of(net).net)
    result = by_exploration(target, compile_net(target.net), budget, Timer(None, budget.seconds), looking_only=True)
    return replace(result, warnings=target.warnings)
