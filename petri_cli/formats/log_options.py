"""What a reader of event logs may be told, and which column of a table is which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Literal

from petri_cli.errors import InputError, Position, Problem

Lifecycle = Literal["events", "pairs"]
"""``events``: every event is an occurrence of its activity; ``pairs``: a ``start`` and the ``complete`` that follows it
are one occurrence, and nothing but ``complete`` counts."""


@dataclass(frozen=True, slots=True)
class Columns:
    """Names of columns (in XES: keys of attributes); None is to be guessed from the header. ``timestamp`` is when an
    event ended, ``outcome`` whether it succeeded."""

    case: str | None = None
    activity: str | None = None
    timestamp: str | None = None
    start: str | None = None
    resource: str | None = None
    lifecycle: str | None = None
    outcome: str | None = None

    def named(self) -> dict[str, str]:
        """Role → column, for those that there are."""
        return {f.name: value for f in fields(self) if (value := getattr(self, f.name)) is not None}


@dataclass(frozen=True, slots=True)
class LogOptions:
    """How to read a log.

    classifier: name of one of the log's own classifiers, or keys of attributes, separated by spaces (XES); encoding:
    of text (default: by byte order mark, else UTF-8); time_format: as ``strptime`` has it; strict: one bad event
    refuses the log; times: keep times and resources; fast: read with Polars (None: where it is installed and the log is
    large; False: never).
    """

    columns: Columns = Columns()
    classifier: str | None = None
    encoding: str | None = None
    time_format: str | None = None
    strict: bool = False
    times: bool = True
    lifecycle: Lifecycle = "events"
    fast: bool | None = None


_KNOWN: Mapping[str, Sequence[str]] = {
    "case": ("case id", "case concept name", "case", "caseid", "case key", "trace id", "trace", "case name",
             "case number", "process instance", "process instance id", "session", "session id"),
    "activity": ("activity", "concept name", "activity name", "activity id", "task", "task name", "event name", "event",
                 "action", "step", "activity key"),
    "timestamp": ("time timestamp", "timestamp", "complete timestamp", "end timestamp", "completed at", "end time",
                  "completion time", "complete time", "ended", "ended at", "end", "end ns", "end date", "finished at",
                  "time", "datetime", "date time", "event time", "date", "at", "when", "ts",
                  "occurred at", "logged at"),
    "start": ("start timestamp", "start time", "started", "started at", "start", "start ns", "start date", "began",
              "begin", "begin time"),
    "resource": ("org resource", "resource", "user", "agent", "worker", "performer", "originator", "actor"),
    "lifecycle": ("lifecycle transition", "lifecycle", "transition", "event type"),
    "outcome": ("outcome", "conclusion"),
}  # fmt: skip
"""Names that columns have in the wild, the surest first; compared in lower case, words apart."""

_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[\W_]+")


def guess_columns(header: Iterable[str], told: Columns) -> Columns:
    """``told``, completed from the names in the header. What is told and not there is left as it is."""
    names = list(header)
    plain: dict[str, str] = {}
    for name in names:
        plain.setdefault(" ".join(_WORDS.sub(" ", name).split()).lower(), name)
    taken = set(told.named().values())
    found: dict[str, str] = {}
    for role, known in _KNOWN.items():
        if getattr(told, role) is None:
            match = next((plain[k] for k in known if plain.get(k, "") not in ("", *taken)), None)
            if match is not None:
                found[role] = match
                taken.add(match)
    columns = replace(told, **found)
    if columns.timestamp is None and columns.start is not None:
        columns = replace(columns, timestamp=columns.start, start=None)
    return columns


def columns_of(header: Sequence[str], told: Columns, file: str, line: int = 1) -> Columns:
    """The columns of a table. Raises InputError ``PETRI_LOG_COLUMNS`` for one that is needed or told, and not there."""
    columns = guess_columns(header, told)
    shown = ", ".join(f"`{name}`" for name in header[:12]) + (", …" if len(header) > 12 else "")
    shown = f"the columns are {shown}" if header else "the first lines name no column at all"
    problems = []
    for role, name in columns.named().items():
        if name not in header:
            message = f"there is no column `{name}` for the {role}; {shown}"
            problems.append(
                Problem("PETRI_LOG_COLUMNS", message, Position(file, line, 1), "column names count as written")
            )
        elif header.count(name) > 1:
            message = f"two columns are called `{name}`"
            problems.append(Problem("PETRI_LOG_COLUMNS", message, Position(file, line, 1), "rename one of them"))
    for role in ("case", "activity"):
        if getattr(columns, role) is None:
            message = f"no column looks like the {role}; {shown}"
            problems.append(Problem("PETRI_LOG_COLUMNS", message, Position(file, line, 1), f"say it: --{role} COLUMN"))
    if problems:
        raise InputError(problems)
    return columns


def check_options(options: LogOptions, form: str, file: str) -> None:
    """What is told and cannot be heeded of a log in this format is refused, not passed over. Raises InputError
    ``PETRI_LOG_CLASSIFIER``, ``PETRI_LOG_TIME``."""
    if options.classifier is not None and form != "xes":
        message = "classifiers are of XES logs, and this is none"
        hint = "--activity names the column"
        raise InputError([Problem("PETRI_LOG_CLASSIFIER", message, Position(file), hint)])
    if options.time_format is not None:
        try:
            datetime.strptime("", options.time_format)  # noqa: DTZ007 - only whether it is a format
        except ValueError as error:
            if "bad directive" in str(error) or "stray %" in str(error):
                message = f"`{options.time_format}` is no format of times: {str(error).partition(' in format')[0]}"
                hint = "for example %d.%m.%Y %H:%M:%S"
                raise InputError([Problem("PETRI_LOG_TIME", message, Position(file), hint)]) from None
