"""With Polars and without, a log is the same log, or refused with the same words."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.errors import PetriError
from petri_cli.formats.fast_log import read_csv_fast
from petri_cli.formats.log_source import LogSource
from petri_cli.formats.log_write import write_log
from petri_cli.formats.logs import LogOptions, read_log
from petri_cli.mining.log import NO_TIME, Log
from tests.strategies.logs import logs

polars = pytest.importorskip("polars", reason="Polars is the extra [fast]")

CASES = st.sampled_from(["1", "2", "007", "7", "NA", "null", "1e2", "a b", " 1", "終"])
ACTIVITIES = st.sampled_from(["a", "b", "c", "true", "", "ä", "0"])
CLEAN = st.sampled_from([f"2026-01-01T08:0{m}:0{s}+00:00" for m in range(3) for s in range(3)])
ZONED = st.sampled_from(["2026-01-01T08:00:00+02:00", "2026-01-01T07:00:00+01:00", "2026-01-01T06:00:00-00:30"])
ODD = st.sampled_from(
    ["", "2026-01-01 08:00:00", "2026-01-01T08:00", "2026-1-01T08:00:00Z", "2026-02-30T08:00:00Z", "soon",
     "2026-01-01T08:00:60+00:00", "2026-01-01T24:00:00+00:00", "1767254400", "2026-01-01T08:00:00.1234567+00:00",
     "01.02.2026", "2026-01-01T08:00:00+25:00", " 2026-01-01T08:00:00+00:00", "1969-12-31T23:59:59+00:00"]
)  # fmt: skip
TIMES = st.sampled_from([CLEAN, ZONED, st.one_of(CLEAN, ODD)])


@st.composite
def regular(draw: st.DrawFn) -> str:
    """A table that has nothing to complain of, its rows in any order."""
    row = st.tuples(
        CASES, st.sampled_from("abc"), draw(st.sampled_from([CLEAN, ZONED])), st.sampled_from(["ann", "bob"])
    )
    rows = draw(st.lists(row, min_size=1, max_size=12))
    if draw(st.booleans()):
        rows.sort(key=lambda row: row[0])
    return "case,activity,time,resource\n" + "".join(",".join(row) + "\n" for row in rows)


@st.composite
def tables(draw: st.DrawFn) -> str:
    """A table with something wrong, now and then."""
    time, activity = draw(TIMES), draw(st.sampled_from([st.sampled_from(["a", "b", "c"]), ACTIVITIES]))
    row = st.tuples(CASES, activity, time, st.sampled_from(["ann", "bob", "", "x"]))
    rows = draw(st.lists(row, min_size=1, max_size=12))
    lines = [",".join(row[: draw(st.sampled_from([4, 4, 4, 4, 4, 4, 4, 3]))]) for row in rows]
    for extra in draw(st.lists(st.sampled_from(["", ",,,", '"1",a,2026-01-01T08:00:00+00:00,"q"', "1,a"]), max_size=1)):
        lines.insert(draw(st.integers(0, len(lines))), extra)
    end = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"]))
    return "case,activity,time,resource" + end + end.join(lines) + draw(st.sampled_from(["", end]))


def outcome(read: Callable[[], Log]) -> object:
    try:
        return read()
    except PetriError as error:
        return [str(p) for p in getattr(error, "problems", [error.problem])]


def both(data: bytes) -> tuple[object, object]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        path.write_bytes(data)
        return outcome(lambda: read_log(path, LogOptions(fast=True))), outcome(
            lambda: read_log(path, LogOptions(fast=False))
        )


@given(table=tables())
@settings(deadline=None, derandomize=True, max_examples=200)
def test_any_table_is_read_alike(table: str) -> None:
    fast, slow = both(table.encode())
    assert fast == slow


@given(table=regular())
@settings(deadline=None, derandomize=True, max_examples=100)
def test_a_regular_table_goes_the_fast_way_and_is_read_alike(table: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "log.csv"
        path.write_text(table, encoding="utf-8")
        assert read_csv_fast(LogSource("log.csv", path), LogOptions()) == read_log(path, LogOptions(fast=False))


@given(log=logs())
@settings(deadline=None, derandomize=True, max_examples=100)
def test_any_written_log_is_read_alike(log: Log) -> None:
    fast, slow = both("".join(write_log(log, "csv")).encode())
    assert fast == slow == log


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_regular_log_goes_the_fast_way_in_any_order_of_rows(form: str, tmp_path: Path) -> None:
    rows = [
        (f"c{k % 7}", "abcde"[k % 5], f"2026-01-01T08:{k * 7 % 60:02}:00.250+01:00", f"r{k % 3}") for k in range(60)
    ]
    path = tmp_path / "log.csv"
    path.write_text("case,activity,time,resource\n" + "".join(",".join(row) + "\n" for row in rows))
    slow = read_log(path, LogOptions(fast=False))
    if form == "csv":
        assert read_csv_fast(LogSource("log.csv", path), LogOptions()) == slow
    else:
        frame = polars.read_csv(path, infer_schema=False)
        typed = frame.with_columns(polars.col("time").str.to_datetime("%Y-%m-%dT%H:%M:%S%.f%:z"))
        for number, table in enumerate([frame, typed]):
            other = tmp_path / f"{number}.parquet"
            table.write_parquet(other)
            assert read_log(other, LogOptions(fast=True)) == slow
            assert read_log(other, LogOptions(fast=False)) == slow
            assert read_log(other.read_bytes()) == slow


def test_numbers_in_parquet_are_text(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    columns = {"case": [7, 7, 10], "activity": ["a", "b", "a"], "time": [1_700_000_000, 1_700_000_001, None]}
    polars.DataFrame(columns).write_parquet(path)
    log = read_log(path)
    assert log.cases == ("7", "10")
    assert log.times is not None
    assert list(log.times.ended) == [1_700_000_000_000_000, 1_700_000_001_000_000, NO_TIME]


def test_bad_rows_of_parquet_are_named_by_their_number(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    polars.DataFrame({"case": ["1", None], "activity": ["a", "b"]}).write_parquet(path)
    log = read_log(path)
    assert log.dropped == {"case": 1}
    assert [p.where.line for p in log.problems] == [2]


def test_a_damaged_parquet_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    path.write_bytes(b"PAR1" + os.urandom(0) + b"\0" * 40)
    with pytest.raises(PetriError) as caught:
        read_log(path)
    assert caught.value.code == "PETRI_LOG_FORMAT"
