"""The same logs sooner, with Polars. Whatever is not entirely regular is left to the standard library's way, so that
there is one answer and not two: a function here returns None for a table that has anything to complain of."""

from __future__ import annotations

import re
from array import array
from itertools import accumulate
from typing import TYPE_CHECKING

from petri_cli.formats.csv_log import delimiter_of, header_of
from petri_cli.formats.log_events import Events, collapse, times_of
from petri_cli.formats.log_options import Columns, LogOptions, columns_of
from petri_cli.formats.log_source import CHUNK, LogSource
from petri_cli.formats.log_times import UNKNOWN, zone_ticks
from petri_cli.mining.log import Log

if TYPE_CHECKING:
    from polars import DataFrame, Expr, LazyFrame, Series

WORTH_IT = 1 << 23
"""Bytes from which on a table is read with Polars, which takes a tenth of a second to come up."""

_PIECE = 1 << 19

_TIME = re.compile(r"\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)?", re.ASCII)


def read_csv_fast(source: LogSource, options: LogOptions) -> Log | None:
    """The log in a file of comma-separated values. Raises InputError PETRI_LOG_COLUMNS."""
    if source.path is None or not source.size or source.encoding(options.encoding) != "utf-8" or not _plain(source):
        return None
    import polars
    from polars.exceptions import PolarsError

    with source.stream() as stream:
        first = stream.readline().decode("utf-8", "replace")
    delimiter = delimiter_of(first, options.columns)
    header = header_of(first, delimiter)
    columns = columns_of(header, options.columns, source.name)
    if len(set(header)) < len(header) or "" in header:
        return None
    try:
        table = polars.scan_csv(
            source.path, separator=delimiter, quote_char=None, infer_schema=False, new_columns=header
        )
        return log_of_table(table, columns, options, header[-1])
    except PolarsError:
        return None


def _plain(source: LogSource) -> bool:
    """Whether the table has no quotes and no line breaks of old, of which readers think differently."""
    held = b""
    with source.stream() as stream:
        while chunk := stream.read(CHUNK):
            if b'"' in chunk or b"\0" in chunk:
                return False
            chunk = held + chunk
            held = b"\r" if chunk.endswith(b"\r") else b""
            if b"\r" in chunk and chunk.count(b"\r") - len(held) != chunk.count(b"\r\n"):
                return False
    return not held


def log_of_table(table: LazyFrame, columns: Columns, options: LogOptions, full: str | None = None) -> Log | None:
    """The log in the columns of a table; None where an event would have to be dropped, paired or warned of.

    full: a column that tells a row that is too short by being empty. Raises polars.exceptions.PolarsError for a table
    that cannot be read.
    """
    import polars as pl

    named = columns.named()
    sample = table.head(1).collect()
    if options.time_format is not None or not sample.height:
        return None
    wanted = [
        pl.col(full or named["case"]).is_null().alias("short"),
        pl.col(named["case"]).cast(pl.String).alias("case"),
    ]
    for role, name in named.items():
        if role in ("timestamp", "start"):
            ticks = _ticks(sample[name], role)
            if not ticks:
                return None
            wanted += ticks
        elif role != "case":
            text = pl.col(name).cast(pl.String).fill_null("")
            wanted.append((text.str.to_lowercase() if role == "lifecycle" else text).cast(pl.Categorical).alias(role))
    frame = table.select(wanted).collect(engine="streaming")
    if not _regular(frame):
        return None
    zoned = _without_zones(frame)
    return None if zoned is None else _collapsed(_ordered(zoned), columns, options)


def _regular(frame: DataFrame) -> bool:
    """Whether every event has a case, an activity and its times, and counts for itself."""
    if frame["short"].any() or frame["case"].null_count() or (frame["case"] == "").any():
        return False
    if any(frame[role].null_count() for role in ("timestamp", "start") if role in frame.columns):
        return False
    if "" in _names(frame["activity"]).values():
        return False
    return "lifecycle" not in frame.columns or not {"start", "complete"} <= set(_names(frame["lifecycle"]).values())


def _names(column: Series) -> dict[int, str]:
    """Code → name of what a column holds."""
    import polars as pl

    held = column.unique()
    return dict(zip(held.to_physical().to_list(), held.cast(pl.String).to_list(), strict=True))


