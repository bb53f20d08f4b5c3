"""Every command in every surrounding: without colour, on a dumb terminal, under ``LANG=C``, into a closed pipe."""

from __future__ import annotations

import os
import pty
import re
import select
import shlex
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from petri_cli.cli.main import COMMANDS
from tests.e2e.petri import PETRI, Ended, environment, petri, shell

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
ESCAPE = "\x1b"
ASCII_ONLY = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
PLAN = """\
name: päckchen
objective: Für alle → ✓
flow:
  seq:
    - task: {id: first, name: Grüße, run: "echo 'ä→'"}
    - task: {id: second, run: "echo got it"}
"""
PULLED = """\
name: pulled
flow: {seq: [{task: {id: ask, name: "Fräge →", verify: human}}, {task: {id: more, verify: human}}]}
"""
CALLS = {
    "analyze": "analyze plan.petri.yaml inverted.petri.yaml",
    "plan": "plan plan.petri.yaml",
    "run": "run plan.petri.yaml",
    "status": "status done --all",
    "insights": "insights done",
    "mine": "mine done",
    "create": "create x",
    "cancel": "cancel pulled",
    "claim": "claim --session pulled",
    "heartbeat": "heartbeat c1 --session claimed",
    "report": "report c1 --session claimed",
    "verify": "verify c1 --session claimed",
    "approve": "approve c1 --session reported",
    "inject": "inject nowhere --session pulled",
    "export": "export plan.petri.yaml --format mermaid",
    "explain": "explain PETRI_UNSOUND_PLAN",
    "schema": "schema --list",
    "init": "init --list",
    "": "--show-config",
}
"""Command → a call of it."""


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with plans and sessions in which each call has something to do."""
    folder = tmp_path_factory.mktemp("prepared")
    petri("init", "inverted.petri.yaml", "--template", "lock-inversion", cwd=folder)
    (folder / "plan.petri.yaml").write_text(PLAN, encoding="utf-8")
    (folder / "pulled.petri.yaml").write_text(PULLED, encoding="utf-8")
    petri("create", "done", cwd=folder)
    assert petri("run", "plan.petri.yaml", "--session", "done", cwd=folder).code == 0
    for session in ("pulled", "claimed", "reported"):
        petri("create", session, cwd=folder)
        assert petri("plan", "pulled.petri.yaml", "--session", session, cwd=folder).code == 0
    for session in ("claimed", "reported"):
        assert petri("claim", "--session", session, "--lease", "100000", cwd=folder).code == 0
    assert petri("report", "c1", "--session", "reported", cwd=folder).code == 0
    return folder


class Try:
    """One call, made again and again, each time in a fresh copy of the folder."""

    def __init__(self, prepared: Path, room: Path, call: str) -> None:
        self.prepared, self.room, self.call = prepared, room, call
        self.times = 0

    def folder(self) -> Path:
        self.times += 1
        return Path(shutil.copytree(self.prepared, self.room / str(self.times)))

    def piped(self, env: Mapping[str, str]) -> Ended:
        return petri(*shlex.split(self.call), cwd=self.folder(), env=env)

    def on_a_terminal(self, env: Mapping[str, str]) -> tuple[int, str]:
        """The exit code, and all that the terminal gets."""
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [PETRI, *shlex.split(self.call)],
            cwd=self.folder(), env=environment(env), stdin=theirs, stdout=theirs, stderr=theirs,
        )  # fmt: skip
        os.close(theirs)
        shown = b""
        while select.select([ours], [], [], 60)[0]:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            shown += piece
        os.close(ours)
        return process.wait(60), shown.decode()


@pytest.fixture(params=CALLS.values(), ids=lambda call: call.split()[0].strip("-"))
def attempt(request: pytest.FixtureRequest, prepared: Path, tmp_path: Path) -> Try:
    return Try(prepared, tmp_path, request.param)


def test_there_is_a_call_of_every_command() -> None:
    assert set(CALLS) - {""} == set(COMMANDS) - {"mcp"}


def test_a_pipe_gets_no_escape_codes_unless_colour_is_forced(attempt: Try) -> None:
    plain = attempt.piped({})
    assert ESCAPE not in plain.out + plain.err
    forced = attempt.piped({"FORCE_COLOR": "1"})
    assert forced.code == plain.code
    assert ESCAPE not in COLOUR.sub("", forced.out + forced.err), "colour, and nothing that moves a cursor"
    both = attempt.piped({"FORCE_COLOR": "1", "NO_COLOR": "1"})
    assert ESCAPE not in both.out + both.err


def test_a_terminal_without_colour_gets_none_and_a_dumb_one_gets_text_alone(attempt: Try) -> None:
    code, shown = attempt.on_a_terminal({"TERM": "xterm-256color", "NO_COLOR": "1"})
    coloured = [c for c in COLOUR.findall(shown) if re.search(r"\b(3\d|4\d|9\d)\b", c)]
    assert coloured == []
    dumb_code, dumb = attempt.on_a_terminal({"TERM": "dumb"})
    assert (dumb_code, ESCAPE in dumb) == (code, False), dumb


def test_where_the_locale_knows_only_ascii_all_is_ascii_and_ends_the_same(attempt: Try) -> None:
    usual, plain = attempt.piped({}), attempt.piped(ASCII_ONLY)
    assert plain.code == usual.code, plain
    assert (plain.out + plain.err).isascii()
    assert "Traceback" not in plain.err
    assert len(plain.out.splitlines()) == len(usual.out.splitlines())


def test_a_reader_that_has_gone_is_no_error(attempt: Try) -> None:
    usual = attempt.piped({})
    script = f"exec 3> >(exit 0); sleep 0.05; petri {attempt.call} >&3; echo $? >&2"
    done = shell(script, attempt.folder())
    *said, code = done.err.splitlines()
    assert (int(code), [line for line in said if "Traceback" in line or "Broken" in line]) == (usual.code, []), done


def test_the_configuration_says_where_each_value_comes_from(prepared: Path, tmp_path: Path) -> None:
    def shown(cwd: Path, **env: str) -> dict[str, str]:
        lines = petri("--show-config", cwd=cwd, env=env).out.splitlines()
        return dict(re.split(r"  +", line, maxsplit=1) for line in lines)

    here = shown(tmp_path)
    assert here["store"] == ".petri/petri.db, not there yet (default)"
    assert here["session"] == "none (PETRI_NO_SESSIONS)"
    assert here["extra mcp"].startswith("mcp ")
    store = str(prepared / ".petri" / "petri.db")
    there = shown(tmp_path, PETRI_STORE=store, PETRI_PURE="1", NO_COLOR="1")
    assert there["store"] == f"{store} (PETRI_STORE)"
    assert there["compiled core"] == "not there: searches run in Python (PETRI_PURE)"
    assert "NO_COLOR=1" in there["colour"]
    assert "PETRI_BAD_STORE" in shown(tmp_path, PETRI_STORE="nosuch://x")["store"]
    assert list(tmp_path.iterdir()) == [], "looking makes nothing"
