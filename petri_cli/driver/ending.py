"""How a run of a driver ends: whether it does, in which of the five states, and what is missing."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import Protocol

from petri_cli.driver import standing
from petri_cli.driver.replica import Replica
from petri_cli.driver.watch import Watch
from petri_cli.session.state import EndState

INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class Outcome:
    """state: one of the five; why: in a sentence; missing: what keeps the session from going on, a sentence each;
    signal: what interrupted the run, if something did."""

    state: EndState
    why: str = ""
    missing: tuple[str, ...] = ()
    signal: signal.Signals | None = None


class Asked(Protocol):
    """What a driver was asked to do."""

    @property
    def keep_going(self) -> bool: ...

    @property
    def wait(self) -> bool: ...

    @property
    def pull(self) -> bool: ...


def conclude(
    replica: Replica,
    now: int,
    watch: Watch,
    asked: Asked,
    *,
    busy: bool,
    draining: bool = False,
    interrupted: signal.Signals | None = None,
) -> Outcome | None:
    """How the run ends here and now; None when it goes on. busy: something still runs in the driver's care."""
    state = replica.state
    if state.final and state.ended is not None:
        return Outcome(state.ended, state.why, state.missing)
    if busy:
        return None
    if state.failed:
        return Outcome("failed", state.failed)
    if standing.completed(replica):
        return Outcome("completed")
    if draining:
        return Outcome("suspended", INTERRUPTED, (), interrupted)
    if not asked.keep_going and (used_up := standing.exhausted(replica)):
        return Outcome("deadlocked", str(used_up[0]), standing.missing(replica, asked.pull))
    reasons = standing.to_come(replica, now, watch, asked.pull)
    if not reasons:
        missing = standing.missing(replica, asked.pull)
        return Outcome("deadlocked", missing[0] if missing else "nothing is enabled", missing)
    return None if asked.wait else Outcome("suspended", "; ".join(reasons))
