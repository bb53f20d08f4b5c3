"""``petri run``: plans in simulated time, nets in simulated and in real time."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from petri_cli.engine.stores import read_events
from tests.e2e.petri import PETRI, ROOT, SAMPLES, Ended, environment, petri, shell
from tests.e2e.plans import INVERSION, NET, SOUND, write
from tests.e2e.test_troubles import DANGEROUS, audited

MIGRATION = SAMPLES / "migration.petri.yaml"


def simulate(*arguments: str | Path, cwd: Path) -> Ended:
    return petri("run", "--simulate", *arguments, cwd=cwd)


def net(folder: Path, text: str) -> Path:
    path = folder / "net.petri.yaml"
    path.write_text("kind: net\n" + text, encoding="utf-8")
    return path


def one_step(action: str, output: str = "done") -> str:
    return f"""\
places: [{{id: todo, tokens: [{{n: 1}}]}}, done, late, other]
transitions:
  - {{id: work, inputs: todo, output: {output}, action: {action}}}
"""


# Plans in simulated time


def test_a_plan_is_told_step_by_step_and_ends_in_one_line(tmp_path: Path) -> None:
    done = simulate(MIGRATION, "--width", "each_pkg=3", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[:3] == [
        "     0.000  survey begins",
        "     1.000  survey is done (1s)",
        "     1.000  each_pkg has 3 items",
    ]
    assert lines[-1].startswith("✓ completed ")
    assert "6 tasks (seed 0)" in lines[-1]


def test_an_unsound_plan_is_simulated_with_a_warning_and_seen_to_deadlock(tmp_path: Path) -> None:
    write(tmp_path, bad=INVERSION)
    done = simulate("bad.petri.yaml", cwd=tmp_path)
    assert done.code == 1
    assert "PETRI_UNSOUND_PLAN warning" in done.err
    assert "✗ deadlocked  bad.petri.yaml" in done.out
    assert "`w1` holds A and waits for B; `w2` holds B and waits for A." in done.out
    assert "Who waits for whom" in done.out


def test_an_unsound_plan_that_is_lucky_completes(tmp_path: Path) -> None:
    write(tmp_path, bad=INVERSION)
    done = simulate("bad.petri.yaml", "--max-concurrency", "1", "--quiet", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert len(done.out.splitlines()) == 1


def test_the_report_for_machines_says_all_of_it(tmp_path: Path) -> None:
    write(tmp_path, bad=INVERSION)
    done = simulate("bad.petri.yaml", "--format", "json", cwd=tmp_path)
    report = done.report
    assert (done.code, report["schema"], report["outcome"]) == (1, "petri.run/1", "deadlocked")
    assert [(w["who"], w["waitsFor"]) for w in report["waits"]] == [("w1", "B"), ("w2", "A")]
    assert sorted(report["marking"]) == ["p.guard.g1.body", "p.guard.g3.body"]
    write(tmp_path, good=SOUND)
    report = simulate("good.petri.yaml", "--format", "json", "--seed", "7", cwd=tmp_path).report
    assert report["tasks"] == [
        {"task": "a", "item": "", "began": 0.0, "ended": 1.0},
        {"task": "b", "item": "", "began": 1.0, "ended": 2.0},
    ]
    assert (report["seed"], report["seconds"], report["waits"]) == (7, 2.0, [])


def test_the_events_are_those_of_the_schema_on_standard_output_and_in_a_file(tmp_path: Path) -> None:
    import jsonschema

    done = simulate(MIGRATION, "--format", "jsonl", "--events", "events.jsonl", cwd=tmp_path)
    assert done.out == (tmp_path / "events.jsonl").read_text(encoding="utf-8")
    schema = json.loads((ROOT / "schemas" / "event.schema.json").read_text(encoding="utf-8"))
    checker = jsonschema.Draft7Validator(schema)
    lines = [json.loads(line) for line in done.out.splitlines()]
    assert [e for line in lines for e in checker.iter_errors(line)] == []
    assert [lines[0]["type"], lines[-1]["type"]] == ["ExecutionStarted", "ExecutionCompleted"]
    assert len(list(read_events(tmp_path / "events.jsonl"))) == len(lines)


def test_durations_come_from_a_file(tmp_path: Path) -> None:
    write(tmp_path, plan="flow: {seq: [{task: {id: a}}, {task: {id: b}}, {task: {id: c}}, {task: {id: d}}]}\n")
    (tmp_path / "d.yaml").write_text("a: 2m\nb: 5\nc: [10s, 20s]\n", encoding="utf-8")
    runs = [
        simulate("plan.petri.yaml", "-d", "d.yaml", "-f", "json", "--seed", seed, cwd=tmp_path).report
        for seed in ("1", "1", "2")
    ]
    lasted = [[t["ended"] - t["began"] for t in run["tasks"]] for run in runs]
    assert lasted[0] == lasted[1] != lasted[2]
    assert (lasted[0][0], lasted[0][1], lasted[0][3]) == (120, 5, 1)
    assert all(10 <= times[2] <= 20 for times in lasted)


def test_every_problem_of_a_file_of_durations_is_told_with_its_place(tmp_path: Path) -> None:
    write(tmp_path, plan=SOUND)
    (tmp_path / "d.yaml").write_text("aa: 1\na: soon\nb: {mean: 1m}\n", encoding="utf-8")
    done = simulate("plan.petri.yaml", "-d", "d.yaml", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert [" ".join(line.split()[:2]) for line in done.err.splitlines()] == [
        "d.yaml:1:1 PETRI_UNKNOWN_TASK",
        "d.yaml:2:4 PETRI_BAD_DURATION",
        "d.yaml:3:4 PETRI_MISSING_KEY",
    ]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--width", "each=2"), "PETRI_UNKNOWN_FOREACH there is no foreach `each`"),
        (("--width", "each_pkg"), "is not ID=N"),
        (("--width", "each_pkg=999999999"), "PETRI_OUT_OF_RANGE"),
        (("--durations", "none.yaml"), "PETRI_UNREADABLE_FILE"),
        (("--durations", "empty.yaml"), "PETRI_EMPTY_DOCUMENT no duration is in here"),
        (("--events", "no/such/folder/x"), "PETRI_CANNOT_WRITE"),
        (("--max-concurrency", "0"), "--max-concurrency"),
    ],
)
def test_a_wrong_call_is_refused(tmp_path: Path, arguments: tuple[str, ...], says: str) -> None:
    (tmp_path / "empty.yaml").touch()
    done = simulate(MIGRATION, *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


@pytest.mark.parametrize(
    "arguments", [("--seed", "0"), ("--width", "a=1"), ("--durations", "d.yaml"), ("--max-firings", "3")]
)
def test_what_only_a_simulation_has_a_use_for_is_not_ignored(tmp_path: Path, arguments: tuple[str, str]) -> None:
    for file in (MIGRATION, SAMPLES / "nets" / "release.petri.yaml"):
        done = petri("run", file, *arguments, cwd=tmp_path)
        assert (done.code, done.out) == (2, "")
        assert f"{arguments[0]}: only a simulation has a use for it: add --simulate" in done.err
    assert list(tmp_path.iterdir()) == []


def test_the_events_never_overwrite_the_plan(tmp_path: Path) -> None:
    write(tmp_path, plan=SOUND)
    done = simulate("plan.petri.yaml", "--events", "plan.petri.yaml", cwd=tmp_path)
    assert done.code == 2
    assert (tmp_path / "plan.petri.yaml").read_text(encoding="utf-8") == SOUND


def test_standard_input_is_not_read_twice(tmp_path: Path) -> None:
    done = petri("run", "-", "-s", "-d", "-", cwd=tmp_path, stdin=SOUND)
    assert (done.code, done.out) == (2, "")
    assert "standard input can be read only once" in done.err


def test_a_plan_may_come_from_standard_input_and_its_reader_may_go_away(tmp_path: Path) -> None:
    assert petri("run", "-", "-s", cwd=tmp_path, stdin=SOUND).code == 0
    done = shell(f"petri run -s {MIGRATION} --width each_pkg=500 | head -1; exit ${{PIPESTATUS[0]}}", tmp_path)
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("form", ["text", "json", "jsonl"])
def test_a_simulation_starts_nothing_connects_to_nothing_and_writes_nothing(tmp_path: Path, form: str) -> None:
    """go-task#2395: a dry run ran a shell command."""
    write(tmp_path, plan=DANGEROUS)
    (tmp_path / "plan_module.py").write_text("open('imported', 'w')\n", encoding="utf-8")
    (tmp_path / "net.petri.yaml").write_text(
        "kind: net\n"
        + one_step("{shell: touch started}").replace("late, other", "late, {id: other, tokens: 1}")
        + "  - {id: load, inputs: other, output: late, action: {python: 'plan_module:start'}}\n",
        encoding="utf-8",
    )
    for file in ("plan.petri.yaml", "net.petri.yaml"):
        call = ["run", file, "--simulate", "--format", form]
        assert audited(f"from petri_cli.cli.main import main\nassert main({call!r}) == 0", tmp_path) == []
    assert sorted(p.name for p in tmp_path.iterdir()) == ["net.petri.yaml", "plan.petri.yaml", "plan_module.py"]


