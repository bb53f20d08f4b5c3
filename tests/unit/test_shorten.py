"""Shortened runs are runs, end where they should, and have no step to spare."""

from __future__ import annotations

from random import Random

import pytest

from petri_cli.net.compiled import CompiledNet, State, compile_net
from petri_cli.net.firing import is_dead, replay
from petri_cli.net.model import AndOut, Cardinality, Input, Net, Place, PlaceOut, Transition
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.shorten import shorten
from tests.strategies.plain_nets import process_net


def _chain(length: int) -> Net:
    """``t`` moves a token along; beside it, ``noise`` and ``calm`` pass a token to and fro."""
    transitions = [
        *(Transition(f"t{i}", (Input(f"c{i}"),), PlaceOut(f"c{i + 1}")) for i in range(length)),
        Transition("noise", (Input("calm"),), PlaceOut("noisy")),
        Transition("calm", (Input("noisy"),), PlaceOut("calm")),
    ]
    places = [*(f"c{i}" for i in range(length + 1)), "calm", "noisy"]
    return Net("chain", tuple(Place(p) for p in places), tuple(transitions), {"c0": 1, "calm": 1})


def _indices(compiled: CompiledNet, names: list[str]) -> list[int]:
    by_name = {a.step.transition: i for i, a in enumerate(compiled.actions)}
    return [by_name[n] for n in names]


def test_steps_that_the_end_does_not_need_are_taken_out_with_what_depends_on_them() -> None:
    compiled = compile_net(_chain(3))
    end = compiled.index["c3"]
    run = _indices(compiled, ["noise", "t0", "calm", "noise", "t1", "t2", "calm"])
    assert shorten(compiled, run, lambda s: s[end] == 1) == tuple(_indices(compiled, ["t0", "t1", "t2"]))


def test_a_run_of_thousands_of_steps_with_a_short_core_is_shortened_quickly() -> None:
    compiled = compile_net(_chain(5))
    end = compiled.index["c5"]
    names = ["noise", "calm"] * 400
    for k in range(5):
        names[150 * k + 100 : 150 * k + 100] = [f"t{k}"]
    tried = 0

    def accept(state: State) -> bool:
        nonlocal tried
        tried += 1
        return state[end] == 1

    assert len(shorten(compiled, _indices(compiled, names), accept)) == 5
    assert tried < 150


def test_a_run_that_needs_all_of_its_steps_stays_as_it_is() -> None:
    compiled = compile_net(_chain(40))
    run = _indices(compiled, [f"t{i}" for i in range(40)])
    assert shorten(compiled, run, lambda s: s[40] == 1) == tuple(run)


def test_counts_above_the_initial_ones_and_draining_arcs_are_fired_exactly() -> None:
    transitions = (
        Transition("make", (Input("seed"),), AndOut((PlaceOut("seed"), PlaceOut("heap", 3)))),
        Transition("take", (Input("heap", Cardinality.AT_LEAST, 6),), PlaceOut("done")),
    )
    net = Net("heap", tuple(Place(p) for p in ("seed", "heap", "done")), transitions, {"seed": 1})
    compiled = compile_net(net)
    run = _indices(compiled, ["make", "make", "make", "make", "take"])
    kept = shorten(compiled, run, lambda s: s[2] == 1)
    assert [compiled.actions[a].step.transition for a in kept] == ["make", "make", "take"]


@pytest.mark.parametrize("run", [[3, 3], [0]])
def test_what_is_no_run_to_an_accepted_state_is_refused(run: list[int]) -> None:
    with pytest.raises(ValueError, match="no run"):
        shorten(compile_net(_chain(3)), run, lambda s: s[3] == 1)


def test_no_single_step_of_a_shortened_deadlock_run_can_be_spared() -> None:
    shortened = 0
    for seed in range(150):
        net = process_net(Random(seed))  # noqa: S311
        compiled = compile_net(net)
        found = find_deadlock(compiled, final=compiled.final, max_states=5000)
        if found.run is None:
            continue

        def accept(state: State, compiled: CompiledNet = compiled) -> bool:
            return state != compiled.final and not any(a.enabled(state) for a in compiled.actions)

        run = shorten(compiled, found.run, accept)
        shortened += len(run) < len(found.run)
        assert is_dead(net, replay(net, [compiled.actions[a].step for a in run])[-1])
        for i in range(len(run)):
            assert not accept(_fire_what_can(compiled, [*run[:i], *run[i + 1 :]]))
    assert shortened > 10


def _fire_what_can(compiled: CompiledNet, run: list[int]) -> State:
    state = compiled.initial
    for a in run:
        if compiled.actions[a].enabled(state):
            state = compiled.actions[a].fire(state)
    return state


def test_past_the_deadline_a_run_is_returned_as_far_as_it_was_shortened() -> None:
    compiled = compile_net(_chain(1))
    run = _indices(compiled, ["noise", "calm", "t0", "noise", "calm"])
    assert shorten(compiled, run, lambda s: s[1] == 1, lambda: True) == tuple(run)
    looks = iter([False, False] + [True] * 100)
    part = shorten(compiled, run, lambda s: s[1] == 1, lambda: next(looks))
    assert part == tuple(_indices(compiled, ["noise", "calm", "t0"]))
