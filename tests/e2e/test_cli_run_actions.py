"""``petri run`` with every kind of action that a net file can name, and what goes wrong with each."""

from __future__ import annotations

import json
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.petri import Ended, petri
from tests.e2e.test_cli_run import alive, marking, needs_proc, net, one_step, started, wait_until

FUNCTIONS = """\
import asyncio, functools, sys, time

def both(ctx):
    ctx.output("done", ctx.input("todo")["n"], 5)

async def later(ctx):
    await asyncio.sleep(0.01)
    return {"done": ctx.input("todo")["n"] + 1}

def decorated(function):
    @functools.wraps(function)
    def call(*arguments):
        return function(*arguments)
    return call

@decorated
async def in_disguise(ctx):
    await ctx.sleep(0.01)
    return {"done": "in disguise"}

class Callable:
    def __call__(self, ctx):
        return {"done": "an object"}

instance = Callable()

def boom(ctx):
    raise ValueError("boom")

def leave(ctx):
    sys.exit(3)

async def leave_later(ctx):
    sys.exit(3)

def elsewhere(ctx):
    ctx.output("nowhere", 1)

def number(ctx):
    return 5

def chatty(ctx):
    print("not part of the answer")
    ctx.output("done", 1)

def odd(ctx):
    return {"done": [float("nan"), {1}, "\\ud800"]}

def stuck(ctx):
    open("began", "w").close()
    time.sleep(300)

def twice(value):
    return 2 * value["n"]
"""


def run(folder: Path, action: str, output: str = "done", form: str = "json") -> Ended:
    (folder / "work.py").write_text(FUNCTIONS, encoding="utf-8")
    return petri("run", net(folder, one_step(action, output)), "-f", form, cwd=folder)


def failure(done: Ended) -> str:
    """The one failure of a run that failed."""
    assert (done.code, done.report["outcome"]) == (1, "failed")
    [found] = done.report["failures"]
    return f"{found['error']}: {found['message']}"


# passthrough, fork, produce


def test_passthrough_takes_its_token_and_produces_nothing(tmp_path: Path) -> None:
    path = net(tmp_path, "places: [{id: p, tokens: 2}]\ntransitions: [{id: t, inputs: p, action: passthrough}]\n")
    done = petri("run", path, "-f", "json", cwd=tmp_path)
    assert (done.code, done.report["firings"], marking(done)) == (0, 2, {})


@pytest.mark.parametrize("action", ["fork", "{fork: todo}"])
def test_fork_copies_its_token_to_every_output(tmp_path: Path, action: str) -> None:
    assert marking(run(tmp_path, action, "[done, other]")) == {"done": [{"n": 1}], "other": [{"n": 1}]}


def test_produce_puts_the_same_each_time(tmp_path: Path) -> None:
    found = marking(run(tmp_path, "{produce: {done: [1, two, {three: 3}], other: [null]}}", "[done, other]"))
    assert found == {"done": [1, "two", {"three": 3}], "other": [None]}


@pytest.mark.parametrize(
    ("action", "output", "says"),
    [
        ("passthrough", "done", "produces nothing (use `fork`"),
        ("fork", "{xor: [done, other]}", "which its declared output never allows"),
        ("{produce: {done: [1]}}", "[done, other]", "which its declared output never allows"),
        ("{python: 'work:absent'}", "done", "calls 'work:absent'"),
        ("{python: 'no_such_module:f'}", "done", "No module named 'no_such_module'"),
        ("{python: 'sys:version'}", "done", "it is not a function"),
    ],
)
def test_an_action_that_could_never_do_it_is_refused_before_anything_runs(
    tmp_path: Path, action: str, output: str, says: str
) -> None:
    done = run(tmp_path, action, output)
    assert (done.code, done.out) == (2, "")
    assert ("PETRI_BAD_NET" if action == "passthrough" else "PETRI_BAD_BINDING") in done.err
    assert says in done.err


# shell


def words(*command: str) -> str:
    return f"{{shell: {json.dumps(command)}}}"


def test_words_are_passed_as_they_are_whatever_a_shell_would_make_of_them(tmp_path: Path) -> None:
    odd = ["$HOME", "a  b", "*", "'; touch pwned; '", '"', "\\n", "{item}", "ß", ""]
    found = marking(run(tmp_path, words("printf", r"[%s]", *odd)))
    assert found == {"done": ["".join(f"[{w}]" for w in odd)]}
    assert not (tmp_path / "pwned").exists()


def test_what_a_token_holds_reaches_the_program_on_standard_input_alone(tmp_path: Path) -> None:
    text = """\
places: [{id: todo, tokens: ["$(touch pwned) `touch pwned`; touch pwned"]}, done]
transitions: [{id: work, inputs: todo, output: done, action: {shell: "cat"}}]
"""
    [asked] = marking(petri("run", net(tmp_path, text), "-f", "json", cwd=tmp_path))["done"]
    assert asked["inputs"] == {"todo": ["$(touch pwned) `touch pwned`; touch pwned"]}
    assert not (tmp_path / "pwned").exists()


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("true", ""),
        ("printf 'two\\nlines\\n\\n'", "two\nlines"),
        (r"printf '\377\376'", "\ufffd\ufffd"),
        ("echo '{\"n\": 1'", '{"n": 1'),
        ("echo NaN", "NaN"),
        ("echo '[1, Infinity]'", "[1, Infinity]"),
        ("echo '{\"elsewhere\": 1}'", {"elsewhere": 1}),
        ("echo '[1, 2]'", [1, 2]),
        ("exec <&-; echo 1", 1),
    ],
)
def test_what_is_no_json_is_text(tmp_path: Path, command: str, found: Any) -> None:
    assert marking(run(tmp_path, words("sh", "-c", command))) == {"done": [found]}


