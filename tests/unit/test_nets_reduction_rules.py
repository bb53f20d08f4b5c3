"""The rules of reduction one by one: where they apply, and nets that miss a precondition by a little."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from petri_cli.net.compiled import compile_net
from petri_cli.net.firing import replay
from petri_cli.net.model import Input, Net
from petri_cli.soundness.reductions.dependent_places import drop_dependent_place
from petri_cli.soundness.reductions.expansion import actions_of, written_out
from petri_cli.soundness.reductions.reduction import Reduction, reduce_net
from petri_cli.soundness.reductions.verdict import reduced_verdict
from petri_cli.soundness.result import Budget, Result, Verdict
from petri_cli.soundness.shape import Target, target_of
from petri_cli.soundness.timer import Timer
from petri_cli.soundness.workflow import by_exploration
from tests.strategies.short_nets import short_net

Changes = dict[str, dict[str, Any]]


def _reduced(net: Net) -> Reduction:
    target = target_of(net)
    return reduce_net(target, compile_net(target.net))


def _explored(target: Target) -> Result:
    return by_exploration(target, compile_net(target.net), Budget(500), Timer(None, 1.0))


@pytest.mark.parametrize(
    ("what", "text"),
    [
        ("a series", "a: i -> p; b: p -> q; c: q -> o"),
        ("a choice", "a: i -> p; b: i -> p; c: p -> o; d: p -> q; e: q -> o"),
        ("parallel branches", "s: i -> a b c; x: a -> d; j: d b c -> o"),
        ("a loop", "a: i -> p; b: p -> q; back: q -> p; c: q -> o"),
        ("a join before a choice", "s: i -> a b; j: a b -> p; x: p -> o; y: p -> q; z: q -> o"),
        ("weights", "s: i -> 3*a; x: a -> 2*b; y: b -> c; z: 3*c -> d; j: 2*d -> o"),
        ("jumps", "a: i -> p; b: i -> q; c: p -> q; d: q -> p; e: p -> o; f: q -> o"),
        ("branches that exchange something", "s: i -> a b; x: a -> c d; y: b -> e; z: d e -> f; w: c f -> o"),
    ],
)
def test_a_sound_net_comes_down_to_one_step(what: str, text: str) -> None:
    assert _reduced(short_net(text, i=1)).is_trivial, what


def test_a_resource_goes_with_what_lies_between_taking_and_giving_back() -> None:
    assert _reduced(
        short_net("s: i -> a b; x: a r -> c; y: c -> d r; z: b 2*r -> e 2*r; j: d e -> o", i=1, r=2)
    ).is_trivial


NEAR_MISSES: list[tuple[str, str, Changes, dict[str, int]]] = [
    ("a resource that is too small", "s: i -> a; x: a 3*r -> o 3*r; y: a -> o", {}, {"r": 2}),
    ("a resource that is kept", "x: i r -> o; y: i -> p; z: p -> o; w: p r -> p r", {}, {"r": 1}),
    ("a step that consumes only", "s: i -> a p; u: p -> ; j: a -> o", {}, {}),
    ("a step that gives back resources only", "s: i r -> a p; u: p -> r; j: a -> o", {}, {"r": 1}),
    ("a step that takes nothing", "t: -> p; u: i p -> o", {}, {}),
    ("a step from a marked place", "s: i -> a; x: a m -> o; y: m -> n; z: n -> m", {}, {"m": 1}),
    ("a loop at a place", "s: i -> p; x: p -> p q; y: p q -> o; z: p -> o", {}, {}),
    (
        "a multiple that is put and one that is not",
        "s: i -> 2*p a; x: a -> p b; y: 2*p -> q; j: q b -> o; z: p q -> o",
        {},
        {},
    ),
    ("weights that differ", "s: i -> p q; j: p 2*q -> o", {}, {}),
    (
        "an input that others take from, too",
        "s: i -> a b c; t: a b -> p; u: a -> q; x: p c -> o; y: q b c -> o",
        {},
        {},
    ),
    ("an idle step that nobody else shows alive", "s: i -> p; x: p q -> p q; y: p -> o", {}, {}),
    (
        "an inhibitor on the step before a choice",
        "a: i -> m k; t: m -> p; u: p -> x; v: p -> y; d: k -> z; j: x z -> o; l: y z -> o; e: x k -> w; n: w m -> o",
        {"t": {"inhibitors": ("k",)}},
        {},
    ),
    (
        "an inhibitor on what a step gives early",
        "s: i -> p a; u: p -> q; v: a -> b; j: q b -> o",
        {"v": {"inhibitors": ("q",)}},
        {},
    ),
    (
        "a reset of what a step gives early",
        "s: i -> p a; u: p -> q; v: a -> b; j: q b -> o",
        {"v": {"resets": ("q",)}},
        {},
    ),
    (
        "a reset of what a step is put off from",
        "s: i -> a b; t: a -> p; v: b -> c; j: p c -> o",
        {"v": {"resets": ("a",)}},
        {},
    ),
    ("a reset of one of two parallel places", "t: i -> p q k; c: p q k -> o; r: k -> o", {"r": {"resets": ("q",)}}, {}),
    (
        "an inhibitor on a constant place",
        "t: i -> a; x: a p -> c p; y: c -> o; v: a -> o",
        {"v": {"inhibitors": ("p",)}},
        {"p": 1},
    ),
    ("a reset by one of two parallel steps", "s: i -> a b; t: a b -> o; u: a b -> o", {"u": {"resets": ("b",)}}, {}),
    (
        "a read of one of two parallel steps",
        "s: i -> a b; t: a -> c; u: a -> c; j: c b -> o",
        {"u": {"reads": ("b",)}},
        {},
    ),
    ("a read of what was passed", "s: i -> p a; u: p -> q; v: a -> b; j: q b -> o", {"v": {"reads": ("p",)}}, {}),
    ("an idle step that resets", "s: i -> p q; x: p -> p; y: p q -> o", {"x": {"resets": ("q",)}}, {}),
]


@pytest.mark.parametrize(("what", "text", "changes", "tokens"), NEAR_MISSES, ids=[n[0] for n in NEAR_MISSES])
def test_a_precondition_that_is_missed_keeps_the_answer(
    what: str, text: str, changes: Changes, tokens: dict[str, int]
) -> None:
    net = short_net(text, changes, i=1, **tokens)
    target, small = target_of(net), _reduced(net).target
    before, after = _explored(target), _explored(small)
    assert before.verdict is after.verdict
    assert [c.holds for c in before.conditions] == [c.holds for c in after.conditions]


def test_places_of_a_declared_end_are_kept_as_far_as_they_tell_it() -> None:
    net = replace(short_net("t: i -> j; x: i p -> i p; y: j p -> p j", i=1, p=1), final={"p": 1})
    target = target_of(net)
    assert [c.holds for c in _explored(target).conditions] == [
        c.holds for c in _explored(_reduced(net).target).conditions
    ]


def test_parallel_places_that_differ_in_tokens_lose_the_fuller_one_if_the_end_differs_as_much() -> None:
    net = short_net("t: i -> a p q; u: a p q -> o", i=1, p=0, q=2)
    for end, trivial in ({"o": 1, "q": 2}, True), ({"o": 1, "q": 1}, False), ({"o": 1}, False):
        assert _reduced(replace(net, final=end)).is_trivial is trivial


def test_what_is_put_off_or_done_at_once_so_many_times_is_written_out() -> None:
    net = short_net("s: i -> 2*a k; t: a -> p; u: 2*p -> q; v: q k -> r; w: r x -> o; z: r -> x; y: k -> k", i=1)
    target = target_of(net)

    def prove(small: Target) -> Result:
        return _explored(small)

    result = reduced_verdict(target, compile_net(target.net), lambda: None, prove)
    assert result is not None and result.verdict is Verdict.UNSOUND
    assert result.counterexample is not None
    assert replay(target.net, result.counterexample.run)[-1] == result.counterexample.marking == {"x": 1}
    assert [s.transition for s in result.counterexample.run] == ["s", "t", "t", "u", "v", "z"]


def test_an_expansion_is_written_out_up_to_a_limit() -> None:
    part: Any = 1
    for _ in range(40):
        part = (part, part, 1)
    assert written_out([part], longest=1_000) is None
    assert written_out([((1, 2, 3), 4, 1), 5]) == [1, 2, 2, 2, 4, 5]
    assert actions_of([part, (2, 3, 7)]) == {1, 2, 3}


def test_the_special_arcs_that_are_left_alone_stay_in_the_reduced_net() -> None:
    text = "s: i -> a b; x: a -> c; y: b -> d; z: c -> e; v: e -> f; j: d f -> o"
    net = short_net(text, {"y": {"resets": ("c",), "inhibitors": ("c",)}}, i=1)
    small = _reduced(net).target.net
    assert [(t.resets, t.inhibitors) for t in small.transitions if t.resets] == [(("c",), ("c",))]
    assert len(small.transitions) < len(net.transitions)


@pytest.mark.slow
def test_five_thousand_steps_in_a_row_and_side_by_side_are_reduced() -> None:
    row = "; ".join(f"t{k}: p{k} -> p{k + 1}" for k in range(5_000))
    assert _reduced(short_net(f"s: i -> p0; {row}; e: p5000 -> o", i=1)).is_trivial
    side = "; ".join(f"t{k}: p{k} -> q{k}" for k in range(2_000))
    starts, ends = (" ".join(f"{p}{k}" for k in range(2_000)) for p in "pq")
    assert _reduced(short_net(f"s: i -> {starts}; {side}; e: {ends} -> o", i=1)).is_trivial
    choice = "; ".join(f"t{k}: i -> p{k}; u{k}: p{k} -> o" for k in range(2_000))
    assert _reduced(short_net(choice, i=1)).is_trivial


def test_a_read_is_a_token_taken_and_put_back() -> None:
    net = short_net("s: i -> a b; t: a -> c; j: c b -> o", {"t": {"reads": ("b",)}}, i=1)
    assert _explored(_reduced(net).target).verdict is _explored(target_of(net)).verdict is Verdict.SOUND
    assert Input("b") not in net.transition("t").inputs


LOCKS = (
    "s: i -> l m c; la: l a -> h; lb: h b -> w; le: w -> e a b; ra: m a -> g; rb: g b -> v; re: v -> f a b; z: c -> d;"
    "j: e f d -> o"
)


@pytest.mark.parametrize(
    ("text", "changes", "tokens", "goes"),
    [
        (LOCKS, {}, {"a": 1, "b": 1}, True),
        (LOCKS, {}, {"a": 2, "b": 1}, False),
        (LOCKS, {}, {"a": 2, "b": 2}, True),
        (LOCKS, {"z": {"resets": ("a",)}}, {"a": 1, "b": 1}, False),
        (LOCKS, {"z": {"inhibitors": ("b",)}}, {"a": 1, "b": 1}, False),
        (LOCKS.replace("g b -> v; re: v -> f a b", "g 2*b -> v; re: v -> f a 2*b"), {}, {"a": 1, "b": 1}, False),
        (LOCKS.replace("w -> e a b", "w -> e a"), {}, {"a": 1, "b": 1}, False),
        (LOCKS.replace("v -> f a b", "v -> k a b; rc: k b -> f b"), {}, {"a": 1, "b": 1}, False),
    ],
)
def test_a_lock_goes_if_it_is_only_taken_while_another_is_held(
    text: str, changes: Changes, tokens: dict[str, int], goes: bool
) -> None:
    target = target_of(short_net(text, changes, i=1, **tokens))
    small = reduce_net(target, compile_net(target.net), (drop_dependent_place,), ())
    assert ("b" not in small.target.net.place_ids()) is goes


def test_the_last_place_that_tells_the_end_stays_though_it_depends_on_none() -> None:
    net = replace(short_net("t: i -> j; x: i p -> k p; y: j p -> k p; z: k -> i", i=1, p=1), final={"p": 1})
    target = target_of(net)
    small = reduce_net(target, compile_net(target.net), (drop_dependent_place,), ())
    assert "p" in small.target.net.place_ids()
