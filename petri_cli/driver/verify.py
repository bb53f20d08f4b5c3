"""Adjudication: whether work that was reported was done, by somebody who does not take the worker's word for it.

Verifiers that are programs run in processes of their own, and so does what may search for ever. What crashes, takes too
long or says nothing clear has not passed the work.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petri_cli.driver.capture import load_result
from petri_cli.driver.check_schema import COMMAND, has_patterns
from petri_cli.driver.commands import Command, Job, environment, function, program
from petri_cli.driver.evidence import Found, Identity, Schema, files_before, files_of, schema_problems
from petri_cli.driver.naming import said_at
from petri_cli.driver.process import Ended, NoRoom, Programs
from petri_cli.driver.substitution import filled
from petri_cli.driver.verifiers import kind_of, single_verifiers
from petri_cli.errors import PetriError

TIMEOUT = 600.0
"""Seconds that one verifier may take."""
LATER = "later"
"""In place of a verifier: it could not be asked now."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker declared, with what the driver knows of it.

    status: the exit status that the driver saw, None for a pull worker; tail: the end of what the program wrote, if the
    driver ran it; claimed_at: seconds since 1970; approved: what a person said, None: nothing yet. The other fields are
    those of ``Reported``.
    """

    output: Any = None
    status: int | None = None
    files: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    tail: str = ""
    claimed_at: float = 0.0
    approved: bool | None = None
    approved_by: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """passed: None while a person's word is waited for (``verifier`` is then ``human``), and when the machine has no
    room for the verifier now (``LATER``).

    verifier: which one decided, ``report`` where the report itself says that the work failed; reason: why not.
    """

    passed: bool | None
    verifier: str
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)


async def verify(
    spec: Any,
    report: Report,
    job: Job,
    programs: Programs,
    *,
    folder: Path,
    cwd: Path,
    timeout: float = TIMEOUT,
    before: Collection[Identity] = (),
) -> Verdict:
    """Adjudicate the report of a job. Of several verifiers, the first that does not pass it decides.

    folder: where output of verifiers goes; cwd: what programs run in and files are relative to; timeout: seconds a
    verifier; before: what :func:`files_at_start` found, where somebody looked. When a person's word has come, the
    others are asked once more. Raises nothing but CancelledError.
    """
    if report.error:
        return Verdict(False, "report", report.error)
    if report.approved is False and "human" in single_verifiers(spec):
        return word_of(report)
    case = _Case(report, job, programs, cwd, timeout, before)
    passed: list[Verdict] = []
    for k, single in enumerate(single_verifiers(spec), 1):
        found = case.redacted(await case.verdict(single, folder / f"verify-{k}"))
        if not found.passed:
            return found
        passed.append(found)
    if len(passed) == 1:
        return passed[0]
    evidence = [{"verifier": v.verifier, **({"evidence": v.evidence} if v.evidence else {})} for v in passed]
    return Verdict(True, "all", "", {"all": evidence})


async def files_at_start(spec: Any, job: Job, cwd: Path) -> frozenset[Identity]:
    """What is there of the files that a job is to make, before it begins: it counts only if it is written anew."""
    try:
        wanted = [p for s in single_verifiers(spec) if kind_of(s) == "files" for p in _patterns(job, s["files"])]
    except PetriError:  # which the verifier will say
        return frozenset()
    return await asyncio.to_thread(files_before, wanted, cwd, time.time()) if wanted else frozenset()


def _patterns(job: Job, patterns: list[str]) -> list[str]:
    from glob import escape

    return [filled(pattern, job.tasks, job.lookup, escape) for pattern in patterns]


@dataclass(frozen=True, slots=True)
class _Case:
    report: Report
    job: Job
    programs: Programs
    cwd: Path
    timeout: float
    before: Collection[Identity]

    async def verdict(self, spec: Any, folder: Path) -> Verdict:
        """Of one verifier."""
        kind = kind_of(spec)
        try:
            match kind:
                case "exit-code":
                    return self._exit_code()
                case "human":
                    return word_of(self.report)
                case "command":
                    return await self._command(spec[kind], folder)
                case "python":
                    return await self._python(spec[kind], folder)
                case "schema":
                    return await self._schema(spec[kind], folder)
                case "files":
                    return await self._files(spec[kind])
                case _:
                    return Verdict(False, kind, f"there is no verifier `{kind}`")
        except NoRoom as error:
            return Verdict(None, LATER, error.message)
        except PetriError as error:
            return Verdict(False, kind, said_at(self.job.node, error))
        except TimeoutError:
            return Verdict(False, kind, f"the verifier took more than {self.timeout:g} s")
        except Exception as error:
            return Verdict(False, kind, f"the verifier crashed: {type(error).__name__}: {error}")

    def redacted(self, verdict: Verdict) -> Verdict:
        redactor = self.programs.redactor
        reason, evidence = redactor.text(verdict.reason), redactor.value(dict(verdict.evidence))
        return Verdict(verdict.passed, verdict.verifier, reason, evidence)

    def _exit_code(self) -> Verdict:
        status = self.report.status
        if status is None:
            return Verdict(False, "exit-code", "nobody saw the work end, so that there is no exit status")
        if status == 0:
            return Verdict(True, "exit-code", "", {"status": 0})
        return Verdict(False, "exit-code", _with_tail(ended_how(status), self.report.tail), {"status": status})

    async def _command(self, command: Any, folder: Path) -> Verdict:
        ended = await self._run(program(command, self._told(), self.job), folder)
        if ended.timed_out:
            raise TimeoutError
        evidence = {"status": ended.status, "files": ended.files} if ended.files else {"status": ended.status}
        if ended.status == 0:
            return Verdict(True, "command", "", evidence)
        return Verdict(False, "command", _with_tail(ended_how(ended.status), ended.tail), evidence)

    async def _python(self, name: str, folder: Path) -> Verdict:
        ended = await self._run(function(name, "verify", self._told(), self.job), folder)
        if ended.timed_out:
            raise TimeoutError
        said = ended.output
        if ended.status != 0 or not isinstance(said, dict) or not isinstance(said.get("passed"), bool):
            return Verdict(False, "python", _with_tail(f"the verifier crashed: {ended_how(ended.status)}", ended.tail))
        more = {k: v for k, v in said.items() if k not in ("passed", "reason")}
        return Verdict(said["passed"], "python", str(said.get("reason", "")), more)

    async def _run(self, command: Command, folder: Path) -> Ended:
        running = await self.programs.start(command, folder=folder, cwd=self.cwd)
        running.go()
        return await running.ended(self.timeout)

    async def _schema(self, schema: Schema, folder: Path) -> Verdict:
        """A thread lets the driver go on, but it cannot be ended, and a pattern lets no other thread run."""
        if has_patterns(schema):
            value = await asyncio.to_thread(self._output)
            said = json.dumps({"schema": schema, "value": value}).encode()
            ended = await self._run(Command(COMMAND, said, environment(self.job)), folder)
            if ended.timed_out:
                raise TimeoutError
            problems = ended.output
            if ended.status != 0 or not isinstance(problems, list):
                how = _with_tail(f"the verifier crashed: {ended_how(ended.status)}", ended.tail)
                return Verdict(False, "schema", how)
        else:
            checking = asyncio.to_thread(lambda: schema_problems(schema, self._output()))
            problems = await asyncio.wait_for(checking, self.timeout)
        return Verdict(not problems, "schema", "; ".join(problems))

    async def _files(self, patterns: list[str]) -> Verdict:
        wanted, report = _patterns(self.job, patterns), self.report
        looking = asyncio.to_thread(files_of, wanted, self.cwd, report.claimed_at, time.time(), self.before)
        found: Found = await asyncio.wait_for(looking, self.timeout)
        return Verdict(not found.missing, "files", "; ".join(found.missing), {"files": found.files})

    def _output(self) -> Any:
        """The result, also where it is only in a file."""
        in_file = self.report.files.get("output")
        return load_result(in_file) if in_file and self.report.output is None else self.report.output

    def _told(self) -> dict[str, Any]:
        """What a verifying program is told."""
        job, report = self.job, self.report
        told = {
            "session": job.session,
            "task": job.node.id,
            "claim": job.claim,
            "attempt": job.attempt,
            "rounds": list(job.thread.rounds),
            "output": report.output,
            "status": report.status,
            "files": dict(report.files),
            "claimedAt": report.claimed_at,
        }
        return {**told, "item": job.thread.item} if job.thread.name else told


def word_of(report: Report) -> Verdict:
    """A person's."""
    if report.approved is None:
        return Verdict(None, "human", "it waits for approval")
    said = {"by": report.approved_by, "note": report.note}
    evidence = {k: v for k, v in said.items() if v}
    if report.approved:
        return Verdict(True, "human", "", evidence)
    by = f" by {report.approved_by}" if report.approved_by else ""
    return Verdict(False, "human", f"not approved{by}{f': {report.note}' if report.note else ''}", evidence)


def ended_how(status: int | None) -> str:
    """``exit status 3``, ``ended by SIGKILL``."""
    import signal

    if status is None:
        return "it did not end"
    if status < 0:
        try:
            return f"ended by {signal.Signals(-status).name}"
        except ValueError:
            return f"ended by signal {-status}"
    return f"exit status {status}"


def _with_tail(what: str, tail: str) -> str:
    return f"{what}: {tail}" if tail else what
