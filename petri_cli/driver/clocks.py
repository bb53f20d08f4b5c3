"""Clocks that jump, and a log whose time is ahead of the clock: what that does, and what a person can do about it.

A log's own time never goes back. Where it was once written with a clock that was far ahead, it stands still until that
time has come: what happens now bears that time, and what is younger than it counts as old.
"""

from __future__ import annotations

from petri_cli.engine.tokens import TICKS_PER_SECOND
from petri_cli.plan.duration import format_duration

JUMP = 5 * TICKS_PER_SECOND
"""Ticks by which two clocks may part before it is told."""

WAY_OUT = "set this clock right if it is behind; else go on in a new session (petri run FILE)"


def lead(ahead: int) -> str:
    """``3h20m``; empty for what is not worth telling."""
    return format_duration(float(max(1, ahead // TICKS_PER_SECOND))) if ahead > JUMP else ""


def clock_trouble(ahead: int) -> str:
    """A sentence for a log whose time is ``ahead`` ticks ahead of this machine's clock; empty where it is not."""
    by = lead(ahead)
    if not by:
        return ""
    stands = "until that has passed, leases and delays that nobody drives stand still, and new files count as old"
    return f"the time of this log is {by} ahead of this machine's clock: {stands}; {WAY_OUT}"


class Drift:
    """Of the wall clock against a steady one, in ticks. known: as of the last look."""

    def __init__(self) -> None:
        self.known: int | None = None

    def said(self, wall: int, steady: int, log: int) -> list[str]:
        """What there is to say of the clocks now, each thing once. log: the time of the last event."""
        before, drift = self.known, wall - steady
        if before is None:
            self.known = drift
            trouble = clock_trouble(log - wall)
            return [trouble] if trouble else []
        if abs(drift - before) <= JUMP:
            return []
        self.known = drift
        seconds = (drift - before) / TICKS_PER_SECOND
        way = "ahead" if seconds > 0 else "back"
        return [f"the clock jumped {abs(seconds):.0f} s {way}; leases and delays go by a clock that does not"]
