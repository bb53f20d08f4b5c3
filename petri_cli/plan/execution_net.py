"""The execution net of a plan: the static coloured net that the engine runs.

The items of a foreach are tokens that carry the item's path as their name, and joins inside a foreach match by name. It
has silent transitions that the workflow net lacks: decisions (``….decide``), the end of an item (``….item``) and the
start of a delay (``….wait``). Time is outside: whoever runs the net gives it a token when a delay is over, and units of
a quota when they come back.
"""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.net.model import AndOut, Cardinality, Input, Match, Output, PlaceOut, Transition, XorOut
from petri_cli.plan.fragments import Fragments, Lowered, Work, resource_place
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Task

PARENT_NAME = ".."
"""Match key: project a token to the name of its parent (the path without its last item)."""

Arc = str | tuple[str, int]
"""A place, or (place, tokens)."""


def lower_execution(plan: Plan) -> Lowered:
    """The coloured net of ``plan`` that the engine runs; it has the same size whatever the widths."""
    return _ExecutionNet(plan).build()


def due_place(loop: Loop) -> str:
    """Where the execution net waits for a token from outside, named like the thread, when a loop's delay is over."""
    return f"p.loop.{loop.id}.due"


class _ExecutionNet(Fragments):
    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.in_foreach = _inside_foreach(plan)

    def task(self, node: Task, w: Work) -> None:
        self.transition(f"t.{node.id}", w, [w.entry], [w.exit], priority=node.settings.get("priority", 0))

    def parallel(self, node: Parallel, w: Work) -> None:
        todo, done = self.fork(node, w)
        self.transition(f"t.par.{node.id}.split", w, [w.entry], todo)
        self.transition(f"t.par.{node.id}.join", w, done, [w.exit], by_name=node.index in self.in_foreach)

    def choice(self, node: Choice, w: Work) -> None:
        numbers = range(1, len(node.children) + 1)
        ways = [self.place(f"p.choice.{node.id}.{k}.chosen", w.where) for k in numbers]
        self.decision(f"t.choice.{node.id}.decide", w, w.entry, ways)
        entries = [self.place(f"p.choice.{node.id}.{k}", w.where) for k in reversed(numbers)][::-1]
        self.inside(node.children, w, entries, [w.exit] * len(entries))
        for k, way, entry in zip(numbers, ways, entries, strict=True):
            self.transition(f"t.choice.{node.id}.{k}", w, [way], [entry])

    def loop(self, node: Loop, w: Work) -> None:
        name = f"loop.{node.id}"
        body, decide, again, left = (self.place(f"p.{name}.{k}", w.where) for k in ("body", "decide", "more", "left"))
        self.decision(f"t.{name}.decide", w, decide, [again, left])
        more = [again]
        if node.delay:
            more = [self.place(f"p.{name}.waiting", w.where), self.place(due_place(node), w.where)]
            self.transition(f"t.{name}.wait", w, [again], more[:1])
        self.transition(f"t.{name}.enter", w, [w.entry], [body])
        self.transition(f"t.{name}.again", w, more, [body], by_name=len(more) > 1)
        self.transition(f"t.{name}.exit", w, [left], [w.exit])
        self.inside(node.children, w, [body], [decide])

    def guard(self, node: Guard, w: Work) -> None:
        body = self.place(f"p.guard.{node.id}.body", w.where)
        done = self.place(f"p.guard.{node.id}.done", w.where)
        held = [(resource_place(r), k) for r, k in node.units]
        # the units of a quota come back from outside, injected by whoever runs the net when it is time
        lasting = [(resource_place(r), k) for r, k in node.units if r not in self.quotas]
        self.transition(f"t.guard.{node.id}.acquire", w, [w.entry, *held], [body])
        self.transition(f"t.guard.{node.id}.release", w, [done], [w.exit, *lasting])
        self.inside(node.children, w, [body], [done])

    def foreach(self, node: Foreach, w: Work) -> None:
        """n items are n tokens in the body's entry place; ``open`` holds one token an item, named by its parent, until
        the item has ended, and the gather waits until no such token is left."""
        name = f"foreach.{node.id}"
        body, done, open_, gathering = (
            self.place(f"p.{name}.{k}", w.where) for k in ("body", "done", "open", "gathering")
        )
        some = AndOut((PlaceOut(body), PlaceOut(open_), PlaceOut(gathering)))
        self.emit(Transition(f"t.{name}.discover", (Input(w.entry),), XorOut((some, PlaceOut(w.exit)))), w.where)
        end = Match(((done, PARENT_NAME), (open_, None)))
        self.emit(Transition(f"t.{name}.item", (Input(done), Input(open_)), None, match=end), w.where)
        last = Match(((gathering, None), (open_, None)))
        gather = Transition(f"t.{name}.gather", (Input(gathering),), PlaceOut(w.exit), inhibitors=(open_,), match=last)
        self.emit(gather, w.where)
        self.inside(node.children, w, [body], [done])

    # Elements

    def decision(self, tid: str, w: Work, entry: str, ways: Sequence[str]) -> None:
        """A transition of its own says which of several others takes the token.

        Two transitions with one input are told apart by nothing: the first one declared would always take it.
        """
        output = XorOut(tuple(PlaceOut(p) for p in ways)) if len(ways) > 1 else PlaceOut(ways[0])
        self.emit(Transition(tid, (Input(entry),), output), w.where)

    def transition(
        self,
        tid: str,
        w: Work,
        inputs: Sequence[Arc],
        outputs: Sequence[Arc],
        *,
        by_name: bool = False,
        priority: int = 0,
    ) -> None:
        arcs_in = tuple(_input(a) for a in inputs)
        outs: list[Output] = [PlaceOut(a) if isinstance(a, str) else PlaceOut(*a) for a in outputs]
        output = outs[0] if len(outs) == 1 else AndOut(tuple(outs))
        match = Match(tuple((i.place, None) for i in arcs_in)) if by_name else None
        self.emit(Transition(tid, arcs_in, output, priority=priority, match=match), w.where)


def _input(arc: Arc) -> Input:
    if isinstance(arc, str):
        return Input(arc)
    place, k = arc
    return Input(place) if k == 1 else Input(place, Cardinality.EXACTLY, k)


def _inside_foreach(plan: Plan) -> frozenset[int]:
    """Indices of the nodes that lie in the body of some foreach."""
    inside: set[int] = set()
    for n in plan.nodes:
        if isinstance(n, Foreach):
            inside.update(range(n.index + 1, n.end))
    return frozenset(inside)
