"""The compiled scanners of event logs and the readers in Python: the same log, or refused with the same words."""

from __future__ import annotations

import gzip
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.errors import PetriError
from petri_cli.formats import scanned_log
from petri_cli.formats.log_events import Events, collapse, order
from petri_cli.formats.log_options import Columns
from petri_cli.formats.log_source import LogSource
from petri_cli.formats.log_times import UNKNOWN
from petri_cli.formats.log_write import WrittenFormat, write_log
from petri_cli.formats.logs import LogOptions, read_log
from petri_cli.formats.native import binding
from petri_cli.mining.log import Log
from tests.strategies.logs import logs

pytestmark = pytest.mark.skipif(binding.core is None, reason="the compiled scanners were not built")

TABLE = b"""case,activity,time,resource,lifecycle,outcome
1,register,2024-02-29T09:54:44+00:00,ann,start,
1,"ask, then wait",2024-02-29 09:54:44.123+01:00,"b ""o"" b",complete,success
2,register,2024-02-28 23:59Z,,COMPLETE,failure
2,\xc3\xa4ndern,2023/12/31 10:00:00.1234567,ann,,
\xe7\xb5\x82,ende,2024-01-01,,complete,success
1,register,2024-01-01T00:00:00-1130,ann,suspend,
"""
DOCUMENT = b"""<?xml version="1.0" encoding="UTF-8" ?>
<!-- made up -->
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
  <extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
  <global scope="event"><string key="concept:name" value="nameless"/></global>
  <classifier name="Activity" keys="concept:name"/>
  <string key="concept:name" value="the log"/>
  <trace>
    <string key="concept:name" value="one"/>
    <event>
      <string key="concept:name" value="A &amp; B &#xe4;"/>
      <date key="time:timestamp" value="2024-02-29T09:54:44.123+01:00"/>
      <string key="org:resource" value='ann'/>
      <list key="seen"><values><string key="concept:name" value="inner"/></values></list>
    </event>
    <event><string key="lifecycle:transition" value="complete"/><string value="b" key="concept:name" />
      <date key="time:timestamp" value="2024-02-29T08:54:44Z"/><!-- late -->
      <string key="outcome" value="success"/></event>
  </trace>
  <trace><string key="concept:name" value="two\xc3\xa4"><string key="more" value="x"/></string></trace >
  <trace><event><string key="concept:name" value="b"/><int key="n" value="3"></int></event>
    <event><string key="concept:name" value="c"/><string key="org:resource" value="bob"/></event>
    <string key="concept:name" value="three"/></trace>
</log>
"""
PIECES = (
    b"<", b">", b"/>", b"</", b'"', b"'", b"&", b"&lt;", b"&#10;", b"&#x41;", b"&#0;", b"&#55296;", b"&nbsp;", b"&#x;",
    b"<!--", b"-->", b"--", b"<!-- c -->", b"<![CDATA[x]]>", b"]]>", b"<?pi x?>", b"<!DOCTYPE log>", b"<event/>",
    b"<trace/>", b"<trace>", b"</trace>", b"<event>", b"</event>", b"</log>", b"<log>", b"<x:trace>", b"trace",
    b'<string key="concept:name" value="b"/>', b'<string key="concept:name" value=""/>', b' key="x"', b' value=""',
    b'<string key="concept:name" value="one"/>', b'<string key="petri:exact" value="&quot;q&quot;"/>',
    b'<date key="time:timestamp" value="soon"/>', b'<date key="start_timestamp" value="2024-01-01"/>', b"=", b" ",
    b"event", b"\t", b"\n", b"\r\n", b"\r", b"\x00", b"\x01", b"\x7f", b"\xff", b"\xc3", b"\xc3\xa9",
    b"\xed\xa0\x80", b"\xef\xbf\xbe",
    b"\xef\xbb\xbf", b"\xf0\x9f\x98\x80", b"\xf4\x90\x80\x80", b"\xc0\x80", b",", b",,", b";", b'"",', b'"x"', b'""',
    b"1,a,2024-01-01,,,", b"\n\n", b"1,a", b"2024", b"24:00", b"-", b"+25:00", b"61", b"00", b"NA", b"1969-12-31",
)  # fmt: skip


@contextmanager
def in_python() -> Iterator[None]:
    core, binding.core = binding.core, None
    try:
        yield
    finally:
        binding.core = core