def test_a_megabyte_goes_in_and_out(tmp_path: Path) -> None:
    text = f"""\
places: [{{id: todo, tokens: [{"x" * 1_000_000}]}}, done, ignored]
transitions:
  - {{id: work, inputs: todo, output: done, action: {{shell: "cat; head -c 500000 /dev/zero | tr '\\\\0' e >&2"}}}}
"""
    [asked] = marking(petri("run", net(tmp_path, text), "-f", "json", cwd=tmp_path))["done"]
    assert len(asked["inputs"]["todo"][0]) == 1_000_000


def test_a_program_that_there_is_not_fails_its_firing(tmp_path: Path) -> None:
    assert failure(run(tmp_path, words("no-such-program"))).startswith("FileNotFoundError: ")
    assert "exit status 127" in failure(run(tmp_path, "{shell: no-such-program}"))


# python, transform


@pytest.mark.parametrize(
    ("function", "found"),
    [
        ("both", [1, 5]),
        ("later", [2]),
        ("in_disguise", ["in disguise"]),
        ("instance", ["an object"]),
        ("Callable.__call__", None),
    ],
)
def test_functions_are_called_with_the_context_of_the_firing(tmp_path: Path, function: str, found: Any) -> None:
    done = run(tmp_path, f"{{python: 'work:{function}'}}")
    if found is None:
        assert failure(done).startswith("TypeError: ")
    else:
        assert marking(done) == {"done": found}


def test_transform_puts_what_the_function_returns_into_every_output(tmp_path: Path) -> None:
    assert marking(run(tmp_path, "{transform: 'work:twice'}", "[done, other]")) == {"done": [2], "other": [2]}


@pytest.mark.parametrize(
    ("function", "says"),
    [
        ("boom", "ValueError: boom"),
        ("leave", "SystemExit: 3"),
        ("leave_later", "SystemExit: 3"),
        ("elsewhere", "UndeclaredPlace: 'nowhere' is not an output of 'work'"),
        ("number", "TypeError: an action returns None or a dict of outputs, not int"),
    ],
)
def test_a_function_that_fails_fails_its_firing_alone(tmp_path: Path, function: str, says: str) -> None:
    assert failure(run(tmp_path, f"{{python: 'work:{function}'}}")) == says


def test_what_a_function_prints_is_no_part_of_the_answer(tmp_path: Path) -> None:
    for form in ("json", "jsonl", "text"):
        done = run(tmp_path, "{python: 'work:chatty'}", form=form)
        assert (done.code, done.err) == (0, "not part of the answer\n")
        assert "not part" not in done.out


def test_values_that_json_cannot_hold_leave_the_report_json(tmp_path: Path) -> None:
    assert marking(run(tmp_path, "{python: 'work:odd'}")) == {"done": ["nan", "{1}", "\ud800"]}
    for line in run(tmp_path, "{python: 'work:odd'}", form="jsonl").out.splitlines():
        json.loads(line, parse_constant=pytest.fail)


def test_a_time_out_strikes_while_a_function_blocks(tmp_path: Path) -> None:
    late = "{xor: [done, {timeout: {after: 300ms, child: late}}]}"
    began = time.monotonic()
    done = run(tmp_path, "{python: 'work:stuck'}", late)
    assert (done.code, marking(done)) == (0, {"late": [None]})
    assert time.monotonic() - began < 30, "nobody waits for what was given up"


def test_a_second_ctrl_c_ends_a_run_whose_function_blocks(tmp_path: Path) -> None:
    (tmp_path / "work.py").write_text(FUNCTIONS, encoding="utf-8")
    running = started(net(tmp_path, one_step("{python: 'work:stuck'}")), "-f", "json")
    wait_until((tmp_path / "began").exists)
    assert running.stderr is not None
    for _ in range(2):
        running.send_signal(signal.SIGINT)
        assert running.stderr.readline().startswith(b"petri: ")
    out, _ = running.communicate(timeout=30)
    assert (running.returncode, json.loads(out)["outcome"]) == (130, "cancelled")


@needs_proc
def test_a_run_that_ends_leaves_no_process_of_a_timed_out_pipeline(tmp_path: Path) -> None:
    late = "{xor: [done, {timeout: {after: 400ms, child: late}}]}"
    done = run(tmp_path, words("sh", "-c", "(sleep 300; echo) | (echo $$ > a; sleep 300) & echo $! > b; wait"), late)
    assert marking(done) == {"late": [None]}
    for name in ("a", "b"):
        pid = int((tmp_path / name).read_text(encoding="utf-8"))
        wait_until(lambda pid=pid: not alive(pid))  # type: ignore[misc]
