"""Exact optimal alignments of a log with a net: the least number of events and steps that do not match.

An alignment pairs the events of a trace with the steps of a complete run of the net. A move on the log alone costs 1, a
visible step of the model alone 1, a silent one nothing, a match nothing (Adriansyah, "Aligning Observed and Modeled
Behavior", 2014, section 4.3). A trace fits exactly when its cost is 0.

Block-structured nets are folded into their blocks first (:mod:`petri_cli.mining.alignments_blocks`); any other net is
searched by marking (:mod:`petri_cli.mining.alignments_net_runs`). Both give the same costs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from math import fsum

from petri_cli.errors import PetriError
from petri_cli.mining.alignments_block_runs import BlockRuns
from petri_cli.mining.alignments_blocks import blocks_of
from petri_cli.mining.alignments_net_runs import NetRuns
from petri_cli.mining.alignments_path import MatchStep, optimal_path
from petri_cli.mining.alignments_runs import NEVER, OutOfStates, Runs
from petri_cli.mining.alignments_search import Found, search
from petri_cli.mining.log import Log, Trace
from petri_cli.mining.model import LabelledNet
from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.start import start_of
from petri_cli.soundness.packed import Overflow, PackedNet, with_room
from petri_cli.soundness.shape import target_of
from petri_cli.soundness.timer import Deadline, never

MAX_STATES = 5_000_000
"""Markings, and entries of layers, past which the search answers with intervals."""


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


@dataclass(frozen=True, slots=True)
class Labels:
    """The activities of a net as numbers. of_action: action → label, None for silent; of_activity: activity of the log
    → label, None where the net lacks it."""

    names: tuple[str, ...]
    of_action: tuple[int | None, ...]
    of_activity: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class Alignments:
    """Costs by variant, as intervals: ``lower[k] <= cost <= upper[k]``; equal where the search was not cut.

    upper: None where no complete run of the net is known at all. shortest: visible steps of the shortest complete run
    (None: none was found). unknown: activities of the log that no transition has, with the number of events. cut: the
    budget ran out.
    """

    log: Log
    model: LabelledNet
    lower: tuple[int, ...]
    upper: tuple[int | None, ...]
    shortest: int | None
    unknown: Mapping[str, int]
    cut: bool
    compiled: CompiledNet = field(repr=False, compare=False)
    labels: Labels = field(repr=False, compare=False)
    runs: Runs = field(repr=False, compare=False)

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
        low, high = self.lower[variant], self.upper[variant]
        if high is None or self.shortest is None:
            return 0.0, 1.0
        worst = len(self.log.variants[variant]) + self.shortest
        return (1 - high / worst, 1 - low / worst) if worst else (1.0, 1.0)

    def fitness(self) -> tuple[float, float]:
        """The mean of the cases' fitness: (lower, upper). Of an empty log 1. Rounded once, whatever the order."""
        n = self.log.n_cases
        if not n or self.cost() == (0, 0):
            return 1.0, 1.0
        pairs = [self.fitness_of(k) for k in range(len(self.lower))]
        low, high = (fsum(c * p[i] for c, p in zip(self.log.counts, pairs, strict=True)) / n for i in (0, 1))
        return low, high

    def fitting_cases(self) -> tuple[int, int]:
        """Cases of cost 0: (those known to fit, those that may)."""
        counts = self.log.counts
        known = sum(n for n, high in zip(counts, self.upper, strict=True) if high == 0)
        return known, sum(n for n, low in zip(counts, self.lower, strict=True) if low == 0)

    def moves(self, variant: int) -> Sequence[Move] | None:
        """An optimal alignment, the same one at every call; None where the search was cut before it found one."""
        high = self.upper[variant]
        if high is None or high != self.lower[variant]:
            return None
        trace = self.log.variants[variant]
        projected = _projected(trace, self.labels)
        try:
            steps = optimal_path(self.runs, projected, high - (len(trace) - len(projected)))
        except (OutOfStates, Overflow):
            return None
        return self._told(trace, steps)

    def _told(self, trace: Trace, steps: Sequence[MatchStep]) -> list[Move]:
        """Steps of the projected trace as moves of the whole one."""
        of_activity, names = self.labels.of_activity, self.log.activities
        moves: list[Move] = []
        at = 0
        for step in steps:
            while at < len(trace) and step.event and of_activity[trace[at]] is None:
                moves.append(Move(Kind.LOG, names[trace[at]], None))
                at += 1
            moves.extend(self._alone(a) for a in step.alone)
            if step.event:
                activity = names[trace[at]]
                at += 1
                if step.action is None:
                    moves.append(Move(Kind.LOG, activity, None))
                else:
                    moves.append(Move(Kind.SYNC, activity, self.compiled.actions[step.action].step.transition))
            else:
                moves.extend(Move(Kind.LOG, names[a], None) for a in trace[at:])
        return moves

    def _alone(self, action: int) -> Move:
        label = self.labels.of_action[action]
        transition = self.compiled.actions[action].step.transition
        if label is None:
            return Move(Kind.SILENT, None, transition)
        return Move(Kind.MODEL, self.labels.names[label], transition)


