"""The alpha algorithm on the logs of the textbooks: every place, every arc, and what it says where it is blind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from random import Random
from time import process_time

import pytest

from petri_cli.errors import PetriError
from petri_cli.mining.alpha import MAX_PLACES, AlphaNet, alpha
from petri_cli.mining.gate import judge_model
from petri_cli.mining.log import Log, log_of
from petri_cli.net.model import leaves
from petri_cli.soundness.result import Verdict
from tests.textbook_logs import CROSSED, FULL, L1, L5, L7, L8, L11, TEXTBOOK, letters

PLACES = {
    "L1": "a>be a>ce be>d ce>d",
    "L5": "a>e ad>b b>cf c>d e>f",
    "L7": "a>c",
    "L8": "a>b b>d",
    "L11": "a>b a>c b>c",
    "crossed": "a>bc ax>b bc>t s>ax",
    "full": "af>bc af>d bc>e d>e e>fgh",
}


def _inner(found: AlphaNet) -> str:
    def told(side: tuple[int, ...]) -> str:
        return "".join(found.activities[a] for a in side)

    return " ".join(sorted(f"{told(left)}>{told(right)}" for left, right in found.pairs))


def _size(found: AlphaNet) -> tuple[int, int]:
    net = found.model.net
    arcs = sum(len(t.inputs) + len(list(leaves(t.output))) for t in net.transitions)
    return len(net.places), arcs


@pytest.mark.parametrize("name", TEXTBOOK)
def test_the_inner_places_are_those_of_the_textbook(name: str) -> None:
    assert _inner(alpha(letters(TEXTBOOK[name]))) == PLACES[name]


@pytest.mark.parametrize(
    ("text", "size"),
    [(L1, (6, 14)), (L5, (7, 14)), (L7, (3, 4)), (L8, (4, 6)), (L11, (5, 8)), (CROSSED, (6, 14)), (FULL, (7, 19))],
)
def test_places_and_arcs_are_as_many_as_published(text: str, size: tuple[int, int]) -> None:
    assert _size(alpha(letters(text))) == size


def test_every_arc_of_l1_is_where_it_belongs() -> None:
    net = alpha(letters(L1)).model.net
    arcs = {t.id: ([i.place for i in t.inputs], [leaf.place for leaf in leaves(t.output)]) for t in net.transitions}  # type: ignore[union-attr]
    assert arcs == {
        "t.a": (["start"], ["a > {b, e}", "a > {c, e}"]),
        "t.b": (["a > {b, e}"], ["{b, e} > d"]),
        "t.c": (["a > {c, e}"], ["{c, e} > d"]),
        "t.d": (["{b, e} > d", "{c, e} > d"], ["end"]),
        "t.e": (["a > {b, e}", "a > {c, e}"], ["{b, e} > d", "{c, e} > d"]),
    }
    assert net.initial == {"start": 1}
    assert net.final == {"end": 1}


@pytest.mark.parametrize("text", [L1, L5, FULL])
def test_the_gate_passes_what_alpha_finds_in_logs_it_can_see(text: str) -> None:
    found = alpha(letters(text))
    assert judge_model(found.model).verdict is Verdict.SOUND
    assert found.warnings() == []


@pytest.mark.parametrize(
    ("text", "blind"),
    [
        (
            L7,
            [
                "`b` follows itself: a loop of one activity is invisible to alpha",
                "`b` lacks a place before it or behind it: this net does not say when it happens",
            ],
        ),
        (
            L8,
            [
                "`b` and `c` alternate: alpha takes a loop of two activities for things done in parallel",
                "`c` lacks a place before it or behind it: this net does not say when it happens",
            ],
        ),
    ],
)
def test_short_loops_are_told_and_the_gate_refuses_the_net(text: str, blind: list[str]) -> None:
    found = alpha(letters(text))
    assert found.warnings() == blind
    result = judge_model(found.model)
    assert (result.verdict, result.code) == (Verdict.UNSOUND, "PETRI_NOT_WORKFLOW_NET")
    lost = found.unconnected[0]
    assert f"the transition 't.{lost}' lies on no path from 'start' to 'end'" in result.message


def test_crossed_causes_end_in_a_deadlock() -> None:
    """Whoever takes x finds no token for b in the place behind a, and the gate says so."""
    result = judge_model(alpha(letters(CROSSED)).model)
    assert (result.verdict, result.code) == (Verdict.UNSOUND, "PETRI_UNSOUND_NET")
    assert result.counterexample is not None


def test_a_skipped_activity_makes_a_sound_net_that_does_not_fit() -> None:
    """c needs a token that only b gives: nothing gets stuck, for b cannot be skipped."""
    assert judge_model(alpha(letters(L11)).model).verdict is Verdict.SOUND


def test_a_repeating_end_is_connected_to_nothing_before_it() -> None:
    found = alpha(letters("abb^2"))
    assert found.unconnected == ("a", "b")
    assert judge_model(found.model).code == "PETRI_NOT_WORKFLOW_NET"
    assert found.self_loops == ("b",)


def test_an_empty_log_has_no_activities() -> None:
    found = alpha(log_of([]))
    assert found.pairs == ()
    assert found.model.net.transitions == ()


@pytest.mark.parametrize("name", TEXTBOOK)
def test_the_order_of_cases_changes_nothing(name: str) -> None:
    traces = [log.named(v) for log in [letters(TEXTBOOK[name])] for v, n in log for _ in range(min(n, 3))]
    expected = alpha(log_of(traces))
    for seed in range(5):
        Random(seed).shuffle(traces)  # noqa: S311
        assert alpha(log_of(traces)) == expected


def test_the_hash_seed_changes_nothing() -> None:
    script = """
