"""Git repositories to try things in: that of a newcomer, and one that holds this tree as it is."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.e2e.petri import PETRI, ROOT, Ended, environment

PARTS = (
    *("petri_cli", "schemas", "samples", "docs/codes", "pyproject.toml", "hatch_build.py", "README.md", "LICENSE"),
    *(".pre-commit-hooks.yaml", "action.yml"),
)
"""What of this tree an installation from its repository reads."""
NOBODY = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_SYSTEM": os.devnull,
    **{f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def offline(wheels: Path) -> dict[str, str]:
    """The environment in which pip installs from a folder of wheels alone; the package without its compiled core."""
    return {
        "PIP_NO_INDEX": "1",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "VIRTUALENV_NO_DOWNLOAD": "1",
        "PETRI_PURE": "1",
    }


class Repository:
    """A git repository in a folder of its own, and commands in it."""

    def __init__(self, folder: Path, env: Mapping[str, str] | None = None) -> None:
        folder.mkdir()
        self.folder = folder
        # what a hook, or a make, that runs the tests says to those that it calls
        outer = {k: v for k, v in os.environ.items() if k.startswith(("GIT_", "MAKE", "MFLAGS"))}
        self.environment = {
            k: v for k, v in environment({**NOBODY, **(env or {})}).items() if k not in outer or k in NOBODY
        }
        self.environment["PATH"] = f"{PETRI.parent}{os.pathsep}{self.environment['PATH']}"
        self.must("git init --quiet --initial-branch=main")

    def run(self, command: str) -> Ended:
        """A line of bash."""
        done = subprocess.run(
            ["bash", "-c", command], cwd=self.folder, capture_output=True, env=self.environment, timeout=300
        )
        return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())

    def must(self, command: str) -> str:
        """Standard output of a line of bash that must succeed."""
        done = self.run(command)
        assert done.code == 0, f"{command}\n{done.out}{done.err}"
        return done.out

    def write(self, name: str, text: str) -> None:
        file = self.folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


def this_tree(folder: Path) -> Repository:
    """A repository with one commit: what an installation reads of this tree, as it is now."""
    repository = Repository(folder)
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            ignored = shutil.ignore_patterns("__pycache__", "*.so")
            shutil.copytree(source, folder / part, ignore=ignored)
        else:
            shutil.copy(source, folder / part)
    repository.must("git add --all && git commit --quiet --message 'as it is'")
    return repository
