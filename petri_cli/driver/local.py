"""Work that this machine does: commands in process groups of their own, and the verifiers that judge them."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from petri_cli.driver.commands import Job, command_of
from petri_cli.driver.crew import Judge, Perform, Start
from petri_cli.driver.evidence import Identity
from petri_cli.driver.process import Ended, Programs
from petri_cli.driver.redact import Redactor
from petri_cli.driver.session_driver import Options
from petri_cli.driver.verifiers import verifier_of
from petri_cli.driver.verify import Report, Verdict, files_at_start, verify
from petri_cli.session.naming import folder_name
from petri_cli.session.store import EventStore


class LocalWork:
    """Performs and judges. folder: where outputs go, ``<session>/<claim>/``; cwd: where work runs.

    Programs are kept by the secrets that their output must not show: a new revision may name others.
    """

    def __init__(self, folder: Path, cwd: Path) -> None:
        self._folder = folder
        self._cwd = cwd
        self._programs: dict[tuple[str, ...], Programs] = {}
        self._before: dict[str, frozenset[Identity]] = {}
        """Claim → files that were there when its work began, until it is judged."""

    async def perform(self, job: Job, timeout: float, start: Start) -> Ended:
        """Run the command of a job, once ``start`` says that it may. See :class:`petri_cli.driver.crew.Perform`."""
        if before := await files_at_start(verifier_of(job.plan, job.node), job, self._cwd):
            self._before[job.claim] = before
        running = await self._for(job).start(command_of(job), folder=self._folder_of(job), cwd=self._cwd)
        try:
            await start(running.process)
        except BaseException:
            await running.end()
            raise
        running.go()
        return await running.ended(timeout)

    async def judge(self, job: Job, report: Report) -> Verdict:
        """Ask the verifier of a job. See :class:`petri_cli.driver.crew.Judge`."""
        spec = verifier_of(job.plan, job.node)
        folder = self._folder_of(job) / "verify"
        before = self._before.get(job.claim, frozenset())
        verdict = await verify(spec, report, job, self._for(job), folder=folder, cwd=self._cwd, before=before)
        if verdict.passed is not None:
            self._before.pop(job.claim, None)
        return verdict

    async def close(self) -> None:
        """End whatever still runs."""
        for programs in self._programs.values():
            await programs.close()

    def _for(self, job: Job) -> Programs:
        names = tuple(job.plan.settings.get("secrets", ()))
        if names not in self._programs:
            self._programs[names] = Programs(Redactor.of(names, os.environ))
        return self._programs[names]

    def _folder_of(self, job: Job) -> Path:
        return self._folder / folder_name(job.session) / job.claim


@asynccontextmanager
async def local_work(store: EventStore, session: str, options: Options) -> AsyncIterator[tuple[Perform, Judge]]:
    """Who does local work and who judges it, for one driver. Whatever still runs in the end is ended."""
    work = LocalWork(options.folder.absolute(), options.cwd)
    try:
        yield work.perform, work.judge
    finally:
        await work.close()


@asynccontextmanager
async def local_judge(store: EventStore, session: str, folder: Path) -> AsyncIterator[Judge]:
    """Who judges what was reported, where no driver does."""
    work = LocalWork(folder.absolute(), Path.cwd())
    try:
        yield work.judge
    finally:
        await work.close()
