"""The gate for plans: load → core → statements A to G → search; on UNSOUND the explanation and the way out.

The verdict holds for every foreach width and every number of iterations (``docs/theory.md``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from petri_cli.net.firing import Step, is_dead, replay
from petri_cli.plan.lower import Lowered, lower_workflow
from petri_cli.plan.model import Foreach, Plan
from petri_cli.soundness.census import census
from petri_cli.soundness.core import Core, core_of
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.decide import Decision, Limits, Question, Witness, decide
from petri_cli.soundness.lift import Lift, in_document_order, play, scope_of, way_to, without_spare_steps
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
from petri_cli.soundness.smallest import Remedy, lacked, smallest_capacity, smallest_widths
from petri_cli.soundness.waits import Standstill, standstill

Clock = Callable[[], float]

SHORTEST_ACTIONS = 200
SHORTEST_WORK = 100_000
"""How far a shortest run is looked for: nets of so many actions, states times actions. Past that the run is one from
which no step can be taken away."""
BRIEF_STATES = 300
"""States in which a shorter run of the search net is looked for."""
TRIAL_WORK = 200_000
"""States times moves spent in all on the smallest capacities."""


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

    def lift(self, question: Question, witness: Witness) -> Lift | None:
        """A witness as a run of the plan's workflow net that ends dead; None when it ends in the final marking."""
        skeleton = witness.skeleton
        if skeleton is None:  # go straight to the guard whose request can never be met
            plan, lowered = self.workflow(question, self.first_items(witness.guard))
            story = way_to(plan, witness.guard)
            return play(plan, lowered, story, {m.node for m, _ in story}, scope_of(plan, witness.guard))
        part = skeleton.part
        root = self.core.nodes[part.root].plan
        plan, lowered = self.workflow(question, {**self.first_items(root), **skeleton.widths})
        story = [*way_to(plan, root), *skeleton.told(self.brief(witness))]
        controlled = skeleton.controlled() | {m.node for m, _ in story}
        scope = scope_of(plan, root, (self.core.nodes[b].plan for b in part.branches))
        return play(plan, lowered, story, controlled, scope)

    def brief(self, witness: Witness) -> tuple[int, ...]:
        """The run of the search net, or a shorter one that is found soon."""
        assert witness.skeleton is not None  # noqa: S101
        net = witness.skeleton.net
        found = find_deadlock(net, final=net.final, max_states=BRIEF_STATES, deadline=self.expired, shortest=True)
        return found.run or witness.run

    def confirm(self, question: Question, witness: Witness) -> bool:
        return self.lift(question, witness) is not None

    def first_items(self, index: int) -> dict[str, int]:
        """Width 1 for each foreach around a node."""
        return {n.id: 1 for n in self.plan.ancestors(index) if isinstance(n, Foreach)}

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
            case "lock-order" if decision.order:
                evidence = "lock-order"
                detail = ("lock order " + " → ".join(names[r] for r in decision.order),)
            case "lock-order":
                evidence = f"lock-order: {decision.parts} independent parts"
                detail = ("each part that can wait takes its locks in one order",)
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
        assert decision.witness is not None  # noqa: S101
        lift = self.lift(replace(question, limits=limits), decision.witness)
        if lift is None:
            raise AssertionError("a deadlock found by the search could not be replayed on the plan")
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
        if len(net.actions) <= SHORTEST_ACTIONS:
            states = SHORTEST_WORK // len(net.actions)
            found = find_deadlock(net, final=net.final, max_states=states, deadline=self.expired, shortest=True)
            if found.run is not None:
                return found.run, True
        return without_spare_steps(self.plan, lift), False

    def check(self, lift: Lift, marking: Mapping[str, int]) -> None:
        """The plain firing rule has the last word: the marking is dead, and not the final one."""
        net = lift.lowered.net
        if not is_dead(net, marking) or marking == dict(net.final or {}):
            raise AssertionError("a counterexample did not replay")

    def count(self, lift: Lift) -> Counts:
        return census(self.plan, lift.lowered, lift.compiled)

    def remedies(self, question: Question, told: Standstill) -> list[Remedy]:
        self.limits = Limits(self.limits.left(), self.expired, work=TRIAL_WORK)
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
