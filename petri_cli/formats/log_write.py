"""Event logs as XES (IEEE 1849-2016), CSV (RFC 4180) or JSON lines; what is written is read as an equal log.

Cases come in the order of the log, events in the order of their case, times as UTC. A begin is written into the event
that ends, as ``start_timestamp``, so that a tool which knows nothing of it sees the same variants.
"""

from __future__ import annotations

import csv
import io
import json
import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from petri_cli.formats.log_times import UNKNOWN, written
from petri_cli.formats.xes_header import NAME, OUTCOME, RESOURCE, START, TIME
from petri_cli.formats.xes_tokens import EXACT, escaped
from petri_cli.mining.log import NONE, Log

WrittenFormat = Literal["xes", "csv", "jsonl"]

_ROWS = 5_000
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML 1.0 document may hold, however they are written."""


@dataclass(frozen=True, slots=True)
class Row:
    """An event; "" is a value that is not known."""

    case: str
    activity: str
    began: str
    ended: str
    resource: str
    outcome: str


def write_log(log: Log, form: WrittenFormat) -> Iterator[str]:
    """The text of a log, in pieces, for a file in UTF-8 whose line ends are left alone (``newline=""``).

    Attributes of the log as a whole are kept by XES only, and so are cases without events.
    """
    match form:
        case "xes":
            return _xes(log)
        case "csv":
            return _csv(log)
        case "jsonl":
            return _jsonl(log)


def cases_of(log: Log) -> Iterator[tuple[str, list[Row]]]:
    """Cases, each with its events."""
    names, times, k = log.activities, log.times, 0
    ids = log.cases or [str(k) for k in range(1, log.n_cases + 1)]
    which: Iterable[int] = log.variant_of
    if not log.variant_of:
        which = [v for v, count in enumerate(log.counts) for _ in range(count)]

    def when(ticks: int) -> str:
        return "" if ticks == UNKNOWN else written(ticks)

    for case, variant in zip(ids, which, strict=True):
        rows = []
        for a in log.variants[variant]:
            ended = began = resource = outcome = ""
            if times is not None:
                ended = when(times.ended[k])
                began = when(times.began[k]) if times.began is not None else ""
                resource = _name(times.resource, times.resources, k)
                outcome = _name(times.outcome, times.outcomes, k)
            rows.append(Row(case, names[a], began, ended, resource, outcome))
            k += 1
        yield case, rows


def _name(codes: array[int] | None, names: Sequence[str], k: int) -> str:
    return names[codes[k]] if codes is not None and codes[k] != NONE else ""


def _columns(log: Log) -> list[tuple[str, str]]:
    """Name and field of the columns that the log has."""
    times = log.times
    columns = [("case_id", "case"), ("activity", "activity")]
    if times is not None and times.began is not None:
        columns.append(("start_timestamp", "began"))
    if times is not None:
        columns.append(("timestamp", "ended"))
    if times is not None and times.resource is not None:
        columns.append(("resource", "resource"))
    if times is not None and times.outcome is not None:
        columns.append((OUTCOME, "outcome"))
    return columns


def _csv(log: Log) -> Iterator[str]:
    columns = _columns(log)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([name for name, _ in columns])
    written_rows = 0
    for _, rows in cases_of(log):
        writer.writerows([[getattr(row, part) for _, part in columns] for row in rows])
        written_rows += len(rows)
        if written_rows >= _ROWS:
            yield text.getvalue()
            text.seek(0)
            text.truncate()
            written_rows = 0
    yield text.getvalue()


def _jsonl(log: Log) -> Iterator[str]:
    columns = [("case" if name == "case_id" else name, part) for name, part in _columns(log)]
    for _, rows in cases_of(log):
        lines = []
        for row in rows:
            cells = {name: getattr(row, part) or None for name, part in columns}
            lines.append(json.dumps(cells, ensure_ascii=False) + "\n")
        yield "".join(lines)


_XES_BEGIN = """\
<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1849.2016" xes.features="nested-attributes" xmlns="http://www.xes-standard.org/">
\t<extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
\t<extension name="Time" prefix="time" uri="http://www.xes-standard.org/time.xesext"/>
\t<extension name="Organizational" prefix="org" uri="http://www.xes-standard.org/org.xesext"/>
\t<global scope="trace">
\t\t<string key="concept:name" value="UNKNOWN"/>
\t</global>
\t<global scope="event">
\t\t<string key="concept:name" value="UNKNOWN"/>
\t</global>
\t<classifier name="Activity" keys="concept:name"/>
"""


def _xes(log: Log) -> Iterator[str]:
    yield _XES_BEGIN
    yield "".join([_attribute("\t", "string", key, value) for key, value in log.attributes.items()])
    for case, rows in cases_of(log):
        parts = ["\t<trace>\n", _attribute("\t\t", "string", NAME, case)]
        for row in rows:
            parts += ["\t\t<event>\n", _attribute("\t\t\t", "string", NAME, row.activity)]
            if row.began:
                parts.append(_attribute("\t\t\t", "date", START, row.began))
            if row.ended:
                parts.append(_attribute("\t\t\t", "date", TIME, row.ended))
            if row.resource:
                parts.append(_attribute("\t\t\t", "string", RESOURCE, row.resource))
            if row.outcome:
                parts.append(_attribute("\t\t\t", "string", OUTCOME, row.outcome))
            parts.append("\t\t</event>\n")
        parts.append("\t</trace>\n")
        yield "".join(parts)
    yield "</log>\n"


def _attribute(indent: str, kind: str, key: str, value: str) -> str:
    if _NO_XML.search(value) is None:
        return f'{indent}<{kind} key="{escaped(key)}" value="{escaped(value)}"/>\n'
    shown, exact = escaped(_NO_XML.sub("\ufffd", value)), escaped(json.dumps(value))
    return (
        f'{indent}<{kind} key="{escaped(key)}" value="{shown}">\n'
        f'{indent}\t<string key="{EXACT}" value="{exact}"/>\n'
        f"{indent}</{kind}>\n"
    )
