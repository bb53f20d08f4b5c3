"""How much may begin here: the ceiling that was asked for, and what the machine has shown to have room for.

The second goes down to what runs when something could not be begun, and up by one with each piece of work that ends.
"""

from __future__ import annotations

from dataclasses import dataclass

LONGEST = 30.0
HOPELESS = 5
"""So many times in a row nothing could be begun though nothing ran here: waiting for ourselves is of no use."""


@dataclass(slots=True)
class Strain:
    """most: at once, as asked for, None: no bound. Times in seconds, on the clock of the loop."""

    most: int | None = None
    limit: int | None = None
    until: float | None = None
    """When something may be begun again; None: now."""
    pause: float = 1.0
    alone: int = 0

    def room(self, busy: int, now: float) -> int | None:
        """How much more may begin while ``busy`` is under way; None: as much as there is."""
        if self.waits(now):
            return 0
        bounds = [bound for bound in (self.most, self.limit) if bound is not None]
        return max(0, min(bounds) - busy) if bounds else None

    def waits(self, now: float) -> bool:
        return self.until is not None and now < self.until

    @property
    def hopeless(self) -> bool:
        return self.alone >= HOPELESS

    def full(self, busy: int, now: float) -> None:
        """Something could not be begun beside the ``busy`` others."""
        self.limit = max(1, busy)
        if not self.waits(now):
            self.until = now + self.pause
            self.pause = min(2 * self.pause, LONGEST)
            self.alone = self.alone + 1 if not busy else 0

    def begun(self) -> None:
        """There was room."""
        self.pause, self.alone = 1.0, 0

    def ended(self) -> None:
        """There is more room than there was."""
        if self.limit is not None:
            self.limit += 1
