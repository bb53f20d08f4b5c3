"""Forward and backward reachability on sets of markings, by locality.

Events are fired in chains, bottom of the diagram first, and only when something that they look at has changed since
they were last fired (chaining: Roig, Cortadella, Pastor, "Verification of asynchronous circuits by BDD-based model
checking of Petri nets", ATPN 1995; after the idea of saturation, Ciardo, Lüttgen, Siminiceanu, TACAS 2001).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from petri_cli.net.compiled import CompiledNet
from petri_cli.soundness.symbolic.encoding import Encoding, Event, Set, expressible
from petri_cli.soundness.symbolic.order import place_order
from petri_cli.soundness.timer import Deadline

MOST_WORK = 10_000_000
"""What one question may cost where there is no clock, in nodes of the diagrams that are worked on: some seconds."""
AN_OPERATION = 150
"""What an operation on a set costs beside its nodes, in the same measure. An image has one for each number of tokens of
the places that it changes; each of these looks at a part of the set."""
A_PART = 8
MOST_BITS = 8
"""A place that outgrows so many bits is left to others."""
SIZES = (1 << 16, 1 << 20, 1 << 22)
"""Nodes of the diagrams in all, tried in turn: the last takes some 100 MB, which is not asked for without need."""

Answer = TypeVar("Answer")


class GaveUp(Exception):
    """Time, work or memory ran out, or a place holds too many tokens: no answer from here."""


class Effort:
    """What a question may still cost: time, and work (infinite where the clock decides)."""

    def __init__(self, deadline: Deadline, work: float = MOST_WORK) -> None:
        self.deadline, self.work = deadline, work

    def spend(self, nodes: int, operations: int) -> None:
        """Pay for operations on a set of so many nodes. Raises GaveUp."""
        self.work -= nodes + operations * (AN_OPERATION + nodes // A_PART)
        if self.work < 0 or self.deadline():
            raise GaveUp


@dataclass(slots=True)
class Growth:
    """How a set grew: ``sets[i + 1]`` is ``sets[i]`` and where event ``by[i]`` leads from it."""

    sets: list[Set] = field(default_factory=list)
    by: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Space:
    """All reachable markings of a net."""

    encoding: Encoding
    markings: Set
    effort: Effort

    def count(self) -> int:
        return self.encoding.count(self.markings)

    def dead(self) -> Set:
        """The reachable markings with no action enabled."""
        left = self.markings
        for e in sorted(self.encoding.events, key=lambda e: e.top):
            left = left & ~e.enabled
        return left

    def back_from(self, goals: Set) -> Set:
        """The reachable markings from which one of ``goals`` is reachable. Raises GaveUp."""
        events, inside = self.encoding.events, self.markings
        agenda = _Agenda(events, forwards=False)
        return _closure(goals & inside, lambda k, now: events[k].preimage(now) & inside, agenda, self.effort)

    def run_to(self, goals: Set) -> tuple[int, ...]:
        """Actions of a run from the initial marking to one of ``goals``, of which some are reachable. Raises GaveUp.

        The search is done again, with a note of every step by which it grew; from a marking found it is followed back.
        """
        encoding = self.encoding
        growth = Growth([encoding.one(encoding.compiled.initial)])
        reach(encoding, self.effort, growth)
        nothing = encoding.manager.false()
        at = _first(len(growth.sets), lambda i: growth.sets[i] & goals != nothing)
        state = encoding.pick(growth.sets[at] & goals)
        run: list[int] = []
        while at:
            a = growth.by[at - 1]
            run.append(a)
            before = encoding.events[a].preimage(encoding.one(state)) & growth.sets[at - 1]
            state = encoding.pick(before)
            here = state
            at = _first(at, lambda i: encoding.has(growth.sets[i], here))  # noqa: B023 - used at once
        return tuple(reversed(run))


def with_room(answer: Callable[[int], Answer]) -> Answer:
    """``answer`` with as few nodes as it needs (its argument). Raises GaveUp; ImportError without the extra."""
    from oxidd.util import DDMemoryError

    for nodes in SIZES:
        try:
            return answer(nodes)
        except DDMemoryError:
            continue
    raise GaveUp


def explore(compiled: CompiledNet, effort: Effort, nodes: int = SIZES[-1]) -> Space:
    """All reachable markings of ``compiled``. Raises GaveUp, DDMemoryError past so many ``nodes``, and ImportError
    without the extra."""
    if not all(expressible(a) for a in compiled.actions):
        raise GaveUp
    order = place_order(compiled)
    bits = [_bits(compiled, p) for p in range(len(compiled.places))]
    while max(bits, default=0) <= MOST_BITS:
        encoding = Encoding(_manager(nodes), compiled, order, bits)
        markings = reach(encoding, effort)
        outgrown = _outgrown(encoding, markings)
        if not outgrown:
            return Space(encoding, markings, effort)
        bits = [b + 1 if p in outgrown else b for p, b in enumerate(bits)]
    raise GaveUp


def reach(encoding: Encoding, effort: Effort, growth: Growth | None = None) -> Set:
    """The markings that are reachable while no place outgrows its bits. Raises GaveUp."""
    events = encoding.events

    def step(k: int, now: Set) -> Set:
        return events[k].image(now)

    start = encoding.one(encoding.compiled.initial)
    return _closure(start, step, _Agenda(events, forwards=True), effort, growth)


def _closure(
    start: Set, step: Callable[[int, Set], Set], agenda: _Agenda, effort: Effort, growth: Growth | None = None
) -> Set:
    now = start
    nodes = now.node_count()
    while (k := agenda.next()) is not None:
        effort.spend(nodes, agenda.operations[k])
        more = now | step(k, now)
        if more != now:
            now = more
            nodes = now.node_count()
            agenda.grew(k)
            if growth is not None:
                growth.sets.append(now)
                growth.by.append(k)
    return now


class _Agenda:
    """Which event to try next: sweeps from the bottom up over those that may lead to something new.

    What event e added may lead f further unless the two are independent: neither changes what the other looks at. Then
    f need not be tried again. For let m' = e(m) be new since f was last tried, and f enabled in it, so in m. If m was
    there when f was tried, f(m) was there when e was, which has added e(f(m)) = f(m') along with m'. If m itself came
    later, the same is true of m, and of what it came from, back to a marking that was there.
    """

    def __init__(self, events: Sequence[Event], *, forwards: bool) -> None:
        lookers: dict[int, set[int]] = {}
        changers: dict[int, set[int]] = {}
        for k, e in enumerate(events):
            for p in e.looks:
                lookers.setdefault(p, set()).add(k)
            for p in e.changes:
                changers.setdefault(p, set()).add(k)
        nobody: set[int] = set()
        self.operations = [e.operations for e in events]
        """What the image of each event takes."""
        self._wakes: list[list[int]] = []
        for k, e in enumerate(events):
            woken = nobody.union(*(lookers[p] for p in e.changes), *(changers.get(p, nobody) for p in e.looks))
            if forwards and e.settles:
                woken.discard(k)
            self._wakes.append(sorted(woken))
        self._sweep = sorted(range(len(events)), key=lambda k: (-events[k].top, -events[k].bottom, k))
        self._due = [bool(e.changes) for e in events]
        self._left = sum(self._due)
        self._at = 0

    def next(self) -> int | None:
        if not self._left:
            return None
        while not self._due[k := self._sweep[self._at]]:
            self._at = (self._at + 1) % len(self._sweep)
        self._due[k] = False
        self._left -= 1
        return k

    def grew(self, k: int) -> None:
        """Event ``k`` led to something new."""
        for j in self._wakes[k]:
            if not self._due[j]:
                self._due[j] = True
                self._left += 1


def _outgrown(encoding: Encoding, markings: Set) -> set[int]:
    """The places that one step from ``markings`` can fill beyond their bits, or some of them; none: there are none."""
    nothing = encoding.manager.false()
    somewhere = nothing
    for e in encoding.events:
        if e.outgrows:
            somewhere |= e.over
    if markings & somewhere == nothing:
        return set()
    return {p for e in encoding.events if e.outgrows and markings & e.over != nothing for p in e.outgrows}


def _bits(compiled: CompiledNet, p: int) -> int:
    """Bits for what place ``p`` is known to hold at one time or another; one at least."""
    most = max(compiled.initial[p], compiled.final[p] if compiled.final else 0)
    weights = (k for a in compiled.actions for q, k in (*a.needs, *a.produced) if q == p)
    return max(most, *weights, 1).bit_length()


def _manager(nodes: int) -> object:
    from oxidd.bdd import BDDManager

    return BDDManager(nodes, nodes // 4, 1)


def _first(size: int, holds: Callable[[int], bool]) -> int:
    """The first of 0…size−1 for which ``holds``: it does for the last, and for all after one for which it does."""
    low, high = 0, size - 1
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low
