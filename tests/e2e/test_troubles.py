"""Troubles that users of other tools had with reading and judging, and what happens here instead.

Those that are tested elsewhere:

* pyyaml#855, pyyaml#165, lionagi#2300 (scalars of YAML 1.1, equal keys, alias bombs), jsonschema#977, fastjsonschema#72
  (a message that prints the whole document), argo#3002 (misspelt keys): ``tests/unit/test_plan_load.py``, word for word
  in ``tests/golden/plan_errors``
* argo#12137 (the order of files matters): ``test_cli_analyze.py::test_the_order_of_files_never_matters…``
* vg#600, rich#3400 (closed pipes, ``LANG=C``, names that the encoding lacks): ``test_cli_analyze.py``
* taskflow#87 (recursion limit): loading and printing in ``tests/unit/test_plan_load.py``; here to the verdict
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.petri import PETRI, SAMPLES, environment, petri, shell
from tests.e2e.plans import INVERSION, NET, SOUND, write


def task(name: str) -> dict[str, Any]:
    return {"task": {"id": name}}


def guard(resource: str, body: dict[str, Any]) -> dict[str, Any]:
    return {"guard": {"resource": resource, "body": body}}


def dump(path: Path, resources: dict[str, int], flow: dict[str, Any]) -> None:
    declared = [{"id": r, "capacity": k} for r, k in resources.items()]
    path.write_text(json.dumps({"resources": declared, "flow": flow}), encoding="utf-8")


# Other files, other machines


def test_a_misspelt_resource_is_named_and_the_other_files_are_judged(tmp_path: Path) -> None:
    """airflow#20788: 64 tasks on a misspelt pool stopped the scheduler for everybody."""
    branches = [guard("gpuu", task(f"t{n}")) for n in range(64)]
    dump(tmp_path / "b.petri.json", {"gpu": 2}, {"parallel": branches})
    write(tmp_path, a=SOUND, c=INVERSION)
    done = petri("analyze", "--format", "json", cwd=tmp_path)
    assert done.code == 2
    a, b, c = done.report["results"]
    assert (a["verdict"], b["verdict"], c["verdict"]) == ("SOUND", None, "UNSOUND")
    misspelt = [p for p in b["problems"] if p["code"] == "PETRI_UNKNOWN_RESOURCE"]
    assert len(misspelt) == 64
    assert {p["hint"] for p in misspelt} == {"did you mean `gpu`?"}


def test_a_verdict_needs_nothing_but_the_file(tmp_path: Path) -> None:
    """argo#2793: checking a file needed the cluster. Here: no home, no variables, no search path, another folder."""
    write(tmp_path / "plans", a=SOUND, b=INVERSION)
    (tmp_path / "elsewhere").mkdir()
    usual = petri("analyze", "--format", "concise", "plans", cwd=tmp_path)
    call = [str(PETRI), "analyze", "--format", "concise", "../plans"]
    bare = subprocess.run(call, cwd=tmp_path / "elsewhere", env={}, capture_output=True)
    assert (usual.code, bare.returncode) == (1, 1)
    assert bare.stdout.decode().replace("../plans", "plans") == usual.out
    assert bare.stderr.decode() == usual.err


# Size


BLOCKS = {
    "loop": ('{"loop": {"id": "l%d", "maxIterations": 2, "body": ', "}}"),
    "guard": ('{"guard": {"id": "g%d", "resource": "a", "body": ', "}}"),
    "foreach": ('{"foreach": {"id": "f%d", "over": "x", "maxWidth": 1, "body": ', "}}"),
    "seq": ('{"seq": [{"task": {"id": "s%d"}}, ', "]}"),
    "parallel": ('{"parallel": [{"task": {"id": "p%d"}}, ', "]}"),
    "choice": ('{"choice": [{"task": {"id": "c%d"}}, ', "]}"),
}


def nested(depth: int, kinds: list[str], capacity: int) -> str:
    """A plan of ``depth`` blocks inside each other, as JSON; its guards ask for ever another unit of ``a``."""
    blocks = [BLOCKS[kinds[n % len(kinds)]] for n in range(depth)]
    opening = "".join(before % n for n, (before, _) in enumerate(blocks))
    closing = "".join(after for _, after in reversed(blocks))
    return (
        f'{{"resources": [{{"id": "a", "capacity": {capacity}}}], "flow": {opening}{{"task": {{"id": "t"}}}}{closing}}}'
    )


