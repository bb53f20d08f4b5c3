"""In one word, how a run ended."""

from __future__ import annotations

from typing import Literal

from petri_cli.engine.executor import Result
from petri_cli.net.model import Net

Outcome = Literal["completed", "quiescent", "deadlocked", "failed", "closed", "cancelled"]


def outcome(net: Net, result: Result) -> Outcome:
    """``completed``: in the final marking, whatever happened on the way. Otherwise, at rest: ``failed`` when a firing
    failed; ``deadlocked`` when the net has a final marking, which this is not; ``quiescent`` when it has none.
    """
    if result.reason != "quiescent":
        return result.reason
    if net.final is not None and result.counts == {p: k for p, k in net.final.items() if k}:
        return "completed"
    if result.failures:
        return "failed"
    return "quiescent" if net.final is None else "deadlocked"
