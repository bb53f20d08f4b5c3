"""A step that the store could not take is tried again for some time, while what runs goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from petri_cli.errors import PetriError

PATIENCE = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between the attempts at a commit while the store has no room, or no turn for us."""
PASSING = ("PETRI_STORE_FULL", "PETRI_STORE_BUSY")
"""What a store says that may be over in a moment, and that it has written nothing."""


async def patiently(step: Callable[[], Awaitable[None]], hurry: asyncio.Event) -> None:
    """Do ``step``, and again after a pause where the store may soon have room for it. hurry: set, there is no time."""
    for pause in PATIENCE:
        try:
            await step()
        except PetriError as error:
            if error.code not in PASSING or hurry.is_set():
                raise
        else:
            return
        with suppress(TimeoutError):
            await asyncio.wait_for(hurry.wait(), pause)
    await step()
