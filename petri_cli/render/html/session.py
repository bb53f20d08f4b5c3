"""What a page says of a session: when everything ran, what the resources did meanwhile, what had to be tried again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from petri_cli.driver.insights import Candidate, Insights
from petri_cli.driver.status import Status
from petri_cli.engine.tokens import to_seconds
from petri_cli.errors import PetriError
from petri_cli.mining.session_log import Attempted, history_of
from petri_cli.plan.lower import lower_workflow
from petri_cli.plan.model import Plan
from petri_cli.render.html.document import document
from petri_cli.render.html.drawing import draw_plan
from petri_cli.render.insights import insights_data
from petri_cli.render.look import Line, Look
from petri_cli.render.session_lines import day, shown
from petri_cli.render.status_json import status_data
from petri_cli.session.events import Ended, Fired, FiringFailed, Injected, RevisionCommitted, SessionEvent, Verified
from petri_cli.session.fold import apply
from petri_cli.session.state import State
from petri_cli.version import __version__

MOST_BARS = 5_000
"""Attempts that are drawn; of more, the latest."""
MOST_POINTS = 4_000
"""Changes of a resource that are drawn."""
MOST_VARIANTS = 30
MOST_DRAWN = 20_000

Json = dict[str, Any]


def status_page(
    s: Status, events: Sequence[SessionEvent], steps: Sequence[Line], told: Iterable[Line], found: Json | None = None
) -> str:
    """The page of a session. steps: lines of its log; told: what ``--format text`` says, for a browser without scripts;
    found: what :func:`insights_part` makes of its insights."""
    state = s.state
    data: Json = {
        "kind": "session",
        "version": __version__,
        "session": s.session,
        "state": s.phase,
        "why": s.why,
        "missing": list(state.missing),
        "objective": state.objective,
        "revision": _revision(s),
        "began": day(state.created_at),
        "spent": _since(state.at, state.created_at),
        "progress": {"done": s.done, "total": s.total, "exact": s.exact},
        "tasks": status_data(s)["tasks"],
        "holders": [
            {"resource": r.id, "capacity": r.capacity, "free": r.free,
             "held": [{"guard": h.guard, "units": h.units, "inside": list(h.inside)} for h in r.holders]}
            for r in s.resources
        ],
        "steps": [Look().paint(line) for line in steps],
        **work_data(s.session, events, state.created_at),
    }  # fmt: skip
    if s.plan is not None:
        data |= _drawn(s.plan)
        data["use"] = use_of(events, [r.id for r in s.plan.resources], state.created_at)
    if found is not None:
        data["insights"] = found
    return document(f"{s.session}: {s.phase} · petri", data, _text(told))


def insights_part(found: Insights, candidate: Candidate | None = None) -> Json:
    """Conformance, suggestions and the variants of all cases that were looked at."""
    data = insights_data(found, candidate)
    counted = Counter(case.trace for case in found.past)
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    data["variants"] = [{"cases": n, "trace": list(trace)} for trace, n in ordered[:MOST_VARIANTS]]
    data["moreVariants"] = max(0, len(ordered) - MOST_VARIANTS)
    return data


def insights_page(found: Insights, candidate: Candidate | None, told: Iterable[Line]) -> str:
    """The page of a log that is no session's: it has no state, only what was found in it."""
    data = {
        "kind": "session", "version": __version__, "session": found.session, "state": "",
        "insights": insights_part(found, candidate), **_drawn(found.plan),
    }  # fmt: skip
    return document(f"{found.session} · petri", data, _text(told))


def work_data(session: str, events: Iterable[SessionEvent], origin: int) -> Json:
    """A bar an attempt, and a row a piece of work: seconds from ``origin``, in ticks, on."""
    history = history_of(session, events)
    attempts = history.attempts
    return {
        "bars": [_bar(a, origin) for a in attempts[-MOST_BARS:]],
        "moreBars": max(0, len(attempts) - MOST_BARS),
        "revisions": [{"n": n, "at": _since(at, origin)} for n, at in history.revisions.items()],
    }


def use_of(events: Iterable[SessionEvent], resources: Sequence[str], origin: int) -> list[Json]:
    """For each resource, what was in use from when on, and its capacity then."""
    state = State()
    points: dict[str, list[tuple[float, int, int]]] = {r: [] for r in resources}
    for event in events:
        apply(state, event)
        if not isinstance(event, Fired | FiringFailed | Verified | Injected | RevisionCommitted | Ended):
            continue
        at = _since(event.at, origin)
        for r in resources:
            held = state.held(r)
            now = (at, held, held + state.free(r))
            if points[r] and points[r][-1][0] == at:
                points[r].pop()
            if not points[r] or points[r][-1][1:] != now[1:]:
                points[r].append(now)
    return [{"resource": r, "points": [list(p) for p in points[r][-MOST_POINTS:]]} for r in resources]


def _bar(a: Attempted, origin: int) -> Json:
    name = shown(a.task) + (f"[{a.thread}]" if a.thread else "")
    rounds = f" round {'.'.join(map(str, a.rounds))}" if a.rounds else ""
    bar: Json = {"task": a.task, "name": f"{name}{rounds}", "attempt": a.attempt, "outcome": a.outcome}
    bar["from"] = _since(a.claimed if a.started is None else a.started, origin)
    for key, at in (("reported", a.reported), ("to", a.ended)):
        if at is not None:
            bar[key] = _since(at, origin)
    for key, text in (("worker", a.worker), ("reason", a.reason)):
        if text:
            bar[key] = text
    return bar


def _since(at: int, origin: int) -> float:
    return round(to_seconds(max(0, at - origin)), 3)


def _revision(s: Status) -> Json | None:
    plan = s.state.plan
    if plan is None:
        return None
    return {"number": plan.number, "file": plan.file, "verdict": plan.verdict, "by": plan.evidence.get("by", "")}


def _drawn(plan: Plan) -> Json:
    """The plan with one item a foreach: a page of a session shows where work is, and counts the items."""
    try:
        lowered = lower_workflow(plan, {}, default_width=1, most=MOST_DRAWN)
    except PetriError:
        return {}
    return {"drawing": draw_plan(plan, lowered)}


def _text(lines: Iterable[Line]) -> str:
    plain = Look()
    return "\n".join(plain.paint(line) for line in lines)
