"""``petri export`` of sessions: event logs that are mined like the sessions themselves."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.petri import petri

PLAN = """\
name: release
flow:
  seq:
    - task: {id: plan, run: "true"}
    - parallel:
        - task: {id: build, run: "true"}
        - loop:
            id: again
            maxIterations: 2
            body: {task: {id: check, run: "true"}}
    - foreach:
        id: each
        over: [x, y]
        body: {task: {id: ship, run: "true"}}
"""


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store of two sessions that are over."""
    folder = tmp_path_factory.mktemp("worked")
    (folder / "plan.petri.yaml").write_text(PLAN, encoding="utf-8")
    for _ in range(2):
        assert petri("run", "plan.petri.yaml", "-q", cwd=folder).code == 0
    return folder


def mined(folder: Path, *arguments: str) -> Any:
    done = petri("mine", *arguments, "--format", "json", cwd=folder)
    assert done.code == 0, done.err
    told = done.report
    for key in ("log", "columns"):
        del told[key]  # what it is called, and what its columns are: a session has none
    for key in ("guards", "retries"):
        del told[key]  # of a session petri insights knows them, by its attempts and its resources
    return told


@pytest.mark.slow
@pytest.mark.parametrize("which", [("release",), ("--all-sessions",), ("--all-sessions", "--by-item")], ids=" ".join)
def test_a_log_that_was_written_is_mined_like_its_session(worked: Path, which: tuple[str, ...]) -> None:
    names = ("mined.xes", "mined.csv", "mined.jsonl.gz")
    for name in names:
        assert petri("export", *which, "-o", name, cwd=worked).code == 0
    for more in (("--algorithm", "alpha"), ("--algorithm", "dfg"), ("--model", "plan.petri.yaml", "-w", "each=2")):
        directly = mined(worked, *which, *more)
        assert directly["cases"]
        for name in names:
            assert mined(worked, name, *more) == directly, (name, more)


@pytest.mark.parametrize("name", ["log.xes", "log.csv", "log.jsonl"])
def test_the_ending_says_the_format_and_gz_packs_always_into_the_same_bytes(worked: Path, name: str) -> None:
    form = name.rpartition(".")[2]
    plain = petri("export", "release", "-f", form, cwd=worked).out
    assert petri("export", "release", "-o", name, cwd=worked).code == 0
    assert (worked / name).read_bytes().decode() == plain
    for packed in ("one.gz", "two.gz"):
        assert petri("export", "release", "-f", form, "-o", packed, cwd=worked).code == 0
    assert (worked / "one.gz").read_bytes() == (worked / "two.gz").read_bytes()
    assert gzip.decompress((worked / "one.gz").read_bytes()).decode() == plain


def test_the_live_session_and_another_store_need_no_name(tmp_path: Path) -> None:
    (tmp_path / "plan.petri.yaml").write_text(PLAN, encoding="utf-8")
    assert petri("run", "plan.petri.yaml", "-q", "--store", "other.db", cwd=tmp_path).code == 0
    lines = petri("export", "--store", "other.db", "-f", "csv", cwd=tmp_path).out.splitlines()
    assert lines[0] == "case_id,activity,start_timestamp,timestamp,resource,outcome"
    assert sorted(line.split(",")[1] for line in lines[1:]) == ["build", "check", "plan", "ship", "ship"]
    assert petri("export", "release", cwd=tmp_path, env={"PETRI_STORE": "other.db"}).out.startswith("<?xml")
    assert petri("export", "release", cwd=tmp_path).code == 2


def test_what_is_neither_a_file_nor_a_session_is_said_so(worked: Path) -> None:
    for asked in (("export", "relase"), ("export", "relase", "-f", "csv"), ("mine", "relase")):
        done = petri(*asked, cwd=worked)
        assert (done.code, done.out) == (2, "")
        assert "there is no such file, and no session of this name in .petri/petri.db" in done.err
        assert "did you mean `release`?" in done.err


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("export", "plan.petri.yaml", "-f", "xes"), "a log is written of a session, and plan.petri.yaml is a file"),
        (("export", "release", "-f", "dot"), "dot is for plans and nets"),
        (("export", "release", "--plan"), "the log of a session has neither"),
        (("export", "release", "--all-sessions"), "leave out the name"),
        (("export",), "name it, or --all-sessions: release, release-2"),
        (("export", "-f", "dot"), "name a plan or a net"),
        (("export", "-f", "csv"), "name it, or --all-sessions: release, release-2"),
        (("export", "release", "-o", ".petri/petri.db"), "this would write over an input"),
        (("export", "release", "-o", "nowhere/log.csv.gz"), "nowhere/log.csv.gz"),
        (("mine", "release", "--all-sessions"), "leave out the name"),
        (("mine", "plan.petri.yaml", "--by-item"), "items are of sessions, and plan.petri.yaml is a file"),
    ],
)
def test_what_cannot_be_meant_is_refused(worked: Path, asked: tuple[str, ...], said: str) -> None:
    done = petri(*asked, cwd=worked)
    assert (done.code, done.out) == (2, "")
    assert said in " ".join(done.err.split())


def test_a_session_without_verified_work_is_an_empty_log(tmp_path: Path) -> None:
    (tmp_path / "plan.petri.yaml").write_text(PLAN, encoding="utf-8")
    assert petri("plan", "plan.petri.yaml", cwd=tmp_path).code == 0
    done = petri("export", "-f", "csv", cwd=tmp_path)
    assert (done.code, done.out) == (0, "case_id,activity\r\n")
    assert "no work was verified yet" in done.err


def test_a_log_is_utf_8_whatever_the_locale(tmp_path: Path) -> None:
    (tmp_path / "plan.petri.yaml").write_text("name: x\nflow: {task: {id: a, run: 'true'}}\n", encoding="utf-8")
    assert petri("run", "plan.petri.yaml", "-q", "--worker", "grün", cwd=tmp_path).code == 0
    done = petri("export", "-f", "jsonl", cwd=tmp_path, env={"PYTHONIOENCODING": "latin-1"})
    assert '"resource": "grün"' in done.out
