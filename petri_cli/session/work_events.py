"""The events of one piece of work: claimed, started, reported, judged, or given up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from petri_cli.engine.events import TokensByPlace
from petri_cli.session.event_parts import Process


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
