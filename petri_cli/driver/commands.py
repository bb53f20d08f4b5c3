"""The command that does a piece of work: what is run, with which words, environment and input.

A worker gets its request as JSON on standard input, whatever it is: a shell command may look at it or not.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from petri_cli.driver.settings import body_of, setting, tasks_of
from petri_cli.driver.substitution import MAX_VALUE, data_filled, filled, shell_text
from petri_cli.plan.expression import Lookup
from petri_cli.plan.model import Foreach, Plan, Task

if TYPE_CHECKING:  # who only analyses a plan needs no engine
    from petri_cli.driver.threads import Thread

SHELL = "/bin/sh"
CALL_FUNCTION = str(Path(__file__).with_name("call_function.py"))


@dataclass(frozen=True, slots=True)
class Command:
    """argv: program and arguments; stdin: what it reads; environment: what differs from the driver's (None: unset)."""

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

    @property
    def tasks(self) -> Collection[str]:
        """The tasks of the plan, which ``${…}`` may begin with."""
        return tasks_of(self.plan)


def command_of(job: Job) -> Command:
    """The command of a job whose body is not ``pull``.

    Raises PetriError PETRI_EXPRESSION_FAILED where a value is missing, or does not fit into a command.
    """
    settings = job.node.settings
    match body_of(job.plan, job.node):
        case "run":
            return program(settings["run"], request(job), job)
        case "python":
            return function(settings["python"], "work", request(job), job)
        case "worker":
            worker = job.plan.settings["workers"][setting(job.plan, job.node, "worker")]
            return program(worker["command"], request(job), job)
        case "pull":
            raise ValueError(f"{job.node.id} is for a worker that comes and claims it")


def program(command: str | list[str], said: Mapping[str, Any], job: Job) -> Command:
    """A shell command, or a program with its arguments, that reads ``said`` as JSON."""
    if isinstance(command, str):
        text, values = shell_text(command, job.tasks, job.lookup)
        return Command((SHELL, "-c", text), _json(said), {**environment(job), **values})
    words = tuple(filled(word, job.tasks, job.lookup) for word in command)
    return Command(words, _json(said), environment(job))


def function(name: str, kind: Literal["work", "verify"], said: Mapping[str, Any], job: Job) -> Command:
    """A Python function ``module:function`` in a process of its own."""
    return Command((sys.executable, CALL_FUNCTION, name, kind), _json(said), environment(job))


def environment(job: Job) -> dict[str, str | None]:
    """What every program of the job finds in its environment.

    ``PETRI_ITEM`` is the item as JSON; without an item, and where it is too large, it is not set.
    """
    item = json.dumps(job.thread.item, ensure_ascii=False) if job.thread.name else None
    if item is not None and len(item.encode()) > MAX_VALUE:
        item = None
    return {
        "PETRI_SESSION": job.session,
        "PETRI_TASK": job.node.id,
        "PETRI_CLAIM": job.claim,
        "PETRI_ATTEMPT": str(job.attempt),
        "PETRI_ITEM": item,
    }


def request(job: Job) -> dict[str, Any]:
    """What a worker is told, as JSON data. A pull worker is told the same.

    ``{session, task, name, claim, attempt, rounds, with, objective?, item?, over?, run?}``: item is there inside a
    foreach; over: what items to find, when the work is to discover them; run: the text of ``run`` with its values, for
    a worker that is not a shell.
    """
    node, plan = job.node, job.plan
    told: dict[str, Any] = {
        "session": job.session,
        "task": node.id,
        "name": node.name if isinstance(node, Task) else node.settings.get("name") or "",
        "claim": job.claim,
        "attempt": job.attempt,
        "rounds": list(job.thread.rounds),
        "with": data_filled(dict(node.settings.get("with") or {}), job.tasks, job.lookup),
    }
    if plan.objective:
        told["objective"] = plan.objective
    if job.thread.name:
        told["item"] = job.thread.item
    if isinstance(node, Foreach):
        told["over"] = node.over
    if body_of(plan, node) in ("worker", "pull") and node.settings.get("run"):
        run = node.settings["run"]
        words = [filled(word, job.tasks, job.lookup) for word in ([run] if isinstance(run, str) else run)]
        told["run"] = words[0] if isinstance(run, str) else words
    return told


def _json(data: Mapping[str, Any]) -> bytes:
    return json.dumps(data, ensure_ascii=False).encode() + b"\n"
