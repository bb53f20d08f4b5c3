"""What a plan says of a piece of work: who does it, how it is tried, what is not said and so is the language's.

Nothing here knows how work is done; who only analyses a plan needs no more than this.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from petri_cli.plan.model import Foreach, Plan, Task
from petri_cli.plan.words import is_expression

Body = Literal["run", "python", "worker", "pull"]

DEFAULTS: Mapping[str, Any] = {
    "worker": "shell",
    "verify": "exit-code",
    "maxAttempts": 1,
    "timeout": 3600.0,
    "lease": 60.0,
    "priority": 0,
}
"""Of the language; what is not here is None."""


@lru_cache(maxsize=8)
def tasks_of(plan: Plan) -> frozenset[str]:
    """The ids of the tasks of a plan."""
    return frozenset(task.id for task in plan.tasks())


def setting(plan: Plan, node: Task | Foreach, name: str) -> Any:
    """A setting of the work: its own, else the plan's, else the language's (None where there is none)."""
    for settings in (node.settings, plan.defaults, DEFAULTS):
        if settings.get(name) is not None:
            return settings[name]
    return None


def asks_a_person(spec: Any) -> bool:
    """Whether a verifier, or one of those that it is made of, is ``human``."""
    stack = [spec]
    while stack:
        part = stack.pop()
        if part == "human":
            return True
        if isinstance(part, Mapping):
            stack.extend(part.get("all", ()))
    return False


def is_work(node: object) -> bool:
    """Whether somebody has to do it: a task, or the discovery of items that are only described in prose."""
    match node:
        case Task():
            return True
        case Foreach(items=None, over=str() as over):
            return not is_expression(over)
        case _:
            return False


def body_of(plan: Plan, node: Task | Foreach) -> Body:
    """Who does it: the driver runs a command, a function or a declared worker; or somebody claims it (pull)."""
    worker = setting(plan, node, "worker")
    if worker in (plan.settings.get("workers") or {}):
        return "worker"
    if worker != DEFAULTS["worker"]:
        return "pull"
    if node.settings.get("run"):
        return "run"
    return "python" if node.settings.get("python") else "pull"
