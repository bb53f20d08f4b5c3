"""Sessions from the command line: opened, planned, run, looked at, worked on from outside, ended."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from petri_cli.data import read
from tests.e2e.petri import PETRI, SAMPLES, Ended, environment, petri, shell
from tests.e2e.plans import INVERSION, NET

TWO = """\
name: two
flow:
  seq:
    - task: {id: first, run: "echo '{\\"n\\": 3}'"}
    - task: {id: second, run: "echo got ${first.n}"}
"""

PULLED = """\
name: pulled
flow:
  seq:
    - task: {id: ask, verify: {schema: {type: object, required: [answer]}}, maxAttempts: 2}
    - task: {id: sign, verify: human}
    - task: {id: end, run: echo bye}
"""


def write(folder: Path, text: str, name: str = "plan.petri.yaml") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def status(folder: Path, *arguments: str) -> Any:
    done = petri("status", "--format", "json", *arguments, cwd=folder)
    assert done.code == 0, done.err
    Draft7Validator(json.loads(read("schemas", "status"))).validate(done.report)
    return done.report


# Opening and planning


def test_a_session_is_opened_and_told_of(tmp_path: Path) -> None:
    assert petri("create", "big", "--objective", "move it all", cwd=tmp_path) == Ended(0, "big\n", "")
    assert petri("create", "big", cwd=tmp_path).out == "big-2\n"
    shown = petri("status", "big", cwd=tmp_path).out
    assert "waiting  big" in shown
    assert "move it all" in shown
    assert "no plan yet: petri plan FILE" in shown
    assert status(tmp_path, "big")["revision"] is None


def test_a_sound_plan_becomes_a_revision_and_an_unsound_one_leaves_no_trace(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    done = petri("plan", "plan.petri.yaml", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "two  revision 1" in done.out
    report = status(tmp_path)
    assert (report["state"], report["revision"]["number"], report["revision"]["verdict"]) == ("waiting", 1, "SOUND")
    assert report["marking"] == {"p.start": 1}
    assert report["enabled"] == ["t.first"]
    write(tmp_path, INVERSION, "bad.json")
    bad = petri("plan", "bad.json", "--session", "two", cwd=tmp_path)
    assert bad.code == 1
    assert bad.out == petri("analyze", "bad.json", cwd=tmp_path).out
    assert status(tmp_path)["seq"] == report["seq"]
    new = petri("plan", "bad.json", cwd=tmp_path)
    assert new.code == 1
    assert petri("status", cwd=tmp_path).out.startswith("· waiting  two")


@pytest.mark.parametrize("command", ["plan", "run"])
@pytest.mark.parametrize("quiet", [(), ("-q",), ("-f", "json"), ("-f", "jsonl")])
def test_a_plan_that_is_unsound_and_cannot_be_worked_on_hears_the_verdict_first(
    tmp_path: Path, command: str, quiet: tuple[str, ...]
) -> None:
    plan = SAMPLES / "lock-inversion.petri.yaml"
    if command == "plan" and "-f" in quiet:
        pytest.skip("it has one format")
    done = shell(f"petri {' '.join((command, *quiet))} {plan} 2>&1", tmp_path)
    assert done.code == 1
    first, *rest = done.out.splitlines()
    assert first.startswith("✗ UNSOUND")
    assert "waits for" in rest[0]
    others = [line for line in rest if "PETRI_NEEDS_VERIFIER" in line]
    assert len(others) == 2
    assert rest[-2:] == others, "what else is wrong comes last"
    assert not (tmp_path / ".petri" / "petri.db").exists()
    mended = shell(
        f"petri analyze --fix {plan} --diff | patch -o mended.petri.yaml {plan}; petri run mended.petri.yaml", tmp_path
    )
    assert (mended.code, mended.err.count("PETRI_NEEDS_VERIFIER")) == (2, 2), "sound, and still not workable"


def test_a_revision_is_refused_when_somebody_was_first(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    assert petri("plan", "plan.petri.yaml", "--expect-revision", "0", cwd=tmp_path).code == 0
    again = petri("plan", "plan.petri.yaml", "--session", "two", "--expect-revision", "0", cwd=tmp_path)
    assert (again.code, again.out) == (4, "")
    assert "PETRI_REVISION_CONFLICT" in again.err
    write(tmp_path, TWO + "# another text\n")
    assert petri("plan", "plan.petri.yaml", "--session", "two", "--expect-revision", "1", cwd=tmp_path).code == 0
    assert status(tmp_path)["revision"]["number"] == 2


def test_the_text_that_is_there_is_no_new_revision(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    petri("plan", "plan.petri.yaml", cwd=tmp_path)
    before = status(tmp_path)["seq"]
    assert petri("plan", "plan.petri.yaml", "--session", "two", cwd=tmp_path) == Ended(
        0, "✓ two  unchanged, revision 1\n", ""
    )
    assert status(tmp_path)["seq"] == before
    assert petri("run", "plan.petri.yaml", "--session", "two", cwd=tmp_path).code == 0
    assert status(tmp_path)["revision"]["number"] == 1
    over = petri("plan", "plan.petri.yaml", "--session", "two", cwd=tmp_path)
    assert (over.code, "petri run FILE opens another one" in over.err) == (2, True)


def test_who_begins_a_plan_anew_is_told_of_the_session_that_is_unfinished(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    petri("plan", "plan.petri.yaml", cwd=tmp_path)
    done = petri("run", "plan.petri.yaml", cwd=tmp_path)
    assert done.code == 0
    assert done.err == "two is unfinished: petri run --session two goes on with it\n"
    write(tmp_path, TWO + "# another plan\n")
    assert petri("run", "plan.petri.yaml", cwd=tmp_path).err == ""
    write(tmp_path, TWO)
    assert petri("run", "--session", "two", cwd=tmp_path).code == 0
    assert petri("run", "plan.petri.yaml", cwd=tmp_path).err == "", "all are completed"


def test_a_revision_that_is_expected_of_a_new_session_opens_none(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    done = petri("plan", "plan.petri.yaml", "--expect-revision", "3", cwd=tmp_path)
    assert (done.code, done.out) == (4, "")
    assert "PETRI_REVISION_CONFLICT" in done.err
    assert petri("plan", "plan.petri.yaml", "--expect-revision", "0", cwd=tmp_path).code == 0
    assert status(tmp_path)["session"] == "two"


@pytest.mark.parametrize("name", ["a" * 89 + "-long", "." * 95, "…", "-a-", "x" * 300])
def test_a_plan_of_any_name_gets_a_session(tmp_path: Path, name: str) -> None:
    write(tmp_path, TWO.replace("name: two", f"name: '{name}'"))
    assert petri("plan", "plan.petri.yaml", cwd=tmp_path).code == 0


def test_a_net_is_no_plan_of_a_session(tmp_path: Path) -> None:
    write(tmp_path, NET, "net.petri.yaml")
    done = petri("plan", "net.petri.yaml", cwd=tmp_path)
    assert done.code == 2
    assert "PETRI_NOT_A_PLAN" in done.err
    assert petri("status", cwd=tmp_path).code == 2


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("status",), "PETRI_NO_SESSIONS"),
        (("run",), "PETRI_NO_SESSIONS"),
        (("status", "--store", "sqlite:x"), "PETRI_BAD_STORE"),
        (("status", "--store", "sqlite:///"), "PETRI_BAD_STORE"),
        (("status", "--store", "postgres://host/db"), "PETRI_BAD_STORE"),
        (("status", "--store", "none/such.db"), "PETRI_NO_SESSIONS"),
        (("cancel",), "PETRI_NO_SESSIONS"),
        (("claim",), "PETRI_NO_SESSIONS"),
    ],
)
def test_a_call_about_no_session_is_wrong(tmp_path: Path, arguments: tuple[str, ...], code: str) -> None:
    done = petri(*arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert code in done.err
    assert not (tmp_path / ".petri").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        ("status", "--at", "0001-01-01"),
        ("status", "--at", "9" * 5000),
        ("status", "--at", "1", "--watch"),
        ("status", "--replay", "--watch"),
        ("status", "--replay", "--at", "999"),
        ("status", "--replay", "--format", "json"),
        ("status", "--store", f"sqlite:///{'x' * 300}"),
        ("create", "--store", f"sqlite:///{'x' * 300}"),
        ("claim", "--lease", "nan"),
        ("claim", "--lease", "inf"),
        ("claim", "--lease", "1e300"),
        ("heartbeat", "c1", "--lease", "nan"),
    ],
)
def test_a_value_that_makes_no_sense_is_a_wrong_call(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    write(tmp_path, TWO)
    petri("plan", "plan.petri.yaml", cwd=tmp_path)
    done = petri(*arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, ""), done.err
    assert "Traceback" not in done.err


def test_two_stores_in_one_folder_keep_their_work_apart(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    for store in ("a.db", "b.db"):
        assert petri("run", "plan.petri.yaml", "--store", f"sqlite:///{store}", cwd=tmp_path).code == 0
    kept = [(tmp_path / f"{store}.work" / "two" / "c1" / "stdout") for store in ("a.db", "b.db")]
    assert [p.read_text() for p in kept] == ['{"n": 3}\n'] * 2


def test_a_store_may_be_named_by_its_path(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    for path in ("ci/petri.db", str(tmp_path / "abs.db"), "./a:b.db"):
        assert petri("run", "plan.petri.yaml", "--store", path, cwd=tmp_path).code == 0
        assert (tmp_path / path).exists()
        assert status(tmp_path, "--store", f"sqlite:///{path}")["state"] == "completed"


def test_of_sessions_that_are_over_the_latest_is_looked_at(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    for _ in range(2):
        assert petri("run", "plan.petri.yaml", cwd=tmp_path).code == 0
    assert status(tmp_path)["session"] == "two-2"
    assert "PETRI_WHICH_SESSION" in petri("cancel", cwd=tmp_path).err


def test_of_several_sessions_one_must_be_named(tmp_path: Path) -> None:
    petri("create", "a", cwd=tmp_path)
    petri("create", "b", cwd=tmp_path)
    done = petri("status", cwd=tmp_path)
    assert done.code == 2
    assert "PETRI_WHICH_SESSION 2 sessions are live" in done.err
    assert "a, b" in done.err
    assert petri("status", "c", cwd=tmp_path).code == 2
    assert petri("cancel", "b", cwd=tmp_path) == Ended(0, "b is cancelled\n", "")
    assert petri("status", cwd=tmp_path).out.startswith("· waiting  a")


def test_the_session_that_is_meant_is_the_one_that_was_said_then_that_of_the_environment(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        petri("create", name, cwd=tmp_path)
    b = {"PETRI_SESSION": "b"}
    assert petri("status", cwd=tmp_path, env=b).out.startswith("· waiting  b")
    assert petri("status", "a", cwd=tmp_path, env=b).out.startswith("· waiting  a")
    assert petri("status", "--session", "a", cwd=tmp_path, env=b).out.startswith("· waiting  a")
    assert petri("cancel", "--session", "a", cwd=tmp_path, env=b).out == "a is cancelled\n"
    assert petri("cancel", cwd=tmp_path, env=b).out == "b is cancelled\n"
    assert petri("status", cwd=tmp_path, env=b).out.startswith("✗ cancelled  b"), "though c is the only live one"
    assert petri("status", cwd=tmp_path, env={"PETRI_SESSION": ""}).out.startswith("· waiting  c")
    two = petri("status", "a", "--session", "b", cwd=tmp_path)
    assert (two.code, "it is a already" in two.err) == (2, True)


def test_a_session_of_the_environment_that_is_not_there_is_no_other_one(tmp_path: Path) -> None:
    petri("create", "a", cwd=tmp_path)
    for words in (("cancel",), ("run",), ("claim",), ("status",)):
        done = petri(*words, cwd=tmp_path, env={"PETRI_SESSION": "gone"})
        assert done.code == 2
        assert "PETRI_UNKNOWN_SESSION there is no session gone (the variable PETRI_SESSION says so" in done.err
    assert petri("status", cwd=tmp_path).out.startswith("· waiting  a")


def test_a_plan_that_is_run_from_within_a_task_gets_a_session_of_its_own(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    inner = f"{PETRI} run plan.petri.yaml -q && {PETRI} status | head -1"
    write(tmp_path, f"name: outer\nflow: {{task: {{id: a, run: '{inner}'}}}}\n", "outer.petri.yaml")
    assert petri("run", "outer.petri.yaml", cwd=tmp_path).code == 0
    (said,) = [e["output"] for e in status(tmp_path, "outer", "--all")["history"] if e["type"] == "Reported"]
    assert "✓ completed  two" in said
    assert "▶ running  outer" in said, "its own session is the one of the environment"


def test_an_event_number_of_any_length_is_said_as_it_was_given_or_as_cut(tmp_path: Path) -> None:
    petri("create", "a", cwd=tmp_path)
    assert "has the events 1 to 1, not 11111111111111111…" in petri("status", "--at", "1" * 21, cwd=tmp_path).err
    assert "not 123456" in petri("status", "--at", "123456", cwd=tmp_path).err


def test_the_help_of_run_says_what_its_events_are_not_for(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    assert "Of a net or a simulation: write the events" in " ".join(petri("run", "--help", cwd=tmp_path).out.split())
    refused = petri("run", "plan.petri.yaml", "-e", "events", cwd=tmp_path)
    assert (refused.code, "a session keeps its events itself" in refused.err) == (2, True)


# Running


def test_a_plan_is_committed_and_run_to_its_end(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    done = petri("run", "plan.petri.yaml", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "first is done" in done.out
    assert "✓ completed  two" in done.out
    report = status(tmp_path)
    assert report["state"] == "completed"
    assert report["progress"] == {"done": 2, "total": 2, "exact": True}
    assert report["marking"] == {"p.end": 1}
    outputs = [e["output"] for e in status(tmp_path, "--all")["history"] if e["type"] == "Reported"]
    assert outputs == [{"n": 3}, "got 3"]


def test_what_goes_wrong_ends_deadlocked_and_says_what_is_missing(tmp_path: Path) -> None:
    write(
        tmp_path,
        "flow:\n  seq:\n"
        "    - task: {id: bad, run: 'echo no luck >&2; exit 3', maxAttempts: 2}\n"
        "    - task: {id: next, run: ls}\n",
    )
    done = petri("run", "plan.petri.yaml", cwd=tmp_path)
    assert done.code == 1
    assert "✗ deadlocked" in done.out
    assert "no luck" in done.out
    report = status(tmp_path)
    assert report["state"] == "deadlocked"
    assert len(report["missing"]) == 1
    assert "bad" in report["missing"][0]
    assert petri("status", "--exit-code", cwd=tmp_path).code == 1
    assert petri("run", cwd=tmp_path).code == 1
    claims = [e for e in status(tmp_path, "--all")["history"] if e["type"] == "Claimed"]
    assert [c["attempt"] for c in claims] == [1, 2]


def test_a_new_revision_mends_what_was_stuck(tmp_path: Path) -> None:
    write(tmp_path, TWO.replace("echo got ${first.n}", "exit 1"))
    assert petri("run", "plan.petri.yaml", cwd=tmp_path).code == 1
    write(tmp_path, TWO)
    done = petri("run", "plan.petri.yaml", "--session", "two", cwd=tmp_path)
    assert done.code == 0
    assert "1 piece of work kept" in done.out
    report = status(tmp_path, "--all")
    assert [e["task"] for e in report["history"] if e["type"] == "Claimed"] == ["first", "second", "second"]


def test_the_events_come_as_lines_and_the_end_as_data(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    done = petri("run", "plan.petri.yaml", "--format", "jsonl", cwd=tmp_path)
    events = [json.loads(line) for line in done.out.splitlines()]
    assert [e["type"] for e in events if e["type"] in ("Claimed", "Verified", "Ended")] == [
        *("Claimed", "Verified", "Claimed", "Verified", "Ended")
    ]
    for event in events:
        Draft7Validator(json.loads(read("schemas", "session-event"))).validate(event)
    assert [e["seq"] for e in events] == list(range(1, len(events) + 1))
    again = petri("run", "plan.petri.yaml", "--format", "json", cwd=tmp_path)
    Draft7Validator(json.loads(read("schemas", "status"))).validate(again.report)
    assert again.report["session"] == "two-2"


def test_a_session_that_is_over_is_not_run_again(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    petri("run", "plan.petri.yaml", cwd=tmp_path)
    done = petri("run", "--session", "two", cwd=tmp_path)
    assert done.code == 2
    assert "PETRI_SESSION_ENDED" in done.err


def test_a_simulation_leaves_no_session(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    assert petri("run", "--simulate", "plan.petri.yaml", cwd=tmp_path).code == 0
    assert not (tmp_path / ".petri").exists()


def test_no_more_is_begun_than_there_are_files_for(tmp_path: Path) -> None:
    items = ", ".join(map(str, range(60)))
    many = f"name: many\nflow: {{foreach: {{id: e, over: [{items}], body: {{task: {{id: w, run: sleep 0.3}}}}}}}}\n"
    write(tmp_path, many)
    done = shell("ulimit -n 128; petri run plan.petri.yaml -q", tmp_path)
    assert done.code == 0, done.out + done.err


def test_the_sample_builds_checks_tests_and_ships(tmp_path: Path) -> None:
    done = petri("run", SAMPLES / "release.petri.yaml", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert "choice 1 takes branch 1" in done.out
    report = status(tmp_path)
    assert report["progress"] == {"done": 13, "total": 13, "exact": True}
    built = sorted(p.name for p in (tmp_path / "built").glob("*.txt"))
    assert built == ["api.txt", "core.txt", "docs.txt", "web.txt"]
    rounds = [e for e in status(tmp_path, "--all")["history"] if e.get("task") == "tests" and e["type"] == "Claimed"]
    assert [c["rounds"] for c in rounds] == [[1], [2]]


# From outside


def claimed(folder: Path) -> dict[str, Any]:
    done = petri("claim", "--json", "--worker", "w1", cwd=folder)
    assert done.code == 0, done.err
    data: dict[str, Any] = done.report
    return data


def test_workers_and_people_move_a_session_without_a_driver(tmp_path: Path) -> None:
    write(tmp_path, PULLED)
    assert petri("plan", "plan.petri.yaml", cwd=tmp_path).code == 0
    work = claimed(tmp_path)
    assert (work["task"], work["attempt"], work["lease"]) == ("ask", 1, 60.0)
    assert 0 < work["expires"] - status(tmp_path)["at"] <= 60.0
    assert petri("claim", cwd=tmp_path).code == 5
    assert petri("heartbeat", work["claim"], cwd=tmp_path).code == 0
    write(tmp_path, '{"no": 1}', "answer.json")
    assert petri("report", work["claim"], "--output", "answer.json", cwd=tmp_path).code == 0
    assert status(tmp_path)["marking"] == {}
    refused = petri("verify", cwd=tmp_path)
    assert refused.code == 1
    assert "refused by schema" in refused.out
    late = petri("report", work["claim"], cwd=tmp_path)
    assert late.code == 4
    assert "PETRI_CLAIM_ENDED" in late.err
    again = claimed(tmp_path)
    assert again["attempt"] == 2
    write(tmp_path, '{"answer": 42}', "answer.json")
    assert petri("report", again["claim"], "--output", "answer.json", cwd=tmp_path).code == 0
    assert petri("verify", cwd=tmp_path).code == 0
    sign = claimed(tmp_path)
    assert petri("approve", sign["claim"], cwd=tmp_path).code == 2
    assert petri("report", sign["claim"], cwd=tmp_path).code == 0
    waiting = petri("run", "--no-wait", cwd=tmp_path)
    assert waiting.code == 5
    assert petri("approve", sign["claim"], "--by", "ada", "--note", "fine", cwd=tmp_path).code == 0
    done = petri("run", cwd=tmp_path)
    assert done.code == 0, done.out + done.err
    approved = [e for e in status(tmp_path, "--all")["history"] if e["type"] == "Approved"]
    assert [(e["by"], e["note"]) for e in approved] == [("ada", "fine")]


def test_what_a_verifier_prints_does_not_steer_the_terminal(tmp_path: Path) -> None:
    check = "printf '\\\\033[2Jno\\\\nno' >&2; exit 1"
    write(tmp_path, f'name: odd\nflow: {{task: {{id: a, maxAttempts: 2, verify: {{command: "{check}"}}}}}}\n')
    petri("plan", "plan.petri.yaml", cwd=tmp_path)
    petri("report", claimed(tmp_path)["claim"], cwd=tmp_path)
    assert petri("verify", cwd=tmp_path).out == "c1 refused by command: exit status 1: \\x1b[2Jno\\nno\n"


def test_a_result_that_is_too_large_is_refused_and_not_cut(tmp_path: Path) -> None:
    write(tmp_path, PULLED)
    petri("plan", "plan.petri.yaml", cwd=tmp_path)
    done = petri("report", claimed(tmp_path)["claim"], "--output", "-", cwd=tmp_path, stdin=b" " * (64 * 2**20 + 1))
    assert (done.code, done.err.partition(" the ")[0]) == (2, "<stdin> PETRI_TOO_LARGE")
    assert status(tmp_path)["claims"][0]["stage"] == "claimed"


def test_work_of_the_driver_is_not_claimed_by_others(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    petri("plan", "plan.petri.yaml", cwd=tmp_path)
    assert petri("claim", cwd=tmp_path).code == 5
    done = petri("claim", "first", cwd=tmp_path)
    assert done.code == 2
    assert "PETRI_NOT_CLAIMABLE" in done.err


# Two at once

SLOW = """\
name: slow
resources: [{id: slots, capacity: 1}]
flow:
  parallel:
    - guard: {resource: slots, body: {task: {id: one, run: "touch started; while [ ! -e go ]; do sleep 0.02; done"}}}
    - guard: {resource: slots, body: {task: {id: two, run: "echo two >> done"}}}
