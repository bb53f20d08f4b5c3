"""Which steps of a run pass over a transition of higher priority."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.net.firing import Step, enabled, replay, steps
from petri_cli.net.priority import PassedOver, passed_over
from tests.strategies.short_nets import short_net


def _run(*ids: str) -> tuple[Step, ...]:
    return tuple(Step(i) for i in ids)


def test_every_step_below_an_enabled_higher_one_is_named_with_the_highest() -> None:
    net = short_net("a: i -> o; b: i -> o; c: i -> o", {"b": {"priority": 1}, "c": {"priority": 2}}, i=3)
    found = list(passed_over(net, _run("a", "c", "b")))
    assert found == [PassedOver(1, "a", "c"), PassedOver(3, "b", "c")]


def test_equal_priorities_pass_nobody_over() -> None:
    net = short_net("a: i -> o; b: i -> o", {"a": {"priority": 7}, "b": {"priority": 7}}, i=1)
    assert list(passed_over(net, _run("a"))) == []
    assert list(passed_over(short_net("a: i -> o", i=1), ())) == []


def test_a_run_that_does_not_replay_is_refused() -> None:
    net = short_net("a: i -> o; b: i -> o", {"a": {"priority": 1}}, i=1)
    with pytest.raises(ValueError, match="step 2"):
        list(passed_over(net, _run("a", "b")))


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.data())
def test_it_says_what_the_definition_says(data: st.DataObject) -> None:
    ranks = data.draw(st.lists(st.integers(-1, 2), min_size=4, max_size=4))
    changes = {t: {"priority": k} for t, k in zip("abcd", ranks, strict=True)}
    net = short_net("a: i -> p; b: i -> p q; c: p q -> i; d: q -> i", changes, i=2)
    run: list[Step] = []
    marking = dict(net.initial)
    for _ in range(6):
        possible = list(steps(net, marking))
        if not possible:
            break
        step, marking = data.draw(st.sampled_from(possible))
        run.append(step)
    expected = set()
    for n, (step, before) in enumerate(zip(run, replay(net, run), strict=False), 1):
        higher = [t for t in net.transitions if t.priority > net.transition(step.transition).priority]
        if any(enabled(t, before) for t in higher):
            expected.add(n)
    assert {p.step for p in passed_over(net, run)} == expected
