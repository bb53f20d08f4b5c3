"""Verifiers of every kind: what passes, what does not, and that nothing unclear ever passes."""

from __future__ import annotations

import asyncio
import os
import time
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from petri_cli.driver.check_schema import has_patterns
from petri_cli.driver.commands import Job
from petri_cli.driver.evidence import files_before, files_of, schema_problems
from petri_cli.driver.local import local_work
from petri_cli.driver.options import Options
from petri_cli.driver.process import Programs
from petri_cli.driver.redact import Redactor
from petri_cli.driver.results import Results
from petri_cli.driver.session_driver import SessionDriver
from petri_cli.driver.threads import Thread
from petri_cli.driver.verifiers import single_verifiers, verifier_of
from petri_cli.driver.verify import Report, Verdict, verify
from petri_cli.driver.workability import workability
from petri_cli.errors import InputError
from petri_cli.plan.load import plan_from_data
from petri_cli.session.memory import MemoryEventStore
from tests.sessions import commit_plan

CLAIMED = 1_000_000_000.5
DONE = Report({"n": 1}, 0, claimed_at=CLAIMED)


def verdict(asked: Any, report: Report, folder: Path, timeout: float = 20, **settings: Any) -> Verdict:
    each = {"foreach": {"id": "each", "over": "things", "body": {"task": {"id": "t", "verify": asked}}}}
    plan, _ = plan_from_data({"flow": each})
    node = next(iter(plan.tasks()))
    thread = Thread("1", "the item")
    job = Job(plan, node, "s", "c1", 1, thread, Results(plan, {}).at(node, thread))

    async def main() -> Verdict:
        programs = Programs(grace=0.1, **settings)
        try:
            spec = verifier_of(plan, node)
            return await verify(spec, report, job, programs, folder=folder / "out", cwd=folder, timeout=timeout)
        finally:
            await programs.close()

    return asyncio.run(main())


@pytest.mark.parametrize(
    ("report", "passed", "reason"),
    [
        (DONE, True, ""),
        (replace(DONE, status=3, tail="no space"), False, "exit status 3: no space"),
        (replace(DONE, status=-9), False, "ended by SIGKILL"),
        (replace(DONE, status=-99), False, "ended by signal 99"),
        (replace(DONE, status=None), False, "nobody saw the work end, so that there is no exit status"),
    ],
)
def test_an_exit_code(report: Report, passed: bool, reason: str, tmp_path: Path) -> None:
    found = verdict("exit-code", report, tmp_path)
    assert (found.passed, found.verifier, found.reason) == (passed, "exit-code", reason)


@pytest.mark.parametrize("spec", ["exit-code", "human", {"files": ["*"]}, {"command": "true"}])
def test_a_report_of_failure_passes_nothing(spec: Any, tmp_path: Path) -> None:
    found = verdict(spec, replace(DONE, error="it was ended after 3 s", approved=True), tmp_path)
    assert found == Verdict(False, "report", "it was ended after 3 s")


@pytest.mark.parametrize(
    ("command", "passed", "reason"),
    [
        ("grep -q '\"n\": 1'", True, ""),
        ("grep -q '\"n\": 2'", False, "exit status 1"),
        ("echo checked; echo wrong >&2; exit 2", False, "exit status 2: wrong"),
        (["test", "{item}", "=", "the item"], True, ""),
        ('test "{item}" = \'the item\' && test $PETRI_CLAIM = c1 && test "$PETRI_ITEM" = \'"the item"\'', True, ""),
        (["no-such-program"], False, "exit status 127: sh: 1: exec: no-such-program: not found"),
        ("kill -9 $$", False, "ended by SIGKILL"),
        ("echo ${nobody.x}", False, "there is no task `nobody` (character 6)"),
    ],
)
def test_a_command(command: Any, passed: bool, reason: str, tmp_path: Path) -> None:
    found = verdict({"command": command}, DONE, tmp_path)
    assert (found.passed, found.verifier) == (passed, "command")
    assert found.reason == reason or "no-such-program" in found.reason


