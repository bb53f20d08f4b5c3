"""Evidence of the soundness of a plan, or against it, that a checker can follow."""

from __future__ import annotations

from petri_cli.evidence.listing import Written, steps
from petri_cli.plan.model import Foreach, Plan
from petri_cli.soundness.core import core_of
from petri_cli.soundness.decide import Question
from petri_cli.soundness.demand import blocking, demand_of
from petri_cli.soundness.lockorder import lock_order
from petri_cli.soundness.result import Result, Verdict


def evidence_of_plan(plan: Plan, result: Result) -> Written | None:
    """The evidence for what ``result`` says of ``plan``; None when there is none that a checker could follow, or it
    would be too long."""
    if result.verdict is Verdict.UNSOUND and result.counterexample is not None:
        cx = result.counterexample
        widths = {n.id: cx.widths.get(n.id, n.items or 0) for n in plan.nodes if isinstance(n, Foreach)}
        return "plan-run", {"shows": cx.kind, "run": steps(cx.run), "widths": widths}
    if result.verdict is not Verdict.SOUND:
        return None
    core = core_of(plan)
    question = Question(core, core.capacities)
    waiting = blocking(demand_of(core, question.width_limits()), core.capacities)
    order = lock_order(core.nodes, waiting)
    if order.cyclic():
        return None
    return "plan-waits", {"order": [core.resources[r] for r in order.order() if waiting >> r & 1]}
