"""Capacities from observed concurrency, and retry limits from observed attempts."""

from __future__ import annotations

import os
from array import array
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from petri_cli.mining.guards import guard_proposals
from petri_cli.mining.log import NO_TIME, Log, Times, log_of
from petri_cli.mining.retries import Outcome, Run, count_outcomes, retry_advice, runs_of

SECOND = 1_000_000


def _queue(units: int, cases: int, *, lag: int = 0, resource: bool = False) -> Log:
    """Cases that all get ready one a second, and then work for ten seconds on one of ``units`` machines.

    lag: seconds that a unit stays unused before the next one begins.
    """
    free = [0] * units
    began, ended = [], []
    for k in range(cases):
        machine = min(range(units), key=free.__getitem__)
        start = max(k + 1, free[machine])
        free[machine] = start + 10 + lag
        began += [k, start]
        ended += [k + 1, start + 10]
    times = Times(
        array("q", [t * SECOND for t in ended]),
        array("q", [t * SECOND for t in began]),
        array("i", [-1, 0] * cases) if resource else None,
        ("machine",) if resource else (),
    )
    return replace(log_of(["aw"] * cases), times=times)


@pytest.mark.parametrize("units", [1, 3, 5])
def test_concurrency_that_tops_out_while_work_waits_is_a_capacity(units: int) -> None:
    [found] = guard_proposals(_queue(units, 40))
    assert (found.kind, found.name, found.capacity) == ("activity", "w", units)
    assert found.activities == {"w": 40}
    assert found.queued == found.waited == 40 - units
    assert found.share == 1
    assert f"never more than {units} of 40 events at once" in found.rationale()


def test_work_that_never_waits_has_no_capacity() -> None:
    assert guard_proposals(_queue(50, 40)) == []


def test_a_maximum_that_is_passed_through_is_no_capacity() -> None:
    """Everything waits an hour, whoever is free."""
    rng = Random(1)  # noqa: S311
    ready = sorted(rng.uniform(0, 4000) for _ in range(400))
    began = array("q", [int(t * SECOND) + k * 3600 * SECOND for t in ready for k in (0, 1)])
    ended = array("q", [t + (k % 2) * 60 * SECOND for k, t in enumerate(began)])
    log = replace(log_of(["aw"] * 400), times=Times(ended, began))
    assert guard_proposals(log) == []


def _levels(rounds: int) -> Log:
    """In each round of 60 s one event goes on for 50 s, a second for 30 of them and a third for 10; all waited."""
    spans = [(r * 60, r * 60 + seconds) for r in range(100, rounds + 100) for seconds in (50, 30, 10)]
    began = array("q", [t * SECOND for b, _ in spans for t in (b - 5000, b)])
    ended = array("q", [t * SECOND for b, e in spans for t in (b - 5000, e)])
    return replace(log_of(["aw"] * len(spans)), times=Times(ended, began))


def test_a_maximum_that_is_often_reached_and_soon_left_is_no_capacity() -> None:
    assert guard_proposals(_levels(20)) == []


def test_what_was_seen_less_than_five_times_is_no_capacity() -> None:
    assert guard_proposals(_queue(1, 5)) == []
    assert guard_proposals(_queue(1, 6)) != []


def test_a_capacity_that_changes_shows_its_largest_value() -> None:
    """Two machines, then four: what waited for the two is told apart."""
    two, four = _queue(2, 40), _queue(4, 60)
    assert two.times is not None and two.times.began is not None
    assert four.times is not None and four.times.began is not None
    later = 1000 * SECOND
    began = array("q", [*two.times.began, *(t + later for t in four.times.began)])
    ended = array("q", [*two.times.ended, *(t + later for t in four.times.ended)])
    [found] = guard_proposals(replace(log_of(["aw"] * 100), times=Times(ended, began)))
    assert (found.capacity, found.queued, found.waited) == (4, 56, 94)
    assert 0.3 < found.share < 0.7
    assert "38 waited at other times: it may change" in found.rationale()


def test_a_resource_that_does_all_of_an_activity_is_proposed_in_its_place() -> None:
    [found] = guard_proposals(_queue(3, 40, resource=True))
    assert (found.kind, found.name, found.capacity, found.activities) == ("resource", "machine", 3, {"w": 40})


def test_a_log_without_beginnings_proposes_nothing() -> None:
    log = _queue(3, 40)
    assert log.times is not None
    assert guard_proposals(replace(log, times=Times(log.times.ended))) == []
    assert guard_proposals(replace(log, times=None)) == []


