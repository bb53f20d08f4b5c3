"""Alignments against a slow search of the whole product of trace and net."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.errors import PetriError
from petri_cli.mining.alignments import Alignments, align
from petri_cli.mining.log import log_of
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.token_replay import token_replay
from tests.oracle.alignments import cheapest, check_moves
from tests.strategies.models import any_model, block_model, read_everything, traces

SEEDS = st.integers(0, 2**32 - 1)
MANY = 1_500
ROOT = Path(__file__).parents[2]


def agrees(model: LabelledNet, rng: Random) -> Alignments | None:
    """Align some traces and compare each with the reference; None where that gives up, or no run is complete."""
    given_traces = traces(rng)
    try:
        wanted = {t: cheapest(model, t, MANY) for t in given_traces}
    except OverflowError:
        return None
    log = log_of(given_traces)
    if None in wanted.values():
        try:
            align(log, model)
        except PetriError as error:
            assert error.code == "PETRI_NO_COMPLETE_RUN"
            return None
        raise AssertionError("no run is complete, and nobody says so")
    aligned = align(log, model)
    for k, variant in enumerate(log.variants):
        trace = tuple(log.named(variant))
        assert aligned.lower[k] == aligned.upper[k] == wanted[trace]
        moves = aligned.moves(k)
        assert moves is not None
        assert check_moves(model, trace, moves) == wanted[trace]
    return aligned


@settings(deadline=None, derandomize=True, max_examples=80)
@given(SEEDS, st.booleans())
def test_costs_of_block_structured_nets_equal_the_reference(seed: int, duplicates: bool) -> None:
    rng = Random(seed)  # noqa: S311
    aligned = agrees(block_model(rng, duplicates=duplicates), rng)
    assert aligned is None or aligned.solved.markings is None


@settings(deadline=None, derandomize=True, max_examples=100)
@given(SEEDS, st.booleans())
def test_costs_of_nets_with_resources_equal_the_reference(seed: int, duplicates: bool) -> None:
    rng = Random(seed)  # noqa: S311
    agrees(block_model(rng, duplicates=duplicates, guards=True), rng)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(SEEDS, st.booleans())
def test_what_a_state_allows_is_what_can_be_matched_there_at_no_cost(seed: int, duplicates: bool) -> None:
    """Of a block-structured net all states that the alignments of some traces came by are looked at."""
    rng = Random(seed)  # noqa: S311
    aligned = align(log_of(traces(rng)), block_model(rng, duplicates=duplicates))
    runs = aligned.solved.blocks
    assert runs is not None
    for state in range(len(runs.states)):
        free = [a for a in range(len(aligned.prepared.labels.names)) if any(c == 0 for c, _ in runs.after(state, a, 0))]
        assert runs.allowed(state) == sum(1 << a for a in free)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(SEEDS)
def test_the_search_over_markings_gives_the_costs_that_the_blocks_give(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    aligned = agrees(read_everything(block_model(rng)), rng)
    assert aligned is None or aligned.solved.markings is not None


@settings(deadline=None, derandomize=True, max_examples=200)
@given(SEEDS, st.booleans())
def test_costs_of_any_net_equal_the_reference(seed: int, special: bool) -> None:
    rng = Random(seed)  # noqa: S311
    agrees(any_model(rng, special=special), rng)


@settings(deadline=None, derandomize=True, max_examples=150)
@given(SEEDS, st.booleans(), st.integers(1, 60))
def test_what_a_budget_cuts_is_an_interval_that_holds_the_cost(seed: int, blocks: bool, budget: int) -> None:
    rng = Random(seed)  # noqa: S311
    model = block_model(rng) if blocks else any_model(rng)
    given_traces = traces(rng)
    try:
        wanted = {t: cheapest(model, t, MANY) for t in given_traces}
        log = log_of(given_traces)
        aligned = align(log, model, max_states=budget)
    except (OverflowError, PetriError):
        return
    for k, variant in enumerate(log.variants):
        cost, low, high = wanted[tuple(log.named(variant))], aligned.lower[k], aligned.upper[k]
        if cost is None:
            assert aligned.cut
            continue
        assert low <= cost
        assert high is None or cost <= high
        assert aligned.cut or low == high
        at_least, at_most = aligned.fitness_of(k)
        assert 0 <= at_least <= at_most <= 1


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=60)
@given(SEEDS, st.booleans())
def test_a_trace_costs_nothing_exactly_when_a_replay_finds_it_to_fit(seed: int, blocks: bool) -> None:
    rng = Random(seed)  # noqa: S311
    model = block_model(rng, duplicates=True) if blocks else any_model(rng)
    log = log_of(traces(rng, 6, 4))
    try:
        aligned = align(log, model, max_states=MANY)
    except PetriError:
        return
    with pytest.MonkeyPatch.context() as patch:  # what one search finds in so few states, the other finds in a few more
        patch.setattr("petri_cli.mining.token_replay.MAX_STATES", 20 * MANY)
        replay = token_replay(log, model)
    for k, fits in enumerate(replay.fits):
        if aligned.lower[k] == aligned.upper[k] and fits is not None:
            assert fits == (aligned.upper[k] == 0)
            assert fits == (replay.counts[k].fitness == 1)


@pytest.mark.slow
@settings(deadline=None, derandomize=True, max_examples=50)
@given(SEEDS)
def test_the_order_of_the_cases_changes_nothing(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    model = block_model(rng)
    given_traces = traces(rng, 8)
    mixed = rng.sample(given_traces, len(given_traces))
    first, second = align(log_of(given_traces), model), align(log_of(mixed), model)
    assert (first.cost(), first.fitness(), first.unknown) == (second.cost(), second.fitness(), second.unknown)
    told = {tuple(first.log.named(v)): first.moves(k) for k, v in enumerate(first.log.variants)}
    assert told == {tuple(second.log.named(v)): second.moves(k) for k, v in enumerate(second.log.variants)}
    one, other = token_replay(log_of(given_traces), model), token_replay(log_of(mixed), model)
    assert (one.total, one.missing, one.remaining) == (other.total, other.missing, other.remaining)


SHOWN = """
from random import Random
from petri_cli.mining.alignments import align
from petri_cli.mining.deviations import deviations, place_deviations
from petri_cli.mining.log import log_of
from petri_cli.mining.precision import precision
from petri_cli.mining.token_replay import token_replay
from tests.strategies.models import block_model, read_everything, traces
for seed in range(12):
    rng = Random(seed)  # noqa: S311
    model = block_model(rng, duplicates=True)
    if seed % 3 == 0:
        model = read_everything(model)
    log = log_of(traces(rng, 6))
    aligned, replay = align(log, model), token_replay(log, model)
    print(aligned, [aligned.moves(k) for k in range(len(log.variants))], replay)
    print(deviations(aligned), place_deviations(replay), precision(aligned))
"""


@pytest.mark.slow
def test_the_answers_do_not_depend_on_the_hash_seed() -> None:
    said = set()
    for seed in ("0", "1", "2", "77", "4242"):
        env = {**os.environ, "PYTHONHASHSEED": seed}
        run = subprocess.run([sys.executable, "-c", SHOWN], cwd=ROOT, env=env, capture_output=True, check=True)
        said.add(run.stdout)
    assert len(said) == 1
