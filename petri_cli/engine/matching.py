"""Name matching: for one transition, which names satisfy every correlated arc, and which of them comes first.

Work is proportional to the names whose tokens changed, not to the names there are.
Model: Rosa-Velardo & de Frutos-Escrig, "Name Creation vs. Replication in Petri Net Systems", 2008.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush

from petri_cli.engine.queues import NameIndex
from petri_cli.engine.tokens import Name, name_order


class Matcher:
    """The names under which one transition is enabled.

    inputs: each correlated input's index with the count it needs of one name; inhibitors: the correlated inhibitors.
    """

    __slots__ = ("_changed", "_entered", "_heap", "_inhibitors", "_inputs")

    def __init__(self, inputs: Sequence[tuple[NameIndex, int]], inhibitors: Sequence[NameIndex]) -> None:
        self._inputs = tuple(inputs)
        self._inhibitors = tuple(inhibitors)
        self._changed: set[Name] = set()
        self._entered: dict[Name, int] = {}
        """Satisfied names, each with the age under which it stands in the heap."""
        self._heap: list[tuple[int, tuple[bool, Name], Name]] = []
        for index in {id(i): i for i in (*(i for i, _ in self._inputs), *self._inhibitors)}.values():
            index.listeners.append(self._changed)

    def enabled(self) -> bool:
        """Whether some name satisfies every correlated input and no correlated inhibitor holds a token of it."""
        if self._changed:
            self._update()
        return bool(self._entered)

    def best(self) -> Name:
        """The satisfied name whose oldest correlated token is oldest, then the least; the caller knows there is one."""
        heap, entered = self._heap, self._entered
        while entered.get(heap[0][2]) != heap[0][0]:
            heappop(heap)
        return heap[0][2]

    def _update(self) -> None:
        for name in self._changed:
            if self._satisfies(name):
                age = min(index.created_at(name) for index, _ in self._inputs)
                if self._entered.get(name) != age:
                    self._entered[name] = age
                    heappush(self._heap, (age, name_order(name), name))
            else:
                self._entered.pop(name, None)
        self._changed.clear()
        if len(self._heap) > 4 * len(self._entered) + 64:
            self._heap = [(age, name_order(name), name) for name, age in self._entered.items()]
            heapify(self._heap)

    def _satisfies(self, name: Name) -> bool:
        return all(index.counts.get(name, 0) >= k for index, k in self._inputs) and not any(
            name in index.counts for index in self._inhibitors
        )
