"""What the two readings of a plan as a net have in common: names, origins, and one fragment a node.

Every fragment has one entry and one exit place, so putting fragments together keeps the workflow shape (van der Aalst
1998, "The Application of Petri Nets to Workflow Management", §4). Nodes are lowered from a list of work, in document
order, so no depth of nesting matters.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, assert_never

from petri_cli.errors import PetriError
from petri_cli.net.model import Net, Place, Transition
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, PlanNode, Seq, Task

START = "p.start"
END = "p.end"

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


def suffix(items: Items) -> str:
    """How an unfolded element says which items it belongs to: ``[2][1]``."""
    return "".join(f"[{i}]" for i in items) if items else ""


def acquire_id(guard: Guard, items: Items = ()) -> str:
    return f"t.guard.{guard.id}.acquire{suffix(items)}"


def verb(tid: str) -> str:
    """What a transition does to its block (any but a task's): ``acquire``, ``split``, ``again``, the branch chosen."""
    return tid.rpartition(".")[2].partition("[")[0]


def label(node: PlanNode) -> str:
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


class Work(NamedTuple):
    """A node still to be lowered between two places; ``tail`` is the suffix of its elements' names."""

    node: int
    where: Origin
    entry: str
    exit: str
    tail: str = ""


class Fragments(ABC):
    """A net in the making. A subclass says what the fragment of each kind of node is."""

    def __init__(self, plan: Plan, most: int | None = None) -> None:
        """most: the number of net elements that is not passed (None: ``MAX_SIZE``)."""
        self.plan = plan
        self.most = MAX_SIZE if most is None else most
        self.places: list[Place] = []
        self.transitions: list[Transition] = []
        self.origin: dict[str, Origin] = {}
        self.work: list[Work] = []
        self.widths: dict[str, int] = {}
        """The width at which each foreach was unfolded, by its id."""
        self.quotas = {r.id for r in plan.resources if r.per is not None}

    def build(self) -> Lowered:
        """The whole net: one token on the source and each resource at its capacity, in the end one on the sink."""
        root = Origin(-1)
        for r in self.plan.resources:
            self.place(resource_place(r.id), root)
        self.place(START, root)
        self.place(END, root)
        self.work.append(Work(0, Origin(0), START, END))
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
        return Lowered(net, self.origin, self.widths)

    def lower(self, w: Work) -> None:
        node = self.plan.nodes[w.node]
        match node:
            case Task():
                self.task(node, w)
            case Seq():
                self.seq(node, w)
            case Parallel():
                self.parallel(node, w)
            case Choice():
                self.choice(node, w)
            case Loop():
                self.loop(node, w)
            case Foreach():
                self.foreach(node, w)
            case Guard():
                self.guard(node, w)
            case other:
                assert_never(other)

    @abstractmethod
    def task(self, node: Task, w: Work) -> None: ...

    def seq(self, node: Seq, w: Work) -> None:
        self.check_size(len(node.children) - 1)
        entries = [w.entry]
        for child in node.children[:-1]:
            name = label(self.plan.nodes[child])
            entries.append(self.place(f"p.done.{name}{w.tail}", Origin(child, w.where.items)))
        self.inside(node.children, w, entries, [*entries[1:], w.exit])

    @abstractmethod
    def parallel(self, node: Parallel, w: Work) -> None: ...

    @abstractmethod
    def choice(self, node: Choice, w: Work) -> None: ...

    @abstractmethod
    def loop(self, node: Loop, w: Work) -> None: ...

    @abstractmethod
    def foreach(self, node: Foreach, w: Work) -> None: ...

    @abstractmethod
    def guard(self, node: Guard, w: Work) -> None: ...

    # Pieces of fragments

    def inside(self, children: Iterable[int], w: Work, entries: Iterable[str], exits: Iterable[str]) -> None:
        """Have the children of a node lowered between these places, in the same items: pushed last to first."""
        work = [
            Work(child, Origin(child, w.where.items), entry, out, w.tail)
            for child, entry, out in zip(children, entries, exits, strict=True)
        ]
        self.work += reversed(work)

    def fork(self, node: Parallel, w: Work) -> tuple[list[str], list[str]]:
        """The entry and exit places of the branches, which are pushed."""
        self.check_size(2 * len(node.children) + 2)
        numbers = range(1, len(node.children) + 1)
        todo = [self.place(f"p.par.{node.id}.{k}.todo{w.tail}", w.where) for k in numbers]
        done = [self.place(f"p.par.{node.id}.{k}.done{w.tail}", w.where) for k in numbers]
        self.inside(node.children, w, todo, done)
        return todo, done

    def place(self, pid: str, origin: Origin) -> str:
        self.places.append(Place(pid))
        self.origin[pid] = origin
        return pid

    def emit(self, t: Transition, origin: Origin) -> None:
        self.transitions.append(t)
        self.origin[t.id] = origin

    def check_size(self, more: int) -> None:
        """Refuse ``more`` elements where they would be too many. Asked before they are made: a width may be huge.

        Raises PetriError ``PETRI_NET_TOO_LARGE``.
        """
        if len(self.places) + len(self.transitions) + more > self.most:
            raise PetriError(
                "PETRI_NET_TOO_LARGE",
                f"the unfolded net has more than {self.most:,} places and transitions",
                hint="ask for smaller widths (--width id=n)",
            )
