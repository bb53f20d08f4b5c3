"""Telling plans, nets and PNML apart by their bytes."""

from __future__ import annotations

import time

import pytest

from petri_cli.formats.detect import kind_of


@pytest.mark.parametrize(
    "data",
    [
        b"kind: net\nplaces: []\n",
        b"# a comment\n\nid: x\nkind: net # of mail\n",
        b"--- \nkind: 'net'\r\nplaces: []\r\n",
        b'"kind": "net"\n',
        b"  id: x\n  kind: net\n",
        b'{"kind": "net", "places": []}',
        b'\n{"places": ["kind", {"id": "kind"}], "kind"   :\n "net"}',
        b"{places: [], kind: net}",
        b"{'kind': 'net'}",
        b"{ # kind: plan\n kind: net }",
        b"\xef\xbb\xbfkind: net\n",
        "kind: net\n".encode("utf-16"),
        b"kind: net",
    ],
)
def test_net_documents(data: bytes) -> None:
    assert kind_of("x.yaml", data) == "net"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"flow:\n  seq: []\n",
        b"flow:\n  kind: net\n",
        b"flow:\n- task: {id: a, with: {kind: net}}\n",
        b'{"flow": {"kind": "net"}}',
        b'{"name": "kind", "net": 1}',
        b'{"x": "kind", "net": 1}',
        b'{"a": ["kind", "net"], "b": "kind: net"}',
        b'{"kind": "plan", "x": {"kind": "net"}}',
        b"kind: network\n",
        b"kind: plan\nflow: {}\n",
        b"mankind: net\n",
        b'"kind: net"',
        b"[kind, net]",
        b"objective: |\n  kind: net\n",
        b"\x00\xff\xfe",
    ],
)
def test_everything_else_is_a_plan(data: bytes) -> None:
    assert kind_of("x.yaml", data) == "plan"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("x.pnml", b""),
        ("x.PNML", b"kind: net"),
        ("x.xml", b"kind: net"),
        ("-", b"<pnml/>"),
        ("-", b"\n\t <?xml version='1.0'?><pnml/>"),
        ("-", b"\xef\xbb\xbf<pnml/>"),
        ("-", "<pnml/>".encode("utf-16")),
        ("-", b"\xfe\xff" + "<pnml/>".encode("utf-16-be")),
    ],
)
def test_pnml(name: str, data: bytes) -> None:
    assert kind_of(name, data) == "pnml"


@pytest.mark.parametrize(
    "data",
    [
        b"{kind " + b'"' + b'\\"' * 300_000,
        b"{kind " + b"'" * 300_001,
        b"{kind" + b"[" * 300_000,
        b"kind" + b" " * 300_000,
        b"kind:\n" * 50_000,
        b"kind\n" + b" \n" * 150_000,
        b"{kind" + b"#" * 300_000,
    ],
)
def test_a_hostile_file_costs_no_more_than_its_length(data: bytes) -> None:
    start = time.process_time()
    kind_of("x", data)
    assert time.process_time() - start < 2


def test_a_plan_that_says_nothing_of_kinds_is_not_looked_through() -> None:
    data = b'{"flow": [' + b'{"task": {"id": "a"}},' * 200_000 + b"]}"
    start = time.process_time()
    assert kind_of("x", data) == "plan"
    assert time.process_time() - start < 0.5
