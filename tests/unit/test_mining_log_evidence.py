"""What a foreign log says about a plan: attempts, durations, and who waited for a resource while it was short."""

from __future__ import annotations

from array import array
from dataclasses import replace
from random import Random

import pytest

from petri_cli.api import load_data
from petri_cli.driver.log_insights import log_insights
from petri_cli.mining.evidence import Evidence
from petri_cli.mining.log import Log, Times, log_of
from petri_cli.mining.log_evidence import cases_seen, log_evidence
from petri_cli.plan.model import Plan

SECOND = 1_000_000


def plan_from(text: str) -> Plan:
    plan, _ = load_data(text.encode(), "plan.petri.yaml")
    assert isinstance(plan, Plan)
    return plan


def timed(traces: list[str], began: list[int], ended: list[int], outcomes: str = "") -> Log:
    """Times in seconds; of each event ``+`` for a success, ``-`` for a failure, a blank for what is not told."""
    times = Times(array("q", [t * SECOND for t in ended]), array("q", [t * SECOND for t in began]))
    if outcomes:
        times = replace(times, outcome=array("i", ["+-".find(o) for o in outcomes]), outcomes=("ok", "bad"))
    return replace(log_of(traces), times=times)


def seen(plan: Plan, log: Log, attempts: int = 3) -> Evidence:
    cases = list(cases_seen(plan, log, frozenset({"ok"})))
    return log_evidence(plan, cases, {t.id: attempts for t in plan.tasks()})


DESK = plan_from("""\
resources: [{id: desk, capacity: 2}]
flow:
  seq:
    - task: {id: a, run: ls}
    - guard: {resource: desk, body: {task: {id: b, run: ls}}}
""")


def test_failures_are_attempts_at_one_piece_of_work_until_one_succeeds() -> None:
    log = timed(["aab", "bbb", "b"], [0, 5, 9, 0, 1, 2, 0], [4, 8, 12, 1, 2, 3, 9], "-+ ---+")
    evidence = seen(DESK, log)
    a, b = evidence.tasks["a"], evidence.tasks["b"]
    assert [(s.session, s.burnt, s.passed, s.exhausted) for s in a.streaks] == [("1", 1, True, False)]
    assert a.seconds == [3.0], "of what passed"
    assert sorted((s.session, s.burnt, s.passed, s.exhausted) for s in b.streaks) == [
        ("1", 1, False, False), ("2", 3, False, True), ("3", 0, True, False)
    ]  # fmt: skip
    assert evidence.makespans == [12.0, 3.0, 9.0]


def test_what_waits_while_a_resource_is_short_is_counted_with_the_time_that_it_was() -> None:
    began = [0, 1, 0, 1, 0, 11, 0, 30]
    ended = [1, 11, 1, 21, 1, 15, 1, 31]
    of = seen(DESK, timed(["ab"] * 4, began, ended)).resources["desk"]
    assert (of.acquisitions, of.busiest) == (4, 2)
    assert [case for case, _, _ in of.starved] == ["3", "4"]
    assert of.waited == 10 + 14, "the last one waited on when there was room"


def test_waiting_equals_what_is_counted_second_by_second() -> None:
    for seed in range(200):
        rng = Random(seed)  # noqa: S311 - no secret
        began, ended, units = [], [], rng.choice([1, 2, 3])
        for _ in range(rng.randint(1, 12)):
            ready = rng.randint(0, 20)
            begin = ready + rng.choice([0, 0, rng.randint(1, 15)])
            began += [0, begin]
            ended += [ready, begin + rng.randint(0, 12)]
        n = len(began) // 2
        plan = replace(DESK, resources=(replace(DESK.resources[0], capacity=units),))
        of = seen(plan, timed(["ab"] * n, began, ended)).resources["desk"]
        spans = [(ended[2 * k], began[2 * k + 1], ended[2 * k + 1]) for k in range(n)]

        def short(at: int, spans: list[tuple[int, int, int]] = spans, units: int = units) -> bool:
            return sum(begin <= at < end for _, begin, end in spans) >= units

        waits = [sum(short(t) for t in range(ready, begin)) for ready, begin, _ in spans]
        assert len(of.starved) == sum(w > 0 for w in waits), seed
        assert of.waited == sum(waits), seed


