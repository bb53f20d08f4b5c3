"""Soundness on the reduced state space is soundness: compared with the definitions on random workflow nets."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from petri_cli.errors import PetriError
from petri_cli.net.compiled import compile_net
from petri_cli.net.firing import replay
from petri_cli.net.model import Net
from petri_cli.soundness.conditions import Findings, Watch, findings
from petri_cli.soundness.explore import grow
from petri_cli.soundness.packed import PackedNet, with_room
from petri_cli.soundness.reduced import end_is_out_of_reach, reduced_space, reduction_decides
from petri_cli.soundness.shape import target_of
from petri_cli.soundness.timer import never
from tests.oracle.soundness import truth
from tests.oracle.statespace import TooBig, explore, freeze
from tests.strategies.plain_nets import wild_workflow_net
from tests.strategies.short_nets import short_net
from tests.strategies.workflow_nets import workflow_net


def _reduced(net: Net, limit: int = 2000) -> tuple[Findings, int, bool]:
    """Findings, number of states, and whether the reduced space was explored to its end."""
    target = target_of(net)
    compiled = compile_net(target.net)
    assert reduction_decides(target, compiled)

    def search(packed: PackedNet) -> Watch:
        watch = Watch(target, reduced_space(packed))
        grow(watch.space, watch, limit, never)
        return watch

    watch = with_room(compiled, search)
    return findings(target, watch, reduced=True), len(watch.space.markings), watch.space.complete


def _applies(net: Net) -> bool:
    try:
        target = target_of(net)
    except PetriError:  # more than one source or sink
        return False
    return reduction_decides(target, compile_net(target.net))


def _compare(net: Net) -> str:
    target = target_of(net)
    found, states, complete = _reduced(net)
    try:
        expected = truth(target.net, target.final, target.sink, 400)
    except TooBig:
        return "too big"
    assert complete or found.counterexample is not None
    assert states <= expected.states
    option, proper, alive = (c.holds for c in found.conditions)
    assert option == expected.option
    assert proper in (expected.proper, None)
    assert (found.counterexample is None) == expected.sound
    if option:
        assert (option, proper, alive) == (True, expected.proper, not expected.dead_transitions)
        assert found.counts.dead_transitions == expected.dead_transitions
    assert found.counts.deadlocks == expected.deadlocks
    for c in found.conditions:
        if c.counterexample is not None:
            marking = replay(target.net, c.counterexample.run)[-1]
            assert marking == c.counterexample.marking
            if c.counterexample.kind == "cannotComplete":
                space = explore(Net("from here", net.places, net.transitions, marking), 500)
                assert freeze(target.final) not in space.successors and space.successors[space.initial]
            if c.counterexample.kind == "deadlock" and expected.proper:
                assert len(c.counterexample.run) == expected.to_deadlock
    return "sound" if expected.sound else "unsound"


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_soundness_on_the_reduced_space_is_soundness(part: int) -> None:
    seeds = range(part, 1600, 4)
    decided = Counter(_compare(workflow_net(Random(seed), wrong=0.15)) for seed in seeds)  # noqa: S311
    assert decided["sound"] > 80 and decided["unsound"] > 50, decided


@pytest.mark.slow
@pytest.mark.parametrize("part", range(3))
def test_soundness_of_wild_nets_with_weights_and_reads_is_soundness_on_the_reduced_space(part: int) -> None:
    decided = Counter[str]()
    for seed in range(part, 1500, 3):
        net = wild_workflow_net(Random(seed))  # noqa: S311
        if _applies(net):
            decided[_compare(net)] += 1
    assert decided["sound"] > 3 and decided["unsound"] > 100, decided


def test_parallel_branches_cost_their_sum_not_their_product() -> None:
    lanes = range(12)
    text = "; ".join(f"a{k}: s{k} -> x{k}; again{k}: x{k} -> s{k}; b{k}: x{k} -> e{k}" for k in lanes)
    starts, ends = (" ".join(f"{p}{k}" for k in lanes) for p in "se")
    found, states, complete = _reduced(short_net(f"split: i -> {starts}; {text}; join: {ends} -> o", i=1))
    assert complete and states < 50
    assert all(c.holds for c in found.conditions)


@pytest.mark.parametrize(
    "net",
    [
        short_net("a: i -> o; b: x -> x y; c: y -> y", {"b": {"reads": ("o",)}}, i=1, x=1),  # the end is not dead
        short_net("a: i r -> p r; lose: p r -> r; end: p -> o", i=1, r=1),  # a step leaves nothing but a resource
        short_net("a: i -> p; b: p -> o", {"a": {"resets": ("p",)}}, i=1),
        replace(short_net("a: i -> o", i=1), final={"o": 1}),  # the end is not known to stay
    ],
)
def test_the_theorem_is_not_used_where_it_does_not_apply(net: Net) -> None:
    target = target_of(net)
    assert not reduction_decides(target, compile_net(target.net))


def test_a_marking_from_which_the_end_is_out_of_reach_is_recognised() -> None:
    net = target_of(short_net("a: i -> p; b: p -> q; c: q -> p; d: i -> o", i=1)).net
    compiled = compile_net(net)
    assert end_is_out_of_reach(compiled, compiled.state({"p": 1}), 100, never)
    assert not end_is_out_of_reach(compiled, compiled.state({"i": 1}), 100, never)
