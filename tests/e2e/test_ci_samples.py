"""What stands in ``action.yml`` and ``samples/ci`` does what it says: each is run as its runner would run it."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from petri_cli.cli.inputs import ENDINGS
from tests import tools
from tests.e2e.petri import PETRI, ROOT, SAMPLES, Ended, petri
from tests.e2e.scratch_repository import Repository, offline, this_tree

CI = SAMPLES / "ci"
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["id"]: step for step in ACTION["runs"]["steps"] if "id" in step}
INVERTED = (SAMPLES / "lock-inversion.petri.yaml").read_text(encoding="utf-8")
ORDERED = (SAMPLES / "ordered-locks.petri.yaml").read_text(encoding="utf-8")
PLANS = {"sound": ORDERED, "unsound": INVERTED, "wrong": "flow: {task: {idd: a}}\n"}


@pytest.fixture
def theirs(tmp_path: Path) -> Repository:
    """A repository with one plan of each kind, each in a folder of its own."""
    repository = Repository(tmp_path / "theirs")
    for name, text in PLANS.items():
        repository.write(f"{name}/plan.petri.yaml", text)
    return repository


# The action


class Runner:
    """What GitHub's runner gives to a step, and takes from it."""

    def __init__(self, repository: Repository, action: Path) -> None:
        self.repository = repository
        self.temp = repository.folder.parent / "temp"
        self.temp.mkdir()
        self.files = {name: self.temp / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in self.files.values():
            file.touch()
        repository.environment |= {name: str(file) for name, file in self.files.items()}
        repository.environment |= {"RUNNER_TEMP": str(self.temp), "GITHUB_ACTION_PATH": str(action)}

    def step(self, name: str, **inputs: str) -> Ended:
        """Run a step of the action with its inputs, the others at their defaults."""
        given = {key: inputs.get(key, told["default"]) for key, told in ACTION["inputs"].items()}
        assert set(inputs) <= set(given)
        for variable, expression in STEPS[name]["env"].items():
            told = re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", expression)
            assert told, expression
            self.repository.environment[variable] = given[told[1]]
        script = self.temp / "script.sh"
        script.write_text(STEPS[name]["run"], encoding="utf-8")
        return self.repository.run(f"bash --noprofile --norc -eo pipefail {script}")

    @property
    def outputs(self) -> dict[str, str]:
        """What a later step of the workflow reads: the outputs as the action declares them."""
        said = dict(line.split("=", 1) for line in self.files["GITHUB_OUTPUT"].read_text().splitlines())
        return {
            name: said[told["value"].removeprefix("${{ steps.analyze.outputs.").removesuffix(" }}")]
            for name, told in ACTION["outputs"].items()
        }

    @property
    def summary(self) -> str:
        return self.files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")


@pytest.fixture
def runner(theirs: Repository) -> Runner:
    """A runner on which the package is installed already."""
    made = Runner(theirs, ROOT)
    (made.temp / "petri" / "bin").mkdir(parents=True)
    (made.temp / "petri" / "bin" / "petri").symlink_to(PETRI)
    return made


@pytest.mark.parametrize(
    ("paths", "code", "verdict"),
    [("sound", 0, "SOUND"), ("unsound", 1, "UNSOUND"), ("sound\nunsound\n", 1, "UNSOUND"), (".", 2, "ERROR")],
)
def test_the_action_says_the_verdict_of_the_worst_file(runner: Runner, paths: str, code: int, verdict: str) -> None:
    done = runner.step("analyze", paths=paths)
    sarif = str(runner.temp / "petri.sarif")
    assert (done.code, runner.outputs) == (code, {"exit-code": str(code), "verdict": verdict, "sarif": sarif})
    assert runner.summary.startswith(f"### petri analyze: {verdict}\n\n    ")


def test_the_summary_of_a_job_shows_how_the_plan_gets_stuck(runner: Runner) -> None:
    runner.step("analyze", paths="unsound")
    assert "    ✗ UNSOUND  unsound/plan.petri.yaml\n" in runner.summary
    assert "How it gets there" in runner.summary


def test_the_findings_are_uploaded_as_they_are_annotated_where_that_is_asked_for(runner: Runner) -> None:
    runner.step("analyze", paths="unsound\nsound")
    found = json.loads(Path(runner.outputs["sarif"]).read_text(encoding="utf-8"))
    [result] = found["runs"][0]["results"]
    where = result["locations"][0]["physicalLocation"]
    assert result["ruleId"] == "PETRI_UNSOUND_PLAN"
    assert (where["artifactLocation"]["uri"], where["region"]["startLine"]) == ("unsound/plan.petri.yaml", 16)
    [upload] = [s for s in ACTION["runs"]["steps"] if "uses" in s]
    assert upload["with"]["sarif_file"] == ACTION["outputs"]["sarif"]["value"]
    assert "inputs.upload-sarif == 'true'" in upload["if"]


def test_an_undecided_plan_fails_the_step_unless_the_action_is_told_not_to(runner: Runner) -> None:
    budget = "--max-states=1\n--property=deadlockFree"
    runner.repository.write("net/n.pnml", (SAMPLES / "nets" / "loan.pnml").read_text(encoding="utf-8"))
    failing = runner.step("analyze", paths="net", args=budget)
    assert (failing.code, runner.outputs["verdict"]) == (3, "UNKNOWN"), failing
    assert runner.step("analyze", paths="net", args=budget, fail="false").code == 0


def test_a_report_without_consequences_still_fails_on_input_that_cannot_be_read(runner: Runner) -> None:
    assert runner.step("analyze", paths="unsound", fail="false").code == 0
    assert runner.step("analyze", paths="wrong", fail="false").code == 2


def test_names_of_files_are_neither_commands_to_the_runner_nor_options_nor_words_of_the_shell(runner: Runner) -> None:
    evil = ["::add-mask::a $(touch hacked).petri.yaml", "--exit-zero.petri.yaml", "`touch hacked`;b & c.petri.yaml"]
    for name in evil:
        runner.repository.write(name, INVERTED)
    done = runner.step("analyze", paths="\n".join(evil))
    assert done.code == 1
    assert not (runner.repository.folder / "hacked").exists()
    first, stopped, *lines, resumed, last = done.out.splitlines()
    assert first.startswith("::add-matcher::")
    assert last == "::remove-matcher owner=petri::"
    assert stopped.startswith("::stop-commands::petri-")
    assert resumed == f"::{stopped.removeprefix('::stop-commands::')}::"
    assert len(lines) == len(evil), "what the files say stands where no commands are heard"


def test_no_input_of_the_action_is_pasted_into_a_script() -> None:
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", ""), "an input may be anybody's: it comes in the environment"


def test_the_action_installs_this_repository(theirs: Repository, tmp_path: Path) -> None:
    action = this_tree(tmp_path / "action").folder
    runner = Runner(theirs, action)
    theirs.environment |= offline(tools.wheels())
    installed = runner.step("install", python=str(PETRI.with_name("python")))
    assert installed.code == 0, installed
    assert runner.step("analyze", paths="unsound").code == 1
    [matcher] = re.findall(r"^::add-matcher::(.*)$", runner.step("analyze", paths="sound").out, re.MULTILINE)
    assert json.loads(Path(matcher).read_text(encoding="utf-8"))


# The problem matcher


def matched(lines: str) -> list[dict[str, str]]:
    """What the runner makes of lines: an annotation of each that matches."""
    [matcher] = json.loads((CI / "problem-matcher.json").read_text(encoding="utf-8"))["problemMatcher"]
    [pattern] = matcher["pattern"]
    regexp = re.compile(pattern.pop("regexp"))
    found = []
    for line in lines.splitlines():
        if match := regexp.search(line):
            groups = {key: match[group] or "" for key, group in pattern.items()}
            found.append({**groups, "severity": groups["severity"] or matcher["severity"]})
    return found


def test_a_line_of_the_concise_report_becomes_an_annotation_where_the_plan_gets_stuck() -> None:
    done = petri("analyze", "samples/lock-inversion.petri.yaml", "--format", "concise", cwd=ROOT)
    sentence = "UNSOUND `train` holds db and waits for gpu; `export` holds gpu and waits for db."
    where = {"file": "samples/lock-inversion.petri.yaml", "line": "16", "column": "11"}
    expected = {**where, "code": "PETRI_UNSOUND_PLAN", "severity": "error", "message": sentence}
    assert matched(done.out) == [expected]


def test_every_verdict_error_and_warning_is_matched_and_nothing_else(tmp_path: Path) -> None:
    texts = {
        "sound": ORDERED,
        "unsound": INVERTED,
        "warned": "resources: [{id: r, capacity: 1}]\nflow: {task: {id: a}}\n",
        "wrong": "flow: {task: {idd: a}}\n",
        "of two words": "flow: {seq: []}\n",
    }
    for name, text in texts.items():
        (tmp_path / f"{name}.petri.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "left-over.pnml").write_text((SAMPLES / "nets" / "loan.pnml").read_text("utf-8"), encoding="utf-8")
    done = petri("analyze", "--format", "concise", cwd=tmp_path)
    found = [(a["file"], a["line"], a["code"], a["severity"]) for a in matched(done.out + done.err)]
    assert sorted(found) == [
        ("left-over.pnml", "", "PETRI_UNSOUND_NET", "error"),
        ("of two words.petri.yaml", "1", "PETRI_EMPTY_BLOCK", "error"),
        ("unsound.petri.yaml", "16", "PETRI_UNSOUND_PLAN", "error"),
        ("warned.petri.yaml", "1", "PETRI_UNUSED_RESOURCE", "warning"),
        ("wrong.petri.yaml", "1", "PETRI_MISSING_KEY", "error"),
        ("wrong.petri.yaml", "1", "PETRI_UNKNOWN_KEY", "error"),
    ]


def test_an_undecided_net_is_matched(tmp_path: Path) -> None:
    net = SAMPLES / "nets" / "loan.pnml"
    done = petri("analyze", net, "-p", "deadlockFree", "--max-states", "1", "--format", "concise", cwd=tmp_path)
    assert [a["code"] for a in matched(done.out)] == ["PETRI_UNKNOWN"]


# The samples


def triggers(told: Any) -> list[str]:
    return sorted(f"*{pattern.split('*')[-1]}" for pattern in told)


def test_the_workflow_for_github_calls_the_action_as_it_is_declared(runner: Runner) -> None:
    workflow = yaml.safe_load((CI / "github.yml").read_text(encoding="utf-8"))
    [job] = workflow["jobs"].values()
    [step] = [s for s in job["steps"] if "/petri@" in s["uses"]]
    assert triggers(workflow[True]["pull_request"]["paths"]) == sorted(f"*{e}" for e in ENDINGS)
    assert set(step["with"]) <= set(ACTION["inputs"])
    shutil.move(runner.repository.folder / "unsound", runner.repository.folder / "plans")
    assert runner.step("analyze", **step["with"]).code == 1


def test_the_job_for_gitlab_fails_on_a_plan_that_can_get_stuck(theirs: Repository) -> None:
    [job] = yaml.safe_load((CI / "gitlab.yml").read_text(encoding="utf-8")).values()
    assert triggers(job["rules"][0]["changes"]) == sorted(f"*{e}" for e in ENDINGS)
    theirs.environment |= job["variables"]
    script = "set -e\n" + "\n".join(job["script"])
    for folder, code in (("sound", 0), ("unsound", 1), ("wrong", 2)):
        assert theirs.run(f"export PETRI_PATHS='{folder}'\n{script}").code == code
    assert theirs.run(f"export PETRI_PATHS='sound unsound'\n{script}").code == 1


def test_the_job_for_gitlab_leaves_a_report_whatever_the_verdict(theirs: Repository) -> None:
    [job] = yaml.safe_load((CI / "gitlab.yml").read_text(encoding="utf-8")).values()
    theirs.must("export PETRI_PATHS='sound unsound'\nset -e\n" + "\n".join(job["after_script"]))
    report = (theirs.folder / job["artifacts"]["reports"]["junit"]).read_text(encoding="utf-8")
    assert 'tests="2" failures="1"' in report


def test_the_job_for_gitlab_installs_what_it_is_told_to(theirs: Repository) -> None:
    [job] = yaml.safe_load((CI / "gitlab.yml").read_text(encoding="utf-8")).values()
    theirs.environment |= {**offline(tools.wheels()), **job["variables"], "PETRI_SOURCE": str(ROOT)}
    theirs.write("fake/python", '#!/bin/sh\nprintf "%s\\n" "$@"\n')
    theirs.must("chmod +x fake/python")
    said = theirs.must("export PATH=$PWD/fake:$PATH\nset -e\n" + "\n".join(job["before_script"]))
    assert said.split() == ["-m", "pip", "install", "--quiet", str(ROOT)]


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_a_makefile_that_includes_the_rules_proves_shows_and_fixes(theirs: Repository) -> None:
    theirs.write("petri.mk", (CI / "petri.mk").read_text(encoding="utf-8"))
    theirs.write("Makefile", "PETRI_PATHS := unsound sound\ninclude petri.mk\n\n.PHONY: check\ncheck: petri\n")
    refused = theirs.run("make check")
    assert refused.code == 2
    assert "UNSOUND  unsound/plan.petri.yaml" in refused.out
    assert theirs.run("make check PETRI_PATHS=sound").code == 0
    assert theirs.run("make check PETRI_FLAGS=--exit-zero").code == 0
    shown = theirs.run("make petri-diff")
    assert "--- unsound/plan.petri.yaml" in shown.out
    assert theirs.run("make petri-fix").code == 0
    assert theirs.run("make check").code == 0


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make")
def test_the_first_target_of_a_makefile_stays_its_own_where_the_rules_are_included_below(theirs: Repository) -> None:
    theirs.write("petri.mk", (CI / "petri.mk").read_text(encoding="utf-8"))
    theirs.write("Makefile", "all:\n\t@echo built\n\ninclude petri.mk\n")
    assert theirs.must("make") == "built\n"