def test_a_guard_around_more_than_one_task_is_held_from_the_first_to_the_last() -> None:
    plan = plan_from("""\
resources: [{id: desk, capacity: 1}]
flow: {guard: {resource: desk, body: {seq: [{task: {id: a, run: ls}}, {task: {id: b, run: ls}}]}}}
""")
    of = seen(plan, timed(["ab", "ab"], [0, 4, 8, 9], [2, 6, 9, 10])).resources["desk"]
    assert (of.acquisitions, of.busiest, of.starved) == (2, 1, [])


def test_steps_that_do_nothing_are_no_dead_transitions_and_what_never_happened_is_one() -> None:
    plan = plan_from("""\
flow:
  seq:
    - task: {id: a, run: ls}
    - choice: [{task: {id: b, run: ls}}, {task: {id: skip, run: "true"}}, {task: {id: never, run: ls}}]
""")
    found = log_insights("log.csv", log_of(["a", "ab"]), plan, "plan.yaml")
    assert [(a.kind, a.target) for a in found.adaptations] == [("deadTransition", "t.never")]
    assert found.conformance is not None
    assert found.conformance.fitness == (1.0, 1.0)


def test_work_that_each_item_of_a_foreach_had_is_no_dead_transition() -> None:
    body = "{seq: [{task: {id: a, run: ls}}, {choice: [{task: {id: b, run: ls}}, {task: {id: c, run: ls}}]}]}"
    plan = plan_from(f"flow: {{foreach: {{id: each, over: 'jq .', maxWidth: 9, body: {body}}}}}\n")
    found = log_insights("log.csv", log_of(["aabb", "ab"]), plan, "plan.yaml")
    assert [(a.kind, a.target) for a in found.adaptations] == [("deadTransition", "t.c")]


def test_the_command_that_lists_the_cases_reads_the_log_in_the_same_way_and_can_be_pasted() -> None:
    plan = plan_from("flow: {task: {id: a, run: ls}}\n")
    found = log_insights("my log.csv", log_of(["a"]), plan, "p.yaml", told=["--case", "Case ID"])
    assert found.command == "petri mine 'my log.csv' --model p.yaml --case 'Case ID' --all"


def test_nothing_is_called_dead_while_it_is_not_known_how_a_case_went(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = plan_from("flow: {seq: [{task: {id: a, run: ls}}, {choice: [{task: {id: b}}, {task: {id: c}}]}]}\n")
    found = log_insights("log.csv", log_of(["aab", "ab"]), plan, "plan.yaml", deadline=lambda: True)
    assert [a.kind for a in found.adaptations] == []
    wide = plan_from("flow: {foreach: {id: each, over: 'jq .', body: {seq: [{task: {id: a}}, {task: {id: b}}]}}}\n")
    monkeypatch.setattr("petri_cli.plan.fragments.MAX_SIZE", 100)
    cases = ["a" * 60 + "b", "ab"]
    found = log_insights("log.csv", log_of(cases), wide, "plan.yaml")
    assert [a.kind for a in found.adaptations] == []
    assert found.conformance is not None
    assert (found.conformance.fitting, found.conformance.widths) == ((1, 2), {"each": (1, 60)})


def test_a_foreach_has_as_many_items_as_the_tasks_in_it_have_events() -> None:
    body = "{seq: [{task: {id: a, run: ls}}, {loop: {id: again, body: {task: {id: b, run: ls}}}}]}"
    plan = plan_from(f"flow: {{foreach: {{id: each, over: 'jq .', maxWidth: 9, body: {body}}}}}\n")
    found = log_insights("log.csv", log_of(["aaabbbbb", "ab"]), plan, "plan.yaml")
    assert [dict(case.widths) for case in found.past] == [{"each": 3}, {"each": 1}]
    assert found.conformance is not None
    assert found.conformance.fitness == (1.0, 1.0)
