"""Exact optimal alignments of a log with a net: the least number of events and steps that do not match.

An alignment pairs the events of a trace with the steps of a complete run of the net. A move on the log alone costs 1, a
visible step of the model alone 1, a silent one nothing, a match nothing (Adriansyah, "Aligning Observed and Modeled
Behavior", 2014, section 4.3). A trace fits exactly when its cost is 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet
from petri_cli.soundness.timer import Deadline, never

MAX_STATES = 5_000_000
"""Entries of all layers together past which the search answers with intervals."""


class Kind(Enum):
    """What a move does: both sides, the log alone, a visible step alone, a silent step."""

    SYNC = "sync"
    LOG = "log"
    MODEL = "model"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Move:
    """One pair of an alignment. activity: of the event or the step; transition: id in the net, None on the log alone."""

    kind: Kind
    activity: str | None
    transition: str | None


@dataclass(frozen=True, slots=True)
class Alignments:
    """Costs by variant, as intervals: ``lower[k] <= cost <= upper[k]``; equal where the search was not cut.

    upper: None where no complete run of the net is known at all. shortest: visible steps of the shortest complete run
    (None: not found). unknown: activities of the log that no transition has, with the number of events.
    """

    log: Log
    model: LabelledNet
    lower: tuple[int, ...]
    upper: tuple[int | None, ...]
    shortest: int | None
    unknown: dict[str, int]

    @property
    def exact(self) -> bool:
        """Whether every cost is known to the last digit."""
        raise NotImplementedError

    def cost(self) -> tuple[int, int | None]:
        """Total over all cases: (lower, upper)."""
        raise NotImplementedError

    def fitness_of(self, variant: int) -> tuple[float, float]:
        """1 − cost / (length of the trace + shortest complete run): (lower, upper)."""
        raise NotImplementedError

    def fitness(self) -> tuple[float, float]:
        """The mean of the cases' fitness: (lower, upper)."""
        raise NotImplementedError

    def fitting_cases(self) -> tuple[int, int]:
        """Cases of cost 0: (those known to fit, those that may)."""
        raise NotImplementedError

    def moves(self, variant: int) -> Sequence[Move] | None:
        """An optimal alignment, the same one at every call; None where the cost is not exact."""
        raise NotImplementedError


def align(log: Log, model: LabelledNet, *, max_states: int = MAX_STATES, deadline: Deadline = never) -> Alignments:
    """Align every variant of ``log`` with ``model``."""
    raise NotImplementedError
