"""The net of a plan as nested blocks: which places and transitions stand inside which node of the plan.

What a page draws is this tree. A block that is folded is one box; one that is open shows its members, and the blocks
among them are folded or open in turn. Very many branches, items or steps stand in parts of about ``PART``, so that no
block has more members than a person can look at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar, assert_never

from petri_cli.plan.fragments import Items, Lowered, label, suffix
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, PlanNode, Seq, Task
from petri_cli.render.phrase import amount, many

PART = 25
MOST = 40
"""Members that a block shows without parts."""

_T = TypeVar("_T")

Member = str | int
"""A place or transition by its id, or a block by its index."""


@dataclass(slots=True)
class Block:
    """kind: of the plan's node; ``item`` of a foreach; ``part`` of a long list. inside: its members, in plan order.
    parent: index of the block around it, −1 at the root, which comes first; line: in the plan's file."""

    kind: str
    title: str
    parent: int
    line: int = 0
    inside: list[Member] = field(default_factory=list)


def blocks_of(plan: Plan, lowered: Lowered) -> list[Block]:
    """The tree, parents before children. The root holds what belongs to the plan as a whole; resources are left out."""
    return _Tree(plan, lowered).build()


class _Tree:
    def __init__(self, plan: Plan, lowered: Lowered) -> None:
        self.plan = plan
        self.own: dict[tuple[int, Items], list[str]] = {}
        """For a node in its items, the elements that its fragment is made of, in the order of the net."""
        net = lowered.net
        for element in (*(p.id for p in net.places), *(t.id for t in net.transitions)):
            origin = lowered.origin[element]
            self.own.setdefault((origin.node, origin.items), []).append(element)
        self.widths = lowered.widths
        self.blocks: list[Block] = []
        self.todo: list[tuple[int, Items, int]] = []

    def build(self) -> list[Block]:
        root = self.add("plan", self.plan.name, -1)
        self.blocks[root].inside = [e for e in self.own.get((-1, ()), []) if not e.startswith("r.")]
        self.put(root, [(0, ())])
        while self.todo:
            index, items, block = self.todo.pop()
            self.fill(self.plan.nodes[index], items, block)
        return self.blocks

    def add(self, kind: str, title: str, parent: int, line: int = 0) -> int:
        self.blocks.append(Block(kind, title, parent, line))
        return len(self.blocks) - 1

    def put(self, block: int, nodes: Sequence[tuple[int, Items]]) -> None:
        """Members of ``block`` for nodes of the plan: tasks as they are, others as blocks to be filled later."""
        for index, items in nodes:
            node = self.plan.nodes[index]
            if isinstance(node, Task):
                self.blocks[block].inside += self.elements(index, items)
                continue
            inner = self.add(kind_of(node), title_of(node), block, node.where.line)
            self.blocks[block].inside.append(inner)
            self.todo.append((index, items, inner))

    def elements(self, index: int, items: Items) -> list[str]:
        """What a node consists of, but for the place behind it: that stands in the sequence around it."""
        after = self.after(index, items)
        return [e for e in self.own.get((index, items), []) if e != after]

    def after(self, index: int, items: Items) -> str:
        return f"p.done.{label(self.plan.nodes[index])}{suffix(items)}"

    def fill(self, node: PlanNode, items: Items, block: int) -> None:
        own = self.elements(node.index, items)
        match node:
            case Seq():
                for part, steps in self.parts(block, node.children, "steps"):
                    for child in steps:
                        self.put(part, [(child, items)])
                        if child != node.children[-1]:
                            self.blocks[part].inside.append(self.after(child, items))
            case Parallel() | Choice():
                branches = list(enumerate(node.children, 1))
                names = [_of_branch(node, k, items) for k, _ in branches]
                known = {e for of in names for e in of}
                mine = set(own)
                self.blocks[block].inside += [e for e in own if e not in known]
                for part, some in self.parts(block, branches, "branches"):
                    for k, child in some:
                        self.blocks[part].inside += [e for e in names[k - 1] if e in mine]
                        self.put(part, [(child, items)])
            case Foreach():
                self.blocks[block].inside += own
                [child] = node.children
                numbers = range(1, self.widths.get(node.id, 0) + 1)
                for part, numbered in self.parts(block, numbers, "items"):
                    for k in numbered:
                        title = f"{node.id}[{k}]" if not items else f"{node.id}{suffix(items)}[{k}]"
                        item = self.add("item", title, part, node.where.line)
                        self.blocks[part].inside.append(item)
                        inner = (*items, k)
                        self.blocks[item].inside += self.own.get((node.index, inner), [])
                        self.put(item, [(child, inner)])
            case Loop() | Guard():
                self.blocks[block].inside += own
                self.put(block, [(child, items) for child in node.children])
            case Task():
                raise AssertionError("a task is no block")
            case other:
                assert_never(other)

    def parts(self, block: int, members: Sequence[_T], word: str) -> Iterator[tuple[int, Sequence[_T]]]:
        """The blocks that ``members`` stand in: ``block`` itself, or parts of it, and parts of those."""
        todo = [(block, 0, members)]
        while todo:
            around, before, some = todo.pop()
            if len(some) <= MOST:
                yield around, some
                continue
            size = PART
            while len(some) > size * MOST:
                size *= PART
            parts = []
            for k in range(0, len(some), size):
                piece = some[k : k + size]
                first, last = before + k + 1, before + k + len(piece)
                part = self.add("part", f"{word} {first:,} to {last:,}", around)
                self.blocks[around].inside.append(part)
                parts.append((part, before + k, piece))
            todo += reversed(parts)


def kind_of(node: PlanNode) -> str:
    return type(node).__name__.lower()


def title_of(node: PlanNode) -> str:
    """What a folded block is called, beside its kind."""
    match node:
        case Guard(units=units):
            return " and ".join(amount(r, k) for r, k in units)
        case Parallel(children=children):
            return f"{len(children):,} branch{'' if len(children) == 1 else 'es'}"
        case Choice(children=children):
            return f"one of {len(children)}"
        case Seq(children=children):
            return many(len(children), "step")
        case Task() | Loop() | Foreach():
            return node.id
        case other:
            assert_never(other)


def _of_branch(node: Parallel | Choice, k: int, items: Items) -> list[str]:
    """The elements of the k-th branch that are not of its node."""
    tail = suffix(items)
    if isinstance(node, Parallel):
        return [f"p.par.{node.id}.{k}.{end}{tail}" for end in ("todo", "done")]
    return [f"t.choice.{node.id}.{k}{tail}", f"p.choice.{node.id}.{k}{tail}"]
