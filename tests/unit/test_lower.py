"""Lowering: one entry and one exit for every fragment, an origin for every element, no depth too great."""

from __future__ import annotations

import tracemalloc
from typing import Any

import pytest

from petri_cli.errors import PetriError
from petri_cli.net.firing import replay
from petri_cli.net.model import AndOut, Net, PlaceOut, Transition, leaves
from petri_cli.net.rules import check_net
from petri_cli.plan import fragments
from petri_cli.plan.load import load_plan_text, plan_from_data
from petri_cli.plan.lower import END, START, lower_execution, lower_workflow
from petri_cli.plan.model import Plan

EVERY_KIND: dict[str, Any] = {
    "name": "every-kind",
    "resources": [{"id": "r", "capacity": 2}, {"id": "api", "capacity": 5, "per": "1m"}],
    "flow": {
        "seq": [
            {"task": {"id": "first"}},
            {
                "parallel": [
                    {"task": {"id": "left"}},
                    {"guard": {"resource": ["r", "api"], "body": {"task": {"id": "right"}}}},
                ]
            },
            {"choice": [{"task": {"id": "one"}}, {"task": {"id": "other"}}]},
            {"loop": {"id": "again", "maxIterations": 3, "body": {"task": {"id": "try"}}}},
            {
                "foreach": {
                    "id": "each",
                    "over": "items",
                    "body": {"seq": [{"task": {"id": "a"}}, {"task": {"id": "b"}}]},
                }
            },
        ]
    },
}


@pytest.fixture
def plan() -> Plan:
    return plan_from_data(EVERY_KIND)[0]


def arcs_into(net: Net, place: str) -> list[str]:
    def places(t: Transition) -> set[str]:
        out = t.output
        children = out.children if isinstance(out, AndOut) else (out,)
        return {c.place for c in children if isinstance(c, PlaceOut)}

    return [t.id for t in net.transitions if place in places(t)]


def arcs_out_of(net: Net, place: str) -> list[str]:
    return [t.id for t in net.transitions if place in {i.place for i in t.inputs}]


def test_the_workflow_net_has_one_source_and_one_sink(plan: Plan) -> None:
    net = lower_workflow(plan).net
    check_net(net)
    sources = [p for p in net.place_ids() if not arcs_into(net, p)]
    sinks = [p for p in net.place_ids() if not arcs_out_of(net, p)]
    assert (sources, sinks) == ([START], [END])


def test_the_names_are_those_of_the_plan(plan: Plan) -> None:
    ids = {t.id for t in lower_workflow(plan, {"each": 2}).net.transitions}
    assert ids == {
        "t.first",
        *("t.par.1.split", "t.left", "t.guard.g1.acquire", "t.right", "t.guard.g1.release", "t.par.1.join"),
        *("t.choice.1.1", "t.choice.1.2", "t.one", "t.other"),
        *("t.loop.again.enter", "t.try", "t.loop.again.again", "t.loop.again.exit"),
        *("t.foreach.each.discover", "t.a[1]", "t.b[1]", "t.a[2]", "t.b[2]", "t.foreach.each.gather"),
    }


def test_every_element_knows_its_node_and_items(plan: Plan) -> None:
    lowered = lower_workflow(plan, {"each": 2})
    elements = {*lowered.net.place_ids(), *(t.id for t in lowered.net.transitions)}
    assert set(lowered.origin) == elements
    origin = lowered.origin["t.b[2]"]
    assert (plan.nodes[origin.node].id, origin.items) == ("b", (2,))


def test_a_run_through_the_net_ends_with_every_resource_full(plan: Plan) -> None:
    run = ["t.first", "t.par.1.split", "t.left", "t.guard.g1.acquire", "t.right", "t.guard.g1.release", "t.par.1.join"]
    run += [
        "t.choice.1.2",
        "t.other",
        "t.loop.again.enter",
        "t.try",
        "t.loop.again.again",
        "t.try",
        "t.loop.again.exit",
    ]
    run += ["t.foreach.each.discover", "t.foreach.each.gather"]
    net = lower_workflow(plan, {"each": 0}).net
    assert replay(net, run)[-1] == {END: 1, "r.r": 2, "r.api": 5}


