"""Execution: the pure scheduler, tokens, timing, output checking; executors in real and in simulated time around it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

from petri_cli.engine.actions import Action, ActionContext, UndeclaredPlace, blocking
from petri_cli.engine.alarm import Alarm, Clock
from petri_cli.engine.async_executor import AsyncExecutor
from petri_cli.engine.binding import Actions, fork, passthrough, produce, transform
from petri_cli.engine.checkpoint import Checkpoint, Snapshot
from petri_cli.engine.compiled import EngineNet, compile_engine_net
from petri_cli.engine.events import Event, event_from_json, event_to_json
from petri_cli.engine.executor import Injection, Result, StartingMarking
from petri_cli.engine.firings import Completion, Failed, Firing, Produced, Returned, TimedOut, in_flight_firing
from petri_cli.engine.scheduler import DEADLINE_TOLERANCE, Scheduler, Step
from petri_cli.engine.stores import EventStore, JsonlStore, MemoryStore, NoStore, read_events
from petri_cli.engine.tokens import TICKS_PER_SECOND, Token, to_seconds, to_ticks
from petri_cli.engine.virtual_executor import Duration, VirtualExecutor
from petri_cli.net.model import Net

__all__ = [
    "DEADLINE_TOLERANCE",
    "TICKS_PER_SECOND",
    "Action",
    "ActionContext",
    "Actions",
    "Alarm",
    "AsyncExecutor",
    "Checkpoint",
    "Clock",
    "Completion",
    "Duration",
    "EngineNet",
    "Event",
    "EventStore",
    "Failed",
    "Firing",
    "Injection",
    "JsonlStore",
    "MemoryStore",
    "NoStore",
    "Produced",
    "Result",
    "Returned",
    "Scheduler",
    "Snapshot",
    "Step",
    "TimedOut",
    "Token",
    "UndeclaredPlace",
    "VirtualExecutor",
    "blocking",
    "compile_engine_net",
    "event_from_json",
    "event_to_json",
    "fork",
    "in_flight_firing",
    "passthrough",
    "produce",
    "read_events",
    "run",
    "to_seconds",
    "to_ticks",
    "transform",
]


def run(
    net: Net | EngineNet,
    actions: Actions | None = None,
    marking: StartingMarking = None,
    *,
    environment: Iterable[str] = (),
    store: EventStore | None = None,
    max_concurrency: int | None = None,
    tolerance: float = DEADLINE_TOLERANCE,
) -> Result:
    """Run ``net`` in real time until nothing more can happen (see :class:`AsyncExecutor` for the parameters).

    A net with environment places is drained: it ends at quiescence, too. To feed a run from outside, use the executor.
    """
    executor = AsyncExecutor(
        net,
        actions,
        marking,
        environment=environment,
        store=store,
        max_concurrency=max_concurrency,
        tolerance=tolerance,
    )
    executor.drain()
    return asyncio.run(executor.run())
