"""Event logs as Parquet."""

from __future__ import annotations

from petri_cli.formats.csv_log import Progress
from petri_cli.formats.log_options import LogOptions
from petri_cli.formats.log_source import LogSource
from petri_cli.mining.log import Log


def read_parquet(source: LogSource, options: LogOptions, progress: Progress | None = None) -> Log:
    raise NotImplementedError
