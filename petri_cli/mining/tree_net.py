"""A process tree as a workflow net: sound by construction, with silent steps where the tree routes.

Each node becomes a fragment with one place before it and one behind it (van der Aalst 1998, section 4; Leemans 2017,
section 2.3). A loop has places of its own, so that nothing else can begin or end in the middle of it.
"""

from __future__ import annotations

from petri_cli.mining.model import LabelledNet
from petri_cli.mining.tree import Leaf, Op, Tree
from petri_cli.net.model import AndOut, Input, Net, Place, PlaceOut, Transition

SOURCE, SINK = "start", "end"


def tree_net(tree: Tree, name: str = "tree") -> LabelledNet:
    """The net of ``tree``, from one token on ``start`` to one on ``end``."""
    return _Maker(tree).net(name)


class _Maker:
    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.places = [SOURCE, SINK]
        self.transitions: list[Transition] = []
        self.labels: dict[str, str] = {}
        self.silent = 0
        self.todo = [(tree.root, SOURCE, SINK)]
        """(node, place before it, place behind it)."""

    def net(self, name: str) -> LabelledNet:
        while self.todo:
            self.fragment(*self.todo.pop())
        net = Net(name, tuple(map(Place, self.places)), tuple(self.transitions), {SOURCE: 1}, {SINK: 1})
        return LabelledNet(net, self.labels)

    def fragment(self, index: int, before: str, behind: str) -> None:
        node = self.tree.nodes[index]
        if isinstance(node, Leaf):
            self.step([before], [behind], node.activity)
            return
        children = node.children
        match node.op:
            case Op.SEQ:
                between = [self.place() for _ in children[1:]]
                below = list(zip(children, [before, *between], [*between, behind], strict=True))
            case Op.XOR:
                below = [(c, before, behind) for c in children]
            case Op.AND:
                todo, done = [self.place() for _ in children], [self.place() for _ in children]
                self.step([before], todo)
                self.step(done, [behind])
                below = list(zip(children, todo, done, strict=True))
            case Op.LOOP:
                first, last = self.place(), self.place()
                self.step([before], [first])
                self.step([last], [behind])
                below = [(children[0], first, last), (children[1], last, first)]
        self.todo += reversed(below)

    def place(self) -> str:
        self.places.append(f"p{len(self.places) - 1}")
        return self.places[-1]

    def step(self, before: list[str], behind: list[str], activity: str | None = None) -> None:
        if activity is None:
            self.silent += 1
            tid = f"tau.{self.silent}"
        else:
            tid = f"t.{activity}"
            if tid in self.labels:
                tid = f"{tid}#{len(self.transitions)}"
            self.labels[tid] = activity
        leaves = tuple(map(PlaceOut, behind))
        output = leaves[0] if len(leaves) == 1 else AndOut(leaves)
        self.transitions.append(Transition(tid, tuple(map(Input, before)), output, name=activity or ""))
