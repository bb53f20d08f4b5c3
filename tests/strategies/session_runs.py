"""Logs of sessions in which a plan was partly done, made from runs in simulated time."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

from petri_cli.driver.simulate import Simulation, simulate
from petri_cli.engine.events import Event, TransitionCompleted, TransitionStarted
from petri_cli.engine.tokens import Token
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.lower import lower_execution
from petri_cli.plan.model import Foreach, Plan, Task
from petri_cli.session.events import (
    Claimed,
    Fired,
    Reported,
    RevisionCommitted,
    SessionCreated,
    SessionEvent,
    Verified,
)
from petri_cli.session.plan_text import plan_hash


def read(text: str, form: str = "json", file: str = "") -> Plan:
    """The plan in ``text``, as a session keeps it."""
    return plan_from_data(json.loads(text))[0]


def chances(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  nothing secret


def committed(document: Any, marking: dict[str, Any], revision: int = 1, **more: Any) -> RevisionCommitted:
    text = json.dumps(document)
    return RevisionCommitted(1, revision, "json", text, plan_hash(text), marking, **more)


def partly_done(document: Any, rng: random.Random) -> list[SessionEvent]:
    """The log of a session that ran the plan in ``document`` up to a random moment, between two instants."""
    plan = read(json.dumps(document))
    durations = {t.id: rng.choice((0.0, 1.0, 5.0)) for t in plan.tasks()}
    widths = {n.id: rng.choice((0, 1, 2, 3)) for n in plan.nodes if isinstance(n, Foreach) and n.items is None}
    widths = {f: min(n, _limit(plan, f)) for f, n in widths.items()}
    run = simulate(plan, seed=rng.randrange(2**32), widths=widths, durations=durations)
    initial = {p: (Token(None, 0),) * n for p, n in lower_execution(plan).net.initial.items() if n}
    events = list(_told(plan, run))
    rests = [k for k in range(1, len(events)) if events[k].at > events[k - 1].at]
    return [SessionCreated(0, "s"), committed(document, initial), *events[: rng.choice([*rests, len(events)])]]


def done_until(document: Any, task: str, **widths: int) -> list[SessionEvent]:
    """The log of a session in which each task takes a second, up to the instant in which ``task`` is first done."""
    plan = read(json.dumps(document))
    run = simulate(plan, widths=widths)
    initial = {p: (Token(None, 0),) * n for p, n in lower_execution(plan).net.initial.items() if n}
    events = list(_told(plan, run))
    ends = [e.at for e in events if isinstance(e, Verified) and run_task(events, e) == task]
    return [SessionCreated(0, "s"), committed(document, initial), *[e for e in events if e.at <= ends[0]]]


def run_task(events: list[SessionEvent], verified: Verified) -> str:
    """The task that was verified."""
    return next(e.task for e in events if isinstance(e, Claimed) and e.claim == verified.claim)


def _limit(plan: Plan, foreach: str) -> int:
    limits = [n.max_width for n in plan.nodes if isinstance(n, Foreach) and n.id == foreach]
    return limits[0] if limits[0] is not None else 3


def _told(plan: Plan, run: Simulation) -> Iterator[SessionEvent]:
    tasks = {f"t.{n.id}": n.id for n in plan.nodes if isinstance(n, Task)}
    began: dict[int, TransitionStarted] = {}
    event: Event
    for event in run.events:
        match event:
            case TransitionStarted():
                began[event.firing] = event
                if event.transition in tasks:
                    yield _claimed(event, tasks[event.transition])
            case TransitionCompleted():
                start = began.pop(event.firing)
                if event.transition in tasks:
                    yield Reported(event.time + 1, f"c{event.firing}", output={"ok": True})
                    yield Verified(event.time + 1, f"c{event.firing}", event.produced)
                else:
                    yield Fired(event.time + 1, event.transition, start.consumed, event.produced)
            case _:
                pass


def _claimed(event: TransitionStarted, task: str) -> Claimed:
    ((token,),) = event.consumed.values()
    rounds = tuple((token.value or {}).get("rounds", ())) if isinstance(token.value, dict) else ()
    return Claimed(
        event.time + 1,
        f"c{event.firing}",
        event.transition,
        task,
        event.consumed,
        1,
        60_000_000,
        event.time + 60_000_000,
        token.name,
        rounds,
        "shell",
        "d1",
    )
