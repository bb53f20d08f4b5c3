"""Whether a sound plan can be worked on: what ``petri plan`` checks beyond ``petri analyze``."""

from __future__ import annotations

from petri_cli.errors import Problem
from petri_cli.plan.model import Plan


def workability(plan: Plan) -> list[Problem]:
    """What stands in the way of doing the plan, sorted by position; empty when nothing does.

    PETRI_NEEDS_VERIFIER: work for a pull worker that is verified by exit code; PETRI_BAD_EXPRESSION, PETRI_UNKNOWN_TASK:
    conditions in prose, references in commands and inputs that lead nowhere.
    """
    raise NotImplementedError
