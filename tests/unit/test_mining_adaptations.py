"""How much has to be counted before a number is suggested, and what is said where it was not enough."""

from __future__ import annotations

import pytest

from petri_cli.mining.adaptations import Adaptation, adaptations
from petri_cli.mining.evidence import Evidence, ResourceEvidence, Streak, TaskEvidence
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.model import Plan

WORK = ("t.a", "", ())


def plan() -> Plan:
    text = b"""
resources: [{id: r, capacity: 2}]
flow: {foreach: {id: f, over: [1, 2, 3], body: {guard: {resource: r, body: {task: {id: a}}}}}}
"""
    return load_plan_text(text, "plan.yaml")[0]


def found(task: TaskEvidence, resource: ResourceEvidence | None = None, timeout: float = 3600) -> list[Adaptation]:
    sessions = sorted({s.session for s in task.streaks})
    evidence = Evidence(
        sessions, sessions, [10.0] * len(sessions), {"a": task}, {"r": resource or ResourceEvidence("r")}, {"t.a": 1}
    )
    settings = {"maxAttempts": 1, "timeout": timeout}
    return adaptations(plan(), evidence, lambda _, name: settings[name], {"r": 3}, lambda *_: True)


def passed(seconds: float, n: int, runs: int) -> TaskEvidence:
    streaks = [Streak(f"s{k % runs}", WORK, passed=True) for k in range(n)]
    return TaskEvidence("a", streaks, [seconds] * n)


@pytest.mark.parametrize(("runs", "suggested"), [(1, None), (2, None), (3, 60.0), (20, 60.0)])
def test_a_limit_gets_tighter_when_several_runs_speak_for_it(runs: int, suggested: float | None) -> None:
    (change,) = found(passed(0.015, 30, runs))
    assert (change.kind, change.suggested, change.reversible) == ("timeout", suggested, suggested is not None)
    assert change.evidence["runs"] == runs
    assert (f"{runs} of 3 runs" in change.rationale) == (suggested is None)


def test_no_limit_is_suggested_that_a_busy_machine_would_break() -> None:
    assert found(passed(0.015, 30, 5), timeout=300) == []
    (change,) = found(passed(100.0, 30, 5), timeout=36_000)
    assert change.suggested == 150.0


def test_a_limit_that_is_nearly_reached_is_raised_by_one_run() -> None:
    (change,) = found(passed(9.0, 30, 1), timeout=10)
    assert change.suggested == 14.0


@pytest.mark.parametrize(("waited", "suggested"), [(0.0, None), (0.99, None), (1.0, 3), (60.0, 3)])
def test_a_capacity_is_raised_when_there_is_something_to_be_gained(waited: float, suggested: int | None) -> None:
    starved = [("s0", "t.guard.g1.acquire", str(k)) for k in range(5)]
    changes = found(passed(1.0, 3, 1), ResourceEvidence("r", starved, waited, 2, 8))
    capacity = next(a for a in changes if a.kind == "resourceCapacity")
    assert (capacity.current, capacity.suggested) == (2, suggested)
    assert "5 further acquisition(s)" in capacity.rationale
    assert any(a.kind == "bottleneck" for a in changes) == (waited >= 1)


def test_a_person_who_rejects_work_is_not_asked_again_by_a_number() -> None:
    rejected = Streak("s0", WORK, burnt=1, exhausted=True, rejected=1)
    (told,) = found(TaskEvidence("a", [rejected], [], 0, [1]))
    assert (told.kind, told.suggested, told.reversible) == ("maxAttempts", None, False)
    assert "a person rejected" in told.rationale


def test_what_a_person_rejected_does_not_count_among_what_failed_by_itself() -> None:
    streaks = [
        Streak("s0", WORK, burnt=4, exhausted=True, rejected=4),
        Streak("s1", WORK, burnt=1, exhausted=True),
        Streak("s2", WORK, passed=True),
    ]
    told, change = found(TaskEvidence("a", streaks, [], 0, [1]))
    assert told.suggested is None
    assert (change.suggested, change.evidence["worstStreak"], change.evidence["exhausted"]) == (2, 1, 1)
