"""The gate for plans: load → core → statements A to G → search; on UNSOUND the explanation and the way out.

The verdict holds for every foreach width and every number of iterations (``docs/theory.md``).
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from petri_cli.plan.model import Plan
from petri_cli.soundness.bits import members
from petri_cli.soundness.core import core_of
from petri_cli.soundness.decide import Decision, Limits, Question, Witness, decide
from petri_cli.soundness.result import SOUND_ASSUMPTIONS, Budget, Condition, Result, Verdict
from petri_cli.soundness.timer import Clock, Timer

if TYPE_CHECKING:
    from petri_cli.soundness.replayer import Replayer


def judge_plan(plan: Plan, budget: Budget | None = None, clock: Clock | None = None) -> Result:
    """Judge ``plan`` for every width and loop count.

    budget: states explored and seconds spent in all; clock: monotonic seconds (none: no limit of time).
    """
    return _Judge(plan, budget or Budget(), clock).judge()


class _Judge:
    def __init__(self, plan: Plan, budget: Budget, clock: Clock | None) -> None:
        self.plan = plan
        self.timed = clock is not None
        self.timer = Timer(clock, budget.seconds)
        self.budget = budget
        self.core = core_of(plan)
        self.limits = Limits(budget.max_states, self.timer.expired, timer=self.timer, max_bytes=budget.max_bytes)

    def judge(self) -> Result:
        question = Question(self.core, self.core.capacities)
        decision = decide(question, self.limits, self.confirm)
        match decision.verdict:
            case Verdict.SOUND:
                return self.sound(decision)
            case Verdict.UNKNOWN:
                return self.unknown(decision)
            case Verdict.UNSOUND:
                return self.unsound(question, decision)

    @cached_property
    def replayer(self) -> Replayer:
        from petri_cli.soundness.replayer import Replayer

        return Replayer(self.core, self.timer.expired)

    def confirm(self, question: Question, witness: Witness) -> bool:
        return self.replayer.confirm(question, witness)

    def stats(self) -> dict[str, int | float]:
        stats: dict[str, int | float] = {
            "tasks": sum(1 for _ in self.plan.tasks()),
            "guards": sum(1 for _ in self.plan.guards()),
            "resources": len(self.plan.resources),
            "states": self.limits.used,
        }
        if self.timed:
            stats["seconds"] = round(self.timer.elapsed(), 6)
        return stats

    def sound(self, decision: Decision) -> Result:
        names = self.core.resources
        match decision.method:
            case "no-waiting":
                evidence = "no-waiting"
                detail = (
                    "no guard can ever wait: every resource has as many units as the plan can ask for at one time"
                    if self.core.nodes
                    else "no guard, nothing to wait for: the structure is sound by construction",
                )
            case "lock-order" if decision.order:
                evidence = "lock-order"
                detail = ("lock order " + " → ".join(names[r] for r in decision.order),)
            case "lock-order":
                evidence = f"lock-order: {decision.parts} independent parts"
                detail = ("each part that can wait takes its locks in one order",)
            case "no-lasting-wait":
                evidence = "no-lasting-wait"
                detail = (
                    "locks are taken in a cycle, but nobody in it can wait for ever: "
                    "enough units are left beside those that who waits can hold",
                )
            case _:
                evidence, how = (
                    f"exhaustive: {decision.states:,} states",
                    "explored every way the locks in a cycle can be taken",
                )
                if decision.equations:
                    evidence, how = (
                        "state equation",
                        "none of its solutions has anybody stuck over the locks in a cycle",
                    )
                cycles = ("{" + ", ".join(names[r] for r in members(c)) + "}" for c in decision.cyclic)
                detail = (f"{how}: {' and '.join(cycles)}",)
        holds = tuple(Condition(name, True) for name in ("optionToComplete", "properCompletion", "noDeadTransitions"))
        return Result(
            Verdict.SOUND,
            evidence,
            conditions=holds,
            assumptions=SOUND_ASSUMPTIONS,
            stats=self.stats(),
            detail=detail,
        )

    def unknown(self, decision: Decision) -> Result:
        limit = {
            "time": f"{self.budget.seconds:g} s",
            "states": f"{self.budget.max_states:,} states",
            "memory": f"{self.budget.max_bytes / 1e6:,.0f} MB of memory",
            "size": "the size of the search net",
            "candidate": f"{self.budget.max_states:,} states",
        }[decision.stopped]
        names = self.core.resources
        cycles = ("{" + ", ".join(names[r] for r in members(c)) + "}" for c in decision.cyclic)
        return Result(
            Verdict.UNKNOWN,
            f"budget: {decision.states:,} states explored",
            code="PETRI_UNKNOWN",
            message=f"PETRI_UNKNOWN: undecided within {limit} ({decision.states:,} states explored)",
            conditions=tuple(
                Condition(name, None) for name in ("optionToComplete", "properCompletion", "noDeadTransitions")
            ),
            stats=self.stats(),
            detail=("locks that are taken in a cycle: " + " and ".join(cycles),),
        )

    def unsound(self, question: Question, decision: Decision) -> Result:
        from petri_cli.soundness.refusal import refuse

        result = refuse(question, decision, self.limits, self.replayer)
        if result is None:
            return self.unknown(replace(decision, stopped="candidate"))
        return replace(result, stats=self.stats())
