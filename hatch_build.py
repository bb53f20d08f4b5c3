"""Builds the compiled parts into the package, where there is a C compiler: the core of the explicit search, and the
scanners of event logs.

Without one, or with ``PETRI_PURE=1`` in the environment, the package is built all the same: pure Python, one line says
so. ``python hatch_build.py`` builds it in place, for a checkout that is used as it is.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run by hand, or imported by a test
    BuildHookInterface = object  # type: ignore[assignment,misc]

NATIVE = Path("petri_cli") / "soundness" / "native"
SCANNERS = Path("petri_cli") / "formats" / "native"
MODULES = {NATIVE: "_core", SCANNERS: "_scan"}
"""Folder of the sources → the module that they become."""
STABLE_ABI = "0x030B0000"
FLAGS = ("-std=c11", "-O2", "-fPIC", "-fvisibility=hidden", "-Wall", "-Wextra", "-DNDEBUG")

PURE = "PETRI_PURE is set"


def built(root: Path, part: Path = NATIVE) -> Path:
    """Where a compiled part belongs."""
    return root / part / f"{MODULES[part]}.abi3.so"


def build(root: Path, part: Path = NATIVE, *, into: Path | None = None, extra: tuple[str, ...] = ()) -> str:
    """Compile a part; empty when that worked, else why not, in a line. extra: more flags for the compiler."""
    if os.environ.get("PETRI_PURE", "") not in ("", "0"):
        return PURE
    if sys.platform == "win32" or sys.implementation.name != "cpython":
        return f"not for {sys.implementation.name} on {sys.platform}"
    include = Path(sysconfig.get_path("include"))
    if not (include / "Python.h").exists():
        return f"there is no {include / 'Python.h'}"
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    if shutil.which(compiler[0]) is None:
        compiler = ["cc"]
    if shutil.which(compiler[0]) is None:
        return "there is no C compiler"
    link = ("-bundle", "-undefined", "dynamic_lookup") if sys.platform == "darwin" else ("-shared",)
    target = into or built(root, part)
    fresh = target.with_suffix(f".{os.getpid()}")
    sources = sorted((root / part).glob("*.c"))
    command = [*compiler, *FLAGS, *extra, f"-DPy_LIMITED_API={STABLE_ABI}", f"-I{include}", *link]
    command += [*map(str, sources), "-o", str(fresh)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)  # noqa: S603
    except (OSError, subprocess.SubprocessError) as e:
        return f"{compiler[0]}: {e}"
    if done.returncode != 0:
        fresh.unlink(missing_ok=True)
        return next((line for line in done.stderr.splitlines() if "error" in line), f"{compiler[0]} failed")
    fresh.replace(target)
    return ""


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg,misc]
    """Adds the compiled parts to the wheel, and the platform to its name."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for part in MODULES:
            why = build(Path(self.root), part)
            if why:
                if why != PURE:  # then it is only left out: whoever works in this tree may have built it
                    built(Path(self.root), part).unlink(missing_ok=True)
                sys.stderr.write(f"petri-cli: built without {part / MODULES[part]} ({why})\n")
                continue
            build_data["artifacts"].append((part / f"{MODULES[part]}.abi3.so").as_posix())
            build_data["pure_python"] = False
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"cp311-abi3-{platform}"


if __name__ == "__main__":
    problems = [f"{MODULES[part]}: {why}" for part in MODULES if (why := build(Path(__file__).parent, part))]
    if problems:
        raise SystemExit(f"petri-cli: not built: {'; '.join(problems)}")
