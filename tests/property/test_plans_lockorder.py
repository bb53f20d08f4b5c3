"""The lock order on bit sets against its definition, pair by pair; large runs against the plain firing rule."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.net.firing import is_dead, replay
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.lower import lower_workflow
from petri_cli.soundness.bits import bits_of, components, members
from petri_cli.soundness.core import Core, core_of
from petri_cli.soundness.demand import demand_of, demands_of
from petri_cli.soundness.game import Board, Player
from petri_cli.soundness.lockorder import closest_nestings, lock_order, nestings
from petri_cli.soundness.replay import end_of, nothing_moves
from petri_cli.soundness.timer import Pace, never
from tests.strategies.contended_plans import Document, contended_plan, contended_plans

MODEST = settings(deadline=None, derandomize=True, max_examples=200)


def closure(after: dict[int, int]) -> set[tuple[int, int]]:
    """Which node can be reached from which, by one edge or more."""
    pairs = {(n, m) for n, bits in after.items() for m in members(bits)}
    while True:
        more = pairs | {(a, d) for a, b in pairs for c, d in pairs if b == c}
        if more == pairs:
            return pairs
        pairs = more


@MODEST
@given(st.integers(1, 8), st.integers(0, 2**64 - 1), st.integers(0, 2**8 - 1))
def test_components_are_the_classes_of_nodes_that_reach_each_other_sources_first(n: int, edges: int, some: int) -> None:
    nodes = some & ((1 << n) - 1)
    after = {i: edges >> (8 * i) & nodes for i in members(nodes)}
    reach = closure(after)
    found = components(after, nodes)
    assert sorted(i for c in found for i in members(c)) == list(members(nodes))
    place = {i: k for k, c in enumerate(found) for i in members(c)}
    for i in members(nodes):
        for j in members(nodes):
            together = i == j or ((i, j) in reach and (j, i) in reach)
            assert (place[i] == place[j]) == together
            if (i, j) in reach:
                assert place[i] <= place[j]


def core(document: Document) -> Core:
    return core_of(plan_from_data(document)[0])


@MODEST
@given(contended_plans(depth=5), st.integers(0, 15))
def test_the_lock_order_is_the_nesting_of_guards_pair_by_pair(document: Document, resources: int) -> None:
    c = core(document)
    pairs = set()
    for inner in c.nodes:
        above = inner.parent
        while above >= 0:
            pairs |= {(r, s) for r, _ in c.nodes[above].units for s, _ in inner.units}
            above = c.nodes[above].parent
    pairs = {(r, s) for r, s in pairs if resources >> r & 1 and resources >> s & 1}
    after = nestings(c.nodes, resources)
    assert {(r, s) for r, bits in after.items() for s in members(bits)} == pairs
    closest = closest_nestings(c.nodes, resources)
    assert closest <= pairs
    grouped = {r: bits_of(s for q, s in closest if q == r) for r, _ in closest}
    assert closure(grouped) == closure(after)
    order = lock_order(c.nodes, resources)
    cyclic = {r for component in order.cyclic() for r in members(component)}
    assert cyclic == {r for r, s in closure(after) if r == s}


@MODEST
@given(contended_plans(depth=5))
def test_the_demand_of_the_whole_is_that_of_the_root(document: Document) -> None:
    c = core(document)
    limits = [n.limit for n in c.nodes]
    assert demand_of(c, limits) == (demands_of(c, limits) or [{}])[0]


def test_the_game_on_touched_places_is_the_plain_firing_rule() -> None:
    """In two rounds, in the first of which some transitions are held up: others then wait for what is held."""
    ends = {True: 0, False: 0}
    for seed in range(300):
        rng = random.Random(seed)  # noqa: S311
        plan, _ = plan_from_data(contended_plan(rng, 4))
        lowered = lower_workflow(plan, default_width=2)
        board = Board(plan, lowered)
        player = Player(board, never)
        rounds = {a for a, t in enumerate(board.transitions) if ".again" in t.id}
        held_up = {a for a in range(len(board.transitions)) if rng.random() < 0.3}
        for hindered in (rounds | held_up, rounds):
            player.settle(lambda a, hindered=hindered: a not in hindered, board.candidates(player.marking))  # type: ignore[misc]
        ids = [board.transitions[a].id for a in player.run]
        marking = replay(lowered.net, ids)[-1]
        assert marking == {p: n for p, n in player.marking.items() if n}
        assert marking == end_of(lowered.net, ids, Pace(never))
        assert is_dead(lowered.net, marking)
        assert nothing_moves(lowered.net, marking, Pace(never))
        assert board.is_stuck(marking) == (marking != board.final)
        ends[marking == board.final] += 1
    assert min(ends.values()) > 20, ends
