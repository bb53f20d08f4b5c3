"""Tables and JSON lines: which column is what, how times are written, what is said about bad rows."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from petri_cli.errors import PetriError
from petri_cli.formats import scanned_log
from petri_cli.formats.log_options import Columns, guess_columns
from petri_cli.formats.log_times import Timestamps, written
from petri_cli.formats.log_write import write_log
from petri_cli.formats.logs import LogOptions, read_log
from petri_cli.formats.native import binding
from petri_cli.mining.log import NO_TIME, Log, log_of

HEADER = "case_id,activity,timestamp\n"


def read(text: str, **options: object) -> Log:
    return read_log(text.encode(), LogOptions(**options), name="log.csv")  # type: ignore[arg-type]


def refused(text: str | bytes, **options: object) -> PetriError:
    with pytest.raises(PetriError) as caught:
        read_log(text.encode() if isinstance(text, str) else text, LogOptions(**options), name="log.csv")  # type: ignore[arg-type]
    return caught.value


def variants(log: Log) -> dict[str, int]:
    return {" ".join(log.named(trace)): count for trace, count in log}


@pytest.mark.parametrize(
    ("header", "found"),
    [
        ("case_id,activity,timestamp", ("case_id", "activity", "timestamp")),
        ("case:concept:name,concept:name,time:timestamp", ("case:concept:name", "concept:name", "time:timestamp")),
        ("Case ID,Activity,Complete Timestamp", ("Case ID", "Activity", "Complete Timestamp")),
        ("caseId,taskName,endTime", ("caseId", "taskName", "endTime")),
        ("trace,event,time", ("trace", "event", "time")),
        ("timestamp,activity,case", ("case", "activity", "timestamp")),
        ("case,activity,when", ("case", "activity", "when")),
    ],
)
def test_columns_are_guessed_from_their_names(header: str, found: tuple[str, str, str]) -> None:
    columns = guess_columns(header.split(","), Columns())
    assert (columns.case, columns.activity, columns.timestamp) == found


def test_start_end_resource_and_lifecycle_are_guessed_too() -> None:
    columns = guess_columns(["Case", "Task", "Start", "End", "org:resource", "lifecycle:transition"], Columns())
    assert columns == Columns("Case", "Task", "End", "Start", "org:resource", "lifecycle:transition")


def test_a_start_is_the_timestamp_where_there_is_no_other() -> None:
    assert guess_columns(["case", "activity", "start"], Columns()) == Columns("case", "activity", "start")


def test_what_is_told_is_not_guessed_and_what_was_guessed_is_shown() -> None:
    log = read("case,activity,step\n1,a,x\n", columns=Columns(activity="step"))
    assert log.columns == {"case": "case", "activity": "step"}
    assert log.activities == ("x",)


def test_columns_that_are_missing_or_told_twice_are_refused_with_those_there_are() -> None:
    error = refused("foo,bar\n1,a\n")
    assert error.code == "PETRI_LOG_COLUMNS"
    assert "`foo`, `bar`" in error.message
    assert error.hint == "say it: --activity COLUMN"
    assert "no column `x`" in refused(HEADER, columns=Columns(case="x")).message
    assert "two columns" in refused("case,activity,activity\n1,a,b\n").message


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends_are_seen(delimiter: str, end: str) -> None:
    rows = [["case", "activity", "note"], ["1", "a", '"x,;|"'], ["1", "b", ""]]
    assert variants(read(end.join(delimiter.join(row) for row in rows))) == {"a b": 1}


def test_quoted_cells_may_hold_delimiters_quotes_and_line_breaks() -> None:
    log = read('case,activity\n"a, ""b""\nc",x\n"1",y\n')
    assert log.cases == ('a, "b"\nc', "1")


def test_lines_are_counted_with_the_breaks_in_cells() -> None:
    log = read('case,activity,note\n1,a,"x\ny"\n\n,b,\n1,c\n2,,"\n"\n3,d,\n')
    assert [(p.where.line, p.message) for p in log.problems] == [
        (6, "the row has 2 cells, not 3"),
        (5, "the event has no case id"),
        (7, "the event has no activity"),
    ]
    assert log.dropped == {"activity": 1, "case": 1, "cells": 1}
    assert log.cases == ("1", "3")


def test_many_bad_rows_are_counted_and_only_the_first_are_told() -> None:
    log = read("case,activity\n" + ",a\n" * 1_000 + "1,a\n")
    assert log.dropped == {"case": 1_000}
    assert len(log.problems) == 21
    assert log.problems[-1].message == "1,000 events were left out in all (case 1,000)"


def test_a_log_of_nothing_but_bad_rows_is_refused() -> None:
    assert refused(HEADER + ",a,\n").code == "PETRI_LOG_EVENT"


def test_a_header_alone_is_an_empty_log() -> None:
    assert read(HEADER).n_cases == 0


@pytest.mark.parametrize("text", ["", "\n\n", "hello", "some words\nand more\n", "\0\1\2"])
def test_what_is_no_log_is_refused(text: str) -> None:
    assert refused(text).code == "PETRI_LOG_FORMAT"


def test_a_quote_that_is_never_closed_is_no_reason_to_lose_the_log_in_silence() -> None:
    log = read('case,activity\n1,a\n2,"b\n3,c\n')
    assert variants(log) == {"a": 1, "b\n3,c\n": 1}


def test_a_very_long_cell_is_read() -> None:
    assert read("case,activity,note\n1,a," + "x" * 300_000 + "\n").n_events == 1


def test_an_encoding_that_does_not_exist_is_refused() -> None:
    assert refused(HEADER, encoding="klingon").code == "PETRI_LOG_ENCODING"


def test_utf_16_that_ends_within_a_character_is_refused() -> None:
    assert refused((HEADER + "1,a,\n").encode("utf-16")[:-1]).code == "PETRI_LOG_ENCODING"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PetriError) as caught:
        read_log(tmp_path / "no.csv")
    assert caught.value.code == "PETRI_UNREADABLE_FILE"


@pytest.mark.parametrize(
    ("text", "ticks"),
    [
        ("1970-01-01T00:00:01Z", 1_000_000),
        ("1970-01-01 00:00:01", 1_000_000),
        ("1970-01-01T00:00", 0),
        ("1970-01-02", 86_400_000_000),
        ("1970/01/01 00:00:00.5", 500_000),
        ("1970-01-01T01:00:00,000001+01:00", 1),
        ("1970-01-01T00:00:00.123456789Z", 123_456),
        ("1970-01-01T00:00:00-0130", 5_400_000_000),
        ("1970-01-01T00:00:00+01", -3_600_000_000),
        ("1970-01-01 00:00:01 UTC", 1_000_000),
        ("1700000000", 1_700_000_000_000_000),
        ("1700000000.25", 1_700_000_000_250_000),
        ("1700000000123", 1_700_000_000_123_000),
        ("1700000000123456", 1_700_000_000_123_456),
        ("1700000000123456789", 1_700_000_000_123_456),
        ("1969-12-31T23:59:59.999999Z", -1),
        ("-1.5", -1_500_000),
        ("", NO_TIME),
        ("  ", NO_TIME),
    ],
)
def test_timestamps_are_read(text: str, ticks: int) -> None:
    column, bad = Timestamps().column([text])
    assert (list(column), bad) == ([ticks], [])


@pytest.mark.parametrize(
    "text",
    ["soon", "1970-13-01", "1970-01-01T25:00:00", "1970-1-1", "1970-01-01T00:00:00+25:00", "2026-02-30", "１970-01-01"],
)
def test_what_is_no_timestamp_is_told(text: str) -> None:
    assert Timestamps().column(["1970-01-01", text])[1] == [1]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("01.02.2026", "%d.%m.%Y"),
        ("1/2/26 8:00", "%d/%m/%y %H:%M"),
        ("01-02-2026 08:00:01", "%d-%m-%Y %H:%M:%S"),
        ("01.02.2026 08:00:01.5", "%d.%m.%Y %H:%M:%S.%f"),
    ],
)
def test_a_date_with_the_day_or_the_month_first_needs_a_format(text: str, form: str) -> None:
    error = refused(HEADER + f"1,a,{text}\n")
    assert error.code == "PETRI_LOG_TIME"
    assert form in error.hint
    assert read(HEADER + f"1,a,{text}\n", time_format=form).n_events == 1


def test_such_a_date_is_refused_wherever_it_stands() -> None:
    error = refused(HEADER + "1,a,2026-02-01\n" * 3 + "1,a,01.02.2026\n")
    assert (error.code, error.where.line) == ("PETRI_LOG_TIME", 5)


@pytest.mark.parametrize("ticks", [0, 1, 1_000, 1_700_000_000_123_456, -86_400_000_000, 253_402_300_799_999_999])
def test_a_tick_that_is_written_is_read(ticks: int) -> None:
    assert Timestamps().ticks(written(ticks)) == ticks


def test_pairs_of_a_table_are_one_event() -> None:
    rows = "case,activity,time,lifecycle\n1,a,1,start\n1,b,2,start\n1,a,3,complete\n1,b,4,complete\n"
    assert variants(read(rows)) == {"a b a b": 1}
    log = read(rows, lifecycle="pairs")
    assert variants(log) == {"a b": 1}
    assert log.times is not None
    assert list(log.times.began or []) == [1_000_000, 2_000_000]


def test_json_lines_hold_text_and_numbers_as_they_are_written() -> None:
    lines = [
        '{"case": "007", "activity": "a", "time": "2026-01-01T00:00:00Z"}',
        '{"case": 7, "activity": "b", "time": "2026-01-01T00:00:01Z"}',
        '{"case": "7", "activity": true}',
        '{"case": 1e2, "activity": "\\u00e4"}',
    ]
    log = read("\n".join(lines))
    assert log.cases == ("007", "7", "1e2")
    assert variants(log) == {"a": 1, "b true": 1, "ä": 1}


def test_a_bad_json_line_is_named_and_the_rest_is_kept() -> None:
    good = '{"case": "1", "activity": "a"}\n'
    log = read(
        good + '{"case": \n\n[1]\n{"case": ["1"], "activity": "a"}\n{"case": "1", "activity": "\\ud800"}\n' + good
    )
    assert [p.where.line for p in log.problems] == [2, 4, 5, 6]
    assert log.dropped == {"line": 4}
    assert variants(log) == {"a a": 1}
    assert refused(good + "{\n", strict=True).code == "PETRI_LOG_EVENT"


def test_a_deeply_nested_json_line_is_a_bad_line() -> None:
    good = '{"case": "1", "activity": "a"}\n'
    assert read(good + '{"case": ' + "[" * 100_000 + "\n").dropped == {"line": 1}


def test_a_packed_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "log.csv.gz"
    path.write_bytes(gzip.compress(b"case,activity\n1,a\n"))
    assert read_log(str(path)).n_events == 1


def test_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(binding, "core", None)
    told: list[int] = []
    read_log(b"case,activity\n" + b"1,a\n" * 50_000, progress=told.append)
    assert told == [20_000, 40_000, 50_000]


@pytest.mark.skipif(binding.core is None, reason="the compiled scanners were not built")
def test_progress_is_told_of_what_is_scanned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanned_log, "CHUNK", 80_000)
    told: list[int] = []
    read_log(b"case,activity\n" + b"1,a\n" * 50_000, progress=told.append)
    assert told == [20_000, 40_000, 50_000]


def test_without_times_only_the_order_is_kept() -> None:
    log = read(HEADER + "1,b,2026-01-02\n1,a,2026-01-01\n", times=False)
    assert (variants(log), log.times) == ({"a b": 1}, None)


def test_a_log_of_variants_alone_is_written_with_made_up_cases() -> None:
    log = log_of([["a"], ["a", "b"], ["a"]])
    bare = Log(log.activities, log.variants, log.counts)
    assert "".join(write_log(bare, "csv")).splitlines() == ["case_id,activity", "1,a", "2,a", "3,a", "3,b"]


SHOW = """
import sys
from petri_cli.formats.logs import read_log
from petri_cli.formats.log_write import write_log
log = read_log(sys.argv[1])
for form in ("xes", "csv", "jsonl"):
    sys.stdout.write("".join(write_log(log, form)))
print(log.activities, log.variants, log.counts, log.columns, log.dropped, log.problems)
"""


def test_nothing_depends_on_the_seed_of_hashes(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = [f"c{k % 13},{'abcdefg'[k * k % 7]},2026-01-01T08:{k * 7 % 60:02}:00Z,r{k % 5}" for k in range(200)]
    path.write_text("case,activity,time,resource\n" + "\n".join([*rows, ",x,,"]) + "\n")
    said = {
        subprocess.run(
            [sys.executable, "-c", SHOW, str(path)],
            env={**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            check=True,
        ).stdout
        for seed in (0, 1, 2, 77)
    }
    assert len(said) == 1
