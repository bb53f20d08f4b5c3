"""A run that mends itself, from the command line."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from petri_cli.data import read
from tests.e2e.petri import PETRI, environment, petri

FLAKY = """\
name: flaky
flow:
  seq:
    - task: {id: first, run: "echo 1"}
    - foreach:
        id: each
        over: [a, b]
        body:
          task:
            id: flaky
            maxAttempts: 2  # this comment stays
            run: 'echo x >> n_${item}; [ ${item} = a ] || [ $(wc -l < n_${item}) -ge 3 ]'
    - task: {id: last, run: "echo end >> done"}
"""

BROKEN = """\
name: broken
flow:
  task: {id: broken, run: 'echo x >> tries; exit 1'}
"""


def plan(folder: Path, text: str) -> None:
    (folder / "plan.petri.yaml").write_text(text, encoding="utf-8")


def status(folder: Path) -> Any:
    report = petri("status", "--format", "json", cwd=folder).report
    Draft7Validator(json.loads(read("schemas", "status"))).validate(report)
    return report


def test_a_run_mends_its_session_and_completes_without_a_model(tmp_path: Path) -> None:
    plan(tmp_path, FLAKY)
    done = petri("run", "plan.petri.yaml", "--repair", "adaptive", cwd=tmp_path)
    assert done.code == 0, done.out + done.err
    assert "repair r1 (adaptive) proposes maxAttempts of flaky 2 → 3" in done.out
    assert "repair r1 is accepted: sound, and what was done fits it" in done.out
    assert (tmp_path / "done").read_text() == "end\n"
    assert (tmp_path / "n_b").read_text() == "x\n" * 3
    shown = petri("status", "flaky", cwd=tmp_path)
    assert "r1 (adaptive, of revision 1) accepted: sound, and what was done fits it" in shown.out


def test_repairs_are_off_unless_asked_for(tmp_path: Path) -> None:
    plan(tmp_path, FLAKY)
    done = petri("run", "plan.petri.yaml", cwd=tmp_path)
    assert done.code == 1
    assert "deadlocked" in done.out
    assert "petri run --repair adaptive gives attempts where they may help" in done.out
    assert status(tmp_path)["repairs"] == []


def test_a_task_that_never_succeeded_gets_one_more_attempt_once(tmp_path: Path) -> None:
    plan(tmp_path, BROKEN)
    assert petri("run", "plan.petri.yaml", "--repair", "adaptive", cwd=tmp_path).code == 1
    assert petri("run", "--session", "broken", "--repair", "adaptive", cwd=tmp_path).code == 1
    assert (tmp_path / "tries").read_text() == "x\n" * 2
    assert [r["id"] for r in status(tmp_path)["repairs"]] == ["r1"]


def test_the_events_of_a_repair_are_told_once_each_and_in_order(tmp_path: Path) -> None:
    plan(tmp_path, FLAKY)
    done = petri("run", "plan.petri.yaml", "--repair", "adaptive", "--format", "jsonl", cwd=tmp_path)
    told = [json.loads(line) for line in done.out.splitlines()]
    assert [e["seq"] for e in told] == list(range(1, len(told) + 1))
    valid = Draft7Validator(json.loads(read("schemas", "session-event")))
    for event in told:
        valid.validate(event)
    kinds = [e["type"] for e in told]
    at = kinds.index("RepairProposed")
    assert kinds[at - 2 : at + 3] == ["Ended", "DriverEnded", "RepairProposed", "RepairDecided", "RevisionCommitted"]
    proposed, revised = told[at], told[at + 2]
    assert proposed["verdict"] == "SOUND"
    assert "# this comment stays" in proposed["text"]
    assert proposed["died"]["deadlockExample"]
    assert (revised["revision"], revised["by"]) == (2, "repair r1")


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    command = [str(PETRI), "run", *arguments]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, cwd=folder, env=environment(), stdout=pipe, stderr=pipe, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def awaited(folder: Path) -> None:
    """Until a person is asked."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        shown = petri("status", "flaky", cwd=folder)
        if "waits for a person: petri approve r1" in shown.out:
            return
        time.sleep(0.1)
    raise AssertionError("nobody was asked")


@pytest.mark.parametrize("word", ["approve", "reject"])
def test_a_run_waits_for_a_persons_word(tmp_path: Path, word: str) -> None:
    plan(tmp_path, FLAKY)
    with running(tmp_path, "plan.petri.yaml", "--repair", "adaptive", "--approve-repairs") as process:
        awaited(tmp_path)
        reject = ["--reject"] if word == "reject" else []
        said = petri("approve", "r1", *reject, "--by", "ada", "--note", "seen", cwd=tmp_path)
        assert said.code == 0, said.err
        out, err = process.communicate(timeout=60)
    assert process.returncode == (0 if word == "approve" else 1)
    assert "repair r1 waits for a person: petri approve r1 --session flaky (or --reject)" in err
    assert f"repair r1 is {'accepted' if word == 'approve' else 'rejected'} by ada: seen" in out


def test_a_run_that_does_not_wait_leaves_the_question_and_the_next_one_goes_on(tmp_path: Path) -> None:
    plan(tmp_path, FLAKY)
    asked = petri("run", "plan.petri.yaml", "--repair", "adaptive", "--approve-repairs", "--no-wait", cwd=tmp_path)
    assert asked.code == 1
    assert status(tmp_path)["repairs"][0]["accepted"] is None
    assert petri("approve", "r1", cwd=tmp_path).code == 0
    again = petri("approve", "r1", cwd=tmp_path)
    assert again.code == 2
    assert "PETRI_NO_APPROVAL repair r1 was accepted" in again.err
    assert petri("run", cwd=tmp_path).code == 0


def test_an_interrupt_ends_the_wait_and_the_question_stays(tmp_path: Path) -> None:
    plan(tmp_path, FLAKY)
    with running(tmp_path, "plan.petri.yaml", "--repair", "adaptive", "--approve-repairs") as process:
        awaited(tmp_path)
        process.send_signal(2)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    assert status(tmp_path)["repairs"][0]["accepted"] is None


def test_no_repair_where_none_may_be_had(tmp_path: Path) -> None:
    plan(tmp_path, FLAKY)
    done = petri("run", "plan.petri.yaml", "--repair", "adaptive", "--max-repairs", "0", cwd=tmp_path)
    assert done.code == 1
    assert "the session had its 0 repairs; --max-repairs allows more" in done.err


def test_the_question_names_the_store_where_it_is_not_the_usual_one(tmp_path: Path) -> None:
    plan(tmp_path, FLAKY)
    asked = petri(
        "run", "plan.petri.yaml", "--store", "other.db", "--repair", "adaptive", "--approve-repairs", "--no-wait",
        cwd=tmp_path,
    )  # fmt: skip
    assert "petri approve r1 --session flaky --store other.db (or --reject)" in asked.err
    assert petri("approve", "r1", "--session", "flaky", "--store", "other.db", cwd=tmp_path).code == 0
