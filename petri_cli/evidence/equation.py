"""Evidence from the state equation, for :mod:`petri_cli.certificate.linear`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from petri_cli.evidence.listing import Json, Written, steps
from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.linear.data import ranking_to_data, refutation_to_data
from petri_cli.soundness.linear.evidence import linear_evidence, no_deadlock
from petri_cli.soundness.linear.proof import Literal, Refutation
from petri_cli.soundness.linear.questions import Questions
from petri_cli.soundness.shape import Target
from petri_cli.soundness.timer import Deadline


def linear_soundness(target: Target, compiled: CompiledNet, deadline: Deadline) -> Written | None:
    """Theorem L for a sound net, with runs that fire every transition."""
    if compiled.final is None:
        return None
    end = {compiled.index[p]: n for p, n in target.end.items()}
    resources = [compiled.index[r] for r in target.resources]
    found = linear_evidence(compiled, end, resources, deadline)
    if not found.sound or found.ranking is None or found.stuck is None:
        return None
    return "linear", {
        "ranking": ranking_to_data(found.ranking),
        "stuck": _data(found.stuck),
        "proper": [_data(x) for x in found.proper],
        "runs": [steps(compiled.actions[a].step for a in run) for run in found.runs],
    }


def no_dead_end(compiled: CompiledNet, end: int, deadline: Deadline) -> Json | None:
    """That every dead marking has a token on ``end``."""
    proof = no_deadlock(compiled, {end: 1}, deadline).proof
    return None if proof is None else _data(proof)


def out_of_reach(compiled: CompiledNet, deadline: Deadline) -> Json | None:
    """That no solution is the final marking."""
    final = compiled.final or ()
    goal = [Literal("place", p, side, n) for p, n in enumerate(final) for side in (1, -1)]
    return _refuted(compiled, goal, deadline)


def never_enabled(compiled: CompiledNet, transition: str, deadline: Deadline) -> Json | None:
    """That no solution enables ``transition``."""
    questions = Questions(compiled, deadline)
    a = next(i for i, x in enumerate(compiled.actions) if x.step.transition == transition)
    goal = [x._replace(side=-x.side, bound=x.bound + x.side) for x in questions.equation.disabled[a]]
    return _refuted(compiled, goal, deadline)


def _refuted(compiled: CompiledNet, goal: Sequence[Literal], deadline: Deadline) -> Json | None:
    proof = Questions(compiled, deadline).ask(goal, (), (), lambda _: False).proof
    return None if proof is None else {"refutation": _data(proof)}


def _data(refutation: Refutation) -> dict[str, Any]:
    """The refutation without the rows that it does not use."""
    return refutation_to_data(refutation)
