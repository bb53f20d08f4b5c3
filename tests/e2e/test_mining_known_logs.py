"""Logs from real life, counted: they lie in the folder that PETRI_TEST_DATA names, and are not part of the project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from petri_cli.formats.logs import LogOptions, read_log

FOLDER = os.environ.get("PETRI_TEST_DATA")
pytestmark = pytest.mark.skipif(not FOLDER, reason="PETRI_TEST_DATA names no folder with logs")

KNOWN = {
    "02_teleclaims.xes.gz": (3_512, 46_138, 11, 12),
    "03_repairExample.xes.gz": (1_104, 11_855, 8, 77),
    "06_bpic2013_closed.xes.gz": (1_487, 6_660, 4, 183),
    "08_receipt.xes.gz": (1_434, 8_577, 27, 116),
    "09_a32f0n00.xes.gz": (1_000, 25_757, 32, 1_000),
    "Sepsis_Cases-Event_Log.xes.gz": (1_050, 15_214, 16, 846),
    "helpdesk.xes.gz": (4_580, 21_348, 14, 226),
    "running-example.xes": (6, 42, 8, 6),
}
LARGE = {
    "07_bpic2013_incidents.xes.gz": (7_554, 65_533, 4, 1_511),
    "Hospital_log.xes.gz": (1_143, 150_291, 624, 981),
    "Road_Traffic_Fine_Management_Process.xes.gz": (150_370, 561_470, 11, 231),
}
"""Cases, events, activities, variants."""


def log_file(name: str) -> Path:
    return Path(FOLDER or "") / "logs" / name


@pytest.mark.parametrize("name", [*KNOWN, *[pytest.param(name, marks=pytest.mark.slow) for name in LARGE]])
def test_cases_events_activities_and_variants_are_those_that_are_known(name: str) -> None:
    log = read_log(log_file(name))
    assert (log.n_cases, log.n_events, len(log.activities), len(log.variants)) == (KNOWN | LARGE)[name]
    assert log.dropped == {}
    assert len(log.cases) == len(log.variant_of) == log.n_cases


def test_a_case_is_called_na() -> None:
    assert "NA" in read_log(log_file("Sepsis_Cases-Event_Log.xes.gz")).cases


def test_a_log_without_timestamps_has_no_times() -> None:
    assert read_log(log_file("09_a32f0n00.xes.gz")).times is None


def test_starts_and_completes_of_a_log_are_events_of_their_own_or_pairs() -> None:
    log = read_log(log_file("02_teleclaims.xes.gz"))
    assert [p.code for p in log.problems] == ["PETRI_LOG_LIFECYCLE"]
    pairs = read_log(log_file("02_teleclaims.xes.gz"), LogOptions(lifecycle="pairs"))
    assert pairs.n_events == 24_825
    assert len(pairs.variants) == 12
    assert pairs.times is not None
    assert pairs.times.began is not None
    assert sum(t >= 0 for t in pairs.times.began) == 21_313 - pairs.dropped.get("start without complete", 0)


def test_a_table_of_nanoseconds_is_read_with_guessed_columns() -> None:
    log = read_log(log_file("mas_eventlog.csv"))
    assert log.columns == {"case": "case_id", "activity": "activity", "timestamp": "end_ns", "start": "start_ns"}
    assert (log.n_cases, log.n_events) == (34, 3_117)
    assert log.times is not None
    day = 86_400_000_000
    assert {ticks // day for ticks in log.times.ended} <= set(range(20_200, 20_300))  # 2025
