"""What was planned against what happens: on logs small enough to count by hand."""

from __future__ import annotations

from typing import Any

import pytest

from petri_cli.mining.diff import Difference, difference
from petri_cli.mining.log import Log
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Plan
from tests.textbook_logs import letters


def planned(flow: Any, resources: Any = ()) -> Plan:
    plan, _ = plan_from_data({"name": "p", "resources": list(resources), "flow": flow})
    return plan


def t(name: str) -> dict[str, Any]:
    return {"task": {"id": name, "run": "ls"}}


def diff(words: str, flow: Any) -> Difference:
    return difference(letters(words), planned(flow))


SEQUENCE = {"seq": [t("a"), t("b"), t("c")]}


def test_a_log_that_does_as_planned_has_no_difference() -> None:
    assert diff("abc^7", SEQUENCE).empty
    assert diff("abc ac", {"seq": [t("a"), {"choice": [t("b"), t("x")]}, t("c")]}).missing[0].activity == "x"
    assert diff("abc acb", {"seq": [t("a"), {"parallel": [t("b"), t("c")]}]}).empty


def test_a_needed_task_is_missing_in_each_case_without_it_and_an_optional_one_only_if_it_never_comes() -> None:
    found = diff("ac^3 abc^2", SEQUENCE)
    assert [(f.activity, f.cases, f.of, f.examples) for f in found.missing] == [("b", 3, 5, ("1", "2", "3"))]
    assert found.never == ()
    choice = {"seq": [t("a"), {"choice": [t("b"), t("x")]}, t("c")]}
    assert diff("abc axc", choice).empty
    assert diff("abc", choice).never == ("x",)
    assert diff("a", {"seq": [t("a"), {"foreach": {"id": "f", "over": "what there is", "body": t("b")}}]}).never == (
        "b",
    )


def test_what_the_plan_lacks_is_extra_with_its_events() -> None:
    found = diff("abc axxbc^2", SEQUENCE)
    assert [(f.activity, f.cases, f.events, f.examples) for f in found.extra] == [("x", 2, 4, ("2", "3"))]


def test_an_order_is_broken_by_any_event_that_comes_too_late() -> None:
    found = diff("abc^5 bac aba", SEQUENCE).broken
    assert [(b.first, b.second, b.relation, b.cases, b.of) for b in found] == [("a", "b", "before", 2, 7)]
    assert found[0].examples == ("6", "7")


def test_two_branches_of_a_choice_in_one_case_are_told() -> None:
    (found,) = diff("ab ba a b", {"choice": [t("a"), t("b")]}).broken
    assert (found.relation, found.cases, found.of) == ("exclusive", 2, 2)


def test_a_guard_between_changes_no_relation() -> None:
    guarded = {"guard": {"resource": "r", "body": t("b")}}
    plan = planned({"seq": [t("a"), guarded]}, [{"id": "r", "capacity": 1}])
    assert len(difference(letters("ba"), plan).broken) == 1


@pytest.mark.parametrize(
    "around",
    [
        lambda body: {"loop": {"id": "l", "body": body}},
        lambda body: {"foreach": {"id": "f", "over": [1, 2], "body": body}},
    ],
)
def test_inside_a_loop_or_a_foreach_nothing_is_said_of_order(around: Any) -> None:
    assert diff("abab bab", around({"seq": [t("a"), t("b")]})).broken == ()
    outside = diff("bca", {"seq": [around({"seq": [t("a"), t("b")]}), t("c")]})
    assert [(b.first, b.second) for b in outside.broken] == [("a", "c")], "what comes after all rounds is ordered"


def test_a_task_goes_by_its_name_where_the_log_knows_that_alone() -> None:
    named = {"seq": [{"task": {"id": "first", "name": "a", "run": "ls"}}, t("b")]}
    assert diff("ab", named).empty


def test_permuting_the_cases_changes_only_which_are_named() -> None:
    one, other = diff("abc^2 bac acx", SEQUENCE), diff("acx bac abc^2", SEQUENCE)
    assert [(f.activity, f.cases) for f in one.missing] == [(f.activity, f.cases) for f in other.missing]
    assert [(b.first, b.second, b.cases, b.of) for b in one.broken] == [
        (b.first, b.second, b.cases, b.of) for b in other.broken
    ]


def test_an_empty_log_lacks_everything() -> None:
    found = difference(Log((), (), ()), planned(SEQUENCE))
    assert (found.cases, found.extra, found.broken) == (0, (), ())


@pytest.mark.slow
def test_five_thousand_nested_blocks_are_no_trouble() -> None:
    flow: Any = t("deep")
    for k in range(2_500):
        flow = {"seq": [t(f"s{k}"), flow]} if k % 2 else {"parallel": [t(f"s{k}"), flow]}
    assert difference(letters("ab"), planned(flow)).extra[0].cases == 1
