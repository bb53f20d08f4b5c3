"""The same logs sooner, with Polars. Whatever is not entirely regular is left to the standard library's way, so that
there is one answer and not two: a function here returns None for a table that has anything to complain of."""

from __future__ import annotations

import re
from array import array
from typing import TYPE_CHECKING

from petri_cli.formats.csv_log import delimiter_of, header_of
from petri_cli.formats.log_options import Columns, LogOptions, columns_of
from petri_cli.formats.log_source import CHUNK, LogSource
from petri_cli.formats.log_times import UNKNOWN
from petri_cli.mining.log import Log, Times, Trace

if TYPE_CHECKING:
    from polars import DataFrame, Expr, Series

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
    wanted = list(dict.fromkeys([*columns.named().values(), header[-1]]))
    try:
        frame = (
            polars.scan_csv(source.path, separator=delimiter, quote_char=None, infer_schema=False, new_columns=header)
            .select(wanted)
            .collect()
        )
        if frame[header[-1]].null_count():
            return None  # cells that are empty, or rows that are too short
        return log_of_frame(frame, columns, options)
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
            if chunk.count(b"\r") - len(held) != chunk.count(b"\r\n"):
                return False
    return not held


def log_of_frame(frame: DataFrame, columns: Columns, options: LogOptions) -> Log | None:
    """The log in the columns of a frame; None where an event would have to be dropped, paired or warned of."""
    import polars as pl

    if options.time_format is not None or not frame.height:
        return None
    named = columns.named()
    series: dict[str, Series] = {}
    for role, name in named.items():
        column = frame[name]
        if role in ("timestamp", "start"):
            ticks = _ticks(column)
            if ticks is None:
                return None
            series[role] = ticks
        else:
            series[role] = column.cast(pl.String).fill_null("")
    if (series["case"] == "").any() or (series["activity"] == "").any():
        return None
    if "lifecycle" in series and {"start", "complete"} <= set(series["lifecycle"].str.to_lowercase().unique()):
        return None
    ordered = _ordered(pl.DataFrame(series))
    return _collapsed(ordered, columns, options)


def _ticks(column: Series) -> Series | None:
    """Microseconds since 1970; None for a column with other timestamps than ISO 8601 of one form, or with holes."""
    import polars as pl

    if column.null_count():
        return None
    if column.dtype == pl.Datetime:
        return column.dt.epoch("us")
    if column.dtype != pl.String or (match := _TIME.fullmatch(column[0])) is None:
        return None
    mark, fraction, zone = match.groups()
    tail = {None: "", "Z": "Z"}.get(zone, r"[+-]\d\d:\d\d")
    pattern = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}{mark}[0-9]{{2}}:[0-9]{{2}}:[0-5][0-9]"
    pattern += (r"\.[0-9]{1,9}" if fraction else "") + tail.replace(r"\d", "[0-9]") + "$"
    if not column.str.contains(pattern).all():
        return None
    form = f"%Y-%m-%d{mark}%H:%M:%S" + ("%.f" if fraction else "") + {None: "", "Z": "Z"}.get(zone, "%:z")
    when = column.str.to_datetime(form, time_unit="us", strict=False)
    return None if when.null_count() else when.dt.epoch("us")


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


def _collapsed(frame: DataFrame, columns: Columns, options: LogOptions) -> Log | None:
    import polars as pl

    names = frame["activity"].unique(maintain_order=True)
    if len(names) > 1_000_000:
        return None
    signs = [chr(k + 1 if k < 0xD7FF else k + 0x801) for k in range(len(names))]
    sign = pl.col("activity").replace_strict(names, pl.Series(signs), return_dtype=pl.String)
    cases = frame.group_by("run", maintain_order=True).agg(pl.col("case").first(), sign.str.join(""))
    seen: dict[str, int] = {}
    counts: list[int] = []
    variant_of: list[int] = []
    for text in cases["activity"].to_list():
        k = seen.setdefault(text, len(counts))
        if k == len(counts):
            counts.append(0)
        counts[k] += 1
        variant_of.append(k)
    code: dict[str, int] = {}
    variants: list[Trace] = [tuple([code.setdefault(s, len(code)) for s in text]) for text in seen]
    name_of = dict(zip(signs, names.to_list(), strict=True))
    activities = tuple([name_of[s] for s in code])
    times = _times(frame) if options.times else None
    return Log(
        activities, tuple(variants), tuple(counts), tuple(cases["case"].to_list()), variant_of, times,
        columns=columns.named(),
    )  # fmt: skip


def _times(frame: DataFrame) -> Times | None:
    import polars as pl

    def ticks(role: str) -> array[int] | None:
        return array("q", frame[role].to_list()) if role in frame.columns else None

    names: tuple[str, ...] = ()
    codes: array[int] | None = None
    if "resource" in frame.columns:
        known = [name for name in frame["resource"].unique(maintain_order=True).to_list() if name]
        if known:
            names = tuple(known)
            numbers = frame["resource"].replace_strict(
                known, list(range(len(known))), default=UNKNOWN, return_dtype=pl.Int32
            )
            codes = array("i", numbers.to_list())
    ended, began = ticks("timestamp"), ticks("start")
    if ended is None and codes is None and began is None:
        return None
    return Times(ended if ended is not None else array("q", [UNKNOWN]) * frame.height, began, codes, names)
