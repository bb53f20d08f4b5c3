"""``--store`` of anything: what is no store is refused in words, and nothing is left beside it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.e2e.petri import petri

PLAN = "name: two\nflow: {task: {id: a, run: echo 1}}\n"
PLACES = {
    ".": "this is a folder, and a store is a file",
    "./": "this is a folder, and a store is a file",
    "..": "this is a folder, and a store is a file",
    "/": "this is a folder, and a store is a file",
    "sqlite:///.": "this is a folder, and a store is a file",
    "sqlite:////": "this is a folder, and a store is a file",
    "folder": "this is a folder, and a store is a file",
    "folder/": "this is a folder, and a store is a file",
    "link-to-folder": "this is a folder, and a store is a file",
    "fifo": "not a file",
    "/dev/null": "not a file",
}
CALLS = (
    "create x",
    "plan plan.petri.yaml",
    "run plan.petri.yaml",
    "run",
    "status",
    "cancel",
    "claim",
    "heartbeat c1",
    "report c1",
    "verify",
    "approve c1",
    "inject p.loop.x.due",
    "insights",
    "mine --all-sessions",
    "export x --format xes",
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    inner = tmp_path / "inner"
    (inner / "folder").mkdir(parents=True)
    os.mkfifo(inner / "fifo")
    (inner / "link-to-folder").symlink_to("folder")
    (inner / "plan.petri.yaml").write_text(PLAN, encoding="utf-8")
    return inner


@pytest.mark.parametrize("call", CALLS)
def test_what_is_no_store_is_refused_in_words_and_nothing_is_made_beside_it(folder: Path, call: str) -> None:
    before = sorted(folder.parent.rglob("*"))
    for place, what in PLACES.items():
        found = petri(*call.split(), "--store", place, cwd=folder)
        assert (found.code, found.out) == (2, ""), (place, found.err)
        assert "PETRI_STORE_NO_ACCESS" in found.err
        assert what in found.err
    assert sorted(folder.parent.rglob("*")) == before
    assert not Path("/dev/null.lock").exists()


def test_who_names_a_folder_is_told_a_file_in_it(folder: Path) -> None:
    said = petri("create", "x", "--store", "folder", cwd=folder).err
    hint = "name a file in it, such as folder/petri.db"
    assert said == f"PETRI_STORE_NO_ACCESS folder: this is a folder, and a store is a file ({hint})\n"


def test_a_store_that_was_cut_to_nothing_is_not_begun_anew(folder: Path) -> None:
    assert petri("run", "plan.petri.yaml", cwd=folder).code == 0
    (folder / ".petri" / "petri.db").write_bytes(b"")
    for call in CALLS:
        found = petri(*call.split(), cwd=folder)
        assert found.code == 2, call
        assert (
            "PETRI_STORE_EMPTIED .petri/petri.db: it is empty, and was a store: petri.db.lock, work/ lie" in found.err
        )
    assert (folder / ".petri" / "petri.db").stat().st_size == 0


def test_what_a_store_holds_is_kept_out_of_git(tmp_path: Path) -> None:
    assert petri("create", "one", cwd=tmp_path).code == 0
    assert (tmp_path / ".petri" / ".gitignore").read_text() == "*\n"
    (tmp_path / ".petri" / ".gitignore").unlink()
    assert petri("create", "two", cwd=tmp_path).code == 0
    assert not (tmp_path / ".petri" / ".gitignore").exists(), "a folder that is there is left as it is"
