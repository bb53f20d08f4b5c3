"""Lowering: a plan to a net, every fragment with one entry and one exit place.

Two readings of one plan. The *workflow net* is a classical place/transition net with resources, which the gate judges
and ``petri export --format pnml`` writes: a foreach is unfolded to a given width, loops are cycles. The *execution net*
is the static coloured net that the engine runs: the items of a foreach are tokens that carry the item's path as their
name, and joins inside a foreach match by name. It may have silent transitions that the workflow net lacks: decisions
(``….decide``), the end of an item (``….item``) and the start of a delay (``….wait``). Time is outside both: whoever
runs the net gives it a token when a delay is over, and units of a quota when they come back.

Composition keeps the workflow shape (van der Aalst 1998, "The Application of Petri Nets to Workflow Management", §4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from petri_cli.errors import PetriError
from petri_cli.net.model import AndOut, Input, Match, Net, Output, Place, PlaceOut, Transition, XorOut
from petri_cli.net.model import Cardinality as C
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, PlanNode, Seq, Task

START = "p.start"
END = "p.end"
PARENT_NAME = ".."
"""Match key: project a token to the name of its parent (the path without its last item)."""

MAX_SIZE = 5_000_000
"""More net elements than this are refused: widths multiply."""

Items = tuple[int, ...]
"""Which item of each enclosing foreach, outermost first, 1-based."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The plan node that a net element came from, and the foreach items it belongs to."""

    node: int
    items: Items = ()


@dataclass(frozen=True, slots=True)
class Lowered:
    """A net and, for each of its places and transitions, where in the plan it came from (−1: the plan as a whole)."""

    net: Net
    origin: Mapping[str, Origin]
    widths: Mapping[str, int] = field(default_factory=dict)


def resource_place(rid: str) -> str:
    return f"r.{rid}"


def due_place(loop: Loop) -> str:
    """Where the execution net waits for a token from outside, named like the thread, when a loop's delay is over."""
    return f"p.loop.{loop.id}.due"


def suffix(items: Items) -> str:
    """How an unfolded element says which items it belongs to: ``[2][1]``."""
    return "".join(f"[{i}]" for i in items) if items else ""


def acquire_id(guard: Guard, items: Items = ()) -> str:
    return f"t.guard.{guard.id}.acquire{suffix(items)}"


def verb(tid: str) -> str:
    """What a transition does to its block (any but a task's): ``acquire``, ``split``, ``again``, the branch chosen."""
    return tid.rpartition(".")[2].partition("[")[0]


def label(plan: Plan, node: PlanNode) -> str:
    """A short, unique name of a node for the place behind it."""
    match node:
        case Task():
            return node.id
        case Seq():
            return f"seq.{node.index}"
        case Parallel():
            return f"par.{node.id}"
        case Choice():
            return f"choice.{node.id}"
        case Loop():
            return f"loop.{node.id}"
        case Foreach():
            return f"foreach.{node.id}"
        case Guard():
            return f"guard.{node.id}"
        case other:
            assert_never(other)


def lower_workflow(plan: Plan, widths: Mapping[str, int] | None = None, *, default_width: int = 1) -> Lowered:
    """The workflow net of ``plan`` with each foreach unfolded.

    widths: foreach id → number of items; a literal list has the width that it has, every other foreach
    ``default_width`` (at most its ``maxWidth``). Initial marking: one token on the source, each resource at its
    capacity; final marking: one token on the sink, each resource at its capacity.

    Raises PetriError ``PETRI_NET_TOO_LARGE`` when the unfolding passes ``MAX_SIZE`` elements.
    """
    return _Lowering(plan, widths or {}, default_width, coloured=False).run()


def lower_execution(plan: Plan) -> Lowered:
    """The coloured net of ``plan`` that the engine runs; it has the same size whatever the widths."""
    return _Lowering(plan, {}, 1, coloured=True).run()


def foreach_width(node: Foreach, widths: Mapping[str, int], default: int) -> int:
    """The width at which ``node`` is unfolded: literal lists are as long as they are, ``maxWidth`` is never passed."""
    if node.items is not None:
        return node.items
    wanted = widths.get(node.id, default)
    return wanted if node.max_width is None else min(wanted, node.max_width)


@dataclass(frozen=True, slots=True)
class _Work:
    """A node still to be lowered between two places."""

    node: int
    items: Items
    entry: str
    exit: str


