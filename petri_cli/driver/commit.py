"""A plan becomes the next revision of a session: behind the gate, by compare and set, whole or not at all."""

from __future__ import annotations

import os
from dataclasses import dataclass

from petri_cli.document.source import text_of
from petri_cli.driver.carry import Carried, carry
from petri_cli.driver.course import Course
from petri_cli.driver.masking import masked_event
from petri_cli.driver.redact import Redactor
from petri_cli.driver.takeover import why_dead
from petri_cli.driver.threads import called
from petri_cli.driver.workability import workability
from petri_cli.engine.tokens import Token
from petri_cli.errors import InputError, PetriError
from petri_cli.plan.lower import Lowered, lower_execution
from petri_cli.plan.model import Plan
from petri_cli.session.events import RevisionCommitted, Revoked, SessionEvent
from petri_cli.session.fold import apply, caught_up
from petri_cli.session.identity import alive
from petri_cli.session.naming import id_like
from petri_cli.session.plan_text import plan_hash
from petri_cli.session.state import State
from petri_cli.session.store import EventStore, Writing
from petri_cli.soundness.result import Result, Verdict


@dataclass(frozen=True, slots=True)
class Document:
    """A plan as it was written: its text and what the file is called (the ending says JSON or YAML)."""

    text: str
    file: str

    @classmethod
    def of(cls, data: bytes, file: str) -> Document:
        """The document in ``data``. Raises InputError when it is no text that may be a plan's."""
        return cls(text_of(data, file), file)

    @property
    def format(self) -> str:
        return "json" if self.file.lower().endswith(".json") or self.text.lstrip()[:1] in ("{", "[") else "yaml"

    @property
    def hash(self) -> str:
        return plan_hash(self.text)


@dataclass(frozen=True, slots=True)
class Committed:
    """What was committed, and how much of the work before it goes on."""

    session: str
    revision: int
    seq: int
    kept: int
    """Pieces of work that stay done."""
    moved: int
    """Claims that go on."""
    revoked: tuple[str, ...] = ()
    unchanged: bool = False
    """It is the revision that was there: nothing was written."""
    again: tuple[str, ...] = ()
    """Work that was done and is not kept, since its task is another one now, or is gone."""


def plan_of(text: str, form: str, file: str) -> Plan:
    """The plan of a revision, read again."""
    return Course.of(text, file, form).plan


def check_verdict(result: Result, *, accept_unknown: bool = False) -> None:
    """Refuse what the gate did not let through. Raises PetriError with the gate's own code and message."""
    if result.verdict is Verdict.UNSOUND or (result.verdict is Verdict.UNKNOWN and not accept_unknown):
        hint = "" if result.verdict is Verdict.UNSOUND else "give it more time, or say --accept-unknown"
        raise PetriError(result.code, result.message.removeprefix(f"{result.code}: "), hint=hint)


def check_workable(plan: Plan) -> None:
    """Refuse a plan that could not be worked on, sound or not. Raises InputError."""
    problems = workability(plan)
    if problems:
        raise InputError(p if p.where.file else p.in_file(plan.file) for p in problems)


