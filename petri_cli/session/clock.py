"""The clock that stores stamp events with."""

from __future__ import annotations

import time
from collections.abc import Callable

Clock = Callable[[], int]
"""Says the time: ticks (microseconds) since 1970. It may jump; a log's own time never goes back."""


def wall_clock() -> int:
    return time.time_ns() // 1_000
