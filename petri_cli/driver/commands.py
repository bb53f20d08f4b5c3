"""The command that does a piece of work: what is run, with which words, environment and input."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from petri_cli.driver.threads import Thread
from petri_cli.plan.expression import Lookup
from petri_cli.plan.model import Foreach, Plan, Task

Body = Literal["run", "python", "worker", "pull"]


@dataclass(frozen=True, slots=True)
class Command:
    """argv: program and arguments; stdin: what it reads; environment: variables beside the driver's own (None: unset)."""

    argv: tuple[str, ...]
    stdin: bytes = b""
    environment: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt at a piece of work for one thread. session: its name; lookup: ``Results(…).at(node, thread)``."""

    plan: Plan
    node: Task | Foreach
    session: str
    claim: str
    attempt: int
    thread: Thread
    lookup: Lookup


def setting(plan: Plan, node: Task | Foreach, name: str) -> Any:
    """A setting of the work: its own, else the plan's default, else the language's default (None where there is none)."""
    raise NotImplementedError


def body_of(plan: Plan, node: Task | Foreach) -> Body:
    """Who does it: the driver runs a command, a function, a declared worker; or somebody comes and claims it (pull)."""
    raise NotImplementedError


def command_of(job: Job) -> Command:
    """The command of a job whose body is not ``pull``. Raises PetriError PETRI_EXPRESSION_FAILED."""
    raise NotImplementedError


def request(job: Job) -> dict[str, Any]:
    """What a worker is told, as JSON: ``{session, task, name, claim, attempt, with, item?, rounds, objective?, over?}``.

    Also what ``petri claim --json`` prints for a pull worker.
    """
    raise NotImplementedError
