"""Pipes, sockets, devices and links where a file is wanted: refused in words, and nothing waits."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from tests.e2e.petri import petri, shell

PLAN = "flow: {task: {id: a}}\n"
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A plan among what is no file, all with names of plans."""
    (tmp_path / "ok.petri.yaml").write_text(PLAN, encoding="utf-8")
    os.mkfifo(tmp_path / "pipe.petri.yaml")
    (tmp_path / "folder.petri.yaml").mkdir()
    (tmp_path / "zero.petri.yaml").symlink_to("/dev/zero")
    here = Path.cwd()
    os.chdir(tmp_path)  # the path of a socket must be short
    try:
        with socket.socket(socket.AF_UNIX) as s:
            s.bind("socket.petri.yaml")
    finally:
        os.chdir(here)
    return tmp_path


def test_a_folder_is_searched_for_files_alone(folder: Path) -> None:
    found = petri("analyze", "-f", "concise", cwd=folder)
    assert (found.code, found.out) == (0, "ok.petri.yaml SOUND no-waiting\n")


def test_a_link_that_leads_nowhere_is_not_passed_over(folder: Path) -> None:
    (folder / "gone.petri.yaml").symlink_to("nowhere")
    (folder / "circle.petri.yaml").symlink_to("circle.petri.yaml")
    found = petri("analyze", "-f", "concise", cwd=folder)
    assert found.code == 2
    named = petri("analyze", "-f", "concise", "gone.petri.yaml", "circle.petri.yaml", cwd=folder)
    for name in ("gone", "circle"):
        assert f"{name}.petri.yaml PETRI_UNREADABLE_FILE" in found.err
        said = f"{name}.petri.yaml PETRI_UNREADABLE_FILE this is a link that leads to no file (make it lead to one)"
        assert said in named.err


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("pipe.petri.yaml", "a named pipe"),
        ("socket.petri.yaml", "a socket"),
        ("zero.petri.yaml", "a device"),
        ("/dev/null", "a device"),
    ],
)
@pytest.mark.parametrize(
    "command",
    [
        ("analyze", "-f", "concise"),
        ("export",),
        ("run", "-s"),
        ("run",),
        ("plan",),
        ("run", "-s", "ok.petri.yaml", "-d"),
    ],
)
def test_what_is_no_file_is_refused_by_name(folder: Path, command: tuple[str, ...], name: str, what: str) -> None:
    found = petri(*command, name, cwd=folder)
    assert found.code == 2
    assert f"{name} PETRI_UNREADABLE_FILE this is {what}; a file is wanted" in found.err


@pytest.mark.parametrize(
    "call",
    [
        "cat ok.petri.yaml | petri analyze -f concise -",
        "petri analyze -f concise - < ok.petri.yaml",
        "cat ok.petri.yaml | petri analyze -f concise /dev/stdin",
        "petri analyze -f concise /dev/stdin < ok.petri.yaml",
        "petri analyze -f concise <(cat ok.petri.yaml)",
    ],
)
def test_open_streams_are_read(folder: Path, call: str) -> None:
    found = shell(call, folder)
    assert (found.code, found.out.endswith(" SOUND no-waiting\n")) == (0, True), found.err


@pytest.mark.parametrize("command", ["analyze", "export", "run", "plan"])
def test_an_empty_name_is_not_the_current_folder(folder: Path, command: str) -> None:
    found = petri(command, "", cwd=folder)
    assert found.code == 2
    assert "PETRI_UNREADABLE_FILE the name of the file is empty" in found.err


@FULL
@pytest.mark.parametrize("call", ["--version", "--help", "analyze --help", "schema plan", "explain PETRI_UNKNOWN"])
def test_a_full_disk_is_said_in_one_line(tmp_path: Path, call: str) -> None:
    found = shell(f"petri {call} > /dev/full", tmp_path)
    assert found.code == 2
    assert found.err == "standard output PETRI_CANNOT_WRITE cannot be written: No space left on device\n"


@FULL
@pytest.mark.parametrize("call", ["--bogus", "bogus", "analyze --bogus", "--version > /dev/full"])
def test_the_code_is_right_where_nothing_can_be_said(tmp_path: Path, call: str) -> None:
    assert shell(f"petri {call} 2> /dev/full", tmp_path).code == 2


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-1", "1e400"])
@pytest.mark.parametrize("command", ["analyze", "plan"])
def test_no_number_of_seconds_is_refused(folder: Path, command: str, value: str) -> None:
    found = petri(command, "--timeout", value, "ok.petri.yaml", cwd=folder)
    assert found.code == 2
    assert "Invalid value for '--timeout'" in found.err
