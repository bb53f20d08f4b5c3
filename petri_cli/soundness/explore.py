"""The state space, breadth first, on packed markings: exact for every arc kind.

What it gives: every reachable marking in order of distance, a shortest run to each, the graph between them, and which
markings can still reach a given set of them. Cost: one dictionary look-up an edge; the enabled set of a marking is kept
up from its parent's, so that only actions that the last firing touched are looked at again. A state costs one integer,
its dictionary entry and some 30 bytes of arrays; there is no object per state.

Outcomes are separate actions; timing, priority and names are ignored. Transitions with a hard deadline are explored as
others are; a marking in which only such are enabled is recorded as a *rest*, for they can be reaped instead.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.bits import members
from petri_cli.soundness.packed import Overflow, PackedNet
from petri_cli.soundness.timer import Deadline

BLOCK = 1024
"""States expanded between two looks at the deadline."""
FIRST_LOOK = 500
"""States after which a watcher first looks at what is there; then each time the number has doubled."""
MOST_SETS = 1 << 16
"""Enabled sets whose action lists are remembered."""

Select = Callable[[int, int], Sequence[int]]
"""(packed marking, non-empty enabled set) → the actions to follow."""


@dataclass(frozen=True, slots=True)
class Window:
    """A number of tokens on some places, a place counted as often as it is named: ``least`` to ``most``.

    marked: not their tokens are counted, but how many of the places have one; at_rest: only rests are asked.
    """

    places: tuple[int, ...]
    least: int
    most: int | None
    marked: bool = False
    at_rest: bool = False


class Grows(Protocol):
    """A state space as far as :func:`grow` is concerned."""

    @property
    def size(self) -> int: ...
    @property
    def complete(self) -> bool: ...
    def advance(self, limit: int, deadline: Deadline | None = None) -> bool: ...


class Watcher(Protocol):
    """Someone who looks for something in a growing state space."""

    def look(self) -> None:
        """Look at the states that came since the last time."""

    @property
    def decided(self) -> bool:
        """Whether more states could not tell more."""


def grow(space: Grows, watcher: Watcher, limit: int, deadline: Deadline) -> None:
    """Explore until the space is complete, the watcher is satisfied, there are more than ``limit`` states, or it is
    time. The watcher has seen every state when this returns."""
    step = FIRST_LOOK
    in_time = True
    while in_time and not watcher.decided and not space.complete and space.size <= limit:
        step = max(step, 2 * space.size)
        in_time = space.advance(min(step, limit), deadline)
        watcher.look()


class StateSpace:
    """A part of the state space that grows with :meth:`advance`; state i is the i-th marking found.

    select: which of the enabled actions are followed from a marking; None: all of them.
    markings: packed, by state; parent, by: the search tree (state and action that led to each; the root is its own
    parent);
    rests: states in which nothing, or nothing but transitions with a hard deadline, is enabled;
    expanded: states 0…expanded-1 have all their edges; fired: the set of actions enabled in one of them;
    overflowed: some place outgrew the widest field there is, so this part of the space does not grow any more;
    full: nor does it, since the memory that it may hold is used up.
    """

    def __init__(self, net: PackedNet, select: Select | None = None, most_bytes: int | None = None) -> None:
        self.net = net
        self.full = False
        self._room = None if most_bytes is None else net.room(most_bytes)
        self._select = select
        self.markings = [net.initial]
        self.parent, self.by = array("I", [0]), array("I", [0])
        self.rests: list[int] = []
        self.expanded = 0
        self.fired = 0
        self.overflowed = False
        self._soft = sum(1 << a for a, action in enumerate(net.compiled.actions) if not action.hard)
        self._index: dict[int | bytes, int] = {net.key(net.initial): 0}
        self._waiting = deque([net.enabled(net.initial)])  # enabled sets of the states not yet expanded
        self._lists: dict[int, Sequence[int]] = {}  # enabled set → its members
        self._first, self._targets = array("Q", [0]), array("I")
        if not self._waiting[0] & self._soft:
            self.rests.append(0)

    @property
    def compiled(self) -> CompiledNet:
        return self.net.compiled

    @property
    def size(self) -> int:
        """How many states there are."""
        return len(self.markings)

    @property
    def complete(self) -> bool:
        """Whether every reachable marking is here."""
        return self.expanded == len(self.markings)

    @property
    def edges(self) -> int:
        return len(self._targets)

    def advance(self, limit: int, deadline: Deadline | None = None) -> bool:
        """Explore until complete or until there are more than ``limit`` states; False when the deadline, too many
        tokens or a lack of memory cut it short.

        Raises Overflow when a place outgrows its field and there are wider ones.
        """
        while not self.complete and len(self.markings) <= limit:
            self.full = self._room is not None and len(self.markings) > self._room
            if self.overflowed or self.full:
                return False
            try:
                self._expand_block(limit)
            except Overflow:
                # the states found so far are reachable; those of the block that was begun stay unexpanded
                if not self.net.widest:
                    raise
                self.overflowed = True
                return False
            if deadline is not None and deadline():
                return False
        return True

    def _expand_block(self, limit: int) -> None:
        """Expand up to BLOCK states. One plain loop: this is where the time goes."""
        markings, parent, by, rests = self.markings, self.parent, self.by, self.rests
        waiting, targets, first, lists = self._waiting, self._targets, self._first, self._lists
        net, soft, fired, select = self.net, self._soft, self.fired, self._select
        guards, update, fire, delta, number = net.guards, net.update, net.fire, net.delta, self._index.setdefault
        if len(lists) > MOST_SETS:
            lists.clear()
        i, size, wide = self.expanded, len(markings), net.key_bytes
        stop = i + BLOCK
        while i < size <= limit and i < stop:
            m, enabled = markings[i], waiting.popleft()
            fired |= enabled
            if select is None:
                successors = lists.get(enabled)
                if successors is None:
                    successors = lists[enabled] = tuple(members(enabled))
            else:
                successors = select(m, enabled) if enabled else ()
            for a in successors:
                d = delta[a]
                after = m + d if d is not None else fire(a, m)
                j = number(after.to_bytes(wide, "little") if wide else after, size)
                targets.append(j)
                if j == size:
                    if after & guards != guards:
                        raise Overflow
                    size += 1
                    markings.append(after)
                    parent.append(i)
                    by.append(a)
                    now = update(enabled, a, after)
                    waiting.append(now)
                    if not now & soft:
                        rests.append(j)
            first.append(len(targets))
            i += 1
        self.expanded, self.fired = i, fired

    def find(self, state: State | None) -> int | None:
        """The number of this state; None when it is not here."""
        marking = None if state is None else self.net.pack_if_it_fits(state)
        return None if marking is None else self._index.get(self.net.key(marking))

    def beyond(self, low: State, start: int) -> int | None:
        """The first state from ``start`` on with at least the tokens of ``low`` that is not the final one."""
        net, guards = self.net, self.net.guards
        least = net.pack_if_it_fits(low)
        if least is None:
            return None
        least ^= guards
        fresh = enumerate(self.markings[start:], start)
        return next((i for i, m in fresh if (m - least) & guards == guards and m != net.final), None)

    def outside(self, window: Window, start: int) -> int | None:
        """The first of the states (of the rests) from ``start`` on whose number of tokens is outside ``window``."""
        test = self.net.outside(window.places, window.least, window.most, marked=window.marked)
        candidates = self.rests[start:] if window.at_rest else range(start, len(self.markings))
        return next((i for i in candidates if test(self.markings[i])), None)

    def pump(self, start: int) -> tuple[int, int] | None:
        """The first state from ``start`` on that covers an ancestor, after the nearest such ancestor."""
        markings, parent = self.markings, self.parent
        guards = self.net.guards
        for above in range(start, len(markings)):
            m = markings[above]
            below = above
            while below:
                below = parent[below]
                if (m - (markings[below] ^ guards)) & guards == guards:
                    return below, above
        return None

    def most(self) -> list[int]:
        """The most tokens that each place holds in some state."""
        fields = zip(self.net.offset, self.net.value_mask, strict=True)
        return [max((m >> at) & mask for m in self.markings) for at, mask in fields]

    def is_dead(self, i: int) -> bool:
        """Whether nothing at all is enabled in state ``i``."""
        return not self.net.enabled(self.markings[i])

    def run_to(self, state: int) -> tuple[int, ...]:
        """The actions of a run to ``state``: none is shorter through the edges that are followed."""
        run: list[int] = []
        while state:
            run.append(self.by[state])
            state = self.parent[state]
        return tuple(reversed(run))

    def state(self, i: int) -> State:
        """The token counts of state ``i``."""
        return self.net.unpack(self.markings[i])

    def successors(self, i: int) -> array[int]:
        """The targets of the edges of an expanded state."""
        return self._targets[self._first[i] : self._first[i + 1]]

    def backwards(self, goals: Iterable[int]) -> bytearray:
        """For each state, 1 iff a state of ``goals`` is reachable from it through the edges that are here.

        Edges lead forward in the order of states but for cycles and shortcuts, so a sweep or two from the last state
        to the first settles nearly all; what is left goes by the reversed edges.
        """
        good = bytearray(len(self.markings))
        for g in goals:
            good[g] = 1
        is_good = good.__getitem__
        for _ in range(2):
            for i in range(self.expanded - 1, -1, -1):
                if not good[i] and any(map(is_good, self.successors(i))):
                    good[i] = 1
        before: dict[int, list[int]] = {}
        for i in range(self.expanded):
            if not good[i]:
                for j in self.successors(i):
                    before.setdefault(j, []).append(i)
        todo = [j for j in before if good[j]]
        while todo:
            for i in before.get(todo.pop(), ()):
                if not good[i]:
                    good[i] = 1
                    todo.append(i)
        return good
