"""The claims of a fold: work that has begun, is reported on, and is judged.

A claim is begun with the number of the attempt that it is, it is reported on once, it is judged only then, and what was
reported does not lapse. A report or a verdict on a claim that is over is no event: it is a ``ReportRefused``.
"""

from __future__ import annotations

from petri_cli.session.events import (
    Approved,
    Claimed,
    Lapsed,
    Refused,
    Reported,
    Revoked,
    SessionEvent,
    Verified,
    WorkStarted,
)
from petri_cli.session.fold_tokens import ByPlace, check_no_units, misfit, put, put_back, take
from petri_cli.session.state import Attempts, Claim, State


def claim_of(state: State, event: SessionEvent, claim: str) -> Claim:
    found = state.claims.get(claim)
    if found is None:
        raise misfit(state, event, f"there is no claim {claim}")
    return found


def begin(state: State, event: Claimed) -> None:
    if event.claim in state.claims:
        raise misfit(state, event, f"claim {event.claim} is there already")
    check_no_units(state, event, event.consumed)
    if not any(event.consumed.values()):
        raise misfit(state, event, "a claim takes a token")
    claim = Claim(
        event.claim,
        event.transition,
        event.task,
        event.thread,
        tuple(event.rounds),
        event.attempt,
        event.worker,
        event.driver,
        event.at,
        event.lease,
        event.expires,
        event.consumed,
    )
    tries = state.attempts.get(claim.work) or Attempts()
    if event.attempt != tries.begun + 1:
        raise misfit(state, event, f"attempt {tries.begun + 1} comes next, not {event.attempt}")
    take(state, event, event.consumed)
    state.claims[event.claim] = claim
    state.claims_made += 1
    tries.begun += 1
    tries.retry_at = None
    state.attempts[claim.work] = tries


def start(state: State, event: WorkStarted) -> None:
    claim = claim_of(state, event, event.claim)
    if claim.stage != "claimed":
        raise misfit(state, event, f"claim {claim.id} is {claim.stage} already")
    claim.stage, claim.process = "started", event.process


def report(state: State, event: Reported) -> None:
    claim = claim_of(state, event, event.claim)
    if claim.report is not None:
        raise misfit(state, event, f"claim {claim.id} was reported on already")
    claim.stage, claim.report = "reported", event


def approve(state: State, event: Approved) -> None:
    claim = claim_of(state, event, event.claim)
    _reported(state, event, claim)
    claim.approval, claim.approved_by, claim.note = event.approved, event.by, event.note


def verify(state: State, event: Verified) -> None:
    claim = claim_of(state, event, event.claim)
    report = _reported(state, event, claim)
    if claim.approval is False:
        raise misfit(state, event, f"{claim.approved_by or 'somebody'} has not approved of claim {claim.id}")
    check_no_units(state, event, event.produced)
    del state.claims[claim.id]
    put(state, event.produced)
    state.attempts.pop(claim.work, None)
    state.results.setdefault(claim.task, {})[claim.thread] = report.output
    if report.output is None and "output" in report.files:
        state.in_files.setdefault(claim.task, {})[claim.thread] = report.files["output"]
    elif claim.thread in state.in_files.get(claim.task, ()):
        del state.in_files[claim.task][claim.thread]
    discover(state, claim.transition, claim.thread, event.produced)
    state.fired[claim.transition] = state.fired.get(claim.transition, 0) + 1


def burn(state: State, event: Refused | Lapsed) -> None:
    """The tokens return, and one attempt is gone."""
    claim = claim_of(state, event, event.claim)
    if isinstance(event, Refused):
        _reported(state, event, claim)
    elif claim.report is not None:
        raise misfit(state, event, f"claim {claim.id} was reported on: it is to be judged")
    del state.claims[claim.id]
    put_back(state, claim.consumed)
    tries = state.attempts[claim.work]
    tries.burnt += 1
    tries.retry_at, tries.reason = event.retry_at, event.reason


def revoke(state: State, event: Revoked) -> None:
    """The tokens return, as if it had not begun."""
    claim = claim_of(state, event, event.claim)
    del state.claims[claim.id]
    put_back(state, claim.consumed)
    tries = state.attempts[claim.work]
    tries.begun -= 1
    if not tries.begun:
        del state.attempts[claim.work]


def discover(state: State, transition: str, thread: str, produced: ByPlace) -> None:
    """How many items a foreach has, once they are known."""
    head, _, part = transition.rpartition(".")
    if part == "discover" and head.startswith("t.foreach."):
        foreach = head.removeprefix("t.foreach.")
        state.widths.setdefault(foreach, {})[thread] = len(produced.get(f"p.foreach.{foreach}.body", ()))


def _reported(state: State, event: SessionEvent, claim: Claim) -> Reported:
    if claim.report is None:
        raise misfit(state, event, f"nobody reported on claim {claim.id}")
    return claim.report
