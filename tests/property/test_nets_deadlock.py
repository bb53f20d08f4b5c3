"""The stubborn-set search finds a deadlock iff the full search does, and breadth first by a shortest run."""

from __future__ import annotations

from random import Random

import pytest

from petri_cli.net.compiled import compile_net
from petri_cli.net.firing import is_dead, replay
from petri_cli.net.model import Net
from petri_cli.soundness.deadlock import DeadlockSearch, find_deadlock
from tests.oracle.statespace import TooBig, explore, freeze
from tests.parts import parts
from tests.strategies.plain_nets import arbitrary_net, process_net


def _agrees(net: Net) -> str:
    """Compare both searches; returns how the net was decided."""
    try:
        space = explore(net, 400)
    except TooBig:
        return "too big"
    compiled = compile_net(net)
    dead = {m for m in space.dead if net.final is None or m != freeze(net.final)}
    for shortest in (False, True):
        found = find_deadlock(compiled, final=compiled.final, max_states=10_000, shortest=shortest)
        assert (found.run is not None) == bool(dead), (net, dead)
        assert found.states <= len(space.successors)
        if found.run is None:
            assert found.complete
            continue
        _is_a_deadlock(net, found)
        if shortest:
            assert len(found.run) == min(space.distance[m] for m in dead), net
    return "deadlock" if dead else "none"


def _is_a_deadlock(net: Net, found: DeadlockSearch) -> None:
    assert found.run is not None and found.state is not None
    compiled = compile_net(net)
    end = replay(net, [compiled.actions[a].step for a in found.run])[-1]
    assert is_dead(net, end)
    assert end == compiled.marking(found.state)
    assert net.final is None or freeze(end) != freeze(net.final)


@pytest.mark.slow
@pytest.mark.parametrize("part", parts(4))
def test_arbitrary_plain_nets_deadlock_exactly_where_the_full_search_says(part: int) -> None:
    decided = [_agrees(arbitrary_net(Random(seed), reads=seed % 2 == 0)) for seed in range(part, 1600, 4)]  # noqa: S311
    assert decided.count("deadlock") > 80
    assert decided.count("none") > 8


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_processes_over_counted_resources_deadlock_exactly_where_the_full_search_says(part: int) -> None:
    decided = [_agrees(process_net(Random(seed))) for seed in range(part, 600, 4)]  # noqa: S311
    assert decided.count("deadlock") > 12
    assert decided.count("none") > 12
