"""Waits that can and can't last, and how those that last are told."""

from __future__ import annotations

from typing import Any

import pytest

from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Plan
from petri_cli.soundness import waits
from petri_cli.soundness.core import core_of
from petri_cli.soundness.demand import demands_of, lasting_waits
from petri_cli.soundness.parts import Part, parts_of
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Counterexample, Verdict

Document = dict[str, Any]


def guard(resource: str, body: Document, units: int = 1) -> Document:
    return {"guard": {"resource": resource, "units": units, "body": body}}


def task(name: str) -> Document:
    return {"task": {"id": name}}


def each(body: Document, **more: Any) -> Document:
    return {"foreach": {"id": "each", "over": "items", "body": body, **more}}


def plan(flow: Document, **capacities: int) -> Plan:
    resources = [{"id": r, "capacity": c} for r, c in capacities.items()]
    return plan_from_data({"name": "x", "resources": resources, "flow": flow})[0]


def refused(flow: Document, **capacities: int) -> Counterexample:
    found = judge_plan(plan(flow, **capacities)).counterexample
    assert found is not None
    return found


def the_part(flow: Document, **capacities: int) -> Part:
    core = core_of(plan(flow, **capacities))
    limits = [n.limit for n in core.nodes]
    [part] = parts_of(core, core.capacities, limits, demands_of(core, limits))
    return part


def lasting(flow: Document, **capacities: int) -> list[str]:
    part = the_part(flow, **capacities)
    limits = [n.limit for n in part.core.nodes]
    found = lasting_waits(part.nodes, part.waiting(), limits, part.capacities)
    return [r for i, r in enumerate(part.core.resources) if found >> i & 1]


def branches(*nests: str) -> Document:
    """``branches("ab", "ba")``: a task inside b inside a, beside one inside a inside b."""
    made = []
    for k, nest in enumerate(nests):
        body = task(f"t{k}")
        for r in reversed(nest):
            body = guard(r, body)
        made.append(body)
    return {"parallel": made}


# Waits that can't last


def test_one_unit_more_than_can_be_kept_ends_every_wait() -> None:
    """Only the last branch keeps b; with two units one is always left for the others."""
    flow = branches("ab", "ab", "ab", "ba")
    assert lasting(flow, a=1, b=1) == ["a", "b"]
    assert lasting(flow, a=1, b=2) == []
    assert judge_plan(plan(flow, a=1, b=1)).verdict is Verdict.UNSOUND
    result = judge_plan(plan(flow, a=1, b=2))
    assert (result.verdict, result.evidence) == (Verdict.SOUND, "no-lasting-wait")
    assert result.stats["states"] == 0


def test_a_large_request_can_wait_for_ever_where_a_small_one_can_not() -> None:
    """Near-miss: two units are left beside those that are kept, and one guard asks for three."""
    large = {"parallel": [guard("a", guard("b", task("x"), units=3)), *branches("ba", "b")["parallel"]]}
    small = {"parallel": [guard("a", guard("b", task("x"), units=2)), *branches("ba", "b")["parallel"]]}
    assert lasting(large, a=1, b=3) == ["a", "b"]
    assert judge_plan(plan(large, a=1, b=3)).verdict is Verdict.UNSOUND
    assert judge_plan(plan(large, a=1, b=4)).evidence == "no-lasting-wait"
    assert judge_plan(plan(small, a=1, b=3)).evidence == "no-lasting-wait"


def test_items_without_a_limit_keep_any_number_of_units() -> None:
    def beside(**limit: int) -> Document:
        other = {"foreach": {"id": "other", "over": "items", "body": guard("b", guard("a", task("y"))), **limit}}
        return {"parallel": [each(guard("a", guard("b", task("x")))), other]}

    assert lasting(beside(), a=9, b=4) == ["a", "b"]
    assert lasting(beside(maxWidth=4), a=9, b=4) == ["a", "b"]
    assert lasting(beside(maxWidth=3), a=9, b=4) == []
    assert judge_plan(plan(beside(maxWidth=4), a=1, b=4)).verdict is Verdict.UNSOUND
    assert judge_plan(plan(beside(maxWidth=3), a=1, b=4)).verdict is Verdict.SOUND


def test_who_never_holds_while_it_waits_is_left_out_of_the_search() -> None:
    part = the_part(branches("a", "ab", "b", "ba", "a"), a=1, b=1)
    assert part.holding(0b11).branches == (part.branches[1], part.branches[3])
    assert part.holding(0b01).branches == ()


# How those that last are told


def test_branches_of_one_item_hold_together_and_items_hold_each_for_itself() -> None:
    both = {"parallel": [guard("a", task("x")), guard("a", task("y"))]}
    assert (
        refused(each(guard("a", both)), a=1).sentence == "`x[1]` and `y[1]` together hold a and each wait for a again."
    )
    assert refused(each(guard("a", both)), a=2).sentence == (
        "`x[1]` and `y[1]` together hold 1 a and each wait for 1 more a; so do `x[2]` and `y[2]`."
    )
    assert refused(each(guard("a", both)), a=3).sentence == (
        "`x[1]` and `y[1]` together hold 1 a and each wait for 1 more a; so do 2 more such groups."
    )
    single = refused(each(guard("a", guard("a", task("x")))), a=2)
    assert single.sentence == "`x[1]` and `x[2]` each hold 1 a and wait for 1 more a."


def test_of_very_many_participants_the_first_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "TOLD", 2)
    result = judge_plan(plan(each(guard("a", guard("a", task("x")))), a=4))
    cx = result.counterexample
    assert cx is not None
    assert cx.sentence == "`x[1]` … `x[4]` each hold 1 a and wait for 1 more a."
    assert [w.who for w in cx.waits] == ["x[1]", "x[2]"]
    assert all(w.holders == ("x[1]", "x[2]") for w in cx.waits)
    assert "the first 2 of 4 who wait are listed" in result.detail
    assert result.smallest_capacity == {"a": None}