# Nets


def test_a_net_without_an_end_is_stopped_and_that_is_not_success(tmp_path: Path) -> None:
    done = simulate(SAMPLES / "nets" / "readers-writers.petri.yaml", "--max-firings", "30", cwd=tmp_path)
    assert done.code == 3
    assert "stopped; it would go on" in done.out


def test_a_net_with_an_end_is_completed_or_deadlocked(tmp_path: Path) -> None:
    assert "✓ completed" in simulate(SAMPLES / "nets" / "order.petri.yaml", cwd=tmp_path).out
    done = simulate(net(tmp_path, NET.removeprefix("kind: net\n")), cwd=tmp_path)
    assert (done.code, "✗ deadlocked" in done.out) == (1, True)


def test_a_transition_without_an_action_that_could_produce_its_output_is_named(tmp_path: Path) -> None:
    done = petri("run", SAMPLES / "nets" / "order.petri.yaml", cwd=tmp_path)
    assert done.code == 2
    assert done.err.startswith(f"{SAMPLES / 'nets' / 'order.petri.yaml'} PETRI_BAD_BINDING transition 'accept' ")


def marking(done: Ended) -> dict[str, list[Any]]:
    return {p: [t["value"] for t in tokens] for p, tokens in done.report["marking"].items()}


def test_a_program_gets_its_tokens_as_json_and_its_answer_is_read_as_json(tmp_path: Path) -> None:
    path = net(tmp_path, one_step("{shell: cat}"))
    done = petri("run", path, "-f", "json", cwd=tmp_path)
    assert done.code == 0
    asked = {"transition": "work", "inputs": {"todo": [{"n": 1}]}, "reads": {}}
    assert marking(done) == {"done": [asked]}