@pytest.mark.parametrize(
    ("depth", "kinds", "capacity", "code"),
    [
        (5000, [*BLOCKS], 1000, 0),
        (5000, [k for k in BLOCKS if k != "foreach"], 1, 1),
        (2_400, [*BLOCKS], 1, 1),
    ],
)
def test_a_deep_plan_is_judged_without_recursion(
    tmp_path: Path, depth: int, kinds: list[str], capacity: int, code: int
) -> None:
    """taskflow#87: a recursion limit."""
    (tmp_path / "deep.petri.json").write_text(nested(depth, kinds, capacity), encoding="utf-8")
    done = petri("analyze", "--format", "json", cwd=tmp_path)
    assert done.code == code, done.err
    (result,) = done.report["results"]
    assert result["problems"] == []
    assert [w["waitsFor"] for w in result["waits"]] == ["a"] * code


def test_a_plan_of_thousands_of_tasks_is_judged_by_its_structure(tmp_path: Path) -> None:
    """snakemake#2126: hours for a big plan. Here nothing is explored: 10,000 tasks that take two locks in one order."""
    branches = [guard("a", guard("b", task(f"t{n}"))) for n in range(10_000)]
    dump(tmp_path / "wide.petri.json", {"a": 1, "b": 1}, {"parallel": branches})
    done = petri("analyze", "--format", "json", cwd=tmp_path)
    assert done.code == 0
    (result,) = done.report["results"]
    assert (result["evidence"], result["stats"].get("states", 0)) == ("lock-order", 0)


def philosophers(n: int) -> dict[str, Any]:
    """n at a table with room for n - 1: no deadlock, though each fork waits for the next in a circle."""
    return {"parallel": [guard("room", guard(f"f{k}", guard(f"f{(k + 1) % n}", task(f"eat{k}")))) for k in range(n)]}


def test_what_is_too_much_to_explore_is_undecided_and_never_sound(tmp_path: Path) -> None:
    """snakemake#2126: a budget bounds the work, and its end has an exit code of its own."""
    n = 9
    dump(tmp_path / "table.petri.json", {"room": n - 1, **{f"f{k}": 1 for k in range(n)}}, philosophers(n))
    done = petri("analyze", "--max-states", "10", "--format", "json", cwd=tmp_path)
    (result,) = done.report["results"]
    assert (done.code, result["verdict"], result["code"]) == (3, "UNKNOWN", "PETRI_UNKNOWN")
    assert petri("analyze", cwd=tmp_path).code == 0


# What is written into a log


@pytest.mark.parametrize("form", ["text", "concise", "json", "github", "sarif", "junit", "html"])
def test_a_log_gets_plain_lines_and_no_progress_bar(tmp_path: Path, form: str) -> None:
    """rich#3400, vg#600: 16 GB of progress bars in a log. Here: no colour, no carriage return, on either stream."""
    write(tmp_path, **{f"p{n:02}": INVERSION for n in range(20)}, wrong="flow: [", net=NET)
    done = shell(
        f"petri analyze --format {form} {SAMPLES} . > out.log 2> err.log", tmp_path, {"TERM": "xterm-256color"}
    )
    assert done.code == 2
    for log in ("out.log", "err.log"):
        text = (tmp_path / log).read_bytes().decode()
        assert not [c for c in text if c < " " and c != "\n"], log


# Nothing is started

AUDIT = """
import os, sys

FORBIDDEN = (
    "ctypes.dlopen", "ftplib.", "http.client.", "os.chmod", "os.exec", "os.fork", "os.kill", "os.link", "os.mkdir",
    "os.posix_spawn", "os.remove", "os.rename", "os.rmdir", "os.spawn", "os.startfile", "os.symlink", "os.system",
    "os.truncate", "pty.spawn", "shutil.", "smtplib.", "socket.", "sqlite3.connect", "subprocess.Popen",
    "urllib.Request", "webbrowser.open",
)

def audit(event, args):
    if event.startswith(FORBIDDEN):
        sys.stderr.write(f"AUDIT {event} {args!r}\\n")
    if event == "open" and not isinstance(args[0], int) and args[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
        sys.stderr.write(f"AUDIT write {args!r}\\n")
    if event == "import" and args[0].startswith("plan_module"):
        sys.stderr.write(f"AUDIT {event} {args[0]}\\n")

sys.addaudithook(audit)
"""

