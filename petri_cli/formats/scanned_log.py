"""The same logs sooner, with the compiled scanners. Whatever is not entirely regular is left to the readers in Python,
so that there is one answer and not two: a function here returns None for a log that has anything to complain of."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from pyexpat import ExpatError, ParserCreate
from typing import TYPE_CHECKING, BinaryIO

from petri_cli.errors import InputError
from petri_cli.formats.csv_log import Progress, delimiter_of, header_of
from petri_cli.formats.log_options import LogOptions, columns_of
from petri_cli.formats.log_source import CHUNK, LogSource
from petri_cli.formats.log_table import Codes, EventTable, phase_of
from petri_cli.formats.log_times import UNKNOWN
from petri_cli.formats.native import binding
from petri_cli.formats.xes_header import NAME, Header, classifier_keys, keys_of, read_header
from petri_cli.formats.xes_read import NO_ELEMENT, encoding_of
from petri_cli.mining.log import Log

if TYPE_CHECKING:
    from petri_cli.formats.native import _scan

_BODY = re.compile(rb"<([\w.-]+:)?(?:trace|event)[\s/>]")
_BOM = b"\xef\xbb\xbf"
_LONGEST_HEADER = 1 << 24
"""Bytes before the first trace. Some logs tell statistics of themselves there."""
_TIMES = ("timestamp", "start")


def scan_csv(source: LogSource, options: LogOptions, progress: Progress | None = None) -> Log | None:
    """The log in a file of comma-separated values."""
    encoding = source.encoding(options.encoding)
    if binding.core is None or options.time_format is not None or encoding not in _UTF8:
        return None
    with source.stream() as stream:
        first = _without_mark(stream.readline(), encoding)
        if b'"' in first or b"\r" in first.removesuffix(b"\n").removesuffix(b"\r"):
            return None
        try:
            line = first.decode("utf-8")
            delimiter = delimiter_of(line, options.columns)
            header = header_of(line, delimiter)
            roles = columns_of(header, options.columns, source.name).named()
        except (UnicodeError, InputError):
            return None
        if len(header) > binding.MOST_CELLS:
            return None
        places = tuple([header.index(name) for name in roles.values()])
        if len(set(places)) < len(places):
            return None
        scanner = binding.core.Scanner(
            _kinds(roles), places, binding.SECRET, UNKNOWN, delimiter=ord(delimiter), width=len(header)
        )
        if not _fed(scanner, b"", stream, progress):
            return None
    table = EventTable(source.name, options)
    _fill(table, scanner, list(roles))
    return None if table.late() else table.log(columns=roles)


_UTF8 = ("utf-8", "utf-8-sig")


def _without_mark(text: bytes, encoding: str) -> bytes:
    return text.removeprefix(_BOM) if encoding == "utf-8-sig" else text


def _kinds(roles: Iterable[str]) -> str:
    return "".join(["N" if role in ("case", "activity") else "t" if role in _TIMES else "n" for role in roles])


def _fed(scanner: _scan.Scanner, begun: bytes, stream: BinaryIO, progress: Progress | None) -> bool:
    """Whether all of it was regular, and there was an event."""
    piece = begun or stream.read(CHUNK)
    while piece:
        if not scanner.feed(piece, False):
            return False
        if progress is not None:
            progress(scanner.events)
        piece = stream.read(CHUNK)
    return scanner.feed(b"", True) and scanner.events > 0


def scan_xes(source: LogSource, options: LogOptions, progress: Progress | None = None) -> Log | None:
    """The log in an XES document. Raises InputError PETRI_XML_ENCODING."""
    if binding.core is None or options.time_format is not None:
        return None
    encoding = encoding_of(source, options.encoding)
    if encoding not in _UTF8:
        return None
    with source.stream() as stream:
        begun = _without_mark(stream.read(CHUNK), encoding)
        body = _BODY.search(begun)
        while body is None and len(begun) < _LONGEST_HEADER and (piece := stream.read(CHUNK)):
            begun += piece
            body = _BODY.search(begun)
        if body is None or body[1]:
            return None
        header = _header(begun[: body.start()], source.name)
        keys = None if header is None else _keys(options, header, source.name)
        if header is None or keys is None:
            return None
        kinds, places = _kinds(keys), tuple([key.encode() for key in keys.values()])
        scanner = binding.core.Scanner(kinds, places, binding.SECRET, UNKNOWN)
        if not _fed(scanner, begun[body.start() :], stream, progress):
            return None
    told = options.columns.named()
    if any(role in told and not scanner.any(k) for k, role in enumerate(keys)):
        return None
    table = EventTable(source.name, options)
    _fill(table, scanner, list(keys))
    return None if table.late() else table.log(header.attributes)


def _header(text: bytes, file: str) -> Header | None:
    """What is said before the first trace, if that ends where an element of the log begins."""
    path: list[str] = []

    def end(_: str) -> None:
        path.pop()

    parser = ParserCreate("utf-8")
    parser.StartElementHandler = lambda tag, _: path.append(tag)
    parser.EndElementHandler = end
    try:
        told = text.decode("utf-8")
        plain = NO_ELEMENT.sub("", told)
        parser.Parse(f"{told}<trace>", False)
    except (UnicodeError, ExpatError):
        return None
    return None if "<!" in plain or "<?" in plain or path != ["log", "trace"] else read_header(told, file)


def _keys(options: LogOptions, header: Header, file: str) -> dict[str, str] | None:
    """Role → key; the case comes first. None for activities that are named by several keys."""
    told = options.columns
    names: tuple[str, ...] = (told.activity,) if told.activity else ()
    if options.classifier or not names:
        try:
            names = classifier_keys(options.classifier, header, file)
        except InputError:
            return None
    return {"case": told.case or NAME, "activity": names[0], **keys_of(told)} if len(names) == 1 else None


def _fill(table: EventTable, scanner: _scan.Scanner, roles: Sequence[str]) -> None:
    """Give a table what was scanned. Numbers are those of the scanner, names in the order in which they came."""

    def codes(role: str) -> array[int]:
        return array("i", scanner.column(number[role]))

    def names(role: str) -> Codes:
        told = scanner.names(number[role])
        return Codes(zip(told, range(len(told)), strict=True))

    def ticks(role: str) -> array[int]:
        return array("q", scanner.column(number[role]))

    number = {role: k for k, role in enumerate(roles)}
    known = {role for role in roles if scanner.any(number[role])}
    events = scanner.events
    table.cases, table.case_of = names("case"), codes("case")
    table.activities, table.activity = names("activity"), codes("activity")
    table.ended = ticks("timestamp") if "timestamp" in known else array("q", [UNKNOWN]) * events
    if "start" in known:
        table.began = ticks("start")
    if "resource" in known:
        table.resources, table.resource = names("resource"), codes("resource")
    if "outcome" in known:
        table.outcomes, table.outcome = names("outcome"), codes("outcome")
    if "lifecycle" in known:
        phases: Mapping[int, int] = {-1: phase_of("")} | {k: phase_of(p) for p, k in names("lifecycle").items()}
        table.phase = array("b", list(map(phases.__getitem__, codes("lifecycle"))))
