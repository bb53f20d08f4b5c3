"""The gate for plans: load → core → statements A to G → search; on UNSOUND the explanation and the way out.

The verdict holds for every foreach width and every number of iterations (``docs/theory.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from petri_cli.net.firing import Step, is_dead, replay
from petri_cli.plan.lower import Lowered, lower_workflow
from petri_cli.plan.model import Choice, Foreach, Plan
from petri_cli.soundness.census import census
from petri_cli.soundness.core import Core, core_of
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.decide import Decision, Limits, Question, decide
from petri_cli.soundness.lift import Lift, in_document_order, play
from petri_cli.soundness.lockorder import members
from petri_cli.soundness.result import (
    SOUND_ASSUMPTIONS,
    Budget,
    Condition,
    Counterexample,
    Counts,
    Result,
    Verdict,
)
from petri_cli.soundness.shorten import shorten
from petri_cli.soundness.skeleton import Mark, Skeleton, widths_by_id
from petri_cli.soundness.smallest import Remedy, lacked, smallest_capacity, smallest_widths
from petri_cli.soundness.waits import Standstill, standstill

Clock = Callable[[], float]

SHORTEST_STATES = 5_000
"""How far a shortest run is looked for; past that the run is one from which no step can be taken away."""


def judge_plan(plan: Plan, budget: Budget | None = None, clock: Clock | None = None) -> Result:
    """Judge ``plan`` for every width and loop count.

    budget: states explored and seconds spent in all; clock: monotonic seconds (none: no limit of time).
    """
    return _Judge(plan, budget or Budget(), clock).judge()


class _Judge:
    def __init__(self, plan: Plan, budget: Budget, clock: Clock | None) -> None:
        self.plan = plan
        self.clock = clock
        self.started = clock() if clock else 0.0
        self.budget = budget
        self.core: Core = core_of(plan)
        self.limits = Limits(budget.max_states, self.expired)
        self.lowered: dict[tuple[tuple[int, ...], tuple[tuple[str, int], ...]], tuple[Plan, Lowered]] = {}

    def expired(self) -> bool:
        return self.clock is not None and self.clock() - self.started > self.budget.seconds

    def judge(self) -> Result:
        question = Question(self.core, self.core.capacities)
        decision = self.decide(question)
        match decision.verdict:
            case Verdict.SOUND:
                return self.sound(decision)
            case Verdict.UNKNOWN:
                return self.unknown(decision)
            case Verdict.UNSOUND:
                return self.unsound(question, decision)

    def decide(self, question: Question) -> Decision:
        return decide(question, self.limits, self.confirm)

    # The workflow net behind a question

    def workflow(self, question: Question, widths: Mapping[str, int]) -> tuple[Plan, Lowered]:
        key = (question.capacities, tuple(sorted(widths.items())))
        if key not in self.lowered:
            plan = self.plan
            if question.capacities != self.core.capacities:
                changed = zip(plan.resources, question.capacities, strict=True)
                plan = replace(plan, resources=tuple(replace(r, capacity=c) for r, c in changed))
            self.lowered = {key: (plan, lower_workflow(plan, widths, default_width=0))}
        return self.lowered[key]

    def confirm(self, question: Question, skeleton: Skeleton, run: Sequence[int]) -> Lift | None:
        plan, lowered = self.workflow(question, widths_by_id(self.core, skeleton.widths))
        return play(plan, lowered, skeleton.told(run), skeleton.controlled())

    def reach_misfit(self, question: Question, decision: Decision) -> Lift:
        """A run to the request that can never be met, or to a deadlock on the way there."""
        assert decision.misfit is not None  # noqa: S101
        around = list(self.plan.ancestors(decision.misfit.plan))
        widths = {n.id: 1 for n in around if isinstance(n, Foreach)}
        plan, lowered = self.workflow(question, widths)
        inside = [decision.misfit.plan, *(n.index for n in around)]
        choices = [
            Mark("choose", above.index, above.children.index(child) + 1)
            for child, above in zip(inside, around, strict=False)
            if isinstance(above, Choice)
        ]
        story = []
        for mark in reversed(choices):
            depth = sum(isinstance(n, Foreach) for n in self.plan.ancestors(mark.node))
            story.append((mark, (1,) * depth))
        lift = play(plan, lowered, story, {m.node for m in choices}, strict=False)
        if lift is None:
            raise AssertionError("a request above its capacity was met")
        return lift

    # Answers

    def stats(self, decision: Decision) -> dict[str, int | float]:
        stats: dict[str, int | float] = {
            "tasks": sum(1 for _ in self.plan.tasks()),
            "guards": sum(1 for _ in self.plan.guards()),
            "resources": len(self.plan.resources),
            "states": self.limits.used,
        }
        if self.clock:
            stats["seconds"] = round(self.clock() - self.started, 6)
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
            case "lock-order":
                evidence = "lock-order"
                detail = ("lock order " + " → ".join(names[r] for r in decision.order),)
            case _:
                evidence = f"exhaustive: {decision.states:,} states"
                cycles = ("{" + ", ".join(names[r] for r in members(c)) + "}" for c in decision.cyclic)
                detail = ("explored every way the locks in a cycle can be taken: " + " and ".join(cycles),)
        holds = tuple(Condition(name, True) for name in ("optionToComplete", "properCompletion", "noDeadTransitions"))
        return Result(
            Verdict.SOUND,
            evidence,
            conditions=holds,
            assumptions=SOUND_ASSUMPTIONS,
            stats=self.stats(decision),
            detail=detail,
        )

    def unknown(self, decision: Decision) -> Result:
        limit = {
            "time": f"{self.budget.seconds:g} s",
            "states": f"{self.budget.max_states:,} states",
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
            stats=self.stats(decision),
            detail=("locks that are taken in a cycle: " + " and ".join(cycles),),
        )

    def unsound(self, question: Question, decision: Decision) -> Result:
        limits, decision, exact = smallest_widths(question, decision, self.decide)
        at = replace(question, limits=limits)
        lift = decision.lift or self.reach_misfit(at, decision)
        run, shortest = self.shorten(lift)
        steps = [lift.compiled.actions[a].step for a in in_document_order(lift.compiled, run)]
        marking = replay(lift.lowered.net, steps)[-1]
        self.check(lift, marking)
        told = standstill(self.plan, lift.lowered, [s.transition for s in steps], marking)
        counts = self.count(lift)
        remedies = self.remedies(question, told)
        widths = {self.plan.nodes[i].id: w for i, w in limits.items()} if exact else {}
        detail = list(_remedy_notes(remedies))
        if not exact:
            detail.append("the smallest width could not be decided within the budget")
        return Result(
            Verdict.UNSOUND,
            "counterexample",
            code="PETRI_UNSOUND_PLAN",
            message=_message(counts),
            conditions=_conditions(counts, steps),
            counterexample=Counterexample(
                "deadlock",
                lift.lowered.net,
                tuple(steps),
                dict(sorted(marking.items())),
                told.sentence,
                shortest=shortest,
                waits=told.waits,
                lanes=told.lanes,
            ),
            smallest_width=widths,
            smallest_capacity={r.resource: r.capacity for r in remedies},
            counts=counts,
            stats=self.stats(decision),
            detail=tuple(detail),
        )

    def shorten(self, lift: Lift) -> tuple[tuple[int, ...], bool]:
        """A shortest run to a dead marking where one is found soon, else the one at hand without a step to spare."""
        net = lift.compiled
        found = find_deadlock(net, final=net.final, max_states=SHORTEST_STATES, deadline=self.expired, shortest=True)
        if found.run is not None:
            return found.run, True
        return shorten(
            net, lift.run, lambda state: state != net.final and not any(a.enabled(state) for a in net.actions)
        ), False

    def check(self, lift: Lift, marking: Mapping[str, int]) -> None:
        """The plain firing rule has the last word: the marking is dead, and not the final one."""
        net = lift.lowered.net
        if not is_dead(net, marking) or marking == dict(net.final or {}):
            raise AssertionError("a counterexample did not replay")

    def count(self, lift: Lift) -> Counts:
        return census(self.plan, lift.lowered, lift.compiled)

    def remedies(self, question: Question, told: Standstill) -> list[Remedy]:
        found = (smallest_capacity(question, r, told.waits, self.decide) for r in lacked(question, told.waits))
        return [r for r in found if r is not None]


def _message(counts: Counts) -> str:
    least = "" if counts.exact else "at least "
    return (
        f"PETRI_UNSOUND_PLAN: net is unsound: {least}{counts.deadlocks:,} deadlock marking(s) reachable; "
        f"{least}{counts.doomed:,} reachable marking(s) can no longer reach the final marking"
    )


def _conditions(counts: Counts, steps: Sequence[Step]) -> tuple[Condition, ...]:
    dead = counts.dead_transitions
    return (
        Condition("optionToComplete", False, f"after {len(steps)} steps nothing can move"),
        Condition("properCompletion", True, "holds for every plan by construction"),
        Condition("noDeadTransitions", None if dead is None else not dead, ", ".join(dead or ())),
    )


def _remedy_notes(remedies: Sequence[Remedy]) -> list[str]:
    notes = []
    for r in remedies:
        if r.capacity is None and r.proven:
            notes.append(f"no capacity of {r.resource} alone suffices")
        elif r.capacity is None:
            notes.append(f"no capacity of {r.resource} up to {r.tried} suffices alone")
    return notes
