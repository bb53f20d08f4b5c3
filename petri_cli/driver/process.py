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
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petri_cli.driver.capture import Capture, Captured, Limits, load_result, result_of
from petri_cli.driver.commands import Command
from petri_cli.driver.groups import GRACE, end, group_is_empty
from petri_cli.driver.guardian import VARIABLE, token
from petri_cli.driver.guarding import Guard
from petri_cli.driver.pipes import NO_PIPES, Pipes, fill, pour
from petri_cli.driver.programs import as_bytes
from petri_cli.driver.redact import Redactor
from petri_cli.errors import PetriError
from petri_cli.session.events import Process
from petri_cli.session.identity import identify, this_process

__all__ = ["Ended", "Limits", "NoRoom", "Programs", "Running", "load_result"]

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
        self._guard = Guard(self._token, grace)
        self._started = False

    async def start(self, command: Command, *, folder: Path, cwd: Path | None = None) -> Running:
        """Start a program that does nothing yet. folder: where its output files go (made if need be).

        Raises PetriError PETRI_CANNOT_START when there is no such folder, and NoRoom, of the same code, when no more
        processes can be made now. A program that does not exist shows in its status (127).
        """
        self._started = True
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._guard.stand(running.process for running in self.running.values())
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
        pipes = Pipes()
        try:
            child = await asyncio.create_subprocess_exec(
                "/bin/sh",
                "-c",
                _LAUNCHER,
                "sh",
                *map(as_bytes, command.argv),
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
        self._guard.watch(process)
        return running

    async def close(self) -> None:
        """End what still runs, wherever it hides, and the guardian."""
        left = list(self.running.values())
        await asyncio.gather(*(running.end() for running in left))
        for running in left:
            running.abandon()
        if self._started:
            await end({}, (self._token,), self.grace)
        await self._guard.leave()

    def line_for(self, process: Process) -> bytes:
        """What a launcher waits for."""
        return f"{self._token} {token(process.pid, process.start_time)}\n".encode()

    def done_with(self, process: Process) -> None:
        self.running.pop(process.pid, None)
        self._guard.forget(process)


class Running:
    """A program that waits for :meth:`go`. ``process`` is its identity, with its group."""

    def __init__(
        self,
        programs: Programs,
        child: asyncio.subprocess.Process,
        process: Process,
        pipes: Pipes,
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
        pipes, self._pipes = self._pipes, NO_PIPES
        self._flows = [
            asyncio.ensure_future(pour(pipes.stdout[0], self._captures["stdout"])),
            asyncio.ensure_future(pour(pipes.stderr[0], self._captures["stderr"])),
            asyncio.ensure_future(fill(pipes.stdin[1], line + self._stdin)),
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
        pipes, self._pipes = self._pipes, NO_PIPES
        pipes.close()
        if not (only_group and group_is_empty(self.process)):
            process = self.process
            await end({process.group: process.start_time}, (), self._programs.grace)
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


def _environment(command: Command) -> dict[bytes, bytes]:
    changed = {k: v for k, v in command.environment.items() if v is not None}
    whole = {**{k: v for k, v in os.environ.items() if k not in command.environment}, **changed}
    return {as_bytes(k): as_bytes(v) for k, v in whole.items()}


def _tail(stream: Captured) -> str:
    return stream.tail[-2_000:].decode("utf-8", "replace").strip()


class NoRoom(PetriError):
    """The machine has no room for another process or file now. Nothing of the program has begun."""


def _cannot_start(command: Command, error: OSError) -> PetriError:
    where = f": {error.filename}" if error.filename and error.filename != "/bin/sh" else ""
    message = f"`{command.argv[0]}` cannot be started: {error.strerror or error}{where}"
    full = error.errno in (errno.EMFILE, errno.ENFILE, errno.EAGAIN, errno.ENOMEM)
    return (NoRoom if full else PetriError)("PETRI_CANNOT_START", message)
