"""The structural stages of the gate for plans, each on plans small enough to check by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from petri_cli.plan.load import plan_from_data
from petri_cli.soundness.bits import members
from petri_cli.soundness.core import Core, Kind, core_of
from petri_cli.soundness.cutoff import cut_off
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.demand import blocking, demands_of
from petri_cli.soundness.fusion import effect, joined
from petri_cli.soundness.lockorder import lock_order
from petri_cli.soundness.parts import Part, parts_of, subplans
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.skeleton import COUNTED, build

Document = dict[str, Any]


def task(name: str) -> Document:
    return {"task": {"id": name}}


def guard(resource: str | list[str], body: Document, units: int = 1) -> Document:
    return {"guard": {"resource": resource, "units": units, "body": body}}


def foreach(name: str, body: Document, **more: Any) -> Document:
    return {"foreach": {"id": name, "over": "items", "body": body, **more}}


def core(flow: Document, **capacities: int) -> Core:
    resources = [{"id": r, "capacity": c} for r, c in capacities.items()]
    return core_of(plan_from_data({"name": "x", "resources": resources, "flow": flow})[0])


def limits(c: Core) -> list[int | None]:
    return [n.limit for n in c.nodes]


def demand(c: Core) -> dict[str, float]:
    return {c.resources[r]: d for r, d in demands_of(c, limits(c))[0].items()}


def parts(c: Core) -> list[Part]:
    return list(parts_of(c, c.capacities, limits(c), demands_of(c, limits(c))))


# Core


def test_the_core_leaves_out_what_never_waits() -> None:
    flow = {"seq": [task("a"), {"loop": {"id": "l", "maxIterations": 2, "body": guard("r", task("b"))}}, task("c")]}
    [only] = core(flow, r=1).nodes
    assert only.kind is Kind.GUARD


def test_a_foreach_over_an_empty_list_is_no_part_of_the_core() -> None:
    flow = {"foreach": {"id": "f", "over": [], "body": guard("r", task("a"), units=9)}}
    c = core(flow, r=1)
    assert c.nodes == ()
    assert c.requests == ()


def test_a_choice_remembers_a_branch_that_takes_nothing() -> None:
    flow = {"choice": [task("a"), guard("r", task("b")), task("c")]}
    choice = core(flow, r=1).nodes[0]
    assert (choice.branches, choice.skip) == ((2,), 1)


# Demand


@pytest.mark.parametrize(
    ("flow", "expected"),
    [
        ({"seq": [guard("r", task("a")), guard("r", task("b"), units=2)]}, 2),
        ({"choice": [guard("r", task("a")), guard("r", task("b"), units=2)]}, 2),
        ({"parallel": [guard("r", task("a")), guard("r", task("b"), units=2)]}, 3),
        (guard("r", guard("r", task("a")), units=2), 3),
        (foreach("f", guard("r", task("a"))), math.inf),
        (foreach("f", guard("r", task("a"), units=2), maxWidth=4), 8),
        ({"loop": {"id": "l", "maxIterations": 9, "body": guard("r", task("a"))}}, 1),
    ],
)
def test_demand_follows_the_structure(flow: Document, expected: float) -> None:
    assert demand(core(flow, r=5)) == {"r": expected}


def test_a_resource_blocks_only_when_its_demand_exceeds_its_capacity() -> None:
    c = core({"parallel": [guard("r", task("a")), guard("r", task("b"))]}, r=2)
    assert blocking(demands_of(c, limits(c))[0], (2,)) == 0
    assert blocking(demands_of(c, limits(c))[0], (1,)) == 1


# Lock order


def test_an_edge_stands_for_nesting_at_any_depth_but_not_for_one_atomic_guard() -> None:
    c = core(guard("a", guard(["b", "c"], guard("d", task("t")))), a=1, b=1, c=1, d=1)
    order = lock_order(c.nodes, 0b1111)
    assert {r: list(members(s)) for r, s in order.after.items()} == {0: [1, 2, 3], 1: [3], 2: [3]}
    assert order.cyclic() == []
    assert order.order()[0] == 0
    assert order.order()[-1] == 3


def test_cycles_are_found_with_those_above_them() -> None:
    flow = {"parallel": [guard("t", guard("a", guard("b", task("x")))), guard("t", guard("b", guard("a", task("y"))))]}
    c = core(flow, t=1, a=1, b=1)
    order = lock_order(c.nodes, 0b111)
    [cycle] = order.cyclic()
    assert list(members(cycle)) == [1, 2]
    assert list(members(order.ancestors(cycle))) == [0, 1, 2]


def test_a_resource_nested_in_itself_is_a_cycle() -> None:
    c = core(guard("a", guard("a", task("x"))), a=2)
    assert lock_order(c.nodes, 1).cyclic() == [1]


# Parts


def inverted(a: str, b: str, n: int) -> Document:
    left, right = guard(a, guard(b, task(f"x{n}"))), guard(b, guard(a, task(f"y{n}")))
    return {"parallel": [left, right]}


def test_members_of_a_seq_are_judged_apart() -> None:
    found = parts(core({"seq": [inverted("a", "b", 1), task("t"), inverted("a", "b", 2)]}, a=1, b=1))
    assert [len(p.branches) for p in found] == [2, 2]


def test_branches_that_share_nothing_scarce_are_judged_apart() -> None:
    flow = {"parallel": [*inverted("a", "b", 1)["parallel"], *inverted("c", "d", 2)["parallel"]]}
    assert [len(p.branches) for p in parts(core(flow, a=1, b=1, c=1, d=1))] == [2, 2]


def test_branches_that_share_transitively_stay_together() -> None:
    """Any two of the three are sound together; the three are not."""
    ring = [guard(r, guard(s, task(r + s))) for r, s in ("ab", "bc", "ca")]
    [part] = parts(core({"parallel": ring}, a=1, b=1, c=1))
    assert len(part.branches) == 3


def test_a_part_inside_a_guard_has_what_the_guard_leaves() -> None:
    [part] = parts(core(guard("a", {"parallel": [guard("a", task("x")), guard("a", task("y"))]}), a=2))
    assert part.capacities == (1,)


def test_a_request_above_what_is_left_is_a_part_of_its_own() -> None:
    [part] = parts(core(guard("a", guard("a", task("x"))), a=1))
    assert (part.capacities, part.demand) == ((0,), {0: 1})


def test_the_branches_of_one_cycle_are_looked_at_first() -> None:
    branches = [guard("a", guard("b", task(f"t{i}"))) for i in range(20)]
    branches[7] = guard("b", guard("a", task("odd")))
    [part] = parts(core({"parallel": branches}, a=1, b=1))
    first = next(subplans(part, 0b11))
    assert len(first.branches) == 2
    assert part.branches[7] in first.branches


# Cut-off and search net


@pytest.mark.parametrize(
    ("body", "capacity", "width"),
    [
        (guard("r", guard("r", task("a"))), 4, 4),
        (guard("r", guard("r", task("a")), units=3), 7, 2),
        ({"choice": [guard("r", guard("r", task("a")), units=2), guard("r", task("b"))]}, 5, 5),
    ],
)
def test_the_cut_off_counts_who_can_be_inside_at_one_time(body: Document, capacity: int, width: int) -> None:
    [part] = parts(core(foreach("f", body), r=capacity))
    assert cut_off(part, 1, [None] * 9) == {part.root: width}


def test_the_cut_off_keeps_within_the_limit() -> None:
    c = core(foreach("f", guard("r", guard("r", task("a"))), maxWidth=3), r=2)
    [part] = parts(c)
    assert cut_off(part, 1, limits(c)) == {part.root: 2}
    assert cut_off(part, 1, limits(c), at_most=1) == {part.root: 1}


def test_items_without_inner_joins_are_counted() -> None:
    [part] = parts(core(foreach("f", guard("r", guard("r", task("a")))), r=100))
    net = build(part, 1, cut_off(part, 1, [None] * 9)).net
    assert len(net.places) < 10
    assert COUNTED in net.places


def test_items_with_inner_joins_are_told_apart() -> None:
    both = {"parallel": [guard("r", task("a")), guard("r", task("b"))]}
    [part] = parts(core(foreach("f", guard("r", both)), r=3))
    widths = cut_off(part, 1, [None] * 9)
    assert widths[part.root] == 3
    net = build(part, 1, widths).net
    assert len(net.places) > 9
    assert COUNTED not in net.places


def test_items_that_gather_two_items_each_are_told_apart() -> None:
    inner = foreach("inner", guard("r", task("a")), over=["x", "y"])
    [part] = parts(core(foreach("f", guard("r", inner)), r=3))
    net = build(part, 1, cut_off(part, 1, limits(part.core))).net
    assert sum(name == COUNTED for name in net.places) == 3 * 3, "those of the inner one, for each of three items"


def test_a_fused_step_does_what_its_moves_do_one_after_the_other() -> None:
    flow = {"parallel": [guard("a", guard("a", guard("b", task("x")), units=2)), guard("b", guard("a", task("y")))]}
    [part] = parts(core(flow, a=3, b=1))
    longest = 0
    for run in build(part, 0b11, {}).runs:
        arcs = effect(run[:1])
        for move in run[1:]:
            arcs = joined(arcs, effect((move,)))
        assert arcs == effect(run)
        longest = max(longest, len(run))
    assert longest >= 4


def test_an_item_that_waits_is_no_foreach_without_items() -> None:
    flow = {"parallel": [guard("a", foreach("each", guard("b", task("t")))), guard("b", guard("a", task("u")))]}
    c = core(flow, a=1, b=1)
    [part] = parts(c)
    widths = cut_off(part, 0b11, limits(c))
    assert list(widths.values()) == [1]
    for skips in (False, True):
        net = build(part, 0b11, widths, skips=skips).net
        assert find_deadlock(net, final=net.final, max_states=1_000).run is not None


def test_widths_within_widths_make_no_number_without_end() -> None:
    inner: dict[str, Any] = guard("r", task("t"))
    for k in range(40):
        inner = {"foreach": {"id": f"f{k}", "over": "what there is", "maxWidth": 999_999_999, "body": inner}}
    endless = {"foreach": {"id": "endless", "over": "what there is", "body": guard("r", task("u"))}}
    plan, _ = plan_from_data({"resources": [{"id": "r", "capacity": 1}], "flow": {"parallel": [inner, endless]}})
    assert judge_plan(plan).sound
