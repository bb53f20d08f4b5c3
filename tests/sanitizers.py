"""A compiled part under the sanitizers of the C compiler, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SANITIZE = ("-UNDEBUG", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-Werror", "-Wshadow")
LOAD = """
import importlib.machinery, importlib.util, sys
sys.path.insert(0, sys.argv[1])
loader = importlib.machinery.ExtensionFileLoader("{package}.{module}", sys.argv[2])
core = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(core)
from {package} import binding
binding.core = core
"""


def library(name: str) -> str:
    """The path of a run-time library of the compiler; empty when it has none."""
    try:
        done = subprocess.run(["cc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    path = Path(done.stdout.strip())
    return str(path) if path.is_absolute() and path.exists() else ""


def under_sanitizers(folder: Path, part: Path, script: str, *arguments: str) -> int:
    """What ``script`` prints, a number, with the part of the package in ``part`` built anew for it.

    Skips where there is no compiler, or none with sanitizers.
    """
    asan = library("libasan.so")
    if sys.platform != "linux" or not asan:
        pytest.skip("no compiler with sanitizers")
    sys.path.insert(0, str(ROOT))
    try:
        import hatch_build
    finally:
        sys.path.remove(str(ROOT))
    module = hatch_build.MODULES[part]
    target = folder / f"{module}.abi3.so"
    why = hatch_build.build(ROOT, part, into=target, extra=SANITIZE)
    if why and "error" not in why:
        pytest.skip(why)
    assert not why, why
    environment = {k: v for k, v in os.environ.items() if k not in ("PETRI_PURE", "PYTHONMALLOC")}
    environment |= {"LD_PRELOAD": asan, "ASAN_OPTIONS": "detect_leaks=0,allocator_may_return_null=1"}
    load = LOAD.format(package=".".join(part.parts), module=module)
    call = [sys.executable, "-c", load + script, str(ROOT), str(target), *arguments]
    done = subprocess.run(call, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return int(done.stdout)