@contextmanager
def in_pieces(size: int) -> Iterator[None]:
    """The scanners get so many bytes at a time."""
    known, scanned_log.CHUNK = scanned_log.CHUNK, size
    try:
        yield
    finally:
        scanned_log.CHUNK = known


def outcome(data: bytes | Path, options: LogOptions) -> object:
    try:
        return read_log(data, options, name="log")
    except PetriError as error:
        return [str(p) for p in getattr(error, "problems", [error.problem])]


def compare(data: bytes | Path, options: LogOptions | None = None, size: int = 1 << 21) -> object:
    """What both say."""
    options = options or LogOptions(fast=False)
    with in_pieces(size):
        scanned = outcome(data, options)
    with in_python():
        assert scanned == outcome(data, options)
    return scanned


def taken(data: bytes, size: int = 1 << 21) -> bool:
    """Whether the scanner takes a log, and does not leave it to Python."""
    scan = scanned_log.scan_xes if data.lstrip(b"\xef\xbb\xbf \n").startswith(b"<") else scanned_log.scan_csv
    with in_pieces(size):
        return scan(LogSource("log", data=data), LogOptions()) is not None


def mutated(data: bytes, random: Random) -> bytes:
    """A few bytes changed, dropped, doubled or put in, mostly pieces that mean something."""
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = random.randrange(len(data) + 1)
        if random.random() < 0.5:  # where something begins or ends
            at = random.choice([m.start() for m in re.finditer(rb"[<>\"'=,&\n/ ]", data)] or [at])
        end = at + random.choice((0, 0, 1, 1, 2, 5, 40))
        piece = random.choice((b"", data[at:end], random.choice(PIECES), bytes([random.randrange(256)])))
        data = data[:at] + piece + data[random.choice((at, end)) :]
    return data


def compare_mutations(seed: int, count: int) -> int:
    """How many of them the scanners took."""
    random, n = Random(seed), 0  # noqa: S311
    for _ in range(count):
        data = mutated(random.choice((TABLE, DOCUMENT)), random)
        size = random.choice((1, 3, 17, 300, 1 << 21))
        said = compare(data, size=size)
        n += isinstance(said, Log) and taken(data, size)
    return n


@pytest.mark.parametrize("size", [1, 2, 5, 64, 1 << 21])
@pytest.mark.parametrize("data", [TABLE, DOCUMENT], ids=["table", "XES"])
def test_what_tools_write_is_taken_in_pieces_of_any_size(data: bytes, size: int) -> None:
    assert taken(data, size)
    log = compare(data, size=size)
    assert isinstance(log, Log) and log.n_events in (4, 6)
    assert compare(gzip.compress(data), size=size) == log


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"2024-02-29T09", b"2023-02-29T09"), (b"2024-02-29T09", b"1900-02-29T09"), (b"A &amp; B", b"A & B"),
        (b"A &amp; B", b"A &#xd800; B"), (b"A &amp; B", b"A &#0; B"), (b"A &amp; B", b"A \xed\xa0\x80 B"),
        (b"<event>", b"<event a='1' a='1'>"), (b'<string key="org', b'<string key="org"key="org'),
        (b"</list>", b"</values>"), (b"</trace >", b"</trace ></trace>"), (b"</log>", b""), (b"</log>", b"</log><a/>"),
        (b"<!-- late -->", b"<!-- -- -->"), (b"<!-- late -->", b"text"), (b'"three"', b'"one"'), (b'"three"', b'""'),
        (b'<string key="more" value="x"/>', b'<string key="petri:exact" value="&quot;q&quot;"/>'),
        (b"<log ", b"<!DOCTYPE log><log "), (b"<!-- made up -->", b"<!-- <trace> -->"),
    ],
)  # fmt: skip
def test_what_is_irregular_is_left_to_python(old: bytes, new: bytes) -> None:
    assert old in DOCUMENT
    assert not taken(DOCUMENT.replace(old, new))
    compare(DOCUMENT.replace(old, new))


@pytest.mark.slow
def test_a_file_cut_off_anywhere_is_refused_alike() -> None:
    for k in range(len(DOCUMENT)):
        compare(DOCUMENT[:k], size=29)
    for k in range(len(TABLE)):
        compare(TABLE[:k], size=29)


@pytest.mark.parametrize("seed", range(4))
def test_files_with_a_few_bytes_changed_are_read_alike(seed: int) -> None:
    assert compare_mutations(seed, 150) > 20


@pytest.mark.slow
def test_many_more_files_with_a_few_bytes_changed_are_read_alike() -> None:
    assert compare_mutations(4, 8_000) > 1_000


