"""Shell completion: what it offers, how soon, and that nothing in a store or a plan can make a shell do anything."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
from pathlib import Path

import pytest

from petri_cli.cli.init import TEMPLATES
from petri_cli.cli.main import COMMANDS
from petri_cli.data import names
from tests.e2e.petri import PETRI, environment, petri

PLAN = """\
objective: Move every package to the new build
defaults: {verify: human}
resources: [{id: repo_lock, capacity: 1}, {id: ci_slots, capacity: 3}]
flow:
  seq:
    - task: {id: survey, name: Survey the codebase}
    - foreach:
        id: each_pkg
        over: packages needing migration
        body: {guard: {resource: ci_slots, body: {task: {id: migrate, name: Migrate one package}}}}
    - guard:
        resource: repo_lock
        body: {task: {id: fix_tests}}
"""
LIMIT = 0.15
"""Seconds of CPU until a shell is answered."""


def ask(shell: str, line: str, cwd: Path, env: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    """Ask as the script of a shell asks. The word at the end of ``line`` is to be completed."""
    words = line.split(" ")
    asked = {
        "bash": {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1)},
        "zsh": {"_TYPER_COMPLETE_ARGS": line},
        "fish": {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"},
    }[shell]
    told = environment({"_PETRI_COMPLETE": f"complete_{shell}", **asked, **(env or {})})
    return subprocess.run([PETRI], cwd=cwd, env=told, capture_output=True, text=True, timeout=60)


def offered(line: str, cwd: Path) -> list[str]:
    done = ask("bash", line, cwd)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two sessions; in the latest there is work for whoever comes, and one piece is claimed."""
    folder = tmp_path_factory.mktemp("worked")
    (folder / "orders.petri.yaml").write_text("flow: {task: {id: receive, verify: human}}\n", encoding="utf-8")
    (folder / "migration.petri.yaml").write_text(PLAN, encoding="utf-8")
    for plan in ("orders.petri.yaml", "migration.petri.yaml"):
        assert petri("plan", plan, cwd=folder).code == 0
    assert petri("claim", "--session", "migration", cwd=folder).code == 0
    return folder


def test_commands_are_offered_with_what_they_do(tmp_path: Path) -> None:
    assert offered("petri ", tmp_path) == list(COMMANDS)
    assert offered("petri in", tmp_path) == ["insights", "inject", "init"]
    assert "init\tWrite a commented plan to start from\n" in ask("fish", "petri in", tmp_path).stdout
    assert '"init":"Write a commented plan to start from"' in ask("zsh", "petri in", tmp_path).stdout


def test_options_are_offered_and_the_words_that_they_take(tmp_path: Path) -> None:
    assert offered("petri analyze --fix", tmp_path) == ["--fix", "--fix-kind"]
    assert "--version" in offered("petri --", tmp_path)
    for line in ("petri analyze --format js", "petri analyze -f js", "petri analyze x --quiet --format = js"):
        assert offered(line, tmp_path) == ["json"], line
    assert ask("fish", "petri analyze --format=js", tmp_path).stdout == "--format=json\n"


def test_what_is_shipped_is_offered_by_name(tmp_path: Path) -> None:
    assert offered("petri schema ", tmp_path) == names("schemas")
    assert offered("petri explain PETRI_UNSOUND_", tmp_path) == ["PETRI_UNSOUND_NET", "PETRI_UNSOUND_PLAN"]
    assert set(TEMPLATES) <= set(offered("petri init --template ", tmp_path))


def test_sessions_are_offered_the_latest_first(worked: Path) -> None:
    assert offered("petri status ", worked) == ["migration", "orders"]
    assert offered("petri run --session or", worked) == ["orders"]
    told = ask("fish", "petri status m", worked).stdout
    assert told == "migration\tMove every package to the new build\n"


def test_tasks_and_resources_are_those_of_the_latest_session_or_of_the_one_that_is_named(worked: Path) -> None:
    assert offered("petri claim ", worked) == ["survey", "migrate", "fix_tests"]
    assert "receive" in offered("petri claim --session orders ", worked)
    assert ask("bash", "petri claim ", worked, {"PETRI_SESSION": "orders"}).stdout == "receive\n"
    assert offered("petri insights --what-if ", worked) == ["repo_lock=", "ci_slots="]
    assert "migrate\tMigrate one package\n" in ask("fish", "petri claim ", worked).stdout


def test_claims_that_have_not_ended_are_offered(worked: Path) -> None:
    assert offered("petri report ", worked) == ["c1"]
    assert ask("fish", "petri heartbeat ", worked).stdout == "c1\tsurvey\n"


def test_another_store_is_looked_into_when_it_is_named(worked: Path, tmp_path: Path) -> None:
    store = worked / ".petri" / "petri.db"
    assert offered("petri status ", tmp_path) == []
    assert offered(f"petri status --store {store} o", tmp_path) == ["orders"]
    assert ask("bash", "petri status o", tmp_path, {"PETRI_STORE": f"sqlite:///{store}"}).stdout == "orders\n"


def test_where_a_file_belongs_the_shell_is_left_to_offer_files(tmp_path: Path) -> None:
    assert offered("petri analyze ", tmp_path) == []
    assert ask("zsh", "petri analyze ", tmp_path).stdout == "_files\n"
    env = {"_TYPER_COMPLETE_FISH_ACTION": "is-args"}
    assert ask("fish", "petri analyze ", tmp_path, env).returncode == 1
    assert ask("fish", "petri ana", tmp_path, env).returncode == 0


@pytest.mark.parametrize("content", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 200])
def test_a_store_that_is_none_offers_nothing_and_says_nothing(tmp_path: Path, content: bytes) -> None:
    (tmp_path / ".petri").mkdir()
    (tmp_path / ".petri" / "petri.db").write_bytes(content)
    for line in ("petri status ", "petri claim ", "petri report "):
        assert offered(line, tmp_path) == []


