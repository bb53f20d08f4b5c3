"""How much may begin here: the ceiling that was asked for, and what the machine has shown to have room for.

The second goes down to what runs when something could not be begun, and up by one with each piece of work that ends.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from petri_cli.driver.crew import Begun, Finished, Judged, Message, NotBegun
from petri_cli.driver.process import Ended
from petri_cli.driver.verify import LATER

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


def felt(strain: Strain, mail: Sequence[Message], under_way: Collection[str], now: float) -> tuple[list[Message], str]:
    """Learn from ``mail`` what room there is. The mail, in which what can never begin has failed, and what to tell of.

    under_way: claims that something goes on for; now: seconds, on the clock of the loop.
    """
    for message in mail:
        if isinstance(message, Begun):
            strain.begun()
        elif isinstance(message, Finished):
            strain.ended()
    turned_away = {m.claim: m.why for m in mail if isinstance(m, NotBegun)}
    turned_away |= {m.claim: m.verdict.reason for m in mail if isinstance(m, Judged) and m.verdict.verifier == LATER}
    warning = ""
    if turned_away:
        if strain.limit is None:
            warning = f"{next(iter(turned_away.values()))}: what there is no room for is begun later"
        strain.full(len(set(under_way) - turned_away.keys()), now)
    if not strain.hopeless:
        return list(mail), warning
    return [Finished(m.claim, Ended(None, error=m.why)) if isinstance(m, NotBegun) else m for m in mail], warning
