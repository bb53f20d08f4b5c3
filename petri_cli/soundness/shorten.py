"""Taking out of a run what its end does not need.

A step is left out together with whatever can then no longer fire; what remains is kept if it still ends in an accepted
state. Whole stretches are tried before single steps (delta debugging: Zeller & Hildebrandt, "Simplifying and Isolating
Failure-Inducing Input", IEEE TSE 28(2), 2002), so a run of thousands of steps with a short core costs near-linear work;
then single steps, from the last to the first, until none can be spared. The result is minimal in that sense, not
shortest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.packed import Overflow, PackedNet, with_room
from petri_cli.soundness.timer import Deadline, never

SHRINK = 4
"""By how much stretches get shorter from one pass to the next."""


def shorten(
    compiled: CompiledNet, run: Sequence[int], accept: Callable[[State], bool], deadline: Deadline = never
) -> tuple[int, ...]:
    """A subsequence of ``run`` without a step to spare, itself a run from the initial state to an accepted one.

    run: action indices. Any net will do: each candidate is fired, with every arc kind. deadline: past it the run is
    returned as far as it was shortened. ValueError when ``run`` is no run, or does not end in an accepted state.
    """

    def search(net: PackedNet) -> tuple[int, ...]:
        shortening = _Shortening(net, run, accept, deadline)
        size = len(run)
        while size > SHRINK:
            size //= SHRINK
            shortening.leave_out(size)
        while shortening.leave_out(1):
            pass
        return tuple(shortening.run)

    return with_room(compiled, search)


class _Shortening:
    """The run so far, with the marking before each of its steps and after the last."""

    def __init__(self, net: PackedNet, run: Sequence[int], accept: Callable[[State], bool], deadline: Deadline) -> None:
        self._net = net
        self._accept = accept
        self._deadline = deadline
        self.run: list[int] = []
        self._before = [net.initial]
        self._append(list(run))
        if len(self.run) < len(run) or not self._accepted():
            raise ValueError("no run to an accepted state")

    def leave_out(self, size: int) -> bool:
        """Try to leave out each stretch of ``size`` steps, the last one first; whether any could be. Past the deadline
        nothing is tried any more."""
        spared = False
        end = len(self.run)
        while end > 0 and not self._deadline():
            start = max(0, end - size)
            spared |= self._without(start, end)
            end = min(start, len(self.run))
        return spared

    def _without(self, start: int, end: int) -> bool:
        rest, before = self.run[start:], self._before[start + 1 :]
        self._truncate(start)
        self._append(rest[end - start :])
        if self._accepted():
            return True
        self._truncate(start)
        self.run += rest
        self._before += before
        return False

    def _accepted(self) -> bool:
        return self._accept(self._net.unpack(self._before[-1]))

    def _truncate(self, length: int) -> None:
        del self.run[length:]
        del self._before[length + 1 :]

    def _append(self, steps: list[int]) -> None:
        """Fire those of ``steps`` that can fire, one after the other, from the last marking on."""
        net, run, before = self._net, self.run, self._before
        is_enabled, fire, guards = net.is_enabled, net.fire, net.guards
        m = before[-1]
        for a in steps:
            if is_enabled(a, m):
                try:
                    after = fire(a, m)
                    if after & guards != guards:
                        raise Overflow
                except Overflow:
                    if net.widest:
                        break  # a candidate that goes on from here is not worth its size
                    raise
                m = after
                run.append(a)
                before.append(m)
