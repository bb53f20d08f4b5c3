"""Adjudication: whether work that was reported was done, by somebody who does not take the worker's word for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from petri_cli.driver.commands import Job
from petri_cli.driver.process import Programs
from petri_cli.plan.model import Foreach, Plan, Task


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker declared, with what the driver knows of it.

    status: the exit status that the driver saw, None for a pull worker; claimed_at: seconds since 1970 (store time);
    approved: what a person said, None: nothing yet. The other fields are those of Reported.
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
    """passed: None while a person's word is waited for (``verifier`` is then ``human``)."""

    passed: bool | None
    verifier: str
    reason: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)


def verifier_of(plan: Plan, node: Task | Foreach) -> Any:
    """The verifier of a piece of work: its own, else the plan's, else ``exit-code``."""
    raise NotImplementedError


async def verify(
    spec: Any, report: Report, job: Job, programs: Programs, *, folder: Path, cwd: Path, timeout: float = 600.0
) -> Verdict:
    """Adjudicate. Never raises but when cancelled: a verifier that crashes or takes longer is not a pass.

    folder: where output of verifiers goes; cwd: what files are relative to.
    """
    raise NotImplementedError
