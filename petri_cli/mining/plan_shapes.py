"""What a plan of a process tree will look like, before its tasks have ids.

A graph in which a part that is written twice is one node: the second copy of a loop's body costs nothing here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from petri_cli.mining.tree import Leaf, Op, Tree

MOST_COPIED = 500
"""Steps of a loop's body that are written twice. A longer body is written once, and the loop allows more than the tree:
redo may come last, or be passed over. Without a limit, bodies within bodies would double at every level."""


@dataclass(frozen=True, slots=True)
class Shape:
    """kind: a key of the language; ``nothing`` is a task too. size: steps once everything is written out; alphabet: the
    activities in it, as a bit mask; passed: those that a case lacks which takes the way past (of a choice)."""

    kind: str
    children: tuple[int, ...] = ()
    activity: str = ""
    size: int = 1
    alphabet: int = 0
    loose: bool = False
    passed: int = 0


class Shapes:
    """made: parts, children before parents; root: the index of the whole; codes: activity → its bit."""

    def __init__(self, tree: Tree) -> None:
        self.made: list[Shape] = []
        self.codes: dict[str, int] = {}
        self.nothing = self._add(Shape("nothing"))
        below: dict[int, int] = {}
        for index in tree.bottom_up():
            node = tree.nodes[index]
            if isinstance(node, Leaf):
                below[index] = self.nothing if node.activity is None else self._task(node.activity)
                continue
            children = [below[c] for c in node.children]
            match node.op:
                case Op.SEQ:
                    below[index] = self._several("seq", children)
                case Op.AND:
                    below[index] = self._several("parallel", children)
                case Op.XOR:
                    below[index] = self._choice(children)
                case Op.LOOP:
                    below[index] = self._loop(*children)
        self.root = below[tree.root]

    def _add(self, shape: Shape) -> int:
        self.made.append(shape)
        return len(self.made) - 1

    def _task(self, activity: str) -> int:
        k = self.codes.setdefault(activity, len(self.codes))
        return self._add(Shape("task", activity=activity, alphabet=1 << k))

    def _inner(self, kind: str, children: Sequence[int], *, loose: bool = False, passed: int | None = None) -> int:
        parts = [self.made[c] for c in children]
        alphabet = reduce(or_, (p.alphabet for p in parts))
        size = 1 + sum(p.size for p in parts)
        return self._add(
            Shape(
                kind,
                tuple(children),
                size=size,
                alphabet=alphabet,
                loose=loose,
                passed=alphabet if passed is None else passed,
            )
        )

    def _flat(self, kind: str, children: Sequence[int]) -> Iterator[int]:
        """``children``, with those of their like in place of them."""
        for c in children:
            if self.made[c].kind == kind:
                yield from self.made[c].children
            else:
                yield c

    def _several(self, kind: str, children: Sequence[int]) -> int:
        parts = [c for c in self._flat(kind, children) if c != self.nothing]
        if len(parts) < 2:
            return parts[0] if parts else self.nothing
        return self._inner(kind, parts)

    def _choice(self, children: Sequence[int], passed: int | None = None) -> int:
        """The way past comes last, as an ``otherwise`` does."""
        parts = list(self._flat("choice", children))
        past = [self.nothing] if self.nothing in parts else []
        parts = [c for c in parts if c != self.nothing] + past
        return parts[0] if len(parts) == 1 else self._inner("choice", parts, passed=passed)

    def _loop(self, body: int, redo: int) -> int:
        if body == self.nothing:
            return self.nothing if redo == self.nothing else self._choice([self._inner("loop", [redo]), self.nothing])
        if redo == self.nothing:
            return self._inner("loop", [body])
        if self.made[body].size > MOST_COPIED:
            once = self._several("seq", [body, self._choice([redo, self.nothing])])
            return self._inner("loop", [once], loose=True)
        again = self._inner("loop", [self._several("seq", [redo, body])])
        return self._several("seq", [body, self._choice([again, self.nothing], self.made[redo].alphabet)])
