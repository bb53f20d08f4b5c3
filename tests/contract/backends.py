"""One way to run a net on every executor, for tests of what all of them must do alike."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest

from petri_cli.engine import AsyncExecutor, MemoryStore, Result, VirtualExecutor
from petri_cli.engine.events import Event, TransitionStarted
from petri_cli.net.model import Net

on_every_backend = pytest.mark.parametrize("backend", ["virtual", "async"])


@dataclass(frozen=True)
class Run:
    """How a run ended and what it told."""

    result: Result
    events: list[Event]

    @property
    def started(self) -> list[str]:
        """The transitions that fired, in order."""
        return [e.transition for e in self.events if isinstance(e, TransitionStarted)]

    def of(self, kind: str, subject: str | None = None) -> list[Any]:
        """The events of one type, about one transition or place."""
        return [
            e
            for e in self.events
            if e.type == kind and subject in (None, getattr(e, "transition", None), getattr(e, "place", None))
        ]

    def order(self, *wanted: tuple[str, str]) -> list[tuple[str, str]]:
        """The (type, transition or place) pairs of ``wanted`` in the order in which they happened."""
        pairs = [(e.type, getattr(e, "place", None) or getattr(e, "transition", "")) for e in self.events]
        return [p for p in pairs if p in wanted]


def execute(
    backend: str, net: Net, actions: Mapping[str, Any] | None = None, marking: Any = None, **options: Any
) -> Run:
    """Run ``net`` to its end on ``backend``, keeping every event."""
    store = MemoryStore()
    if backend == "virtual":
        return Run(VirtualExecutor(net, actions, marking, store=store, **options).run(), store.events)
    executor = AsyncExecutor(net, actions, marking, store=store, **options)
    executor.drain()
    return Run(asyncio.run(asyncio.wait_for(executor.run(), 10)), store.events)
