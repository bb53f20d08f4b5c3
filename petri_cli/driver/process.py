"""Programs that never outlive their driver: started on a word, captured, ended as a group.

programs = Programs(redactor=…)            # one a driver
running = await programs.start(command, folder=…, cwd=…)
…commit WorkStarted(running.process)…      # nothing of the work has happened yet
running.go()
ended = await running.ended(timeout)       # cancelling this ends the group, too
await programs.close()
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petri_cli.driver.commands import Command
from petri_cli.driver.redact import Redactor
from petri_cli.session.events import Process


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one program, in bytes: file: kept of each stream; result: a larger result stays in its file."""

    file: int = 10 * 1024 * 1024
    result: int = 64 * 1024


@dataclass(frozen=True, slots=True)
class Ended:
    """How a program ended.

    status: exit status, negative: a signal; timed_out: ended by us, for that; output: the result (stdout as JSON, else
    as text), None where it is larger than the limit; files: ``stdout``, ``stderr`` (those that are not empty) and
    ``output`` (a result that is only in a file) → ``{path, size, sha256, cut?}``; tail: the end of stderr, else of
    stdout; error: why there is no good result (time-out, disk full), "" otherwise. These are the fields of Reported.
    """

    status: int | None
    timed_out: bool = False
    output: Any = None
    files: Mapping[str, Any] = field(default_factory=dict)
    tail: str = ""
    error: str = ""


class Running:
    """A program that waits for :meth:`go`."""

    process: Process
    """Its identity, with its group."""

    def go(self) -> None:
        """Let it begin. Without it, it ends when its driver does, having done nothing."""
        raise NotImplementedError

    async def ended(self, timeout: float | None = None) -> Ended:
        """Wait for its end, at most ``timeout`` seconds; then, or when cancelled, its whole group is ended."""
        raise NotImplementedError

    async def end(self) -> None:
        """End its group now (before or after :meth:`go`)."""
        raise NotImplementedError


class Programs:
    """The programs of one driver, and the guardian that ends them should the driver be killed. grace: seconds between
    TERM and KILL."""

    def __init__(self, redactor: Redactor | None = None, *, grace: float = 2.0, limits: Limits | None = None) -> None:
        raise NotImplementedError

    async def start(self, command: Command, *, folder: Path, cwd: Path | None = None) -> Running:
        """Start a program that does nothing yet. folder: where its output files go (made if need be).

        Raises PetriError PETRI_CANNOT_START when there is no such folder or no more processes can be made. A program
        that does not exist shows in its status (127).
        """
        raise NotImplementedError

    async def close(self) -> None:
        """End what still runs, and the guardian."""
        raise NotImplementedError


async def end_group(process: Process, grace: float = 2.0) -> bool:
    """End a group that an earlier driver left, with strays that left the group: TERM, then KILL after ``grace`` seconds.

    Nothing is signalled unless number, start time, boot and host are those of ``process``. Whether anything was.
    """
    raise NotImplementedError


def load_result(reference: Mapping[str, Any]) -> Any:
    """The result in a file ``{path, size, sha256}``. Raises PetriError PETRI_EXPRESSION_FAILED when it was changed."""
    raise NotImplementedError
