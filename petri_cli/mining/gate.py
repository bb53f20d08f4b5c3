"""The gate for mined nets: soundness, and the shape of a workflow net, which soundness takes for granted.

A transition that no place touches hinders nobody: every run can still complete, whatever it does in between. So the
three conditions hold of a net in which alpha left an activity unconnected, and that net says nothing about it. Here
such a net is refused (van der Aalst 1998, definition 6: every node lies on a path from the source to the sink).
"""

from __future__ import annotations

from dataclasses import replace

from petri_cli.errors import PetriError
from petri_cli.mining.model import LabelledNet
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.result import Budget, Result, Verdict
from petri_cli.soundness.shape import NOT_WORKFLOW, target_of
from petri_cli.soundness.timer import Clock


def judge_model(model: LabelledNet, budget: Budget | None = None, clock: Clock | None = None) -> Result:
    """The gate's answer about a mined net that starts in a source and ends in a sink.

    UNSOUND with the code ``PETRI_NOT_WORKFLOW_NET``, and no counterexample, where a node lies on no path between them;
    otherwise as :func:`petri_cli.soundness.nets.judge_net`.
    """
    fault = _off_path(model)
    if not fault:
        return judge_net(model.net, budget, clock=clock)
    message = f"{NOT_WORKFLOW}: net is no workflow net: {fault}"
    return Result(Verdict.UNSOUND, "structure", code=NOT_WORKFLOW, message=message)


def _off_path(model: LabelledNet) -> str:
    """What keeps the net from being a workflow net; empty where nothing does."""
    try:
        target = target_of(replace(model.net, final=None))
    except PetriError as error:
        return error.message.partition(": ")[2] or error.message
    return "; ".join(w.message for w in target.warnings)
