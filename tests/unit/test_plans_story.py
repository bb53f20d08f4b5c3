"""A run is told in the plan's words."""

from __future__ import annotations

from typing import Any

from petri_cli.plan.load import plan_from_data
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Counterexample


def refused(flow: dict[str, Any], **capacities: int) -> Counterexample:
    resources = [{"id": r, "capacity": c} for r, c in capacities.items()]
    found = judge_plan(plan_from_data({"name": "x", "resources": resources, "flow": flow})[0]).counterexample
    assert found is not None
    assert len(found.told) == len(found.run)
    return found


def guard(resource: str, body: dict[str, Any], units: int = 1) -> dict[str, Any]:
    return {"guard": {"resource": resource, "units": units, "body": body}}


def task(name: str) -> dict[str, Any]:
    return {"task": {"id": name}}


def test_who_takes_a_unit_is_the_first_task_under_it_not_the_one_that_waits() -> None:
    build = guard("runner", {"seq": [task("build"), guard("db", task("test"))]})
    deploy = guard("db", guard("runner", task("deploy")))
    found = refused({"parallel": {"id": "ship", "branches": [build, deploy]}}, runner=1, db=1)
    assert found.told == ("2 branches start (ship)", "build takes runner", "build is done", "deploy takes db")
    assert found.sentence == "`test` holds runner and waits for db; `deploy` holds db and waits for runner."


def test_a_branch_goes_by_its_name() -> None:
    branches = [{"name": "promote it", "body": guard("a", guard("a", task("t")))}, {"body": task("u")}]
    found = refused({"choice": {"id": "verdict", "branches": branches}}, a=1)
    assert found.told == ("verdict: promote it is chosen", "t takes a")


def test_a_request_that_can_never_fit_beside_what_is_held_says_so() -> None:
    found = refused(guard("runner", {"seq": [task("build"), guard("runner", task("test"), units=2)]}), runner=2)
    assert found.sentence == "`test` needs 3 runner at once, 1 of which it holds; there are 2: it can never go on."


def test_units_and_items_are_named() -> None:
    body = guard("mem", guard("mem", task("t"), units=2), units=2)
    found = refused({"foreach": {"id": "each", "over": "items", "body": body}}, mem=4)
    assert found.told[:2] == ("each starts 2 items", "t[1] takes 2 mem")