@pytest.mark.parametrize("spec", [{"command": "sleep 60"}, {"python": "checks:sleeps"}])
def test_a_verifier_that_takes_too_long_does_not_pass(spec: Any, tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text("import time\ndef sleeps(report): time.sleep(60)", encoding="utf-8")
    found = verdict(spec, DONE, tmp_path, timeout=0.05)
    assert (found.passed, found.reason) == (False, "the verifier took more than 0.05 s")


CHECKS = """
import sys
def true(report): return True
def maybe(report): return report["output"]["n"] == 1
def one(report): return 1
def none(report): pass
def false(report): return False
def reason(report): return {"passed": False, "reason": f"{report['item']} is not right", "seen": [1]}
def passed(report): return {"passed": True, "seen": report["claim"]}
def words(report): return {"passed": "yes"}
def breaks(report): raise ValueError("broken")
def leaves(report): sys.exit(0)
def prints(report): print('{"passed": true}'); return False
"""


@pytest.mark.parametrize(
    ("name", "passed", "reason"),
    [
        ("true", True, ""),
        ("maybe", True, ""),
        ("one", False, "it must return True or {passed, reason}, it returned 1"),
        ("none", False, "it must return True or {passed, reason}, it returned None"),
        ("false", False, "it returned False"),
        ("reason", False, "the item is not right"),
        ("passed", True, ""),
        ("words", False, "it must return True or {passed, reason}, it returned {'passed': 'yes'}"),
        ("leaves", False, "the verifier crashed: exit status 1: it ended the program (0)"),
        ("prints", False, "it returned False"),
    ],
)
def test_a_python_function(name: str, passed: bool, reason: str, tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(CHECKS, encoding="utf-8")
    found = verdict({"python": f"checks:{name}"}, DONE, tmp_path)
    assert (found.passed, found.verifier, found.reason) == (passed, "python", reason)
    assert found.evidence.get("seen") == {"reason": [1], "passed": "c1"}.get(name)


def test_a_python_function_that_raises_does_not_pass(tmp_path: Path) -> None:
    (tmp_path / "checks.py").write_text(CHECKS, encoding="utf-8")
    found = verdict({"python": "checks:breaks"}, DONE, tmp_path)
    assert found.passed is False
    assert found.reason.startswith("the verifier crashed: exit status 1: Traceback")
    assert found.reason.endswith("ValueError: broken")


NEITHER = "fits none of the forms allowed: must be a string, got 3; or must be a list, got 3"
NO_TYPE = (
    "fits none of the forms allowed: must be one of "
    '"array", "boolean", "integer", "null", "number", "object", "string", got "strin"; or must be a list, got "strin"'
)


@pytest.mark.parametrize(
    ("schema", "value", "problems"),
    [
        ({"type": "object"}, {}, []),
        (
            {"properties": {"packages": {"items": {"type": "string"}}}},
            {"packages": [3]},
            ["$.packages[0]: must be a string, got 3"],
        ),
        ({"type": ["integer", "null"]}, "x", ['$: must be an integer or null, got "x"']),
        ({"required": ["a", "b c"]}, {"a": 1}, ["$: needs the key `b c`"]),
        ({"enum": ["a", 1]}, "b", ['$: must be one of "a", 1, got "b"']),
        ({"const": True}, 1, ["$: must be true, got 1"]),
        ({"minimum": 3}, 2, ["$: must be at least 3, got 2"]),
        ({"minItems": 2}, [1], ["$: must have at least 2 elements, has 1"]),
        ({"pattern": "^a"}, "b", ['$: must match the pattern "^a", got "b"']),
        ({"properties": {"x y": {"type": "null"}}}, {"x y": 1}, ['$["x y"]: must be null, got 1']),
        ({"anyOf": [{"type": "string"}, {"type": "array"}]}, 3, [f"$: {NEITHER}"]),
        ({"items": {"type": "null"}}, [1, 2, 3, 4], [f"$[{k}]: must be null, got {k + 1}" for k in range(3)]),
        ({"type": "strin"}, 3, [f"the schema itself is wrong, at $.type: {NO_TYPE}"]),
        ({"additionalProperties": False}, {"a": 1}, ["$: Additional properties are not allowed ('a' was unexpected)"]),
        ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "null"}}}, 1, ["$: must be null, got 1"]),
    ],
)
def test_a_schema_says_what_is_wrong_and_where(schema: dict[str, Any], value: Any, problems: list[str]) -> None:
    assert schema_problems(schema, value) == problems


def test_true_and_false_are_schemas_too(tmp_path: Path) -> None:
    for written, passed in ((True, True), (False, False)):
        flow = {"task": {"id": "t", "run": "x", "verify": {"schema": written}}}
        plan, warnings = plan_from_data({"flow": flow})
        (task,) = plan.tasks()
        assert (task.settings["verify"], warnings, workability(plan)) == ({"schema": written}, (), [])
        assert verdict({"schema": written}, DONE, tmp_path).passed is passed
    with pytest.raises(InputError, match="schema must be a map, true or false"):
        plan_from_data({"flow": {"task": {"id": "t", "run": "x", "verify": {"schema": 1}}}})


