"""Decision diagrams count, decide and refute as enumeration does, for every arc kind that they know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random

import pytest

from petri_cli.errors import PetriError
from petri_cli.net.compiled import compile_net
from petri_cli.net.firing import is_dead, replay
from petri_cli.net.model import Net
from petri_cli.soundness.result import Verdict
from petri_cli.soundness.shape import target_of
from petri_cli.soundness.symbolic.encoding import expressible
from petri_cli.soundness.symbolic.space import MOST_WORK, SIZES, Effort, GaveUp, explore
from petri_cli.soundness.symbolic.verdict import symbolic_deadlock, symbolic_verdict
from petri_cli.soundness.timer import never
from tests.oracle import statespace
from tests.oracle.counterexamples import shows_what_it_says
from tests.oracle.soundness import truth
from tests.oracle.statespace import TooBig, freeze
from tests.parts import first_quick
from tests.strategies.busy_nets import busy_net
from tests.strategies.grown_nets import grown_net
from tests.strategies.plain_nets import arbitrary_net, process_net, wild_workflow_net
from tests.strategies.workflow_nets import workflow_net

pytest.importorskip("oxidd", reason="needs the extra `symbolic`")

LIMIT = 300

WORKFLOWS: dict[str, Callable[[Random], Net]] = {
    "grown": lambda rng: grown_net(rng, special=True),
    "blocks": lambda rng: workflow_net(rng, special=True),
    "wild": wild_workflow_net,
    "processes": process_net,
}


def _judged(net: Net) -> str:
    try:
        target = target_of(net)
        right = truth(target.net, target.final, target.sink, LIMIT)
    except (PetriError, TooBig):
        return "passed over"
    compiled = compile_net(target.net)
    result = symbolic_verdict(target, compiled, never)
    if result is None:
        assert not all(expressible(a) for a in compiled.actions)
        return "not expressible"
    holds = {c.name: c.holds for c in result.conditions}
    assert holds == {
        "optionToComplete": right.option,
        "properCompletion": right.proper,
        "noDeadTransitions": not right.dead_transitions,
    }, net
    counts = result.counts
    assert counts is not None and counts.exact
    assert (counts.deadlocks, counts.doomed, counts.dead_transitions) == (
        right.deadlocks,
        right.doomed,
        right.dead_transitions,
    ), net
    assert result.stats["states"] == right.states
    assert (result.verdict is Verdict.SOUND) == right.sound
    for condition in result.conditions:
        if condition.counterexample is not None:
            shows_what_it_says(target.net, target.final, target.sink, condition.counterexample)
    return result.verdict.value


@pytest.mark.parametrize("generator", first_quick(*WORKFLOWS))
def test_soundness_is_what_enumeration_says(generator: str) -> None:
    seen = Counter(_judged(WORKFLOWS[generator](Random(seed))) for seed in range(150))  # noqa: S311
    assert seen["UNSOUND"] > 10, seen


@pytest.mark.slow
@pytest.mark.parametrize("generator", WORKFLOWS)
def test_soundness_is_what_enumeration_says_on_many_nets(generator: str) -> None:
    seen = Counter(_judged(WORKFLOWS[generator](Random(seed))) for seed in range(1_000, 1_800))  # noqa: S311
    assert seen["UNSOUND"] > 100, seen


def _explored(net: Net) -> str:
    try:
        right = statespace.explore(net, LIMIT)
    except TooBig:
        return "too big"
    compiled = compile_net(net)
    try:
        space = explore(compiled, Effort(never), SIZES[0])
    except GaveUp:
        assert not all(expressible(a) for a in compiled.actions)
        return "not expressible"
    assert space.count() == len(right.successors), net
    final = None if net.final is None else compiled.final
    stuck = {m for m in right.dead if net.final is None or m != freeze(net.final)}
    found = symbolic_deadlock(compiled, final, never)
    assert found is not None
    assert (found.run is not None) == bool(stuck), net
    if found.run is not None:
        end = replay(net, [compiled.actions[a].step for a in found.run])[-1]
        assert is_dead(net, end)
        assert freeze(end) in stuck
        return "deadlock"
    assert found.complete
    return "none"


@pytest.mark.slow
def test_counts_and_deadlocks_are_what_enumeration_says() -> None:
    """With weights, inhibitor, read, reset arcs, draining inputs, xor outputs, time-outs."""
    seen = Counter(_explored(busy_net(seed)) for seed in range(300))
    seen += Counter(_explored(arbitrary_net(Random(seed), reads=True)) for seed in range(200))  # noqa: S311
    assert min(seen["deadlock"], seen["none"]) > 5, seen


def test_an_unbounded_net_is_left_to_others() -> None:
    from petri_cli.net.model import Place, PlaceOut, Transition

    net = Net("grows", (Place("p"),), (Transition("t", (), PlaceOut("p")),))
    with pytest.raises(GaveUp):
        explore(compile_net(net), Effort(never), SIZES[0])
    assert symbolic_deadlock(compile_net(net), None, never) is None


def test_it_ends_at_its_deadline() -> None:
    with pytest.raises(GaveUp):
        explore(compile_net(busy_net(3)), Effort(lambda: True), SIZES[0])


def test_without_a_clock_it_ends_when_the_work_is_done() -> None:
    """A bounded net ends by itself, an unbounded one grows for minutes before it has outgrown its bits."""
    compiled = compile_net(arbitrary_net(Random(6)))  # noqa: S311
    effort = Effort(never, 200_000)
    with pytest.raises(GaveUp):
        explore(compiled, effort, SIZES[0])
    assert effort.work < 0
    few = Effort(never)
    explore(compile_net(process_net(Random(0))), few, SIZES[0])  # noqa: S311
    assert few.work > MOST_WORK // 2
