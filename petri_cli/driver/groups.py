"""Process groups, ended with what went from them into others: by start time, boot and host, not by number alone."""

from __future__ import annotations

import asyncio
import os

from petri_cli.driver.guardian import ending, survivors, token
from petri_cli.session.events import Process
from petri_cli.session.identity import alive, this_process

GRACE = 2.0
"""Seconds between asking a group to end and ending it."""


async def end_group(process: Process, grace: float = GRACE) -> bool:
    """End a group that an earlier driver left, and what went from it into others: TERM, after ``grace`` seconds KILL.

    Nothing is signalled unless number, start time, boot and host are those of ``process``. Whether anything was.
    """
    if not _can_be_here(process):
        return False
    return await end({process.group or process.pid: process.start_time}, (), grace, marked_only=True)


async def end_orphans(driver: Process, grace: float = GRACE) -> bool:
    """End whatever a dead driver has started and its guardian has not ended, in whatever group. Whether anything was.

    ``driver`` itself is never signalled; nothing is while it lives, or where it cannot be known that it does not.
    """
    if not _can_be_here(driver) or alive(driver) is not False:
        return False
    return await end({}, (token(driver.pid, driver.start_time),), grace)


def _can_be_here(process: Process) -> bool:
    me = this_process()
    there = (process.host, process.boot_id, process.namespace)
    return process.start_time > 0 and there == (me.host, me.boot_id, me.namespace)


async def end(groups: dict[int, int], tokens: tuple[str, ...], grace: float, *, marked_only: bool = False) -> bool:
    """Whether anything had to be ended. Cancelled, it does not wait any longer before it ends them."""
    signalled = False
    try:
        for pause in ending(groups, tokens, grace, marked_only=marked_only):
            signalled = True
            await asyncio.sleep(pause)
    except asyncio.CancelledError:
        for pause in ending(groups, tokens, 0.0, marked_only=marked_only):
            await asyncio.shield(asyncio.sleep(pause))
        raise
    return signalled


def group_is_empty(process: Process) -> bool:
    """After the leader was reaped; a number stays taken as long as a group has it."""
    try:
        os.killpg(process.group, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return not survivors({process.group: process.start_time})