def test_a_held_unit_is_missing_from_its_resource_and_a_quota_is_only_tested(plan: Plan) -> None:
    run = ["t.first", "t.par.1.split", "t.guard.g1.acquire"]
    assert replay(lower_workflow(plan).net, run)[-1]["r.r"] == 1
    assert replay(lower_workflow(plan).net, run)[-1]["r.api"] == 5


def test_a_literal_list_has_the_width_that_it_has() -> None:
    plan, _ = plan_from_data({"flow": {"foreach": {"id": "f", "over": ["x", "y", "z"], "body": {"task": {"id": "t"}}}}})
    lowered = lower_workflow(plan, {"f": 9})
    assert lowered.widths == {"f": 3}


def test_max_width_bounds_what_is_asked_for() -> None:
    each = {"id": "f", "over": "items", "maxWidth": 2, "body": {"task": {"id": "t"}}}
    plan, _ = plan_from_data({"flow": {"foreach": each}})
    assert lower_workflow(plan, {"f": 9}).widths == {"f": 2}


def test_items_of_items_carry_both_numbers() -> None:
    inner = {"foreach": {"id": "in", "over": "items", "body": {"task": {"id": "t"}}}}
    plan, _ = plan_from_data({"flow": {"foreach": {"id": "out", "over": "items", "body": inner}}})
    ids = {t.id for t in lower_workflow(plan, {"out": 2, "in": 2}).net.transitions}
    assert {"t.t[1][1]", "t.t[1][2]", "t.t[2][1]", "t.t[2][2]"} <= ids


def test_the_execution_net_is_static_and_joins_by_name_inside_a_foreach() -> None:
    both = {"parallel": [{"task": {"id": "a"}}, {"task": {"id": "b"}}]}
    inside = {"parallel": [{"task": {"id": "c"}}, {"task": {"id": "d"}}]}
    plan, _ = plan_from_data({"flow": {"seq": [both, {"foreach": {"id": "f", "over": "items", "body": inside}}]}})
    lowered = lower_execution(plan)
    check_net(lowered.net)
    outer, inner = lowered.net.transition("t.par.1.join"), lowered.net.transition("t.par.2.join")
    assert outer.match is None
    assert inner.match is not None
    assert {p for p, _ in inner.match.keys} == {"p.par.2.1.done", "p.par.2.2.done"}


def test_the_gather_waits_for_the_open_items_of_its_own_name(plan: Plan) -> None:
    net = lower_execution(plan).net
    gather = net.transition("t.foreach.each.gather")
    assert gather.inhibitors == ("p.foreach.each.open",)
    assert gather.match is not None
    assert ("p.foreach.each.open", None) in gather.match.keys


def test_the_execution_net_keeps_a_quota_that_was_taken(plan: Plan) -> None:
    """Its units come back with time, which is the engine's business."""
    net = lower_execution(plan).net
    assert "t.guard.g1.release" not in arcs_into(net, "r.api")
    assert "t.guard.g1.release" in arcs_into(net, "r.r")


def test_on_the_execution_net_a_decision_says_who_takes_the_token() -> None:
    """Branches of a choice, and again and exit of a loop, share an input: the first one declared would always win."""
    both = {"choice": [{"task": {"id": "a"}}, {"task": {"id": "b"}}]}
    plan, _ = plan_from_data({"flow": {"loop": {"id": "l", "maxIterations": 2, "body": both}}})
    net = lower_execution(plan).net
    for place in net.place_ids():
        assert sum(place in [i.place for i in t.inputs] for t in net.transitions) <= 1, place
    decision = net.transition("t.choice.1.decide").output
    assert {leaf.place for leaf in leaves(decision) if isinstance(leaf, PlaceOut)} == {
        "p.choice.1.1.chosen",
        "p.choice.1.2.chosen",
    }
    assert "t.choice.1.decide" not in {t.id for t in lower_workflow(plan).net.transitions}


