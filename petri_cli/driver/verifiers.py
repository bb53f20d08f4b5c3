"""Which verifiers judge a piece of work."""

from __future__ import annotations

from typing import Any

from petri_cli.driver.settings import setting
from petri_cli.plan.model import Foreach, Plan, Task


def verifier_of(plan: Plan, node: Task | Foreach) -> Any:
    """The verifier of a piece of work: its own, else the plan's, else ``exit-code``."""
    return setting(plan, node, "verify")


def single_verifiers(spec: Any) -> list[Any]:
    """What ``spec`` asks for, one by one, in order, a person's word last; ``all`` within ``all`` is the same as one."""
    found: list[Any] = []
    stack = [spec]
    while stack:
        part = stack.pop()
        if kind_of(part) == "all":
            stack.extend(reversed(part["all"]))
        else:
            found.append(part)
    return [s for s in found if s != "human"] + ["human"] * ("human" in found)


def kind_of(spec: Any) -> str:
    """``exit-code``, ``human``, or the one key of a map."""
    return spec if isinstance(spec, str) else str(next(iter(spec)))
