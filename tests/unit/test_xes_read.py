"""XES as the standard has it, and as tools write it."""

from __future__ import annotations

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.errors import InputError, PetriError
from petri_cli.formats.logs import LogOptions, read_log
from petri_cli.formats.xes_tokens import Clean, Tokens
from petri_cli.mining.log import NO_TIME, Log

BEGIN = '<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1849.2016" xes.features="nested-attributes">\n'
KEYS = ("concept:name", "time:timestamp")


def event(name: str, more: str = "") -> str:
    return f'<event><string key="concept:name" value="{name}"/>{more}</event>\n'


def trace(case: str, *events: str) -> str:
    return f'<trace>\n<string key="concept:name" value="{case}"/>\n{"".join(events)}</trace>\n'


def read(body: str, **options: object) -> Log:
    return read_log((BEGIN + body + "</log>\n").encode(), LogOptions(**options), name="log.xes")  # type: ignore[arg-type]


def names(log: Log) -> list[str]:
    return [" ".join(log.named(variant)) for variant in log.variants]


def timed(name: str, at: str) -> str:
    return event(name, f'<date key="time:timestamp" value="{at}"/>')


def refused(data: bytes) -> PetriError:
    with pytest.raises(PetriError) as caught:
        read_log(data, name="log.xes")
    return caught.value


def test_an_attribute_within_an_attribute_is_not_the_events() -> None:
    nested = '<string key="x" value="1"><string key="concept:name" value="wrong"/></string>'
    assert names(read(trace("1", event("a", nested), event("b")))) == ["a b"]


def test_an_attribute_within_the_traces_attribute_is_not_the_traces() -> None:
    nested = '<trace><string key="x" value=""><string key="concept:name" value="wrong"/></string>'
    assert read(nested + '<string key="concept:name" value="c"/>' + event("a") + "</trace>").cases == ("c",)


def test_lists_and_containers_are_passed_over() -> None:
    nested = '<list key="l"><values><string key="concept:name" value="wrong"/></values></list>'
    assert names(read(trace("1", event("a", nested)))) == ["a"]


@pytest.mark.parametrize(
    "written",
    [
        "<event><string value='a' key='concept:name'/></event>",
        '<event><string value="a" key="concept:name"/></event>',
        '<event><string key = "concept:name" value = "a"/></event>',
        '<event ><string\nkey="concept:name"\nvalue="a"  /></event >',
        '<event><string key="concept:name" value="a"></string></event>',
        '<event><int key="concept:name" value="a"/></event>',
        '<event><!-- <event> --><string key="concept:name" value="a"/></event>',
        '<event><![CDATA[<event>]]><string key="concept:name" value="a"/></event>',
        '<event><?tool <event>?><string key="concept:name" value="a"/></event>',
        '<event><string key="concept:name" value="&#97;"/></event>',
        '<event><string key="x" value=">"/><string key="concept:name" value="a"/></event>',
        """<event><string key="x" value="='"/><string key="concept:name" value="a"/></event>""",
        """<event><x a=' key="concept:name" value="b"'/><string key="concept:name" value="a"/></event>""",
        '<event>text key="concept:name" value="b"<string key="concept:name" value="a"/></event>',
    ],
)
def test_xml_may_be_written_in_many_ways(written: str) -> None:
    assert names(read(trace("1", written, event("b")))) == ["a b"]


def test_a_prefix_before_all_elements_changes_nothing() -> None:
    body = trace("1", event("a"), event("b"))
    for name in ("log", "trace", "event", "string"):
        body = body.replace(f"<{name}", f"<x:{name}").replace(f"</{name}", f"</x:{name}")
    text = f'<x:log xmlns:x="http://www.xes-standard.org/">{body}</x:log>'
    assert names(read_log(text.encode())) == ["a b"]


def test_events_are_ordered_by_the_instant_whatever_their_zone() -> None:
    body = trace(
        "1",
        timed("c", "2026-01-01T09:00:00.000+00:00"),
        timed("a", "2026-01-01T09:30:00.000+01:00"),
        timed("b", "2026-01-01T08:45:00Z"),
    )
    assert names(read(body)) == ["a b c"]


def test_a_case_in_which_one_event_has_no_time_stays_in_the_order_of_the_document_with_a_warning() -> None:
    log = read(trace("1", timed("b", "2026-01-02T00:00:00Z"), event("x"), timed("a", "2026-01-01T00:00:00Z")))
    assert names(log) == ["b x a"]
    assert [p.code for p in log.problems] == ["PETRI_LOG_ORDER"]
    assert log.times is not None
    assert log.times.ended[1] == NO_TIME


def test_a_classifier_of_the_log_or_keys_name_the_activity() -> None:
    body = '<classifier name="Both" keys="concept:name lifecycle:transition"/>' + trace(
        "1",
        event("a", '<string key="lifecycle:transition" value="start"/>'),
        event("b", '<string key="who" value="x"/>'),
    )
    assert names(read(body)) == ["a b"]
    assert read(body, classifier="Both").activities == ("a+start",)
    assert read(body, classifier="Both").dropped == {"activity": 1}
    assert read(body, classifier="who").activities == ("x",)


