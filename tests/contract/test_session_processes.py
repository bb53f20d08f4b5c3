"""Real processes that write to one database, race for it, and are killed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOAK = float(os.environ.get("PETRI_SOAK_SECONDS", "10"))


def run(what: str, folder: Path, number: float) -> str:
    command = [sys.executable, "-W", "error", "-m", "tests.contract.session_writers", what, str(folder), str(number)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout


def test_a_writer_killed_at_any_point_leaves_what_was_acknowledged(tmp_path: Path) -> None:
    assert run("kills", tmp_path, 16).startswith("16 kills")


@pytest.mark.slow
def test_a_writer_with_a_rollback_journal_killed_at_any_point_leaves_what_was_acknowledged(tmp_path: Path) -> None:
    assert run("kills-network", tmp_path, 16).startswith("16 kills")


@pytest.mark.slow
def test_a_writer_killed_a_hundred_times_leaves_what_was_acknowledged(tmp_path: Path) -> None:
    assert run("kills", tmp_path, 120).startswith("120 kills")


@pytest.mark.slow
def test_four_processes_append_at_once_without_an_error_or_a_loss(tmp_path: Path) -> None:
    assert "events in 1 s" in run("race", tmp_path, 1)


@pytest.mark.slow
def test_four_processes_append_for_long_without_an_error_or_a_loss(tmp_path: Path) -> None:
    """PETRI_SOAK_SECONDS: for how long."""
    assert f"events in {SOAK:g} s" in run("race", tmp_path, SOAK)
