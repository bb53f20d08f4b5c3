"""Where a session stands, for programs: ``petri.status/1``. Times are seconds since 1970, spans are seconds."""

from __future__ import annotations

import json
from typing import Any

from petri_cli.driver.status import ClaimRow, ResourceRow, Status
from petri_cli.engine.tokens import to_seconds
from petri_cli.session.payload import event_to_json
from petri_cli.session.store import Entry

SCHEMA = "petri.status/1"


def status_data(s: Status, history: list[Entry] | None = None) -> dict[str, Any]:
    """The status as in ``schemas/status.schema.json``."""
    state, plan = s.state, s.state.plan
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "session": s.session,
        "state": s.phase,
        "why": s.why,
        "missing": list(state.missing),
        "objective": state.objective,
        "seq": state.seq,
        "at": to_seconds(state.at),
        "createdAt": to_seconds(state.created_at),
        "driver": None if state.driver is None else {
            "id": state.driver.id,
            "pid": state.driver.process.pid,
            "host": state.driver.process.host,
            "worker": state.driver.worker,
            "since": to_seconds(state.driver.since),
            "alive": s.alive,
        },
        "revision": None if plan is None else {
            "number": plan.number,
            "seq": plan.seq,
            "file": plan.file,
            "hash": plan.hash,
            "verdict": plan.verdict,
            "evidence": dict(plan.evidence),
            "acceptedUnknown": plan.accepted_unknown,
        },
        "progress": {"done": s.done, "total": s.total, "exact": s.exact},
        "tasks": [
            {
                "task": r.task, "line": r.line, "total": r.total, "exact": r.exact, "done": r.done,
                "running": r.running, "reported": r.judged, "ready": r.ready, "resting": r.resting,
                "later": r.later, "blocked": r.blocked, "pull": r.pull,
            }
            for r in s.tasks
        ],
        "work": [
            {
                "task": r.task, "attempts": r.attempts, "burnt": r.burnt, "blocked": r.blocked, "reason": r.reason,
                "retryIn": None if r.retry_in is None else to_seconds(r.retry_in), "pull": r.pull,
                "dueIn": None if r.due_in is None else to_seconds(r.due_in),
            }
            for r in s.work
        ],
        "claims": [_claim(r) for r in s.claims],
        "resources": [_resource(r) for r in s.resources],
        "timers": [
            {"id": t.id, "due": to_seconds(t.due), "place": t.place, "tokens": len(t.tokens)}
            for t in state.timers.values()
        ],
        "marking": dict(s.marking),
        "enabled": list(s.enabled),
        "choices": list(s.choices),
        "fired": dict(sorted(state.fired.items())),
        "repairs": [
            {
                "id": r.id, "kind": r.kind, "revision": r.revision, "seq": r.seq, "accepted": r.accepted,
                "why": r.why, "by": r.by,
            }
            for r in state.repairs.values()
        ],
    }  # fmt: skip
    if history is not None:
        data["history"] = [{"seq": e.seq, **event_to_json(e.event)} for e in history]
    return data


def _claim(r: ClaimRow) -> dict[str, Any]:
    c = r.claim
    return {
        "id": c.id,
        "task": r.task,
        "transition": c.transition,
        "worker": c.worker,
        "attempt": c.attempt,
        "attempts": r.of,
        "stage": c.stage,
        "local": bool(c.driver),
        "since": to_seconds(c.at),
        "leaseLeft": to_seconds(r.left),
        "pid": None if c.process is None else c.process.pid,
        "approved": c.approval,
        "tokens": {p: len(ts) for p, ts in c.consumed.items()},
    }


def _resource(r: ResourceRow) -> dict[str, Any]:
    return {
        "id": r.id,
        "capacity": r.capacity,
        "free": r.free,
        "held": r.held,
        "coming": r.coming,
        "comingIn": None if r.coming_in is None else to_seconds(r.coming_in),
        "holders": [
            {"guard": h.guard, "line": h.line, "units": h.units, "since": to_seconds(h.since), "inside": list(h.inside)}
            for h in r.holders
        ],
        "wanted": list(r.wanted),
    }


def status_json(s: Status, history: list[Entry] | None = None) -> str:
    """:func:`status_data` as text."""
    return json.dumps(status_data(s, history), indent=2, ensure_ascii=False, default=repr) + "\n"


def entry_line(entry: Entry) -> str:
    """An event with its number, as a line of JSON."""
    return json.dumps({"seq": entry.seq, **event_to_json(entry.event)}, ensure_ascii=False, default=repr) + "\n"
