"""What is written as XES, CSV or JSON lines is read as an equal log."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.formats.log_write import WrittenFormat, write_log
from petri_cli.formats.logs import LogOptions, read_log
from petri_cli.mining.log import Log
from tests.strategies.logs import logs

FORMATS: list[WrittenFormat] = ["xes", "csv", "jsonl"]


def written(log: Log, form: WrittenFormat) -> bytes:
    return "".join(write_log(log, form)).encode()


@pytest.mark.parametrize("form", FORMATS)
@given(log=logs())
@settings(deadline=None, derandomize=True, max_examples=150)
def test_a_log_that_is_written_and_read_is_equal(form: WrittenFormat, log: Log) -> None:
    if not log.cases and form == "jsonl":
        return  # no line at all: no log
    assert read_log(written(log, form), LogOptions(fast=False)) == log


@given(log=logs(empty_cases=True))
@settings(deadline=None, derandomize=True, max_examples=100)
def test_xes_keeps_cases_without_events(log: Log) -> None:
    assert read_log(written(log, "xes")) == log


@given(log=logs(), form=st.sampled_from(FORMATS))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_a_packed_log_is_the_log(log: Log, form: WrittenFormat) -> None:
    if log.cases:
        assert read_log(gzip.compress(written(log, form))) == log


@given(log=logs(), encoding=st.sampled_from(["utf-16", "utf-8-sig"]))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_a_byte_order_mark_says_the_encoding(log: Log, encoding: str) -> None:
    assert read_log("".join(write_log(log, "csv")).encode(encoding)) == log
