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
from typing import Protocol

from petri_cli.net.compiled import State
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


class Watcher(Protocol):
    """Someone who looks for something in a growing state space."""

    def look(self) -> None:
        """Look at the states that came since the last time."""

    @property
    def decided(self) -> bool:
        """Whether more states could not tell more."""


def grow(space: StateSpace, watcher: Watcher, limit: int, deadline: Deadline) -> None:
    """Explore until the space is complete, the watcher is satisfied, there are more than ``limit`` states, or it is
    time. The watcher has seen every state when this returns."""
    step = FIRST_LOOK
    in_time = True
    while in_time and not watcher.decided and not space.complete and len(space.markings) <= limit:
        step = max(step, 2 * len(space.markings))
        in_time = space.advance(min(step, limit), deadline)
        watcher.look()


class StateSpace:
    """A part of the state space that grows with :meth:`advance`; state i is the i-th marking found.

    select: which of the enabled actions are followed from a marking; None: all of them.
    markings: packed, by state; parent, by: the search tree (state and action that led to each; the root is its own
    parent);
    rests: states in which nothing, or nothing but transitions with a hard deadline, is enabled;
    expanded: states 0…expanded-1 have all their edges; fired: the set of actions enabled in one of them;
    overflowed: some place outgrew the widest field there is, so this part of the space does not grow any more.
    """

    def __init__(self, net: PackedNet, select: Select | None = None) -> None:
        self.net = net
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
    def complete(self) -> bool:
        """Whether every reachable marking is here."""
        return self.expanded == len(self.markings)

    @property
    def edges(self) -> int:
        return len(self._targets)

    def advance(self, limit: int, deadline: Deadline | None = None) -> bool:
        """Explore until complete or until there are more than ``limit`` states; False when the deadline or
        too many tokens cut it short.

        Raises Overflow when a place outgrows its field and there are wider ones.
        """
        while not self.complete and len(self.markings) <= limit:
            if self.overflowed:
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

    def find(self, marking: int | None) -> int | None:
        """The number of the state with this packed marking; None when it is not here."""
        return None if marking is None else self._index.get(self.net.key(marking))

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
