"""The log of a session as an event log: who worked on what, how it went, and what that is as cases and activities.

A case is a session under one revision of its plan (and one item, if so asked); an activity is a task; an event is a
piece of work that its verifier passed. What was refused, lapsed or was taken back is no occurrence of the task: it is
evidence, and stays in the attempts.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from petri_cli.errors import PetriError
from petri_cli.mining.log import NO_TIME, NONE, Log, Times, log_of
from petri_cli.session.events import (
    Claimed,
    Ended,
    Lapsed,
    Refused,
    Reported,
    RevisionCommitted,
    Revoked,
    SessionCreated,
    SessionEvent,
    Verified,
    WorkStarted,
)

Outcome = Literal["verified", "refused", "lapsed", "revoked", "open"]

DISCOVERY = "foreach."
"""How the task of a claim begins that finds the items of a foreach: work, but no task of the plan."""


@dataclass(frozen=True, slots=True)
class Attempted:
    """One claim, from its beginning to its end. Times are ticks, None where it did not come to that.

    revision: under which it was claimed; thread and rounds: for which items, in which rounds of loops; attempt: from 1,
    of this piece of work; ended_under: the revision when it ended.
    """

    claim: str
    task: str
    transition: str
    revision: int
    attempt: int
    claimed: int
    thread: str = ""
    rounds: tuple[int, ...] = ()
    worker: str = ""
    started: int | None = None
    reported: int | None = None
    ended: int | None = None
    ended_under: int = 0
    outcome: Outcome = "open"
    reason: str = ""
    verifier: str = ""

    @property
    def burnt(self) -> bool:
        """Whether it counts against the budget of attempts."""
        return self.outcome in ("refused", "lapsed")

    @property
    def work(self) -> tuple[str, str, tuple[int, ...]]:
        """What is attempted: the same for all attempts at one piece of work."""
        return self.transition, self.thread, self.rounds


@dataclass(frozen=True, slots=True)
class History:
    """What a session's log says of its work.

    attempts: in the order in which they were claimed; verified: indices of those that passed, in the order in which
    they did; revisions: number → when it was committed; end: the state in which the session ended or rests, "" while it
    goes on.
    """

    session: str
    attempts: tuple[Attempted, ...]
    verified: tuple[int, ...]
    revisions: dict[int, int]
    end: str = ""


def history_of(session: str, events: Iterable[SessionEvent]) -> History:
    """Read a session's log once, in order. Raises PetriError PETRI_BAD_LOG for events of claims that nobody made."""
    attempts: list[Attempted] = []
    of: dict[str, int] = {}
    verified: list[int] = []
    revisions: dict[int, int] = {}
    revision, end = 0, ""
    for event in events:
        match event:
            case RevisionCommitted():
                revision, end = event.revision, ""
                revisions[revision] = event.at
            case Claimed():
                of[event.claim], end = len(attempts), ""
                attempts.append(_claimed(event, revision))
            case WorkStarted():
                k = _known(of, event.claim, event)
                attempts[k] = replace(attempts[k], started=event.at)
            case Reported():
                k = _known(of, event.claim, event)
                attempts[k] = replace(attempts[k], reported=event.at)
            case Verified() | Refused() | Lapsed() | Revoked():
                k = _known(of, event.claim, event)
                outcome, reason, verifier = _end(event)
                attempts[k] = replace(
                    attempts[k], ended=event.at, ended_under=revision, outcome=outcome, reason=reason, verifier=verifier
                )
                if outcome == "verified":
                    verified.append(k)
            case Ended():
                end = event.state
            case _:
                pass
    return History(session, tuple(attempts), tuple(verified), revisions, end)


def _known(of: dict[str, int], claim: str, event: SessionEvent) -> int:
    if claim not in of:
        raise PetriError("PETRI_BAD_LOG", f"{event.type} of claim {claim}, which nobody made before")
    return of[claim]


def histories_in(events: Iterable[SessionEvent]) -> list[History]:
    """Of several logs, one behind the other; each begins with its SessionCreated."""
    found: list[tuple[str, list[SessionEvent]]] = []
    for event in events:
        if isinstance(event, SessionCreated):
            found.append((event.name, []))
        elif not found:
            found.append(("", []))
        found[-1][1].append(event)
    return [history_of(session, own) for session, own in found]


def session_log(events: Iterable[SessionEvent], *, by_item: bool = False) -> Log:
    """The event log of sessions' logs, one behind the other: see :func:`history_log`."""
    return history_log(histories_in(events), by_item=by_item)


def history_log(histories: Iterable[History], *, by_item: bool = False) -> Log:
    """The event log of sessions: cases ``session@revision``, in order, and ``session@revision/item`` for the work of a
    foreach where ``by_item``. The revision is that under which the work was verified; the resource is the worker."""
    cases: dict[str, list[Attempted]] = {}
    for history in histories:
        for k in history.verified:
            attempt = history.attempts[k]
            if attempt.task.startswith(DISCOVERY):
                continue
            item = f"/{attempt.thread}" if by_item and attempt.thread else ""
            cases.setdefault(f"{history.session}@{attempt.ended_under}{item}", []).append(attempt)
    log = log_of([[a.task for a in trace] for trace in cases.values()], cases)
    return replace(log, times=_times([a for trace in cases.values() for a in trace]))


SUCCEEDED = "success"
"""The outcome of verified work, which is all that a log of sessions has."""


def _times(events: list[Attempted]) -> Times | None:
    if not events:
        return None
    ended = array("q", [NO_TIME if a.ended is None else a.ended for a in events])
    began = array("q", [a.claimed if a.started is None else a.started for a in events])
    workers: dict[str, int] = {}
    resource = array("i", [workers.setdefault(a.worker, len(workers)) if a.worker else NONE for a in events])
    outcome = array("i", [0]) * len(events)  # so that items of a foreach are not taken for attempts at one
    return Times(ended, began, resource if workers else None, tuple(workers), outcome, (SUCCEEDED,))


def _claimed(event: Claimed, revision: int) -> Attempted:
    return Attempted(
        event.claim, event.task, event.transition, revision, event.attempt, event.at,
        event.thread, event.rounds, event.worker,
    )  # fmt: skip


def _end(event: Verified | Refused | Lapsed | Revoked) -> tuple[Outcome, str, str]:
    """How the claim ended, why, and by whose judgement."""
    match event:
        case Verified():
            return "verified", "", event.verifier
        case Refused():
            return "refused", event.reason, event.verifier
        case Lapsed():
            return "lapsed", event.reason, ""
        case Revoked():
            return "revoked", event.reason, ""
