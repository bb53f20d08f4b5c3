"""What a session's log says: immutable events, in a total order, from which everything else is folded.

Times are store time in ticks (microseconds since 1970, never going back within a log). Tokens in an event are exactly
those that moved: a fold needs no net to know the marking. As text they are in :mod:`petri_cli.session.payload`; those
about a piece of work are in :mod:`petri_cli.session.work_events`, those about a repair in
:mod:`petri_cli.session.repair_events`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from petri_cli.engine.events import TokensByPlace
from petri_cli.engine.tokens import Token
from petri_cli.session.event_parts import Holding, Process, Timer
from petri_cli.session.repair_events import RepairDecided, RepairProposed
from petri_cli.session.work_events import (
    Approved,
    Claimed,
    Heartbeat,
    Lapsed,
    Refused,
    Reported,
    ReportRefused,
    Revoked,
    Verified,
    WorkStarted,
)

__all__ = [
    "EVENT_TYPES", "NO_TOKENS", "Approved", "Claimed", "DriverEnded", "DriverStarted", "Ended", "Fired", "FiringFailed",
    "Heartbeat", "Holding", "Injected", "Lapsed", "Noted", "Process", "Refused", "RepairDecided", "RepairProposed",
    "ReportRefused", "Reported", "RevisionCommitted", "Revoked", "SessionCreated", "SessionEvent", "Timer", "Verified",
    "WorkStarted",
]  # fmt: skip

NO_TOKENS: TokensByPlace = {}


@dataclass(frozen=True, slots=True)
class SessionCreated:
    """A session was opened; ``petri`` is the version of the program that did it."""

    type: ClassVar[str] = "SessionCreated"
    at: int
    name: str
    objective: str = ""
    petri: str = ""


@dataclass(frozen=True, slots=True)
class RevisionCommitted:
    """A plan passed the gate and is from now on what is executed, from ``marking`` on.

    text: the document, whole; format: ``yaml`` or ``json``; hash: SHA-256 of the text; file: what it was called;
    verdict and evidence: what the gate found; accepted_unknown: committed in spite of an UNKNOWN; marking: the tokens
    of the new revision, in which done work is done; kept: ``task`` → threads whose results stay; moved: claim → the
    tokens that it reserves from now on, for claims that go on under this revision; changed: transitions whose work is
    another one now, or is gone: attempts at it are forgotten; holdings and timers: those of the
    new marking.
    """

    type: ClassVar[str] = "RevisionCommitted"
    at: int
    revision: int
    format: str
    text: str
    hash: str
    marking: TokensByPlace
    file: str = ""
    verdict: str = "SOUND"
    evidence: Mapping[str, Any] = field(default_factory=dict)
    accepted_unknown: bool = False
    kept: Mapping[str, list[str]] = field(default_factory=dict)
    moved: Mapping[str, TokensByPlace] = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    holdings: tuple[Holding, ...] = ()
    timers: tuple[Timer, ...] = ()
    by: str = ""


@dataclass(frozen=True, slots=True)
class DriverStarted:
    """A driver took the session. There is one at a time; it is gone when its process is."""

    type: ClassVar[str] = "DriverStarted"
    at: int
    driver: str
    process: Process
    worker: str = ""


@dataclass(frozen=True, slots=True)
class DriverEnded:
    """The driver let go of the session: ``why`` is ended, drained, closed or died (found dead by another one)."""

    type: ClassVar[str] = "DriverEnded"
    at: int
    driver: str
    why: str = "ended"


@dataclass(frozen=True, slots=True)
class Fired:
    """A control transition fired, at once. timers: what its firing brings about later; note: worth a person's look."""

    type: ClassVar[str] = "Fired"
    at: int
    transition: str
    consumed: TokensByPlace
    produced: TokensByPlace
    timers: tuple[Timer, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class FiringFailed:
    """A control transition could not do its part: an expression failed, a loop had all its rounds, too many items.

    Its tokens are gone. It fails the session.
    """

    type: ClassVar[str] = "FiringFailed"
    at: int
    transition: str
    consumed: TokensByPlace
    error: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Injected:
    """Tokens came from outside: a timer that was due, or an event somebody told the session of."""

    type: ClassVar[str] = "Injected"
    at: int
    place: str
    tokens: tuple[Token, ...]
    timer: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class Ended:
    """The session ended, or rests: completed, failed, cancelled, deadlocked or suspended.

    missing: what keeps a deadlocked one from going on, a sentence each; returned: units of resources that a cancelled
    session gives back. A suspended, failed or deadlocked session may go on; a completed or cancelled one never does.
    """

    type: ClassVar[str] = "Ended"
    at: int
    state: str
    why: str = ""
    missing: tuple[str, ...] = ()
    returned: TokensByPlace = field(default_factory=dict)
    by: str = ""


@dataclass(frozen=True, slots=True)
class Noted:
    """Something a person should know that changes nothing: a clock that jumped, a lock that was taken over."""

    type: ClassVar[str] = "Noted"
    at: int
    level: str
    message: str


SessionEvent = (
    SessionCreated
    | RevisionCommitted
    | DriverStarted
    | DriverEnded
    | Fired
    | FiringFailed
    | Claimed
    | WorkStarted
    | Heartbeat
    | Reported
    | ReportRefused
    | Approved
    | Verified
    | Refused
    | Lapsed
    | Revoked
    | Injected
    | Ended
    | Noted
    | RepairProposed
    | RepairDecided
)

EVENT_TYPES: dict[str, type[SessionEvent]] = {
    kind.type: kind
    for kind in (
        SessionCreated, RevisionCommitted, DriverStarted, DriverEnded, Fired, FiringFailed, Claimed, WorkStarted,
        Heartbeat, Reported, ReportRefused, Approved, Verified, Refused, Lapsed, Revoked, Injected, Ended, Noted,
        RepairProposed, RepairDecided,
    )
}  # fmt: skip
