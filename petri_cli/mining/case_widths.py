"""How many items each foreach of a plan had in a case, as far as its events tell.

A log does not tell items apart. So a foreach is as wide as it must at least be: each of its items has a task directly
in it once, of a choice one branch, and of a loop or a foreach within it at least one round or item.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from petri_cli.errors import PetriError
from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.plan_model import activity_of, plan_model
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task

Widths = tuple[tuple[str, int], ...]
"""(foreach, its items), sorted."""


class CaseWidths:
    """Of the cases of one plan. told: widths that are known, whatever a case shows."""

    def __init__(self, plan: Plan, told: Mapping[str, int] | None = None) -> None:
        self.plan = plan
        self.told = dict(told or {})
        self.open = [n for n in plan.nodes if isinstance(n, Foreach) and n.items is None]
        """Those that a width can be told of: any but a literal list."""
        self._outer = [-1] * len(plan.nodes)
        """Node → the innermost foreach around it."""
        for node in plan.nodes:
            if node.parent >= 0:
                around = isinstance(plan.nodes[node.parent], Foreach)
                self._outer[node.index] = node.parent if around else self._outer[node.parent]

    def of(self, events: Mapping[str, int]) -> Widths:
        """events: task → how many a case has."""
        if not self.open:
            return ()
        nodes = self.plan.nodes
        least = [0] * len(nodes)
        items: dict[int, int] = {}
        """Foreach → items of all its rounds together."""
        for node in reversed(nodes):
            match node:
                case Task():
                    found = events.get(node.id, 0)
                case Choice():
                    found = sum(least[c] for c in node.children)
                case Seq() | Parallel() | Guard():
                    found = max((least[c] for c in node.children), default=0)
                case Loop() | Foreach():
                    items[node.index] = max((least[c] for c in node.children), default=0)
                    found = min(1, items[node.index])
                case other:
                    assert_never(other)
            least[node.index] = found
        return self._divided(items)

    def _divided(self, items: Mapping[int, int]) -> Widths:
        """A foreach within a foreach has its items for each of the outer ones."""
        rounds: dict[int, int] = {}
        widths: dict[str, int] = {}
        for node in self.plan.nodes:
            if not isinstance(node, Foreach):
                continue
            outer = self._outer[node.index]
            times = 1 if outer < 0 else max(1, rounds[outer])
            width = self.told.get(node.id, -(-items[node.index] // times))
            rounds[node.index] = times * (width if node.items is None else node.items)
            if node.items is None:
                widths[node.id] = width
        return tuple(sorted(widths.items()))


@dataclass(frozen=True, slots=True)
class Group:
    """The variants of a log whose cases have the same widths. model: None where the net would get too large."""

    widths: Widths
    model: LabelledNet | None
    variants: tuple[int, ...]


def groups_of(plan: Plan, log: Log, told: Mapping[str, int]) -> Sequence[Group]:
    """The variants of ``log`` by the widths that they show, the narrowest first. At least one group.

    Raises PetriError ``PETRI_NET_TOO_LARGE`` where the net is too large at every width.
    """
    known = frozenset(log.activities)
    tasks = _tasks(plan, known)
    widths = CaseWidths(plan, told)
    groups: dict[Widths, list[int]] = {}
    for k, variant in enumerate(log.variants):
        events: Counter[str] = Counter()
        for a, n in Counter(variant).items():
            for task in tasks.get(log.activities[a], ()):
                events[task] += n
        groups.setdefault(widths.of(events), []).append(k)
    if not groups:
        groups[widths.of({})] = []
    found, too_large = [], None
    for key, variants in sorted(groups.items()):
        try:
            model: LabelledNet | None = plan_model(plan, dict(key), known)
        except PetriError as error:
            if error.code != "PETRI_NET_TOO_LARGE":
                raise
            model, too_large = None, error
        found.append(Group(key, model, tuple(variants)))
    if too_large is not None and all(g.model is None for g in found):
        raise too_large
    return found


def _tasks(plan: Plan, known: Collection[str]) -> dict[str, list[str]]:
    """Activity → tasks that it may be an event of."""
    found: dict[str, list[str]] = {}
    for task in plan.tasks():
        activity = activity_of(task, known)
        if activity is not None:
            found.setdefault(activity, []).append(task.id)
    return found


def spread(groups: Iterable[Widths]) -> dict[str, tuple[int, int]]:
    """Foreach → least and most items."""
    found: dict[str, tuple[int, int]] = {}
    for widths in groups:
        for loop, n in widths:
            low, high = found.get(loop, (n, n))
            found[loop] = min(low, n), max(high, n)
    return dict(sorted(found.items()))
