"""Real programs: nothing happens before the word, everything that was started ends, and what is written is kept."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from petri_cli.driver import guardian
from petri_cli.driver.commands import Command
from petri_cli.driver.groups import end_group, end_orphans
from petri_cli.driver.process import Ended, Limits, Programs, Running, load_result
from petri_cli.driver.redact import Redactor
from petri_cli.errors import PetriError
from petri_cli.session.identity import identify

GRACE = 0.2


def with_programs(use: Callable[[Programs], Coroutine[Any, Any, Any]], **settings: Any) -> Any:
    async def main() -> Any:
        programs = Programs(grace=GRACE, **settings)
        try:
            return await use(programs)
        finally:
            await programs.close()

    return asyncio.run(main())


def ran(folder: Path, script: str, stdin: bytes = b"", timeout: float | None = 20, **settings: Any) -> Ended:
    async def use(programs: Programs) -> Ended:
        running = await programs.start(Command(("sh", "-c", script), stdin), folder=folder, cwd=folder)
        running.go()
        return await running.ended(timeout)

    found = with_programs(use, **settings)
    assert isinstance(found, Ended)
    return found


class Alive:
    """A named pipe that processes hold open: who is alive is seen without asking for numbers, or for the time."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "alive"
        os.mkfifo(self.path)
        self._fd = os.open(self.path, os.O_RDONLY | os.O_NONBLOCK)

    def reads(self) -> bytes:
        """What comes next; b"" once every process that held it is gone."""
        ready, _, _ = select.select([self._fd], [], [], 20)
        assert ready, "they are still alive"
        return os.read(self._fd, 100)

    async def read(self) -> bytes:
        return await asyncio.to_thread(self.reads)


@pytest.fixture
def held(tmp_path: Path) -> Alive:
    return Alive(tmp_path)


def test_a_result_is_json_where_it_is_json_else_text(tmp_path: Path) -> None:
    found = ran(tmp_path, "cat; echo note >&2", b'{"n": [1, "x"]}\n')
    assert (found.status, found.output, found.tail, found.error) == (0, {"n": [1, "x"]}, "note", "")
    assert found.files["stdout"] == {
        "path": (tmp_path / "stdout").as_posix(),
        "size": 16,
        "sha256": hashlib.sha256(b'{"n": [1, "x"]}\n').hexdigest(),
    }
    assert (tmp_path / "stderr").read_bytes() == b"note\n"
    assert (tmp_path / "stdout").stat().st_mode & 0o777 == 0o600
    assert ran(tmp_path, "echo 'two words'; exit 3") == replace(
        found, status=3, output="two words", tail="two words", files=ran(tmp_path, "echo 'two words'").files
    )
    silent = ran(tmp_path / "new", "mkdir -p ../was; true")
    assert (silent.output, silent.files) == ("", {})


@pytest.mark.parametrize(
    "text", ["NaN", '{"a": 1e999}', "-1e999", '"\\ud800"', "[" * 150 + "]" * 150, "[" * 5_000, "1" * 5_000, "{'a': 1}"]
)
def test_what_json_cannot_carry_is_text(tmp_path: Path, text: str) -> None:
    assert ran(tmp_path, "cat", text.encode()).output == text


def test_a_large_result_stays_in_its_file(tmp_path: Path) -> None:
    value = ["x" * 100] * 50
    found = ran(tmp_path, "cat", json.dumps(value).encode(), limits=Limits(result=1_000))
    assert found.output is None
    assert found.files["output"] == found.files["stdout"]
    assert load_result(found.files["output"]) == value
    (tmp_path / "stdout").write_text("[]", encoding="utf-8")
    with pytest.raises(PetriError, match=r"PETRI_EXPRESSION_FAILED .* was changed since"):
        load_result(found.files["output"])
    with pytest.raises(PetriError, match="cannot be read"):
        load_result({"path": str(tmp_path / "none")})


def test_of_a_stream_without_end_the_middle_is_left_out_and_that_is_said(tmp_path: Path) -> None:
    script = "i=0; while [ $i -lt 3000 ]; do echo line $i; i=$((i+1)); done"
    found = ran(tmp_path, script, limits=Limits(file=1_000, tail=100, result=500))
    kept = (tmp_path / "stdout").read_text(encoding="utf-8")
    cut = found.files["stdout"]["cut"]
    assert kept.startswith("line 0\nline 1\n")
    assert f"[petri: {cut:,} bytes are left out here]" in kept
    assert kept.endswith("line 2999\n")
    written = sum(len(f"line {i}\n") for i in range(3_000))
    assert cut == written - 1_000 - 100
    assert hashlib.sha256(kept.encode()).hexdigest() == found.files["stdout"]["sha256"]
    with pytest.raises(PetriError, match="was too large"):
        load_result(found.files["output"])


