"""From a deadlock of the search to a run of the plan's workflow net."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from petri_cli.errors import PetriError
from petri_cli.plan.lower import lower_workflow
from petri_cli.plan.model import Foreach
from petri_cli.soundness.core import Core, Kind
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.decide import Question, Witness
from petri_cli.soundness.game import Board
from petri_cli.soundness.lift import Lift, play, scope_of, way_to
from petri_cli.soundness.timer import Deadline, OutOfTime

BRIEF_STATES = 300
BRIEF_ACTIONS = 500
"""States in which a shorter run of the search net is looked for, and actions of the largest such net."""
SHOWN = 1_000_000
"""Elements of the largest workflow net on which a run is replayed."""


class NotShown(Exception):
    """The workflow net at the widths of a deadlock is too large to replay it."""


class Replayer:
    """Replays what a search found on the workflow net of the plan, at the capacities of the question."""

    def __init__(self, core: Core, expired: Deadline) -> None:
        self.core = core
        self.plan = core.plan
        self.expired = expired
        self._boards: dict[tuple[tuple[int, ...], tuple[tuple[str, int], ...]], Board] = {}

    def board(self, question: Question, widths: Mapping[str, int]) -> Board:
        """The workflow net at these widths, the last one kept. Raises OutOfTime, NotShown."""
        key = (question.capacities, tuple(sorted(widths.items())))
        if key not in self._boards:
            self._boards.clear()
            plan = self.plan
            if question.capacities != self.core.capacities:
                changed = zip(plan.resources, question.capacities, strict=True)
                plan = replace(plan, resources=tuple(replace(r, capacity=c) for r, c in changed))
            try:
                lowered = lower_workflow(plan, widths, default_width=0, most=SHOWN, deadline=self.expired)
            except TimeoutError as e:
                raise OutOfTime from e
            except PetriError as e:
                raise NotShown from e
            self._boards[key] = Board(plan, lowered)
        return self._boards[key]

    def lift(self, question: Question, witness: Witness) -> Lift | None:
        """A witness as a run of the plan's workflow net that ends dead; None when it ends in the final marking. Raises
        OutOfTime, NotShown."""
        skeleton = witness.skeleton
        if skeleton is None:  # go straight to the guard whose request can never be met
            board = self.board(question, self.first_items(witness.guard))
            story = way_to(self.plan, witness.guard)
            told_to = {m.node for m, _ in story}
            return play(board, story, told_to, scope_of(self.plan, witness.guard), self.expired)
        if not witness.told:
            raise NotShown
        part = skeleton.part
        root = self.core.nodes[part.root].plan
        told = skeleton.told(self.brief(witness), self.expired)
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
        if len(net.actions) > BRIEF_ACTIONS:
            return witness.run
        found = find_deadlock(net, final=net.final, max_states=BRIEF_STATES, deadline=self.expired, shortest=True)
        return found.run or witness.run

    def confirm(self, question: Question, witness: Witness) -> bool:
        """Whether a candidate is a deadlock of the plan; what could not be replayed is not known to be one."""
        try:
            return self.lift(question, witness) is not None
        except (OutOfTime, NotShown):
            return False

    def first_items(self, index: int) -> dict[str, int]:
        """Width 1 for each foreach around a node."""
        return {n.id: 1 for n in self.plan.ancestors(index) if isinstance(n, Foreach)}


def needs_no_replay(witness: Witness) -> bool:
    """Whether a deadlock of the search is one of the plan for certain: no literal list was searched at less than its
    length (statement E)."""
    skeleton = witness.skeleton
    if skeleton is None:
        return True
    nodes = skeleton.part.core.plan.nodes
    lists = [n for n in skeleton.part.nodes if n.kind is Kind.FOREACH and n.literal]
    return all(skeleton.widths[nodes[n.plan].id] == n.limit for n in lists)
