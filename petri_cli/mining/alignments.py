"""Exact optimal alignments of a log with a net: the least number of events and steps that do not match.

An alignment pairs the events of a trace with the steps of a complete run of the net. A move on the log alone costs 1, a
visible step of the model alone 1, a silent one nothing, a match nothing (Adriansyah, "Aligning Observed and Modeled
Behavior", 2014, section 4.3). A trace fits exactly when its cost is 0.

Block-structured nets are folded into their blocks first (:mod:`petri_cli.mining.alignments_blocks`), and so are those
that become block-structured without their resources (:mod:`petri_cli.mining.alignments_resources`); any other net is
searched by marking (:mod:`petri_cli.mining.alignments_net_runs`). All give the same costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import fsum, nextafter

from petri_cli.mining.alignments_model import Prepared, prepare
from petri_cli.mining.alignments_path import MatchStep
from petri_cli.mining.alignments_runs import NEVER
from petri_cli.mining.alignments_solve import Solved, solve
from petri_cli.mining.log import Log, Trace
from petri_cli.mining.model import LabelledNet
from petri_cli.soundness.timer import Deadline, never

MAX_STATES = 5_000_000
"""Markings, and entries of layers, past which the search answers with intervals."""
JUST_BELOW = nextafter(1.0, 0.0)
"""What fitness is at most where something costs something, whatever that is measured against."""


class Kind(Enum):
    """What a move does: both sides, the log alone, a visible step alone, a silent step."""

    SYNC = "sync"
    LOG = "log"
    MODEL = "model"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class Move:
    """One pair of an alignment. activity: of the event or the step; transition: its id, None on the log alone."""

    kind: Kind
    activity: str | None
    transition: str | None


class Aligned:
    """A log that was aligned, variant by variant: with one net, or with one for each of its parts.

    Costs as intervals: ``lower[k] <= cost <= upper[k]``; equal where the search was not cut. upper: None where no
    complete run of the net is known at all. unknown: activities of the log that no transition has, with the number of
    events.
    """

    __slots__ = ()
    log: Log
    lower: tuple[int, ...]
    upper: tuple[int | None, ...]
    unknown: Mapping[str, int]

    @property
    def exact(self) -> bool:
        """Whether every cost is known to the last digit."""
        return self.lower == self.upper

    def cost(self) -> tuple[int, int | None]:
        """Total over all cases: (lower, upper)."""
        counts = self.log.counts
        least = sum(n * low for n, low in zip(counts, self.lower, strict=True))
        if any(n and high is None for n, high in zip(counts, self.upper, strict=True)):
            return least, None
        return least, sum(n * (high or 0) for n, high in zip(counts, self.upper, strict=True))

    def fitness_of(self, variant: int) -> tuple[float, float]:
        """1 − cost / (length of the trace + shortest complete run): (lower, upper). Without a run it is [0, 1]."""
        raise NotImplementedError

    def moves(self, variant: int) -> Sequence[Move] | None:
        """An optimal alignment, the same one at every call; None where the search was cut before it found one."""
        raise NotImplementedError

    def has(self, activity: str) -> bool:
        """Whether a net has the activity at all."""
        raise NotImplementedError

    def fitness(self) -> tuple[float, float]:
        """The mean of the cases' fitness: (lower, upper). Of an empty log 1. Rounded once, whatever the order."""
        n = self.log.n_cases
        if not n or self.cost() == (0, 0):
            return 1.0, 1.0
        pairs = [self.fitness_of(k) for k in range(len(self.lower))]
        low, high = (fsum(c * p[i] for c, p in zip(self.log.counts, pairs, strict=True)) / n for i in (0, 1))
        return low, high if self.fitting_cases()[1] == n else min(high, JUST_BELOW)

    def fitting_cases(self) -> tuple[int, int]:
        """Cases of cost 0: (those known to fit, those that may)."""
        counts = self.log.counts
        known = sum(n for n, high in zip(counts, self.upper, strict=True) if high == 0)
        return known, sum(n for n, low in zip(counts, self.lower, strict=True) if low == 0)