DANGEROUS = """\
workers: {agent: {command: touch started}}
defaults: {verify: {command: touch verified}}
flow:
  seq:
    - task: {id: shell, run: "touch ran; curl http://127.0.0.1:9"}
    - task: {id: python, python: "plan_module:start", verify: {python: "plan_module:check"}}
    - task: {id: agent, worker: agent, verify: {all: [exit-code, {files: ["*"]}]}}
    - foreach: {id: each, over: "${shell.items}", run: touch discovered, body: {task: {id: one, run: [touch, item]}}}
    - choice: [{when: "${shell.ok}", body: {task: {id: yes_, run: touch yes}}}, {task: {id: no_}}]
"""


def audited(code: str, cwd: Path) -> list[str]:
    """What ``code`` does that leaves the process, as the interpreter's audit hook sees it."""
    env = {**environment(), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", AUDIT + code], cwd=cwd, env=env, capture_output=True, text=True)
    assert "Traceback" not in done.stderr, done.stderr
    return [line for line in done.stderr.splitlines() if line.startswith("AUDIT ")]


def calling(*arguments: str) -> str:
    return f"from petri_cli.cli.main import main\nassert main({list(arguments)!r}) == 0"


@pytest.mark.parametrize(
    "arguments",
    [
        ("analyze",),
        ("analyze", "--format", "json", "--verbose"),
        ("export", "plan.petri.yaml"),
        ("export", "plan.petri.yaml", "--format", "pnml"),
        ("explain", "PETRI_UNSOUND_PLAN"),
        ("schema", "plan"),
        ("init", "-"),
    ],
    ids=" ".join,
)
def test_nothing_is_started_connected_to_or_written(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    """go-task#2395: a dry run ran a shell command."""
    write(tmp_path, plan=DANGEROUS)
    (tmp_path / "plan_module.py").write_text("open('imported', 'w')\n", encoding="utf-8")
    assert audited(calling(*arguments), tmp_path) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["plan.petri.yaml", "plan_module.py"]


@pytest.mark.parametrize(
    ("code", "event"),
    [
        ("import subprocess; subprocess.run(['true'])", "subprocess.Popen"),
        ("import os; os.system('true')", "os.system"),
        ("import os; os.fork() or os._exit(0)", "os.fork"),
        ("import socket; socket.socket().connect_ex(('127.0.0.1', 9))", "socket.connect"),
        ("open('file', 'w')", "write"),
        ("import pathlib; pathlib.Path('file').write_text('x')", "write"),
        ("import os; os.open('file', os.O_CREAT)", "write"),
        ("import os; os.mkdir('folder')", "os.mkdir"),
        ("import plan_module", "import"),
    ],
)
def test_the_hook_would_see_it(tmp_path: Path, code: str, event: str) -> None:
    (tmp_path / "plan_module.py").touch()
    assert any(line.startswith(f"AUDIT {event} ") for line in audited(code, tmp_path))


# Joins


def test_a_step_behind_two_unequal_branches_that_would_run_twice_is_refused(tmp_path: Path) -> None:
    """langgraph#4026: the node after two branches of unequal length ran twice. Here that is improper completion."""
    split = """\
kind: net
places: [{id: start, tokens: 1}, a1, a2, b1, b2, b3, end]
transitions:
  - {id: split, inputs: start, output: [a1, b1]}
  - {id: short, inputs: a1, output: a2}
  - {id: long1, inputs: b1, output: b2}
  - {id: long2, inputs: b2, output: b3}
"""
    twice = "  - {id: after_short, inputs: a2, output: end}\n  - {id: after_long, inputs: b3, output: end}\n"
    once = "  - {id: after, inputs: [a2, b3], output: end}\n"
    (tmp_path / "twice.yaml").write_text(split + twice, encoding="utf-8")
    (tmp_path / "once.yaml").write_text(split + once, encoding="utf-8")
    done = petri("analyze", "twice.yaml", "--format", "json", cwd=tmp_path)
    assert done.code == 1
    (result,) = done.report["results"]
    assert {c["name"]: c["holds"] for c in result["conditions"]}["properCompletion"] is False
    assert petri("analyze", "once.yaml", cwd=tmp_path).code == 0


def test_a_plan_joins_unequal_branches_by_construction(tmp_path: Path) -> None:
    """langgraph#4026, as a plan: the step behind a parallel runs once, however long the branches are."""
    flow = {"seq": [{"parallel": [task("a"), {"seq": [task("b1"), task("b2")]}]}, task("after")]}
    dump(tmp_path / "plan.petri.json", {}, flow)
    assert petri("analyze", cwd=tmp_path).code == 0
    net = petri("export", "plan.petri.json", "-o", "net.json", cwd=tmp_path)
    assert net.code == 0
    bounded = petri("analyze", "net.json", "--property", "placeBound:p.end<=1", cwd=tmp_path)
    assert bounded.code == 0
