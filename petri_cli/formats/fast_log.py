"""The same logs sooner, with Polars. Whatever is not entirely regular is left to the standard library's way, so that
there is one answer and not two: a function here returns None for a table that has anything to complain of."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

from petri_cli.formats.arrow_column import numbers
from petri_cli.formats.csv_log import delimiter_of, header_of
from petri_cli.formats.log_events import Events, collapse
from petri_cli.formats.log_options import Columns, LogOptions, columns_of
from petri_cli.formats.log_source import CHUNK, LogSource
from petri_cli.formats.log_times import UNKNOWN, zone_ticks
from petri_cli.mining.log import NONE, Log, Times

if TYPE_CHECKING:
    from polars import DataFrame, Expr, LazyFrame, Series

WORTH_IT = 1 << 23
"""Bytes from which on a table is read with Polars, which takes a tenth of a second to come up."""

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
    return None if zoned is None or _late(zoned) else _collapsed(*_ordered(zoned), columns, options)


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

    held = column.unique(maintain_order=True)
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
        column.str.slice(0, 19)
        .str.to_datetime(f"%Y-%m-%d{mark}%H:%M:%S", time_unit="us", strict=False, cache=False)
        .dt.epoch("us")
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


def _late(frame: DataFrame) -> bool:
    """Whether an event begins after it ends."""
    return {"start", "timestamp"} <= set(frame.columns) and bool((frame["start"] > frame["timestamp"]).any())


def _ordered(frame: DataFrame) -> tuple[DataFrame, Series]:
    """Case after case as they come up, within each by time, ties as they were; and the first row of each case."""
    import polars as pl

    begins = (pl.col("case") != pl.col("case").shift(1)).fill_null(True).alias("begins")
    timed = "timestamp" in frame.columns
    firsts = frame.select(begins)["begins"]
    if frame["case"].filter(firsts).n_unique() == firsts.sum():
        falls = pl.col("timestamp").diff() < 0
        if not timed or not frame.filter(~firsts & frame.select(falls.fill_null(False)).to_series()).height:
            return frame, firsts.arg_true()
        frame = frame.with_columns(firsts.cast(pl.Int64).cum_sum().alias("run"))
    else:
        frame = frame.with_row_index("row").with_columns(pl.col("row").min().over("case").alias("run"))
    by = ["run", "timestamp"] if timed else ["run"]
    frame = frame.sort(by, maintain_order=True)
    return frame, frame.select(begins)["begins"].arg_true()


def _collapsed(frame: DataFrame, begins: Series, columns: Columns, options: LogOptions) -> Log:
    import polars as pl

    names = _names(frame["activity"])
    cases: list[str] = frame["case"].gather(begins).to_list()
    bounds = numbers(begins.cast(pl.Int64))
    bounds.append(frame.height)
    activity = numbers(frame["activity"].to_physical().cast(pl.Int32))
    found = collapse(Events(len(cases), array("i"), activity, array("q"), None, None, None, bounds))
    return Log(
        tuple([names[a] for a in found.activities]), found.variants, found.counts, tuple(cases), found.variant_of,
        _times(frame) if options.times else None, columns=columns.named(),
    )  # fmt: skip


def _times(frame: DataFrame) -> Times | None:
    """What :func:`petri_cli.formats.log_events.times_of` tells; None where nothing at all is known."""
    import polars as pl

    ended = began = who = None
    names: tuple[str, ...] = ()
    if "timestamp" in frame.columns and (frame["timestamp"] != UNKNOWN).any():
        ended = numbers(frame["timestamp"])
    if "start" in frame.columns and (frame["start"] != UNKNOWN).any():
        began = numbers(frame["start"])
    if "resource" in frame.columns:
        held = _names(frame["resource"])
        code = {number: NONE if not name else 0 for number, name in held.items()}
        known = [number for number in held if code[number] != NONE]
        names = tuple([held[number] for number in known])
        code |= {number: k for k, number in enumerate(known)}
        if names:
            who = numbers(frame["resource"].to_physical().replace_strict(code, return_dtype=pl.Int32))
    if ended is None and began is None and who is None:
        return None
    return Times(ended if ended is not None else array("q", [UNKNOWN]) * frame.height, began, who, names)
