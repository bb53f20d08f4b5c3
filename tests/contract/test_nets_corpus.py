"""The corpus command on a corpus of our own making, and on the reference corpus where it is at hand."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path
from typing import Any

import pytest

from petri_cli.soundness.result import Budget
from tests.corpus import judge_folder, main

NET: dict[str, Any] = {
    "id": "one",
    "places": ["a", "b"],
    "marking": {"a": 2, "stray": 1},
    "transitions": [
        {
            "name": "t",
            "inputs": [{"place": "a", "kind": "all"}],
            "inhibitors": [],
            "reads": [],
            "resets": [],
            "output": {
                "type": "xor",
                "children": [
                    {"type": "place", "place": "b"},
                    {"type": "timeout", "afterMs": 5, "child": {"type": "forward", "from": "a", "to": "b"}},
                ],
            },
            "priority": 0,
        }
    ],
    "properties": [
        {"id": "bound", "type": "place-bound", "place": "b", "bound": 1},
        {"id": "free", "type": "deadlock-free", "sinks": ["b", "stray"]},
    ],
}
EXPECTED: dict[str, Any] = {
    "id": "one",
    "classes": 3,
    "complete": True,
    "results": [
        {"property": "bound", "verdict": "violated", "trace": ["t"]},
        {"property": "free", "verdict": "proven"},
    ],
}


def _corpus(folder: Path, expected: dict[str, Any], net: dict[str, Any] = NET) -> Path:
    for kind, data in (("nets", net), ("expected", expected)):
        (folder / kind).mkdir()
        (folder / kind / "one.json").write_text(json.dumps(data), encoding="utf-8")
    return folder


def test_a_corpus_without_disagreement_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(_corpus(tmp_path, EXPECTED))]) == 0
    assert capsys.readouterr().out == "1 passed, 0 failed\n"


@pytest.mark.parametrize(
    ("property_", "change", "fault"),
    [
        (0, {"verdict": "proven"}, "bound: proven by the reference, here violated"),
        (1, {"verdict": "violated", "trace": ["t"]}, "free: violated by the reference, here proven"),
        (0, {"trace": []}, "bound: the trace of the reference does not lead to a violation"),
        (0, {"trace": ["t", "t"]}, "bound: the trace of the reference does not lead to a violation"),
        (0, {"property": "other"}, "KeyError: 'other'"),
    ],
)
def test_each_disagreement_is_named_and_fails_the_net(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], property_: int, change: dict[str, Any], fault: str
) -> None:
    results = [{**r, **change} if k == property_ else r for k, r in enumerate(EXPECTED["results"])]
    assert main([str(_corpus(tmp_path, {**EXPECTED, "results": results}))]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert f"one: {fault}" in lines
    assert lines[-1] == "0 passed, 1 failed"


def test_the_number_of_markings_must_agree_where_all_were_explored(tmp_path: Path) -> None:
    proven = {**NET, "properties": NET["properties"][1:]}
    out = io.StringIO()
    expected = {**EXPECTED, "classes": 4, "results": EXPECTED["results"][1:]}
    assert judge_folder(_corpus(tmp_path, expected, proven), Budget(), out) == (0, 1)
    assert out.getvalue() == "one: 3 markings here, 4 by the reference\n"


def test_a_missing_expectation_fails_the_net(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = _corpus(tmp_path, EXPECTED)
    (folder / "expected" / "one.json").unlink()
    assert main([str(folder)]) == 1
    assert capsys.readouterr().out.endswith("0 passed, 1 failed\n")


def test_the_reference_corpus_has_no_disagreement() -> None:
    data = os.environ.get("PETRI_TEST_DATA")
    if data is None:
        pytest.skip("PETRI_TEST_DATA is not set: the reference corpus is not at hand")
    out = io.StringIO()
    passed, failed = judge_folder(Path(data) / "nets" / "corpus", Budget(max_states=20_000), out)
    assert failed == 0, out.getvalue()
    assert passed > 100
