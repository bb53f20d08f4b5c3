"""What a search for alignments asks of a model: where it starts, what an event costs from there, and what is left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

NEVER = 1 << 60
"""The cost of what cannot be done (within the slack that was given)."""


class OutOfStates(Exception):
    """The budget is spent: what was asked for has no exact answer."""


class Runs(Protocol):
    """The runs of a model, as far as alignments need to tell them apart. States and labels are small integers.

    States are *lazy*: a step of the model alone is taken only when a later match, or the end, needs it. No optimal
    alignment is lost: any other such step can be put off past the match, since in a place/transition net a firing that
    nobody needs takes nothing away by not happening yet.
    """

    start: int

    def after(self, state: int, label: int, slack: int) -> Sequence[tuple[int, int]]:
        """(cost, state) for each way to match an event of ``label`` next, by cost; those up to ``slack`` at least."""
        ...

    def allowed(self, state: int) -> int:
        """The labels that can be matched next at no cost, as a bit mask."""
        ...

    def finish(self, state: int, slack: int) -> int:
        """The least cost from ``state`` to the end; ``NEVER`` where it is impossible, or not known to be within
        ``slack``."""
        ...

    def explain(self, path: Sequence[tuple[int, int, int]]) -> tuple[list[list[int]], list[int]]:
        """The actions behind answers of ``after`` one upon the other, each as (label, cost, state), and behind the
        answer of ``finish`` from the last state: silent and skipped ones, then each time the match itself."""
        ...
