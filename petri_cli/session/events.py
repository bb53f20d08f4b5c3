"""What a session's log says: immutable events, in a total order, from which everything else is folded.

Times are store time in ticks (microseconds since 1970, never going back within a log). Tokens in an event are exactly
those that moved: a fold needs no net to know the marking. As text they are in :mod:`petri_cli.session.payload`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from petri_cli.engine.events import TokensByPlace
from petri_cli.engine.tokens import Token

NO_TOKENS: TokensByPlace = {}


@dataclass(frozen=True, slots=True)
class Timer:
    """Tokens that come to a place from outside at a time: a quota's units, the end of a loop's delay."""

    id: str
    due: int
    place: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Process:
    """A process that can be told from another one with the same number: where, which boot, started when.

    start_time: as the system counts it (clock ticks since boot on Linux); group: its process group, 0 for none;
    namespace: of its number, "" where there is only one (see :mod:`petri_cli.session.identity`).
    """

    pid: int
    start_time: int
    boot_id: str
    host: str
    group: int = 0
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Holding:
    """Units of resources (by place) that a guard's block holds for a thread; transition: the one that took them."""

    transition: str
    thread: str
    since: int
    units: Mapping[str, int]


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
class Claimed:
    """A piece of work was begun: its tokens are reserved under a lease.

    claim: unique in the session, its idempotency key; transition: ``t.<task>``, or the discovery of a foreach; task: id
    of the task (``foreach.<id>`` for a discovery), under which its result is kept; thread: name of the token, the path
    of its foreach items; rounds: of the loops around; attempt: from 1, of this piece of work; lease: ticks; expires:
    when the lease ends if no heartbeat comes; driver: of which the claim is local, "" for a pull worker's.
    """

    type: ClassVar[str] = "Claimed"
    at: int
    claim: str
    transition: str
    task: str
    consumed: TokensByPlace
    attempt: int
    lease: int
    expires: int
    thread: str = ""
    rounds: tuple[int, ...] = ()
    worker: str = ""
    driver: str = ""


@dataclass(frozen=True, slots=True)
class WorkStarted:
    """The process that does the work exists; nothing of the work has happened before this was in the log."""

    type: ClassVar[str] = "WorkStarted"
    at: int
    claim: str
    process: Process


@dataclass(frozen=True, slots=True)
class Heartbeat:
    """The worker is alive: the lease ends later."""

    type: ClassVar[str] = "Heartbeat"
    at: int
    claim: str
    expires: int


@dataclass(frozen=True, slots=True)
class Reported:
    """What the worker declares. It moves nothing.

    output: the result, or None where it is only in a file; status: exit status where the driver saw one (negative: a
    signal); files: ``stdout``, ``stderr``, ``output``, … → ``{path, size, sha256, cut?}``; error: why there is no
    result.
    """

    type: ClassVar[str] = "Reported"
    at: int
    claim: str
    output: Any = None
    status: int | None = None
    files: Mapping[str, Any] = field(default_factory=dict)
    error: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True)
class ReportRefused:
    """A report that changes nothing: its claim has lapsed, was revoked, or is done."""

    type: ClassVar[str] = "ReportRefused"
    at: int
    claim: str
    why: str
    output: Any = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class Approved:
    """A person's word on a claim whose verifier asks for one."""

    type: ClassVar[str] = "Approved"
    at: int
    claim: str
    approved: bool
    by: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Verified:
    """The verifier passed the work: its tokens go on, its result counts."""

    type: ClassVar[str] = "Verified"
    at: int
    claim: str
    produced: TokensByPlace
    verifier: str = ""
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """The verifier did not pass the work: the tokens return, one attempt is burnt."""

    type: ClassVar[str] = "Refused"
    at: int
    claim: str
    reason: str
    verifier: str = ""
    retry_at: int | None = None
    evidence: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Lapsed:
    """The lease ended, or the claim's driver died: the tokens return, one attempt is burnt."""

    type: ClassVar[str] = "Lapsed"
    at: int
    claim: str
    reason: str
    retry_at: int | None = None


@dataclass(frozen=True, slots=True)
class Revoked:
    """The claim was taken back (a cancelled session, a new revision): the tokens return, no attempt is burnt."""

    type: ClassVar[str] = "Revoked"
    at: int
    claim: str
    reason: str


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
)

EVENT_TYPES: dict[str, type[SessionEvent]] = {
    kind.type: kind
    for kind in (
        SessionCreated, RevisionCommitted, DriverStarted, DriverEnded, Fired, FiringFailed, Claimed, WorkStarted,
        Heartbeat, Reported, ReportRefused, Approved, Verified, Refused, Lapsed, Revoked, Injected, Ended, Noted,
    )
}  # fmt: skip
