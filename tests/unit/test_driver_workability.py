"""What has to be said before a plan is committed."""

from __future__ import annotations

from typing import Any

import pytest

from petri_cli.api import analyze_data
from petri_cli.driver.workability import workability
from petri_cli.plan.load import plan_from_data


def problems(flow: Any, **plan: Any) -> list[str]:
    found = workability(plan_from_data({"flow": flow, **plan})[0])
    return [f"{p.code} {p.message}" for p in found]


def task(**settings: Any) -> dict[str, Any]:
    return {"task": {"id": "t", **settings}}


@pytest.mark.parametrize(
    "flow",
    [
        task(run="make"),
        task(python="m:f"),
        task(verify="human"),
        task(verify={"all": ["human", {"files": ["x"]}]}),
        task(worker="agent"),
        task(worker="far", verify={"schema": {}}),
        {"foreach": {"id": "f", "over": ["a"], "body": task(run=["echo", "{item}", "${item}", "${HOME}"])}},
        {"foreach": {"id": "f", "over": "things", "run": "ls", "body": task(run="echo {item.name}")}},
        {"loop": {"id": "l", "until": "${t.ok} and ${loop.round} > 1", "maxIterations": 3, "body": task(run="x")}},
        {"choice": [{"when": "1 < 2", "body": task(run="x")}, {"task": {"id": "u", "run": "x"}}]},
    ],
)
def test_a_plan_that_says_how_its_work_is_done(flow: Any) -> None:
    assert problems(flow, workers={"agent": {"command": ["agent", "--json"]}}) == []


@pytest.mark.parametrize(
    ("flow", "said"),
    [
        (task(), "PETRI_NEEDS_VERIFIER nothing says how it is done, so nobody sees the exit status of task `t`"),
        (
            task(worker="far", run="x", verify={"all": [{"files": ["x"]}, "exit-code"]}),
            "PETRI_NEEDS_VERIFIER nothing runs its worker `far`: somebody claims it, so nobody sees the exit status of "
            "task `t`",
        ),
        (
            {"foreach": {"id": "f", "over": "things", "body": task(run="x")}},
            "PETRI_NEEDS_VERIFIER nothing says how it is done, so nobody sees the exit status of the discovery of `f`",
        ),
        (task(run="echo {item}"), "PETRI_BAD_EXPRESSION run speaks of the item, and there is no foreach around it"),
        (
            task(run="echo ${loop.round}"),
            "PETRI_BAD_EXPRESSION run speaks of a round, and there is no loop around it",
        ),
        (
            task(run="x", verify={"all": ["exit-code", {"command": "test ${t.n} -gt 1"}]}),
            "PETRI_BAD_EXPRESSION its verifier reads the result of `t`, which is none before it is verified",
        ),
        (task(run=["x", "${tt.a}"]), "PETRI_UNKNOWN_TASK run reads the result of `tt`, and there is no such task"),
        (
            {"task": {"id": "t", "run": "x", "with": {"a": [{"b": "${len(tt.a)}"}]}}},
            "PETRI_UNKNOWN_TASK with reads the result of `tt`, and there is no such task",
        ),
        (
            {"task": {"id": "t", "run": "x", "with": {"a": "${1 +}"}}},
            "PETRI_BAD_EXPRESSION with: a value is expected, found `}` (character 6)",
        ),
        (
            task(run="x", verify={"command": "test ${tt.a}"}),
            "PETRI_UNKNOWN_TASK verify reads the result of `tt`, and there is no such task",
        ),
        (
            {"foreach": {"id": "f", "over": ["a"], "body": task(run="cat <<'E'\n{item}\nE\n")}},
            "PETRI_BAD_SUBSTITUTION run: ${item} cannot be put in at line 2, character 1: it stands in a here-document "
            "whose `E` is quoted, where nothing is replaced",
        ),
        (
            {"foreach": {"id": "f", "over": ["a"], "body": task(run="x", verify={"command": "eval {item}"})}},
            "PETRI_BAD_SUBSTITUTION verify: ${item} cannot be put in at line 1, character 6: it is an argument of "
            "`eval`, which would read it as a part of the program",
        ),
        (
            task(worker="agent"),
            "PETRI_BAD_EXPRESSION the worker `agent` speaks of the item, and there is no foreach around it",
        ),
        (
            {"choice": [{"when": "all is well", "body": task(run="x")}, {"task": {"id": "u", "run": "x"}}]},
            "PETRI_BAD_EXPRESSION when: `all` stands alone (character 1)",
        ),
        (
            task(run="x", verify={"all": [{"schema": {"properties": {"n": {"minimum": "3"}}}}]}),
            "PETRI_BAD_SCHEMA the schema that verifies `t` is wrong, at $.properties.n.minimum: must be a number, "
            'got "3"',
        ),
        (
            {"loop": {"id": "l", "until": "green", "body": task(run="x")}},
            "PETRI_BAD_EXPRESSION until: `green` stands alone (character 1)",
        ),
    ],
)
def test_what_is_left_open_is_told(flow: Any, said: str) -> None:
    assert problems(flow, workers={"agent": {"command": "agent {item}"}}) == [said]


def test_a_misspelt_task_is_suggested_at_the_place_of_the_task() -> None:
    flow = {"seq": [{"task": {"id": "survey", "run": "x"}}, task(run="x ${survy.n}")]}
    (found,) = workability(plan_from_data({"flow": flow}, "p.json")[0])
    assert found.hint == "did you mean `survey`?"
    assert found.where.file == "p.json"


# What analysis says of it


def told(text: str) -> list[str]:
    found = analyze_data(text.encode(), "p.petri.yaml")
    assert found.result is not None and found.result.sound
    return [f"{p.where.line} {p.severity} {p.code}" for p in found.warnings]


@pytest.mark.parametrize(
    ("text", "warnings"),
    [
        (
            "flow:\n  seq:\n    - task: {id: list, run: x}\n    - choice:\n"
            "        - {when: 'list.files == 3', body: {task: {id: a, run: x}}}\n        - task: {id: b, run: x}\n",
            ["4 warning PETRI_BAD_EXPRESSION"],
        ),
        (
            "flow:\n  loop: {id: l, until: it is green, maxIterations: 3, body: {task: {id: a}}}\n",
            ["2 warning PETRI_BAD_EXPRESSION"],
        ),
        ("flow:\n  task: {id: a, run: \"echo {item}\"}\n", ["2 warning PETRI_BAD_EXPRESSION"]),
        ("flow:\n  task: {id: a, run: \"echo ${b.n}\"}\n", ["2 warning PETRI_UNKNOWN_TASK"]),
        (
            "flow:\n  seq:\n    - task: {id: a, run: x}\n    - task: {id: b, run: \"eval ${a.n}\"}\n",
            ["4 warning PETRI_BAD_SUBSTITUTION"],
        ),
        ("flow:\n  task: {id: a, run: x, verify: {schema: {type: 3}}}\n", ["2 warning PETRI_BAD_SCHEMA"]),
        ("flow:\n  seq: [{task: {id: a, run: x}},\n    {task: {id: b}}]\n", ["3 warning PETRI_NEEDS_VERIFIER"]),
        ("flow:\n  seq: [{task: {id: a}}, {task: {id: b}}]\n", []),
    ],
)  # fmt: skip
def test_whatever_a_run_would_refuse_analysis_warns_of(text: str, warnings: list[str]) -> None:
    assert told(text) == warnings
