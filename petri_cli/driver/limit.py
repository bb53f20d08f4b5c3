"""An end for runs that have none: a net may go round for ever, and in simulated time nothing else stops it."""

from __future__ import annotations

from collections.abc import Callable

from petri_cli.engine.events import Event, TransitionStarted

MAX_FIRINGS = 100_000
"""Firings of a simulation after which nothing new starts."""


class FiringLimit:
    """Follows the events of a run and calls ``stop`` once: when ``most`` firings have begun and another one does."""

    def __init__(self, most: int, stop: Callable[[], None]) -> None:
        self._left = most
        self._stop = stop

    def __call__(self, event: Event) -> None:
        if isinstance(event, TransitionStarted):
            self._left -= 1
            if self._left == -1:
                self._stop()
