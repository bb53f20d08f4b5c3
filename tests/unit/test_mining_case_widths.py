"""How many items a foreach had in a case: what its events show, and the same for all who ask."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.api import load_data
from petri_cli.driver.log_insights import log_insights
from petri_cli.mining.alignments_groups import align_groups, precision_groups, replay_groups
from petri_cli.mining.case_widths import CaseWidths, groups_of, spread
from petri_cli.mining.deviations import deviations, place_deviations
from petri_cli.mining.log import log_of
from petri_cli.plan.model import Plan


def plan_from(flow: str) -> Plan:
    plan, _ = load_data(f"flow: {flow}\n".encode(), "plan.petri.yaml")
    assert isinstance(plan, Plan)
    return plan


def each(body: str, fid: str = "f", over: str = "jq .") -> str:
    return f"{{foreach: {{id: {fid}, over: {over}, body: {body}}}}}"


A, B, C = ("{task: {id: a}}", "{task: {id: b}}", "{task: {id: c}}")


@pytest.mark.parametrize(
    ("flow", "trace", "widths"),
    [
        (each(A), "aaa", {"f": 3}),
        (each(A), "", {"f": 0}),
        (each(f"{{seq: [{A}, {B}]}}"), "aaab", {"f": 3}),
        (each(f"{{choice: [{A}, {B}]}}"), "aab", {"f": 3}),
        (each(f"{{parallel: [{A}, {B}]}}"), "abb", {"f": 2}),
        (each(f"{{loop: {{id: l, body: {A}}}}}"), "aaa", {"f": 1}),
        (each(f"{{seq: [{A}, {{loop: {{id: l, body: {B}}}}}]}}"), "aabbb", {"f": 2}),
        (each(f"{{seq: [{A}, {each(B, 'g')}]}}"), "aabbbb", {"f": 2, "g": 2}),
        (each(f"{{seq: [{A}, {each(B, 'g')}]}}"), "aabbb", {"f": 2, "g": 2}),
        (each(each(B, "g")), "bbb", {"f": 1, "g": 3}),
        (each(each(B, "g"), over="[x, y]"), "bbbb", {"g": 2}),
        (each(A, over="[x, y]"), "aaaa", {}),
        (f"{{loop: {{id: l, body: {each(A)}}}}}", "aaaa", {"f": 4}),
        (A, "aa", {}),
    ],
)
def test_a_foreach_is_as_wide_as_its_events_say_that_it_must_be(flow: str, trace: str, widths: dict[str, int]) -> None:
    assert dict(CaseWidths(plan_from(flow)).of(Counter(trace))) == widths


def test_what_is_told_goes_before_what_a_case_shows() -> None:
    plan = plan_from(each(f"{{seq: [{A}, {each(B, 'g')}]}}"))
    assert dict(CaseWidths(plan, {"f": 4}).of(Counter("aabbbbbb"))) == {"f": 4, "g": 2}


PLAN = plan_from(f"{{seq: [{C}, {each(f'{{seq: [{A}, {{choice: [{B}, {{task: {{id: d}}}}]}}]}}')}]}}")


@given(st.lists(st.text("abcd", max_size=7), min_size=1, max_size=6))
@settings(deadline=None, derandomize=True, max_examples=60)
def test_mining_and_insights_say_the_same_of_the_same_log_and_plan(traces: list[str]) -> None:
    log = log_of(traces)
    groups = groups_of(PLAN, log, {})
    aligned = align_groups(log, groups)
    found = log_insights("log", log, PLAN, "plan.yaml").conformance
    assert found is not None
    assert found.cost == aligned.cost()
    assert found.fitting == aligned.fitting_cases()
    assert found.fitness == pytest.approx(aligned.fitness())
    assert [(d.activity, d.extra, d.skipped, d.cases) for d in found.deviations] == [
        (d.activity, d.extra, d.skipped, d.cases) for d in deviations(aligned)
    ]
    assert found.widths == spread(g.widths for g in groups)
    replay = replay_groups(log, groups)
    assert replay is not None
    assert replay.fitting_cases() == aligned.fitting_cases()
    assert replay.total.produced + replay.total.missing == replay.total.consumed + replay.total.remaining
    assert sum(p.missing for p in place_deviations(replay)) == sum(replay.missing.values())
    value = precision_groups(aligned).value
    assert value is not None and 0 <= value <= 1
    for k, low in enumerate(aligned.lower):
        moves = aligned.moves(k)
        assert (
            moves is not None and sum(m.kind.value in ("log", "model") and m.activity is not None for m in moves) == low
        )


def test_one_width_for_all_cases_gives_what_one_net_gives() -> None:
    log = log_of(["cabab", "cab", "cc"])
    groups = groups_of(PLAN, log, {"f": 2})
    assert [g.widths for g in groups] == [(("f", 2),)]
    assert align_groups(log, groups).lower == (0, 2, 5)


def test_a_net_too_large_at_the_width_of_one_case_leaves_that_case_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri_cli.plan.fragments.MAX_SIZE", 100)
    log = log_of(["c" + "a" * 60, "cab"])
    aligned = align_groups(log, groups_of(PLAN, log, {}))
    assert (aligned.lower, aligned.upper) == ((0, 0), (None, 0))
    assert replay_groups(log, groups_of(PLAN, log, {})) is None
    assert precision_groups(aligned).value is None