@pytest.mark.parametrize(
    ("command", "output", "found"),
    [
        ("echo some text", "done", {"done": ["some text"]}),
        ("echo 7", "[done, other]", {"done": [7], "other": [7]}),
        ("echo '{\\\"other\\\": [1, 2]}'", "{xor: [done, other]}", {"other": [1, 2]}),
        ("echo 1", "{xor: [done, {timeout: {after: 9s, child: late}}]}", {"done": [1]}),
    ],
)
def test_what_a_program_writes_goes_where_it_belongs(
    tmp_path: Path, command: str, output: str, found: dict[str, list[Any]]
) -> None:
    path = net(tmp_path, one_step(f'{{shell: "{command}"}}', output))
    assert marking(petri("run", path, "-f", "json", cwd=tmp_path)) == found


@pytest.mark.parametrize(
    ("command", "output", "says"),
    [
        ("echo why >&2; exit 3", "done", "exit status 3: why"),
        ("kill -9 $$", "done", "ended by SIGKILL"),
        ("echo 1", "{xor: [done, other]}", "it has to say which of done, other gets what"),
    ],
)
def test_a_program_that_fails_fails_its_firing(tmp_path: Path, command: str, output: str, says: str) -> None:
    path = net(tmp_path, one_step(f'{{shell: "{command}"}}', output))
    done = petri("run", path, cwd=tmp_path)
    assert done.code == 1
    assert "✗ failed" in done.out
    assert says in done.out