def _ticks(sample: Series, role: str) -> list[Expr]:
    """Microseconds since 1970, null for a timestamp that is not written like the first one, and the zones to take off;
    nothing for a column with timestamps of another kind than ISO 8601."""
    import polars as pl

    column = pl.col(sample.name)
    if isinstance(sample.dtype, pl.Datetime):
        return [column.dt.epoch("us").alias(role)]
    match = _TIME.fullmatch(sample[0] or "") if sample.dtype == pl.String else None
    if match is None:
        return []
    mark, digits = match[1], len(match[2] or ".") - 1
    shape = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{mark}[0-9]{{2}}:[0-9]{{2}}:[0-5][0-9]"
    shape += rf"\.[0-9]{{{digits}}}" * bool(digits) + "(Z|[+-][0-9]{2}:[0-9]{2})?$"
    ticks = (
        column.str.slice(0, 19).str.to_datetime(f"%Y-%m-%d{mark}%H:%M:%S", time_unit="us", strict=False).dt.epoch("us")
    )
    if digits:
        exact = min(digits, 6)
        ticks += column.str.slice(20, exact).cast(pl.Int64, strict=False) * 10 ** (6 - exact)
    zone = column.str.slice(20 + digits if digits else 19).cast(pl.Categorical)
    return [pl.when(column.str.contains(shape)).then(ticks).alias(role), zone.alias(f"{role} zone")]


def _without_zones(frame: DataFrame) -> DataFrame | None:
    """Ticks in UTC; None for a zone that is none."""
    import polars as pl

    for role in ("timestamp", "start"):
        if f"{role} zone" in frame.columns:
            zones = _names(frame[f"{role} zone"])
            try:
                offsets = {code: zone_ticks(zone) for code, zone in zones.items()}
            except ValueError:
                return None
            if any(offsets.values()):
                code = pl.col(f"{role} zone").to_physical().cast(pl.Int64)
                frame = frame.with_columns(pl.col(role) + code.replace_strict(offsets, return_dtype=pl.Int64))
            frame = frame.drop(f"{role} zone")
    return frame


def _ordered(frame: DataFrame) -> DataFrame:
    """Case after case as they come up, within each by time, ties as they were; ``run`` is another number a case."""
    import polars as pl

    frame = frame.with_columns(pl.col("case").rle_id().alias("run"))
    runs = frame["run"][-1] + 1
    timed = "timestamp" in frame.columns
    if frame["case"].n_unique() == runs:
        if not timed:
            return frame
        falls: Expr = (pl.col("timestamp").diff() < 0) & (pl.col("run").diff() == 0)
        if not frame.select(falls.any()).item():
            return frame
    else:
        frame = frame.with_row_index("row").with_columns(pl.col("row").min().over("case").alias("run"))
    return frame.sort(["run", "timestamp"] if timed else ["run"], maintain_order=True)


def _collapsed(frame: DataFrame, columns: Columns, options: LogOptions) -> Log:
    import polars as pl

    names = _names(frame["activity"])
    first = pl.col("run") != pl.col("run").shift(1)
    cases: list[str] = frame.filter(first.fill_null(True))["case"].to_list()
    bounds = array("q", accumulate(frame["run"].rle().struct.field("len").to_list(), initial=0))
    activity, resource, resources = _flat(frame["activity"].to_physical(), "i"), None, [""]
    if "resource" in frame.columns and options.times:
        held = _names(frame["resource"])
        code = {number: k if held[number] else UNKNOWN for k, number in enumerate(held)}
        resources = list(held.values())
        resource = array("i", list(map(code.__getitem__, _flat(frame["resource"].to_physical(), "i"))))
    timed = "timestamp" in frame.columns and options.times
    ended = _flat(frame["timestamp"], "q") if timed else array("q", [UNKNOWN]) * frame.height
    began = _flat(frame["start"], "q") if "start" in frame.columns and options.times else None
    events = Events(len(cases), array("i"), activity, ended, began, resource, None, bounds)
    found = collapse(events)
    return Log(
        tuple([names[a] for a in found.activities]), found.variants, found.counts, tuple(cases), found.variant_of,
        times_of(events, resources) if options.times else None, columns=columns.named(),
    )  # fmt: skip


def _flat(column: Series, kind: str) -> array[int]:
    """Piece by piece, since a list of Python's integers is large."""
    flat = array(kind)
    for begin in range(0, len(column), _PIECE):
        flat += array(kind, column.slice(begin, _PIECE).to_list())
    return flat
