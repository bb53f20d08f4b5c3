"""For whoever drives a scheduler in a loop of their own: what time it is, and how to sleep until there is work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from threading import TIMEOUT_MAX, Lock

from petri_cli.engine.tokens import TICKS_PER_SECOND


class Clock:
    """Ticks since 1970 on a clock that never jumps: set once by the wall clock, and steady from then on."""

    __slots__ = ("offset",)

    def __init__(self) -> None:
        self.offset = time.time_ns() - time.monotonic_ns()
        """Nanoseconds from the monotonic clock to this one."""

    def now(self) -> int:
        return (time.monotonic_ns() + self.offset) // 1000


class Alarm:
    """Sleep until a time, or until somebody rings. One sleeper at a time; nothing polls.

    A ring is kept until the next sleep ends, so none is lost between looking for work and going to sleep; several rings
    are one. Look for work after every sleep, whatever ended it.

    now: the clock, in ticks, by which ``until`` is meant.
    """

    __slots__ = ("_now", "_rung", "_wake")

    def __init__(self, now: Callable[[], int]) -> None:
        self._now = now
        self._rung = False
        self._wake: Callable[[], None] | None = None

    def ring(self) -> None:
        """End the present sleep, or else the next one at once. From any thread, and from a signal handler.

        No lock is taken: this writes ``_rung`` and then reads ``_wake``, a sleeper does it the other way round.
        """
        self._rung = True
        wake = self._wake
        if wake is not None:
            wake()

    async def wait(self, until: int | None = None) -> bool:
        """Sleep in the running event loop until ``until`` (None: for ever). Whether a ring ended it."""
        loop = asyncio.get_running_loop()
        over: asyncio.Future[None] = loop.create_future()

        def end() -> None:
            if not over.done():
                over.set_result(None)

        def wake() -> None:
            with suppress(RuntimeError):  # the loop is closed: nobody sleeps any more
                loop.call_soon_threadsafe(end)

        timer: asyncio.TimerHandle | None = None
        self._wake = wake
        try:
            if not self._rung:
                if until is not None:
                    timer = loop.call_later(self._seconds(until), end)
                await over
        finally:
            self._wake = None
            if timer is not None:
                timer.cancel()
        return self._heard()

    def block(self, until: int | None = None) -> bool:
        """The same in a thread without an event loop."""
        gate = Lock()
        gate.acquire()

        def wake() -> None:
            with suppress(RuntimeError):  # it is open already
                gate.release()

        self._wake = wake
        try:
            if not self._rung:
                gate.acquire(timeout=-1 if until is None else min(self._seconds(until), TIMEOUT_MAX))
        finally:
            self._wake = None
        return self._heard()

    def _seconds(self, until: int) -> float:
        return max(0, until - self._now()) / TICKS_PER_SECOND

    def _heard(self) -> bool:
        if not self._rung:
            return False
        self._rung = False
        return True
