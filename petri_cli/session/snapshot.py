"""Snapshots: states kept as caches. One may be dropped at any time; the fold of the log is the truth.

A snapshot says which fold it is of. One by another fold, a damaged one, or one that is not of the event it is filed
under counts as none.
"""

from __future__ import annotations

import json
import zlib
from collections import deque
from collections.abc import Iterable
from dataclasses import fields
from typing import Any

from petri_cli.engine.tokens import Token
from petri_cli.errors import PetriError
from petri_cli.session.events import Holding, Process, Reported, Timer
from petri_cli.session.fold import FOLD_VERSION
from petri_cli.session.payload import (
    event_from_json,
    event_to_json,
    holding_from_json,
    holding_to_json,
    process_from_json,
    process_to_json,
    timer_from_json,
    timer_to_json,
    tokens_from_json,
    tokens_to_json,
)
from petri_cli.session.state import Attempts, Claim, Driver, Repair, Revision, State

SHAPES = (State, Claim, Attempts, Revision, Repair, Driver, Holding, Process, Timer, Reported)
FOLD = f"{FOLD_VERSION}.1 {zlib.crc32(repr([[f.name for f in fields(kind)] for kind in SHAPES]).encode()):08x}"
"""Which fold a state is of: its version and that of the text here, and the shape of what it makes, so that a field that
was added is noticed even where the version was forgotten."""

LEAST_EVENTS = 1_000
"""Between two snapshots: about 20 ms of folding."""
BYTES_AN_EVENT = 500
"""What snapshots may cost, written per event of the log: about twice the event itself."""


def due(seq: int, taken: int, size: int) -> bool:
    """Whether a state of event ``seq`` is worth a snapshot, the last one being of event ``taken``, ``size`` bytes long.

    Every n events; n grows with the size of the state, so that what snapshots cost stays in proportion to the log.
    """
    return seq - taken >= max(LEAST_EVENTS, size // BYTES_AN_EVENT)


def thin(seqs: Iterable[int]) -> list[int]:
    """Of snapshots at ``seqs`` those to drop: older ones are kept further apart, the further back they are.

    Two at most, the outermost ones, are kept in each span of distances from the latest, [2^k, 2^(k+1)). So an event is
    never much further from a snapshot before it than from the end of the log; of a thousand, some twenty are kept.
    """
    latest, *older = sorted(seqs, reverse=True)
    spans: dict[int, list[int]] = {}
    for seq in older:
        spans.setdefault((latest - seq).bit_length(), []).append(seq)
    return [seq for span in spans.values() for seq in span[1:-1]]


def state_to_text(state: State) -> str:
    return json.dumps(state_to_json(state), ensure_ascii=True, separators=(",", ":"))


def state_from_text(text: str | bytes, seq: int) -> State | None:
    """The state of event ``seq`` that ``text`` keeps; None when it is of no use."""
    try:
        state = state_from_json(json.loads(text))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, PetriError):
        return None
    return state if state is not None and state.seq == seq else None


def state_to_json(state: State) -> dict[str, Any]:
    """Everything of the state. Keys that are no text are kept in lists, and so are tokens, of which there may be many:
    ``[value, createdAt, name]`` takes half the room and half the time of an object."""
    return {
        "fold": FOLD,
        "seq": state.seq,
        "at": state.at,
        "name": state.name,
        "objective": state.objective,
        "createdAt": state.created_at,
        "revisions": [_revision_to_json(r) for r in state.revisions],
        "marking": {p: list(ts) for p, ts in state.marking.items()},
        "claims": [_claim_to_json(c) for c in state.claims.values()],
        "attempts": [
            [t, thread, list(rounds), a.begun, a.burnt, a.retry_at, a.reason]
            for (t, thread, rounds), a in state.attempts.items()
        ],
        "results": state.results,
        "inFiles": state.in_files,
        "timers": [timer_to_json(t) for t in state.timers.values()],
        "holdings": [[*key, holding_to_json(h)] for key, h in state.holdings.items()],
        "fired": state.fired,
        "widths": state.widths,
        "driver": None if state.driver is None else _driver_to_json(state.driver),
        "ended": state.ended,
        "why": state.why,
        "missing": list(state.missing),
        "failed": state.failed,
        "claimsMade": state.claims_made,
        "repairs": [_repair_to_json(r) for r in state.repairs.values()],
    }


def state_from_json(data: dict[str, Any]) -> State | None:
    """The state that :func:`state_to_json` wrote; None when another version of the fold did."""
    if data["fold"] != FOLD:
        return None
    timers = [timer_from_json(t) for t in data["timers"]]
    return State(
        seq=data["seq"],
        at=data["at"],
        name=data["name"],
        objective=data["objective"],
        created_at=data["createdAt"],
        revisions=[Revision(*r) for r in data["revisions"]],
        marking={p: deque(map(Token._make, ts)) for p, ts in data["marking"].items()},
        claims={c["id"]: _claim_from_json(c) for c in data["claims"]},
        attempts={(t, thread, tuple(rounds)): Attempts(*a) for t, thread, rounds, *a in data["attempts"]},
        results=data["results"],
        in_files=data["inFiles"],
        timers={t.id: t for t in timers},
        holdings={(head, thread): holding_from_json(h) for head, thread, h in data["holdings"]},
        fired=data["fired"],
        widths=data["widths"],
        driver=None if data["driver"] is None else _driver_from_json(data["driver"]),
        ended=data["ended"],
        why=data["why"],
        missing=tuple(data["missing"]),
        failed=data["failed"],
        claims_made=data["claimsMade"],
        repairs={r[0]: Repair(*r) for r in data["repairs"]},
    )


def _revision_to_json(r: Revision) -> list[Any]:
    return [r.number, r.seq, r.at, r.format, r.text, r.hash, r.file, r.verdict, r.evidence, r.accepted_unknown]


def _repair_to_json(r: Repair) -> list[Any]:
    return [r.id, r.kind, r.revision, r.seq, r.at, r.complete, r.accepted, r.why, r.by]


def _driver_to_json(driver: Driver) -> list[Any]:
    return [driver.id, process_to_json(driver.process), driver.worker, driver.since]


def _driver_from_json(data: list[Any]) -> Driver:
    return Driver(data[0], process_from_json(data[1]), data[2], data[3])


_PLAIN = (
    "id", "transition", "task", "thread", "attempt", "worker", "driver", "at", "lease", "expires", "stage", "approval",
    "approved_by", "note",
)  # fmt: skip
"""Fields of a claim that are JSON as they are."""


def _claim_to_json(claim: Claim) -> dict[str, Any]:
    return {
        **{name: getattr(claim, name) for name in _PLAIN},
        "rounds": list(claim.rounds),
        "consumed": tokens_to_json(claim.consumed),
        "process": None if claim.process is None else process_to_json(claim.process),
        "report": None if claim.report is None else event_to_json(claim.report),
    }


def _claim_from_json(data: dict[str, Any]) -> Claim:
    report = None if data["report"] is None else event_from_json(data["report"])
    if report is not None and not isinstance(report, Reported):
        raise ValueError("no report")
    return Claim(
        **{name: data[name] for name in _PLAIN},
        rounds=tuple(data["rounds"]),
        consumed=tokens_from_json(data["consumed"]),
        process=None if data["process"] is None else process_from_json(data["process"]),
        report=report,
    )
