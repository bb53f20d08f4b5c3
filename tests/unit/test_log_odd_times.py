"""Times that are odd: before 1970, in mixed units, begins after ends. Taken as they are, or said to be wrong."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from petri_cli.errors import PetriError
from petri_cli.formats.log_options import LogOptions
from petri_cli.formats.logs import read_log
from petri_cli.mining.follow_times import activity_times, follow_times
from petri_cli.mining.guards import guard_proposals
from petri_cli.mining.log import NO_TIME, Log
from petri_cli.render.look import Look
from petri_cli.render.mining_chart import draw_chart

SCANNERS = "petri_cli.formats.native"
binding: Any = import_module(f"{SCANNERS}.binding") if find_spec(SCANNERS) else None
HOUR = 3_600_000_000


@pytest.fixture(params=["compiled", "plain", "polars"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[object]:
    """Reads a text as a log in each of the ways that there are."""
    if request.param == "polars":
        pytest.importorskip("polars")
    elif request.param == "compiled" and (binding is None or binding.core is None):
        pytest.skip("the compiled scanners were not built")
    elif request.param == "plain" and binding is not None:
        monkeypatch.setattr(binding, "core", None)

    def read(text: str, **options: object) -> Log:
        (tmp_path / "log").write_text(text, encoding="utf-8")
        fast = True if request.param == "polars" else None
        return read_log(tmp_path / "log", LogOptions(fast=fast, **options))  # type: ignore[arg-type]

    yield read


OLD = """\
case,activity,start,end
1,a,1950-01-01T00:00:00Z,1950-01-01T01:00:00Z
1,b,1969-12-31T23:00:00Z,1969-12-31T23:59:59.999999Z
1,c,1970-01-01T00:00:00Z,1970-01-01T01:00:00Z
"""


def test_times_before_1970_are_times(way) -> None:  # type: ignore[no-untyped-def]
    log = way(OLD)
    assert log.times is not None and log.times.began is not None
    assert list(log.times.ended)[1:] == [-1, HOUR], "one microsecond before is not no time"
    assert list(log.times.began)[1:] == [-HOUR, 0]
    assert {log.activities[a]: s.median for a, s in activity_times(log).items()} == {
        "a": 3600,
        "b": 3599.999999,
        "c": 3600,
    }
    gaps = {tuple(log.named(edge)): s.median for edge, s in follow_times(log).items()}
    assert gaps[("b", "c")] == 1e-06
    drawn = "".join(text for line in draw_chart(log, Look()) for _, text in line)
    assert "no times" not in drawn
    assert "1950-01-01" in drawn


def test_the_order_is_that_of_time_before_1970_too(way) -> None:  # type: ignore[no-untyped-def]
    log = way("case,activity,time\n1,b,1969-12-31T23:59:59.999999Z\n1,a,1901-01-01\n1,c,1970-01-01\n")
    assert log.named(log.variants[0]) == ["a", "b", "c"]
    assert log.problems == ()


def test_a_capacity_shows_before_1970_too() -> None:
    def log(year: int) -> Log:
        rows = ["case,activity,start,end"]
        for k in range(40):
            rows.append(f"{k},come,{year}-01-01T00:00:00Z,{year}-01-01T00:00:{k % 10:02}Z")
            begin = 10 + 60 * (k // 2)
            when = [f"{year}-01-01T00:{s // 60:02}:{s % 60:02}Z" for s in (begin, begin + 60)]
            rows.append(f"{k},work,{when[0]},{when[1]}")
        return read_log("\n".join(rows).encode())

    assert [(g.name, g.capacity) for g in guard_proposals(log(2020))] == [("work", 2)]
    assert guard_proposals(log(1920)) == guard_proposals(log(2020))


def test_a_begin_after_the_end_is_told_with_its_line_and_the_event_is_kept(way) -> None:  # type: ignore[no-untyped-def]
    text = "case,activity,start,end\n1,a,2026-01-01,2026-01-02\n1,b,2026-01-05,2026-01-03\n1,c,2026-01-04,2026-01-04\n"
    log = way(text)
    assert [(p.code, p.where.line) for p in log.problems] == [("PETRI_LOG_EVENT", 3)]
    assert log.n_events == 3
    assert log.dropped == {}
    assert log.times is not None and log.times.began is not None
    assert log.times.began[1] == NO_TIME
    with pytest.raises(PetriError) as caught:
        way(text, strict=True)
    assert (caught.value.code, caught.value.where.line) == ("PETRI_LOG_EVENT", 3)


def test_many_such_are_counted() -> None:
    log = read_log(("case,activity,start,end\n" + "1,a,2026-01-05,2026-01-03\n" * 50).encode())
    assert len(log.problems) == 21
    assert "50 events begin after they end in all" in log.problems[-1].message


def test_a_begin_after_the_end_in_xes(way) -> None:  # type: ignore[no-untyped-def]
    def date(key: str, day: int) -> str:
        return f'<date key="{key}" value="2026-01-{day:02}T00:00:00Z"/>'

    def event(begin: int, end: int) -> str:
        times = date("start_timestamp", begin) + date("time:timestamp", end)
        return f'<event><string key="concept:name" value="a"/>{times}</event>\n'

    name = '<string key="concept:name" value="1"/>'
    log = way(f"<log>\n<trace>{name}\n{event(1, 2)}{event(9, 3)}</trace>\n</log>\n")
    assert [(p.code, p.where.line) for p in log.problems] == [("PETRI_LOG_EVENT", 4)]
    assert log.n_events == 2


@pytest.mark.parametrize(
    ("times", "wrong", "unit"),
    [
        (("1700000000", "1700000000000"), 1, "seconds"),
        (("1700000000000", "1700000000"), 1, "milliseconds"),
        (("1700000000000000", "1700000000"), 1, "microseconds"),
        (("1700000000000000", "1700000000000"), 1, "microseconds"),
        (("1700000000000000000", "1700000000000000"), 1, "nanoseconds"),
        (("1700000000000", "1700000000000000"), 1, "milliseconds"),
        (("1700000000", "0", "-5", "99999999999"), None, ""),
        (("0", "1000", "60000", "86400000000"), None, ""),
        (("1700000000000", "0", "-1000000000", "70000000000", "4900000000000"), None, ""),
        (("1700000000000000000", "0"), None, ""),
    ],
)
def test_epochs_of_another_unit_than_the_first_are_no_times(
    times: tuple[str, ...], wrong: int | None, unit: str
) -> None:
    text = "case,activity,time\n" + "".join(f"{k},a,{t}\n" for k, t in enumerate(times))
    log = read_log(text.encode())
    if wrong is None:
        assert log.problems == ()
        return
    assert [(p.code, p.where.line) for p in log.problems] == [("PETRI_LOG_EVENT", wrong + 2)]
    assert f"no time in {unit} since 1970" in log.problems[0].message
    assert log.dropped == {"timestamp": 1}
