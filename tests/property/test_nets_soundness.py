"""On random nets with every arc kind, the gate says what the definitions say, and every counterexample replays."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.net.firing import replay
from petri_cli.net.model import Net, Property
from petri_cli.soundness.nets import judge_net, place_bounds
from petri_cli.soundness.result import Budget, Counterexample, Result, Verdict
from petri_cli.soundness.shape import Target, target_of
from tests.exploring import judge_by_exploration
from tests.oracle.counterexamples import shows_what_it_says
from tests.oracle.soundness import Truth, truth, violates, violating
from tests.oracle.statespace import TooBig, explore, freeze
from tests.strategies.nets import nets, properties
from tests.strategies.plain_nets import arbitrary_net, process_net
from tests.strategies.workflow_nets import workflow_net

MODEST = settings(deadline=None, derandomize=True, max_examples=80)
SMALL = Budget(max_states=3000)


def _condition(result: Result, name: str) -> bool | None:
    return next(c.holds for c in result.conditions if c.name == name)


def _compare(net: Net, limit: int = 300) -> str:
    """The verdict, after a comparison with the oracle; "too big" where the oracle gives up."""
    target = target_of(net)
    result, explored = judge_net(net, SMALL), judge_by_exploration(net, SMALL)
    for c in (*result.conditions, *explored.conditions):
        if c.counterexample is not None:
            shows_what_it_says(target.net, target.final, target.sink, c.counterexample)
    assert (result.verdict is Verdict.UNSOUND) == (result.counterexample is not None)
    try:
        expected = truth(target.net, target.final, target.sink, limit)
    except TooBig:
        assert explored.verdict is not Verdict.SOUND or explored.stats["states"] > limit
        assert {result.verdict, explored.verdict} != {Verdict.SOUND, Verdict.UNSOUND}
        return "too big"
    _says_the_same(result, expected)
    _says_the_same(explored, expected)
    assert explored.stats["states"] == expected.states
    return result.verdict.value


def _says_the_same(result: Result, expected: Truth) -> None:
    assert result.verdict is (Verdict.SOUND if expected.sound else Verdict.UNSOUND)
    assert _condition(result, "optionToComplete") == expected.option
    assert _condition(result, "properCompletion") == expected.proper
    assert _condition(result, "noDeadTransitions") == (not expected.dead_transitions)
    assert result.counts is not None and result.counts.exact
    assert (result.counts.deadlocks, result.counts.doomed) == (expected.deadlocks, expected.doomed)
    assert result.counts.dead_transitions == expected.dead_transitions
    shortest = {
        "deadlock": expected.to_deadlock,
        "cannotComplete": expected.to_doomed,
        "improperCompletion": expected.to_improper,
        "deadTransition": 0,
    }
    for c in result.conditions:
        if c.counterexample is not None:
            assert c.counterexample.shortest
            assert len(c.counterexample.run) == shortest[c.counterexample.kind]


def _is_right_or_open(result: Result, target: Target, expected: Truth) -> None:
    if result.verdict is not Verdict.UNKNOWN:
        assert (result.verdict is Verdict.SOUND) == expected.sound
    for c, holds in zip(
        result.conditions, (expected.option, expected.proper, not expected.dead_transitions), strict=True
    ):
        assert c.holds is None or c.holds == holds
        if c.counterexample is not None:
            shows_what_it_says(target.net, target.final, target.sink, c.counterexample)
            _is_as_short_as_it_says(c.counterexample, expected)
    if result.counts is not None:
        assert result.counts.deadlocks <= expected.deadlocks
        assert result.counts.doomed <= expected.doomed


def _is_as_short_as_it_says(cx: Counterexample, expected: Truth) -> None:
    nearest = {
        "deadlock": expected.to_deadlock,
        "cannotComplete": expected.to_doomed,
        "improperCompletion": expected.to_improper,
    }.get(cx.kind)
    if cx.shortest and nearest is not None:
        assert len(cx.run) == nearest


@pytest.mark.slow
@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("part", range(3))
def test_workflow_nets_are_judged_as_the_definitions_say(special: bool, part: int) -> None:
    seeds = range(part, 600, 3)
    verdicts = Counter(_compare(workflow_net(Random(seed), special=special)) for seed in seeds)  # noqa: S311
    assert verdicts["SOUND"] > 40 and verdicts["UNSOUND"] > 25, verdicts


@MODEST
@given(nets(), st.data())
def test_any_net_with_a_final_marking_is_judged_as_the_definitions_say(net: Net, data: st.DataObject) -> None:
    try:
        space = explore(net, 100)
    except TooBig:
        return
    finals = [*space.dead, *list(space.successors)[:5]]
    final = dict(data.draw(st.sampled_from(finals)))
    if any(net.initial.values()):
        _compare(replace(net, final=final))


@pytest.mark.slow
@MODEST
@given(nets(), st.lists(properties(("a", "b", "c", "d", "e")), min_size=1, max_size=4, unique_by=lambda p: p.id))
def test_properties_hold_exactly_where_no_reachable_marking_violates_them(net: Net, asked: list[Property]) -> None:
    known = set(net.place_ids())
    asked = [p for p in asked if known.issuperset(p.places)]
    if not asked:
        return
    result = judge_net(net, SMALL, asked)
    try:
        space = explore(net, 200)
    except TooBig:
        space = None
    for prop, c in zip(asked, result.conditions, strict=True):
        assert c.name == prop.id
        if c.counterexample is not None:
            assert replay(net, c.counterexample.run)[-1] == c.counterexample.marking
        if space is None:
            continue
        bad = violating(net, space, prop)
        assert c.holds is (not bad)
        if bad:
            assert c.counterexample is not None
            assert freeze(c.counterexample.marking) in bad
            assert len(c.counterexample.run) == min(bad.values())
    holds = [c.holds for c in result.conditions]
    wanted = Verdict.UNSOUND if False in holds else Verdict.UNKNOWN if None in holds else Verdict.SOUND
    assert result.verdict is wanted


@pytest.mark.slow
@pytest.mark.parametrize("cap", [3, 12])
def test_under_any_cap_a_property_is_judged_rightly_or_left_open(cap: int) -> None:
    """By counting up to a limit and by stubborn sets, where the cap keeps enumeration from telling."""
    decided = Counter[bool | None]()
    for seed in range(150):
        rng = Random(seed)  # noqa: S311
        net = arbitrary_net(rng, reads=True) if seed % 2 else process_net(rng)
        places = net.place_ids()
        pair = tuple(rng.sample(places, min(2, len(places))))
        asked = [
            Property("free", "deadlockFree", pair),
            Property("sink", "terminatesAtSink", pair),
            Property("count", "quiescentCount", pair, 0, 1),
            Property("bound", "placeBound", pair[:1], 0, 1),
            Property("both", "unreachable", pair),
        ]
        try:
            space = explore(net, 300)
        except TooBig as e:
            space = e.space
        result = judge_net(net, Budget(max_states=cap), asked)
        for prop, c in zip(asked, result.conditions, strict=True):
            decided[c.holds] += 1
            bad = violating(net, space, prop)
            if c.holds is True:
                assert not bad
            if c.holds is False:
                assert c.counterexample is not None
                assert violates(net, replay(net, c.counterexample.run)[-1], prop)
                assert not bad or len(c.counterexample.run) == min(bad.values())
    assert min(decided[True], decided[False], decided[None]) > 20, decided


@pytest.mark.slow
@MODEST
@given(nets())
def test_place_bounds_are_the_largest_counts_of_the_reachable_markings(net: Net) -> None:
    try:
        space = explore(net, 100)
    except TooBig:
        assert place_bounds(net, Budget(max_states=100)) is None
        return
    expected = {p: max(dict(m).get(p, 0) for m in space.successors) for p in net.place_ids()}
    assert place_bounds(net, SMALL) == expected


@pytest.mark.slow
@pytest.mark.parametrize("cap", [1, 5, 20, 60])
def test_under_any_cap_a_verdict_is_right_or_unknown(cap: int) -> None:
    decided = Counter[str]()
    for seed in range(300):
        net = workflow_net(Random(seed), special=seed % 3 == 0, wrong=0.15)  # noqa: S311
        target = target_of(net)
        try:
            expected = truth(target.net, target.final, target.sink, 600)
        except TooBig:
            continue
        result = judge_by_exploration(net, Budget(max_states=cap))
        decided[result.verdict.value] += 1
        _is_right_or_open(result, target, expected)
        _is_right_or_open(judge_net(net, Budget(max_states=cap)), target, expected)
    assert decided["UNKNOWN"] > 0 or cap > 20
    assert decided["UNSOUND"] > 0 or cap == 1
