"""A command that is called in a folder which was removed: an error of the call, never a fault of the program."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.petri import PETRI, SAMPLES, Ended, shell

PLAN = str(SAMPLES / "release.petri.yaml")


def called_in_a_removed_folder(tmp_path: Path, words: str) -> Ended:
    script = f'mkdir gone && cd gone && rmdir "$PWD" && exec {PETRI} {words} < /dev/null'
    return shell(script, cwd=tmp_path)


@pytest.mark.parametrize(
    "words",
    [
        *(
            "run",
            f"run {PLAN}",
            "status",
            "create",
            f"plan {PLAN}",
            "claim",
            "report c1",
            "verify",
            "cancel",
            "insights",
        ),
        f"run {PLAN} --store %/petri.db",
    ],
)
def test_what_works_in_a_folder_says_that_it_is_gone(tmp_path: Path, words: str) -> None:
    ended = called_in_a_removed_folder(tmp_path, words.replace("%", str(tmp_path)))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("PETRI_NO_FOLDER the current folder cannot be used"), ended.err
    assert list(tmp_path.iterdir()) == [], "nothing was committed"


def test_what_needs_no_folder_works_all_the_same(tmp_path: Path) -> None:
    for words, code in (
        ("analyze", 2),
        (f"analyze {PLAN}", 0),
        (f"run {PLAN} --simulate", 0),
        ("init", 2),
        ("run x", 2),
    ):
        ended = called_in_a_removed_folder(tmp_path, words)
        assert ended.code == code, (words, ended.err)
        assert "fault" not in ended.err