def test_claims_are_handled_by_forty_forty_and_a_hundred() -> None:
    folder = os.environ.get("PETRI_TEST_DATA")
    if not folder:
        pytest.skip("PETRI_TEST_DATA names no folder of logs")
    from petri_cli.formats.logs import LogOptions, read_log

    log = read_log(Path(folder) / "logs" / "02_teleclaims.xes.gz", LogOptions(lifecycle="pairs"))
    found = guard_proposals(log)
    assert [(p.kind, p.name, p.capacity) for p in found] == [
        ("resource", "Call Centre Agent Brisbane", 40),
        ("resource", "Call Centre Agent Sydney", 40),
        ("resource", "Claims handler", 100),
    ]
    assert [(p.queued, p.reached) for p in found] == [(884, 1571), (346, 584), (564, 1772)]


ATTEMPTS = [1] * 12 + [2] * 5 + [3] * 2 + [5]


def _reruns(attempts: list[int], lost: list[int]) -> tuple[Log, list[str]]:
    log = log_of([["build"] * k for k in [*attempts, *lost]], [f"r{k:02}" for k in range(len(attempts) + len(lost))])
    outcomes = [word for k in attempts for word in [*["failure"] * (k - 1), "success"]]
    return log, outcomes + ["failure"] * sum(lost)


def test_three_attempts_cover_nineteen_of_twenty_runs() -> None:
    [found] = retry_advice(runs_of(*_reruns(ATTEMPTS, [])))
    assert found.needed == {1: 12, 2: 5, 3: 2, 5: 1}
    assert (found.suggested, found.covered, found.recovered, found.beyond) == (3, 19, 20, ("r19",))
    assert found.rationale() == (
        "of 20 runs 12 needed 1, 5 needed 2, 2 needed 3, 1 needed 5; 3 attempts cover 19 of 20 (95 %); "
        "no run was censored: every one succeeded in the end"
    )


def test_runs_that_never_succeeded_are_censored_and_told() -> None:
    [found] = retry_advice(runs_of(*_reruns(ATTEMPTS, [4, 4])))
    assert (found.suggested, found.covered, found.recovered) == (3, 19, 20)
    assert found.censored == {4: 2}
    assert found.rationale().endswith(
        "2 more never succeeded (within 4 at most) and are not counted: they are censored"
    )


def test_where_nothing_ever_succeeded_no_limit_is_suggested() -> None:
    [found] = retry_advice(runs_of(*_reruns([], [3, 3])))
    assert found.suggested is None
    assert "more attempts are not the answer" in found.rationale()


def test_without_outcomes_the_advice_says_what_it_does_not_know() -> None:
    log, _ = _reruns(ATTEMPTS, [])
    [found] = retry_advice(runs_of(log))
    assert (found.suggested, found.untold) == (3, True)
    assert "does not tell outcomes" in found.rationale()


def test_an_attempt_behind_a_success_begins_a_new_run() -> None:
    runs = runs_of(log_of([["a", "a", "a", "b"]]), ["failure", "success", "success", "OK "])
    assert runs == [Run("1", "a", 2, True), Run("1", "a", 1, True), Run("1", "b", 1, True)]
    assert [a.activity for a in retry_advice(runs)] == ["a"]


def test_with_outcomes_attempts_are_counted_whatever_goes_on_beside_them() -> None:
    runs = runs_of(log_of([["a", "b", "a", "b"]]), ["failure", "success", "success", "failure"])
    assert runs == [Run("1", "b", 1, True), Run("1", "a", 2, True), Run("1", "b", 1, False)]


def test_an_activity_without_any_outcome_is_not_taken_to_have_failed() -> None:
    runs = runs_of(log_of([["a", "b", "b"]]), ["success", "", ""])
    assert runs == [Run("1", "a", 1, True), Run("1", "b", 2, None)]


def test_outcomes_are_counted_the_most_frequent_first() -> None:
    log = log_of(["aaab"])
    assert count_outcomes(log) == []
    times = Times(array("q", [NO_TIME] * 4), outcome=array("i", [0, 1, 0, -1]), outcomes=("no", "OK"))
    found = count_outcomes(replace(log, times=times))
    assert found == [Outcome("no", 2, False), Outcome("OK", 1, True)]
    assert [o.success for o in count_outcomes(replace(log, times=times), {"no"})] == [True, False]
