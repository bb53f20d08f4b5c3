"""``petri insights`` on real sessions that were made to learn from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft7Validator

from petri_cli.cli.main import main
from petri_cli.data import read
from petri_cli.driver import insights as driver
from tests.e2e.petri import SAMPLES, petri

FLAKY = """\
name: flaky
resources: [{id: ci_slots, capacity: 2}]
flow:
  seq:
    - foreach:
        id: each
        over: [a, b, c, d, e]
        body: {guard: {resource: ci_slots, body: {task: {id: work, run: "sleep 0.5"}}}}
    - foreach:
        id: tries
        over: [1, 2, 9]
        body:
          task:
            id: flaky
            maxAttempts: 3  # enough?
            run: "n=$(cat n{item} || echo 0); n=$((n+1)); echo $n > n{item}; test $n -ge {item}"
"""


def insights(folder: Path, *arguments: str) -> Any:
    done = petri("insights", "--format", "json", *arguments, cwd=folder)
    assert done.code == 0, done.err
    Draft7Validator(json.loads(read("schemas", "insights"))).validate(done.report)
    return {a["kind"]: a for a in done.report["adaptations"]}


def run(folder: Path, plan: str, *arguments: str) -> int:
    (folder / "plan.petri.yaml").write_text(plan, encoding="utf-8")
    return petri("run", "plan.petri.yaml", *arguments, cwd=folder).code


def test_the_two_adaptations_of_a_flaky_task_and_a_narrow_resource_with_true_counts(tmp_path: Path) -> None:
    assert run(tmp_path, FLAKY, "--keep-going") == 1
    found = insights(tmp_path)
    assert found.keys() == {"maxAttempts", "resourceCapacity"}
    attempts, capacity = found["maxAttempts"], found["resourceCapacity"]
    assert (attempts["target"], attempts["current"], attempts["suggested"]) == ("t.flaky", 3, 4)
    assert attempts["evidence"] == {
        "exhausted": 1, "committed": 2, "worstStreak": 3, "of": 3, "sessions": ["flaky"]
    }  # fmt: skip
    assert "yet committed in 2 (worst streak 3); the failures are transient" in attempts["rationale"]
    assert (capacity["target"], capacity["current"], capacity["suggested"]) == ("ci_slots", 2, 3)
    assert capacity["evidence"]["starved"] == 3
    assert capacity["evidence"]["acquisitions"] == 5
    assert "drained to zero while 3 further acquisition(s) were otherwise ready" in capacity["rationale"]


def test_what_is_applied_is_a_revision_that_changes_two_numbers_and_nothing_else(tmp_path: Path) -> None:
    run(tmp_path, FLAKY, "--keep-going")
    done = petri("insights", "--apply", cwd=tmp_path)
    assert done.code == 0, done.err
    assert "revision 2" in done.out
    history = petri("status", "--all", "--format", "json", cwd=tmp_path).report["history"]
    (text,) = [e["text"] for e in history if e["type"] == "RevisionCommitted" and e["revision"] == 2]
    assert text == FLAKY.replace("capacity: 2", "capacity: 3").replace("maxAttempts: 3", "maxAttempts: 4")
    assert insights(tmp_path) == {}


def test_what_somebody_commits_meanwhile_is_not_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(tmp_path, FLAKY, "--keep-going")
    look_into = driver.insights

    def slowly(*asked: Any, **more: Any) -> Any:
        found = look_into(*asked, **more)
        (tmp_path / "plan.petri.yaml").write_text(f"{FLAKY}# by somebody else\n", encoding="utf-8")
        assert petri("plan", "plan.petri.yaml", "--session", "flaky", cwd=tmp_path).code == 0
        return found

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(driver, "insights", slowly)
    assert main(["insights", "--apply"]) == 4
    assert "PETRI_REVISION_CONFLICT" in capsys.readouterr().err
    assert petri("status", "--format", "json", cwd=tmp_path).report["revision"]["number"] == 2


def test_a_step_that_never_succeeded_gets_one_more_attempt_once(tmp_path: Path) -> None:
    plan = "name: hopeless\nflow: {task: {id: never, maxAttempts: 2, run: exit 1}}\n"
    assert run(tmp_path, plan) == 1
    assert (insights(tmp_path)["maxAttempts"]["suggested"]) == 3
    assert petri("insights", "--apply", cwd=tmp_path).code == 0
    assert petri("run", cwd=tmp_path).code == 1
    found = insights(tmp_path)["maxAttempts"]
    assert (found["current"], found["suggested"]) == (3, None)
    assert "more patience is not the answer" in found["rationale"]
    assert petri("insights", "--apply", cwd=tmp_path).code == 0
    assert petri("status", "--format", "json", cwd=tmp_path).report["revision"]["number"] == 2


def test_a_persons_no_is_no_reason_for_another_attempt(tmp_path: Path) -> None:
    plan = "name: signed\nflow: {task: {id: draft, run: echo text, verify: human}}\n"
    assert run(tmp_path, plan, "--no-wait") == 5
    assert petri("approve", "c1", "--reject", "--by", "ada", cwd=tmp_path).code == 0
    assert petri("run", cwd=tmp_path).code == 1
    found = insights(tmp_path)["maxAttempts"]
    assert (found["current"], found["suggested"]) == (1, None)
    assert found["evidence"] == {"rejected": 1, "of": 1, "sessions": ["signed"]}
    assert "because a person rejected what was done" in found["rationale"]
    assert petri("insights", "--apply", cwd=tmp_path).code == 0
    assert petri("status", "--format", "json", cwd=tmp_path).report["revision"]["number"] == 1


def test_moments_are_no_reason_to_change_a_capacity(tmp_path: Path) -> None:
    assert run(tmp_path, FLAKY.replace("sleep 0.5", "sleep 0.015").replace("test $n -ge {item}", "true")) == 0
    found = insights(tmp_path)
    assert found.keys() == {"resourceCapacity"}
    assert found["resourceCapacity"]["suggested"] is None
    assert found["resourceCapacity"]["evidence"]["starved"] >= 1
    assert "below 1 s nothing is to be gained" in found["resourceCapacity"]["rationale"]
    shown = " ".join(petri("insights", cwd=tmp_path).out.split())
    assert "Seen resourceCapacity ci_slots" in shown
    assert "--apply" not in shown


def test_what_no_completed_run_did_is_told_and_not_changed(tmp_path: Path) -> None:
    plan = """\
