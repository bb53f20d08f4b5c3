"""Which enabled transition fires next, and when the scheduler must be looked at again: clocks on the general path.

Each transition has at most one entry in each heap. A clock that restarts leaves its entry where it is; the entry is
moved when it surfaces, and since clocks only ever restart later it never surfaces too late. So the heaps stay as small
as the net, and every operation is O(log n), amortised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heappop, heappush

from petri_cli.engine.compiled import EngineNet

IDLE = 0
ENABLED = 1
INTERRUPTED = 2
"""Marked enabled, but a firing of this pass disabled it: its clock restarts if it is enabled when next looked at."""


class DeclarationOrder:
    """The fast path, for nets whose transitions are all immediate and of one priority: no clock is read at all.

    ready: a heap of transitions, each once (``is_ready``), some of which may be disabled by now; the departures take
    from it, and the arrivals add to it in their hottest place, themselves.
    """

    def __init__(self, transitions: int) -> None:
        self.ready: list[int] = []
        self.is_ready = bytearray(transitions)

    def enable(self, t: int, now: int) -> None:
        if not self.is_ready[t]:
            self.is_ready[t] = 1
            heappush(self.ready, t)

    def hold(self, t: int) -> None:
        """``t`` counts as being in the heap already, so it never gets there."""
        self.ready[:] = sorted(u for u in self.ready if u != t)
        self.is_ready[t] = 1

    def clocks(self, enabled: Iterable[int]) -> list[tuple[int, int | None]]:
        """(transition, since when) of those ``enabled``: nobody knows."""
        return [(t, None) for t in enabled]

    def resume(self, clocks: Iterable[tuple[int, int]]) -> None:
        """Go on with what :meth:`clocks` told."""
        for t, since in clocks:
            self.enable(t, since)

    def wake_at(self, now: int) -> int | None:
        return None

    def idle(self) -> bool:
        return not self.ready


class Agenda:
    """Clocks and order of the enabled transitions: priority descending, enablement time, declaration order.

    Transitions that were enabled at one instant, but in different cycles, go by their cycle: so simulated time, which
    stands still while code runs, orders them as real time does. ``cycle`` is the number of the present one.

    state: transition → IDLE, ENABLED or INTERRUPTED, shared with (and written by) the scheduler.
    """

    def __init__(self, compiled: EngineNet, state: bytearray, tolerance: int) -> None:
        transitions = compiled.transitions
        self._state = state
        self._rank = [-t.priority for t in transitions]
        self._earliest = [t.earliest for t in transitions]
        self._grace = [None if t.latest is None else t.latest + tolerance for t in transitions]
        self.cycle = 0
        self._since = [0] * len(transitions)
        self._born = [0] * len(transitions)
        """The cycle in which the clock started: never later for an earlier time."""
        self.ready: list[tuple[int, int, int]] = []
        """A heap of (rank, cycle of enabling, transition), each transition once; some may be out of date."""
        self._is_ready = bytearray(len(transitions))
        self.waiting: list[tuple[int, int]] = []
        """A heap of (earliest time, transition), likewise."""
        self._is_waiting = bytearray(len(transitions))
        self.limits: list[tuple[int, int]] = []
        """(latest bound with tolerance, transition) of the enabled transitions that have one, and of some that had."""
        self._is_limited = bytearray(len(transitions))

    def enable(self, t: int, now: int) -> None:
        """Start (or restart) the clock of ``t``."""
        self._since[t] = now
        self._born[t] = self.cycle
        wait = self._earliest[t]
        if wait:
            if not self._is_waiting[t]:
                self._is_waiting[t] = 1
                heappush(self.waiting, (now + wait, t))
        elif not self._is_ready[t]:
            self._is_ready[t] = 1
            heappush(self.ready, (self._rank[t], self.cycle, t))
        grace = self._grace[t]
        if grace is not None and not self._is_limited[t]:
            self._is_limited[t] = 1
            heappush(self.limits, (now + grace, t))

    def clocks(self, enabled: Iterable[int]) -> list[tuple[int, int | None]]:
        """(transition, since when) of those ``enabled``, in the order in which they became so."""
        born = self._born
        return [(t, self._since[t]) for t in sorted(enabled, key=lambda t: (born[t], t))]

    def resume(self, clocks: Iterable[tuple[int, int]]) -> None:
        """Go on with what :meth:`clocks` told, in another scheduler; order counts where times are equal."""
        for t, since in sorted(clocks, key=lambda clock: clock[1]):
            self.enable(t, since)
            self.cycle += 1

    def hold(self, t: int) -> None:
        """``t``, which waits for no time, counts as being in the heap already, so it never gets there."""
        self.ready[:] = sorted(entry for entry in self.ready if entry[2] != t)
        self._is_ready[t] = 1

    def next_ready(self, now: int) -> int:
        """Take the first transition that is ready and still enabled; −1 when there is none (see :meth:`wake`)."""
        ready, state, born = self.ready, self._state, self._born
        while ready:
            rank, cycle, t = heappop(ready)
            if state[t] == ENABLED and born[t] != cycle and self._since[t] + self._earliest[t] <= now:
                heappush(ready, (rank, born[t], t))
                continue
            self._is_ready[t] = 0
            if state[t] == ENABLED and born[t] == cycle:
                return t
        return -1

    def overdue(self, now: int) -> Iterator[int]:
        """Take the enabled transitions whose latest bound, tolerance included, lies before ``now``."""
        while (limit := self._first_limit()) is not None and limit < now:
            _, t = heappop(self.limits)
            self._is_limited[t] = 0
            yield t

    def wake_at(self, now: int) -> int | None:
        """The next time after ``now`` at which a clock matters: a transition becomes ready, or is past its deadline."""
        self.wake(now)
        due = self._first_due()
        limit = self._first_limit()
        if limit is None:
            return due
        return limit + 1 if due is None else min(due, limit + 1)

    def idle(self) -> bool:
        """Whether no transition is waiting to become ready or to be fired."""
        return not self.ready and self._first_due() is None

    def wake(self, now: int) -> None:
        """Make those ready whose earliest time has come."""
        while (due := self._first_due()) is not None and due <= now:
            _, t = heappop(self.waiting)
            self._is_waiting[t] = 0
            if not self._is_ready[t]:
                self._is_ready[t] = 1
                heappush(self.ready, (self._rank[t], self._born[t], t))

    def _first_due(self) -> int | None:
        waiting = self.waiting
        while waiting:
            due, t = waiting[0]
            real = self._since[t] + self._earliest[t]
            if self._state[t] == IDLE:
                heappop(waiting)
                self._is_waiting[t] = 0
            elif real > due:
                heappop(waiting)
                heappush(waiting, (real, t))
            else:
                return due
        return None

    def _first_limit(self) -> int | None:
        limits = self.limits
        while limits:
            limit, t = limits[0]
            grace = self._grace[t]
            real = limit if grace is None else self._since[t] + grace
            if self._state[t] == IDLE:
                heappop(limits)
                self._is_limited[t] = 0
            elif real > limit:
                heappop(limits)
                heappush(limits, (real, t))
            else:
                return limit
        return None
