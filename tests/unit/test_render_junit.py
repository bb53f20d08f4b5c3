"""JUnit XML: what test dashboards read, held against the XML Schema that Jenkins publishes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import xmlschema

from petri_cli.api import Analysis, analyze_data
from petri_cli.render.junit import report
from petri_cli.render.page import Page
from petri_cli.soundness.fixes import KINDS
from petri_cli.soundness.result import Budget
from tests.unit.render_cases import INVERSION

SCHEMA = xmlschema.XMLSchema(Path(__file__).parents[1] / "schemas" / "junit-10.xsd")
HOSTILE = "</failure>\x1b[31m\x00]]>&\"'\u2028\ufffe"


def junit(*analyses: Analysis, verbosity: int = 0) -> ElementTree.Element:
    """The one suite of the report, after a look at the schema."""
    out: list[str] = []
    report(analyses, Page(out.append, verbosity=verbosity))
    text = "".join(out)
    root = ElementTree.fromstring(text.encode())  # noqa: S314 - our own
    SCHEMA.validate(root)
    (suite,) = root
    return suite


def judged(text: str, file: str = "a.petri.yaml", budget: Budget | None = None) -> Analysis:
    return analyze_data(text.encode(), file, fixes=KINDS, budget=budget)


def outcomes(suite: ElementTree.Element) -> list[tuple[str, str]]:
    """(outcome, type) of each test case."""
    return [next(((x.tag, x.get("type", "")) for x in case), ("", "")) for case in suite]


def test_sound_passes_unsound_fails_and_what_nobody_knows_is_an_error() -> None:
    suite = junit(
        judged("flow: {task: {id: a}}", "sound"),
        judged(INVERSION, "unsound"),
        judged(INVERSION, "unknown", Budget(max_states=1, seconds=0)),
        judged("flow: [", "wrong"),
    )
    assert [case.get("name") for case in suite] == ["sound", "unsound", "unknown", "wrong"]
    assert outcomes(suite) == [
        ("", ""),
        ("failure", "PETRI_UNSOUND_PLAN"),
        ("error", "PETRI_UNKNOWN"),
        ("error", "PETRI_YAML_SYNTAX"),
    ]
    assert {k: suite.get(k) for k in ("tests", "failures", "errors", "skipped")} == {
        "tests": "4",
        "failures": "1",
        "errors": "2",
        "skipped": "0",
    }


def test_a_failure_tells_the_run_the_lines_and_the_ways_out() -> None:
    ((failure,),) = junit(judged(INVERSION))
    told = failure.text or ""
    assert failure.get("message") == "`w1` holds A and waits for B; `w2` holds B and waits for A."
    assert "w1 waits for B, held by w2" in told and "Who waits for whom" in told and "order:" in told
    assert "\x1b" not in told


def test_the_test_case_points_at_the_line_to_look_at() -> None:
    (case,) = junit(judged(INVERSION))
    assert (case.get("file"), case.get("line")) == ("a.petri.yaml", "10")


def test_all_problems_of_a_file_are_one_error_and_warnings_are_output() -> None:
    ((error,),) = junit(judged("flow: {task: {id: a, maxAttempts: many, timeout: never, nonsense: 1}}"))
    assert (error.text or "").count("PETRI_") == 3
    warned = judged("resources: [{id: r, capacity: 1}]\nflow: {task: {id: a}}")
    ((output,),) = junit(warned)
    assert output.tag == "system-out" and "PETRI_UNUSED_RESOURCE warning:" in (output.text or "")
    assert len(junit(warned, verbosity=-1)[0]) == 0


def test_hostile_names_are_spelled_out() -> None:
    bad = judged(f'{{"flow": {{"task": {{"id": "a", {json.dumps(HOSTILE)}: 1}}}}}}', f"{HOSTILE}.petri.json")
    (case,) = junit(bad)
    assert "\\x1b[31m\\x00]]>&" in (case.get("name") or "")
    assert "\\ufffe" in (case[0].text or "")


def test_no_file_is_an_empty_suite() -> None:
    assert junit().get("tests") == "0"