class _Lowering:
    def __init__(self, plan: Plan, widths: Mapping[str, int], default_width: int, *, coloured: bool) -> None:
        self.plan = plan
        self.widths = widths
        self.default_width = default_width
        self.coloured = coloured
        self.places: list[Place] = []
        self.transitions: list[Transition] = []
        self.origin: dict[str, Origin] = {}
        self.work: list[_Work] = []
        self.used_widths: dict[str, int] = {}
        self.quotas = {r.id for r in plan.resources if r.per is not None}
        self.in_foreach = _inside_foreach(plan) if coloured else frozenset()

    def run(self) -> Lowered:
        root = Origin(-1)
        for r in self.plan.resources:
            self.place(resource_place(r.id), root)
        self.place(START, root)
        self.place(END, root)
        self.work.append(_Work(0, (), START, END))
        while self.work:
            self.lower(self.work.pop())
            self.check_size(0)
        resources = {resource_place(r.id): r.capacity for r in self.plan.resources}
        net = Net(
            id=self.plan.name,
            name=self.plan.name,
            places=tuple(self.places),
            transitions=tuple(self.transitions),
            initial={START: 1, **resources},
            final={END: 1, **resources},
        )
        return Lowered(net, self.origin, self.used_widths)

    def check_size(self, more: int) -> None:
        """Refuse ``more`` elements where they would be too many. Asked before they are made: a width may be huge."""
        if len(self.places) + len(self.transitions) + more > MAX_SIZE:
            raise PetriError(
                "PETRI_NET_TOO_LARGE",
                f"the unfolded net has more than {MAX_SIZE:,} places and transitions",
                hint="ask for smaller widths (--width id=n)",
            )

    # One fragment a node kind. Children are pushed in reverse, so that they are lowered in document order.

    def lower(self, w: _Work) -> None:
        node = self.plan.nodes[w.node]
        match node:
            case Task():
                priority = node.settings.get("priority", 0) if self.coloured else 0
                self.transition(f"t.{node.id}", w, [w.entry], [w.exit], priority=priority)
            case Seq():
                self.seq(node, w)
            case Parallel():
                self.parallel(node, w)
            case Choice():
                self.choice(node, w)
            case Loop():
                self.loop(node, w)
            case Foreach():
                if self.coloured:
                    self.foreach_coloured(node, w)
                else:
                    self.foreach_unfolded(node, w)
            case Guard():
                self.guard(node, w)
            case other:
                assert_never(other)

    def seq(self, node: Seq, w: _Work) -> None:
        self.check_size(len(node.children) - 1)
        entries = [w.entry]
        for child in node.children[:-1]:
            c = self.plan.nodes[child]
            entries.append(self.place(f"p.done.{label(self.plan, c)}{suffix(w.items)}", Origin(child, w.items)))
        exits = [*entries[1:], w.exit]
        for child, entry, out in reversed(list(zip(node.children, entries, exits, strict=True))):
            self.work.append(_Work(child, w.items, entry, out))

    def parallel(self, node: Parallel, w: _Work) -> None:
        self.check_size(2 * len(node.children) + 2)
        where = Origin(node.index, w.items)
        numbers = range(1, len(node.children) + 1)
        todo = [self.place(f"p.par.{node.id}.{k}.todo{suffix(w.items)}", where) for k in numbers]
        done = [self.place(f"p.par.{node.id}.{k}.done{suffix(w.items)}", where) for k in numbers]
        self.transition(f"t.par.{node.id}.split", w, [w.entry], todo)
        self.transition(f"t.par.{node.id}.join", w, done, [w.exit], by_name=node.index in self.in_foreach)
        for child, entry, out in reversed(list(zip(node.children, todo, done, strict=True))):
            self.work.append(_Work(child, w.items, entry, out))

    def choice(self, node: Choice, w: _Work) -> None:
        self.check_size(2 * len(node.children))
        where = Origin(node.index, w.items)
        ways = [w.entry] * len(node.children)
        if self.coloured:
            ways = [self.place(f"p.choice.{node.id}.{k}.chosen", where) for k in range(1, len(node.children) + 1)]
            self.decision(f"t.choice.{node.id}.decide", w.entry, ways, where)
        for k in range(len(node.children), 0, -1):
            entry = self.place(f"p.choice.{node.id}.{k}{suffix(w.items)}", where)
            self.work.append(_Work(node.children[k - 1], w.items, entry, w.exit))
        for k, way in enumerate(ways, 1):
            self.transition(f"t.choice.{node.id}.{k}", w, [way], [f"p.choice.{node.id}.{k}{suffix(w.items)}"])

    def loop(self, node: Loop, w: _Work) -> None:
        where = Origin(node.index, w.items)
        body = self.place(f"p.loop.{node.id}.body{suffix(w.items)}", where)
        decide = self.place(f"p.loop.{node.id}.decide{suffix(w.items)}", where)
        more, left = [decide], decide
        if self.coloured:
            again, left = (self.place(f"p.loop.{node.id}.{k}", where) for k in ("more", "left"))
            self.decision(f"t.loop.{node.id}.decide", decide, [again, left], where)
            more = [again]
            if node.delay:
                more = [self.place(f"p.loop.{node.id}.waiting", where), self.place(due_place(node), where)]
                self.transition(f"t.loop.{node.id}.wait", w, [again], more[:1])
        self.transition(f"t.loop.{node.id}.enter", w, [w.entry], [body])
        self.transition(f"t.loop.{node.id}.again", w, more, [body], by_name=len(more) > 1)
        self.transition(f"t.loop.{node.id}.exit", w, [left], [w.exit])
        self.work.append(_Work(node.children[0], w.items, body, decide))

    def guard(self, node: Guard, w: _Work) -> None:
        where = Origin(node.index, w.items)
        body = self.place(f"p.guard.{node.id}.body{suffix(w.items)}", where)
        done = self.place(f"p.guard.{node.id}.done{suffix(w.items)}", where)
        held = [(resource_place(r), k) for r, k in node.units]
        lasting = [(resource_place(r), k) for r, k in node.units if r not in self.quotas]
        # A quota's units come back with time, not with the end of the block. On the workflow net, which knows no time,
        # taking them is a test of the capacity; on the execution net they come back from outside, injected by whoever
        # runs it when it is time.
        tested = [] if self.coloured else [(resource_place(r), k) for r, k in node.units if r in self.quotas]
        self.transition(f"t.guard.{node.id}.acquire", w, [w.entry, *held], [body, *tested])
        self.transition(f"t.guard.{node.id}.release", w, [done], [w.exit, *lasting])
        self.work.append(_Work(node.children[0], w.items, body, done))

    def foreach_unfolded(self, node: Foreach, w: _Work) -> None:
        where = Origin(node.index, w.items)
        width = foreach_width(node, self.widths, self.default_width)
        self.used_widths[node.id] = width
        if width == 0:
            none = self.place(f"p.foreach.{node.id}.none{suffix(w.items)}", where)
            self.transition(f"t.foreach.{node.id}.discover", w, [w.entry], [none])
            self.transition(f"t.foreach.{node.id}.gather", w, [none], [w.exit])
            return
        self.check_size(2 * width + 2)
        each = [(*w.items, k) for k in range(1, width + 1)]
        body = [self.place(f"p.foreach.{node.id}.body{suffix(i)}", Origin(node.index, i)) for i in each]
        done = [self.place(f"p.foreach.{node.id}.done{suffix(i)}", Origin(node.index, i)) for i in each]
        self.transition(f"t.foreach.{node.id}.discover", w, [w.entry], body)
        self.transition(f"t.foreach.{node.id}.gather", w, done, [w.exit])
        for items, entry, out in reversed(list(zip(each, body, done, strict=True))):
            self.work.append(_Work(node.children[0], items, entry, out))

    def foreach_coloured(self, node: Foreach, w: _Work) -> None:
        """n items are n tokens in the body's entry place; ``open`` holds one token an item, named by its parent, until
        the item has ended, and the gather waits until no such token is left."""
        where = Origin(node.index, w.items)
        kinds = ("body", "done", "open", "gathering")
        body, done, open_, gathering = (self.place(f"p.foreach.{node.id}.{k}", where) for k in kinds)
        some = AndOut((PlaceOut(body), PlaceOut(open_), PlaceOut(gathering)))
        self.emit(
            Transition(f"t.foreach.{node.id}.discover", (Input(w.entry),), XorOut((some, PlaceOut(w.exit)))), where
        )
        self.emit(
            Transition(
                f"t.foreach.{node.id}.item",
                (Input(done), Input(open_)),
                None,
                match=Match(((done, PARENT_NAME), (open_, None))),
            ),
            where,
        )
        self.emit(
            Transition(
                f"t.foreach.{node.id}.gather",
                (Input(gathering),),
                PlaceOut(w.exit),
                inhibitors=(open_,),
                match=Match(((gathering, None), (open_, None))),
            ),
            where,
        )
        self.work.append(_Work(node.children[0], w.items, body, done))

    # Elements

    def decision(self, tid: str, entry: str, ways: list[str], where: Origin) -> None:
        """On the execution net a transition of its own says which of several others takes the token.

        Two transitions with one input are told apart by nothing: the first one declared would always take it.
        """
        output = XorOut(tuple(PlaceOut(p) for p in ways)) if len(ways) > 1 else PlaceOut(ways[0])
        self.emit(Transition(tid, (Input(entry),), output), where)

    def place(self, pid: str, origin: Origin) -> str:
        self.places.append(Place(pid))
        self.origin[pid] = origin
        return pid

    def transition(
        self,
        tid: str,
        w: _Work,
        inputs: Iterable[str | tuple[str, int]],
        outputs: Iterable[str | tuple[str, int]],
        *,
        by_name: bool = False,
        priority: int = 0,
    ) -> None:
        arcs_in = tuple(_input(a) for a in inputs)
        outs: list[Output] = [PlaceOut(a) if isinstance(a, str) else PlaceOut(*a) for a in outputs]
        output = outs[0] if len(outs) == 1 else AndOut(tuple(outs))
        match_ = Match(tuple((i.place, None) for i in arcs_in)) if by_name else None
        t = Transition(tid + suffix(w.items), arcs_in, output, priority=priority, match=match_)
        self.emit(t, Origin(w.node, w.items))

    def emit(self, t: Transition, origin: Origin) -> None:
        self.transitions.append(t)
        self.origin[t.id] = origin


def _input(arc: str | tuple[str, int]) -> Input:
    if isinstance(arc, str):
        return Input(arc)
    place, k = arc
    return Input(place) if k == 1 else Input(place, C.EXACTLY, k)


def _inside_foreach(plan: Plan) -> frozenset[int]:
    """Indices of the nodes that lie in the body of some foreach."""
    inside: set[int] = set()
    for n in plan.nodes:
        if isinstance(n, Foreach):
            inside.update(range(n.index + 1, n.end))
    return frozenset(inside)
