"""Event logs as JSON lines: an object an event (``{"case": …, "activity": …, "timestamp": …}``), or a session's log.

Values are text as they are written: ``7``, ``"7"`` and ``"007"`` are two cases, not one and not three.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from petri_cli.errors import PetriError, Position
from petri_cli.formats.csv_log import Progress
from petri_cli.formats.log_options import LogOptions, columns_of
from petri_cli.formats.log_source import LogSource
from petri_cli.formats.log_table import Batch, EventTable
from petri_cli.mining.log import Log

_LINES = 20_000
_HEADER = 100
"""Lines whose keys are looked at to find out what is what."""

_HALVES = range(0xD800, 0xE000)


def read_jsonl(source: LogSource, options: LogOptions, progress: Progress | None = None) -> Log:
    """The log in a file of JSON lines. Raises InputError: PETRI_LOG_COLUMNS, PETRI_LOG_ENCODING, PETRI_LOG_TIME,
    PETRI_LOG_EVENT (strict), PETRI_BAD_LOG (of a session)."""
    encoding = source.encoding(options.encoding)
    try:
        with source.stream() as stream, io.TextIOWrapper(stream, encoding, newline="\n") as text:
            head = list(islice(text, _HEADER))
            if _is_session(head):
                return _session(_lines(head, text), source.name, options)
            return _events(_lines(head, text), head, source.name, options, progress)
    except UnicodeError:
        raise source.not_text(encoding) from None


def _lines(head: list[str], text: io.TextIOWrapper) -> Iterator[str]:
    yield from head
    yield from text


def _value(line: str) -> dict[str, Any] | None:
    """The object of a line, its numbers as text; None for what is none."""
    try:
        value = json.loads(line, parse_int=str, parse_float=str, parse_constant=str)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _text(value: object) -> str:
    """A cell; "" for what is missing. Raises ValueError for what is no text, number or truth value."""
    if isinstance(value, str):
        if not value.isascii() and any(ord(c) in _HALVES for c in value):
            raise ValueError("half a character")
        return value
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    raise ValueError("no text")


def _events(lines: Iterator[str], head: list[str], file: str, options: LogOptions, progress: Progress | None) -> Log:
    keys = dict.fromkeys(key for line in head for key in _value(line) or ())
    columns = columns_of(list(keys), options.columns, file)
    named = columns.named()
    table = EventTable(file, options)
    first = 1
    while batch := list(islice(lines, _LINES)):
        cells: dict[str, list[str]] = {role: [] for role in named}
        numbers: list[int] = []
        for number, line in enumerate(batch, first):
            _take(table, line, number, named, cells, numbers)
        first += len(batch)
        if numbers:
            table.add(_batch(cells, numbers))
        if progress is not None:
            progress(len(table.activity))
    return table.log(columns=named)


def _take(
    table: EventTable, line: str, number: int, named: dict[str, str], cells: dict[str, list[str]], numbers: list[int]
) -> None:
    """Add the cells of a line, or drop it."""
    value = _value(line)
    if value is None:
        if not line.isspace():
            table.drop("line", "the line is no JSON object", number, "one object a line")
        return
    try:
        row = [_text(value.get(name)) for name in named.values()]
    except ValueError:
        table.drop("line", "case, activity and the like are text or numbers, and here is something else", number)
        return
    for role, cell in zip(named, row, strict=True):
        cells[role].append(cell)
    numbers.append(number)


def _batch(cells: dict[str, list[str]], numbers: list[int]) -> Batch:
    return Batch.of(cells, numbers.__getitem__)


def _is_session(head: list[str]) -> bool:
    from petri_cli.session.events import EVENT_TYPES

    first = _value(head[0]) if head else None
    return first is not None and first.get("type") in EVENT_TYPES and "at" in first


def _session(lines: Iterator[str], file: str, options: LogOptions) -> Log:
    from petri_cli.mining.session_log import session_log
    from petri_cli.session.events import SessionEvent
    from petri_cli.session.payload import decode

    def events() -> Iterator[SessionEvent]:
        for number, line in enumerate(lines, 1):
            if line.isspace():
                continue
            try:
                yield decode(line)
            except PetriError as error:
                hint = error.hint or "the log of a session is read whole or not at all"
                raise PetriError(error.code, error.message, where=Position(file, number, 1), hint=hint) from None

    log = session_log(events())
    return log if options.times else replace(log, times=None)
