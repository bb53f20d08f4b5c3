"""Logs on which tools for event logs are known to go wrong, and what is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from petri_cli.errors import InputError
from petri_cli.formats.logs import LogOptions, read_log
from petri_cli.mining.log import Log

LOGS = Path(__file__).parent / "mining" / "logs"
HEADER = "case_id,activity,timestamp\n"


def read(name: str, **options: object) -> Log:
    return read_log(LOGS / name, LogOptions(**options))  # type: ignore[arg-type]


def variants(log: Log) -> dict[str, int]:
    return {" ".join(log.named(trace)): count for trace, count in log}


def test_a_case_called_na_or_null_is_a_case_and_one_without_a_name_is_told_by_its_lines() -> None:
    log = read("named-like-nothing.csv")
    assert log.cases == ("MZ", "NA", "NB", "null", "nan", "None")
    assert variants(log) == {"a b": 6}
    assert log.dropped == {"case": 2}
    assert [(p.code, p.where.line, p.severity) for p in log.problems] == [
        ("PETRI_LOG_EVENT", 14, "warning"),
        ("PETRI_LOG_EVENT", 15, "warning"),
    ]


def test_where_it_is_strict_an_empty_case_id_is_an_error() -> None:
    with pytest.raises(InputError) as caught:
        read("named-like-nothing.csv", strict=True)
    assert [(p.code, p.where.line, p.severity) for p in caught.value.problems] == [
        ("PETRI_LOG_EVENT", 14, "error"),
        ("PETRI_LOG_EVENT", 15, "error"),
    ]


def test_rows_in_any_order_are_read_in_the_order_of_time() -> None:
    log = read("rows-in-any-order.csv")
    assert variants(log) == {"A B C": 2}
    assert log.times is not None
    assert list(log.times.ended) == sorted(log.times.ended)


def test_events_of_one_instant_stay_in_the_order_of_the_file() -> None:
    assert variants(read("equal-timestamps.csv")) == {"created assigned merged": 2}


def test_without_timestamps_the_order_of_the_document_is_the_order() -> None:
    log = read("no-timestamps.xes")
    assert variants(log) == {"a b": 1, "b a": 1}
    assert log.times is None
    assert log.problems == ()


def test_two_traces_of_one_name_are_two_cases() -> None:
    log = read("two-traces-of-one-name.xes")
    assert variants(log) == {"a b": 2}
    assert log.cases == ("c1", "c1#2")
    assert [(p.code, p.where.line, p.severity) for p in log.problems] == [("PETRI_LOG_DUPLICATE_CASE", 8, "warning")]


def test_names_that_look_like_numbers_are_names() -> None:
    log = read("numbers-as-names.csv")
    assert log.cases == ("007", "7", "1e2", "100")
    assert variants(log) == {"a b": 1, "a c": 1, "a": 1, "b": 1}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_byte_order_mark_is_no_part_of_the_first_column(encoding: str) -> None:
    text = HEADER + "1,prüfen,2026-03-02T08:00:00Z\n1,終了,2026-03-02T08:01:00Z\n"
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    log = read_log((mark + text).encode(encoding))
    assert variants(log) == {"prüfen 終了": 1}
    assert log.columns["case"] == "case_id"


def test_latin_1_is_refused_with_the_byte_and_the_way_out_and_read_when_told() -> None:
    data = (HEADER + "1,prüfen,2026-03-02T08:00:00Z\n").encode("latin-1")
    with pytest.raises(InputError) as caught:
        read_log(data, name="old.csv")
    assert caught.value.code == "PETRI_LOG_ENCODING"
    assert f"byte {data.index(0xFC)} (0xfc)" in caught.value.message
    assert "--encoding" in caught.value.hint
    assert caught.value.where.line == 2
    assert variants(read_log(data, LogOptions(encoding="latin-1"))) == {"prüfen": 1}


def test_a_date_that_can_be_read_two_ways_is_refused_until_a_format_is_told() -> None:
    data = b"case_id;activity;timestamp\n1;a;01.02.2026 08:00\n1;b;01.03.2025 08:00\n"
    with pytest.raises(InputError) as caught:
        read_log(data)
    assert caught.value.code == "PETRI_LOG_TIME"
    assert caught.value.where.line == 2
    assert "--time-format '%d.%m.%Y %H:%M'" in caught.value.hint
    assert variants(read_log(data, LogOptions(time_format="%d.%m.%Y %H:%M"))) == {"b a": 1}
