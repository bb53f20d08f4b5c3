"""Work that runs in this process's care: one asyncio task a claim, and what it has to say on its way to the log.

A task never touches the log. It leaves a message and rings; the driver turns messages into events in its next step,
and says back when they are committed. So nothing of the work happens before its ``WorkStarted`` is in the log.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Protocol

from petri_cli.driver.commands import Job
from petri_cli.driver.naming import said_at
from petri_cli.driver.process import Ended, NoRoom
from petri_cli.driver.verifiers import verifier_of
from petri_cli.driver.verify import Report, Verdict
from petri_cli.errors import PetriError
from petri_cli.session.events import Process

AT_ONCE = "exit-code"
"""The verifier that looks at the report alone."""

Start = Callable[[Process], Awaitable[None]]
"""Called by work once its process exists and waits; when it returns, the process may begin."""


class Perform(Protocol):
    """Does one job. When cancelled, it ends everything that it started before it lets the cancellation go on.

    Raises NoRoom where it could not begin, before it has called ``start``.
    """

    async def __call__(self, job: Job, timeout: float, start: Start) -> Ended: ...


class Judge(Protocol):
    """Says whether a job was done. Never raises but when cancelled."""

    async def __call__(self, job: Job, report: Report) -> Verdict: ...


@dataclass(frozen=True, slots=True)
class Begun:
    """The process of a claim exists; ``go`` is to be set once this is in the log."""

    claim: str
    process: Process
    go: asyncio.Future[None]


@dataclass(frozen=True, slots=True)
class NotBegun:
    """The machine had no room for the work of a claim; nothing of it has begun."""

    claim: str
    why: str


@dataclass(frozen=True, slots=True)
class Finished:
    """The work of a claim is over; verdict: where the verifier needs nothing but what is known already."""

    claim: str
    ended: Ended
    verdict: Verdict | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """The verifier has spoken."""

    claim: str
    verdict: Verdict


Message = Begun | NotBegun | Finished | Judged


class Crew:
    """What runs here. ``mail``: messages, oldest first; ``ring``: called when there is a new one."""

    def __init__(self, perform: Perform, judge: Judge, ring: Callable[[], None]) -> None:
        self._perform = perform
        self._judge = judge
        self._ring = ring
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.mail: list[Message] = []

    @property
    def busy(self) -> int:
        """How much is going on: work, and verification of work."""
        return len(self._tasks)

    @property
    def claims(self) -> list[str]:
        """Those that something is going on for."""
        return list(self._tasks)

    def work(self, job: Job, timeout: float) -> None:
        """Begin a job; it comes back as a message, whatever happens."""
        self._spawn(job.claim, self._working(job, timeout))

    def judge(self, job: Job, report: Report) -> None:
        """Begin to verify a job."""
        self._spawn(job.claim, self._judging(job, report))

    async def give_up(self, claim: str) -> None:
        """End what goes on for a claim, and wait until it has ended. What it has yet to say is forgotten."""
        task = self._tasks.pop(claim, None)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])
        self.mail = [m for m in self.mail if m.claim != claim]

    async def close(self) -> None:
        """End everything. What has ended by itself before still has its say."""
        tasks = list(self._tasks.values())
        self._tasks.clear()
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        self.mail = [m for m in self.mail if not isinstance(m, Begun)]

    def _spawn(self, claim: str, work: Awaitable[None]) -> None:
        async def run() -> None:
            await work

        task = asyncio.get_running_loop().create_task(run(), name=claim)
        self._tasks[claim] = task
        task.add_done_callback(lambda done: self._done(claim, done))

    def _done(self, claim: str, task: asyncio.Task[None]) -> None:
        if self._tasks.get(claim) is task:
            del self._tasks[claim]
        if not task.cancelled() and (error := task.exception()) is not None:
            self._tell(Finished(claim, Ended(None, error=f"{type(error).__name__}: {error}")))
        self._ring()

    def _tell(self, message: Message) -> None:
        self.mail.append(message)
        self._ring()

    async def _working(self, job: Job, timeout: float) -> None:
        async def start(process: Process) -> None:
            go: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._tell(Begun(job.claim, process, go))
            await go

        try:
            ended = await self._perform(job, timeout, start)
        except NoRoom as error:
            self._tell(NotBegun(job.claim, error.message))
            return
        except PetriError as error:
            ended = Ended(None, error=said_at(job.node, error))
        verdict = None
        if verifier_of(job.plan, job.node) == AT_ONCE:  # both go into one commit
            said = Report(ended.output, ended.status, ended.files, ended.error, ended.tail)
            verdict = await self._judge(job, said)
        self._tell(Finished(job.claim, ended, verdict))

    async def _judging(self, job: Job, report: Report) -> None:
        self._tell(Judged(job.claim, await self._judge(job, report)))
