"""Running the installed command as a user does: in a subprocess, with an environment that is known."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.e2e.prepared import Prepared

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "samples"
PETRI = Path(sys.executable).with_name("petri")

_FORGOTTEN = (
    *("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LC_ALL", "LANG", "LC_CTYPE", "PYTHONIOENCODING", "PYTHONUTF8"),
    *("PYTHONDONTWRITEBYTECODE", "PYTHONPATH", "PETRI_SESSION", "PETRI_STORE"),
)
_COMPILED = ROOT / "build" / "pycache"
"""An installed command has its bytecode beside it; here it is kept out of the tree, from one call to the next."""


@dataclass(frozen=True)
class Ended:
    """How a call ended. ``out`` and ``err`` are text, whatever the locale of the call."""

    code: int
    out: str
    err: str

    @property
    def report(self) -> Any:
        """Standard output as JSON."""
        return json.loads(self.out)


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a call: nothing about colour or language but what ``extra`` says."""
    kept = {k: v for k, v in os.environ.items() if k not in _FORGOTTEN}
    return {**kept, "LANG": "C.UTF-8", "PYTHONPYCACHEPREFIX": str(_COMPILED), **(extra or {})}


def _lasting(environment: Mapping[str, str]) -> dict[str, str]:
    """Without what is another thing in every test."""
    return {k: v for k, v in environment.items() if k != "PYTEST_CURRENT_TEST"}


@cache
def prepared() -> Prepared:
    """One for all tests of this process, with the environment of the first."""
    return Prepared(environment(), PETRI, ROOT)


def petri(*arguments: str | Path, cwd: Path, stdin: str | bytes = b"", env: Mapping[str, str] | None = None) -> Ended:
    """Run ``petri`` with ``arguments`` in ``cwd``, in a process of its own.

    Where nothing in the environment is unusual, the process need not start: it is forked from one that has.
    """
    data = stdin.encode() if isinstance(stdin, str) else stdin
    words, wanted = [*map(str, arguments)], environment(env)
    if _lasting(wanted) == _lasting(prepared().environment):
        done = prepared().call(words, cwd, data, wanted, timeout=120)
    else:
        done = subprocess.run([str(PETRI), *words], cwd=cwd, input=data, capture_output=True, env=wanted, timeout=120)
    return Ended(done.returncode, done.stdout.decode(errors="surrogateescape"), done.stderr.decode())


def shell(script: str, cwd: Path, env: Mapping[str, str] | None = None) -> Ended:
    """Run a line of bash in which ``petri`` is the command under test."""
    path = {"PATH": f"{PETRI.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    done = subprocess.run(
        ["bash", "-c", script], cwd=cwd, capture_output=True, env={**environment(env), **path}, timeout=120
    )
    return Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