def test_a_classifier_without_keys_is_refused() -> None:
    with pytest.raises(InputError) as caught:
        read(trace("1", event("a")), classifier=" ")
    assert caught.value.code == "PETRI_LOG_CLASSIFIER"


def test_a_start_and_its_complete_are_two_events_or_one() -> None:
    def phase(name: str, what: str, at: int) -> str:
        more = f'<string key="lifecycle:transition" value="{what}"/>'
        return event(name, f'{more}<date key="time:timestamp" value="2026-01-01T08:00:0{at}Z"/>')

    body = trace(
        "1", phase("a", "schedule", 0), phase("a", "start", 1), phase("b", "start", 2), phase("a", "COMPLETE", 3),
        phase("b", "complete", 4), phase("c", "complete", 5), phase("d", "start", 6),
    )  # fmt: skip
    log = read(body)
    assert names(log) == ["a a b a b c d"]
    assert [p.code for p in log.problems] == ["PETRI_LOG_LIFECYCLE"]
    pairs = read(body, lifecycle="pairs")
    assert names(pairs) == ["a b c"]
    assert pairs.dropped == {"lifecycle": 1, "start without complete": 1}
    assert pairs.times is not None
    assert pairs.times.began is not None
    lasted = [e - b if b >= 0 else None for b, e in zip(pairs.times.began, pairs.times.ended, strict=True)]
    assert lasted == [2_000_000, 2_000_000, None]


def test_pairs_are_first_in_first_out() -> None:
    def phase(what: str, at: int) -> str:
        more = f'<string key="lifecycle:transition" value="{what}"/>'
        return event("a", f'{more}<date key="time:timestamp" value="1970-01-01T00:00:0{at}Z"/>')

    log = read(
        trace("1", *[phase(w, k) for k, w in enumerate(["start", "start", "complete", "complete"])]), lifecycle="pairs"
    )
    assert log.times is not None
    assert list(log.times.began or []) == [0, 1_000_000]


def test_resources_are_kept_and_may_be_missing() -> None:
    log = read(trace("1", event("a", '<string key="org:resource" value="ann"/>'), event("b")))
    assert log.times is not None
    assert (list(log.times.resource or []), log.times.resources) == ([0, -1], ("ann",))


def test_an_event_without_a_name_is_dropped_and_told_by_its_line() -> None:
    body = trace("1", event("a"), '<event><string key="x" value="y"/></event>\n', event("b"))
    log = read("<!-- a\ncomment -->\n" + body)
    assert names(log) == ["a b"]
    assert log.dropped == {"activity": 1}
    assert [(p.code, p.where.file, p.where.line) for p in log.problems] == [("PETRI_LOG_EVENT", "log.xes", 8)]
    with pytest.raises(InputError):
        read(body, strict=True)


def test_an_attribute_that_is_declared_global_has_its_default() -> None:
    body = '<global scope="event"><string key="concept:name" value="UNKNOWN"/></global>' + trace(
        "1", event("a"), "<event/>"
    )
    assert names(read(body)) == ["a UNKNOWN"]


def test_a_timestamp_that_is_none_drops_its_event() -> None:
    log = read(trace("1", timed("a", "2026-01-01T00:00:00Z"), timed("b", "soon")))
    assert names(log) == ["a"]
    assert log.dropped == {"timestamp": 1}
    assert "`soon`" in log.problems[0].message


def test_attributes_of_the_log_are_read() -> None:
    log = read('<string key="source" value="A &amp; B"><int key="n" value="1"/></string>' + trace("1", event("a")))
    assert log.attributes == {"source": "A & B"}


def test_empty_traces_are_cases_and_a_log_without_traces_is_a_log() -> None:
    log = read("<trace/>" + trace("2") + "<trace></trace>")
    assert log.counts == (3,)
    assert log.cases == ("1", "2", "3")
    assert [p.code for p in log.problems] == ["PETRI_LOG_UNNAMED"]
    assert read("").n_cases == 0


def test_events_outside_of_traces_are_dropped_and_counted() -> None:
    log = read(trace("1", event("a")) + event("loose") + trace("2", event("a")))
    assert log.counts == (2,)
    assert log.dropped == {"case": 1}


def test_events_before_all_traces_are_dropped_and_counted_too() -> None:
    log = read(event("loose") + trace("1", event("a")))
    assert (log.counts, log.dropped) == ((1,), {"case": 1})
    with pytest.raises(InputError) as caught:
        read(event("loose"))
    assert caught.value.code == "PETRI_LOG_EVENT"


