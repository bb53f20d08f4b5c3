"""The rank theorem against brute force, and its parts by themselves."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from petri_cli.errors import PetriError
from petri_cli.net.compiled import compile_net
from petri_cli.soundness.free_choice import (
    FreeChoiceNet,
    Row,
    closed_free_choice,
    has_positive_solution,
    is_sound,
    proved_by_rank,
    rank,
    unmarked_siphon,
)
from petri_cli.soundness.result import Budget, Verdict
from petri_cli.soundness.shape import target_of
from petri_cli.soundness.timer import Timer
from petri_cli.soundness.workflow import by_exploration
from tests.strategies.free_choice_nets import free_choice_net
from tests.strategies.grown_nets import grown_net
from tests.strategies.short_nets import short_net
from tests.strategies.workflow_nets import workflow_net

GENERATORS = {"clusters": free_choice_net, "blocks": workflow_net, "grown": grown_net}


def _compare(generator: str, seed: int) -> str:
    try:
        target = target_of(GENERATORS[generator](Random(seed)))  # noqa: S311
    except PetriError:
        return "no workflow net"
    compiled = compile_net(target.net)
    net = closed_free_choice(compiled)
    if net is None or target.end != target.final:
        assert proved_by_rank(target, compiled) is None
        return "does not apply"
    says = is_sound(net)
    found = by_exploration(target, compiled, Budget(300), Timer(None, 1.0))
    if found.evidence == "free-choice" or found.verdict is Verdict.UNKNOWN:
        return "too big"
    assert says is (found.verdict is Verdict.SOUND), (generator, seed)
    proof = proved_by_rank(target, compiled)
    assert (proof is not None) is says
    return found.verdict.value


@pytest.mark.slow
@pytest.mark.parametrize(("generator", "nets"), [("clusters", 3_000), ("blocks", 1_500), ("grown", 2_000)])
def test_the_rank_theorem_says_what_the_markings_say(generator: str, nets: int) -> None:
    seen = Counter(_compare(generator, seed) for seed in range(nets))
    assert min(seen["SOUND"], seen["UNSOUND"]) > 20, seen


def _matrix(rng: Random) -> list[Row]:
    rows, columns = rng.randint(0, 7), rng.randint(1, 7)
    drawn = [{c: rng.choice([-3, -2, -1, 1, 1, 2]) for c in range(columns) if rng.random() < 0.5} for _ in range(rows)]
    for _ in range(rng.randint(0, 2)):
        if len(drawn) > 1:
            one, other = rng.sample(drawn, 2)
            total = {c: 2 * one.get(c, 0) - 3 * other.get(c, 0) for c in {*one, *other}}
            drawn.append({c: v for c, v in total.items() if v})
    return drawn


def _rank_by_fractions(rows: list[Row]) -> int:
    left = [{c: Fraction(v) for c, v in row.items()} for row in rows]
    found = 0
    while left:
        row = left.pop()
        if not row:
            continue
        found += 1
        column, pivot = next(iter(row.items()))
        for other in left:
            by = other.get(column, Fraction(0)) / pivot
            for c, v in row.items():
                other[c] = other.get(c, Fraction(0)) - by * v
                if not other[c]:
                    del other[c]
    return found


def test_the_rank_is_exact_and_that_of_the_fractions() -> None:
    for seed in range(1_500):
        rows = _matrix(Random(seed))  # noqa: S311
        assert rank(rows) == _rank_by_fractions(rows)
    big = 2**61 - 1
    assert rank([{0: big, 1: 1}, {0: 1, 1: 1}]) == 2
    assert rank([{0: 1, 1: 1}, {0: big + 1, 1: 1}]) == 2  # equal modulo the prime
    assert rank([{0: big}, {}]) == 1


def test_a_positive_solution_is_found_iff_no_combination_of_rows_speaks_against_it() -> None:
    """Stiemke's lemma: either some x > 0 has Cx = 0, or some combination of rows is ≥ 0 and not 0. On small matrices
    whose solutions would be small, too, both are looked for by trying."""
    seen = Counter[bool]()
    for seed in range(300):
        rng = Random(seed)  # noqa: S311
        columns = rng.randint(1, 3)
        rows: list[Row] = []
        for _ in range(rng.randint(1, 2)):
            row = {c: rng.choice([-2, -1, 1, 2]) for c in range(columns) if rng.random() < 0.7}
            rows.append(row)
        found = has_positive_solution(rows, columns)
        seen[found] += 1
        sizes = range(1, 9)
        tried = any(all(sum(v * x[c] for c, v in row.items()) == 0 for row in rows) for x in _vectors(columns, sizes))
        against = any(
            any(total) and all(n >= 0 for n in total)
            for y in _vectors(len(rows), range(-4, 5))
            for total in [[sum(y[i] * row.get(c, 0) for i, row in enumerate(rows)) for c in range(columns)]]
        )
        assert tried != against
        assert found is tried
    assert min(seen.values()) > 30


def _vectors(length: int, values: range) -> list[tuple[int, ...]]:
    vectors: list[tuple[int, ...]] = [()]
    for _ in range(length):
        vectors = [(*v, n) for v in vectors for n in values]
    return vectors


def test_the_largest_siphon_without_a_token_is_the_union_of_all_of_them() -> None:
    for seed in range(400):
        rng = Random(seed)  # noqa: S311
        places = range(rng.randint(1, 6))
        takes = tuple(frozenset(p for p in places if rng.random() < 0.3) for _ in range(rng.randint(1, 6)))
        puts = tuple(frozenset(p for p in places if rng.random() < 0.3) for _ in takes)
        net = FreeChoiceNet(takes, puts, frozenset(rng.sample(places, rng.randint(0, 1))), len(places))
        siphons = [
            set(s)
            for n in range(len(places) + 1)
            for s in combinations(places, n)
            if not net.marked & set(s) and all(t & set(s) for t, q in zip(takes, puts, strict=True) if q & set(s))
        ]
        assert unmarked_siphon(net) == set().union(*siphons)


@pytest.mark.parametrize(
    "text",
    [
        "t: i p -> o p; u: i -> o",  # a shared input, but not all of them
        "t: i -> 2*p; u: 2*p -> o",  # weights
        "t: i -> p; u: p -> o; v: q -> q",  # not connected
        "t: i -> p; u: p -> o; v: -> p",  # nothing taken
    ],
)
def test_the_theorem_is_not_asked_where_it_does_not_apply(text: str) -> None:
    net = replace(short_net(text, i=1), final={"o": 1})
    assert closed_free_choice(compile_net(net)) is None


def test_a_net_that_no_single_path_decomposes_is_proved() -> None:
    """Two parallel branches with an exchange between them: free-choice, and no block structure."""
    text = "s: i -> a b; x: a -> c d; y: b -> e; z: d e -> f; w: c f -> o"
    target = target_of(short_net(text, i=1))
    result = proved_by_rank(target, compile_net(target.net))
    assert result is not None and (result.verdict, result.evidence) == (Verdict.SOUND, "free-choice")