def commit(
    store: EventStore,
    session: str | None,
    document: Document,
    plan: Plan,
    result: Result,
    *,
    accept_unknown: bool = False,
    expect_revision: int | None = None,
    revoke: bool = False,
    alone: bool = False,
    take_over: bool = False,
    by: str = "",
) -> Committed:
    """Append ``plan``, which ``result`` is the verdict on, as the next revision of ``session``; without one, as the
    first of a session that is opened now and is called like the plan.

    expect_revision: refuse when the session is at another one; revoke: take back claims that are in the way; alone:
    refuse while a driver may live; take_over: not where that cannot be seen. The text that is there already is no new
    revision. Raises PetriError: the gate's code, ``PETRI_REVISION_CONFLICT``, ``PETRI_SESSION_ENDED``,
    ``PETRI_SESSION_BUSY``, ``PETRI_REVISION_MISFIT``. Then nothing is written.
    """
    check_verdict(result, accept_unknown=accept_unknown)
    check_workable(plan)
    lowered = lower_execution(plan)
    if session is None:
        _check_revision("a session that is opened now", 0, expect_revision)
        session = store.create(id_like(plan.name), plan.objective)
    with store.writing(session) as writing:
        state = caught_up(store.state(session), writing)
        _check_session(session, state, expect_revision)
        if alone and state.driver is not None:
            why_dead(session, state, writing.now(), alive, take_over=take_over)
        if _is_there(document, result, state) and not (revoke and state.claims):
            return Committed(session, state.revision, state.seq, 0, 0, unchanged=True)
        now = writing.now()
        revoked: list[SessionEvent] = []
        if revoke:
            revoked = [Revoked(now, c, "a new revision was committed") for c in state.claims]
        for event in revoked:
            apply(state, event)
        carried = _begin(store, session, writing, state, revoked, plan, lowered, now)
        committed = RevisionCommitted(
            now,
            state.revision + 1,
            document.format,
            document.text,
            document.hash,
            carried.marking,
            document.file,
            result.verdict.value,
            {"by": result.evidence, **({"detail": list(result.detail)} if result.detail else {})},
            result.verdict is Verdict.UNKNOWN,
            carried.kept,
            carried.moved,
            carried.changed,
            carried.holdings,
            carried.timers,
            by,
        )
        redactor = Redactor.of(plan.settings.get("secrets", ()), os.environ)
        seq = writing.append([*revoked, masked_event(committed, redactor, tokens=True)])
        again = _again(state, carried)
    kept = sum(len(threads) for threads in carried.kept.values())
    gone = tuple(e.claim for e in revoked if isinstance(e, Revoked))
    return Committed(session, committed.revision, seq, kept, len(carried.moved), gone, again=again)


def _again(state: State, carried: Carried) -> tuple[str, ...]:
    """Of the work that is done, what is not kept. state: before the revision."""
    kept = {task: frozenset(threads) for task, threads in carried.kept.items()}
    lost = [(t, thread) for t, by in state.results.items() for thread in by if thread not in kept.get(t, ())]
    return tuple(called(task, thread) for task, thread in lost)


def _is_there(document: Document, result: Result, state: State) -> bool:
    """Whether to commit it would change nothing. After a decision that failed, it has the decision made again."""
    plan = state.plan
    there = plan is not None and (plan.hash, plan.format, plan.verdict) == (
        *(document.hash, document.format, result.verdict.value),
    )
    return there and not state.failed


def _begin(
    store: EventStore,
    session: str,
    writing: Writing,
    state: State,
    revoked: list[SessionEvent],
    plan: Plan,
    lowered: Lowered,
    now: int,
) -> Carried:
    if not state.revision:
        marking = {p: (Token(None, now),) * n for p, n in lowered.net.initial.items() if n}
        return Carried(marking, {}, {})
    events = [entry.event for entry in store.read(session)]
    events += [entry.event for entry in writing.tail(len(events))]
    return carry([*events, *revoked], state, plan_of, plan, lowered, now)


def _check_session(session: str, state: State, expect_revision: int | None) -> None:
    if state.final:
        raise PetriError(
            "PETRI_SESSION_ENDED",
            f"session `{session}` is {state.ended}: nothing can be added to it",
            hint="petri run FILE opens another one",
        )
    _check_revision(f"session `{session}`", state.revision, expect_revision)


def _check_revision(who: str, revision: int, expected: int | None) -> None:
    if expected is None or expected == revision:
        return
    other = ": somebody else was first" if revision else ""
    hint = "look at the plan that is there (petri status), then say --expect-revision again"
    if not revision:
        hint = "say which one is meant: --session ID"
    raise PetriError("PETRI_REVISION_CONFLICT", f"{who} is at revision {revision}, not {expected}{other}", hint=hint)