@pytest.mark.slow
@given(log=logs(empty_cases=True), form=st.sampled_from(["xes", "csv"]), size=st.sampled_from([1, 7, 1 << 21]))
@settings(deadline=None, derandomize=True, max_examples=150)
def test_any_log_is_read_alike(log: Log, form: WrittenFormat, size: int) -> None:
    compare("".join(write_log(log, form)).encode(), size=size)


@pytest.mark.slow
@given(
    options=st.builds(
        LogOptions,
        columns=st.builds(
            Columns,
            case=st.sampled_from([None, "case", "concept:name", "org:resource", "nothing"]),
            activity=st.sampled_from([None, "activity", "concept:name", "org:resource", "resource", "é"]),
            timestamp=st.sampled_from([None, "time", "time:timestamp", "concept:name"]),
            start=st.sampled_from([None, "time", "time:timestamp"]),
            resource=st.sampled_from([None, "resource", "org:resource", "concept:name", "nothing"]),
        ),
        classifier=st.sampled_from([None, None, "Activity", "concept:name lifecycle:transition", "n"]),
        encoding=st.sampled_from([None, "utf-8", "latin-1", "utf-16", "no such"]),
        time_format=st.sampled_from([None, None, "%Y-%m-%dT%H:%M:%S.%f%z"]),
        strict=st.booleans(),
        times=st.booleans(),
        lifecycle=st.sampled_from(["events", "pairs"]),
        fast=st.just(False),
    ),
    data=st.sampled_from([TABLE, DOCUMENT, b"\xef\xbb\xbf" + TABLE, b"\xef\xbb\xbf" + DOCUMENT]),
)
@settings(deadline=None, derandomize=True, max_examples=250)
def test_whatever_the_reader_is_told_both_do(options: LogOptions, data: bytes) -> None:
    compare(data, options)


def times() -> st.SearchStrategy[str]:
    two = st.sampled_from(
        ["00", "01", "02", "12", "23", "24", "29", "30", "31", "59", "60", "61", "99", "1", " 1", "²", ""]
    )
    return st.tuples(
        st.sampled_from(["2024", "2023", "1900", "2000", "1969", "0000", "0001", "9999", "24", "20240"]),
        st.sampled_from(["-", "/", "."]), two, st.sampled_from(["-", "/"]), two, st.sampled_from(["T", " ", "", "t"]),
        two, st.sampled_from([":", ""]), two, st.sampled_from([":", "", "."]), two,
        st.sampled_from(["", ".5", ",123", ".1234567", ".123456789", ".1234567890", "."]),
        st.sampled_from(["", "Z", " Z", "UTC", "+01:00", "-0130", "+01", "+24:00", "+01:60", "+1", " ", "z", "+01:0"]),
    ).map("".join)  # fmt: skip


@pytest.mark.slow
@given(times=st.lists(times(), min_size=1, max_size=3))
@settings(deadline=None, derandomize=True, max_examples=600)
def test_timestamps_are_understood_alike(times: list[str]) -> None:
    rows = "".join([f"{k},a,{time.replace(',', ';')}\n" for k, time in enumerate(times)])
    compare(f"case,activity,time\n{rows}".encode())
    events = "".join(
        [
            f'<event><string key="concept:name" value="a"/><date key="time:timestamp" value="{t}"/></event>'
            for t in times
        ]
    )
    compare(f'<log><trace><string key="concept:name" value="1"/>{events}</trace></log>'.encode())


def test_every_day_of_the_calendar_is_the_same_day() -> None:
    from datetime import date

    days = range(date(1, 1, 2).toordinal(), date(9999, 12, 31).toordinal(), 97)
    rows = [f"1,a,{date.fromordinal(day).isoformat()}" for day in days]
    assert taken(("case,activity,time\n" + "\n".join(rows)).encode())
    compare(("case,activity,time\n" + "\n".join(rows)).encode())


EVENTS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 3), st.sampled_from([UNKNOWN, 5, 6, 7, 8, 9])), max_size=60
)


