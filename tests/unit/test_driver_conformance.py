"""Past sessions set beside plans: which cases count, at which widths, and what the sums over them are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from petri_cli.driver.conformance import PastCase, conformance
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Plan


def task(name: str, run: str = "ls") -> dict[str, Any]:
    return {"task": {"id": name, "run": run}}


def planned(*flow: Any) -> Plan:
    plan, _ = plan_from_data({"name": "p", "flow": {"seq": list(flow)}})
    return plan


def ended(case: str, words: Iterable[str], **widths: int) -> PastCase:
    return PastCase(case, True, tuple(words), tuple(sorted(widths.items())))


EACH = planned(task("a"), {"foreach": {"id": "each", "over": "what there is", "body": task("b")}}, task("c"))


def test_cases_that_did_not_end_are_counted_and_not_aligned() -> None:
    past = [PastCase("s@1", False), ended("s@2", "abbc", each=2), PastCase("t@1", False)]
    found = conformance(EACH, past)
    assert (found.cases, found.ended, found.fitting, found.cost) == (3, 1, (1, 1), (0, 0))
    assert not conformance(EACH, past[:1]).known


def test_each_case_is_aligned_at_its_own_width() -> None:
    fitting = [ended(f"s{n}@1", "a" + "b" * n + "c", each=n) for n in (1, 3, 0, 3)]
    found = conformance(EACH, fitting)
    assert (found.fitting, found.fitness, found.cost) == ((4, 4), (1.0, 1.0), (0, 0))
    short = conformance(EACH, [*fitting, ended("u@1", "abbc", each=3)])
    assert (short.fitting, short.cost) == ((4, 4), (1, 1))
    assert [(d.activity, d.skipped, d.cases, d.examples) for d in short.deviations] == [("b", 1, 1, ("u@1",))]
    assert short.fitness[0] == pytest.approx((4 + 1 - 1 / (4 + 5)) / 5)


def test_deviations_of_all_widths_are_added_up() -> None:
    past = [ended(f"s{n}@1", "xa" + "b" * n + "c", each=n) for n in (1, 2, 3, 4)]
    (x,) = conformance(EACH, past).deviations
    assert (x.activity, x.extra, x.cases, x.examples, x.known) == ("x", 4, 4, ("s1@1", "s2@1", "s3@1"), False)


def test_a_foreach_that_the_plan_lacks_splits_no_group_and_widths_that_differ_are_told() -> None:
    plain = planned(task("a"), task("b"), task("c"))
    assert conformance(plain, [ended("s@1", "abc", other=7)]).fitting == (1, 1)
    uneven = PastCase("s@1", True, ("a", "b", "b", "c"), (("each", 2),), uneven=True)
    assert conformance(EACH, [uneven]).uneven == 1


def test_a_task_that_runs_true_is_work_like_any_other() -> None:
    plan = planned(task("a"), task("skip", "true"))
    assert conformance(plan, [ended("s@1", "a")]).cost == (1, 1)
    assert conformance(plan, [PastCase("s@1", True, ("a", "skip"))]).cost == (0, 0)


def test_a_width_that_makes_too_large_a_net_leaves_its_cases_open() -> None:
    found = conformance(EACH, [ended("s@1", "abc", each=1), ended("t@1", "abc", each=10_000_000)])
    assert (found.ended, found.fitting, found.fitness, found.cost) == (2, (1, 2), (0.5, 1.0), (0, None))


def test_past_the_deadline_it_is_an_interval() -> None:
    found = conformance(EACH, [ended("s@1", "acbbbbb", each=5)], deadline=lambda: True)
    assert found.fitness[0] <= found.fitness[1]
