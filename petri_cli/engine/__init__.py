"""Execution: the pure scheduler, tokens, timing, output checking; executors in real and in simulated time around it.

Whatever is asked for is imported when it is asked for: tokens alone do not bring asyncio with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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


_MODULES = {
    "petri_cli.engine.actions": ("Action", "ActionContext", "UndeclaredPlace", "blocking"),
    "petri_cli.engine.alarm": ("Alarm", "Clock"),
    "petri_cli.engine.async_executor": ("AsyncExecutor",),
    "petri_cli.engine.binding": ("Actions", "fork", "passthrough", "produce", "transform"),
    "petri_cli.engine.checkpoint": ("Checkpoint", "Snapshot"),
    "petri_cli.engine.compiled": ("EngineNet", "compile_engine_net"),
    "petri_cli.engine.events": ("Event", "event_from_json", "event_to_json"),
    "petri_cli.engine.executor": ("Injection", "Result", "StartingMarking"),
    "petri_cli.engine.firings": (
        "Completion",
        "Failed",
        "Firing",
        "Produced",
        "Returned",
        "TimedOut",
        "in_flight_firing",
    ),
    "petri_cli.engine.scheduler": ("DEADLINE_TOLERANCE", "Scheduler", "Step"),
    "petri_cli.engine.stores": ("EventStore", "JsonlStore", "MemoryStore", "NoStore", "read_events"),
    "petri_cli.engine.tokens": ("TICKS_PER_SECOND", "Token", "to_seconds", "to_ticks"),
    "petri_cli.engine.virtual_executor": ("Duration", "VirtualExecutor"),
}
_HOMES = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(home), name)
    return found


def run(
    net: Net | EngineNet,
    actions: Actions | None = None,
    marking: StartingMarking = None,
    *,
    environment: Iterable[str] = (),
    store: EventStore | None = None,
    max_concurrency: int | None = None,
    tolerance: float | None = None,
) -> Result:
    """Run ``net`` in real time until nothing more can happen (see :class:`AsyncExecutor` for the parameters).

    tolerance None: ``DEADLINE_TOLERANCE``. A net with environment places is drained: it ends at quiescence, too. To
    feed a run from outside, use the executor.
    """
    import asyncio

    from petri_cli.engine.async_executor import AsyncExecutor
    from petri_cli.engine.scheduler import DEADLINE_TOLERANCE

    executor = AsyncExecutor(
        net,
        actions,
        marking,
        environment=environment,
        store=store,
        max_concurrency=max_concurrency,
        tolerance=DEADLINE_TOLERANCE if tolerance is None else tolerance,
    )
    executor.drain()
    return asyncio.run(executor.run())
