"""What a driver is asked to do, and who follows what it does."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from petri_cli.session.clock import wall_clock
from petri_cli.session.events import Process
from petri_cli.session.identity import alive
from petri_cli.session.state import State
from petri_cli.session.store import Entry


class Observer(Protocol):
    """Follows a session from inside its driver."""

    def committed(self, entries: Sequence[Entry], state: State) -> None:
        """These events were written, by the driver or by others; ``state`` follows on them and must not be changed."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a session is driven.

    max_concurrency: most local work at once (None: no bound besides the plan's); worker: what claims say of who does
    it; keep_going: when some work has used up its attempts, go on with the rest; wait: for people, pull workers and
    time, instead of resting; pull: whether somebody may come and claim work that has no body; take_over: a
    driver of which it cannot be seen whether it lives is dead; folder: where outputs
    go; cwd: where work runs; poll: seconds between looks at whether others wrote; check: compare scheduler and log
    after every step (``PETRI_SELF_CHECK=1``).

    For tests: signals: install handlers; process: who the driver is; alive: whether another one lives; wall: its clock.
    """

    max_concurrency: int | None = None
    worker: str = ""
    keep_going: bool = False
    wait: bool = True
    pull: bool = True
    take_over: bool = False
    folder: Path = Path(".petri/work")
    cwd: Path = field(default_factory=Path.cwd)
    poll: float = 0.1
    check: bool = field(default_factory=lambda: os.environ.get("PETRI_SELF_CHECK", "") not in ("", "0"))
    signals: bool = True
    process: Process | None = None
    alive: Callable[[Process], bool | None] = alive
    wall: Callable[[], int] = wall_clock
