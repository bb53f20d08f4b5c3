"""What the gate answers: a verdict, what it rests on, and for UNSOUND the state it would have died in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING

from petri_cli.errors import Position, Problem

if TYPE_CHECKING:  # a sound plan is judged without a net
    from petri_cli.net.firing import Step
    from petri_cli.net.model import Net


class Verdict(Enum):
    """SOUND is a proof, UNSOUND a replayable counterexample, UNKNOWN a budget that ran out."""

    SOUND = "SOUND"
    UNSOUND = "UNSOUND"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class Budget:
    """How far a search may go before the answer is UNKNOWN. ``seconds`` is wall time for one file, ``max_bytes`` what
    the states of one search may take up in memory."""

    max_states: int = 1_000_000
    seconds: float = 30.0
    max_bytes: int = 2_000_000_000


@dataclass(frozen=True, slots=True)
class Held:
    """Units of a resource that a waiting part of a plan holds, taken at ``step`` (1-based index into the run)."""

    resource: str
    units: int
    guard: str
    step: int
    where: Position


@dataclass(frozen=True, slots=True)
class Wait:
    """One participant of a deadlock: ``who`` holds some units and waits for others.

    who: the task that would run next in this branch (foreach items as ``task[2]``); transition: the disabled acquire;
    resource: what is short; needs / free: units asked for and units left; holders: guards that hold ``resource``.
    """

    who: str
    place: str
    transition: str
    guard: str
    resource: str
    needs: int
    free: int
    holds: tuple[Held, ...]
    where: Position
    holders: tuple[str, ...] = ()
    """Participants (``who``) that hold units of ``resource``."""
    guard_node: int = -1
    """Index of the waiting guard in the plan."""


@dataclass(frozen=True, slots=True)
class Lane:
    """One branch of a run as a person reads it: the steps it takes, as (1-based step number, transition id)."""

    name: str
    steps: tuple[tuple[int, str], ...]


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A run of ``net`` from its initial marking to ``marking``, replayed by the plain firing rule before it is shown.

    kind: ``deadlock`` (dead, not final), ``cannotComplete`` (the final marking is out of reach, though steps remain),
    ``improperCompletion`` (the end is marked beside leftovers), ``deadTransition`` (``run`` empty: no run fires it),
    ``unbounded`` (``pump`` can be repeated for ever, adding tokens), ``property`` (a declared property is violated).
    """

    kind: str
    net: Net
    run: tuple[Step, ...]
    marking: Mapping[str, int]
    sentence: str
    shortest: bool = False
    """No shorter run reaches such a marking."""
    waits: tuple[Wait, ...] = ()
    lanes: tuple[Lane, ...] = ()
    told: tuple[str, ...] = ()
    """For a plan, each step of the run in its words: «build takes runner». Empty for nets."""
    pump: tuple[Step, ...] = ()
    subject: str = ""
    """The transition, place or property the counterexample is about, where there is one."""
    minimal: bool = True
    """No step of the run can be left out. False: some may be, which was not worked out."""
    widths: Mapping[str, int] = field(default_factory=dict)
    """For a plan, how many items each foreach has in ``net``; literal lists, which have what they have, left out."""


@dataclass(frozen=True, slots=True)
class Counts:
    """Reachable markings of the analysis net: how many are dead, and how many can no longer reach the final one."""

    deadlocks: int
    doomed: int
    exact: bool
    """False: at least so many."""
    dead_transitions: tuple[str, ...] | None = None
    """Transitions that no run fires; None when not enumerated."""


@dataclass(frozen=True, slots=True)
class Condition:
    """One of the three conditions, or a declared property: holds (True), violated (False) or open (None)."""

    name: str
    holds: bool | None
    detail: str = ""
    counterexample: Counterexample | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """A prover that was asked: ``seconds`` it took (0 without a clock) and what it came to, in a few words."""

    prover: str
    seconds: float
    outcome: str


@dataclass(frozen=True, slots=True)
class Result:
    """The gate's answer about one plan or net."""

    verdict: Verdict
    evidence: str
    """How it was decided, e.g. ``lock-order``, ``exhaustive: 1,204 states``, ``counterexample``."""
    code: str = ""
    """``PETRI_UNSOUND_PLAN``, ``PETRI_UNSOUND_NET``, ``PETRI_UNKNOWN`` …; empty when SOUND."""
    message: str = ""
    conditions: tuple[Condition, ...] = ()
    assumptions: tuple[str, ...] = ()
    """What the verdict rests on: for UNSOUND and UNKNOWN only where the net was taken to mean more than it says."""
    counterexample: Counterexample | None = None
    smallest_width: Mapping[str, int] = field(default_factory=dict)
    """foreach id → smallest width that deadlocks."""
    smallest_capacity: Mapping[str, int | None] = field(default_factory=dict)
    """resource id → smallest capacity that, raised alone, makes the plan sound; None: it is proved that none does. A
    resource for which that is open is left out."""
    counts: Counts | None = None
    stats: Mapping[str, int | float] = field(default_factory=dict)
    warnings: tuple[Problem, ...] = ()
    detail: tuple[str, ...] = ()
    """Evidence in words, e.g. the lock order found."""
    tried: tuple[Attempt, ...] = ()
    """The provers that were asked, in order, the one that decided last."""

    @property
    def sound(self) -> bool:
        """Whether the verdict is SOUND: neither UNSOUND nor UNKNOWN may pass a gate."""
        return self.verdict is Verdict.SOUND


SOUND_ASSUMPTIONS = (
    "every attempt of a task eventually passes verification",
    "choices are fair",
    "timing and priority are ignored",
)
