"""What a reference stands for, at a node of the plan and for a thread: results of earlier tasks, the item, the round.

Inside a foreach, a task of the same body stands for this item's result; from outside, for the list of all in item
order (lists of lists where foreachs nest, None for an item that has none); in a loop, for its latest one.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from petri_cli.document.fields import did_you_mean
from petri_cli.driver.capture import load_result
from petri_cli.driver.threads import Thread, items_of, name_of
from petri_cli.plan.expression import Lookup, Missing, Reference, follow
from petri_cli.plan.expression_tree import ITEM, LOOP
from petri_cli.plan.lower import Items
from petri_cli.plan.model import Foreach, Plan, PlanNode, Task

MOST_LOADED = 32 * 1024 * 1024
"""Bytes of files that are kept as read."""

ByThread = Mapping[str, Mapping[str, Any]]


class Results:
    """The results of a session, as they are whenever one is looked up: what it is given may grow meanwhile.

    results: task id → thread name → the latest result (``State.results``). widths: foreach id → name of the thread
    around it → how many items were discovered last, where that is known: then results of later items, of an earlier
    round, are left out, and an item without a result has None in its place. in_files: results that are only in a file,
    as ``results`` has them: ``{path, size, sha256, cut?}``. They are read with ``load``, when an expression looks into
    them.
    """

    def __init__(
        self,
        plan: Plan,
        results: ByThread,
        widths: Mapping[str, Mapping[str, int]] | None = None,
        load: Callable[[Mapping[str, Any]], Any] = load_result,
        in_files: ByThread | None = None,
    ) -> None:
        self._plan = plan
        self._results = results
        self._widths = {} if widths is None else widths
        self._in_files = {} if in_files is None else in_files
        self._load = load
        self._tasks = {node.id: node for node in plan.nodes if isinstance(node, Task)}
        self._around: dict[int, tuple[Foreach, ...]] = {}
        self._loaded: OrderedDict[tuple[str, str], tuple[int, Any]] = OrderedDict()
        """(path, SHA-256) → size and what is in it; the latest last."""
        self._size = 0

    def at(self, node: PlanNode, thread: Thread) -> Lookup:
        """How ``node`` (task, foreach, choice, loop) sees them in ``thread``. The lookup raises Missing."""
        return partial(self._lookup, node, thread)

    def _lookup(self, node: PlanNode, thread: Thread, reference: Reference) -> Any:
        if reference.head == ITEM:
            if not thread.name:
                raise Missing("there is no foreach around it, so there is no item")
            return follow(thread.item, reference)
        if reference.head == LOOP:
            if not thread.rounds:
                raise Missing("there is no loop around it, so there is no round")
            return follow({"round": thread.rounds[-1]}, reference)
        task = self._tasks.get(reference.head)
        if task is None:
            raise Missing(f"there is no task `{reference.head}`", did_you_mean(reference.head, tuple(self._tasks)))
        return follow(self._result(task, node, thread), reference)

    def _result(self, task: Task, node: PlanNode, thread: Thread) -> Any:
        around, here = self._foreachs(task), self._foreachs(node)
        shared = 0
        while shared < min(len(around), len(here)) and around[shared] is here[shared]:
            shared += 1
        found = self._results.get(task.id, {})
        items = thread.items[:shared]
        if shared == len(around):
            name = name_of(items)
            if name not in found:
                raise Missing(
                    f"task `{task.id}` has no result yet", f"write default(${{{task.id}}}, …) where that may be"
                )
            return self._read(task.id, found, name)
        return self._gathered(task.id, items, around[shared:])

    def _gathered(self, task: str, items: Items, inner: tuple[Foreach, ...]) -> list[Any]:
        """The results of all items below ``items``, as lists within lists, one level a foreach.

        Each item keeps its place: None where it did not do the task, or never came to the foreach around it.
        """
        found = self._results.get(task, {})
        children = _children(found, items)
        whole: list[Any] = []
        lists = [(items, whole)]
        for depth, foreach in enumerate(inner, 1):
            below: list[tuple[Items, list[Any]]] = []
            for path, here in lists:
                for item in self._items_below(path, foreach, children) or ():
                    child = (*path, item)
                    if depth == len(inner):
                        name = name_of(child)
                        here.append(self._read(task, found, name) if name in found else None)
                    elif self._items_below(child, inner[depth], children) is None:
                        here.append(None)
                    else:
                        here.append([])
                        below.append((child, here[-1]))
            lists = below
        return whole

    def _items_below(self, path: Items, foreach: Foreach, children: Mapping[Items, list[int]]) -> Iterable[int] | None:
        """The items of ``foreach`` in the thread ``path``: those discovered last, else those with results; None where
        it has met none yet. Items of an earlier round only are left out."""
        width = self._widths.get(foreach.id, {}).get(name_of(path))
        return children.get(path) if width is None else range(1, width + 1)

    def _foreachs(self, node: PlanNode) -> tuple[Foreach, ...]:
        """The foreachs around a node, outermost first."""
        known = self._around.get(node.index)
        if known is None:
            found = [n for n in self._plan.ancestors(node.index) if isinstance(n, Foreach)]
            known = self._around[node.index] = tuple(reversed(found))
        return known

    def _read(self, task: str, found: Mapping[str, Any], thread: str) -> Any:
        file = self._in_files.get(task, {}).get(thread)
        if file is None:
            return found[thread]
        key = str(file.get("path")), str(file.get("sha256"))
        if key in self._loaded:
            self._loaded.move_to_end(key)
            return self._loaded[key][1]
        value = self._load(file)
        self._keep(key, int(file.get("size", 0)), value)
        return value

    def _keep(self, key: tuple[str, str], size: int, value: Any) -> None:
        """What was read last is likely to be asked for again: by the next item, for the next decision."""
        self._loaded[key] = size, value
        self._size += size
        while self._size > MOST_LOADED:
            _, (gone, _) = self._loaded.popitem(last=False)
            self._size -= gone


def _children(names: Iterable[str], items: Items) -> dict[Items, list[int]]:
    """Path → the items right below it on the way to any of the threads, in order; for paths from ``items`` down."""
    found: dict[Items, list[int]] = {}
    for path in sorted(t for t in map(items_of, names) if t[: len(items)] == items):
        for depth in range(len(items), len(path)):
            known = found.setdefault(path[:depth], [])
            if not known or known[-1] != path[depth]:
                known.append(path[depth])
    return found