from petri_cli.mining.alpha import alpha
from petri_cli.mining.log import log_of
import tests.textbook_logs as t
for text in t.TEXTBOOK.values():
    found = alpha(t.letters(text))
    print(found.pairs, found.model, found.warnings())
""".strip()
    root = Path(__file__).parents[2]
    said = {
        subprocess.run(
            [sys.executable, "-c", script],
            cwd=root,
            env={**os.environ, "PYTHONHASHSEED": str(seed)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in (0, 1, 2)
    }
    assert len(said) == 1


def _by_definition(log: Log) -> set[tuple[tuple[str, ...], tuple[str, ...]]]:
    """All pairs of sets that the definition admits, by trying them all; then the maximal ones."""
    names = sorted(log.activities)
    follows = {(t[k], t[k + 1]) for v in log.variants for t in [log.named(v)] for k in range(len(t) - 1)}

    def subsets() -> Iterator[frozenset[str]]:
        for mask in range(1, 1 << len(names)):
            chosen = frozenset(a for k, a in enumerate(names) if mask >> k & 1)
            if all((a, b) not in follows for a in chosen for b in chosen):
                yield chosen

    sides = list(subsets())
    pairs = {
        (left, right)
        for left in sides
        for right in sides
        if all((a, b) in follows and (b, a) not in follows for a in left for b in right)
    }
    return {
        (tuple(sorted(left)), tuple(sorted(right)))
        for left, right in pairs
        if not any((left, right) != other and left <= other[0] and right <= other[1] for other in pairs)
    }


def test_the_places_are_the_maximal_pairs_of_the_definition() -> None:
    rng = Random(7)  # noqa: S311
    for _ in range(150):
        traces = ["".join(rng.choices("abcdef", k=rng.randint(1, 6))) for _ in range(rng.randint(1, 8))]
        log = log_of(traces)
        found = alpha(log)
        named = {(tuple(found.activities[a] for a in x), tuple(found.activities[b] for b in y)) for x, y in found.pairs}
        assert named == _by_definition(log), traces


def test_more_places_than_anybody_reads_are_refused() -> None:
    """Activities x1 … xn after a, each unrelated to all others but its twin y1 … yn: 2^n sets."""
    pairs = [(f"x{k:02}", f"y{k:02}") for k in range(16)]
    traces = [["a", x] for pair in pairs for x in pair]
    traces += [list(order) for pair in pairs for order in permutations(pair)]
    with pytest.raises(PetriError) as refused:
        alpha(log_of(traces))
    assert refused.value.code == "PETRI_TOO_MANY_PLACES"
    assert f"{MAX_PLACES:,}" in refused.value.message


def test_624_activities_take_less_than_a_second() -> None:
    folder = os.environ.get("PETRI_TEST_DATA")
    if not folder:
        pytest.skip("PETRI_TEST_DATA names no folder of logs")
    from petri_cli.formats.logs import read_log

    log = read_log(Path(folder) / "logs" / "Hospital_log.xes.gz")
    assert len(log.activities) == 624
    began = process_time()
    found = alpha(log)
    assert process_time() - began < 1
    assert len(found.pairs) == 502
