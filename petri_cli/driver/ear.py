"""How a driver waits: for its own work, which rings, for a time, and for what others write to the store."""

from __future__ import annotations

import asyncio
from contextlib import suppress

from petri_cli.session.store import EventStore


class Ear:
    """rung: set when something happened here. poll: seconds between two looks at whether others wrote."""

    def __init__(self, store: EventStore, session: str, poll: float) -> None:
        self._store, self._session, self._poll = store, session, poll
        self.rung = asyncio.Event()
        self._seen = -1
        """What the store said of its changes at the last look."""

    async def listen(self, until: float | None, seq: int) -> None:
        """Wait for the first of these. until: a time of the loop's clock; seq: the last event that is known here."""
        loop = asyncio.get_running_loop()
        while not self.rung.is_set():
            pause = self._poll if until is None else min(self._poll, until - loop.time())
            with suppress(TimeoutError):
                await asyncio.wait_for(self.rung.wait(), max(0.0, pause))
            if until is not None and loop.time() >= until:
                break
            if (changed := self._store.changed()) != self._seen:
                self._seen = changed
                if self._store.last(self._session) != seq:
                    break