def test_a_schema_verifier_reads_large_results(tmp_path: Path) -> None:
    found = verdict({"schema": {"type": "string"}}, DONE, tmp_path)
    assert found == Verdict(False, "schema", '$: must be a string, got {"n": 1}')
    assert verdict({"schema": {"type": "object"}}, DONE, tmp_path).passed is True
    gone = replace(DONE, output=None, files={"output": {"path": str(tmp_path / "gone"), "sha256": "x"}})
    assert "cannot be read" in verdict({"schema": {}}, gone, tmp_path).reason


ENDLESS = {"properties": {"s": {"pattern": "^(a+)+$"}}}


@pytest.mark.slow
def test_a_pattern_is_looked_for_in_a_process_that_can_be_ended(tmp_path: Path) -> None:
    (tmp_path / "petri_cli.py").write_text("raise SystemExit(0)  # of the project, not ours")
    report = replace(DONE, output={"s": "a" * 60 + "b"})
    assert verdict({"schema": ENDLESS}, report, tmp_path, timeout=1) == Verdict(
        False, "schema", "the verifier took more than 1 s"
    )
    for text, problems in (("aaa", ""), ("ab", '$.s: must match the pattern "^(a+)+$", got "ab"')):
        found = verdict({"schema": ENDLESS}, replace(DONE, output={"s": text}), tmp_path)
        assert (found.passed, found.reason) == (not problems, problems)


@pytest.mark.parametrize(
    ("schema", "there"),
    [
        (ENDLESS, True),
        ({"items": [{"anyOf": [{"patternProperties": {"^x": {}}}]}]}, True),
        ({"type": "object", "required": ["pattern"]}, False),
        (True, False),
    ],
)
def test_patterns_are_found_wherever_they_are_in_a_schema(schema: Any, there: bool) -> None:
    assert has_patterns(schema) is there


def test_a_schema_fetches_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []

    def urlopen(url: object, *_: object, **__: object) -> None:
        asked.append(url)
        raise OSError("no network")

    monkeypatch.setattr(urllib.request, "urlopen", urlopen)
    remote = verdict({"schema": {"$ref": "http://localhost:1/x.json"}}, DONE, tmp_path)
    assert remote.passed is False
    assert remote.reason.startswith("the verifier crashed")
    assert "localhost" in remote.reason
    assert asked == []


def written(folder: Path, name: str, after: float) -> None:
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(name, encoding="utf-8")
    at = int((CLAIMED + after) * 1e9)
    os.utime(path, ns=(at, at))


def test_files_must_be_there_and_newer_than_the_claim(tmp_path: Path) -> None:
    written(tmp_path, "dist/old.whl", -60)
    written(tmp_path, "dist/new.whl", 0.25)
    written(tmp_path, "dist/the item.json", 1)
    written(tmp_path, "whole-second", -0.5)

    def files(*patterns: str) -> Verdict:
        return verdict({"files": list(patterns)}, DONE, tmp_path)

    found = files("dist/*.whl", "dist/{item}.json", "**/new.whl")
    assert found.passed is True
    assert [f["path"] for f in found.evidence["files"]] == ["dist/new.whl", "dist/the item.json", "dist/new.whl"]
    assert files("whole-second").passed is True
    assert files("dist/old.whl").reason == "dist/old.whl is older than the claim"
    assert files("none*", "dist/new.whl", "dist").reason == "no file matches none*; no file matches dist"
    assert files(str(tmp_path / "dist" / "new.whl")).passed is True
    assert files("dist/../dist/new.whl").passed is True


AHEAD = 86_400
"""Seconds by which a file's time lies in the future."""


def ahead(path: Path) -> None:
    path.touch()
    os.utime(path, (time.time() + AHEAD, time.time() + AHEAD))


def test_a_file_whose_time_lies_in_the_future_was_there_before_the_claim(tmp_path: Path) -> None:
    ahead(tmp_path / "report.md")
    claimed_at = (tmp_path / "report.md").stat().st_ctime + 1
    why = "report.md was there before, and nobody has written to it since"
    assert files_of(["report.md"], tmp_path, claimed_at).missing == [why]
    assert files_of(["report.md"], tmp_path, claimed_at - 2).missing == []


def test_what_was_there_when_the_work_began_counts_only_if_it_was_written_since(tmp_path: Path) -> None:
    for name in ("same.md", "changed.md", "replaced.md"):
        ahead(tmp_path / name)
    claimed_at = time.time() - 60
    before = files_before(["*.md"], tmp_path, time.time())
    (tmp_path / "same.md").chmod(0o600)  # which changes ctime
    (tmp_path / "changed.md").write_text("x", encoding="utf-8")
    ahead(tmp_path / "new.md")
    (tmp_path / "new.md").rename(tmp_path / "replaced.md")
    ahead(tmp_path / "new.md")
    found = files_of(["*.md", "same.md"], tmp_path, claimed_at, None, before)
    assert [f["path"] for f in found.files] == ["changed.md", "new.md", "replaced.md"]
    assert found.missing == ["same.md was there before, and nobody has written to it since"]


