"""Event logs as XES (IEEE 1849-2016), read trace by trace in constant memory.

The XML parser is the standard library's expat; it judges every byte. Calling Python for each of its elements would be
what takes the time, so elements are not taken from it but from the text: in well-formed XML without comments a ``<``
is nowhere but where a tag begins. A trace whose elements are not written the way all tools write them (attributes in
attributes, single quotes, …) goes through a parser of its own.
"""

from __future__ import annotations

import codecs
import re
from array import array
from collections.abc import Callable, Iterator
from pyexpat import ExpatError, ParserCreate

from petri_cli.errors import InputError, Position, Problem
from petri_cli.formats.csv_log import Progress
from petri_cli.formats.log_options import LogOptions
from petri_cli.formats.log_source import CHUNK, LogSource
from petri_cli.formats.log_table import Batch, EventTable
from petri_cli.formats.xes_header import (
    NAME,
    Header,
    classifier_keys,
    keys_of,
    read_header,
)
from petri_cli.formats.xes_tokens import BEGIN_EVENT, BEGIN_TRACE, END_EVENT, END_TRACE, TRACE, Clean, Tokens, may_occur
from petri_cli.mining.log import NONE, Log

NO_ELEMENT = re.compile(r"<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>", re.DOTALL)
_BODY = re.compile(r"<((?:[\w.-]+:)?)(?:trace|event)[\s/>]")
_DECLARED = re.compile(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)""")


def read_xes(source: LogSource, options: LogOptions, progress: Progress | None = None) -> Log:
    """The log in an XES document.

    Raises InputError: PETRI_BAD_XML, PETRI_XML_DTD, PETRI_XML_ENCODING, PETRI_LOG_FORMAT (XML, but no XES),
    PETRI_LOG_CLASSIFIER, PETRI_LOG_TIME, PETRI_LOG_EVENT (strict).
    """
    table = EventTable(source.name, options)
    traces: _Traces | None = None
    header = Header()
    for text, line in _units(_texts(source, options.encoding)):
        if traces is None:
            found = _BODY.search(text)
            start = found.start() if found else len(text)
            header = read_header(text[:start], source.name)
            traces = _Traces(table, header, found[1] if found else "")
            line += text.count("\n", 0, start)
            text = text[start:]
        try:
            traces.take(text, line)
        except ExpatError:
            message = "a trace or an event is not where it belongs: traces are in `<log>`, events in traces"
            hint = "look for a trace within a trace, or an event within an event"
            raise InputError([Problem("PETRI_LOG_FORMAT", message, Position(source.name, line, 1), hint)]) from None
        if progress is not None:
            progress(len(table.activity))
    if traces is not None:
        traces.warn()
    return table.log(header.attributes)


def _texts(source: LogSource, told: str | None) -> Iterator[str]:
    """The document, piece by piece, each judged by the parser."""
    encoding = encoding_of(source, told)
    decoder = codecs.getincrementaldecoder(encoding)()
    parser = ParserCreate("utf-8")

    def doctype(*_: object) -> None:
        message = "document type declarations are not read: they can define entities"
        where = Position(source.name, parser.CurrentLineNumber, parser.CurrentColumnNumber + 1)
        raise InputError([Problem("PETRI_XML_DTD", message, where, "remove the `<!DOCTYPE …>`")])

    parser.StartDoctypeDeclHandler = doctype
    try:
        with source.stream() as stream:
            while chunk := stream.read(CHUNK):
                text = decoder.decode(chunk)
                parser.Parse(text, False)
                yield text
            decoder.decode(b"", True)
            parser.Parse("", True)
    except UnicodeError:
        raise source.not_text(encoding) from None
    except ExpatError as error:
        where = Position(source.name, error.lineno, error.offset + 1)
        what = str(error).rpartition(": line")[0]
        hint = "the file may be cut off" if what in ("no element found", "unclosed token") else "look just before it"
        raise InputError([Problem("PETRI_BAD_XML", f"the XML is broken here: {what}", where, hint)]) from None


def encoding_of(source: LogSource, told: str | None) -> str:
    """What is told, else the byte order mark's, else what the document declares, else UTF-8."""
    if told is not None:
        return source.encoding(told)
    marked = source.encoding(None)
    declared = _DECLARED.match(source.head(1024))
    if marked != "utf-8" or declared is None:
        return marked
    try:
        return codecs.lookup(declared[1].decode("ascii")).name
    except LookupError:
        message = f"the file's encoding cannot be read: `{declared[1].decode('ascii')}`"
        where = Position(source.name, 1, 1)
        raise InputError([Problem("PETRI_XML_ENCODING", message, where, "save it as UTF-8")]) from None


