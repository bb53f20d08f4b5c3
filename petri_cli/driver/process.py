"""Programs that never outlive their driver: started on a word, captured, ended as a group.

    programs = Programs(redactor)              # one a driver
    running = await programs.start(command, folder=…, cwd=…)
    …commit WorkStarted(running.process)…      # nothing of the work has happened yet
    running.go()
    ended = await running.ended(timeout)       # cancelling this ends the group, too
    await programs.close()

A program begins as a shell that waits for one line on its standard input, which names the driver and the process, and
turns into the program itself, number, group and start time staying the same. Should the driver die before, the line
never comes, and the shell ends. Should it die later, the guardian ends what is left.
"""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from petri_cli.driver.capture import Capture, Captured, Limits, load_result, result_of
from petri_cli.driver.commands import Command
from petri_cli.driver.guardian import VARIABLE, ending, survivors, token
from petri_cli.driver.guardian import __file__ as _GUARDIAN
from petri_cli.driver.redact import Redactor
from petri_cli.errors import PetriError
from petri_cli.session.events import Process
from petri_cli.session.identity import alive, identify, this_process

__all__ = ["Ended", "Limits", "NoRoom", "Programs", "Running", "end_group", "end_orphans", "load_result"]

GRACE = 2.0
"""Seconds between asking a group to end and ending it."""
DRAIN = 0.5
"""Seconds that a stream may stay open after the program and its group have ended: something else holds it."""

_LAUNCHER = (
    f'read -r go && {VARIABLE}="${{{VARIABLE}:+${VARIABLE} }}$go" && export {VARIABLE} && unset go && exec "$@"; exit'
)
"""``read`` takes no more than the one line; what follows is the program's."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended.

    status: exit status, negative: a signal; timed_out: ended by us, for that; output: the result (stdout as JSON, else
    as text), None where it is larger than the limit; files: ``stdout`` and ``stderr`` where anything was written, and
    ``output`` (a result that is only in a file) → ``{path, size, sha256, cut?}``; tail: the end of stderr, else of
    stdout; error: why there is no result (time-out, disk full), "" otherwise.
    """

    status: int | None
    timed_out: bool = False
    output: Any = None
    files: dict[str, dict[str, Any]] = field(default_factory=dict)
    tail: str = ""
    error: str = ""


class Programs:
    """The programs of one driver, and the guardian that ends them should the driver be killed.

    grace: seconds between TERM and KILL.
    """

    def __init__(self, redactor: Redactor | None = None, *, grace: float = GRACE, limits: Limits | None = None) -> None:
        self.redactor = redactor or Redactor()
        self.grace = grace
        self.limits = limits or Limits()
        self.running: dict[int, Running] = {}
        """By number, those that may have processes left."""
        me = this_process()
        self._token = token(me.pid, me.start_time)
        self._guardian: subprocess.Popen[bytes] | None = None
        self._started = False

    async def start(self, command: Command, *, folder: Path, cwd: Path | None = None) -> Running:
        """Start a program that does nothing yet. folder: where its output files go (made if need be).

        Raises PetriError PETRI_CANNOT_START when there is no such folder, and NoRoom, of the same code, when no more
        processes can be made now. A program that does not exist shows in its status (127).
        """
        self._started = True
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._guard()
            starting = asyncio.ensure_future(self._launch(command, folder, cwd))
        except OSError as error:
            raise _cannot_start(command, error) from None
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:  # given up meanwhile: what was started is not lost
            with suppress(PetriError, OSError):
                await (await starting).end()
            raise
        except OSError as error:
            raise _cannot_start(command, error) from None

    async def _launch(self, command: Command, folder: Path, cwd: Path | None) -> Running:
        pipes = _Pipes()
        try:
            child = await asyncio.create_subprocess_exec(
                "/bin/sh",
                "-c",
                _LAUNCHER,
                "sh",
                *command.argv,
                stdin=pipes.stdin[0],
                stdout=pipes.stdout[1],
                stderr=pipes.stderr[1],
                start_new_session=True,
                cwd=cwd,
                env=_environment(command),
            )
        except BaseException:
            pipes.close()
            raise
        pipes.close_theirs()
        process = identify(child.pid)
        if process is None:
            pipes.close()
            await child.wait()
            raise OSError(errno.EAGAIN, "it ended before it was told to begin, or cannot be seen")
        process = Process(process.pid, process.start_time, process.boot_id, process.host, child.pid, process.namespace)
        running = Running(self, child, process, pipes, command.stdin, folder)
        self.running[child.pid] = running
        self._tell(f"+{process.pid} {process.start_time}\n")
        return running

    async def close(self) -> None:
        """End what still runs, wherever it hides, and the guardian."""
        left = list(self.running.values())
        await asyncio.gather(*(running.end() for running in left))
        for running in left:
            running.abandon()
        if self._started:
            await _end({}, (self._token,), self.grace)
        guardian, self._guardian = self._guardian, None
        if guardian is not None and guardian.stdin is not None:
            with suppress(OSError):
                guardian.stdin.write(b"q\n")
            guardian.stdin.close()
            await asyncio.to_thread(guardian.wait)

    def line_for(self, process: Process) -> bytes:
        """What a launcher waits for."""
        return f"{self._token} {token(process.pid, process.start_time)}\n".encode()

    def done_with(self, process: Process) -> None:
        self.running.pop(process.pid, None)
        self._tell(f"-{process.pid}\n")

    def _guard(self) -> None:
        """Start the guardian, unless it runs. One that was killed is replaced, and told all that there is."""
        if self._guardian is not None and self._guardian.poll() is None:
            return
        if self._guardian is not None and self._guardian.stdin is not None:
            with suppress(OSError):
                self._guardian.stdin.close()
        self._guardian = _new_guardian(self._token, self.grace)
        for running in self.running.values():
            self._tell(f"+{running.process.pid} {running.process.start_time}\n")

    def _tell(self, line: str) -> None:
        if self._guardian is None or self._guardian.stdin is None:
            return
        with suppress(OSError):  # it is gone: the next program brings another one
            self._guardian.stdin.write(line.encode())


