"""Questions to the state equation: a marking of a certain kind, and what refutes or realises it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from math import ceil

from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.linear.check import check_refutation
from petri_cli.soundness.linear.equation import equation_of
from petri_cli.soundness.linear.proof import Literal, Refutation, Row
from petri_cli.soundness.linear.refute import Search
from petri_cli.soundness.linear.relaxation import GaveUp, Solution
from petri_cli.soundness.linear.traps import marked_trap
from petri_cli.soundness.linear.walks import Run, Walk, Walker, realise
from petri_cli.soundness.timer import Deadline, never

ROUNDS = 30
"""Traps added to one question."""

Wanted = Callable[[Walk], bool]
"""Whether a run has come to a marking of the kind that is asked for."""


@dataclass(frozen=True, slots=True)
class Found:
    """What became of a question: a checked ``proof`` that there is no such marking, a ``run`` to one, or neither."""

    proof: Refutation | None = None
    run: Run | None = None


class Questions:
    """The state equation of a net and the questions put to it. Traps that were added stay."""

    def __init__(self, compiled: CompiledNet, deadline: Deadline = never) -> None:
        self.compiled = compiled
        self.walker = Walker(compiled)
        self.equation = equation_of(compiled)
        self.search = Search(self.equation, deadline=deadline)

    def sum_of(self, places: Collection[int], side: int, bound: int) -> Literal:
        """That the tokens on ``places`` together are ≤ (side +1) or ≥ (side -1) ``bound``."""
        return self.search.add_row(Row(dict.fromkeys(places, 1), Literal("row", -1, side, bound), "goal"))

    def ask(self, goal: Sequence[Literal], stuck: Sequence[int], differs: Sequence[Literal], wanted: Wanted) -> Found:
        """Whether a marking satisfies ``goal``, one of ``differs`` (if there are any), and disables ``stuck``.

        As long as a solution is found that no run seems to come to, a trap that it empties is added.
        """
        for _ in range(ROUNDS):
            try:
                answer = self.search.refute(goal, stuck, differs)
            except GaveUp:
                return Found()
            if isinstance(answer, Refutation):
                check_refutation(self.equation, answer)
                return Found(proof=answer)
            run = realise(self.walker, [ceil(x) for x in answer.counts], wanted)
            if run is not None:
                return Found(run=run)
            if not self._add_trap(answer):
                return Found()
        return Found()

    def _add_trap(self, answer: Solution) -> bool:
        row = marked_trap(self.equation, (p for p, n in enumerate(answer.marking) if not n))
        if row is not None:
            self.search.assume(self.search.add_row(row))
        return row is not None