def align(log: Log, model: LabelledNet, *, max_states: int = MAX_STATES, deadline: Deadline = never) -> Alignments:
    """Align every variant of ``log`` with ``model``.

    The end is the net's final marking, or one token on its sink. Raises PetriError ``PETRI_NOT_WORKFLOW_NET`` where it
    has neither, and ``PETRI_NO_COMPLETE_RUN`` where no run of the net reaches it. What the budget does not suffice for
    is answered with an interval.
    """
    compiled = compile_net(target_of(start_of(model.net).net).net)
    labels = _labels(compiled, model, log)
    traces: dict[Trace, int] = {}
    place = [traces.setdefault(_projected(v, labels), len(traces)) for v in log.variants]
    distinct = list(traces)
    blocks = blocks_of(compiled)
    if blocks is not None:
        by_block = BlockRuns(blocks, labels.of_action, len(labels.names))
        runs, shortest, found, cut = _search(by_block, distinct, max_states, deadline)
    else:
        runs, shortest, found, cut = _search_markings(compiled, labels, distinct, max_states, deadline)
    extra = [len(v) - len(distinct[k]) for v, k in zip(log.variants, place, strict=True)]
    upper = [found.upper[k] for k in place]
    unknown: dict[str, int] = {}
    for trace, n in log:
        for a in trace:
            if labels.of_activity[a] is None:
                unknown[log.activities[a]] = unknown.get(log.activities[a], 0) + n
    return Alignments(
        log,
        model,
        tuple(found.lower[k] + e for k, e in zip(place, extra, strict=True)),
        tuple(None if high >= NEVER else high + e for high, e in zip(upper, extra, strict=True)),
        None if shortest >= NEVER else shortest,
        dict(sorted(unknown.items())),
        cut,
        compiled,
        labels,
        runs,
    )


Answer = tuple[Runs, int, Found, bool]
"""(runs, cost of the shortest complete run, costs, whether the search was cut)"""


def _search(runs: Runs, traces: Sequence[Trace], max_states: int, deadline: Deadline) -> Answer:
    try:
        shortest = runs.finish(runs.start, NEVER)
    except OutOfStates:
        return runs, NEVER, Found([0] * len(traces), [NEVER] * len(traces)), True
    if shortest >= NEVER:
        message = "no run of the net reaches its final marking, so there is nothing to align with"
        raise PetriError("PETRI_NO_COMPLETE_RUN", message, hint="`petri analyze` shows where its runs get stuck")
    return (runs, shortest, *search(runs, traces, shortest, max_states, deadline))


def _search_markings(
    compiled: CompiledNet, labels: Labels, traces: Sequence[Trace], max_states: int, deadline: Deadline
) -> Answer:
    """The same over markings; a place that outgrows the widest field cuts the search like any other budget."""
    last: list[NetRuns] = []

    def attempt(packed: PackedNet) -> Answer:
        runs = NetRuns(packed, labels.of_action, len(labels.names), max_states, deadline)
        last[:] = [runs]
        return _search(runs, traces, max_states, deadline)

    try:
        return with_room(compiled, attempt)
    except Overflow:
        return last[0], NEVER, Found([0] * len(traces), [NEVER] * len(traces)), True


def _labels(compiled: CompiledNet, model: LabelledNet, log: Log) -> Labels:
    code: dict[str, int] = {}
    of_action: list[int | None] = []
    for a in compiled.actions:
        label = model.labels.get(a.step.transition)
        of_action.append(None if label is None else code.setdefault(label, len(code)))
    return Labels(tuple(code), tuple(of_action), tuple(code.get(name) for name in log.activities))


def _projected(trace: Trace, labels: Labels) -> Trace:
    """The events that the net knows, as labels."""
    of_activity = labels.of_activity
    return tuple([label for a in trace if (label := of_activity[a]) is not None])
