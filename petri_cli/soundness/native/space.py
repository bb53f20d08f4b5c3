"""The state space of the compiled core, with the interface of :class:`petri_cli.soundness.explore.StateSpace`.

State for state the same: the same numbers, the same search tree, the same edges. A core that runs does so in slices,
between which the deadline is asked and Ctrl-C is heard; meanwhile other threads run, too.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.explore import Window
from petri_cli.soundness.native import binding
from petri_cli.soundness.native.binding import COMPLETE, FLOORS, NO_MEMORY, OVERFLOWED, PAUSED
from petri_cli.soundness.packed import Overflow
from petri_cli.soundness.timer import Deadline

if TYPE_CHECKING:
    from petri_cli.soundness.native import _core

SLICE = 1 << 18
"""Actions times states that are expanded in one go: some milliseconds."""
SWEEP = 1 << 17
"""States that are looked at in one go."""
ANCESTORS = 1 << 7
"""States whose ancestors are looked at in one go."""
EVERYTHING = (1 << 64) - 1
LAST = (1 << 32) - 1
TRIES, SMALL = 4, 1_000
"""How often, and up to how many states, single places get wider fields before all do."""

Found = TypeVar("Found")


class NotHere(Exception):
    """The compiled core is not there, or not for this net: ``floor`` value bits are needed at least."""

    def __init__(self, floor: int) -> None:
        super().__init__(floor)
        self.floor = floor


def with_core(compiled: CompiledNet, search: Callable[[_core.Space], Found], *, reduced: bool, most: int) -> Found:
    """Run ``search`` on a fresh search of the compiled core, again with wider fields as long as it raises Overflow.

    Fields start as narrow as can be. At first only those places get wider ones that need them, which keeps markings
    short where few places count; a search that has become large begins again with wider fields everywhere.

    Raises NotHere.
    """
    if binding.core is None:
        raise NotHere(1)
    floors = array("q", [FLOORS[0]]) * len(compiled.places)
    least = tries = 0
    told: array[int] | None = None
    while True:
        try:
            told = told or binding.numbers(compiled)
            core: _core.Space = binding.core.Space(told, floors, reduced, most)
        except (OverflowError, MemoryError):
            raise NotHere(1) from None
        try:
            return search(core)
        except Overflow:
            places = set(core.outgrown())
            tries += 1
            if tries > TRIES or core.size > SMALL or not places:
                least += 1
                places = set(range(len(floors)))
            if least == len(FLOORS) or any(floors[p] == FLOORS[-1] for p in places):
                raise NotHere(FLOORS[-1] + 1) from None
            for p in places:
                floors[p] = next(bits for bits in FLOORS if bits > floors[p])


def slice_of(compiled: CompiledNet) -> int:
    """States to expand between two looks at the deadline."""
    return max(16, SLICE // max(64, len(compiled.actions)))


class NativeSpace:
    """See StateSpace. Raises Overflow where that does, when fields are too narrow."""

    overflowed = False
    """Past the widest fields here the search is done in Python."""

    def __init__(self, compiled: CompiledNet, core: _core.Space) -> None:
        self.compiled = compiled
        self._core = core
        self._slice = slice_of(compiled)
        self._rests: list[int] = []

    @property
    def size(self) -> int:
        return self._core.size

    @property
    def expanded(self) -> int:
        return self._core.expanded

    @property
    def edges(self) -> int:
        return self._core.edges

    @property
    def complete(self) -> bool:
        return self._core.expanded == self._core.size

    @property
    def full(self) -> bool:
        return self._core.full

    @property
    def held(self) -> int:
        """Bytes that the search holds."""
        return self._core.held

    @property
    def rests(self) -> list[int]:
        self._rests += self._core.rests(len(self._rests))
        return self._rests

    @property
    def fired(self) -> int:
        return int.from_bytes(self._core.fired(), "little")

    def advance(self, limit: int, deadline: Deadline | None = None) -> bool:
        limit = max(0, min(limit, LAST))
        while (status := self._core.advance(limit, self._slice)) == PAUSED:
            if deadline is not None and deadline():
                return False
        if status == OVERFLOWED:
            raise Overflow
        return status != NO_MEMORY

    def find(self, state: State | None) -> int | None:
        if state is None:
            return None
        try:
            return self._core.find(array("q", state))
        except OverflowError:
            return None

    def run_to(self, state: int) -> tuple[int, ...]:
        return self._core.run_to(state)

    def state(self, i: int) -> State:
        return self._core.state(i)

    def is_dead(self, i: int) -> bool:
        return self._core.is_dead(i)

    def successors(self, i: int) -> list[int]:
        return self._core.successors(i)

    def backwards(self, goals: Iterable[int]) -> bytearray:
        good = bytearray(self.size)
        for g in goals:
            good[g] = 1
        status = self._core.backwards(good, SWEEP, True)
        while status == PAUSED:
            status = self._core.backwards(good, SWEEP, False)
        if status != COMPLETE:
            raise MemoryError
        return good

    def beyond(self, low: State, start: int) -> int | None:
        try:
            least = array("q", low)
        except OverflowError:
            return None
        for at in range(start, self.size, SWEEP):
            if (found := self._core.beyond(least, at, at + SWEEP)) is not None:
                return found
        return None

    def outside(self, window: Window, start: int) -> int | None:
        """See StateSpace. Sums past 64 bits raise Overflow: they are for Python."""
        places = array("q", window.places)
        least = min(window.least, EVERYTHING)
        most = EVERYTHING if window.most is None else min(window.most, EVERYTHING)
        if window.least > EVERYTHING or most < 0:
            raise Overflow
        end = len(self.rests) if window.at_rest else self.size
        for at in range(start, end, SWEEP):
            stop = min(end, at + SWEEP)
            try:
                found = self._core.outside(places, window.marked, window.at_rest, max(0, least), most, at, stop)
            except OverflowError:
                raise Overflow from None
            if found is not None:
                return found
        return None

    def pump(self, start: int) -> tuple[int, int] | None:
        for at in range(start, self.size, ANCESTORS):
            if (found := self._core.pump(at, at + ANCESTORS)) is not None:
                return found
        return None

    def most(self) -> list[int]:
        most = [0] * len(self.compiled.places)
        for at in range(0, self.size, SWEEP):
            most = list(map(max, most, self._core.most(at, at + SWEEP)))
        return most
