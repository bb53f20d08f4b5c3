"""What the tools do: each is a walk through the functions that the command of its name calls, and answers with data.

All of them raise PetriError for what is wrong with a call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from petri_cli.api import Analysis, analyze_data
from petri_cli.errors import InputError, PetriError
from petri_cli.mcp.schemas import SECONDS
from petri_cli.mcp.workspace import Workspace, Written, given
from petri_cli.soundness.result import Budget

Arguments = Mapping[str, Any]
MAX_STATES = 1_000_000


class Refused(PetriError):
    """A plan that the gate refused; ``analysis`` says why, as ``petri_analyze`` says it."""

    def __init__(self, error: PetriError, analysis: Mapping[str, Any]) -> None:
        super().__init__(error.code, error.message, where=error.where, hint=error.hint)
        self.analysis = analysis


def create(at: Workspace, a: Arguments) -> dict[str, Any]:
    with at.sessions(create=True) as store:
        return {"session": store.create(a.get("name", "session"), a.get("objective", ""))}


def analyze(at: Workspace, a: Arguments) -> dict[str, Any]:
    return _data(_judged(at.written(a), a))


def plan(at: Workspace, a: Arguments) -> dict[str, Any]:
    from petri_cli.driver.commit import Document, commit
    from petri_cli.plan.model import Plan
    from petri_cli.soundness.result import Verdict

    written = at.written(a)
    judged = _judged(written, a)
    if judged.result is None:
        raise Refused(InputError(judged.problems), _data(judged))
    if not isinstance(judged.subject, Plan):
        raise PetriError(
            "PETRI_NOT_A_PLAN", "a session works on a plan, this is a net", hint="petri run FILE runs a net"
        )
    result, accepted = judged.result, bool(a.get("acceptUnknown"))
    if not (result.sound or (accepted and result.verdict is Verdict.UNKNOWN)):
        hint = "repair the plan: `fixes` and `counterexample` of the analysis say how" if result.counterexample else ""
        raise Refused(PetriError(result.code, result.message, hint=hint), _data(judged))
    with at.sessions(create=True) as store:
        done = commit(
            store,
            a.get("session"),
            Document.of(written.data, written.name),
            judged.subject,
            result,
            accept_unknown=accepted,
            expect_revision=a.get("expectRevision"),
            revoke=bool(a.get("revoke")),
        )
    return {
        "session": done.session,
        "revision": done.revision,
        "unchanged": done.unchanged,
        "kept": done.kept,
        "claimsGoOn": done.moved,
        "takenBack": list(done.revoked),
        "analysis": _data(judged),
    }


def status(at: Workspace, a: Arguments) -> dict[str, Any]:
    from petri_cli.cli.store import session_of
    from petri_cli.driver.status import status_of
    from petri_cli.render.status_json import status_data
    from petri_cli.session.clock import wall_clock
    from petri_cli.session.identity import alive

    with at.sessions() as store:
        session = session_of(store, a.get("session"), latest=True)
        upto, last = a.get("at"), store.last(session)
        if upto is not None and upto > last:
            raise PetriError("PETRI_BAD_TIME", f"the log of {session} has the events 1 to {last}, not {upto}")
        state = store.state(session, upto)
        known: bool | None = state.driver is not None or None
        now = state.at
        if upto is None:
            known, now = None if state.driver is None else alive(state.driver.process), wall_clock()
        history = (
            list(store.read(session, max(0, state.seq - a.get("events", 0)), state.seq)) if a.get("events") else None
        )
        return status_data(status_of(session, state, now=now, alive=known), history)


def insights(at: Workspace, a: Arguments) -> dict[str, Any]:
    from petri_cli.cli.insights import until
    from petri_cli.cli.store import session_of
    from petri_cli.driver.conformance import conformance
    from petri_cli.driver.insights import Candidate
    from petri_cli.driver.insights import insights as look_into
    from petri_cli.plan.model import Plan
    from petri_cli.render.insights import insights_data

    seconds = a.get("timeoutSeconds", SECONDS["default"])
    with at.sessions() as store:
        session = session_of(store, a.get("session"))
        found = look_into(store, session, store.sessions() if a.get("allSessions") else None, deadline=until(seconds))
    other = None
    if "candidate" in a:
        judged = _judged(given(a["candidate"], "candidate"), a)
        if judged.result is None:
            raise InputError(judged.problems)
        if not isinstance(judged.subject, Plan):
            raise PetriError("PETRI_NOT_A_PLAN", "the candidate is a net, not a plan")
        fit = conformance(judged.subject, found.past, deadline=until(seconds))
        other = Candidate(judged.file, judged.subject, judged.result, fit)
    return insights_data(found, other)


def cancel(at: Workspace, a: Arguments) -> dict[str, Any]:
    import asyncio

    from petri_cli.cli.store import user
    from petri_cli.driver import external

    with at.sessions() as store:
        store.last(a["session"])  # there must be such a session
        asyncio.run(external.cancel(store, a["session"], by=user(None), why=a.get("why") or "cancelled"))
    return {"session": a["session"], "state": "cancelled"}


def claim(at: Workspace, a: Arguments) -> dict[str, Any]:
    from petri_cli.cli.store import session_of, user
    from petri_cli.driver import external

    with at.sessions() as store:
        session = session_of(store, a.get("session"))
        taken = external.claim(store, session, user(a.get("worker")), task=a.get("task"), lease=a.get("leaseSeconds"))
    if taken is None:
        return {"session": session, "claim": None, "attempt": None, "leaseSeconds": None, "work": None}
    return {
        "session": session,
        "claim": taken.claim,
        "attempt": taken.attempt,
        "leaseSeconds": taken.lease,
        "work": dict(taken.task),
    }


def report(at: Workspace, a: Arguments) -> dict[str, Any]:
    from petri_cli.cli.store import session_of, work_folder
    from petri_cli.driver import external

    with at.sessions() as store:
        session = session_of(store, a.get("session"))
        external.report(
            store,
            session,
            a["claim"],
            output=a.get("output"),
            error=a.get("error", ""),
            worker=a.get("worker", ""),
            folder=work_folder(at.store),
        )
    return {"session": session, "claim": a["claim"], "recorded": True}


def _judged(written: Written, a: Arguments) -> Analysis:
    from petri_cli.soundness.fixes import KINDS

    budget = Budget(MAX_STATES, a.get("timeoutSeconds", SECONDS["default"]))
    return analyze_data(written.data, written.name, budget=budget, fixes=KINDS if a.get("fixes", True) else ())


def _data(judged: Analysis) -> dict[str, Any]:
    from petri_cli.render.json_report import result_data

    return result_data(judged)
