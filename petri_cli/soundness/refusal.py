"""Why a plan is refused: from a deadlock of the search to a replayed run, its explanation, and the way out.

Imported only where a search found something; a sound plan never pays for it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from petri_cli.net.compiled import compile_net
from petri_cli.net.firing import Step, is_dead, replay
from petri_cli.plan.lower import lower_workflow
from petri_cli.plan.model import Foreach
from petri_cli.soundness.census import census
from petri_cli.soundness.core import Core
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.decide import Decision, Limits, Question, Witness, decide
from petri_cli.soundness.game import Board
from petri_cli.soundness.lift import Lift, in_document_order, play, scope_of, way_to
from petri_cli.soundness.result import Condition, Counterexample, Counts, Result, Verdict
from petri_cli.soundness.smallest import Remedy, lacked, smallest_capacity, smallest_widths
from petri_cli.soundness.spare import without_spare_steps
from petri_cli.soundness.story import tell
from petri_cli.soundness.waits import Standstill, standstill

SHORTEST_ACTIONS = 200
SHORTEST_WORK = 100_000
"""How far a shortest run is looked for: nets of so many actions, states times actions. Past that the run is one from
which no step can be taken away."""
SPARE_STEPS = 5_000
"""Longer runs are shown as they are found."""
BRIEF_STATES = 300
"""States in which a shorter run of the search net is looked for."""
TRIAL_WORK = 50_000
"""States times moves spent in all on the smallest capacities."""
TRIAL_COST = 10
"""What one trial costs beside its search, for each node of the core, in the same measure."""


class Replayer:
    """Replays what a search found on the workflow net of the plan, at the capacities of the question."""

    def __init__(self, core: Core, expired: Callable[[], bool]) -> None:
        self.core = core
        self.plan = core.plan
        self.expired = expired
        self._boards: dict[tuple[tuple[int, ...], tuple[tuple[str, int], ...]], Board] = {}

    def board(self, question: Question, widths: Mapping[str, int]) -> Board:
        """The workflow net at these widths, the last one kept."""
        key = (question.capacities, tuple(sorted(widths.items())))
        if key not in self._boards:
            plan = self.plan
            if question.capacities != self.core.capacities:
                changed = zip(plan.resources, question.capacities, strict=True)
                plan = replace(plan, resources=tuple(replace(r, capacity=c) for r, c in changed))
            self._boards = {key: Board(plan, lower_workflow(plan, widths, default_width=0))}
        return self._boards[key]

    def lift(self, question: Question, witness: Witness) -> Lift | None:
        """A witness as a run of the plan's workflow net that ends dead; None when it ends in the final marking."""
        skeleton = witness.skeleton
        if skeleton is None:  # go straight to the guard whose request can never be met
            board = self.board(question, self.first_items(witness.guard))
            story = way_to(self.plan, witness.guard)
            told_to = {m.node for m, _ in story}
            return play(board, story, told_to, scope_of(self.plan, witness.guard), self.expired)
        part = skeleton.part
        root = self.core.nodes[part.root].plan
        told = skeleton.told(self.brief(witness))
        skipped = {self.plan.nodes[m.node].id: 0 for m, _ in told if m.what == "skip"}
        board = self.board(question, {**self.first_items(root), **skeleton.widths, **skipped})
        story = [*way_to(self.plan, root), *(step for step in told if step[0].what != "skip")]
        controlled = skeleton.controlled() | {m.node for m, _ in story}
        scope = scope_of(self.plan, root, (self.core.nodes[b].plan for b in part.branches))
        return play(board, story, controlled, scope, self.expired)

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


def refuse(question: Question, decision: Decision, limits: Limits, replayer: Replayer) -> Result | None:
    """The answer for a plan that ``decision`` found to deadlock; ``stats`` are left to the caller. None when no run
    could be replayed on the plan: then nothing is claimed."""
    return _Refusal(question, limits, replayer).result(decision)


@dataclass(slots=True)
class _Refusal:
    question: Question
    limits: Limits
    replayer: Replayer

    def decide(self, question: Question) -> Decision:
        if self.limits.work is not None:
            self.limits.work -= TRIAL_COST * len(question.core.nodes)
            if self.limits.work < 0:
                return Decision(Verdict.UNKNOWN, "search", stopped="states")
        return decide(question, self.limits, self.replayer.confirm)

    def again(self) -> Result | None:
        decision = self.decide(self.question)
        return self.result(decision) if decision.verdict is Verdict.UNSOUND else None

    def result(self, decision: Decision) -> Result | None:
        """The refusal; None when the deadlock could not be replayed."""
        question, plan = self.question, self.replayer.plan
        limits, decision, exact = smallest_widths(question, decision, self.decide, self.limits.expired)
        assert decision.witness is not None  # noqa: S101
        lift = self.replayer.lift(replace(question, limits=limits), decision.witness)
        if lift is None and not question.exact:
            # a literal list is longer than the cut-off: search again at the length that it has
            return _Refusal(replace(question, exact=True), self.limits, self.replayer).again()
        if lift is None:
            return None
        run, shortest = self.shorten(lift)
        lowered = lift.board.lowered
        steps = [Step(lift.board.transitions[a].id) for a in in_document_order(lift.board, run)]
        marking = replay(lowered.net, steps)[-1]
        self.check(lift, marking)
        told = standstill(plan, lowered, [s.transition for s in steps], marking)
        counts = census(plan, lowered)
        wanted = lacked(question, told.waits)
        remedies = self.remedies(question, told, wanted)
        widths = {plan.nodes[i].id: w for i, w in limits.items()} if exact else {}
        detail = list(_remedy_notes(remedies))
        open_ = {question.core.resources[r] for r in wanted} - {r.resource for r in remedies}
        if open_:
            detail.append(f"the smallest sufficient capacity of {', '.join(sorted(open_))} was not worked out")
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
                lowered.net,
                tuple(steps),
                dict(sorted(marking.items())),
                told.sentence,
                shortest=shortest,
                waits=told.waits,
                lanes=told.lanes,
                told=tell(plan, lowered, [s.transition for s in steps]),
            ),
            smallest_width=widths,
            smallest_capacity={r.resource: r.capacity for r in remedies},
            counts=counts,
            detail=tuple(detail),
        )

    def shorten(self, lift: Lift) -> tuple[tuple[int, ...], bool]:
        """A shortest run to a dead marking where one is found soon, else the one at hand without a step to spare."""
        if len(lift.board.transitions) <= SHORTEST_ACTIONS:
            net = compile_net(lift.board.net)
            states = SHORTEST_WORK // len(net.actions)
            found = find_deadlock(net, final=net.final, max_states=states, deadline=self.limits.expired, shortest=True)
            if found.run is not None:
                return found.run, True
        if len(lift.run) > SPARE_STEPS:
            return lift.run, False
        return without_spare_steps(lift, self.limits.expired), False

    @staticmethod
    def check(lift: Lift, marking: Mapping[str, int]) -> None:
        """The plain firing rule has the last word: the marking is dead, and not the final one."""
        net = lift.board.net
        if not is_dead(net, marking) or marking == dict(net.final or {}):
            raise AssertionError("a counterexample did not replay")

    def remedies(self, question: Question, told: Standstill, wanted: Sequence[int]) -> list[Remedy]:
        """The smallest capacity of each resource that somebody lacks, as far as a small budget goes."""
        self.limits = Limits(self.limits.left(), self.limits.expired, work=TRIAL_WORK)
        found = (smallest_capacity(question, r, told.waits, self.decide) for r in wanted)
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
