"""The compiled scanners under the sanitizers of the C compiler: no byte out of bounds, no undefined behaviour."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.property.test_nets_native_sanitized import SANITIZE, library

ROOT = Path(__file__).parents[2]
SCRIPT = """
import importlib.machinery, importlib.util, sys
sys.path.insert(0, sys.argv[1])
loader = importlib.machinery.ExtensionFileLoader("petri_cli.formats.native._scan", sys.argv[2])
core = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(core)
from petri_cli.formats.native import binding
binding.core = core
from tests.property import test_log_scanners as examples
print(sum(examples.compare_mutations(seed, 500) for seed in range(10, 14)))
examples.many_of_everything()
examples.test_a_file_cut_off_anywhere_is_refused_alike()
examples.test_timestamps_are_understood_alike()
examples.test_any_log_is_read_alike()
examples.test_events_are_brought_into_order_and_collapsed_alike()
examples.test_a_scanner_refuses_what_it_is_not_made_for()
examples.test_numbers_that_are_no_order_are_refused()
"""


@pytest.mark.slow
def test_broken_files_upset_no_sanitizer(tmp_path: Path) -> None:
    asan = library("libasan.so")
    if sys.platform != "linux" or not asan:
        pytest.skip("no compiler with sanitizers")
    sys.path.insert(0, str(ROOT))
    try:
        import hatch_build
    finally:
        sys.path.remove(str(ROOT))
    target = tmp_path / "_scan.abi3.so"
    why = hatch_build.build(ROOT, hatch_build.SCANNERS, into=target, extra=SANITIZE)
    if why and "error" not in why:
        pytest.skip(why)
    assert not why, why
    environment = {k: v for k, v in os.environ.items() if k not in ("PETRI_PURE", "PYTHONMALLOC")}
    environment |= {"LD_PRELOAD": asan, "ASAN_OPTIONS": "detect_leaks=0,allocator_may_return_null=1"}
    call = [sys.executable, "-c", SCRIPT, str(ROOT), str(target)]
    done = subprocess.run(call, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    assert int(done.stdout) > 200
