"""Each prover of the search for plans made to decide alone, beside brute force and beside the others."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Plan
from petri_cli.soundness import search
from petri_cli.soundness.linear import evidence
from petri_cli.soundness.linear.questions import Found
from petri_cli.soundness.native import binding
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Verdict
from tests.oracle.plans import truth
from tests.strategies.contended_plans import contended_plan, gated_plan
from tests.unit.test_plans_waits import guard, plan, task

CAP = 1_500
Setting = Callable[[pytest.MonkeyPatch], None]


def _nothing_on_the_way(patch: pytest.MonkeyPatch) -> None:
    """No search that stops early, no walk: the first question about a search net is about all of it."""
    patch.setattr(search, "QUICK", 1)
    patch.setattr(search, "SMALL", 10**9)
    patch.setattr(search, "MANY", 10**9)


def by_equation(patch: pytest.MonkeyPatch) -> None:
    _nothing_on_the_way(patch)
    patch.setattr(search, "PATIENCE", 1)


def when_the_equation_knows_nothing(patch: pytest.MonkeyPatch) -> None:
    by_equation(patch)
    patch.setattr(evidence, "no_deadlock_of", lambda skeleton, deadline: Found())


def by_exploration(patch: pytest.MonkeyPatch) -> None:
    _nothing_on_the_way(patch)
    patch.setattr(search, "PATIENCE", 10**9)
    patch.setattr(search, "PATIENCE_WORK", 10**12)


def in_python(patch: pytest.MonkeyPatch) -> None:
    by_exploration(patch)
    patch.setattr(binding, "core", None)


def with_every_wait(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(search, "lasting_waits", lambda nodes, waiting, limits, free: waiting)


def by_a_walk_first(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(search, "MANY", 0)


SETTINGS: list[Setting] = [
    by_equation,
    when_the_equation_knows_nothing,
    by_exploration,
    in_python,
    with_every_wait,
    by_a_walk_first,
]


def drawn(seed: int) -> Plan:
    rng = random.Random(seed)  # noqa: S311
    document: dict[str, Any] = gated_plan(rng) if seed % 3 else contended_plan(rng, 4)
    return plan_from_data(document)[0]


def agrees(plan: Plan, verdict: Verdict, widths: dict[str, int]) -> bool:
    """Whether brute force says the same, as far as it goes."""
    if verdict is Verdict.UNSOUND:
        found = truth(plan, 0, widths=widths, cap=CAP)
        return found is None or not found.option_to_complete
    return all(found is None or found.sound for found in (truth(plan, w, cap=CAP) for w in (0, 1, 2, 3)))


@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.__name__)
def test_a_prover_alone_says_what_all_say_together(setting: Setting) -> None:
    _compare(setting, range(24))


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.__name__)
def test_a_prover_alone_says_what_all_say_together_of_many_plans(setting: Setting) -> None:
    _compare(setting, range(24, 300))


def _compare(setting: Setting, seeds: range) -> None:
    seen: Counter[str] = Counter()
    for seed in seeds:
        plan = drawn(seed)
        together = judge_plan(plan)
        with pytest.MonkeyPatch.context() as patch:
            setting(patch)
            alone = judge_plan(plan)
        if alone.verdict is Verdict.UNKNOWN:  # a candidate that no quick search of everything has confirmed
            seen["open"] += 1
            continue
        assert alone.verdict is together.verdict, (seed, alone.evidence, together.evidence)
        assert agrees(plan, alone.verdict, dict(alone.smallest_width)), seed
        seen[alone.verdict.value] += 1
        seen[alone.evidence.partition(":")[0]] += 1
    assert min(seen["SOUND"], seen["UNSOUND"]) > len(seeds) // 6, seen
    assert seen["open"] <= len(seeds) // 10, seen
    assert (seen["state equation"] > 0) == (setting is by_equation), seen


def test_what_a_guard_around_it_holds_is_no_help_to_those_who_wait_inside() -> None:
    """Statement B speaks of the units that are free when the part starts: with one more, no wait for `a` would last."""
    crossed = [guard("a", guard("b", task("x"))), guard("b", guard("a", task("y")))]
    around = guard("a", {"parallel": crossed})
    assert judge_plan(plan(around, a=2, b=1)).verdict is Verdict.UNSOUND
    assert judge_plan(plan(around, a=3, b=1)).verdict is Verdict.SOUND
    assert judge_plan(plan({"parallel": crossed}, a=2, b=1)).verdict is Verdict.SOUND


def _crossed(one: str, other: str) -> list[dict[str, Any]]:
    return [guard(one, guard(other, task(f"{one}{other}"))), guard(other, guard(one, task(f"{other}{one}")))]


APART = {"seq": [{"parallel": _crossed("a", "b")}, {"parallel": _crossed("c", "d")}]}
TOGETHER = {"parallel": [*_crossed("a", "b"), *_crossed("c", "d"), guard("a", task("x")), guard("c", task("y"))]}
TOGETHER["parallel"].append({"guard": {"resource": ["a", "c"], "body": task("z")}})


@pytest.mark.parametrize("flow", [APART, TOGETHER], ids=["two parts", "two cycles of one part"])
@pytest.mark.parametrize("left_open", [0b0011, 0b1100], ids=["the first", "the last"])
def test_a_search_that_ran_out_somewhere_leaves_the_plan_open(
    monkeypatch: pytest.MonkeyPatch, flow: dict[str, Any], left_open: int
) -> None:
    def explore(_: object, part: object, kept: int, *more: object, **how: object) -> tuple[None, str]:
        return None, "states" if kept & left_open else ""

    monkeypatch.setattr(search.Search, "explore", explore)
    result = judge_plan(plan(flow, a=1, b=1, c=1, d=1))
    assert result.verdict is Verdict.UNKNOWN


def test_a_question_about_fewer_items_that_is_open_leaves_the_plan_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search.Search, "explore", lambda *_, **how: (None, ""))
    assert judge_plan(plan(APART, a=1, b=1, c=1, d=1)).verdict is Verdict.SOUND, "explore is all that is asked"
    monkeypatch.setattr(search.Search, "narrower", lambda *_: (None, "candidate"))
    assert judge_plan(plan(APART, a=1, b=1, c=1, d=1)).verdict is Verdict.UNKNOWN