def test_failures_that_are_alike_are_told_once(tmp_path: Path) -> None:
    text = one_step('{shell: "cat >&2; exit 3"}').replace("[{n: 1}]", "[a, b, b, a, b]")
    done = petri("run", net(tmp_path, text), "--quiet", cwd=tmp_path)
    asked = '{"transition": "work", "inputs": {"todo": ["%s"]}, "reads": {}}'
    unwrapped = " ".join(done.out.split())
    assert f"work failed 2 times: ProgramFailed: exit status 3: {asked % 'a'}" in unwrapped
    assert f"work failed 3 times: ProgramFailed: exit status 3: {asked % 'b'}" in unwrapped


def test_functions_are_found_in_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(
        "def twice(v): return 2 * v['n']\ndef both(ctx): ctx.output('done', ctx.input('todo')['n'], 5)\n",
        encoding="utf-8",
    )
    transformed = net(tmp_path, one_step("{transform: 'work:twice'}"))
    assert marking(petri("run", transformed, "-f", "json", cwd=tmp_path)) == {"done": [2]}
    called = net(tmp_path, one_step("{python: 'work:both'}"))
    assert marking(petri("run", called, "-f", "json", cwd=tmp_path)) == {"done": [1, 5]}
    missing = net(tmp_path, one_step("{python: 'work:none'}"))
    done = petri("run", missing, cwd=tmp_path)
    assert (done.code, "PETRI_BAD_BINDING" in done.err) == (2, True)


def test_the_sample_of_a_flaky_service_runs(tmp_path: Path) -> None:
    (tmp_path / "service.py").write_text("def ask(request): return request['user'].upper()\n", encoding="utf-8")
    done = petri("run", SAMPLES / "nets" / "flaky-service.petri.yaml", "-f", "json", cwd=tmp_path)
    assert done.code == 0
    assert marking(done)["answered"] == ["ANN", "BOB"]


def alive(pid: int) -> bool:
    """Whether the process is there and does something: one that nobody waits for may stay as a zombie."""
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return False


def wait_until(condition: Any, seconds: float = 20) -> None:
    limit = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < limit, "it never happened"
        time.sleep(0.01)


GRANDCHILD = "sleep 300 & echo $! > pid; trap '' TERM; wait; sleep 300"
needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks at processes in /proc")


@needs_proc
def test_a_program_that_takes_too_long_is_ended_with_all_that_it_started(tmp_path: Path) -> None:
    """prefect#17593: children of a killed task run on."""
    late = "{xor: [done, {timeout: {after: 500ms, child: {forwardInput: {from: todo, to: late}}}}]}"
    path = net(tmp_path, one_step(f'{{shell: "{GRANDCHILD}"}}', late))
    done = petri("run", path, "-f", "json", cwd=tmp_path)
    assert (done.code, marking(done)) == (0, {"late": [{"n": 1}]})
    pid = int((tmp_path / "pid").read_text(encoding="utf-8"))
    wait_until(lambda: not alive(pid))


def started(path: Path, *arguments: str) -> subprocess.Popen[bytes]:
    call = [str(PETRI), "run", str(path), *arguments]
    return subprocess.Popen(
        call, cwd=path.parent, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )


TWO_STEPS = """\
places: [{id: todo, tokens: 1}, half, done]
transitions:
  - {id: first, inputs: todo, output: half, action: {shell: "%s"}}
  - {id: second, inputs: half, output: done, action: fork}
"""


