"""Event logs as Parquet, with Polars. Columns of any type are read as the text that a CSV file would have of them."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from petri_cli.errors import InputError, PetriError, Position, Problem
from petri_cli.formats.csv_log import Progress
from petri_cli.formats.fast_log import log_of_table
from petri_cli.formats.log_options import Columns, LogOptions, columns_of
from petri_cli.formats.log_source import LogSource
from petri_cli.formats.log_table import Batch, EventTable
from petri_cli.mining.log import Log

if TYPE_CHECKING:
    from polars import DataFrame, Series

_ROWS = 100_000


def read_parquet(source: LogSource, options: LogOptions, progress: Progress | None = None) -> Log:
    """The log in a Parquet file. Raises InputError: PETRI_LOG_POLARS where Polars is missing, PETRI_LOG_FORMAT for a
    damaged file, and as for CSV: PETRI_LOG_COLUMNS, PETRI_LOG_TIME, PETRI_LOG_EVENT (strict; the line is the row)."""
    try:
        import polars
        from polars.exceptions import PolarsError
    except ImportError:
        hint = "pip install 'petri-cli[fast]', or write the log as CSV"
        raise PetriError(
            "PETRI_LOG_POLARS", "Parquet is read with Polars", where=Position(source.name), hint=hint
        ) from None
    try:
        table = polars.scan_parquet(_stored(source))
        header = table.collect_schema().names()
        columns = columns_of(header, options.columns, source.name)
        table = table.select(list(dict.fromkeys(columns.named().values())))
        found = log_of_table(table, columns, options) if options.fast is not False and not columns.outcome else None
        return found if found is not None else _slowly(table.collect(), columns, source.name, options, progress)
    except (PolarsError, OSError) as error:
        message = f"the Parquet file cannot be read: {str(error).splitlines()[0]}"
        hint = "write it again; it may be cut off"
        raise InputError([Problem("PETRI_LOG_FORMAT", message, Position(source.name), hint)]) from None


def _stored(source: LogSource) -> Path | io.BytesIO:
    """The file itself, of which only the columns that are wanted are read, or what was packed."""
    if source.path is not None and not source.packed:
        return source.path
    with source.stream() as stream:
        return io.BytesIO(stream.read())


def _slowly(frame: DataFrame, columns: Columns, file: str, options: LogOptions, progress: Progress | None) -> Log:
    """By way of text, as any table."""
    table = EventTable(file, options)
    for begin in range(0, frame.height, _ROWS):
        part = frame.slice(begin, _ROWS)
        cells = {role: _texts(part[name]) for role, name in columns.named().items()}

        def line_of(k: int, begin: int = begin) -> int:
            return begin + k + 1

        table.add(Batch.of(cells, line_of))
        if progress is not None:
            progress(len(table.activity))
    return table.log(columns=columns.named())


def _texts(column: Series) -> list[str]:
    import polars

    if isinstance(column.dtype, polars.Datetime):
        zone = column.dtype.time_zone
        utc = column if zone is None else column.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        column = utc.cast(polars.Datetime("us")).dt.strftime("%Y-%m-%dT%H:%M:%S%.6f")
    return column.cast(polars.String).fill_null("").to_list()
