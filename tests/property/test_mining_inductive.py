"""The inductive miner on logs of random trees: it finds their language again, and whatever it finds fits."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.mining.inductive import inductive
from petri_cli.mining.log import log_of
from tests.process_trees import accepts, draw_word, language, random_tree

SEEDS = st.integers(0, 10**6)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_the_language_of_a_tree_is_found_again_in_a_complete_log(seed: int) -> None:
    """Unique activities, no silent steps, no activity both first and last of a loop's body (section 5)."""
    rng = Random(seed)  # noqa: S311
    tree = random_tree(rng, rng.randint(1, 6))
    log = log_of(sorted({draw_word(tree, rng) for _ in range(400)}))
    assert language(inductive(log), 6) == language(tree, 6), str(tree)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_every_trace_of_any_log_fits(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    words = ["".join(rng.choices("abcde", k=rng.randint(0, 7))) for _ in range(rng.randint(0, 9))]
    found = inductive(log_of(words))
    assert all(accepts(found, tuple(w)) for w in words), (words, str(found))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_traces_of_trees_with_silent_steps_fit(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    tree = random_tree(rng, rng.randint(1, 8), silent=0.3, clear_loops=False)
    words = sorted({draw_word(tree, rng) for _ in range(30)})
    found = inductive(log_of(words))
    assert all(accepts(found, w) for w in words), (str(tree), str(found))


@settings(max_examples=40, deadline=None, derandomize=True)
@given(seed=SEEDS)
def test_permuting_cases_changes_nothing(seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    words = ["".join(rng.choices("abcd", k=rng.randint(0, 6))) for _ in range(rng.randint(1, 9))]
    expected = inductive(log_of(words))
    rng.shuffle(words)
    assert inductive(log_of(words)) == expected
