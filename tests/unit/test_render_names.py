"""Names out of logs: what looks alike is alike, and no name runs over the line."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from petri_cli.cli.mining import as_json, fit_of, show
from petri_cli.cli.mining_models import find
from petri_cli.mining.adaptations import _seconds
from petri_cli.mining.dfg import directly_follows
from petri_cli.mining.follow_times import activity_times, follow_times
from petri_cli.mining.log import Log, Times, log_of
from petri_cli.render.look import Look, columns
from petri_cli.render.mining import Graph, draw_graph
from petri_cli.render.mining_json import Mined
from petri_cli.render.names import short, shown
from petri_cli.render.page import Page
from petri_cli.soundness.result import Budget

NAMES = [
    "a",
    " a",
    "a ",
    "a  b",
    "a b",
    "\ta",
    "a\n",
    "\u200ba",
    "\xa0a",
    "nothing",
    "終" * 40,
    "x" * 300_000,
    "\x1b[2J",
]


def page_of(log: Log, width: int) -> str:
    found = find(log, "inductive", 100, Budget())
    fit = fit_of(log, found, 5)
    written: list[str] = []
    page = Page(written.append, Look(width, colour=False, signs=True, prose=width))
    show(Mined("log.csv", log, found, fit), page, everything=True, chart=True)
    assert as_json(Mined("log.csv", log, found, fit))
    follows = Graph(directly_follows(log), follow_times(log), activity_times(log))
    page.lines(draw_graph(follows, page.look, everything=True))
    return "".join(written)


def test_different_names_look_different() -> None:
    assert len({shown(name) for name in NAMES}) == len(NAMES)
    assert shown("a") == "a"
    assert shown(" a") == '" a"'
    assert columns(short("x" * 300)) == 60


@pytest.mark.slow
@pytest.mark.parametrize("width", [80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    log = log_of([NAMES, NAMES[::-1], NAMES[:3], ["x" * 300_000] * 3], ["c" * 5_000, "2", " 2", "4"])
    days = [-62_135_596_800_000_000, 0, 253_402_300_799_000_000]
    ended = array("q", sorted([days[k % 3] for k in range(log.n_events)]))
    log = replace(log, times=Times(ended, ended[:]))
    text = page_of(log, width)
    assert max(map(columns, text.splitlines())) <= width
    assert "\x1b" not in text
    assert '"nothing"' in text


def test_columns_of_figures_do_not_run_together() -> None:
    log = replace(log_of([["a", "b"]]), counts=(123_456_789,))
    years = Times(array("q", [-62_135_596_800_000_000, 253_402_300_799_000_000]))
    graph = Graph(directly_follows(log), follow_times(replace(log, times=years)), {})
    lines = ["".join(text for _, text in line) for line in draw_graph(graph, Look())]
    row = next(line for line in lines if "→" in line)
    assert row.split()[-6:] == ["123,456,789", "9999.0y", "9999.0y", "a", "→", "b"]


def test_seconds_are_never_a_power_of_ten() -> None:
    assert [_seconds(x) for x in (0.0123, 2.5, 99.94, 5_400.0, 1e6)] == ["0.0123", "2.5", "99.9", "5,400", "1,000,000"]