name: two ways
flow:
  seq:
    - task: {id: ask, run: echo 1}
    - choice:
        - {when: "${ask} == 1", body: {task: {id: left, run: ls}}}
        - {task: {id: right, run: ls}}
"""
    assert run(tmp_path, plan) == 0
    found = insights(tmp_path)
    assert found.keys() == {"deadTransition"}
    assert (found["deadTransition"]["target"], found["deadTransition"]["suggested"]) == ("t.right", None)
    assert "1 session, 1 completed in " in petri("insights", cwd=tmp_path).out


# Conformance, candidates, what if

QUEUE = """\
name: queue
resources: [{id: ci_slots, capacity: 1}]
flow:
  seq:
    - task: {id: survey, run: "sleep 0.1"}
    - foreach:
        id: each
        over: [a, b, c]
        body: {guard: {resource: ci_slots, body: {task: {id: build, run: "sleep 0.2"}}}}
    - task: {id: ship, run: "true"}
"""


def report(folder: Path, *arguments: str, code: int = 0) -> Any:
    done = petri("insights", "--format", "json", *arguments, cwd=folder)
    assert done.code == code, done.err
    Draft7Validator(json.loads(read("schemas", "insights"))).validate(done.report)
    return done.report


def exactly(value: float) -> dict[str, float]:
    return {"lower": value, "upper": value}


def test_a_session_that_came_to_its_end_is_a_run_of_its_plan(tmp_path: Path) -> None:
    assert run(tmp_path, QUEUE) == 0
    found = report(tmp_path)["conformance"]
    assert (found["cases"], found["ended"], found["fittingCases"]) == (1, 1, exactly(1))
    assert (found["fitness"], found["cost"], found["deviations"]) == (exactly(1), exactly(0), [])
    text = petri("insights", cwd=tmp_path).out
    assert "1 of 1 fit; exact alignments cost 0; 1 of 1 case came to its end" in text
    assert "petri mine queue lists the variants" in text


def test_what_has_not_ended_is_counted_and_not_aligned(tmp_path: Path) -> None:
    assert run(tmp_path, QUEUE.replace('run: "true"', 'maxAttempts: 1, run: "false"')) == 1
    found = report(tmp_path)["conformance"]
    assert (found["cases"], found["ended"], found["fitness"]) == (1, 0, None)
    assert "0 of 1 case came to its end: there is nothing to align yet" in petri("insights", cwd=tmp_path).out


def test_a_candidate_is_scored_against_the_same_history(tmp_path: Path) -> None:
    assert run(tmp_path, QUEUE) == 0
    assert run(tmp_path, QUEUE) == 0
    other = QUEUE.replace("id: survey", "id: sign").replace('    - task: {id: ship, run: "true"}\n', "")
    (tmp_path / "other.petri.yaml").write_text(other, encoding="utf-8")
    found = report(tmp_path, "queue", "--all-sessions", "--candidate", "other.petri.yaml")
    assert (found["conformance"]["ended"], found["conformance"]["fitness"]) == (2, exactly(1))
    score = found["candidate"]
    assert (score["verdict"], score["fittingCases"], score["cost"]) == ("SOUND", exactly(0), exactly(6))
    assert {d["activity"]: (d["extra"], d["skipped"], d["cases"], d["known"]) for d in score["deviations"]} == {
        "ship": (2, 0, 2, False), "survey": (2, 0, 2, False), "sign": (0, 2, 2, True),
    }  # fmt: skip
    assert score["deviations"][0]["examples"] == ["queue@1", "queue-2@1"]


def test_an_unsound_candidate_fails_the_call(tmp_path: Path) -> None:
    assert run(tmp_path, QUEUE) == 0
    unsound = (SAMPLES / "lock-inversion.petri.yaml").read_text(encoding="utf-8")
    (tmp_path / "other.petri.yaml").write_text(unsound, encoding="utf-8")
    assert report(tmp_path, "--candidate", "other.petri.yaml", code=1)["candidate"]["verdict"] == "UNSOUND"


def test_what_another_capacity_would_change_is_simulated_with_the_durations_of_history(tmp_path: Path) -> None:
    assert run(tmp_path, QUEUE) == 0
    found = report(tmp_path, "--what-if", "ci_slots=3", "--timeout", "60")["whatIf"]
    assert (found["changes"], found["runs"], found["wanted"], found["stuck"]) == ({"ci_slots": 3}, 200, 200, 0)
    assert found["change"]["high"] < -0.3, "three builds of 0.2 s, now side by side"
    assert found["before"]["mean"] > 0.7
    (load,) = found["resources"]
    assert load["capacity"] == [1, 3]
    assert load["waits"] == [2, 0]
    assert load["queuedSeconds"][0] > 0.5
    assert load["queuedSeconds"][1] == 0
    assert found == report(tmp_path, "--what-if", "ci_slots=3", "--timeout", "60")["whatIf"]
    text = petri("insights", "--what-if", "ci_slots=3", cwd=tmp_path).out
    assert "What if ci_slots = 3" in text
    assert "of 200 pairs of simulated runs" in text


def test_a_capacity_of_no_resource_or_of_no_number_is_refused(tmp_path: Path) -> None:
    assert run(tmp_path, QUEUE) == 0
    done = petri("insights", "--what-if", "ci_slot=3", cwd=tmp_path)
    assert (done.code, "PETRI_UNKNOWN_RESOURCE" in done.err, "ci_slots" in done.err) == (2, True, True)
    for wrong in ("ci_slots=0", "ci_slots=x", "ci_slots"):
        assert petri("insights", "--what-if", wrong, cwd=tmp_path).code == 2


def test_a_lock_is_never_widened_by_itself(tmp_path: Path) -> None:
    plan = """\
