"""Secrets that one process does not know and another one does: what knows them masks them, whoever wrote them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.petri import petri

SECRET = "sesame-open"  # noqa: S105 - nobody's
KNOWN = {"API_TOKEN": SECRET}
PLAN = """\
name: hush
secrets: [API_TOKEN]
flow:
  seq:
    - task: {id: ask, verify: human}
    - foreach: {id: each, over: "${ask.items}", body: {task: {id: use, run: "echo {item} >&2; exit 3"}}}
"""
WARNING = "the plan calls API_TOKEN secret, not set here: its value cannot be masked in this log"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A session of which somebody who does not know the secret has reported it, and approved of that."""
    (tmp_path / "plan.petri.yaml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "result.json").write_text(json.dumps({"items": [SECRET, "fine"]}), encoding="utf-8")
    assert petri("plan", "plan.petri.yaml", cwd=tmp_path).code == 0
    assert petri("claim", "--worker", "ann", cwd=tmp_path).code == 0
    said = petri("report", "c1", "--output", "result.json", cwd=tmp_path)
    assert (said.code, said.err.count(WARNING)) == (0, 1)
    said = petri("approve", "c1", "--by", "bob", "--note", f"{SECRET} is right", cwd=tmp_path)
    assert (said.code, said.err.count(WARNING)) == (0, 1)
    return tmp_path


def test_a_driver_that_knows_a_secret_writes_it_nowhere_and_shows_it_to_nobody(folder: Path) -> None:
    done = petri("run", "--format", "jsonl", "--keep-going", cwd=folder, env=KNOWN)
    assert done.code == 1
    assert SECRET not in done.out + done.err
    assert "*** is right" in done.out
    assert "cannot be masked" not in done.err
    with closing(sqlite3.connect(folder / ".petri" / "petri.db")) as db:
        told = db.execute("SELECT type FROM events WHERE payload LIKE ?", [f"%{SECRET}%"]).fetchall()
    assert told == [("Reported",), ("Approved",)], "what was written by those who did not know it"


@pytest.mark.parametrize(
    "call",
    [
        ("status", "--all"),
        ("status", "--all", "--format", "json"),
        ("status", "--replay"),
        ("run", "--keep-going"),
        ("run", "--keep-going", "--format", "json"),
    ],
)
def test_whoever_knows_a_secret_is_not_shown_it(folder: Path, call: tuple[str, ...]) -> None:
    shown = petri(*call, cwd=folder, env=KNOWN)
    assert shown.code in (0, 1), shown.err
    assert SECRET not in shown.out + shown.err
    if call[0] == "status":
        assert SECRET in petri(*call, cwd=folder).out, "nobody can mask what they do not know"


def test_a_run_that_does_not_know_a_secret_says_so_once(folder: Path) -> None:
    done = petri("run", "--keep-going", cwd=folder)
    assert done.err.count(WARNING) == 1
