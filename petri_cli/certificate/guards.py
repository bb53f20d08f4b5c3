"""The net of a part of a plan with some of its resources: guards, choices, and what joins them.

Statements D, E, F and G of ``docs/theory.md``: the other resources are left out, each foreach has as many items as
can be involved in a deadlock or none, a loop is its body once, and a branch that never holds one of the resources while
it asks for another is left out. If no marking of this net is dead but the final one, the part has no deadlock over
these resources, whatever the widths.
"""

from __future__ import annotations

from collections.abc import Mapping

from petri_cli.certificate.claim import demand
from petri_cli.certificate.parts import Part
from petri_cli.net.model import AndOut, Cardinality, Input, Net, Place, PlaceOut, Transition
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, PlanNode, Seq, Task

END = "end"
MOST_STEPS = 50_000
"""Transitions of such a net."""


def guard_net(part: Part, kept: frozenset[str]) -> Net:
    """The net of ``part`` with the resources ``kept``, whose places come first; it ends with a token on the place
    ``end``. Raises Unproved where it would be too large."""
    return _Builder(part, kept).build()


def exact_net(part: Part) -> Net:
    """The same with all resources for which somebody may have to wait for ever, and every foreach as wide as it is
    there: what is dead in it is dead in the plan at these widths (B, E, G). Raises Unproved also where a literal list
    is longer than that, and would have to end before what follows it."""
    builder = _Builder(part, part.lasting)
    for node in part.nodes:
        fits = not isinstance(node, Foreach) or node.items is None or node.items <= builder.width[node.index]
        demand(fits, f"`{node.id}` has more items than are looked at")
    builder.none = False
    return builder.build()


def _resource(r: str) -> str:
    return f"units of {r}"


