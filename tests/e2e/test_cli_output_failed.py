"""Standard output that takes nothing: full, or closed. It is said, the exit code is 2, and what was done is known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.petri import SAMPLES, petri, shell

FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
FULL_SAID = "standard output PETRI_CANNOT_WRITE cannot be written: No space left on device"
CLOSED_SAID = "standard output PETRI_CANNOT_WRITE cannot be written: it is closed"

PLAN = """\
name: two
flow:
  seq:
    - task: {id: first, run: echo 1}
    - task: {id: second, run: "echo got ${first}"}
"""
PULLED = "name: pulled\nflow: {task: {id: ask, verify: human, maxAttempts: 2}}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan, and two sessions: ``done`` is completed, ``pulled`` has work for whoever comes."""
    (tmp_path / "plan.petri.yaml").write_text(PLAN, encoding="utf-8")
    (tmp_path / "pulled.petri.yaml").write_text(PULLED, encoding="utf-8")
    assert petri("create", "done", cwd=tmp_path).code == 0
    assert petri("run", "plan.petri.yaml", "--session", "done", cwd=tmp_path).code == 0
    assert petri("plan", "pulled.petri.yaml", cwd=tmp_path).code == 0
    return tmp_path


def sessions(folder: Path) -> list[str]:
    said = petri("status", "no-such-session", cwd=folder).err
    return said.partition("sessions: ")[2].rstrip(")\n").split(", ")


def status(folder: Path, session: str) -> Any:
    return petri("status", session, "--all", "--format", "json", cwd=folder).report


CALLS = (
    "--version",
    "--help",
    "run --help",
    "mine --help",
    "analyze plan.petri.yaml",
    "analyze plan.petri.yaml -f json",
    "analyze plan.petri.yaml --fix",
    "export plan.petri.yaml",
    "export done",
    "explain PETRI_UNKNOWN",
    "schema plan",
    "init -",
    "mine done",
    "insights done",
    "status done",
    "status done -f json",
    "status done --watch",
    "status done --replay",
    "create x",
    "plan plan.petri.yaml",
    "run plan.petri.yaml",
    "run plan.petri.yaml -f json",
    "run plan.petri.yaml -f jsonl",
    "run plan.petri.yaml -s",
    f"run {SAMPLES / 'nets' / 'release.petri.yaml'}",
    "claim --session pulled",
    "cancel pulled",
)


@pytest.mark.parametrize("call", CALLS)
def test_a_standard_output_that_is_closed_is_said_before_anything_is_done(folder: Path, call: str) -> None:
    before = petri("status", "pulled", "-f", "json", cwd=folder).report["seq"]
    found = shell(f"petri {call} >&-", folder)
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith(CLOSED_SAID)
    assert found.err.count("\n") == 1
    assert "x" not in sessions(folder)
    assert "two" not in sessions(folder)
    assert petri("status", "pulled", "-f", "json", cwd=folder).report["seq"] == before


@FULL
@pytest.mark.parametrize("call", CALLS)
def test_a_standard_output_that_is_full_is_said(folder: Path, call: str) -> None:
    found = shell(f"petri {call} > /dev/full", folder)
    assert (found.code, found.out) == (2, "")
    assert FULL_SAID in found.err
    assert "Traceback" not in found.err


@FULL
@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_run_goes_on_where_what_it_says_cannot_be_written_and_says_so(folder: Path, form: str) -> None:
    found = shell(f"petri run plan.petri.yaml -f {form} > /dev/full", folder)
    assert found.code == 2
    told = "two is completed all the same; petri status two --all shows it"
    assert found.err == f"{FULL_SAID}\n{told}\n"
    report = status(folder, "two")
    assert (report["state"], report["progress"]["done"]) == ("completed", 2)
    assert not [e for e in report["history"] if e["type"] == "Noted"]


@FULL
def test_a_run_that_fails_unheard_exits_as_one_that_was_not_heard(tmp_path: Path) -> None:
    (tmp_path / "bad.petri.yaml").write_text("name: bad\nflow: {task: {id: a, run: exit 3}}\n", encoding="utf-8")
    found = shell("petri run bad.petri.yaml > /dev/full", tmp_path)
    assert found.code == 2
    assert "bad is deadlocked all the same" in found.err


@FULL
def test_a_net_runs_on_where_its_steps_cannot_be_written(tmp_path: Path) -> None:
    net = SAMPLES / "nets" / "release.petri.yaml"
    found = shell(f"petri run {net} -f jsonl -e events > /dev/full", tmp_path)
    assert found.code == 2
    assert found.err.endswith("the run went on without it, and is completed\n")
    kinds = [json.loads(line)["type"] for line in (tmp_path / "events").read_text(encoding="utf-8").splitlines()]
    assert kinds[-1] == "ExecutionCompleted"


@FULL
def test_a_session_whose_id_nobody_saw_is_cancelled(folder: Path) -> None:
    found = shell("petri create x > /dev/full", folder)
    assert (found.code, found.err) == (2, f"{FULL_SAID} (x was opened, and is cancelled again)\n")
    assert status(folder, "x")["state"] == "cancelled"


@FULL
@pytest.mark.parametrize("form", ["", " --json"])
def test_a_claim_that_nobody_saw_is_taken_back_and_burns_no_attempt(folder: Path, form: str) -> None:
    found = shell(f"petri claim --session pulled{form} > /dev/full", folder)
    assert (found.code, found.err) == (2, f"{FULL_SAID} (the claim c1 is taken back)\n")
    assert status(folder, "pulled")["claims"] == []
    again = petri("claim", "--session", "pulled", "--json", cwd=folder).report
    assert (again["claim"], again["attempt"]) == ("c2", 1)


@FULL
def test_what_was_done_all_the_same_is_named(folder: Path) -> None:
    planned = shell("petri plan plan.petri.yaml > /dev/full", folder)
    assert planned.err == f"{FULL_SAID}\ntwo is at revision 1 all the same\n"
    cancelled = shell("petri cancel two > /dev/full", folder)
    assert cancelled.err == f"{FULL_SAID} (two is cancelled all the same)\n"


@pytest.mark.parametrize("call", [c for c in CALLS if "pulled" not in c])
def test_a_reader_that_goes_away_is_no_error(folder: Path, call: str) -> None:
    found = shell(f"petri {call} 2> said | true; echo ${{PIPESTATUS[0]}}", folder)
    assert found.out == "0\n", (folder / "said").read_text(encoding="utf-8")


@pytest.mark.parametrize("closed", ["<&-", "2>&-", "<&- 2>&-"])
def test_other_streams_that_are_closed_stand_in_no_way(folder: Path, closed: str) -> None:
    ran = shell(f"petri run plan.petri.yaml {closed}", folder)
    assert (ran.code, "✓ completed  two" in ran.out) == (0, True)
    replayed = shell(f"petri status two --replay {closed}", folder)
    assert (replayed.code, replayed.out.splitlines()[0].endswith("session two is opened")) == (0, True)


def test_no_file_of_a_session_becomes_a_standard_stream(folder: Path) -> None:
    """A lock or a database with the number of standard error would be written into by whoever complains."""
    (folder / "look.petri.yaml").write_text(
        'name: look\nflow: {task: {id: a, run: "readlink /proc/$PPID/fd/[012]"}}\n', encoding="utf-8"
    )
    assert shell("petri run look.petri.yaml <&- 2>&-", folder).code == 0
    events = status(folder, "look")["history"]
    (output,) = [e["output"] for e in events if e["type"] == "Reported"]
    assert "petri.db" not in output
    assert output.count("/dev/null") == 2
