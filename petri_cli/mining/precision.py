"""Precision by escaping edges: how much of what the net allows after a prefix was never seen there.

J. Munoz-Gama and J. Carmona, "A Fresh Look at Precision in Process Conformance", BPM 2010; along alignments as in A.
Adriansyah et al., "Measuring precision of modeled behavior", ISeB 13(1), 2015. Each case is replaced by the run that
its alignment finds, so that deviating cases count as well. Before each visible step of those runs the net allows some
activities; those that no run takes after the same prefix of activities escape.
"""

from __future__ import annotations

from dataclasses import dataclass

from petri_cli.mining.alignments import Alignments, Kind
from petri_cli.mining.alignments_runs import OutOfStates
from petri_cli.mining.alignments_search import Walk
from petri_cli.mining.log import Trace
from petri_cli.mining.trie import by_prefix
from petri_cli.soundness.packed import Overflow
from petri_cli.soundness.timer import Deadline, never

MAX_STATES = 5_000_000
"""Entries of layers past which what is left over is not counted."""


@dataclass(frozen=True, slots=True)
class Precision:
    """allowed: activities that the net allowed, summed over the visible steps of all runs; escaping: those of them that
    no run takes after that prefix; cases: that were counted; left_out: those whose alignment is not known. cut: the
    budget ran out, and there is no value. resources_ignored: what a resource would not have allowed is counted as
    allowed, so that the true value is this one or above."""

    allowed: int
    escaping: int
    cases: int
    left_out: int = 0
    cut: bool = False
    resources_ignored: bool = False

    @property
    def value(self) -> float | None:
        """1 − escaping / allowed: 1 where nothing was allowed; None where it is not known."""
        if self.cut:
            return None
        return 1 - self.escaping / self.allowed if self.allowed else 1.0


def precision(aligned: Alignments, *, deadline: Deadline = never) -> Precision:
    """The precision of the net that ``aligned`` has aligned its log with. Does not depend on the order of cases, nor on
    how the net is drawn: only on the runs that it has."""
    counts: dict[Trace, int] = {}
    left_out = 0
    for k, n in enumerate(aligned.log.counts):
        run = _run(aligned, k)
        if run is None:
            left_out += n
        else:
            counts[run] = counts.get(run, 0) + n
    cases = sum(counts.values())
    solved = aligned.solved
    runs = solved.blocks or solved.markings
    if runs is None or (left_out and not cases):
        return Precision(0, 0, 0, left_out, cut=True)
    try:
        walk = Walk(runs, 0, MAX_STATES, deadline)
        allowed, escaping = _edges(walk, counts)
    except (OutOfStates, Overflow):
        return Precision(0, 0, cases, left_out, cut=True)
    return Precision(allowed, escaping, cases, left_out, resources_ignored=bool(solved.blocks and solved.scarce))


def _run(aligned: Alignments, variant: int) -> Trace | None:
    """The visible steps of the run that the variant is aligned with, as labels."""
    if aligned.upper[variant] == 0:
        return aligned.prepared.traces[aligned.prepared.trace_of[variant]]
    moves = aligned.moves(variant)
    if moves is None:
        return None
    code = {name: k for k, name in enumerate(aligned.prepared.labels.names)}
    return tuple([code[m.activity] for m in moves if m.activity is not None and m.kind is not Kind.LOG])


def _edges(walk: Walk, counts: dict[Trace, int]) -> tuple[int, int]:
    """(allowed, escaping), each summed over steps of runs: a prefix counts once a case that goes on from it."""
    runs = list(counts)
    # per open prefix: [layer, cases that go on, activities taken]
    stack: list[tuple[int, list[int], set[int]]] = []
    allowed = escaping = 0
    allows: dict[int, int] = {}

    def close(depth: int) -> None:
        nonlocal allowed, escaping
        while len(stack) > depth:
            layer, going, taken = stack.pop()
            if not going[0]:
                continue
            if layer not in allows:
                allows[layer] = walk.allowed(layer).bit_count()
            allowed += allows[layer] * going[0]
            escaping += (allows[layer] - len(taken)) * going[0]

    for index, shared in by_prefix(runs):
        close(shared + 1)
        if not stack:
            stack.append((walk.start(), [0], set()))
        run, n = runs[index], counts[runs[index]]
        for _, going, _ in stack[:-1]:
            going[0] += n
        for label in run[len(stack) - 1 :]:
            layer, going, taken = stack[-1]
            going[0] += n
            taken.add(label)
            stack.append((walk.step(layer, label, 0)[0], [0], set()))
    close(0)
    return allowed, escaping
