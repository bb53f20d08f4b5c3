"""The package is built with the compiled search where that can be, and without it where not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOOK = ROOT / "hatch_build.py"


def _build(root: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """What stands in the way of a build in ``root``."""
    monkeypatch.syspath_prepend(str(ROOT))
    import hatch_build

    return hatch_build.build(root)


def test_without_a_compiler_one_line_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PETRI_PURE", raising=False)
    monkeypatch.setenv("CC", "no-such-compiler -O3")
    monkeypatch.setenv("PATH", str(tmp_path))
    why = _build(tmp_path, monkeypatch)
    assert why and "\n" not in why
    assert not list(tmp_path.iterdir())


def test_the_compiled_search_can_be_left_out(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PETRI_PURE", "1")
    assert _build(tmp_path, monkeypatch) == "PETRI_PURE is set"


def test_a_compiler_that_fails_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PETRI_PURE", raising=False)
    monkeypatch.setenv("CC", f"{sys.executable} -c 'import sys; sys.exit(1)'")
    native = tmp_path / "petri_cli" / "soundness" / "native"
    native.mkdir(parents=True)
    (native / "broken.c").write_text("this is no C", encoding="utf-8")
    why = _build(tmp_path, monkeypatch)
    assert why and "\n" not in why
    assert [p.name for p in native.iterdir()] == ["broken.c"]


@pytest.mark.parametrize(("value", "expected"), [("1", "False"), ("0", "here"), ("", "here")])
def test_the_compiled_search_can_be_switched_off_when_running(value: str, expected: str) -> None:
    from petri_cli.soundness.native import binding

    look = "from petri_cli.soundness.native import binding; print(binding.core is not None)"
    done = subprocess.run(
        [sys.executable, "-c", look], env={"PETRI_PURE": value}, cwd=ROOT, capture_output=True, text=True, check=True
    )
    built = (ROOT / "petri_cli/soundness/native/_core.abi3.so").exists()
    assert done.stdout.strip() == (str(built) if expected == "here" else "False")
    assert binding.core is None or built