"""


@pytest.fixture
def driver(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """``petri run`` of the slow plan, whose first task has begun and waits for a file ``go``."""
    write(tmp_path, SLOW)
    command = [str(PETRI), "run", "plan.petri.yaml"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as running:
        until((tmp_path / "started").exists)
        yield running
        (tmp_path / "go").touch()
        running.kill()


@contextmanager
def ending(process: subprocess.Popen[Any]) -> Iterator[None]:
    """Nobody waits for ever for a process whose test has failed."""
    try:
        yield
    finally:
        process.kill()


def until(holds: Any, seconds: float = 30.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def test_a_second_driver_is_refused_and_told_who_holds_the_session(
    driver: subprocess.Popen[str], tmp_path: Path
) -> None:
    second = petri("run", "--session", "slow", cwd=tmp_path)
    assert second.code == 4
    assert "PETRI_SESSION_BUSY" in second.err
    assert f"process {driver.pid}" in second.err
    write(tmp_path, SLOW + "# changed\n")
    with_plan = petri("run", "plan.petri.yaml", "--session", "slow", cwd=tmp_path)
    assert (with_plan.code, "PETRI_SESSION_BUSY" in with_plan.err, with_plan.out) == (4, True, "")
    assert status(tmp_path)["revision"]["number"] == 1, "a run that cannot begin commits nothing"
    report = status(tmp_path)
    assert report["state"] == "running"
    assert report["driver"]["pid"] == driver.pid
    (slots,) = report["resources"]
    assert (slots["free"], slots["held"]) == (0, 1)
    assert [h["inside"] for h in slots["holders"]] == [["one"]]
    assert slots["wanted"] == ["guard g2"]
    (tmp_path / "go").touch()
    assert driver.wait(30) == 0


def test_a_cancelled_session_ends_its_driver_and_what_it_started(driver: subprocess.Popen[str], tmp_path: Path) -> None:
    (claim,) = status(tmp_path)["claims"]
    assert petri("cancel", "--why", "no longer wanted", cwd=tmp_path).code == 0
    assert driver.wait(30) == 1
    assert not Path(f"/proc/{claim['pid']}").exists()
    report = status(tmp_path)
    assert (report["state"], report["why"], report["claims"]) == ("cancelled", "no longer wanted", [])
    assert report["resources"][0]["free"] == 1


def test_a_killed_run_goes_on_where_its_log_ends(driver: subprocess.Popen[str], tmp_path: Path) -> None:
    driver.send_signal(signal.SIGKILL)
    driver.wait(30)
    shown = petri("status", cwd=tmp_path).out
    assert "has died: petri run goes on where it was" in shown
    (tmp_path / "go").touch()
    write(tmp_path, SLOW.replace("{id: one,", "{id: one, maxAttempts: 2,"))
    assert petri("plan", "plan.petri.yaml", "--session", "slow", "--revoke", cwd=tmp_path).code == 0
    done = petri("run", cwd=tmp_path)
    assert done.code == 0, done.out
    assert (tmp_path / "done").read_text() == "two\n"


def test_ctrl_c_lets_what_runs_end_and_the_session_goes_on_later(driver: subprocess.Popen[str], tmp_path: Path) -> None:
    driver.send_signal(signal.SIGINT)
    until(lambda: status(tmp_path)["state"] == "running")
    (tmp_path / "go").touch()
    assert driver.wait(30) == 130
    assert driver.stdout is not None
    assert driver.stdout.read().count("no more is begun; Ctrl-C again ends what runs") == 1
    report = status(tmp_path)
    assert (report["state"], report["progress"]["done"]) == ("suspended", 1)
    assert petri("run", cwd=tmp_path).code == 0


def test_a_run_says_what_it_waits_for(tmp_path: Path) -> None:
    write(
        tmp_path,
        "name: waits\nflow:\n  parallel:\n"
        "    - task: {id: flaky, run: exit 1, maxAttempts: 2, retry: {delay: 1h}}\n"
        "    - task: {id: review, verify: human}\n",
    )
    command = [str(PETRI), "run", "plan.petri.yaml"]
    with (
        (tmp_path / "out").open("w", encoding="utf-8") as out,
        subprocess.Popen(command, cwd=tmp_path, env=environment(), stdout=out, stderr=out) as running,
        ending(running),
    ):
        said = tmp_path / "out"
        until(lambda: "waits for a worker: petri claim review\n" in said.read_text())
        until(lambda: "goes on in 1h\n" in said.read_text() or "goes on in 3600s\n" in said.read_text())
        assert "waits for a worker: petri claim review\n" in petri("status", cwd=tmp_path).out
        assert petri("claim", "review", "--worker", "ada", cwd=tmp_path).code == 0
        until(lambda: "waits for ada: review, then petri report c2\n" in said.read_text())
        assert petri("report", "c2", cwd=tmp_path).code == 0
        until(lambda: "waits for a person: petri approve c2 (or --reject)\n" in said.read_text())
        shown = petri("status", cwd=tmp_path).out
        assert "waits for a person: petri approve c2 (or --reject)\n" in shown
        assert ", for a person to approve\n" in shown
        running.send_signal(signal.SIGINT)
        assert running.wait(30) == 130
    assert said.read_text().count("waits for a worker") == 1
    ended = said.read_text().split("suspended  waits")[1]
    assert "waits for a person: petri approve c2" in ended
    assert "goes on in" not in ended


# Looking


def test_the_past_is_folded_from_the_log(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    petri("run", "plan.petri.yaml", cwd=tmp_path)
    history = status(tmp_path, "--all")["history"]
    assert [e["seq"] for e in history] == list(range(1, len(history) + 1))
    first = next(e["seq"] for e in history if e["type"] == "Verified")
    report = status(tmp_path, "--at", str(first))
    assert (report["progress"]["done"], report["marking"], report["seq"]) == (1, {"p.done.first": 1}, first)
    for wrong in ("0", "999", "yesterday"):
        assert petri("status", "--at", wrong, cwd=tmp_path).code == 2
    replayed = petri("status", "--replay", cwd=tmp_path).out.splitlines()
    assert len(replayed) == len(history)
    assert petri("status", "--replay", "--at", "3", cwd=tmp_path).out.splitlines() == replayed[2:]


def test_watching_ends_with_the_session(tmp_path: Path) -> None:
    write(tmp_path, TWO)
    done = shell(
        "petri plan plan.petri.yaml && (petri status --watch > seen &) ; petri run > /dev/null; sleep 0.5; wait",
        tmp_path,
    )
    assert done.code == 0
    until(lambda: "✓ completed" in (tmp_path / "seen").read_text(encoding="utf-8"))


def test_who_watches_through_a_pipe_gets_each_state_at_once_and_may_leave(tmp_path: Path) -> None:
    write(tmp_path, PULLED)
    petri("plan", "plan.petri.yaml", cwd=tmp_path)
    command = [str(PETRI), "status", "--watch", "--format", "json"]
    with (
        subprocess.Popen(command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, text=True) as watching,
        ending(watching),
    ):
        assert watching.stdout is not None
        following = watching.stdout

        def seen() -> list[Any]:
            claims: list[Any] = json.loads("".join(iter(following.readline, "}\n")) + "}")["claims"]
            return claims

        assert seen() == []
        claimed(tmp_path)
        assert len(seen()) == 1
        watching.stdout.close()
        petri("heartbeat", "c1", cwd=tmp_path)
        assert watching.wait(30) == 0


def test_a_cancelled_session_says_nothing_of_going_on(driver: subprocess.Popen[str], tmp_path: Path) -> None:
    driver.kill()
    driver.wait()
    assert "petri run goes on where it was" in petri("status", cwd=tmp_path).out
    assert petri("cancel", cwd=tmp_path).code == 0
    assert "petri run" not in petri("status", cwd=tmp_path).out