_DEAF_TO = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP)


def _new_guardian(driver: str, grace: float) -> subprocess.Popen[bytes]:
    """It is deaf from its first moment on: it inherits that these signals are blocked.

    It carries no token of an outer driver, which would end it before it has done its work.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _DEAF_TO)
    try:
        return subprocess.Popen(  # noqa: S603 - our own file
            [sys.executable, "-I", "-S", _GUARDIAN, driver, str(grace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            env={},
            start_new_session=True,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class Running:
    """A program that waits for :meth:`go`. ``process`` is its identity, with its group."""

    def __init__(
        self,
        programs: Programs,
        child: asyncio.subprocess.Process,
        process: Process,
        pipes: _Pipes,
        stdin: bytes,
        folder: Path,
    ) -> None:
        self.process = process
        self._programs = programs
        self._child = child
        self._pipes = pipes
        self._stdin = stdin
        self._captures = {
            name: Capture(folder / name, programs.redactor, programs.limits) for name in ("stdout", "stderr")
        }
        self._flows: list[asyncio.Task[None]] = []

    def go(self) -> None:
        """Let it begin."""
        line = self._programs.line_for(self.process)
        pipes, self._pipes = self._pipes, _NO_PIPES
        self._flows = [
            asyncio.ensure_future(_pour(pipes.stdout[0], self._captures["stdout"])),
            asyncio.ensure_future(_pour(pipes.stderr[0], self._captures["stderr"])),
            asyncio.ensure_future(_fill(pipes.stdin[1], line + self._stdin)),
        ]

    async def ended(self, timeout: float | None = None) -> Ended:
        """Wait for its end, at most ``timeout`` seconds; then, or when cancelled, its whole group is ended.

        What it left running in its group is ended, too, once it has ended itself.
        """
        try:
            async with asyncio.timeout(timeout):
                await self._child.wait()
            timed_out = False
        except TimeoutError:
            timed_out = True
        except asyncio.CancelledError:
            try:
                await self.end()
            finally:
                self.abandon()
            raise
        await self.end(only_group=self._child.returncode is not None)
        await self._drain()
        return self._summary(timed_out, timeout)

    async def end(self, *, only_group: bool = False) -> None:
        """End it now, before or after :meth:`go`, with all that it started.

        only_group: leave alone what has left its group (it lives as long as the driver).
        """
        pipes, self._pipes = self._pipes, _NO_PIPES
        pipes.close()
        if not (only_group and _group_is_empty(self.process)):
            process = self.process
            await _end({process.group: process.start_time}, (), self._programs.grace)
        await self._child.wait()
        self._programs.done_with(self.process)

    def abandon(self) -> None:
        """Nobody asks any more what it wrote; what was written so far stays in its files."""
        for flow in self._flows:
            flow.cancel()
        for capture in self._captures.values():
            capture.finish()

    async def _drain(self) -> None:
        """Read what is left in the streams. They end with the group, unless something outside of it holds them."""
        if not self._flows:
            return
        _, waiting = await asyncio.wait(self._flows, timeout=DRAIN)
        for flow in waiting:
            flow.cancel()
        await asyncio.gather(*self._flows, return_exceptions=True)

    def _summary(self, timed_out: bool, timeout: float | None) -> Ended:
        streams = {name: capture.finish() for name, capture in self._captures.items()}
        out, err = streams["stdout"], streams["stderr"]
        files = {name: stream.reference() for name, stream in streams.items() if stream.size}
        error = next((f"what it wrote could not be kept: {s.error}" for s in (out, err) if s.error), "")
        if timed_out:
            error = f"it was ended after {timeout:g} s"
        output = None
        if out.whole is not None:
            output = self._programs.redactor.value(result_of(out.whole))
        elif not out.error:
            files["output"] = out.reference()
        return Ended(self._child.returncode, timed_out, output, files, _tail(err) or _tail(out), error)


async def end_group(process: Process, grace: float = GRACE) -> bool:
    """End a group that an earlier driver left, and what went from it into others: TERM, after ``grace`` seconds KILL.

    Nothing is signalled unless number, start time, boot and host are those of ``process``. Whether anything was.
    """
    if not _can_be_here(process):
        return False
    return await _end({process.group or process.pid: process.start_time}, (), grace, marked_only=True)


async def end_orphans(driver: Process, grace: float = GRACE) -> bool:
    """End whatever a dead driver has started and its guardian has not ended, in whatever group. Whether anything was.

    ``driver`` itself is never signalled; nothing is while it lives, or where it cannot be known that it does not.
    """
    if not _can_be_here(driver) or alive(driver) is not False:
        return False
    return await _end({}, (token(driver.pid, driver.start_time),), grace)


def _can_be_here(process: Process) -> bool:
    me = this_process()
    there = (process.host, process.boot_id, process.namespace)
    return process.start_time > 0 and there == (me.host, me.boot_id, me.namespace)


async def _end(groups: dict[int, int], tokens: tuple[str, ...], grace: float, *, marked_only: bool = False) -> bool:
    """Whether anything had to be ended. Cancelled, it does not wait any longer before it ends them."""
    signalled = False
    try:
        for pause in ending(groups, tokens, grace, marked_only=marked_only):
            signalled = True
            await asyncio.sleep(pause)
    except asyncio.CancelledError:
        for pause in ending(groups, tokens, 0.0, marked_only=marked_only):
            await asyncio.shield(asyncio.sleep(pause))
        raise
    return signalled


def _group_is_empty(process: Process) -> bool:
    """After the leader was reaped; a number stays taken as long as a group has it."""
    try:
        os.killpg(process.group, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return not survivors({process.group: process.start_time})


class _Pipes:
    """The standard streams of a program: (reading end, writing end)."""

    def __init__(self, *, empty: bool = False) -> None:
        self._open: list[int] = []
        self.stdin = self.stdout = self.stderr = (-1, -1)
        if empty:
            return
        try:
            self.stdin, self.stdout, self.stderr = (self._pipe() for _ in range(3))
        except OSError:
            self.close()
            raise

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._open += ends
        return ends

    def close_theirs(self) -> None:
        for fd in (self.stdin[0], self.stdout[1], self.stderr[1]):
            self._open.remove(fd)
            os.close(fd)

    def close(self) -> None:
        while self._open:
            os.close(self._open.pop())


_NO_PIPES = _Pipes(empty=True)


async def _pour(fd: int, capture: Capture) -> None:
    """From a pipe into a capture, to its end."""
    reader = asyncio.StreamReader()
    file = os.fdopen(fd, "rb", buffering=0)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        partial(asyncio.StreamReaderProtocol, reader), file
    )
    try:
        while chunk := await reader.read(65_536):
            capture.feed(chunk)
    finally:
        transport.close()


async def _fill(fd: int, data: bytes) -> None:
    """All of ``data`` into a pipe, then its end. Who does not read it does not have to."""
    loop = asyncio.get_running_loop()
    file = os.fdopen(fd, "wb", buffering=0)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), file
    )
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    try:
        with suppress(OSError):
            writer.write(data)
            await writer.drain()
            writer.close()
            await writer.wait_closed()
    finally:
        if transport.get_write_buffer_size() or not transport.is_closing():
            transport.abort()


def _environment(command: Command) -> dict[str, str]:
    changed = {k: v for k, v in command.environment.items() if v is not None}
    return {**{k: v for k, v in os.environ.items() if k not in command.environment}, **changed}


def _tail(stream: Captured) -> str:
    return stream.tail[-2_000:].decode("utf-8", "replace").strip()


class NoRoom(PetriError):
    """The machine has no room for another process or file now. Nothing of the program has begun."""


def _cannot_start(command: Command, error: OSError) -> PetriError:
    where = f": {error.filename}" if error.filename and error.filename != "/bin/sh" else ""
    message = f"`{command.argv[0]}` cannot be started: {error.strerror or error}{where}"
    full = error.errno in (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
    return (NoRoom if full else PetriError)("PETRI_CANNOT_START", message)
