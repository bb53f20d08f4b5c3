"""A session at work, shown on a terminal while it runs: progress, who is at it, who holds what."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from petri_cli.render.look import Line, Look, length
from petri_cli.render.session_lines import broken
from petri_cli.session.state import State
from petri_cli.session.store import Entry

EVERY = 0.1
"""Seconds between two looks at whether there is anything new to draw."""
REDRAW = 0.5
"""Seconds after which it is drawn again though nothing happened: work goes on, and its time with it."""
SHARE = 10
"""So many times as long as it takes to draw the driver has for itself: with ten thousand items, that is a while."""


class LiveSession:
    """Draws below the lines that are printed, and over itself.

    drawn: the lines about a state; look: how the terminal looks now, for it may be given another width while work goes
    on; write and flush: of the terminal. Drawing happens in the driver's own loop, so
    that it never sees a state that is being changed.
    """

    def __init__(
        self,
        drawn: Callable[[State, Look], list[Line]],
        look: Callable[[], Look],
        write: Callable[[str], None],
        flush: Callable[[], None],
    ) -> None:
        self._lines = drawn
        self._look = look
        self._write = write
        self._flush = flush
        self._state: State | None = None
        self._fresh = False
        self._drawn: list[Line] = []
        self._width = 0
        self._drawn_at = 0.0
        self._took = 0.0

    def committed(self, entries: Sequence[Entry], state: State) -> None:
        """Take note of a step."""
        self._state = state
        self._fresh = True

    async def keep_drawing(self) -> None:
        """Draw until cancelled; then leave the terminal as it was."""
        with suppress(asyncio.CancelledError):
            while True:
                await asyncio.sleep(max(EVERY, SHARE * self._took))
                begun = time.monotonic()
                look = self._look()
                old = begun - self._drawn_at > REDRAW or look.width != self._width
                if self._state is not None and (self._fresh or old):
                    self._draw(self._lines(self._state, look), look)
                    self._took = time.monotonic() - begun
        self._clear()
        self._flush()

    def line(self, line: Line) -> None:
        """Print a line that stays, above what is drawn; a long one goes on below its own words."""
        self._clear()
        look = self._look()
        for piece in broken(line, look.width - 1):
            self._write(look.paint(piece) + "\n")
        self._fresh = True

    def _draw(self, lines: list[Line], look: Look) -> None:
        self._clear()
        text = "".join(look.paint(line) + "\n" for line in lines)
        self._write(text)
        self._flush()
        self._drawn, self._width = lines, look.width
        self._drawn_at = time.monotonic()
        self._fresh = False

    def _clear(self) -> None:
        """A terminal that was made narrower has broken what was drawn on it into more rows."""
        if self._drawn:
            width = self._look().width
            rows = sum(max(1, -(-length(line) // width)) for line in self._drawn)
            self._write(f"\x1b[{rows}F\x1b[J")
            self._drawn = []
