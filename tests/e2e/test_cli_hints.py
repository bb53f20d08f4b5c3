"""Every command that a message suggests does what it is said to do, when it is pasted in the same folder."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.e2e.petri import Ended, petri, shell

PULLED = """\
name: pulled
flow:
  seq:
    - task: {id: ask, verify: human, maxAttempts: 3}
    - parallel:
        - task: {id: left, verify: human}
        - task: {id: right, verify: human}
"""
STUCK = """\
name: stuck
flow:
  parallel:
    - seq:
        - task: {id: bad, run: exit 3}
        - task: {id: never, run: echo}
    - seq:
        - task: {id: slow, run: sleep 0.3}
        - task: {id: good, run: echo}
"""
DONE = "name: done\nflow: {task: {id: a, run: echo}}\n"

PROSE = ("goes", "commits", "does", "opens", "shows", "lists", "says", "in", "and", "for", "makes")
"""A command ends before one of these: it is the subject of a sentence."""
_COMMAND = re.compile(r"\bpetri [a-z]+(?: (?!(?:" + "|".join(PROSE) + r")\b)(?:'[^']*'|[^\s;,:()`']+))*")


def suggested(text: str) -> list[str]:
    """The commands in what was said, however it was broken into lines; FILE is the plan that there is."""
    return [c.replace("FILE", "plan.petri.yaml") for c in _COMMAND.findall(text)]


STORES = {"the usual store": (), "another store": ("--store", "my ci.db")}
CROWDS = {"alone": 0, "among others": 2}


class Folder:
    """A folder with a plan and a store, in which commands are pasted."""

    def __init__(self, path: Path, store: Sequence[str], others: int) -> None:
        self.path, self.store = path, store
        for _ in range(others):
            self.call("create", "other")

    def call(self, *words: str, code: int | None = 0) -> Ended:
        done = petri(*words, *self.store, cwd=self.path)
        assert code in (None, done.code), done.out + done.err
        return done

    def plan(self, text: str) -> None:
        (self.path / "plan.petri.yaml").write_text(text, encoding="utf-8")

    def paste(self, said: str, begins: str, *, code: int = 0) -> Ended:
        """Do as the one command in ``said`` that begins so tells."""
        found = list(dict.fromkeys(c for c in suggested(said) if c.startswith(f"petri {begins}")))
        assert len(found) == 1, (begins, suggested(said), said)
        done = shell(found[0], self.path, {"LOGNAME": "ada"} if begins == "approve" else None)
        assert done.code == code, f"{found[0]}\n{done.out}{done.err}"
        return done


@pytest.fixture(params=[(s, c) for s in STORES for c in CROWDS], ids=lambda p: ", ".join(p))
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Folder:
    store, crowd = request.param
    return Folder(tmp_path, STORES[store], CROWDS[crowd])


def test_a_session_moves_on_by_the_commands_that_its_status_suggests(folder: Folder) -> None:
    folder.plan(PULLED)
    name = folder.call("create", "mine").out.strip()
    folder.paste(folder.call("status", name).out, "plan")
    said = folder.call("status", name).out
    assert folder.paste(said, "claim").out.startswith("c1  ask")
    folder.paste(folder.call("status", name).out, "report")
    folder.paste(folder.call("status", name).out, "approve")
    judged = folder.call("status", name).out
    assert "waits for a person" not in judged
    assert folder.paste(judged, "verify").out == "c1 passed by human\n"
    assert "nothing that was reported" in folder.call("verify", "--session", name).err
    folder.paste(folder.call("status", name).out, "claim")
    resting = folder.call("run", "--session", name, "--no-wait", code=5).out
    assert "goes on where it is" in resting
    folder.paste(resting, "status")
    folder.paste(resting, "report")
    folder.paste(folder.call("status", name).out, "approve")
    assert "waits for a worker" in folder.call("run", "--session", name, "--no-wait", code=5).out


def test_a_run_that_is_deadlocked_says_what_can_be_done(folder: Folder) -> None:
    folder.plan(STUCK)
    said = folder.call("run", "plan.petri.yaml", code=1).out
    assert "does what else can be done" in said
    after = folder.paste(said, "run --keep-going", code=1).out
    assert "good is done" in after
    assert "--keep-going" not in after, "nothing else can be done"
    folder.plan(STUCK.replace("exit 3", "echo"))
    folder.paste(after, "plan")
    folder.paste(folder.call("status", "stuck").out, "run")
    assert "completed" in folder.paste(after, "status").out


def test_what_is_unfinished_is_gone_on_with(folder: Folder) -> None:
    folder.plan(DONE)
    folder.call("plan", "plan.petri.yaml")
    said = folder.call("run", "plan.petri.yaml").err
    assert "completed  done" in folder.paste(said, "run").out


@pytest.mark.parametrize(
    ("words", "begins", "code"),
    [
        (("run", "--session", "mine"), "plan", 0),
        (("claim", "--session", "mine"), "plan", 0),
        (("insights", "mine"), "plan", 0),
        (("run", "mine"), "run --session mine", 2),
        (("plan", "mine"), "plan", 0),
    ],
)
def test_an_error_says_a_command_that_works(folder: Folder, words: tuple[str, ...], begins: str, code: int) -> None:
    folder.plan(DONE)
    folder.call("create", "mine")
    said = folder.call(*words, code=2).err
    done = folder.paste(said, begins, code=code)
    assert code or "mine" in done.out


def test_a_session_that_is_over_is_begun_anew_in_the_same_store(folder: Folder) -> None:
    folder.plan(DONE)
    folder.call("run", "plan.petri.yaml")
    for words in (("run", "--session", "done"), ("plan", "plan.petri.yaml", "--session", "done"), ("cancel", "done")):
        said = folder.call(*words, code=2).err
        assert "completed  done-" in folder.paste(said, "run").out


def test_a_revision_that_was_not_expected_is_looked_at(folder: Folder) -> None:
    folder.plan(DONE)
    folder.call("plan", "plan.petri.yaml")
    folder.plan(DONE + "# another\n")
    said = folder.call("plan", "plan.petri.yaml", "--session", "done", "--expect-revision", "7", code=4).err
    assert "done" in folder.paste(said, "status").out


def test_where_there_is_no_store_yet_one_is_begun(tmp_path: Path) -> None:
    folder = Folder(tmp_path, STORES["another store"], 0)
    folder.plan(DONE)
    said = folder.call("status", code=2).err
    folder.paste(said, "run")
    assert "completed" in folder.call("status").out


def test_a_command_is_not_broken_where_the_page_is_narrow(tmp_path: Path) -> None:
    """As a terminal of 60 columns shows it."""
    folder = Folder(tmp_path, STORES["another store"], 1)
    folder.plan(PULLED)
    folder.call("plan", "plan.petri.yaml")
    shown = shell(
        f"script -qec {shlex.quote('stty cols 60; petri status pulled --store ' + repr('my ci.db'))} /dev/null",
        tmp_path,
    )
    plain = re.sub(r"\x1b\[[0-9;]*m", "", shown.out)
    assert "\r\n  petri claim ask --session pulled --store 'my ci.db'\r\n" in plain
