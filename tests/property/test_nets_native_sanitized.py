"""The compiled core under the sanitizers of the C compiler: no byte out of bounds, no undefined behaviour, no leak."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SANITIZE = ("-UNDEBUG", "-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all", "-Werror", "-Wshadow")
SCRIPT = """
import importlib.machinery, importlib.util, sys
from random import Random
sys.path.insert(0, sys.argv[1])
loader = importlib.machinery.ExtensionFileLoader("petri_cli.soundness.native._core", sys.argv[2])
core = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(core)
from petri_cli.soundness.native import binding
binding.core = core
from tests.property import test_nets_native as examples
states = sum(examples.compare_random_nets(seed) for seed in range(int(sys.argv[3])))
for megabytes in (0, 1, 2, 4):
    examples.test_a_search_that_may_hold_no_more_ends_with_what_it_has(megabytes)
for bits in (1, 2, 3, 7, 8, 31, 62, 63, 64):
    examples.test_counts_around_the_width_of_any_field_are_the_same(bits)
examples.any_memory_is_enough_or_refused(300)
examples.test_numbers_that_tell_no_net_are_refused()
print(states)
"""


def library(name: str) -> str:
    """The path of a run-time library of the compiler; empty when it has none."""
    try:
        done = subprocess.run(["cc", f"-print-file-name={name}"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    path = Path(done.stdout.strip())
    return str(path) if path.is_absolute() and path.exists() else ""


@pytest.mark.slow
def test_random_nets_and_scarce_memory_upset_no_sanitizer(tmp_path: Path) -> None:
    asan = library("libasan.so")
    if sys.platform != "linux" or not asan:
        pytest.skip("no compiler with sanitizers")
    sys.path.insert(0, str(ROOT))
    try:
        import hatch_build
    finally:
        sys.path.remove(str(ROOT))
    target = tmp_path / "_core.abi3.so"
    why = hatch_build.build(ROOT, into=target, extra=SANITIZE)
    if why and "error" not in why:
        pytest.skip(why)
    assert not why, why
    environment = {k: v for k, v in os.environ.items() if k not in ("PETRI_PURE", "PYTHONMALLOC")}
    environment |= {"LD_PRELOAD": asan, "ASAN_OPTIONS": "detect_leaks=0,allocator_may_return_null=1"}
    call = [sys.executable, "-c", SCRIPT, str(ROOT), str(target), "60"]
    done = subprocess.run(call, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    assert int(done.stdout) > 1000
