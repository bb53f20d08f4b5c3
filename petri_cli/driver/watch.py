"""When something is due: on this process's steady clock, whatever happens to the clock on the wall."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Protocol


class Watch(Protocol):
    """Asked in every step for everything that is still to come."""

    def remaining(self, key: Hashable, due: int, limit: int | None, now: int) -> int:
        """Ticks until ``due``, a store time, when the store's time is ``now``; 0 when it is over.

        limit: how long it can be at most, whatever the clocks say.
        """


class StoreWatch:
    """For a process that only comes by: what is due is what the store's clock says."""

    def remaining(self, key: Hashable, due: int, limit: int | None, now: int) -> int:
        return max(0, due - now)


class SteadyWatch:
    """For a driver. A time is translated when it is first asked for, and runs on the steady clock from then on.

    steady: ticks on a clock that never jumps. Whatever is not asked for in a step is forgotten.
    """

    def __init__(self, steady: Callable[[], int]) -> None:
        self._steady = steady
        self._known: dict[Hashable, int] = {}
        self._asked: dict[Hashable, int] = {}
        self._to_come: dict[Hashable, int] = {}
        """Of what was asked for, what was not over when it was asked for last."""

    def remaining(self, key: Hashable, due: int, limit: int | None, now: int) -> int:
        full = (key, due)
        steady = self._steady()
        at = self._asked.get(full)
        if at is None:
            at = self._known.get(full)
            if at is None:
                left = max(0, due - now)
                at = steady + (left if limit is None else min(left, limit))
            self._asked[full] = at
        if at > steady:
            self._to_come[full] = at
        else:
            self._to_come.pop(full, None)
        return max(0, at - steady)

    def turn(self) -> None:
        """A step begins: forget what the last one did not ask for."""
        self._known = self._asked
        self._asked, self._to_come = {}, {}

    def soonest(self) -> int | None:
        """Ticks until the first of the things that were not over when this step asked for them; 0 when it is by now.

        A commit takes its time: what has come meanwhile was not acted on, and nothing else would wake the driver.
        """
        steady = self._steady()
        return min((max(0, at - steady) for at in self._to_come.values()), default=None)
