"""Event logs from files: what a file holds is seen in its first bytes, not in its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from petri_cli.document.collector import collector_paused
from petri_cli.document.source import is_given, open_file
from petri_cli.errors import InputError, Position, Problem
from petri_cli.formats.csv_log import Progress, delimiter_of, header_of, read_csv
from petri_cli.formats.log_options import Columns, Lifecycle, LogOptions, check_options, guess_columns
from petri_cli.formats.log_source import LogSource
from petri_cli.mining.log import Log

_PLAIN = LogOptions()

LogFormat = Literal["xes", "csv", "jsonl", "parquet"]

__all__ = ["Columns", "Lifecycle", "LogFormat", "LogOptions", "format_of", "read_log"]


def read_log(
    source: str | Path | bytes, options: LogOptions = _PLAIN, *, name: str = "", progress: Progress | None = None
) -> Log:
    """The log in a file, or in the bytes of one (then ``name`` is what it is called in messages).

    XES, CSV, JSON lines or Parquet, each plain or packed by gzip. Raises InputError (a PetriError) for what is no log,
    and, where ``options.strict``, for the first bad events: PETRI_LOG_FORMAT, PETRI_LOG_COLUMNS, PETRI_LOG_EVENT,
    PETRI_LOG_TIME, PETRI_LOG_ENCODING, PETRI_LOG_CSV, PETRI_BAD_LOG, PETRI_LOG_GZIP, PETRI_LOG_POLARS,
    PETRI_LOG_CLASSIFIER, PETRI_BAD_XML, PETRI_XML_DTD, PETRI_XML_ENCODING, PETRI_UNREADABLE_FILE.
    """
    if isinstance(source, bytes):
        opened = LogSource(name or "-", data=source)
    elif is_given(source):
        with open_file(source) as stream:
            opened = LogSource(name or str(source), data=stream.read())
    else:
        opened = LogSource(name or str(source), path=Path(source))
    with collector_paused():
        form = format_of(opened, options)
        check_options(options, form, opened.name)
        return _reader(form)(opened, options, progress)


def _reader(form: LogFormat) -> Callable[[LogSource, LogOptions, Progress | None], Log]:
    match form:
        case "xes":
            return _read_xes
        case "csv":
            return _read_table
        case "jsonl":
            from petri_cli.formats.jsonl_log import read_jsonl

            return read_jsonl
        case "parquet":
            from petri_cli.formats.parquet_log import read_parquet

            return read_parquet


def format_of(source: LogSource, options: LogOptions = _PLAIN) -> LogFormat:
    """What the first bytes are. Raises InputError PETRI_LOG_FORMAT."""
    head = source.head()
    if head.startswith(b"PAR1"):
        return "parquet"
    text = head.decode(source.encoding(options.encoding), "replace").lstrip("\ufeff \t\r\n")
    if text.startswith("<"):
        return "xes"
    if text.startswith("{"):
        return "jsonl"
    first = re.split("[\r\n]", text, maxsplit=1)[0]
    if len(header_of(first, delimiter_of(first, options.columns))) > 1:
        return "csv"
    message = (
        "the file is empty" if not text else "the file is no event log: neither XES nor CSV, JSON lines or Parquet"
    )
    hint = "a CSV log begins with a line that names its columns, for example case,activity,timestamp"
    raise InputError([Problem("PETRI_LOG_FORMAT", message, Position(source.name, 1, 1), hint)])


def _with_outcomes(source: LogSource, options: LogOptions) -> bool:
    """Whether a column tells outcomes, which the fast way does not read."""
    text = source.head().decode(source.encoding(options.encoding), "replace").lstrip("\ufeff")
    first = re.split("[\r\n]", text, maxsplit=1)[0]
    return guess_columns(header_of(first, delimiter_of(first, options.columns)), options.columns).outcome is not None


def _read_xes(source: LogSource, options: LogOptions, progress: Progress | None) -> Log:
    from petri_cli.formats.scanned_log import scan_xes
    from petri_cli.formats.xes_read import read_xes

    log = scan_xes(source, options, progress)
    return read_xes(source, options, progress) if log is None else log


def _read_table(source: LogSource, options: LogOptions, progress: Progress | None) -> Log:
    """By the compiled scanner, unless Polars is asked for; with Polars where that is worth it, too, and possible."""
    if options.fast is not True:
        from petri_cli.formats.scanned_log import scan_csv

        log = scan_csv(source, options, progress)
        if log is not None:
            return log
    if options.fast is not False:
        from petri_cli.formats.fast_log import WORTH_IT, read_csv_fast

        wanted = options.fast or source.size >= WORTH_IT
        if wanted and find_spec("polars") is not None and not _with_outcomes(source, options):
            log = read_csv_fast(source, options)
            if log is not None:
                return log
    return read_csv(source, options, progress)
