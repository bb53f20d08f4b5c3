"""A call that is forked is like one that starts, seen from outside."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.petri import PETRI, ROOT, SAMPLES, environment, petri, prepared
from tests.e2e.prepared import Prepared

ENDLESS = "flow: {task: {id: a, run: sleep 60}}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "stdin"),
    [
        (["analyze", str(SAMPLES / "ordered-locks.petri.yaml")], ""),
        (["analyze", "-", "--format", "concise"], (SAMPLES / "lock-inversion.petri.yaml").read_text(encoding="utf-8")),
        (["analyze", "-"], "x" * 200_000),
        (["run", "--simulate", str(SAMPLES / "release.petri.yaml")], ""),
        (["status"], ""),
        (["analyse"], ""),
        ([], ""),
    ],
)
def test_a_forked_call_says_what_one_says_that_starts(arguments: list[str], stdin: str, tmp_path: Path) -> None:
    (tmp_path / "forked").mkdir()
    (tmp_path / "started").mkdir()
    forked = petri(*arguments, cwd=tmp_path / "forked", stdin=stdin)
    started = petri(*arguments, cwd=tmp_path / "started", stdin=stdin, env={"UNUSUAL": "1"})
    assert forked == started


def test_a_call_has_the_folder_the_environment_and_the_umask_of_its_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "plan.yaml").write_text("flow: {task: {id: a, run: 'env > env; pwd > pwd'}}", encoding="utf-8")
    before = os.umask(0o077)
    try:
        done = prepared().call(["run", "plan.yaml"], tmp_path, b"", {**environment(), "SAID": "so"}, timeout=60)
    finally:
        os.umask(before)
    assert done.returncode == 0, done.stderr
    assert "SAID=so" in (tmp_path / "env").read_text().splitlines()
    assert (tmp_path / "pwd").read_text().strip() == str(tmp_path.resolve())
    assert (tmp_path / "pwd").stat().st_mode & 0o777 == 0o600


@pytest.mark.slow
def test_a_call_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(ENDLESS, encoding="utf-8")
    with pytest.raises(subprocess.TimeoutExpired):
        prepared().call(["run", "plan.yaml"], tmp_path, b"", environment(), timeout=1)


@pytest.mark.slow
def test_the_server_ends_with_the_tests() -> None:
    own = Prepared(environment(), PETRI, ROOT)
    assert own.call(["--version"], ROOT, b"", environment(), timeout=60).returncode == 0
    own.close()
    assert own.ended(timeout=60) == 0


@pytest.mark.slow
def test_no_call_finds_a_large_library_imported() -> None:
    code = (
        "import sys; from tests.e2e.prepared import LARGE, prepare; prepare(); sys.exit(bool(LARGE & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment(), check=False).returncode == 0