def test_looking_for_names_leaves_the_store_as_it_was(worked: Path) -> None:
    def listed() -> dict[str, bytes]:
        return {p.name: p.read_bytes() for p in (worked / ".petri").iterdir() if p.is_file() and p.suffix != ".db-shm"}

    before = listed()
    offered("petri claim ", worked)
    assert listed() == before


HOSTILE = [
    'x"; touch hacked; "',
    "$(touch hacked)",
    "`touch hacked`",
    "a'b",
    "a\nb",
    "a b",
    "-rf",
    "",
    "é)) ; touch hacked",
]


def hostile_store(folder: Path) -> None:
    """A store in which names are what no honest one lets them be."""
    (folder / ".petri").mkdir()
    tasks = [
        {"task": {"id": name, "name": f"$(touch hacked)`touch hacked`\"'\\ {name}"}} for name in [*HOSTILE, "good"]
    ]
    text = json.dumps({"resources": [{"id": name, "capacity": 1} for name in HOSTILE], "flow": {"seq": tasks}})
    with sqlite3.connect(folder / ".petri" / "petri.db") as db:
        db.execute("CREATE TABLE events (session TEXT, seq INTEGER, at INTEGER, type TEXT, payload TEXT)")
        for at, session in enumerate([*HOSTILE, "latest"]):
            opened = json.dumps({"objective": "$(touch hacked) `touch hacked` '\"\\"})
            db.execute("INSERT INTO events VALUES (?, 1, ?, 'SessionCreated', ?)", (session, at, opened))
            db.execute(
                "INSERT INTO events VALUES (?, 2, ?, 'RevisionCommitted', ?)", (session, at, json.dumps({"text": text}))
            )
    db.close()


@pytest.mark.parametrize(("line", "found"), [("petri status ", "latest"), ("petri claim ", "good")])
def test_names_that_a_shell_would_run_are_not_offered(tmp_path: Path, line: str, found: str) -> None:
    hostile_store(tmp_path)
    assert offered(line, tmp_path) == [found]
    said = ask("zsh", line, tmp_path).stdout
    heard = f"_arguments() {{ :; }}\neval $(cat <<'END_OF_WHAT_IS_SAID'\n{said}END_OF_WHAT_IS_SAID\n)"
    done = subprocess.run(["bash", "-c", heard], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, ""), "zsh evaluates it so"
    assert not (tmp_path / "hacked").exists()


def test_a_plan_that_grows_when_its_aliases_are_written_out_is_read_once(tmp_path: Path) -> None:
    (tmp_path / ".petri").mkdir()
    rows = ["x-0: &a0 {task: {id: a}}", *(f"x-{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 60))]
    text = "\n".join([*rows, "flow: {seq: *a59}", ""])
    with sqlite3.connect(tmp_path / ".petri" / "petri.db") as db:
        db.execute("CREATE TABLE events (session TEXT, seq INTEGER, at INTEGER, type TEXT, payload TEXT)")
        db.execute("INSERT INTO events VALUES ('s', 1, 1, 'SessionCreated', '{}')")
        db.execute("INSERT INTO events VALUES ('s', 2, 1, 'RevisionCommitted', ?)", (json.dumps({"text": text}),))
    db.close()
    assert offered("petri claim ", tmp_path) == ["a"]


def seconds(line: str, cwd: Path) -> float:
    """CPU of one answer, of the process and all that it starts."""
    words = line.split(" ")
    env = {"COMP_WORDS": "\n".join(words), "COMP_CWORD": str(len(words) - 1), "_PETRI_COMPLETE": "complete_bash"}
    process = subprocess.Popen([PETRI], cwd=cwd, env=environment(env), stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    assert status == 0
    return usage.ru_utime + usage.ru_stime


@pytest.mark.parametrize(
    "line", ["petri ", "petri mine --", "petri status ", "petri claim ", "petri insights --what-if "]
)
def test_a_shell_is_answered_before_its_user_notices(worked: Path, line: str) -> None:
    assert min(seconds(line, worked) for _ in range(5)) < LIMIT


def test_an_answer_imports_nothing_heavy(worked: Path) -> None:
    env = {"PYTHONPROFILEIMPORTTIME": "1"}
    told = ask("bash", "petri claim ", worked, env).stderr
    modules = {line.rpartition("|")[2].strip() for line in told.splitlines()}
    assert "petri_cli.cli.completion" in modules
    assert not {"typer", "rich", "jsonschema", "petri_cli.cli.main", "petri_cli.plan", "petri_cli.session"} & modules


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_that_has_the_script_completes(worked: Path, shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"there is no {shell}")
    from typer._completion_shared import get_completion_script

    text = get_completion_script(prog_name="petri", complete_var="_PETRI_COMPLETE", shell=shell)
    asked = {
        "bash": 'COMP_WORDS=(petri claim fix); COMP_CWORD=2; _petri_completion petri; echo "${COMPREPLY[@]}"',
        "zsh": 'words=(petri claim fix); CURRENT=3; _arguments() { print -r -- "$@" }; _petri_completion',
        "fish": "complete --do-complete 'petri claim fix'",
    }[shell]
    if shell == "zsh":
        text = f"compdef() {{ : }}\n{text}"
    env = environment({"PATH": f"{PETRI.parent}{os.pathsep}{os.environ['PATH']}"})
    done = subprocess.run(
        [shell, "-c", f"{text}\n{asked}"], cwd=worked, env=env, capture_output=True, text=True, timeout=60
    )
    assert "fix_tests" in done.stdout, done
