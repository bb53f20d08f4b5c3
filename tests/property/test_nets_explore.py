"""Packed markings and the state space built on them agree with the plain firing rule, for every arc kind."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.firing import is_rest, replay
from petri_cli.net.model import Cardinality, ForwardOut, Input, Net, Place, PlaceOut, TimeoutOut, Transition, XorOut
from petri_cli.soundness.bits import members
from petri_cli.soundness.explore import StateSpace
from petri_cli.soundness.packed import PackedNet, with_room
from tests.oracle.statespace import TooBig, explore, freeze
from tests.strategies.nets import nets
from tests.strategies.short_nets import short_net
from tests.strategies.workflow_nets import workflow_net

MODEST = settings(deadline=None, derandomize=True, max_examples=60)


def _space(compiled: CompiledNet, limit: int = 10_000) -> StateSpace:
    def search(packed: PackedNet) -> StateSpace:
        space = StateSpace(packed)
        space.advance(limit)
        return space

    return with_room(compiled, search)


@pytest.mark.slow
@MODEST
@given(nets(max_tokens=4), st.integers(0, 2**32))
def test_the_state_space_is_that_of_the_plain_firing_rule(net: Net, seed: int) -> None:
    try:
        truth = explore(net, 150)
    except TooBig:
        return
    compiled = compile_net(net)
    space = _space(compiled)
    states = [freeze(compiled.marking(space.state(i))) for i in range(len(space.markings))]
    assert space.complete
    assert len(set(states)) == len(states) and set(states) == set(truth.successors)
    assert space.edges == sum(len(out) for out in truth.successors.values())
    assert {states[i] for i in space.rests} == {m for m in states if is_rest(net, dict(m))}
    fired = {compiled.actions[a].step for a in members(space.fired)}
    assert fired == {step for out in truth.successors.values() for step, _ in out}
    for i, m in enumerate(states):
        assert sorted(map(sorted, (states[j] for j in space.successors(i)))) == sorted(
            sorted(n) for _, n in truth.successors[m]
        )
        run = space.run_to(i)
        assert len(run) == truth.distance[m]
        assert freeze(replay(net, [compiled.actions[a].step for a in run])[-1]) == m
    goals = Random(seed).sample(range(len(states)), min(2, len(states)))  # noqa: S311
    good = space.backwards(goals)
    assert {m for m, ok in zip(states, good, strict=True) if ok} == truth.can_reach({states[g] for g in goals})


@pytest.mark.parametrize("special", [False, True])
@pytest.mark.parametrize("floor", [1, 2])
def test_enabled_sets_are_kept_up_exactly(special: bool, floor: int) -> None:
    followed = 0
    for seed in range(250):
        net = PackedNet(compile_net(workflow_net(Random(seed), special=special)), floor)  # noqa: S311
        seen, todo = {net.initial}, [net.initial]
        while todo and len(seen) < 60:
            m = todo.pop()
            enabled = net.enabled(m)
            for a in members(enabled):
                after = net.fire(a, m)
                if after & net.guards == net.guards:
                    followed += 1
                    assert net.update(enabled, a, after) == net.enabled(after)
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
    assert followed > 1000


def test_a_forward_of_many_tokens_does_not_run_over_a_narrow_field() -> None:
    late = TimeoutOut(1.0, ForwardOut("a", "b"))
    t = Transition("t", (Input("a", Cardinality.ALL),), XorOut((PlaceOut("c"), PlaceOut("a"), late)))
    net = Net("forward", tuple(Place(p) for p in "abc"), (t,), {"a": 202})
    compiled = compile_net(net)
    space = _space(compiled)
    states = {freeze(compiled.marking(space.state(i))) for i in range(len(space.markings))}
    assert states == set(explore(net).successors)


@pytest.mark.slow
@MODEST
@given(nets(max_tokens=3), st.integers(1, 40))
def test_a_part_of_the_state_space_is_a_breadth_first_beginning_of_it(net: Net, limit: int) -> None:
    try:
        truth = explore(net, 150)
    except TooBig:
        return
    compiled = compile_net(net)
    part = _space(compiled, limit)
    assert part.complete == (len(truth.successors) <= limit) or part.expanded == len(truth.successors)
    assert len(part.markings) > limit or part.complete
    for i in range(len(part.markings)):
        assert len(part.run_to(i)) == truth.distance[freeze(compiled.marking(part.state(i)))]
    if part.advance(10_000):
        assert len(part.markings) == len(truth.successors)


def test_fields_grow_until_they_hold_what_is_produced() -> None:
    net = short_net("double: a -> 7*b; pay: 300*b -> c; again: x -> a", x=50)
    compiled = compile_net(net)
    space = _space(compiled)
    most = [max(space.state(i)[p] for i in range(len(space.markings))) for p in range(len(compiled.places))]
    assert dict(zip(compiled.places, most, strict=True)) == {"x": 50, "a": 50, "b": 350, "c": 1}


def test_exploring_in_small_steps_gives_the_same_space() -> None:
    for seed in range(40):
        compiled = compile_net(workflow_net(Random(seed)))  # noqa: S311
        whole, slow = _space(compiled, 500), StateSpace(PackedNet(compiled, 16))
        while not slow.complete and len(slow.markings) <= 500:
            slow.advance(len(slow.markings))
        assert [whole.state(i) for i in range(len(whole.markings))] == [
            slow.state(i) for i in range(len(slow.markings))
        ]
        assert whole.complete == slow.complete and whole.edges == slow.edges


@pytest.mark.parametrize(("lanes", "length"), [(2, 61), (2, 150), (3, 90)])
def test_markings_of_equal_branches_do_not_share_their_hashes(lanes: int, length: int) -> None:
    """A hash of an integer is modulo 2**61 - 1: only 61 kinds of bits, whatever the number of places."""
    text = "; ".join(f"t{b}.{k}: p{b}.{k} -> p{b}.{k + 1}" for b in range(lanes) for k in range(length - 1))
    net = replace(short_net(text), initial={f"p{b}.0": 1 for b in range(lanes)})
    space = _space(compile_net(net), 20_000)
    hashes = {hash(space.net.key(m)) for m in space.markings}
    assert len(hashes) > len(space.markings) / 3
