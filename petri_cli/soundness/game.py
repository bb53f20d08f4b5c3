"""The token game on a plan's workflow net, paid for by the step and not by the size of the net.

The firing rule is the plain one. What is usually asked of the whole net (what can move now?) is asked of the places
that a step has touched; who lacks units of a resource waits in a queue until some come back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, MutableMapping

from petri_cli.net.model import PlaceOut, leaves
from petri_cli.plan.lower import Lowered, resource_place
from petri_cli.plan.model import Plan
from petri_cli.soundness.timer import Deadline, OutOfTime

CHECK_EVERY = 1024
"""Steps between two looks at the deadline."""

Arcs = tuple[tuple[str, int], ...]
"""(place, tokens) pairs."""


class Board:
    """A workflow net as the game needs it: its transitions go by their index in the net.

    resources: the resource places; final: the final marking;
    consumers: control place → the transitions that take from it, ascending.
    """

    def __init__(self, plan: Plan, lowered: Lowered) -> None:
        self.plan = plan
        self.lowered = lowered
        self.net = lowered.net
        self.transitions = lowered.net.transitions
        self.resources = frozenset(resource_place(r.id) for r in plan.resources)
        self.final = {p: n for p, n in (lowered.net.final or {}).items() if n}
        self.consumers: dict[str, list[int]] = {}
        for i, t in enumerate(self.transitions):
            for arc in t.inputs:
                if arc.place not in self.resources:
                    self.consumers.setdefault(arc.place, []).append(i)
        self._arcs: dict[int, tuple[Arcs, Arcs]] = {}

    def arcs(self, a: int) -> tuple[Arcs, Arcs]:
        """What transition ``a`` takes, control places first, and what it gives."""
        arcs = self._arcs.get(a)
        if arcs is None:
            t = self.transitions[a]
            needs = tuple((i.place, i.needs) for i in t.inputs)
            gives = tuple((x.place, x.count) for x in leaves(t.output) if isinstance(x, PlaceOut))
            arcs = self._arcs[a] = needs, gives
        return arcs

    def enabled(self, a: int, marking: Mapping[str, int]) -> bool:
        return all(marking.get(p, 0) >= k for p, k in self.arcs(a)[0])

    def fire(self, a: int, marking: MutableMapping[str, int]) -> None:
        """Fire ``a``, which is enabled. Places that run empty stay in ``marking``."""
        needs, gives = self.arcs(a)
        for p, k in needs:
            marking[p] -= k
        for p, k in gives:
            marking[p] = marking.get(p, 0) + k

    def candidates(self, marking: Mapping[str, int]) -> list[int]:
        """The transitions with a marked control place, ascending: no other can be enabled."""
        return sorted({a for p, n in marking.items() if n for a in self.consumers.get(p, ())})

    def is_stuck(self, marking: Mapping[str, int]) -> bool:
        """Whether nothing can move, and it is not the end."""
        if any(self.enabled(a, marking) for a in self.candidates(marking)):
            return False
        return {p: n for p, n in marking.items() if n} != self.final


class Player:
    """A run in the making."""

    def __init__(self, board: Board, deadline: Deadline) -> None:
        self.board = board
        self.marking = dict(board.net.initial)
        self.run: list[int] = []
        self._deadline = deadline
        self._queues: dict[str, dict[int, dict[int, None]]] = {p: {} for p in board.resources}
        """Resource place → units asked for → the transitions that were found to lack them, as they came."""

    def fire(self, a: int) -> None:
        self.board.fire(a, self.marking)
        self.run.append(a)
        if len(self.run) % CHECK_EVERY == 0 and self._deadline():
            raise OutOfTime

    def settle(self, may: Callable[[int], bool], candidates: Iterable[int | str]) -> None:
        """Fire whatever may and can until nothing does, the last of ``candidates`` first; those, and who waits in a
        queue, are all that can. Raises OutOfTime."""
        marking, arcs, queues = self.marking, self.board.arcs, self._queues
        todo: list[int | str] = [*candidates]  # transitions to look at, resources to look for takers of
        while todo:
            a = todo.pop()
            if isinstance(a, str):
                taker = self._taker(a)
                if taker is None:
                    continue
                todo.append(a)
                a = taker
            if not may(a):
                continue
            for p, k in arcs(a)[0]:
                if marking.get(p, 0) < k:
                    if p in queues:
                        queues[p].setdefault(k, {})[a] = None
                    break
            else:
                self.fire(a)
                todo += self.after(a)

    def after(self, a: int) -> list[int | str]:
        """Where to look for what ``a`` may have enabled."""
        consumers, queues = self.board.consumers, self._queues
        found: list[int | str] = []
        for p, _ in self.board.arcs(a)[1]:
            if p in queues:
                if queues[p]:
                    found.append(p)
            else:
                found += consumers.get(p, ())
        return found

    def _taker(self, resource: str) -> int | None:
        """Somebody in the queue for ``resource`` who asks for no more than there is, taken out of it."""
        there = self.marking[resource]
        for units, queue in self._queues[resource].items():
            if queue and units <= there:
                return queue.popitem()[0]
        return None
