"""The time a search may take, by a clock that is handed in: without one there is no limit."""

from __future__ import annotations

from collections.abc import Callable

Clock = Callable[[], float]
"""Monotonic seconds."""

Deadline = Callable[[], bool]
"""Asked now and then; True ends the search."""


def never() -> bool:
    """The deadline of a search that may take its time."""
    return False


class OutOfTime(Exception):
    """The deadline has passed in the middle of something that has no half answer."""


class Pace:
    """Asks a deadline every so many steps of a long loop."""

    def __init__(self, deadline: Deadline, every: int = 1024) -> None:
        self._deadline, self._every = deadline, every
        self._steps = 0

    def step(self) -> None:
        """Count one step. Raises OutOfTime."""
        self._steps += 1
        if self._steps % self._every == 0 and self._deadline():
            raise OutOfTime


class Timer:
    """Runs from its creation; ``seconds`` is the limit."""

    def __init__(self, clock: Clock | None, seconds: float) -> None:
        self._clock, self._seconds = clock, seconds
        self._start = 0.0 if clock is None else clock()

    @property
    def timed(self) -> bool:
        """Whether there is a clock: without one, only work ends a search."""
        return self._clock is not None

    def elapsed(self) -> float:
        """Seconds since the start; 0 without a clock."""
        return 0.0 if self._clock is None else self._clock() - self._start

    def expired(self) -> bool:
        return self._clock is not None and self.elapsed() > self._seconds

    def nearly(self) -> bool:
        """Whether it is time to sum up what was found."""
        return self._clock is not None and self.elapsed() > 0.85 * self._seconds

    def half(self) -> Deadline:
        """A deadline half-way between now and the end."""
        return self.share(0.5)

    def share(self, part: float) -> Deadline:
        """A deadline after that part of the time that is left."""
        limit = self.elapsed() * (1 - part) + self._seconds * part
        return lambda: self._clock is not None and self.elapsed() > limit
