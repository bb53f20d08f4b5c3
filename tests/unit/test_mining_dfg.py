"""The directly-follows graph: what is counted, and that neither the order of cases nor a missing time disturbs it."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from petri_cli.formats.dfg_draw import write_dfg_dot, write_dfg_mermaid, write_dfg_svg
from petri_cli.mining.dfg import directly_follows
from petri_cli.mining.follow_times import Spread, activity_times, follow_times
from petri_cli.mining.log import NO_TIME, Times, log_of
from tests.textbook_logs import FULL, L7, letters

Draw = Callable[..., str]


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


def test_times_of_edges_are_medians_and_means_from_end_to_beginning() -> None:
    second = 1_000_000
    ended = array("q", [t * second for t in (0, 10, 100, 130, 200, 290)])
    began = array("q", [t * second for t in (0, 5, 100, 101, 200, 210)])
    log = log_of(["ab", "ab", "ab"])
    timed, exact = replace(log, times=Times(ended)), replace(log, times=Times(ended, began))
    assert follow_times(exact) == {(0, 1): Spread(3, 1.0, 5.0, 16 / 3, 10.0)}
    assert follow_times(timed) == {(0, 1): Spread(3, 10.0, 30.0, 130 / 3, 90.0)}
    assert activity_times(exact) == {0: Spread(3, 0, 0, 0, 0), 1: Spread(3, 5.0, 29.0, 38.0, 80.0)}
    assert activity_times(timed) == activity_times(log) == {}
    ended[1] = NO_TIME
    assert follow_times(replace(log, times=Times(ended))) == {(0, 1): Spread(2, 30.0, 90.0, 60.0, 90.0)}
    assert follow_times(log) == {}


@pytest.mark.parametrize("write", [write_dfg_dot, write_dfg_mermaid, write_dfg_svg])
def test_a_drawing_tells_counts_and_times_and_names_cannot_break_out(write: Draw) -> None:
    names = ('</text>"] a\n1', "b|<c>", "é")
    log = log_of([names, names[:2], (names[0], names[0])])
    times = {(0, 1): Spread(2, 60, 120, 3_600 * 3, 6)}
    text = write(directly_follows(log), times, {0: Spread(1, 1, 1, 1, 1)})
    assert text == write(directly_follows(log), times, {0: Spread(1, 1, 1, 1, 1)})
    assert "2.0m, mean 3.0h" in text
    assert "1.0s, mean 1.0s" in text
    if write is write_dfg_svg:
        root = ElementTree.fromstring(text)  # noqa: S314 - our own output
        assert len([p for p in root.iter("{http://www.w3.org/2000/svg}path") if p.get("style")]) == 3 + 1 + 3
    if write is write_dfg_dot:
        assert r'label="</text>\"] a 1\n4' in text
    if write is write_dfg_mermaid:
        assert 'a0("#60;/text#62;#34;] a#10;1<br>4' in text


def test_an_empty_graph_is_drawn() -> None:
    for write in (write_dfg_dot, write_dfg_mermaid, write_dfg_svg):
        assert write(directly_follows(log_of([])), {}, {})
