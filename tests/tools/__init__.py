"""Tools that some tests drive, from their registries, fetched once into ``build/tools``: ``python -m tests.tools``.

wheels: what the package needs, so that it can be installed anew without a network. node: a YAML language server, as
editors use it (``package-lock.json`` here pins it and all that it needs, with checksums).

A tool is fetched again when what asks for it has changed. Where there is none (no network, no npm), its tests are
skipped and say so; where ``CI`` is set they fail.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
FOLDER = ROOT / "build" / "tools"
SERVER = Path("node_modules", "yaml-language-server", "bin", "yaml-language-server")


def wheels() -> Path:
    """A folder of wheels: the dependencies of the package, and what builds it."""
    return _there("wheels")


def language_server() -> list[str]:
    """The command of the YAML language server."""
    return ["node", str(_there("node") / SERVER), "--stdio"]


def _there(tool: str) -> Path:
    folder = FOLDER / tool
    if _stamp(folder) != _wanted(tool):
        reason = f"build/tools/{tool} is not there, or old: make tools"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return folder


def _fetch_wheels(folder: Path) -> None:
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--wheel-dir", str(folder)]
    subprocess.run([*pip, str(ROOT), "hatchling"], check=True, env={**os.environ, "PETRI_PURE": "1"})
    for own in folder.glob("petri_cli-*.whl"):
        own.unlink()


def _fetch_node(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, folder)
    subprocess.run(["npm", "ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=folder, check=True)


FETCH: dict[str, Callable[[Path], None]] = {"wheels": _fetch_wheels, "node": _fetch_node}


def fetch() -> list[str]:
    """Fetch what is not there; says which tools could not be had, and why."""
    failed = []
    for tool, get in FETCH.items():
        folder = FOLDER / tool
        if _stamp(folder) == _wanted(tool):
            continue
        shutil.rmtree(folder, ignore_errors=True)
        try:
            get(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            failed.append(f"{tool}: {error}")
        else:
            (folder / ".stamp").write_text(_wanted(tool), encoding="utf-8")
    return failed


def _stamp(folder: Path) -> str:
    stamp = folder / ".stamp"
    return stamp.read_text(encoding="utf-8") if stamp.exists() else ""


def _wanted(tool: str) -> str:
    """A word that is another one when something else is asked for."""
    if tool == "node":
        asked = (HERE / "package-lock.json").read_text(encoding="utf-8")
    else:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
        asked = f"{sys.version_info[:2]} {project['project']['dependencies']} {project['build-system']}"
    return hashlib.sha256(asked.encode()).hexdigest()
