"""The state of a session: what :mod:`petri_cli.session.fold` makes of its events, and nothing else."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from petri_cli.engine.tokens import Token
from petri_cli.session.events import Holding, Process, Reported, Timer

EndState = Literal["completed", "failed", "cancelled", "deadlocked", "suspended"]
END_STATES: frozenset[str] = frozenset(get_args(EndState))
FINAL: frozenset[str] = frozenset({"completed", "cancelled"})
"""End states after which nothing ever happens again."""

RESOURCE = "r."
"""Ids of the places that hold the free units of a resource begin like this."""


@dataclass(slots=True)
class Revision:
    """A plan that was committed. seq: of its event; at: ticks."""

    number: int
    seq: int
    at: int
    format: str
    text: str
    hash: str
    file: str
    verdict: str
    evidence: Mapping[str, Any]
    accepted_unknown: bool


@dataclass(slots=True)
class Claim:
    """Work that has begun and is not adjudicated: its tokens are in ``consumed`` and nowhere else.

    stage: ``claimed`` (nothing of it has happened), ``started`` (its process exists), ``reported`` (a worker says it is
    done; a verifier is to say so); approval: what a person said; driver: "" for a pull worker's.
    """

    id: str
    transition: str
    task: str
    thread: str
    rounds: tuple[int, ...]
    attempt: int
    worker: str
    driver: str
    at: int
    lease: int
    expires: int
    consumed: Mapping[str, Sequence[Token]]
    stage: Literal["claimed", "started", "reported"] = "claimed"
    process: Process | None = None
    report: Reported | None = None
    approval: bool | None = None
    approved_by: str = ""
    note: str = ""

    @property
    def work(self) -> Work:
        return self.transition, self.thread, self.rounds


Work = tuple[str, str, tuple[int, ...]]
"""A piece of work that attempts are counted of: (transition, thread, rounds of the loops around)."""


@dataclass(slots=True)
class Attempts:
    """Attempts at one piece of work, as long as none has passed."""

    begun: int = 0
    burnt: int = 0
    """Refused or lapsed; a revoked claim burns none."""
    retry_at: int | None = None
    reason: str = ""
    """Why the last one was burnt."""


@dataclass(slots=True)
class Driver:
    id: str
    process: Process
    worker: str
    since: int


@dataclass(slots=True)
class Repair:
    """A repair that was proposed for revision ``revision``, in event ``seq``. complete: it came with a plan that passed
    the gate; accepted: None while nobody has decided."""

    id: str
    kind: str
    revision: int
    seq: int
    at: int
    complete: bool
    accepted: bool | None = None
    why: str = ""
    by: str = ""


@dataclass(slots=True)
class State:
    """Everything there is to know of a session after event ``seq`` (0: none yet). Times in ticks.

    marking: place → tokens, oldest first, without empty places; claims: by id, oldest first; attempts: of work that has
    not passed yet; results: task → thread → the latest result; in_files: likewise ``{path, size, sha256}``, where the
    result is only in a file; holdings: (guard's acquire transition, thread) → what it holds; fired: transition → how
    often it produced; widths: foreach → thread around it → items last discovered; failed: why a control transition
    failed, if one did; repairs: by id, oldest first.
    """

    seq: int = 0
    at: int = 0
    name: str = ""
    objective: str = ""
    created_at: int = 0
    revisions: list[Revision] = field(default_factory=list)
    marking: dict[str, deque[Token]] = field(default_factory=dict)
    claims: dict[str, Claim] = field(default_factory=dict)
    attempts: dict[Work, Attempts] = field(default_factory=dict)
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    in_files: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    timers: dict[str, Timer] = field(default_factory=dict)
    holdings: dict[tuple[str, str], Holding] = field(default_factory=dict)
    fired: dict[str, int] = field(default_factory=dict)
    widths: dict[str, dict[str, int]] = field(default_factory=dict)
    driver: Driver | None = None
    ended: EndState | None = None
    why: str = ""
    missing: tuple[str, ...] = ()
    failed: str = ""
    claims_made: int = 0
    repairs: dict[str, Repair] = field(default_factory=dict)

    @property
    def revision(self) -> int:
        """Number of the plan that is executed; 0: none was committed yet."""
        return self.revisions[-1].number if self.revisions else 0

    @property
    def plan(self) -> Revision | None:
        return self.revisions[-1] if self.revisions else None

    @property
    def repair(self) -> Repair | None:
        """The latest repair of the revision that there is, unless it was turned down."""
        latest = next(reversed(self.repairs.values()), None)
        return (
            latest if latest is not None and latest.revision == self.revision and latest.accepted is not False else None
        )

    @property
    def final(self) -> bool:
        """Whether nothing may be appended any more but late reports."""
        return self.ended in FINAL

    def free(self, resource: str) -> int:
        return len(self.marking.get(RESOURCE + resource, ()))

    def held(self, resource: str) -> int:
        """Units that blocks hold, or that are on their way back by time: with the free ones, all that there are."""
        place = RESOURCE + resource
        by_blocks = sum(h.units.get(place, 0) for h in self.holdings.values())
        return by_blocks + sum(len(t.tokens) for t in self.timers.values() if t.place == place)
