"""The minimal coverability set against the tree of Karp and Miller, built without any pruning."""

from __future__ import annotations

from math import inf
from random import Random

import pytest

from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.firing import replay
from petri_cli.soundness.counterexample import covers_strictly
from petri_cli.soundness.coverability import Extended, coverability, find_pumping_run
from petri_cli.soundness.explore import StateSpace
from petri_cli.soundness.packed import PackedNet, effect
from petri_cli.soundness.unbounded import find_pump
from tests.strategies.plain_nets import arbitrary_net
from tests.strategies.short_nets import short_net

NODES = 4_000


def karp_miller(compiled: CompiledNet) -> set[Extended] | None:
    """The maximal labels of the tree, by its definition; None when it has too many nodes."""
    root: tuple[Extended, ...] = (compiled.initial,)
    paths, labels = [root], {root[0]}
    nodes = 0
    while paths:
        path = paths.pop()
        nodes += 1
        if nodes > NODES:
            return None
        if path[-1] in path[:-1]:
            continue
        for a in compiled.actions:
            m = path[-1]
            if all(m[p] >= k for p, k in a.needs) and all(m[p] for p in a.reads):
                change = effect(a)
                after = tuple(n + change.get(p, 0) for p, n in enumerate(m))
                for below in path:
                    if below != after and all(x <= y for x, y in zip(below, after, strict=True)):
                        after = tuple(y if x == y else inf for x, y in zip(below, after, strict=True))
                labels.add(after)
                paths.append((*path, after))
    return {m for m in labels if not any(m != n and all(x <= y for x, y in zip(m, n, strict=True)) for n in labels)}


@pytest.mark.slow
def test_the_set_is_that_of_the_full_tree_and_every_pump_replays() -> None:
    compared = unbounded = 0
    for seed in range(400):
        net = arbitrary_net(Random(seed), reads=seed % 2 == 0)  # noqa: S311
        compiled = compile_net(net)
        found = coverability(compiled, most=NODES)
        assert found is not None
        expected = karp_miller(compiled)
        if expected is None or not found.complete:
            continue
        assert set(found.elements) == expected and len(found.elements) == len(expected), seed
        compared += 1
        pump = find_pumping_run(compiled)
        assert (pump is not None) == (found.pump is not None) == any(inf in m for m in expected), seed
        if pump is not None:
            unbounded += 1
            steps = [compiled.actions[a].step for a in (*pump.run, *pump.pump, *pump.pump)]
            path = replay(net, steps)
            below, above = path[len(pump.run)], path[len(pump.run) + len(pump.pump)]
            assert covers_strictly(above, below) and covers_strictly(path[-1], above)
    assert compared > 200 and unbounded > 30


def test_a_pump_behind_many_markings_is_found_where_a_search_by_breadth_gives_up() -> None:
    rows = ["start: i -> " + " ".join(f"p{k}.0" for k in range(8)) + " q0"]
    rows += [f"s{k}.{j}: p{k}.{j} -> p{k}.{j + 1}" for k in range(8) for j in range(8)]
    rows += [f"c{j}: q{j} -> q{j + 1}" for j in range(30)] + ["pump: q30 -> q30 extra"]
    compiled = compile_net(short_net("; ".join(rows), i=1))
    space = StateSpace(PackedNet(compiled))
    space.advance(20_000, lambda: False)
    assert find_pump(space) is None
    pump = find_pumping_run(compiled, most=2_000)
    assert pump is not None and [compiled.actions[a].step.transition for a in pump.pump] == ["pump"]


def test_bounds_and_covered_markings_can_be_asked_for() -> None:
    net = short_net("t: a -> b c; u: b -> a", a=1)
    found = coverability(compile_net(net))
    assert found is not None and found.complete
    places = [p.id for p in net.places]
    assert dict(zip(places, found.bounds() or (), strict=True)) == {"a": 1, "b": 1, "c": inf}
    marking = {"a": 1, "b": 0, "c": 7}
    assert found.covers([marking[p] for p in places]) is True
    assert found.covers([1 if p in "ab" else 0 for p in places]) is False
