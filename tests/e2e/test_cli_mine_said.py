"""What mine, insights and export say of calls that cannot be meant so, and how they say what they have found."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.petri import SAMPLES, petri

PLAN = """\
name: release
resources: [{id: slots, capacity: 1}]
flow:
  foreach:
    id: each
    over: [x, y, z]
    body: {guard: {resource: slots, body: {task: {id: build, run: "true"}}}}
"""


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two sessions that are over, and a log of another program."""
    folder = tmp_path_factory.mktemp("worked")
    (folder / "plan.petri.yaml").write_text(PLAN, encoding="utf-8")
    (folder / "log.csv").write_text("case,activity\n1,a\n1,b\n2,a\n", encoding="utf-8")
    for _ in range(2):
        assert petri("run", "plan.petri.yaml", "-q", cwd=folder).code == 0
    return folder


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("mine", "log.csv", "--classifier", "concept:name"), "classifiers are of XES logs, and this is none"),
        (("mine", "log.csv", "--success", "ok"), "the log tells no outcomes"),
        (("mine", "log.csv", "--time-format", "%Y-%Q"), "`%Y-%Q` is no format of times: 'Q' is a bad directive"),
        (("mine", "log.csv", "--time-format", "%"), "is no format of times: stray %"),
        (("insights", "log.csv", "--candidate", "plan.petri.yaml", "--success", "ok"), "the log tells no outcomes"),
        (("insights", "release", "--case", "x"), "it is about a log in a file, and this is a session"),
        (("insights", "release", "--success", "ok", "--lifecycle", "pairs"), "it is about a log in a file"),
        (("mine", "release", "--case", "x"), "it is about a log in a file"),
        (("mine", "release", "--strict", "--encoding", "utf-8"), "--encoding, --strict"),
        (("mine", "release", "--success", "ok"), "it is about a log in a file"),
        (("mine", "log.csv", "--model", "plan.petri.yaml", "-w", "each=1", "-w", "each=2"), "each is given twice"),
        (
            ("insights", "release", "--what-if", "slots=2", "--what-if", "slots=3"),
            "slots is given twice, as 2 and as 3",
        ),
        (("mine", "log.csv", "--diff", "plan.petri.yaml", "--fail-under", "0.9"), "nothing is aligned"),
        (("mine", "log.csv", "--diff", "plan.petri.yaml", "--algorithm", "dfg"), "no model is looked for"),
        (("mine", "log.csv", "--algorithm", "alpha", "--coverage", "90"), "what the inductive miner finds"),
        (("mine", "log.csv", "--model", "plan.petri.yaml", "--no-guards"), "what the inductive miner finds"),
        (("mine", "release", "--coverage", "90"), "sessions are mined by alpha"),
        (("mine", "log.csv", "--algorithm", "dfg", "--skip-unknown"), "nothing is replayed"),
        (("mine", "log.csv", "--chart", "-f", "json"), "a chart is for people"),
        (("insights",), "(one of release, release-2)"),
    ],
)
def test_options_that_nothing_heeds_are_refused(worked: Path, call: tuple[str, ...], said: str) -> None:
    done = petri(*call, cwd=worked)
    assert (done.code, done.out) == (2, "")
    assert said in " ".join(done.err.replace("│", " ").split())
    assert "--session" not in done.err


def test_json_lines_without_any_key_are_said_to_name_no_column(worked: Path) -> None:
    (worked / "deep.jsonl").write_text('{"case": ' + "[" * 100_000 + "\n", encoding="utf-8")
    done = petri("mine", "deep.jsonl", cwd=worked)
    assert done.code == 2
    assert "the first lines name no column at all" in done.err


@pytest.mark.parametrize("ending", ["xes", "csv", "jsonl"])
def test_items_of_a_session_are_not_taken_for_attempts(worked: Path, ending: str) -> None:
    assert petri("export", "release", "-o", f"log.{ending}", "--force", cwd=worked).code == 0
    done = petri("mine", f"log.{ending}", cwd=worked)
    assert done.code == 0
    assert "build ×3" in done.out
    assert "retries" not in done.out
    assert petri("mine", f"log.{ending}", "-f", "json", cwd=worked).report["retries"] == []


def test_an_unsound_plan_is_set_beside_the_log_once(tmp_path: Path) -> None:
    (tmp_path / "bad.petri.yaml").write_text(
        "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}]\nflow:\n  parallel:\n"
        "    - guard: {resource: a, body: {guard: {resource: b, body: {task: {id: register}}}}}\n"
        "    - guard: {resource: b, body: {guard: {resource: a, body: {task: {id: pack}}}}}\n",
        encoding="utf-8",
    )
    done = petri("insights", SAMPLES / "orders.csv", "--candidate", "bad.petri.yaml", cwd=tmp_path)
    assert done.code == 1
    assert done.out.count("check stock") == 1
    assert done.out.count("fitness") == 1
    assert done.out.count("✗ UNSOUND") == 1
    assert "in 40 of 40 cases: order-01, order-02, order-03, …" in " ".join(done.out.split())


def test_a_session_that_was_revised_is_several_cases_and_that_is_said(tmp_path: Path) -> None:
    for k, run in enumerate(("true", "true && true")):
        flow = f"{{seq: [{{task: {{id: a, run: 'true'}}}}, {{task: {{id: b, run: '{'exit 1' if k == 0 else run}'}}}}]}}"
        text = f"name: release\ndefaults: {{maxAttempts: 1}}\nflow: {flow}\n"
        (tmp_path / f"p{k}.petri.yaml").write_text(text, encoding="utf-8")
    petri("run", "p0.petri.yaml", "-q", cwd=tmp_path)
    assert petri("run", "p1.petri.yaml", "-q", "--session", "release", cwd=tmp_path).code == 0
    done = petri("mine", "release", cwd=tmp_path)
    assert "2 cases" in done.out
    assert "the session went on under another revision of its plan: each revision's work is a case" in done.out
    assert "revision" not in petri("mine", SAMPLES / "orders.csv", cwd=tmp_path).out


@pytest.mark.parametrize("rows", [1, 3])
def test_one_is_not_many(tmp_path: Path, rows: int) -> None:
    event = (
        '<event><string key="concept:name" value="a"/><date key="time:timestamp" value="2026-01-01T00:00:00Z"/></event>'
    )
    untimed = '<event><string key="concept:name" value="b"/></event>'
    name = '<string key="concept:name" value="x"/>'
    text = "<log>" + f"<trace>{event}{untimed}</trace>" * rows + f"<trace>{name}{event}</trace>" * (rows + 1) + "</log>"
    (tmp_path / "log.xes").write_text(text, encoding="utf-8")
    said = petri("mine", "log.xes", cwd=tmp_path).err
    for wrong in (" 1 traces", " 1 cases", "one trace have", "one case have", "1 events"):
        assert wrong not in said
    assert ("one trace has no concept:name" if rows == 1 else "3 traces have no concept:name") in said
    assert ("one case has events with" if rows == 1 else "3 cases have events with") in said
