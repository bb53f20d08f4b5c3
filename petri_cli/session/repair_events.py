"""The events of a repair: a change of the plan that is proposed where a session is dead, and what became of it.

The plan that a repair leads to is a revision like any other (``RevisionCommitted``): a repair only says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar


@dataclass(frozen=True, slots=True)
class RepairProposed:
    """A change of revision ``revision`` is proposed, since the session is dead.

    repair: unique in the session, ``r1``, ``r2``, …; kind: ``adaptive`` or ``llm``; died: what died, as
    ``{state, why, missing, deadlockExample}``, the last being place → tokens; text: the plan as it would be, whole,
    None where no plan came about; format and file: as of a revision; changes: those of an adaptive repair, each with
    its counted observation; verdict, evidence and message: the gate's word; fitness: how the plan before and the plan
    after tell what was done, ``{before, after, done}``; model: of a model's proposal, what it was asked, what it cost.
    """

    type: ClassVar[str] = "RepairProposed"
    at: int
    repair: str
    revision: int
    kind: str
    died: Mapping[str, Any]
    text: str | None = None
    format: str = "yaml"
    file: str = ""
    changes: tuple[Mapping[str, Any], ...] = ()
    verdict: str = ""
    evidence: str = ""
    message: str = ""
    fitness: Mapping[str, Any] = field(default_factory=dict)
    model: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RepairDecided:
    """A repair is accepted, or is not, and why. by: who said so, where a person did."""

    type: ClassVar[str] = "RepairDecided"
    at: int
    repair: str
    accepted: bool
    why: str = ""
    by: str = ""
