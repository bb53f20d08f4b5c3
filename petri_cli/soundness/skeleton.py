"""The search net of a plan: only what can wait, on chosen resources and widths.

What it preserves: the resource deadlocks of the plan with the other resources removed. Tasks, loops and blocks
without a guard on the chosen resources are gone; a place whose only use is to be left at once is fused away (post-
agglomeration, Berthelot 1987); the items of a foreach whose body has no inner join are *counted*: n tokens in one
place (the quotient by the symmetry of the items; exact, since such items never synchronise with each other but
through resources).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from petri_cli.net.compiled import Action, CompiledNet
from petri_cli.net.firing import Step
from petri_cli.net.model import Net
from petri_cli.soundness.core import CoreNode, Kind
from petri_cli.soundness.fusion import Arcs, Mark, Move, effect, fuse
from petri_cli.soundness.parts import Items, Part
from petri_cli.soundness.timer import Deadline, Pace, never


@dataclass(frozen=True, slots=True)
class Skeleton:
    """The search net: ``net.actions[i]`` stands for the moves ``runs[i]``, one after the other."""

    part: Part
    net: CompiledNet
    runs: tuple[tuple[Move, ...], ...]
    widths: Mapping[str, int]
    """The width at which each foreach of the part is unfolded, by its id."""

    def controlled(self) -> frozenset[int]:
        """Plan indices of the guards and choices whose steps the search decided; all else happens by itself."""
        return frozenset(m.mark.node for run in self.runs for m in run if m.mark is not None)

    def told(self, actions: Sequence[int], deadline: Deadline = never) -> list[tuple[Mark, Items]]:
        """A run of the search net in the plan's terms: every marked move with the items it belongs to.

        Tokens of a counted place are told apart by the order in which they arrive. Raises OutOfTime.
        """
        pace = Pace(deadline)
        counted = {i for i, name in enumerate(self.net.places) if name == COUNTED}
        where: dict[int, deque[Items]] = {}
        story: list[tuple[Mark, Items]] = []
        for a in actions:
            pace.step()
            for move in self.runs[a]:
                carried: list[Items] = []
                for p, k in move.needs:
                    queue = where.get(p)
                    if queue:
                        carried += (queue.popleft() for _ in range(min(k, len(queue))))
                item = carried[0] if len(carried) == 1 else move.items
                if move.mark is not None:
                    story.append((move.mark, item + move.tail))
                for p, k in move.gives:
                    if p in counted:
                        fresh = [item] if k == 1 else [(*item, i) for i in range(1, k + 1)]
                        where.setdefault(p, deque()).extend(fresh)
        return story


COUNTED = "#"
"""Name of the places of a counted foreach."""


def build(part: Part, kept: int, widths: Mapping[int, int], *, skips: bool = False) -> Skeleton:
    """The search net of ``part`` with the resources ``kept`` (a bit set), each foreach at its width in ``widths``.

    skips: a foreach may also be passed without any item (statement E).
    """
    return _Builder(part, kept, widths, skips=skips).build()


def size_of(part: Part, kept: int, widths: Mapping[int, int]) -> int:
    """How many moves :func:`build` would make, more or less, before it is asked to."""
    relevant = _relevant(part, kept, widths)
    inner = _joins(part, relevant, widths)
    size: dict[int, int] = {}
    for node in reversed(part.nodes):
        if node.index in relevant:
            total = sum(size[c] for c in node.children if c in relevant)
            if node.kind is Kind.FOREACH and node.index in inner:
                total *= widths[node.index]
            size[node.index] = total + 2
    return size.get(part.root, 0)


def _relevant(part: Part, kept: int, widths: Mapping[int, int]) -> set[int]:
    """The nodes whose subtree has a live guard on a kept resource."""
    relevant: set[int] = set()
    for node in reversed(part.nodes):
        i = node.index
        if node.kind is Kind.FOREACH and widths[i] == 0:
            continue
        if any(kept >> r & 1 for r, _ in node.units) or any(c in relevant for c in node.children):
            relevant.add(i)
    return relevant


def _joins(part: Part, relevant: Collection[int], widths: Mapping[int, int]) -> set[int]:
    """The nodes whose subtree, below its root, has a join of more than one relevant part."""
    inside: set[int] = set()
    by_index = {n.index: n for n in part.nodes}
    for node in reversed(part.nodes):
        for c in node.children:
            if c in relevant:
                child = by_index[c]
                parts = sum(g in relevant for g in child.children)
                is_join = (child.kind is Kind.PARALLEL and parts > 1) or (child.kind is Kind.FOREACH and widths[c] > 1)
                if is_join or c in inside:
                    inside.add(node.index)
    return inside


@dataclass(frozen=True, slots=True)
class _Work:
    node: int
    items: Items
    entry: int
    exit: int
    counted: bool
    tail: Items = ()

    def inward(self, node: int, entry: int, exit_: int) -> _Work:
        """A part of this node between two places."""
        return _Work(node, self.items, entry, exit_, self.counted, self.tail)


class _Builder:
    def __init__(self, part: Part, kept: int, widths: Mapping[int, int], *, skips: bool) -> None:
        self.part = part
        self.skips = skips
        self.by_index = {n.index: n for n in part.nodes}
        self.kept = kept
        self.widths = widths
        self.relevant = _relevant(part, kept, widths)
        self.inner_joins = _joins(part, self.relevant, widths)
        self.names: list[str] = []
        self.moves: list[Move] = []
        self.work: list[_Work] = []

    def build(self) -> Skeleton:
        core = self.part.core
        resources = [self.place(f"r.{r}") for r in core.resources]
        start, end = self.place("start"), self.place("end")
        if self.part.root in self.relevant:
            self.work.append(_Work(self.part.root, self.part.items, start, end, counted=False))
        else:  # every guard that is left stands in a foreach that is passed without any item
            self.moves.append(Move(((start, 1),), ((end, 1),), None, self.part.items))
        while self.work:
            self.emit(self.work.pop())
        initial = [0] * len(self.names)
        for r, c in zip(resources, self.part.capacities, strict=True):
            initial[r] = c
        final = list(initial)
        initial[start] = 1
        final[end] = 1
        runs = fuse([(m,) for m in self.moves], len(self.names), fixed={*resources, start, end})
        actions = tuple(_action(i, run) for i, run in enumerate(runs))
        net = CompiledNet(_NO_NET, tuple(self.names), actions, tuple(initial), tuple(final))
        widths = {core.plan.nodes[core.nodes[i].plan].id: w for i, w in self.widths.items()}
        return Skeleton(self.part, net, tuple(runs), widths)

    def place(self, name: str) -> int:
        self.names.append(name)
        return len(self.names) - 1

    def inner(self, node: CoreNode) -> list[int]:
        return [c for c in node.children if c in self.relevant]

    def move(self, w: _Work, needs: Arcs, gives: Arcs, mark: Mark | None = None) -> None:
        self.moves.append(Move(needs, gives, mark, w.items, w.tail))

    def emit(self, w: _Work) -> None:
        node = self.by_index[w.node]
        inner = self.inner(node)
        name = COUNTED if w.counted else ""
        match node.kind:
            case Kind.SEQ:
                entries = [w.entry, *(self.place(name) for _ in inner[1:])]
                for c, a, b in zip(inner, entries, [*entries[1:], w.exit], strict=True):
                    self.work.append(w.inward(c, a, b))
            case Kind.PARALLEL if len(inner) > 1:
                todo = [self.place(name) for _ in inner]
                done = [self.place(name) for _ in inner]
                self.move(w, ((w.entry, 1),), tuple((p, 1) for p in todo))
                self.move(w, tuple((p, 1) for p in done), ((w.exit, 1),))
                for c, a, b in zip(inner, todo, done, strict=True):
                    self.work.append(w.inward(c, a, b))
            case Kind.PARALLEL:
                self.work.append(w.inward(inner[0], w.entry, w.exit))
            case Kind.CHOICE:
                self.choice(node, w, name)
            case Kind.FOREACH:
                self.foreach(node, inner[0], w)
            case Kind.GUARD:
                self.guard(node, inner, w, name)
            case other:
                assert_never(other)

    def choice(self, node: CoreNode, w: _Work, name: str) -> None:
        skip = node.skip
        for c, branch in zip(node.children, node.branches, strict=True):
            if c in self.relevant:
                entry = self.place(name)
                self.move(w, ((w.entry, 1),), ((entry, 1),), Mark("choose", node.plan, branch))
                self.work.append(w.inward(c, entry, w.exit))
            elif not skip:
                skip = branch
        if skip:
            self.move(w, ((w.entry, 1),), ((w.exit, 1),), Mark("choose", node.plan, skip))

    def foreach(self, node: CoreNode, body: int, w: _Work) -> None:
        width = self.widths[node.index]
        begun = w.entry
        if self.skips:
            self.move(w, ((w.entry, 1),), ((w.exit, 1),), Mark("skip", node.plan))
            if width == 1:  # whose item has begun can no longer pass without any, however long it waits
                begun = self.place(COUNTED if w.counted else "")
                self.move(w, ((w.entry, 1),), ((begun, 1),))
        if width == 1:
            one = w.inward(body, begun, w.exit)
            deeper = replace(one, tail=(*w.tail, 1)) if w.counted else replace(one, items=(*w.items, 1))
            self.work.append(deeper)
        elif node.index not in self.inner_joins:
            todo, done = self.place(COUNTED), self.place(COUNTED)
            self.move(w, ((w.entry, 1),), ((todo, width),))
            self.move(w, ((done, width),), ((w.exit, 1),))
            self.work.append(_Work(body, w.items, todo, done, counted=True))
        else:
            pairs = [(self.place(""), self.place("")) for _ in range(width)]
            self.move(w, ((w.entry, 1),), tuple((a, 1) for a, _ in pairs))
            self.move(w, tuple((b, 1) for _, b in pairs), ((w.exit, 1),))
            for k, (a, b) in enumerate(pairs, 1):
                self.work.append(_Work(body, (*w.items, k), a, b, counted=False))

    def guard(self, node: CoreNode, inner: list[int], w: _Work, name: str) -> None:
        units = tuple((r, k) for r, k in node.units if self.kept >> r & 1)
        if not units:
            self.work.append(w.inward(inner[0], w.entry, w.exit))
            return
        body = self.place(name)
        done = self.place(name) if inner else body
        self.move(w, ((w.entry, 1), *units), ((body, 1),), Mark("acquire", node.plan))
        self.move(w, ((done, 1),), ((w.exit, 1), *units), Mark("release", node.plan))
        if inner:
            self.work.append(w.inward(inner[0], body, done))


_NO_NET = Net("search", (), ())


def _action(i: int, run: tuple[Move, ...]) -> Action:
    needs, gives = effect(run)
    return Action(Step(str(i)), needs, frozenset(), (), (), (), gives, (), hard=False)