@pytest.mark.parametrize(
    "body",
    [
        "<trace><trace x=''/></trace>",
        "<trace><trace></trace></trace>",
        "<trace><event><event></event></event></trace>",
        "<trace><event><x><event/></x></event></trace>",
        "<part>" + trace("1", event("a")) + "</part>",
    ],
)
def test_a_trace_that_is_not_directly_in_the_log_is_refused(body: str) -> None:
    with pytest.raises(InputError) as caught:
        read(body + trace("1", "<event><x y=''/></event>"))
    assert caught.value.code == "PETRI_LOG_FORMAT"


def test_a_line_break_in_a_value_is_a_blank_unless_it_is_written_as_a_reference() -> None:
    log = read(trace("1", event("a\nb\r\nc\td"), event("a&#10;b&lt;&#x20ac;")))
    assert log.activities == ("a b c d", "a\nb<€")


def test_names_that_are_made_up_for_equal_traces_are_new_ones() -> None:
    log = read(trace("c#2", event("a")) + trace("c", event("a")) + trace("c", event("a")) + trace("c", event("a")))
    assert log.cases == ("c#2", "c", "c#3", "c#4")


def test_broken_xml_is_refused_where_it_breaks() -> None:
    error = refused((BEGIN + trace("1", event("a"))).encode())
    assert (error.code, error.where.line) == ("PETRI_BAD_XML", 7)
    assert refused((BEGIN + "<trace></event></log>").encode()).code == "PETRI_BAD_XML"


def test_a_document_type_is_refused() -> None:
    error = refused(b'<!DOCTYPE log [<!ENTITY a "aaaa">]>\n<log><trace><event/></trace></log>')
    assert (error.code, error.where.line) == ("PETRI_XML_DTD", 1)


def test_other_xml_is_no_log() -> None:
    assert refused(b"<pnml><net/></pnml>").code == "PETRI_LOG_FORMAT"
    assert refused(b"<pnml/>").code == "PETRI_LOG_FORMAT"


def test_the_declared_encoding_counts() -> None:
    text = BEGIN.replace("UTF-8", "ISO-8859-1") + trace("1", event("prüfen")) + "</log>"
    assert names(read_log(text.encode("latin-1"))) == ["prüfen"]
    assert refused(text.replace("ISO-8859-1", "klingon").encode("latin-1")).code == "PETRI_XML_ENCODING"
    assert refused(text.replace("ISO-8859-1", "UTF-8").encode("latin-1")).code == "PETRI_LOG_ENCODING"
    assert names(read_log(text.replace("ISO-8859-1", "UTF-16").encode("utf-16"))) == ["prüfen"]


def test_a_packed_log_that_is_cut_off_is_refused() -> None:
    packed = gzip.compress((BEGIN + trace("1", *[event(str(k)) for k in range(1_000)]) + "</log>").encode())
    assert refused(packed[:-9]).code == "PETRI_LOG_GZIP"
    assert refused(packed[: len(packed) // 2]).code == "PETRI_LOG_GZIP"


def test_deeply_nested_attributes_are_no_trouble() -> None:
    deep = '<string key="x" value="y">' * 20_000 + "</string>" * 20_000
    assert names(read(trace("1", event("a", deep), event("b")))) == ["a b"]


def test_a_log_larger_than_a_piece_of_the_file_is_read_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    body = "".join(trace(f"c{k}", event("ä"), "<!-- </trace> -->" * (k % 2), event("b")) for k in range(40))
    whole = read(body)
    for size in (1, 7, 64, 1_000):
        monkeypatch.setattr("petri_cli.formats.xes_read.CHUNK", size)
        assert read(body) == whole
    assert whole.counts == (40,)


ATTRIBUTES = st.sampled_from(
    [
        '<string key="concept:name" value="a"/>',
        '<x key="y" value="b"/>',
        '<date key="time:timestamp" value="1"></date>',
        '<string key="concept:name" value="c"><a key="concept:name" value="v"/></string>',
        '<e a=\' key="concept:name" value="q"\'/>',
        '<string value="v" key="concept:name"/>',
        '<string key="concept:name" x="" value="v"/>',
        '<a key="concept:name" value="="/>',
        '<list key="concept:name"/>',
        '<string  key="concept:name" value="&lt;&#10;"/>',
        " ",
        'text key="concept:name" value="t"',
    ]
)
EVENTS = st.tuples(st.sampled_from(["<event>", '<event a="b">', "<event\n>"]), st.lists(ATTRIBUTES, max_size=3)).map(
    lambda parts: parts[0] + "".join(parts[1]) + "</event>"
)


@given(pieces=st.lists(st.one_of(ATTRIBUTES, EVENTS, st.just("<event/>")), max_size=6))
@settings(deadline=None, derandomize=True, max_examples=400)
def test_what_the_expression_finds_is_what_the_parser_finds(pieces: list[str]) -> None:
    text = "<trace>" + "".join(pieces) + "</trace>"
    tokens = Tokens("", KEYS)
    found, expected = tokens.of(text), tokens._parsed(text)
    clean = Clean()
    assert [(m, k, clean[v]) for m, k, v in found if m or k] == [(m, k, clean[v]) for m, k, v in expected]
