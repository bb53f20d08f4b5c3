"""Event logs as tables of text: comma, semicolon, tab or bar between the columns.

Every cell is text and stays what it is: ``007`` is not ``7``, and ``NA`` is a name. RFC 4180 quoting.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from typing import Protocol

from petri_cli.errors import InputError, Position, Problem
from petri_cli.formats.log_options import Columns, LogOptions, columns_of, guess_columns
from petri_cli.formats.log_source import LogSource
from petri_cli.formats.log_table import Batch, EventTable
from petri_cli.mining.log import Log

DELIMITERS = ",;\t|"
_ROWS = 20_000
_LARGEST_CELL = 1 << 24
"""Characters. The module's own limit of 131,072 is less than a program may write into a column of its log."""

_LINE_END = re.compile(r"\r\n|\r|\n")


class Rows(Protocol):
    """A reader of the csv module, and how many lines it took."""

    line_num: int

    def __iter__(self) -> Iterator[list[str]]: ...
    def __next__(self) -> list[str]: ...


Progress = Callable[[int], None]
"""Told how many events were read so far."""


def read_csv(source: LogSource, options: LogOptions, progress: Progress | None = None) -> Log:
    """The log in a table. Raises InputError: PETRI_LOG_COLUMNS, PETRI_LOG_ENCODING, PETRI_LOG_TIME, PETRI_LOG_CSV,
    PETRI_LOG_EVENT (strict)."""
    encoding = source.encoding(options.encoding)
    limit = csv.field_size_limit(_LARGEST_CELL)
    try:
        with source.stream() as stream, io.TextIOWrapper(stream, encoding, newline="") as text:
            return _read(text, source.name, options, progress)
    except UnicodeError:
        raise source.not_text(encoding) from None
    finally:
        csv.field_size_limit(limit)


def _read(text: io.TextIOWrapper, file: str, options: LogOptions, progress: Progress | None) -> Log:
    first = text.readline()
    delimiter = delimiter_of(first, options.columns)
    rows = csv.reader(chain([first], text), delimiter=delimiter)
    header = [name.strip() for name in next(_batches(rows, file, 1), [[]])[0]]
    columns = columns_of(header, options.columns, file)
    index = {role: header.index(name) for role, name in columns.named().items()}
    table = EventTable(file, options)
    line = rows.line_num + 1
    for batch in _batches(rows, file):
        _add(table, batch, index, line, len(header))
        line = rows.line_num + 1
        if progress is not None:
            progress(len(table.activity))
    return table.log(columns=columns.named())


def delimiter_of(header: str, told: Columns) -> str:
    """The delimiter with which the header names most of what a log needs, then the one with most columns."""

    def worth(delimiter: str) -> tuple[int, int]:
        names = header_of(header, delimiter)
        columns = guess_columns(names, told)
        return sum(name in names for name in columns.named().values()), len(names)

    return max(DELIMITERS, key=worth)


def header_of(line: str, delimiter: str) -> list[str]:
    """Names of columns, without blanks around them; none for a line that is no table's."""
    try:
        return [name.strip() for name in next(csv.reader([line], delimiter=delimiter), [])]
    except csv.Error:
        return []


def _batches(rows: Rows, file: str, size: int = _ROWS) -> Iterator[list[list[str]]]:
    while True:
        try:
            batch = list(islice(rows, size))
        except csv.Error as error:
            line = max(rows.line_num, 1)
            message = f"the table cannot be read from here: {error}"
            hint = "a quote may not be closed"
            raise InputError([Problem("PETRI_LOG_CSV", message, Position(file, line, 1), hint)]) from None
        if not batch:
            return
        yield batch


def _lines(rows: Sequence[Sequence[str]]) -> int:
    """Lines that rows take in the file: a quoted cell may hold breaks."""
    return len(rows) + sum(len(_LINE_END.findall(cell)) for row in rows for cell in row if "\n" in cell or "\r" in cell)


def _add(table: EventTable, rows: list[list[str]], index: dict[str, int], line: int, width: int) -> None:
    def line_of(k: int) -> int:
        return line + _lines(rows[:k])

    whole = rows
    if set(map(len, rows)) != {width}:
        for k, row in enumerate(rows):
            if row and len(row) != width:
                table.drop(
                    "cells", f"the row has {len(row)} cells, not {width}", line_of(k), "look for an unquoted delimiter"
                )
        numbers = [k for k, row in enumerate(rows) if len(row) == width]
        whole = [rows[k] for k in numbers]

        def line_of(k: int) -> int:
            return line + _lines(rows[: numbers[k]])

    if not whole:
        return
    cells = {role: [row[i] for row in whole] for role, i in index.items()}
    table.add(Batch.of(cells, line_of))