@pytest.mark.slow
@given(rows=EVENTS, timed=st.booleans(), grouped=st.booleans())
@settings(deadline=None, derandomize=True, max_examples=400)
def test_events_are_brought_into_order_and_collapsed_alike(
    rows: list[tuple[int, int, int]], timed: bool, grouped: bool
) -> None:
    from array import array

    def arranged() -> tuple[int, Events, object]:
        ended = [r[2] if timed else UNKNOWN for r in rows]
        events = Events(
            6, array("i", [r[0] for r in rows]), array("i", [r[1] for r in rows]), array("q", ended),
            array("q", range(len(rows))), None, array("b", [r[1] for r in rows]),
        )  # fmt: skip
        mixed = order(events, grouped)
        found = collapse(events)
        list(events.cases())
        return mixed, events, found

    if grouped:
        rows = sorted(rows, key=lambda row: row[0])
    scanned = arranged()
    with in_python():
        assert scanned == arranged()


def many_of_everything() -> None:
    """Names, rows, depths and lengths where something has to grow or is too much."""
    rows = "".join([f"{k % 977},activity {k},2024-01-01,{'x' * (k % 300)}\n" for k in range(3_000)])
    compare(f"case,activity,time,resource\n{rows}".encode(), size=4_096)
    for depth in (1, 60, 61, 62, 63, 64, 65, 200):
        inner = '<string key="k" value="v">' * depth + "</string>" * depth
        compare(f'<log><trace><string key="concept:name" value="1"/>{inner}</trace></log>'.encode(), size=100)
    for n in (1, 7, 8, 9, 40):
        more = "".join([f' a{k}="{k}"' for k in range(n)])
        event = f'<event><string key="concept:name" value="{"y" * 70_000}"{more}/></event>'
        compare(f'<log><trace><string key="concept:name" value="1"/>{event}</trace></log>'.encode(), size=5_000)


def test_there_may_be_much_of_everything() -> None:
    many_of_everything()


@pytest.mark.slow
def test_a_cell_or_a_tag_longer_than_a_scanner_keeps_is_left_to_python() -> None:
    long = "z" * (1 << 24)
    compare(f"case,activity\n1,{long}z\n".encode())
    compare(f"case,activity\n1,{long}\n".encode())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.xes")
        path.write_text(f'<log><trace><string key="concept:name" value="{long}"/></trace></log>', encoding="utf-8")
        compare(path)


def test_a_scanner_refuses_what_it_is_not_made_for() -> None:
    core = binding.core
    assert core is not None
    for kinds, places, more in (
        ("", (), {}), ("n" * 17, (b"k",) * 17, {}), ("n", (b"k", b"l"), {}), ("t", (b"k",), {}), ("n", (3,), {}),
        ("n", (0,), {"delimiter": 44}), ("n", (1,), {"delimiter": 44, "width": 1}),
        ("nn", (0, 0), {"delimiter": 44, "width": 2}), ("n", (0,), {"delimiter": 34, "width": 1}),
        ("n", (-1,), {"delimiter": 44, "width": 1}), ("n", (b"0",), {"delimiter": 44, "width": 1}),
    ):  # fmt: skip
        with pytest.raises((ValueError, TypeError)):
            core.Scanner(kinds, places, b"0" * 16, -1, **more)
    with pytest.raises(ValueError, match="16 bytes"):
        core.Scanner("n", (b"k",), b"short", -1)
    scanner = core.Scanner("n", (0,), b"0" * 16, -1, delimiter=44, width=1)
    assert scanner.feed(b"a\nb\n\na", True)
    with pytest.raises(IndexError):
        scanner.column(1)
    assert (scanner.events, scanner.names(0), scanner.any(0)) == (3, ["a", "b"], True)
    assert len(scanner.column(0)) == 12
    with pytest.raises(ValueError, match="taken already"):
        scanner.feed(b"c\n", True)
    refused = core.Scanner("n", (0,), b"0" * 16, -1, delimiter=44, width=1)
    assert not refused.feed(b"a,b\n", False) and not refused.feed(b"a\n", True)
    with pytest.raises(IndexError):
        refused.names(0)


def test_numbers_that_are_no_order_are_refused() -> None:
    from array import array

    core = binding.core
    assert core is not None
    with pytest.raises(ValueError, match="fit"):
        core.order(array("i", [0, 3]), b"", 2, -1)
    with pytest.raises(ValueError, match="fit"):
        core.order(array("i", [0, 1]), array("q", [1]), 2, -1)
    with pytest.raises(IndexError):
        core.picked(array("i", [1]), array("i", [1]).tobytes(), 4)
    for bounds in ([], [1, 0], [0, 5], [-1, 1]):
        with pytest.raises(ValueError, match="bounds"):
            core.variants(array("i", [1]), array("q", bounds), b"0" * 16)