def _units(texts: Iterator[str]) -> Iterator[tuple[str, int]]:
    """Pieces that end where a trace ends, without comments (their line breaks stay), each with its first line."""
    rest, line, ending = "", 1, ""
    for text in texts:
        rest += text
        usable = len(rest)
        if "<!" in rest or "<?" in rest:
            rest = NO_ELEMENT.sub(lambda m: "\n" * m[0].count("\n"), rest)
            cuts = [cut for cut in (rest.find("<!"), rest.find("<?")) if cut >= 0]
            usable = min(cuts, default=len(rest))
        if not ending and (found := TRACE.search(rest, 0, usable)):
            ending = f"</{found[1]}trace>"
        end = rest.rfind(ending, 0, usable) if ending else -1
        if end >= 0:
            end += len(ending)
            yield rest[:end], line
            line += rest.count("\n", 0, end)
            rest = rest[end:]
    end = rest.rfind("<")
    yield rest[:end] if rest.startswith("</", end) else rest, line


class _Traces:
    """From pieces of the document to batches of events."""

    def __init__(self, table: EventTable, header: Header, prefix: str) -> None:
        self.table = table
        told = table.options.columns
        classifier = table.options.classifier
        self.names = (
            (told.activity,) if told.activity and not classifier else classifier_keys(classifier, header, table.file)
        )
        self.case = told.case or NAME
        self.keys = keys_of(told)
        """Role → key of the attribute."""
        self.unseen = {role: key for role, key in told.named().items() if role in self.keys}
        """Those that were named, and that no event has so far."""
        keys = (*self.names, self.case, *self.keys.values())
        self.columns: dict[str, list[str]] = {key: [] for key in keys}
        self.header = header
        self.tokens = Tokens(prefix, tuple(self.columns))
        self.clean = Clean()
        self.unnamed = self.doubled = 0
        self.doubled_at = (0, "")

    def take(self, text: str, line: int) -> None:
        """All traces of a piece, which begins in ``line``."""
        columns, table = self.columns, self.table
        for column in columns.values():
            column.clear()
        every = [columns[key] for key in columns if may_occur(key, text)]
        cases = array("i")
        number, name, inside = NONE, "", False
        trace_no = 0
        for mark, key, value in self.tokens.of(text):
            if key:
                if inside:
                    columns[key][-1] = value
                elif key == self.case:
                    name = value
            elif mark == BEGIN_EVENT:
                if inside:
                    raise ExpatError("an event within an event")
                inside = True
                cases.append(number)
                for column in every:
                    column.append("")
            elif mark == END_EVENT:
                inside = False
            elif mark == BEGIN_TRACE:
                if inside or number != NONE:
                    raise ExpatError("a trace within a trace")
                number, name = len(table.cases), ""
            elif mark == END_TRACE:
                self._named(self.clean[name], text, line, trace_no)
                trace_no += 1
                number, name = NONE, ""
        if cases:
            table.add(self._batch(cases, lambda k: line + self.tokens.breaks_before(text, "event", k)))

    def _batch(self, cases: array[int], line_of: Callable[[int], int]) -> Batch:
        def cleaned(key: str) -> list[str] | None:
            column = self.columns[key]
            return list(map(self.clean.__getitem__, column)) if any(column) else None

        def of(role: str) -> list[str] | None:
            column = self.columns[self.keys[role]]
            if not any(column):
                return None
            self.unseen.pop(role, None)
            if role in ("timestamp", "start"):
                return [self.clean[t] if "&" in t else t for t in column]
            return list(map(self.clean.__getitem__, column))

        parts = [cleaned(key) or [""] * len(cases) for key in self.names]
        for key, part in zip(self.names, parts, strict=True):
            default = self.header.event_defaults.get(key, "")
            if default and "" in part:
                part[:] = [value or default for value in part]
        activity = parts[0] if len(parts) == 1 else ["+".join(p) if all(p) else "" for p in zip(*parts, strict=True)]
        return Batch(cases, activity, line_of, *map(of, self.keys))

    def _named(self, name: str, text: str, line: int, trace: int) -> None:
        """Give the trace that ends here its case."""
        if not name:
            self.unnamed += 1
            name = str(len(self.table.cases) + 1)
        if name in self.table.cases:
            self.doubled += 1
            if self.doubled == 1:
                self.doubled_at = (line + self.tokens.breaks_before(text, "trace", trace), name)
        self.table.new_case(name)

    def warn(self) -> None:
        """Say what was wrong with names of traces. Raises InputError for a key that was named, and that nothing has."""
        if self.unseen and self.table.activity:
            raise InputError(
                [
                    Problem(
                        "PETRI_LOG_COLUMNS", f"no event has an attribute `{key}` for the {role}",
                        Position(self.table.file), "keys count as written, such as `org:resource`",
                    )
                    for role, key in self.unseen.items()
                ]
            )  # fmt: skip
        if self.doubled:
            line, name = self.doubled_at
            message = (
                f"{_traces(self.doubled)} the name of an earlier trace (`{name}` is the first); "
                f"they are kept apart as `{name}#2`, …"
            )
            self.table.warn("PETRI_LOG_DUPLICATE_CASE", message, line, "give every trace a concept:name of its own")
        if self.unnamed:
            self.table.warn("PETRI_LOG_UNNAMED", f"{_traces(self.unnamed)} no concept:name; they are numbered")


def _traces(n: int) -> str:
    return "one trace has" if n == 1 else f"{n:,} traces have"
