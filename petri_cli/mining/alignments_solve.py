"""Which search answers for which trace: by blocks, by blocks with resources checked afterwards, by markings."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from petri_cli.errors import PetriError
from petri_cli.mining.alignments_any_run import some_run
from petri_cli.mining.alignments_block_runs import BlockRuns
from petri_cli.mining.alignments_blocks import blocks_of
from petri_cli.mining.alignments_model import Prepared
from petri_cli.mining.alignments_net_runs import NetRuns
from petri_cli.mining.alignments_path import MatchStep, optimal_path
from petri_cli.mining.alignments_resources import in_order, resources, without
from petri_cli.mining.alignments_runs import NEVER, OutOfStates, Runs
from petri_cli.mining.alignments_search import Found, search
from petri_cli.mining.log import Trace
from petri_cli.soundness.packed import Overflow, PackedNet, with_room
from petri_cli.soundness.timer import Deadline


@dataclass(slots=True)
class Solved:
    """Costs by distinct trace, and what is needed to tell the alignments.

    found: at least and at most (``NEVER``: nothing known); shortest: cost of the empty trace; cut: whether the budget
    ran out. blocks: the runs by blocks, of the net without the places ``scarce`` where there are such; markings: those
    by marking, where they were asked. by_blocks: whether the first are the ones that know a trace's alignment.
    """

    prepared: Prepared
    found: Found
    shortest: int
    cut: bool
    blocks: BlockRuns | None
    scarce: frozenset[int]
    markings: NetRuns | None
    by_blocks: Sequence[bool]
    known_run: int = NEVER
    """Visible steps of a complete run, where no shortest one is known."""

    def path(self, trace: int) -> list[MatchStep] | None:
        """An optimal alignment of that trace; None where the search was cut before one was found."""
        cost = self.found.upper[trace]
        runs: Runs | None = self.blocks if self.by_blocks[trace] else self.markings
        if runs is None or cost >= NEVER or cost > self.found.lower[trace]:
            return None
        try:
            steps = optimal_path(runs, self.prepared.traces[trace], cost)
        except (OutOfStates, Overflow):
            return None
        return in_order(self.prepared.compiled, self.scarce, steps) if self.by_blocks[trace] and self.scarce else steps


def solve(prepared: Prepared, max_states: int, deadline: Deadline, most: int = NEVER) -> Solved:
    """Align all traces of ``prepared``; those that cost more than ``most`` may stay open.

    Raises PetriError ``PETRI_NO_COMPLETE_RUN`` where no run of the net is complete.
    """
    compiled, labels, traces = prepared.compiled, prepared.labels, prepared.traces
    scarce: frozenset[int] = frozenset()
    blocks = blocks_of(compiled)
    if blocks is None and compiled.plain:
        scarce = resources(compiled)
        blocks = blocks_of(without(compiled, scarce)) if scarce else None
    by_marking = [True] * len(traces)
    found, shortest, cut, runs = Found([0] * len(traces), [NEVER] * len(traces)), NEVER, False, None
    if blocks is not None:
        runs = BlockRuns(blocks, labels.of_action, len(labels.names))
        shortest = runs.finish(runs.start, NEVER)
        found, cut = search(runs, traces, shortest, max_states, deadline, most)
        by_marking = [bool(scarce) and not _fits_in(prepared, runs, scarce, found, k) for k in range(len(traces))]
        if scarce and _ordered(prepared, scarce, runs, (), shortest) is None:
            shortest = NEVER
    rest = [k for k, open_ in enumerate(by_marking) if open_]
    markings, known_run = None, NEVER
    if rest or shortest >= NEVER:
        answer = _by_marking(prepared, [traces[k] for k in rest], max_states, deadline, most, shortest)
        markings, shortest, known_run = answer.runs, min(shortest, answer.shortest), answer.known_run
        cut = cut or answer.cut
        for k, low, high in zip(rest, answer.found.lower, answer.found.upper, strict=True):
            found.upper[k] = min(high, len(traces[k]) + min(shortest, known_run))
            found.lower[k] = min(max(found.lower[k], low), found.upper[k])
    by_blocks = [not open_ for open_ in by_marking]
    return Solved(prepared, found, shortest, cut, runs, scarce, markings, by_blocks, known_run)


def _fits_in(prepared: Prepared, runs: BlockRuns, scarce: frozenset[int], found: Found, trace: int) -> bool:
    """Whether the cheapest run without resources is one with them."""
    cost = found.upper[trace]
    if cost > found.lower[trace]:
        return False
    return _ordered(prepared, scarce, runs, prepared.traces[trace], cost) is not None


def _ordered(
    prepared: Prepared, scarce: frozenset[int], runs: BlockRuns, trace: Trace, cost: int
) -> list[MatchStep] | None:
    return in_order(prepared.compiled, scarce, optimal_path(runs, trace, cost))


@dataclass(slots=True)
class _Answer:
    runs: NetRuns | None
    shortest: int
    found: Found
    cut: bool
    known_run: int = NEVER


def _by_marking(
    prepared: Prepared, traces: Sequence[Trace], max_states: int, deadline: Deadline, most: int, shortest: int
) -> _Answer:
    """Costs over markings. A place that outgrows the widest field cuts the search like any other budget."""
    labels = prepared.labels
    tried: list[PackedNet] = []

    def attempt(packed: PackedNet) -> _Answer:
        tried.append(packed)
        runs = NetRuns(packed, labels.of_action, len(labels.names), max_states, deadline)
        least = shortest if shortest < NEVER else runs.finish(runs.start, NEVER)
        if least >= NEVER:
            message = "no run of the net reaches its final marking, so there is nothing to align with"
            raise PetriError("PETRI_NO_COMPLETE_RUN", message, hint="`petri analyze` shows where its runs get stuck")
        return _Answer(runs, least, *search(runs, traces, least, max_states, deadline, most))

    with suppress(OutOfStates, Overflow):
        return with_room(prepared.compiled, attempt)
    run = some_run(tried[-1], labels.of_action) if shortest >= NEVER else None
    known = NEVER if run is None else run
    return _Answer(None, NEVER, Found([0] * len(traces), [NEVER] * len(traces)), True, known)
