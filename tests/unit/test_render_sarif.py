"""SARIF: what code scanning reads, held against the schema of the standard."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft4Validator

from petri_cli.api import Analysis, analyze_data
from petri_cli.document import read_bytes
from petri_cli.errors import PetriError, Position, Problem
from petri_cli.render.page import Page
from petri_cli.render.sarif import MAX_STEPS, report
from petri_cli.soundness.fixes import KINDS
from petri_cli.soundness.result import Budget
from tests.unit.render_cases import INVERSION

ROOT = Path(__file__).parents[2]
SCHEMA = Draft4Validator(json.loads((ROOT / "tests" / "schemas" / "sarif-2.1.0-rtm.5.json").read_text("utf-8")))
HOSTILE = "</script>\x1b[31m\x00]]>&\"'{0}\u2028\ufffe"


def sarif(*analyses: Analysis, verbosity: int = 0) -> Any:
    """The one run of the report, after a look at the schema."""
    out: list[str] = []
    report(analyses, Page(out.append, verbosity=verbosity))
    document = json.loads("".join(out))
    SCHEMA.validate(document)
    (run,) = document["runs"]
    return run


def judged(text: str, file: str = "a.petri.yaml", budget: Budget | None = None) -> Analysis:
    return analyze_data(text.encode(), file, fixes=KINDS, budget=budget)


def lines(locations: list[Any]) -> list[int]:
    return [x["location"]["physicalLocation"]["region"]["startLine"] for x in locations]


def test_the_run_is_a_code_flow_along_the_lines_of_the_plan_and_ends_where_the_branches_wait() -> None:
    (result,) = sarif(judged(INVERSION, "plans/a b.petri.yaml"))["results"]
    (flow,) = result["codeFlows"]
    (thread,) = flow["threadFlows"]
    said = [x["location"]["message"]["text"] for x in thread["locations"]]
    assert said == [
        "2 branches start",
        "w1 takes A",
        "w2 takes B",
        "w1 waits for B, held by w2",
        "w2 waits for A, held by w1",
    ]
    assert lines(thread["locations"]) == [6, 7, 11, 10, 14]
    assert [x["executionOrder"] for x in thread["locations"]] == [1, 2, 3, 4, 4]
    (where,) = result["locations"]
    assert where["physicalLocation"]["artifactLocation"]["uri"] == "plans/a%20b.petri.yaml"
    assert where["physicalLocation"]["region"]["startLine"] == 10
    assert [x["message"]["text"] for x in result["relatedLocations"]] == ["w2 waits for A, held by w1"]


def test_the_rule_is_the_page_of_the_code() -> None:
    run = sarif(judged(INVERSION), judged("flow: {task: {id: a, maxAttempts: many}}", "b.petri.yaml"))
    rules = run["tool"]["driver"]["rules"]
    assert [r["id"] for r in rules] == ["PETRI_UNSOUND_PLAN", "PETRI_WRONG_TYPE"]
    assert "## The way out" in rules[0]["help"]["markdown"]
    assert [rules[r["ruleIndex"]]["id"] for r in run["results"]] == [r["ruleId"] for r in run["results"]]


def test_fixes_are_told_in_words_and_can_be_made_from_the_report() -> None:
    (result,) = sarif(judged(INVERSION))["results"]
    assert "Ways out, each proved to make the plan SOUND:\n- order: " in result["message"]["text"]
    assert len(result["fixes"]) > 1
    text = INVERSION.split("\n")
    for fix in result["fixes"]:
        (change,) = fix["artifactChanges"]
        edited = list(text)
        for r in reversed(change["replacements"]):
            d = r["deletedRegion"]
            before = edited[d["startLine"] - 1][: d["startColumn"] - 1]
            after = edited[d["endLine"] - 1][d["endColumn"] - 1 :]
            new = before + r["insertedContent"]["text"] + after
            edited[d["startLine"] - 1 : d["endLine"]] = new.split("\n")
        again = judged("\n".join(edited))
        assert again.result is not None and again.result.sound, fix["description"]["text"]


def test_what_is_sound_is_no_result_and_what_is_unknown_is_a_warning() -> None:
    run = sarif(judged("flow: {task: {id: a}}"), judged(INVERSION, "b.petri.yaml", Budget(max_states=1, seconds=0)))
    assert [(r["ruleId"], r["level"]) for r in run["results"]] == [("PETRI_UNKNOWN", "warning")]
    assert [a["properties"]["verdict"] for a in run["artifacts"]] == ["SOUND", "UNKNOWN"]


def test_problems_and_warnings_are_results_and_quiet_leaves_warnings_out() -> None:
    unused = judged("resources: [{id: r, capacity: 1}]\nflow: {task: {id: a}}")
    assert [(r["ruleId"], r["level"]) for r in sarif(unused)["results"]] == [("PETRI_UNUSED_RESOURCE", "warning")]
    assert sarif(unused, verbosity=-1)["results"] == []
    twice = judged("flow: {seq: [{task: {id: a}}, {task: {id: a}}]}")
    (result,) = sarif(twice, verbosity=-1)["results"]
    assert (result["ruleId"], result["level"]) == ("PETRI_DUPLICATE_ID", "error")
    assert result["relatedLocations"]


def test_a_file_that_is_missing_is_a_result_without_a_line() -> None:
    with pytest.raises(PetriError) as caught:
        read_bytes("missing.petri.yaml")
    (result,) = sarif(Analysis("missing.petri.yaml", problems=(caught.value.problem,)))["results"]
    assert result["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "missing.petri.yaml", "uriBaseId": "%SRCROOT%"}}}
    ]


def test_an_internal_fault_is_an_unsuccessful_invocation() -> None:
    fault = Problem("PETRI_INTERNAL_FAULT", "internal fault: boom", Position("a.petri.yaml"))
    (invocation,) = sarif(Analysis("a.petri.yaml", problems=(fault,)))["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"][0]["message"]["text"] == "internal fault: boom"


def test_a_net_has_a_flow_without_lines() -> None:
    net = "kind: net\nid: n\nplaces: [{id: i, tokens: 1}, a, o]\ntransitions:\n"
    net += "  - {id: t, inputs: [i], output: a}\n  - {id: u, inputs: [a, o], output: o}\nfinal: {o: 1}\n"
    (result,) = sarif(judged(net, "n.petri.yaml"))["results"]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [x["location"]["message"]["text"] for x in steps] == ["t"]
    assert "region" not in steps[0]["location"]["physicalLocation"]


def test_hostile_names_are_spelled_out_and_braces_are_no_placeholders() -> None:
    name = json.dumps(HOSTILE)
    bad = judged(f'{{"flow": {{"task": {{"id": "a", {name}: 1}}}}}}', f"{HOSTILE}.petri.json")
    (result, *_) = sarif(bad)["results"]
    text = result["message"]["text"]
    assert text.isprintable()
    assert "{0}" not in text.replace("{{0}}", "") and "{{0}}" in text
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].isascii()
    net = f"kind: net\nid: n\nplaces: [{{id: i, tokens: 1}}, o]\ntransitions: [{{id: {json.dumps('t</script>')}, "
    sarif(judged(net + "inputs: [i, o], output: o}]\nfinal: {o: 1}\n", "n.petri.yaml"))


def test_a_fingerprint_outlives_a_move_of_the_lines_but_not_another_file() -> None:
    marks = [
        sarif(judged(text, file))["results"][0]["partialFingerprints"]
        for text, file in ((INVERSION, "a"), ("# a comment\n\n" + INVERSION, "a"), (INVERSION, "b"))
    ]
    assert marks[0] == marks[1] != marks[2]


def test_a_long_run_is_cut_to_its_end() -> None:
    tasks = "".join(f"    - task: {{id: t{k}}}\n" for k in range(MAX_STEPS + 5))
    plan = "resources: [{id: r, capacity: 1}]\nflow:\n  seq:\n" + tasks
    plan += "    - guard: {resource: r, body: {guard: {resource: r, body: {task: {id: last}}}}}\n"
    (result,) = sarif(judged(plan))["results"]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert len(steps) == MAX_STEPS
    assert steps[-1]["executionOrder"] == MAX_STEPS + 6