name: lock
resources: [{id: repo_lock, capacity: 1}]
flow:
  foreach:
    id: each
    over: [1, 2, 3]
    body: {guard: {resource: repo_lock, body: {task: {id: work, run: "sleep 0.05"}}}}
"""
    assert run(tmp_path, plan) == 0
    found = insights(tmp_path)["resourceCapacity"]
    assert (found["current"], found["suggested"], found["evidence"]["starved"]) == (1, None, 2)
    assert "for people to say" in found["rationale"]


RETRIED = """\
name: retried
resources: [{id: desk, capacity: 1}]
flow:
  seq:
    - task: {id: build, maxAttempts: 3, run: ls}
    - guard: {resource: desk, body: {task: {id: ship, name: Ship it, run: ls}}}
    - choice: [{task: {id: never, run: ls}}, {task: {id: skip, run: "true"}}]
"""


def retried(folder: Path) -> None:
    (folder / "plan.petri.yaml").write_text(RETRIED, encoding="utf-8")
    lines = ["case,activity,start,end,outcome"]
    for k, words in enumerate(("+", "--+", "---", "----+")):
        for n, went in enumerate(words):
            at = f"2026-01-0{k + 1}T0{n}"
            lines.append(f"c{k},build,{at}:00:00Z,{at}:10:00Z,{'success' if went == '+' else 'failure'}")
        if words.endswith("+"):
            lines.append(f"c{k},Ship it,2026-02-01T0{k}:00:00Z,2026-02-01T0{k + 1}:00:00Z,success")
    (folder / "log.csv").write_text("\n".join(lines), encoding="utf-8")


def test_a_foreign_log_is_set_beside_the_plan_that_is_named(tmp_path: Path) -> None:
    retried(tmp_path)
    found = insights(tmp_path, "log.csv", "--candidate", "plan.petri.yaml")
    attempts = found["maxAttempts"]
    assert (attempts["target"], attempts["current"], attempts["suggested"]) == ("t.build", 3, 5)
    assert attempts["evidence"] == {
        "exhausted": 1, "committed": 3, "worstStreak": 4, "of": 4, "sessions": ["c2"]
    }  # fmt: skip
    capacity = found["resourceCapacity"]
    assert (capacity["current"], capacity["suggested"], capacity["evidence"]["starved"]) == (1, None, 2)
    assert found["deadTransition"]["target"] == "t.never"
    assert {a["command"] for a in found.values()} == {"petri mine log.csv --model plan.petri.yaml --all"}
    text = petri("insights", "log.csv", "--candidate", "plan.petri.yaml", cwd=tmp_path).out
    assert text.startswith("log.csv  4 cases")
    assert "3 of 4 fit; exact alignments cost 2" in text
    assert "a log has no session that they could be committed to" in text


def test_what_only_sessions_have_is_refused_of_a_log(tmp_path: Path) -> None:
    retried(tmp_path)
    for more, said in (
        ((), "a log has no plan: name one"),
        (("--apply",), "it has no session to commit to"),
        (("--candidate", "plan.petri.yaml", "--what-if", "desk=2"), "many at a time"),
        (("--candidate", "plan.petri.yaml", "--outcome", "nowhere"), "PETRI_LOG_COLUMNS"),
    ):
        done = petri("insights", "log.csv", *more, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert said in " ".join(done.err.split())


def test_an_unsound_plan_is_told_so_whatever_the_log_says(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("case,activity\n1,train\n1,export\n", encoding="utf-8")
    plan = str(SAMPLES / "lock-inversion.petri.yaml")
    done = petri("insights", "log.csv", "--candidate", plan, cwd=tmp_path)
    assert (done.code, "✗ UNSOUND" in done.out, "1 of 1 fit" in done.out) == (1, True, True)
    done = petri("insights", "log.csv", "--candidate", plan, "--format", "json", cwd=tmp_path)
    assert (done.code, done.report["candidate"]["verdict"]) == (1, "UNSOUND")