class _Builder:
    def __init__(self, part: Part, kept: frozenset[str]) -> None:
        self.part, self.kept, self.none = part, kept, True
        self.guarded = self._guarded()
        self.width = self._widths()
        self.joins = self._joins()
        self.places = [*map(_resource, sorted(kept)), "start", END]
        self.transitions: list[Transition] = []
        self.todo: list[tuple[int, str, str]] = []

    def _guarded(self) -> set[int]:
        """The nodes with a guard on the resources kept. A branch of the root parallel counts only when a guard lies
        inside another there (G)."""
        guarded: set[int] = set()
        nested: set[int] = set()  # the nodes in which a guard lies inside another
        for node in reversed(self.part.nodes[1:]):
            own = bool(self.part.units(node, self.kept))
            inside = any(c in guarded for c in node.children)
            if own or inside:
                guarded.add(node.index)
            if (own and inside) or any(c in nested for c in node.children):
                nested.add(node.index)
        root = self.part.nodes[0]
        kept = nested if isinstance(root, Parallel) else guarded
        self.branches = [b for b in self.part.branches if b in kept]
        return guarded

    def inner(self, node: PlanNode) -> list[int]:
        """The children that take part."""
        return self.branches if node is self.part.nodes[0] else [c for c in node.children if c in self.guarded]

    def _widths(self) -> dict[int, int]:
        """For each foreach how many of its items can hold something at one time, at most (E): each such item holds an
        outermost guard, and these are told apart by the scarcest of their resources."""
        width: dict[int, int] = {}
        outermost: dict[int, dict[str, int]] = {}  # node → resource → least request
        for node in reversed(self.part.nodes):
            mine = outermost[node.index] = {}
            units = self.part.units(node, self.kept)
            if units:
                scarcest = min(units, key=lambda r: (self.part.free[r] // units[r], r))
                mine[scarcest] = units[scarcest]
                continue
            for c in self.inner(node):
                for r, k in outermost[c].items():
                    mine[r] = min(k, mine.get(r, k))
            if isinstance(node, Foreach):
                most = max(1, sum(self.part.free[r] // k for r, k in mine.items()))
                width[node.index] = most if node.width_limit is None else min(most, node.width_limit)
        return width

    def _joins(self) -> set[int]:
        """The nodes in which, themselves included, parts that run side by side are joined."""
        joins: set[int] = set()
        for node in reversed(self.part.nodes):
            inner = self.inner(node)
            many = self.width[node.index] if isinstance(node, Foreach) else len(inner)
            if (isinstance(node, Parallel | Foreach) and many > 1) or any(c in joins for c in inner):
                joins.add(node.index)
        return joins

    def build(self) -> Net:
        demand(bool(self.branches), f"nobody in {self.part.path} asks for one of these resources while holding another")
        self.todo.append((self.part.root, "start", END))
        while self.todo:
            at, entry, exit_ = self.todo.pop()
            self.emit(self.part.plan.nodes[at], entry, exit_)
            demand(len(self.transitions) <= MOST_STEPS, f"the net of {self.part.path} is too large")
        units = {_resource(r): self.part.free[r] for r in self.kept}
        places = tuple(map(Place, self.places))
        return Net("part", places, tuple(self.transitions), {"start": 1, **units}, {END: 1, **units})

    def emit(self, node: PlanNode, entry: str, exit_: str) -> None:
        """The block of ``node`` between two places."""
        inner = self.inner(node)
        match node:
            case Task():
                raise AssertionError("a task takes no resource")
            case Loop():
                self.todo.append((inner[0], entry, exit_))
            case Seq():
                between = [self.place() for _ in inner[1:]]
                self.todo += zip(inner, [entry, *between], [*between, exit_], strict=True)
            case Parallel():
                self.side_by_side(f"{node.id} parallel", inner, entry, exit_)
            case Choice():
                for c in inner:
                    chosen = self.place()
                    self.step(f"choose in {node.id}", {entry: 1}, {chosen: 1})
                    self.todo.append((c, chosen, exit_))
                if len(inner) < len(node.children):
                    self.step(f"choose in {node.id}", {entry: 1}, {exit_: 1})
            case Foreach():
                self.foreach(node, inner[0], entry, exit_)
            case Guard():
                self.guard(node, inner, entry, exit_)

    def side_by_side(self, name: str, blocks: list[int], entry: str, exit_: str) -> None:
        if len(blocks) == 1:
            self.todo.append((blocks[0], entry, exit_))
            return
        begun, ended = [self.place() for _ in blocks], [self.place() for _ in blocks]
        self.step(f"split {name}", {entry: 1}, dict.fromkeys(begun, 1))
        self.step(f"join {name}", dict.fromkeys(ended, 1), {exit_: 1})
        self.todo += zip(blocks, begun, ended, strict=True)

    def foreach(self, node: Foreach, body: int, entry: str, exit_: str) -> None:
        """Items that join with nobody on their way need not be told apart: tokens in the places of one body. Who has
        begun with an item, a single one too, can no longer pass without any."""
        width = self.width[node.index]
        if self.none:
            self.step(f"no items in {node.id}", {entry: 1}, {exit_: 1})
        if width > 1 and body in self.joins:
            demand(width <= MOST_STEPS, f"the net of {self.part.path} is too large")
            self.side_by_side(node.id, [body] * width, entry, exit_)
            return
        begun, ended = self.place(), self.place()
        self.step(f"split {node.id}", {entry: 1}, {begun: width})
        self.step(f"join {node.id}", {ended: width}, {exit_: 1})
        self.todo.append((body, begun, ended))

    def guard(self, node: Guard, inner: list[int], entry: str, exit_: str) -> None:
        units = {_resource(r): k for r, k in self.part.units(node, self.kept).items()}
        if not units:
            self.todo.append((inner[0], entry, exit_))
            return
        body = self.place()
        done = self.place() if inner else body
        self.step(f"take {node.id}", {entry: 1, **units}, {body: 1})
        self.step(f"give {node.id}", {done: 1}, {exit_: 1, **units})
        if inner:
            self.todo.append((inner[0], body, done))

    def place(self) -> str:
        self.places.append(f"at {len(self.places)}")
        return self.places[-1]

    def step(self, name: str, takes: Mapping[str, int], puts: Mapping[str, int]) -> None:
        inputs = tuple(Input(p) if n == 1 else Input(p, Cardinality.EXACTLY, n) for p, n in takes.items())
        leaves = tuple(PlaceOut(p, n) for p, n in puts.items())
        output = leaves[0] if len(leaves) == 1 else AndOut(leaves)
        self.transitions.append(Transition(f"{len(self.transitions)}: {name}", inputs, output))
