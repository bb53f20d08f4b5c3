"""The same bytes for every hash seed: whatever is mined, exported or told of a session, in every form."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.mining_cases import table
from tests.e2e.petri import SAMPLES, environment, petri
from tests.textbook_logs import FULL, L7

SEEDS = 20
AT_ONCE = 4
PLAYED = ["insights", "release", "--what-if", "ci_slots=2", "-f", "json"]
"""Takes a second, so it is called for the first seeds only."""

CALLS = """
import contextlib, hashlib, io, json, sys
from pathlib import Path
from petri_cli.cli.main import main

told = {}
for call in json.load(open(sys.argv[2])):
    out, err = io.StringIO(), io.StringIO()
    folder = sys.argv[1]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([part.replace("OUT", folder) for part in call])
    text = f"{code}\\n{out.getvalue()}\\n{err.getvalue()}".replace(folder, "OUT")
    told[" ".join(call)] = hashlib.sha256(text.encode()).hexdigest()
for path in sorted(Path(folder).iterdir()):
    told[path.name] = hashlib.sha256(path.read_bytes()).hexdigest()
print(json.dumps(told))
"""

PLAN = """\
name: release
resources: [{id: ci_slots, capacity: 1}]
flow:
  seq:
    - task: {id: plan, run: "true"}
    - parallel:
        - guard: {resource: ci_slots, body: {task: {id: build, run: "true"}}}
        - guard: {resource: ci_slots, body: {task: {id: check, run: "true"}}}
    - foreach: {id: each, over: [x, y], body: {task: {id: ship, run: "true"}}}
"""


def calls() -> list[list[str]]:
    found = []
    for log in ("orders.csv", "full.csv", "blind.csv", "noisy.csv"):
        found += [["mine", log, "--color", "always", "--chart", "--all"], ["mine", log, "-f", "json"]]
        found += [["mine", log, "--coverage", "80", "-o", f"OUT/{log}.{end}"] for end in ("yaml", "svg")]
        found += [["mine", log, "--algorithm", "alpha", "-f", "json", "-o", f"OUT/{log}.alpha.dot"]]
        for end in ("dot", "mmd", "svg"):
            found += [["mine", log, "--algorithm", "dfg", "-f", "json", "-o", f"OUT/{log}.dfg.{end}"]]
    found += [["mine", "orders.csv", "-o", f"OUT/net.{end}"] for end in ("pnml", "dot", "mmd", "json")]
    for form in ("text", "json"):
        found += [["mine", "orders.csv", "--diff", "orders.petri.yaml", "-f", form]]
        found += [["mine", "orders.csv", "--model", "orders.petri.yaml", "-f", form]]
        found += [["mine", "release", "-f", form], ["mine", "--all-sessions", "--by-item", "-f", form]]
        found += [["insights", "release", "--all-sessions", "-f", form]]
    found += [["export", "release", "-f", form] for form in ("xes", "csv", "jsonl")]
    return [*found, ["export", "--all-sessions", "-o", "OUT/history.xes.gz"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("orders.csv", "orders.petri.yaml"):
        (tmp_path / name).write_bytes((SAMPLES / name).read_bytes())
    words = ["".join("abcdefghij"[k * j * j % 11 % 10] for j in range(1, 2 + k % 9)) for k in range(1, 41)]
    for name, log in (("full.csv", FULL), ("blind.csv", L7), ("noisy.csv", " ".join(words))):
        table(tmp_path / name, log)
    (tmp_path / "release.petri.yaml").write_text(PLAN, encoding="utf-8")
    for _ in range(2):
        assert petri("run", "release.petri.yaml", "-q", cwd=tmp_path).code == 0
    (tmp_path / "calls.json").write_text(json.dumps(calls()), encoding="utf-8")
    (tmp_path / "more.json").write_text(json.dumps([*calls(), PLAYED]), encoding="utf-8")
    return tmp_path


def started(folder: Path, seed: int) -> subprocess.Popen[str]:
    out = folder / f"out{seed}"
    out.mkdir()
    env = environment({"PYTHONHASHSEED": str(seed), "NO_COLOR": "", "COLUMNS": "100"})
    path = os.pathsep.join(sys.path)
    return subprocess.Popen(
        [sys.executable, "-c", CALLS, str(out), "more.json" if seed < AT_ONCE else "calls.json"],
        cwd=folder, env={**env, "PYTHONPATH": path}, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip


@pytest.mark.slow
def test_all_outputs_are_the_same_bytes_for_twenty_hash_seeds(folder: Path) -> None:
    told: list[dict[str, str]] = []
    for first in range(0, SEEDS, AT_ONCE):
        running = [started(folder, seed) for seed in range(first, min(first + AT_ONCE, SEEDS))]
        told += [json.loads(process.communicate()[0]) for process in running]
    assert len(told[0]) > len(calls()), "the calls, and the files that they wrote"
    differing = {name for other in told for name in other if other[name] != told[0][name]}
    assert differing == set()