def test_secrets_reach_neither_file_nor_result(tmp_path: Path) -> None:
    script = "printf '{\"key\": \"hun'; printf 'ter2!\"}'; echo hunter2! >&2; exit 1"
    found = ran(tmp_path, script, redactor=Redactor(["hunter2!"]))
    assert (found.output, found.tail) == ({"key": "***"}, "***")
    assert (tmp_path / "stdout").read_bytes() == b'{"key": "***"}'
    assert (tmp_path / "stderr").read_bytes() == b"***\n"


def test_output_that_cannot_be_kept_is_an_error_and_no_crash(tmp_path: Path) -> None:
    (tmp_path / "stdout").mkdir()
    found = ran(tmp_path, "echo hello")
    assert found.status == 0
    assert found.error.startswith("what it wrote could not be kept: ")
    assert found.output is None


def test_a_program_does_not_have_to_read_its_input(tmp_path: Path) -> None:
    assert ran(tmp_path, "exit 4", b"x" * 1_000_000).status == 4
    assert ran(tmp_path, "wc -c", b"x" * 1_000_000).output == 1_000_000


def test_a_program_that_does_not_exist_ends_with_127(tmp_path: Path) -> None:
    async def use(programs: Programs) -> Ended:
        running = await programs.start(Command(("no-such-program", "-x")), folder=tmp_path)
        running.go()
        return await running.ended()

    found = with_programs(use)
    assert found.status == 127
    assert "no-such-program" in found.tail


def test_where_it_cannot_be_started_that_is_said(tmp_path: Path) -> None:
    async def use(programs: Programs) -> None:
        with pytest.raises(PetriError, match="PETRI_CANNOT_START"):
            await programs.start(Command(("true",)), folder=tmp_path, cwd=tmp_path / "none")
        (tmp_path / "file").touch()
        with pytest.raises(PetriError, match="PETRI_CANNOT_START"):
            await programs.start(Command(("true",)), folder=tmp_path / "file" / "x")
        with pytest.raises(PetriError, match="PETRI_CANNOT_START"):
            await programs.start(Command(("true", "x" * 5_000_000)), folder=tmp_path)
        assert not programs.running

    with_programs(use)


def test_the_environment_is_the_drivers_with_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PETRI_ITEM", "outer")
    monkeypatch.setenv("KEPT", "yes")

    async def use(programs: Programs) -> Ended:
        script = 'echo "$KEPT/$MORE/${PETRI_ITEM-unset}/${go-unset}"; echo $PETRI_PROCESS >&2'
        command = Command(("sh", "-c", script), environment={"PETRI_ITEM": None, "MORE": "a b"})
        running = await programs.start(command, folder=tmp_path)
        running.go()
        ended = await running.ended()
        assert ended.tail.split()[-1] == f"{running.process.pid}-{running.process.start_time}"
        return ended

    assert with_programs(use).output == "yes/a b/unset/unset"


def test_nothing_happens_before_the_word_and_the_identity_stays(tmp_path: Path) -> None:
    async def use(programs: Programs) -> None:
        running = await programs.start(Command(("sh", "-c", "echo $$ > began")), folder=tmp_path, cwd=tmp_path)
        assert identify(running.process.pid) == running.process
        assert running.process.group == running.process.pid == os.getsid(running.process.pid)
        await running.end()
        assert identify(running.process.pid) is None
        assert not (tmp_path / "began").exists()
        again = await programs.start(Command(("sh", "-c", "echo $$ > began")), folder=tmp_path, cwd=tmp_path)
        again.go()
        await again.ended()
        assert (tmp_path / "began").read_text(encoding="utf-8") == f"{again.process.pid}\n"

    with_programs(use)


HOLDS = "exec 9>alive\n{0}\nprintf up >&9\n{1}"
"""Says that it is there, and holds the pipe as long as it or what it started lives."""
STRAY = "mkfifo there; setsid sh -c 'echo > there; exec sleep 60'"
SLEEPS = HOLDS.format("sleep 60 & setsid sleep 60 &", "wait")
STUBBORN = HOLDS.format("trap '' TERM; sleep 60 & setsid sleep 60 &", "while :; do wait; sleep 60; done")


