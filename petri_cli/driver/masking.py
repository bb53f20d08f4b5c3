"""What somebody says, as it may be written: without what the plan of a session calls secret, or what looks like it."""

from __future__ import annotations

import os

from petri_cli.driver.course import Course
from petri_cli.driver.redact import Redactor
from petri_cli.errors import InputError
from petri_cli.session.state import State


def redactor_of(state: State) -> Redactor:
    """Of what the plan calls secret, and of what looks like it."""
    revision = state.plan
    if revision is None:
        return Redactor()
    try:
        plan = Course.of(revision.text, revision.file, revision.format).plan
    except InputError:  # of another version of this program; a session can be cancelled all the same
        return Redactor()
    return Redactor.of(plan.settings.get("secrets", ()), os.environ)


def masked(state: State, text: str) -> str:
    """What somebody says, as it may be written."""
    return redactor_of(state).text(text) if text else text
