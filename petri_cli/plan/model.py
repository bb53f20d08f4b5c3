"""The plan tree, kept flat: nodes in document order (pre-order), each with the indices of its parent and children.

Every analysis is a loop over the list, forward (parents before children) or backward (children before parents), so that
no depth of nesting can exhaust the interpreter's stack. Nodes are compared by identity; two plans are compared by
:func:`petri_cli.plan.compare.same_plan`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar, assert_never, dataclass_transform

from petri_cli.errors import NOWHERE, Position

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def _frozen(cls: type[_T]) -> type[_T]:
    """A slotted dataclass, compared by identity, that the type checker holds to be frozen.

    Checked at run time, the same promise would triple the cost of making a node.
    """
    return dataclass(slots=True, eq=False)(cls)


@dataclass(frozen=True, slots=True)
class Resource:
    """A counted resource. With ``per`` (seconds) it is a quota: units come back ``per`` after they were taken."""

    id: str
    capacity: int
    per: float | None = None
    where: Position = NOWHERE
    """Position of the declaration; ``capacity_at`` that of the capacity's value."""
    capacity_at: Position = NOWHERE


@_frozen
class Node:
    """What every node of a plan has.

    index: position in ``Plan.nodes``; parent: index of the parent, -1 at the root; children: indices, in order;
    end: one past the last descendant, so that the subtree is ``nodes[index:end]``; where: position in the file.
    """

    index: int
    parent: int
    children: tuple[int, ...]
    end: int
    where: Position
    id: str
    """As written, or generated: ``g1, g2, …`` for guards, ``1, 2, …`` for parallels and choices; empty for seq."""


@_frozen
class Task(Node):
    """One unit of real work. ``settings`` holds everything else the plan says of it (run, worker, verify, …)."""

    name: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


@_frozen
class Seq(Node):
    """Children in order."""


@_frozen
class Parallel(Node):
    """All children at once; done when all are. ``listed``: written as a plain list, not as ``{branches: …}``."""

    listed: bool = True


@dataclass(frozen=True, slots=True)
class Branch:
    """What a choice knows of one branch: its condition (None: otherwise) and name."""

    when: str | None = None
    name: str = ""
    wrapped: bool = field(default=False, compare=False)
    """Written as ``{when?, name?, body}``, not as a bare node."""


@_frozen
class Choice(Node):
    """Exactly one child; ``branches[k]`` belongs to ``children[k]``."""

    branches: tuple[Branch, ...] = ()
    listed: bool = True


@_frozen
class Loop(Node):
    """Its one child, then again or exit; at most ``max_iterations`` times."""

    max_iterations: int | None = None
    until: str | None = None
    delay: float | None = None
    on_exhausted: str = "fail"


@_frozen
class Foreach(Node):
    """Its one child once an item. ``items`` is the literal list's length, None when discovered at run time.

    ``over`` is the literal list, an expression on earlier results (``${…}``), or prose.
    """

    over: Any = ""
    items: int | None = None
    max_width: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)

    @property
    def width_limit(self) -> int | None:
        """The largest width the body can run at; None when nothing bounds it."""
        return self.items if self.items is not None else self.max_width


@_frozen
class Guard(Node):
    """Hold units of resources while the one child runs: ``units`` = ((resource id, k), …), acquired atomically."""

    units: tuple[tuple[str, int], ...] = ()
    units_at: Position = NOWHERE
    """Position of the units' value where written, else of the resource's name."""


PlanNode = Task | Seq | Parallel | Choice | Loop | Foreach | Guard


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """A plan that loaded without errors. ``nodes[0]`` is the root of the flow; nodes are in pre-order."""

    name: str
    nodes: tuple[PlanNode, ...]
    resources: tuple[Resource, ...] = ()
    objective: str = ""
    version: int = 1
    defaults: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Other top-level keys, as written."""
    file: str = ""

    def capacities(self) -> dict[str, int]:
        return {r.id: r.capacity for r in self.resources}

    def ancestors(self, index: int) -> Iterator[PlanNode]:
        """The nodes around ``nodes[index]``, innermost first, itself left out."""
        index = self.nodes[index].parent
        while index >= 0:
            yield self.nodes[index]
            index = self.nodes[index].parent

    def path(self, index: int) -> str:
        """Where ``nodes[index]`` stands in the document, e.g. ``flow.parallel[0].guard``.

        Worked out from the tree when asked for: kept with every node, the paths of a deep plan take quadratic room.
        """
        steps = [_KEYS[type(self.nodes[index])]]
        for parent in self.ancestors(index):
            steps.append(f"{_KEYS[type(parent)]}{_step(parent, index)}")
            index = parent.index
        return ".".join(["flow", *reversed(steps)])

    def tasks(self) -> Iterator[Task]:
        return (n for n in self.nodes if isinstance(n, Task))

    def guards(self) -> Iterator[Guard]:
        return (n for n in self.nodes if isinstance(n, Guard))


_KEYS: dict[type[Node], str] = {
    Task: "task",
    Seq: "seq",
    Parallel: "parallel",
    Choice: "choice",
    Loop: "loop",
    Foreach: "foreach",
    Guard: "guard",
}


def _step(parent: PlanNode, child: int) -> str:
    """How the document leads from the value of ``parent``'s key to the node of index ``child``."""
    k = bisect_left(parent.children, child)
    match parent:
        case Seq():
            return f"[{k}]"
        case Parallel(listed=listed):
            return f"[{k}]" if listed else f".branches[{k}]"
        case Choice(listed=listed, branches=branches):
            wrapped = ".body" if branches and branches[k].wrapped else ""
            return f"[{k}]{wrapped}" if listed else f".branches[{k}]{wrapped}"
        case Task() | Loop() | Foreach() | Guard():
            return ".body"
        case other:
            assert_never(other)