def test_the_driver_looks_before_it_begins(tmp_path: Path) -> None:
    """A file with a time in the future is there already: a task that leaves it alone has not made it."""
    store = MemoryEventStore()

    async def drive(session: str) -> str:
        options = Options(folder=tmp_path / "work", cwd=tmp_path, signals=False)
        async with local_work(store, session, options) as (perform, judge):
            return (await SessionDriver(store, session, perform, judge, options).run()).state

    for name, run, state in (("lazy", "chmod 600 out", "deadlocked"), ("does", "echo x > out", "completed")):
        ahead(tmp_path / "out")
        session = store.create(name)
        commit_plan(store, session, {"flow": {"task": {"id": "t", "run": run, "verify": {"files": ["out"]}}}})
        assert asyncio.run(drive(session)) == state


def test_a_claim_of_a_clock_that_was_far_ahead_says_so_where_files_look_old(tmp_path: Path) -> None:
    written(tmp_path, "new.whl", -3600)
    found = files_of(["new.whl", "none"], tmp_path, CLAIMED, now=CLAIMED - 3600)
    assert found.missing[0].startswith("new.whl is older than the claim (the time of this log is 1h ahead of this mach")
    assert "go on in a new session" in found.missing[0]
    assert found.missing[1] == "no file matches none"
    assert files_of(["new.whl"], tmp_path, CLAIMED, now=CLAIMED - 1).missing == ["new.whl is older than the claim"]


def test_an_item_is_no_pattern(tmp_path: Path) -> None:
    written(tmp_path, "a", 1)
    each = {"foreach": {"id": "e", "over": "x", "body": {"task": {"id": "t", "verify": {"files": ["{item}"]}}}}}
    plan, _ = plan_from_data({"flow": each})
    node, thread = next(iter(plan.tasks())), Thread("1", "*")
    job = Job(plan, node, "s", "c1", 1, thread, Results(plan, {}).at(node, thread))
    found = asyncio.run(verify({"files": ["{item}"]}, DONE, job, Programs(), folder=tmp_path, cwd=tmp_path))
    assert (found.passed, found.reason) == (False, "no file matches [*]")


def test_a_person_is_waited_for(tmp_path: Path) -> None:
    assert verdict("human", DONE, tmp_path) == Verdict(None, "human", "it waits for approval")
    said = replace(DONE, approved=True, approved_by="ann")
    assert verdict("human", said, tmp_path) == Verdict(True, "human", "", {"by": "ann"})
    said = replace(DONE, approved=False, approved_by="ann", note="not yet")
    found = verdict({"all": [{"command": "touch asked"}, "human"]}, said, tmp_path)
    assert found == Verdict(False, "human", "not approved by ann: not yet", {"by": "ann", "note": "not yet"})
    assert not (tmp_path / "asked").exists()


def test_all_must_pass_and_a_person_is_asked_last(tmp_path: Path) -> None:
    spec = {"all": ["human", "exit-code", {"all": [{"command": "touch a"}, "human", {"command": "false"}]}]}
    assert single_verifiers(spec) == ["exit-code", {"command": "touch a"}, {"command": "false"}, "human"]
    assert verdict(spec, DONE, tmp_path).reason == "exit status 1"
    assert (tmp_path / "a").exists()
    fine = {"all": ["human", "exit-code", {"schema": {}}]}
    assert verdict(fine, DONE, tmp_path).passed is None
    found = verdict(fine, replace(DONE, approved=True, approved_by="ann"), tmp_path)
    assert (found.passed, found.verifier) == (True, "all")
    assert [e["verifier"] for e in found.evidence["all"]] == ["exit-code", "schema", "human"]
    assert verdict(fine, replace(DONE, approved=True, status=1), tmp_path).verifier == "exit-code"


def test_deep_nesting_is_flattened_without_recursion() -> None:
    spec: Any = "exit-code"
    for _ in range(5_000):
        spec = {"all": [spec]}
    assert single_verifiers(spec) == ["exit-code"]


def test_reasons_and_evidence_hold_no_secret(tmp_path: Path) -> None:
    report = replace(DONE, output={"n": "hunter2!"})
    found = verdict(
        {"schema": {"properties": {"n": {"type": "null"}}}}, report, tmp_path, redactor=Redactor(["hunter2!"])
    )
    assert found.reason == '$.n: must be null, got "***"'