@pytest.mark.parametrize("script", [SLEEPS, STUBBORN])
def test_after_a_time_out_nothing_is_left_of_it(tmp_path: Path, held: Alive, script: str) -> None:
    async def use(programs: Programs) -> Ended:
        running = await programs.start(Command(("sh", "-c", script)), folder=tmp_path, cwd=tmp_path)
        running.go()
        assert await held.read() == b"up"
        found = await running.ended(0.01)
        assert await held.read() == b""
        return found

    found = with_programs(use)
    assert (found.timed_out, found.error) == (True, "it was ended after 0.01 s")
    assert found.status == -(signal.SIGKILL if script == STUBBORN else signal.SIGTERM)


@pytest.mark.parametrize("times", [1, 2])
@pytest.mark.parametrize("script", [SLEEPS, STUBBORN])
def test_giving_up_ends_the_group_however_often_one_asks(tmp_path: Path, held: Alive, script: str, times: int) -> None:
    async def use(programs: Programs) -> None:
        running = await programs.start(Command(("sh", "-c", script)), folder=tmp_path, cwd=tmp_path)
        running.go()
        assert await held.read() == b"up"
        waiting = asyncio.ensure_future(running.ended())
        for _ in range(times):
            await asyncio.sleep(0)
            waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert await held.read() == b""

    with_programs(use)


@pytest.mark.parametrize("ask", [True, False])
def test_what_was_written_before_it_was_given_up_is_kept(tmp_path: Path, held: Alive, ask: bool) -> None:
    async def use(programs: Programs) -> None:
        script = HOLDS.format("head -c 100000 /dev/zero | tr '\\0' '\\n'", "sleep 60")
        running = await programs.start(Command(("sh", "-c", script)), folder=tmp_path, cwd=tmp_path)
        running.go()
        assert await held.read() == b"up"
        if ask:
            waiting = asyncio.ensure_future(running.ended())
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

    with_programs(use)
    assert (tmp_path / "stdout").read_bytes().strip() == b""
    assert (tmp_path / "stdout").stat().st_size > 0


def test_what_it_leaves_running_in_its_group_ends_with_it(tmp_path: Path, held: Alive) -> None:
    async def use(programs: Programs) -> Ended:
        script = HOLDS.format("sleep 60 &", "echo done")
        running = await programs.start(Command(("sh", "-c", script)), folder=tmp_path, cwd=tmp_path)
        running.go()
        found = await running.ended()
        assert await held.read() == b"up"
        assert await held.read() == b""
        return found

    found = with_programs(use)
    assert (found.status, found.output) == (0, "done")


def test_what_has_left_its_group_lives_until_the_driver_closes(tmp_path: Path, held: Alive) -> None:
    async def use(programs: Programs) -> None:
        script = HOLDS.format(STRAY + " >/dev/null 2>&1 &", "read there < there; echo done")
        running = await programs.start(Command(("sh", "-c", script)), folder=tmp_path, cwd=tmp_path)
        running.go()
        assert (await running.ended()).output == "done"
        assert await held.read() == b"up"
        assert select.select([held._fd], [], [], 0) == ([], [], [])
        await programs.close()
        assert await held.read() == b""

    with_programs(use)


def test_a_stream_that_somebody_holds_is_not_waited_for(tmp_path: Path) -> None:
    assert ran(tmp_path, STRAY + "& read there < there; echo done").output == "done"


def test_closing_ends_what_runs(tmp_path: Path, held: Alive) -> None:
    async def use(programs: Programs) -> Running:
        running = await programs.start(Command(("sh", "-c", SLEEPS)), folder=tmp_path, cwd=tmp_path)
        running.go()
        assert await held.read() == b"up"
        return running

    with_programs(use)
    assert held.reads() == b""


# The driver is killed

DRIVER = """
import asyncio, os, signal, sys
from pathlib import Path
from petri_cli.driver.commands import Command
from petri_cli.driver.process import Programs
from petri_cli.session.payload import process_to_json
import json

async def main():
    folder, script, go = Path(sys.argv[1]), sys.argv[2], sys.argv[3] == "go"
    programs = Programs(grace=0.1)
    running = await programs.start(Command(("sh", "-c", script)), folder=folder, cwd=folder)
    if go:
        running.go()
    print(programs._guard._guardian.pid, json.dumps(process_to_json(running.process)), flush=True)
    await running.ended()

asyncio.run(main())
"""


def driver(folder: Path, script: str, go: str = "go") -> tuple[subprocess.Popen[str], int, dict[str, Any]]:
    """A driver in a process of its own, its guardian's number, the process that it started."""
    call = [sys.executable, "-c", DRIVER, str(folder), script, go]
    started = subprocess.Popen(call, stdout=subprocess.PIPE, text=True)
    assert started.stdout is not None
    number, _, process = started.stdout.readline().partition(" ")
    return started, int(number), json.loads(process)