@dataclass(frozen=True, slots=True)
class Alignments(Aligned):
    """A log that was aligned with one net. shortest: visible steps of the shortest complete run (None: none was found).
    cut: the budget ran out."""

    log: Log
    model: LabelledNet
    lower: tuple[int, ...]
    upper: tuple[int | None, ...]
    shortest: int | None
    unknown: Mapping[str, int]
    cut: bool
    prepared: Prepared = field(repr=False, compare=False)
    solved: Solved = field(repr=False, compare=False)
    told: dict[int, tuple[Move, Move | None]] = field(default_factory=dict, repr=False, compare=False)
    """Action → the move of the model alone, and the match with an event: made once."""

    def fitness_of(self, variant: int) -> tuple[float, float]:
        """1 − cost / (length of the trace + shortest complete run): (lower, upper). Where no shortest run is known, any
        that is known bounds it."""
        low, high = self.lower[variant], self.upper[variant]
        if high is None or self.shortest is None:
            most = len(self.log.variants[variant]) + self.solved.known_run
            return 0.0, 1.0 if not low else min(1 - low / most, JUST_BELOW)
        worst = len(self.log.variants[variant]) + self.shortest
        return (1 - high / worst, 1 - low / worst) if worst else (1.0, 1.0)

    def moves(self, variant: int) -> Sequence[Move] | None:
        """An optimal alignment, the same one at every call; None where the search was cut before it found one."""
        steps = self.solved.path(self.prepared.trace_of[variant])
        return None if steps is None else self._told(self.log.variants[variant], steps)

    def has(self, activity: str) -> bool:
        """Whether the net has the activity at all."""
        return activity in self.prepared.labels.names

    def _told(self, trace: Trace, steps: Sequence[MatchStep]) -> list[Move]:
        """Steps of the projected trace as moves of the whole one."""
        of_activity, names = self.prepared.labels.of_activity, self.log.activities
        moves: list[Move] = []
        at = 0
        for step in steps:
            while at < len(trace) and of_activity[trace[at]] is None:
                moves.append(Move(Kind.LOG, names[trace[at]], None))
                at += 1
            moves += [self._move(a)[0] for a in step.alone]
            if step.event:
                match = None if step.action is None else self._move(step.action)[1]
                moves.append(match or Move(Kind.LOG, names[trace[at]], None))
                at += 1
        return moves

    def _move(self, action: int) -> tuple[Move, Move | None]:
        known = self.told.get(action)
        if known is None:
            label = self.prepared.labels.of_action[action]
            transition = self.prepared.compiled.actions[action].step.transition
            if label is None:
                known = Move(Kind.SILENT, None, transition), None
            else:
                activity = self.prepared.labels.names[label]
                known = Move(Kind.MODEL, activity, transition), Move(Kind.SYNC, activity, transition)
            self.told[action] = known
        return known


def align(log: Log, model: LabelledNet, *, max_states: int = MAX_STATES, deadline: Deadline = never) -> Alignments:
    """Align every variant of ``log`` with ``model``.

    The end is the net's final marking, or one token on its sink. Raises PetriError ``PETRI_NOT_WORKFLOW_NET`` where it
    has neither, and ``PETRI_NO_COMPLETE_RUN`` where no run of the net reaches it. What the budget does not suffice for
    is answered with an interval.
    """
    prepared = prepare(log, model)
    solved = solve(prepared, max_states, deadline)
    lower: list[int] = []
    upper: list[int | None] = []
    for variant, k in zip(log.variants, prepared.trace_of, strict=True):
        extra = len(variant) - len(prepared.traces[k])
        lower.append(solved.found.lower[k] + extra)
        upper.append(None if solved.found.upper[k] >= NEVER else solved.found.upper[k] + extra)
    shortest = None if solved.shortest >= NEVER else solved.shortest
    return Alignments(log, model, tuple(lower), tuple(upper), shortest, prepared.unknown, solved.cut, prepared, solved)
