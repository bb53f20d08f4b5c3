"""The directly-follows graph: what is counted, and that neither the order of cases nor a missing time disturbs it."""

from __future__ import annotations

from array import array
from dataclasses import replace

from petri_cli.mining.dfg import directly_follows
from petri_cli.mining.follow_times import follow_times
from petri_cli.mining.log import Times, log_of
from tests.textbook_logs import FULL, L7, letters


def test_edges_starts_ends_and_events_are_counted_over_all_cases() -> None:
    graph = directly_follows(letters(L7 + " -^2"))
    name = graph.activities.__getitem__
    assert {(name(a), name(b)): n for (a, b), n in graph.follows.items()} == {
        ("a", "c"): 2,
        ("a", "b"): 6,
        ("b", "b"): 5,
        ("b", "c"): 6,
    }
    assert {name(a): n for a, n in graph.occurrences.items()} == {"a": 8, "b": 11, "c": 8}
    assert {name(a): n for a, n in graph.starts.items()} == {"a": 8}
    assert {name(a): n for a, n in graph.ends.items()} == {"c": 8}
    assert graph.empty == 2


def test_every_event_is_entered_and_left_once() -> None:
    graph = directly_follows(letters(FULL))
    for a, n in graph.occurrences.items():
        assert n == graph.starts.get(a, 0) + sum(m for (_, b), m in graph.follows.items() if b == a)
        assert n == graph.ends.get(a, 0) + sum(m for (b, _), m in graph.follows.items() if b == a)


def test_by_name_the_order_of_cases_no_longer_shows() -> None:
    assert directly_follows(letters("cab bca")).by_name() == directly_follows(letters("bca cab")).by_name()
    assert directly_follows(letters("cab")).by_name().activities == ("a", "b", "c")


def test_times_of_edges_are_medians_from_end_to_beginning() -> None:
    second = 1_000_000
    ended = array("q", [t * second for t in (0, 10, 100, 130, 200, 290)])
    began = array("q", [t * second for t in (0, 5, 100, 101, 200, 210)])
    log = log_of(["ab", "ab", "ab"])
    assert follow_times(replace(log, times=Times(ended, began))) == {(0, 1): 5.0}
    assert follow_times(replace(log, times=Times(ended))) == {(0, 1): 30.0}
    ended[1] = -1
    assert follow_times(replace(log, times=Times(ended))) == {(0, 1): 90.0}
    assert follow_times(log) == {}