def test_after_ctrl_c_what_runs_may_end_and_nothing_new_starts(tmp_path: Path) -> None:
    path = net(tmp_path, TWO_STEPS % "touch began; while [ ! -e go ]; do sleep 0.02; done; echo 1")
    running = started(path, "-f", "json")
    wait_until((tmp_path / "began").exists)
    running.send_signal(signal.SIGINT)
    assert running.stderr is not None
    assert running.stderr.readline().startswith(b"petri: interrupted; what runs may end, nothing new starts")
    (tmp_path / "go").touch()
    out, err = running.communicate(timeout=30)
    assert (running.returncode, err) == (130, b"")
    report = json.loads(out)
    assert (report["outcome"], list(report["marking"])) == ("closed", ["half"])


@needs_proc
@pytest.mark.parametrize(
    ("signals", "code"), [((signal.SIGINT, signal.SIGINT), 130), ((signal.SIGTERM,), 143)], ids=["Ctrl-C twice", "TERM"]
)
def test_a_second_ctrl_c_ends_what_runs(tmp_path: Path, signals: tuple[signal.Signals, ...], code: int) -> None:
    path = net(tmp_path, TWO_STEPS % GRANDCHILD)
    running = started(path, "-f", "json")
    wait_until(lambda: (tmp_path / "pid").exists() and (tmp_path / "pid").read_text(encoding="utf-8").strip())
    assert running.stderr is not None
    for number in signals:
        running.send_signal(number)
        if number == signal.SIGINT:
            assert running.stderr.readline().startswith(b"petri: ")
    out, _ = running.communicate(timeout=30)
    assert running.returncode == code
    assert json.loads(out)["outcome"] == "cancelled"
    pid = int((tmp_path / "pid").read_text(encoding="utf-8"))
    wait_until(lambda: not alive(pid))


def test_events_come_as_they_happen(tmp_path: Path) -> None:
    path = net(tmp_path, TWO_STEPS % "while [ ! -e go ]; do sleep 0.02; done; echo 1")
    running = started(path)
    assert running.stdout is not None
    assert running.stdout.readline().endswith(b"first begins\n")
    (tmp_path / "go").touch()
    out, _ = running.communicate(timeout=30)
    assert (running.returncode, b"second" in out) == (0, True)


def on_a_terminal(folder: Path, *arguments: str | Path) -> tuple[int, str]:
    """The exit code, and all that a terminal of 80 columns gets."""
    ours, theirs = pty.openpty()
    env = environment({"TERM": "xterm-256color", "COLUMNS": "80"})
    running = subprocess.Popen([str(PETRI), *map(str, arguments)], cwd=folder, env=env, stdout=theirs, stderr=theirs)
    os.close(theirs)
    written = b""
    while True:
        try:
            some = os.read(ours, 65536)
        except OSError:
            break
        if not some:
            break
        written += some
    os.close(ours)
    return running.wait(timeout=30), written.decode()


def test_on_a_terminal_a_net_is_shown_while_it_runs(tmp_path: Path) -> None:
    path = net(tmp_path, TWO_STEPS % "sleep 0.6; echo 1")
    code, written = on_a_terminal(tmp_path, "run", path, "--color", "never")
    assert code == 0
    assert "in flight" in written
    assert "at rest" in written
    assert "first begins" not in written


def test_on_a_terminal_a_simulated_plan_is_drawn_as_bars(tmp_path: Path) -> None:
    code, written = on_a_terminal(tmp_path, "run", "-s", MIGRATION, "--color", "never")
    assert code == 0
    lines = written.splitlines()
    assert lines[0].startswith("  survey ")
    assert "─" in lines[0] and "·" in lines[0]
    assert all(len(line) <= 80 for line in lines)
    assert "begins" not in written


def test_a_simulation_loads_no_rich_and_no_checker_of_schemas(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom petri_cli.cli.main import main\n"
        f"main(['run', '-s', {str(MIGRATION)!r}])\nprint(*sys.modules, file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True)
    assert not {"rich", "jsonschema", "pydantic"} & set(done.stderr.split())