def killed(started: subprocess.Popen[str]) -> None:
    started.kill()
    started.communicate(timeout=20)


def test_a_driver_killed_before_the_word_has_started_nothing(tmp_path: Path, held: Alive) -> None:
    started, _, process = driver(tmp_path, "echo began > began", "no go")
    fd = os.pidfd_open(process["pid"])
    killed(started)
    assert select.select([fd], [], [], 20)[0], "the launcher is still there"
    os.close(fd)
    assert not (tmp_path / "began").exists()


@pytest.mark.parametrize("script", [SLEEPS, STUBBORN])
def test_nothing_outlives_a_killed_driver(tmp_path: Path, held: Alive, script: str) -> None:
    started, number, _ = driver(tmp_path, script)
    assert held.reads() == b"up"
    for sent in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(number, sent)  # what a terminal sends to everybody does not move the guardian
    killed(started)
    assert held.reads() == b""


def test_where_the_guardian_was_killed_too_the_next_driver_ends_the_rest(tmp_path: Path, held: Alive) -> None:
    started, number, process = driver(tmp_path, SLEEPS)
    assert held.reads() == b"up"
    dead = identify(started.pid)
    assert dead is not None
    assert asyncio.run(end_orphans(dead, GRACE)) is False  # it lives
    os.kill(number, signal.SIGKILL)
    killed(started)
    assert asyncio.run(end_orphans(replace(dead, start_time=dead.start_time - 1), GRACE)) is False
    assert asyncio.run(end_orphans(dead, GRACE)) is True
    assert held.reads() == b""
    assert identify(process["pid"]) is None


def test_a_guardian_that_was_killed_is_replaced(tmp_path: Path, held: Alive) -> None:
    async def use(programs: Programs) -> None:
        first = await programs.start(Command(("sleep", "60")), folder=tmp_path)
        old = programs._guard._guardian
        assert old is not None
        old.kill()
        old.wait()
        await programs.start(Command(("sleep", "60")), folder=tmp_path)
        assert programs._guard._guardian not in (None, old)
        await first.end()

    with_programs(use)


# A group that an earlier driver left


def a_group() -> subprocess.Popen[bytes]:
    started = subprocess.Popen(["sh", "-c", "sleep 60 & echo; wait"], start_new_session=True, stdout=subprocess.PIPE)
    assert started.stdout is not None
    started.stdout.readline()
    started.stdout.close()
    return started


def test_the_group_of_an_earlier_driver_is_ended() -> None:
    started = a_group()
    process = identify(started.pid)
    assert process is not None
    assert asyncio.run(end_group(process, GRACE)) is True
    assert started.wait(20) == -signal.SIGTERM
    assert asyncio.run(end_group(process, GRACE)) is False


@pytest.mark.parametrize("change", [{"start_time": 1}, {"start_time": 0}, {"boot_id": "x"}, {"host": "x"}])
def test_a_number_that_is_somebody_elses_is_never_signalled(change: dict[str, Any]) -> None:
    started = a_group()
    process = identify(started.pid)
    assert process is not None
    assert asyncio.run(end_group(replace(process, **change), 0.0)) is False
    assert started.poll() is None
    assert asyncio.run(end_group(process, GRACE)) is True
    started.wait(20)


def test_members_of_a_group_whose_leader_is_gone_must_carry_its_mark(tmp_path: Path) -> None:
    fifo = Alive(tmp_path)
    script = f"exec 9>{fifo.path}; sleep 60 & printf up >&9; read end"
    started = subprocess.Popen(["sh", "-c", script], start_new_session=True, stdin=subprocess.PIPE)
    process = identify(started.pid)
    assert process is not None
    assert fifo.reads() == b"up"
    started.communicate(timeout=20)
    try:
        assert asyncio.run(end_group(process, 0.0)) is False
    finally:
        os.killpg(started.pid, signal.SIGKILL)
    assert fifo.reads() == b""


def test_without_proc_groups_are_found_by_ps(monkeypatch: pytest.MonkeyPatch) -> None:
    started = a_group()
    monkeypatch.setattr(guardian, "PROC", "/nowhere")
    assert {s.group for _, s in guardian.survivors({started.pid: 0})} == {started.pid}
    for _ in guardian.ending({started.pid: 0}, (), 0.0):
        started.poll()
    assert started.wait(20) in (-signal.SIGTERM, -signal.SIGKILL)
    assert guardian.survivors({started.pid: 0}) == []
