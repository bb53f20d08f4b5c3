"""Linear certificates: what the checker lets pass and what it does not, and their way to JSON and back."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random

import pytest

from benchmarks.families import chains, lock_pairs, philosophers
from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.firing import is_dead, replay
from petri_cli.net.model import (
    Cardinality,
    ForwardOut,
    Input,
    Net,
    Place,
    PlaceOut,
    TimeoutOut,
    Transition,
    XorOut,
)
from petri_cli.soundness.linear.check import BadProof, check_bounding, check_ranking, check_refutation
from petri_cli.soundness.linear.data import (
    ranking_from_data,
    ranking_to_data,
    refutation_from_data,
    refutation_to_data,
)
from petri_cli.soundness.linear.equation import equation_of
from petri_cli.soundness.linear.evidence import Evidence, linear_evidence, no_deadlock
from petri_cli.soundness.linear.proof import Leaf, Literal, Proof, Ranking, Refutation, Row, Split
from petri_cli.soundness.linear.ranking import bounding_weights, ranking_of
from petri_cli.soundness.linear.refute import Search
from petri_cli.soundness.linear.simplex import Tableau
from petri_cli.soundness.shape import target_of
from tests.strategies.short_nets import short_net
from tests.strategies.workflow_nets import workflow_net


def evidence(net: Net) -> tuple[CompiledNet, Evidence]:
    target = target_of(net)
    compiled = compile_net(target.net)
    return compiled, linear_evidence(compiled, {compiled.index[p]: k for p, k in target.end.items()})


FAMILIES = [
    (philosophers(12, left_handed=True), True),
    (philosophers(12, left_handed=False), False),
    (lock_pairs(8, ordered=True), True),
    (lock_pairs(8, ordered=False), False),
    (chains(6, 3), True),
    (chains(6, 3, nested=True), False),
]


@pytest.mark.parametrize(("net", "sound"), FAMILIES, ids=[net.id for net, _ in FAMILIES])
def test_families_are_decided_with_no_state_explored(net: Net, sound: bool) -> None:
    compiled, found = evidence(net)
    assert (found.sound, found.unsound) == (sound, not sound)
    if found.deadlock is not None:
        marking = replay(net, [compiled.actions[a].step for a in found.deadlock])[-1]
        assert is_dead(net, marking) and marking != net.final


def test_two_hundred_philosophers_never_get_stuck() -> None:
    compiled = compile_net(philosophers(200, left_handed=True))
    found = no_deadlock(compiled, {compiled.index["o"]: 1})
    assert found.proof is not None and len(found.proof.lemmas) > 100


@pytest.mark.parametrize("net", [net for net, sound in FAMILIES if sound], ids=lambda net: net.id)
def test_a_certificate_survives_the_way_to_json_and_back(net: Net) -> None:
    compiled, found = evidence(net)
    equation = equation_of(compiled)
    assert found.ranking is not None and found.stuck is not None
    for refutation in (found.stuck, *found.proper):
        again = refutation_from_data(json.loads(json.dumps(refutation_to_data(refutation))))
        assert again == refutation
        check_refutation(equation, again)
    ranking = ranking_from_data(json.loads(json.dumps(ranking_to_data(found.ranking))))
    assert ranking == found.ranking
    check_ranking(equation, ranking)


def changed(proof: Proof, rng: Random) -> Proof:
    """A proof with one thing about it changed: a leaf without a term, a split without a case."""
    match proof:
        case Split(reason, action, cases) if cases:
            k = rng.randrange(len(cases))
            if rng.random() < 0.3:
                return Split(reason, action, cases[:k] + cases[k + 1 :])
            literal, child = cases[k]
            return Split(reason, action, (*cases[:k], (literal, changed(child, rng)), *cases[k + 1 :]))
        case Leaf(terms) if terms:
            k = rng.randrange(len(terms))
            (literal, times) = terms[k]
            other = rng.choice(
                [[], [(literal, -times)], [(literal._replace(bound=literal.bound - literal.side), times)]]
            )
            return Leaf((*terms[:k], *other, *terms[k + 1 :]))
    return Leaf(())


def test_a_proof_with_one_thing_changed_is_refused() -> None:
    compiled, found = evidence(philosophers(6, left_handed=True))
    equation = equation_of(compiled)
    assert found.stuck is not None
    refused = 0
    for seed in range(100):
        rng = Random(seed)  # noqa: S311
        try:
            check_refutation(equation, replace(found.stuck, proof=changed(found.stuck.proof, rng)))
        except BadProof:
            refused += 1
    assert refused == 100


def test_a_proof_about_one_net_is_refused_for_another() -> None:
    _, found = evidence(philosophers(6, left_handed=True))
    other = equation_of(compile_net(philosophers(6, left_handed=False)))
    assert found.stuck is not None
    with pytest.raises(BadProof):
        check_refutation(other, found.stuck)


def test_lemmas_may_not_rest_on_what_comes_after_them() -> None:
    compiled, found = evidence(philosophers(20, left_handed=True))
    equation = equation_of(compiled)
    assert found.stuck is not None and len(found.stuck.lemmas) > 5
    check_refutation(equation, found.stuck)
    with pytest.raises(BadProof):
        check_refutation(equation, replace(found.stuck, lemmas=tuple(reversed(found.stuck.lemmas))))
    with pytest.raises(BadProof):
        check_refutation(equation, replace(found.stuck, lemmas=()))


def leaf(*terms: tuple[Literal, int]) -> Leaf:
    return Leaf(terms)


EMPTY = Refutation((), (), (), (), (), leaf())


def test_rows_are_only_believed_for_what_they_are() -> None:
    equation = equation_of(compile_net(short_net("t: a b -> c; u: c -> a b", a=1, b=1)))
    full = Literal("place", 0, 1, 0)
    trap = Row({0: 1, 2: 1}, Literal("row", 0, -1, 1), "trap")
    emptied = (full, Literal("place", 2, 1, 0))
    says = leaf((trap.literal, 1), (emptied[0], 1), (emptied[1], 1))
    check_refutation(equation, replace(EMPTY, goal=emptied, rows=(trap,), proof=says))
    for wrong in (
        replace(trap, weights={2: 1}),
        replace(trap, reason="goal"),
        replace(trap, weights={0: 2, 2: 1}),
        replace(trap, literal=Literal("row", 0, -1, 2)),
    ):
        with pytest.raises(BadProof):
            check_refutation(equation, replace(EMPTY, goal=emptied, rows=(wrong,), proof=says))
    with pytest.raises(BadProof, match="not known"):
        check_refutation(equation, replace(EMPTY, goal=emptied[1:], rows=(trap,), proof=says))


STAYS = short_net("t: b -> c; keeps: a -> a", a=1, b=1)
CYCLE = short_net("t: a b -> c; u: c -> a b", a=1, b=1)
A, B, C = 0, 1, 2


def most(p: int, k: int) -> Literal:
    return Literal("place", p, 1, k)


def least(p: int, k: int) -> Literal:
    return Literal("place", p, -1, k)


def trap(weights: dict[int, int], bound: int = 1) -> Row:
    return Row(weights, Literal("row", 0, -1, bound), "trap")


def by_row(row: Row, *more: tuple[Literal, int]) -> Leaf:
    return leaf((row.literal, 1), *more)


FALSE = {
    "a negative multiplier": (STAYS, replace(EMPTY, goal=(most(A, 2),), proof=leaf((most(A, 2), -1)))),
    "a combination that is no contradiction": (STAYS, replace(EMPTY, goal=(most(A, 1),), proof=leaf((most(A, 1), 1)))),
    "a column with a negative sum": (STAYS, replace(EMPTY, goal=(most(B, 0),), proof=leaf((most(B, 0), 1)))),
    "an action that need not be disabled": (
        STAYS,
        replace(EMPTY, proof=Split("disabled", 1, ((most(A, 0), leaf((most(A, 0), 1))),))),
    ),
    "tokens that nobody promised": (STAYS, replace(EMPTY, proof=leaf((least(A, 5), 1)))),
    "a tighter bound than the row has": (
        CYCLE,
        replace(EMPTY, rows=(trap({A: 1, C: 1}),), proof=leaf((Literal("row", 0, -1, 2), 1))),
    ),
    "a trap with two tokens": (CYCLE, replace(EMPTY, rows=(trap({A: 1, C: 1}, 2),), proof=by_row(trap({A: 1}, 2)))),
    "a trap with weights": (CYCLE, replace(EMPTY, rows=(trap({A: -1, C: -1}),), proof=by_row(trap({A: 1})))),
    "a trap that is empty at the start": (
        STAYS,
        replace(EMPTY, goal=(most(C, 0),), rows=(trap({C: 1}),), proof=by_row(trap({C: 1}), (most(C, 0), 1))),
    ),
    "places that are no trap": (
        STAYS,
        replace(EMPTY, goal=(most(B, 0),), rows=(trap({B: 1}),), proof=by_row(trap({B: 1}), (most(B, 0), 1))),
    ),
    "cases about two quantities": (
        short_net("t: b -> c; keeps: a -> a", a=3, b=1),
        replace(
            EMPTY,
            proof=Split("whole", -1, ((most(A, 2), leaf((most(A, 2), 1))), (least(B, 2), leaf((least(B, 2), 1))))),
        ),
    ),
}


@pytest.mark.parametrize("case", FALSE)
def test_a_false_claim_is_refused(case: str) -> None:
    net, claim = FALSE[case]
    with pytest.raises(BadProof):
        check_refutation(equation_of(compile_net(net)), claim)


def test_a_ranking_has_to_stand_what_a_drain_takes_beyond_its_need() -> None:
    inputs = (Input("c"), Input("a", Cardinality.ALL))
    late = Transition("t", inputs, XorOut((PlaceOut("o"), TimeoutOut(1.0, ForwardOut("a", "b")))))
    net = Net("late", tuple(map(Place, "cabo")), (late,), {"c": 1, "a": 5})
    equation = equation_of(compile_net(net))
    assert {1: -1} in equation.columns and {1: -1, 2: 1} in equation.columns
    check_ranking(equation, Ranking({0: 5, 1: 2, 2: 2}, (0, 1)))
    with pytest.raises(BadProof, match="loss"):
        check_ranking(equation, Ranking({0: 5, 1: 1, 2: 2}, (0, 1)))


def test_half_a_token_is_no_solution_and_a_gap_between_the_cases_is_refused() -> None:
    equation = equation_of(compile_net(short_net("t: 2*a -> b; u: b -> 2*a", a=3)))
    goal = (Literal("place", 0, 1, 0),)  # a = 0, so 2b = 3
    low, high = Literal("place", 1, 1, 1), Literal("place", 1, -1, 2)
    says_low = leaf((low, 2), (goal[0], 1))
    says_high = leaf((high, 2), (Literal("place", 0, -1, 0), 1))
    good = Split("whole", -1, ((low, says_low), (high, says_high)))
    check_refutation(equation, replace(EMPTY, goal=goal, proof=good))
    for wrong in (((low, says_low),), ((low, says_low), (high._replace(bound=3), says_high))):
        with pytest.raises(BadProof, match="whole"):
            check_refutation(equation, replace(EMPTY, goal=goal, proof=Split("whole", -1, wrong)))
    found = Search(equation).refute(goal, ())
    assert isinstance(found, Refutation)
    check_refutation(equation, found)


def test_a_ranking_has_to_lower_each_firing() -> None:
    equation = equation_of(compile_net(short_net("t: a -> b; u: b -> c", a=1)))
    ranking = ranking_of(equation, [2])
    assert ranking is not None and ranking.actions == (0, 1)
    check_ranking(equation, ranking)
    for wrong in (Ranking({0: 1, 1: 1}, (0, 1)), Ranking({0: 2, 1: 1, 2: 1}, (0, 1)), Ranking({0: 2, 1: -1}, (0,))):
        with pytest.raises(BadProof):
            check_ranking(equation, wrong)


def test_a_loop_is_left_out_where_another_action_leads_out_of_it() -> None:
    equation = equation_of(compile_net(short_net("t: i -> a; again: a -> i; out: a -> o", i=1)))
    ranking = ranking_of(equation, [2])
    assert ranking is not None and ranking.actions == (0, 2)
    endless = equation_of(compile_net(short_net("t: i -> a; again: a -> i", i=1)))
    assert ranking_of(endless, [0]) is None


def test_weights_that_nothing_raises_bound_every_place() -> None:
    equation = equation_of(compile_net(short_net("t: a -> 2*b; u: 2*b -> a", a=3)))
    weights = bounding_weights(equation)
    assert weights is not None and weights[0] == 2 * weights[1]
    check_bounding(equation, weights)
    with pytest.raises(BadProof):
        check_bounding(equation, {0: 1, 1: 1})
    assert bounding_weights(equation_of(compile_net(short_net("t: a -> a b", a=1)))) is None


def test_the_simplex_finds_values_within_the_bounds_or_a_combination_that_excludes_them() -> None:
    solved = refuted = 0
    for seed in range(400):
        rng = Random(seed)  # noqa: S311
        count = rng.randint(1, 5)
        table = Tableau(count)
        forms = [{v: 1} for v in range(count)]
        for _ in range(rng.randint(1, 6)):
            form = {v: rng.randint(-3, 3) for v in range(count)}
            forms.append({v: k for v, k in form.items() if k})
            table.add_row(form)
        marks = []
        conflict = None
        for _ in range(rng.randint(1, 12)):
            marks.append(table.mark())
            v, side = rng.randrange(len(forms)), rng.choice([1, -1])
            conflict = table.bound(v, side, rng.randint(-4, 4)) or table.check()
            if conflict is not None:
                summed: dict[int, int] = {}
                limit = 0
                for (w, s), times in conflict.multipliers:
                    k = (table.upper if s > 0 else table.lower)[w]
                    assert times > 0 and k is not None
                    limit += times * s * k
                    for x, c in forms[w].items():
                        summed[x] = summed.get(x, 0) + times * s * c
                assert not any(summed.values()) and limit < 0, seed
                table.undo(marks[-1])
                refuted += 1
                assert table.check() is None
        for v, form in enumerate(forms):
            value = table.value(v)
            low, high = table.lower[v], table.upper[v]
            assert value == sum(c * table.value(x) for x, c in form.items()), seed
            assert (low is None or value >= low) and (high is None or value <= high), seed
        solved += 1
    assert solved == 400 and refuted > 50


def test_changed_certificates_of_random_nets_are_refused_or_still_true() -> None:
    """A change may leave a proof in order (a term too many); what is let pass has to be true."""
    refused = 0
    for seed in range(60):
        net = workflow_net(Random(seed), wrong=0.0)  # noqa: S311
        target = target_of(net)
        compiled = compile_net(target.net)
        found = no_deadlock(compiled, {compiled.index["o"]: 1})
        if found.proof is None:
            continue
        equation = equation_of(compiled)
        for k in range(5):
            wrong = replace(found.proof, proof=changed(found.proof.proof, Random(k)))  # noqa: S311
            try:
                check_refutation(equation, wrong)
            except BadProof:
                refused += 1
    assert refused > 100
