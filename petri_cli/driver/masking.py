"""What somebody says, as it may be written or shown: without what the plan of a session calls secret, as far as this
process knows it, or what looks like it.

The value of a secret is known to a process that has the variable. So what one writes that has it not may hold the
value, and whoever shows it, or writes it on, masks it once more. Names that others go by (of tasks, claims, places)
stay.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from copy import copy
from dataclasses import fields, replace
from typing import Any

from petri_cli.driver.course import Course
from petri_cli.driver.redact import Redactor
from petri_cli.engine.tokens import Token
from petri_cli.errors import InputError
from petri_cli.session.events import SessionEvent
from petri_cli.session.state import State
from petri_cli.session.store import Entry, EventStore

SAID = frozenset(
    (
        "by", "changes", "died", "error", "evidence", "message", "missing", "model", "note", "objective", "output",
        "reason", "why", "worker",
    )
)  # fmt: skip
"""Fields of events that hold what somebody said."""
TOKENS = frozenset(("consumed", "produced", "returned", "marking", "tokens", "moved"))
"""Fields that hold tokens, whose values are items. The log must agree on them, so they are only masked to be shown."""


def secret_names(state: State) -> tuple[str, ...]:
    """The environment variables that the plan of a session calls secret."""
    revision = state.plan
    if revision is None:
        return ()
    try:
        plan = Course.of(revision.text, revision.file, revision.format).plan
    except InputError:  # of another version of this program; a session can be cancelled all the same
        return ()
    return tuple(plan.settings.get("secrets", ()))


def redactor_of(state: State) -> Redactor:
    """Of what the plan calls secret, and of what looks like it."""
    return Redactor.of(secret_names(state), os.environ)


def unset_secrets(state: State) -> tuple[str, ...]:
    """Secrets of the plan whose values this process does not have, so that it cannot mask them."""
    return tuple(name for name in secret_names(state) if not os.environ.get(name))


def masked(state: State, text: str) -> str:
    """What somebody says, as it may be written."""
    return redactor_of(state).text(text) if text else text


def masked_event(event: SessionEvent, redactor: Redactor, *, tokens: bool = False) -> SessionEvent:
    """``event`` as it may be written (or, with its ``tokens``, shown)."""
    changed: dict[str, Any] = {}
    for field in fields(event):
        value = getattr(event, field.name)
        if not value:
            continue
        if field.name in SAID:
            new = redactor.text(value) if isinstance(value, str) else redactor.value(value)
            new = tuple(new) if isinstance(value, tuple) else new
        elif tokens and field.name in TOKENS:
            new = _tokens(value, redactor)
        else:
            continue
        if new != value:
            changed[field.name] = new
    return replace(event, **changed) if changed else event


def _tokens(value: Any, redactor: Redactor) -> Any:
    if isinstance(value, Token):
        return value if value.value is None else value._replace(value=redactor.value(value.value))
    if isinstance(value, dict):
        return {key: _tokens(part, redactor) for key, part in value.items()}
    return tuple(_tokens(part, redactor) for part in value)


def shown(state: State, entries: Iterable[Entry]) -> Iterator[Entry]:
    """``entries`` of a log, as they may be shown. state: of the session, with the plan that names its secrets."""
    redactor: Redactor | None = None
    for entry in entries:
        redactor = redactor or redactor_of(state)
        yield Entry(entry.seq, masked_event(entry.event, redactor, tokens=True)) if redactor.knows else entry


def shown_log(store: EventStore, session: str, after: int = 0, upto: int | None = None) -> Iterator[Entry]:
    """The events of a log, as they may be shown (see :meth:`petri_cli.session.store.EventStore.read`)."""
    entries = store.read(session, after, upto)
    first = next(entries, None)
    if first is not None:
        state = store.state(session)
        yield from shown(state, (first,))
        yield from shown(state, entries)


def shown_state(state: State) -> State:
    """A state of which all that is shown may be; of results and reports nothing is."""
    redactor = redactor_of(state)
    if not redactor.knows:
        return state
    say = redactor.text
    seen = copy(state)
    seen.why, seen.objective, seen.failed = say(state.why), say(state.objective), say(state.failed)
    seen.missing = tuple(map(say, state.missing))
    seen.attempts = {work: replace(tries, reason=say(tries.reason)) for work, tries in state.attempts.items()}
    seen.claims = {
        name: replace(c, worker=say(c.worker), approved_by=say(c.approved_by), note=say(c.note))
        for name, c in state.claims.items()
    }
    seen.repairs = {name: replace(r, why=say(r.why), by=say(r.by)) for name, r in state.repairs.items()}
    if state.driver is not None:
        seen.driver = replace(state.driver, worker=say(state.driver.worker))
    return seen