def test_a_delay_of_a_loop_and_a_quota_wait_for_tokens_from_outside(plan: Plan) -> None:
    loop = {"id": "poll", "delay": "1m", "maxIterations": 3, "body": {"task": {"id": "t"}}}
    poll, _ = plan_from_data({"flow": {"loop": loop}})
    net = lower_execution(poll).net
    again = net.transition("t.loop.poll.again")
    assert [i.place for i in again.inputs] == ["p.loop.poll.waiting", "p.loop.poll.due"]
    assert again.match is not None
    assert arcs_into(net, "p.loop.poll.due") == []
    assert arcs_into(lower_execution(plan).net, "r.api") == []
    assert "p.loop.poll.due" not in lower_workflow(poll).net.place_ids()


def test_the_priority_of_a_task_counts_where_it_is_executed_and_is_no_part_of_the_proof() -> None:
    plan, _ = plan_from_data({"flow": {"task": {"id": "a", "priority": 3}}})
    assert lower_execution(plan).net.transition("t.a").priority == 3
    assert lower_workflow(plan).net.transition("t.a").priority == 0


def test_a_net_too_large_is_refused(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "MAX_SIZE", 100)
    with pytest.raises(PetriError) as caught:
        lower_workflow(plan, {"each": 1000})
    assert caught.value.code == "PETRI_NET_TOO_LARGE"


@pytest.mark.parametrize("width", [200_000_000, 10**18])
def test_a_width_past_all_memory_is_refused_before_anything_is_unfolded(plan: Plan, width: int) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(PetriError, match="PETRI_NET_TOO_LARGE"):
            lower_workflow(plan, {"each": width})
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("kind", ["parallel", "choice", "seq"])
def test_branches_are_counted_before_they_are_made(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fragments, "MAX_SIZE", 50)
    plan, _ = plan_from_data({"flow": {kind: [{"task": {"id": f"t{n}"}} for n in range(100)]}})
    made: list[str] = []
    monkeypatch.setattr(fragments, "Place", lambda pid: made.append(pid))
    with pytest.raises(PetriError, match="PETRI_NET_TOO_LARGE"):
        lower_workflow(plan)
    assert made == [START, END]


def test_a_net_of_just_the_size_that_is_allowed_is_lowered(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    net = lower_workflow(plan, {"each": 9}).net
    size = len(net.places) + len(net.transitions)
    monkeypatch.setattr(fragments, "MAX_SIZE", size)
    assert lower_workflow(plan, {"each": 9}).net == net
    monkeypatch.setattr(fragments, "MAX_SIZE", size - 1)
    with pytest.raises(PetriError, match="PETRI_NET_TOO_LARGE"):
        lower_workflow(plan, {"each": 9})


@pytest.mark.parametrize("lowering", [lower_workflow, lower_execution])
def test_5_000_nested_blocks_lower(lowering: Any) -> None:
    depth = 5_000
    text = '{"resources": [{"id": "r", "capacity": 9999}], "flow": '
    text += '{"guard": {"resource": "r", "body": ' * depth + '{"task": {"id": "t"}}' + "}}" * depth + "}"
    plan, _ = load_plan_text(text, "deep.json")
    assert len(lowering(plan).net.transitions) == 2 * depth + 1


@pytest.mark.slow
def test_100_000_tasks_lower() -> None:
    flow = {"seq": [{"task": {"id": f"t{i}"}} for i in range(100_000)]}
    plan, _ = plan_from_data({"flow": flow})
    assert len(lower_workflow(plan).net.transitions) == 100_000
