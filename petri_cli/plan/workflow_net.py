"""The workflow net of a plan: the place/transition net with resources that the gate judges.

A foreach is unfolded to a given width, a loop is a cycle, a guard takes its units when it is entered and gives them
back when it is left.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from petri_cli.net.model import AndOut, Cardinality, Input, Output, PlaceOut, Transition
from petri_cli.plan.fragments import Fragments, Lowered, Origin, Work, resource_place
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Task

CHECK_EVERY = 1024
"""Fragments and items between two looks at the deadline."""


def lower_workflow(
    plan: Plan,
    widths: Mapping[str, int] | None = None,
    *,
    default_width: int = 1,
    most: int | None = None,
    deadline: Callable[[], bool] | None = None,
) -> Lowered:
    """The workflow net of ``plan`` with each foreach unfolded.

    widths: foreach id → number of items; a literal list has the width that it has, every other foreach
    ``default_width`` (at most its ``maxWidth``). Initial marking: one token on the source, each resource at its
    capacity; final marking: one token on the sink, each resource at its capacity. deadline: asked now and then.

    Raises PetriError ``PETRI_NET_TOO_LARGE`` when the unfolding passes ``most`` elements (None: ``MAX_SIZE``),
    TimeoutError past the deadline.
    """
    return _WorkflowNet(plan, widths or {}, default_width, most, deadline).build()


def foreach_width(node: Foreach, widths: Mapping[str, int], default: int) -> int:
    """The width at which ``node`` is unfolded: literal lists are as long as they are, ``maxWidth`` is never passed."""
    if node.items is not None:
        return node.items
    wanted = widths.get(node.id, default)
    return wanted if node.max_width is None else min(wanted, node.max_width)


class _WorkflowNet(Fragments):
    def __init__(
        self,
        plan: Plan,
        wanted: Mapping[str, int],
        default_width: int,
        most: int | None,
        deadline: Callable[[], bool] | None,
    ) -> None:
        super().__init__(plan, most)
        self.wanted = wanted
        self.default_width = default_width
        self.deadline = deadline
        self.pieces = 0
        self.units: dict[tuple[str, int], tuple[Input, PlaceOut]] = {}

    def lower(self, w: Work) -> None:
        self.look_at_the_clock()
        super().lower(w)

    def look_at_the_clock(self) -> None:
        """Asked for each fragment and each item."""
        self.pieces += 1
        if self.pieces % CHECK_EVERY == 0 and self.deadline is not None and self.deadline():
            raise TimeoutError("the net of the plan was not unfolded in time")

    def task(self, node: Task, w: Work) -> None:
        self.step(f"t.{node.id}{w.tail}", w, (Input(w.entry),), PlaceOut(w.exit))

    def parallel(self, node: Parallel, w: Work) -> None:
        todo, done = self.fork(node, w)
        self.step(f"t.par.{node.id}.split{w.tail}", w, (Input(w.entry),), _all(todo))
        self.step(f"t.par.{node.id}.join{w.tail}", w, tuple(map(Input, done)), PlaceOut(w.exit))

    def choice(self, node: Choice, w: Work) -> None:
        self.check_size(2 * len(node.children))
        numbers = range(len(node.children), 0, -1)
        entries = [self.place(f"p.choice.{node.id}.{k}{w.tail}", w.where) for k in numbers][::-1]
        self.inside(node.children, w, entries, [w.exit] * len(entries))
        for k, entry in enumerate(entries, 1):
            self.step(f"t.choice.{node.id}.{k}{w.tail}", w, (Input(w.entry),), PlaceOut(entry))

    def loop(self, node: Loop, w: Work) -> None:
        name, tail = f"loop.{node.id}", w.tail
        body = self.place(f"p.{name}.body{tail}", w.where)
        decide = self.place(f"p.{name}.decide{tail}", w.where)
        self.step(f"t.{name}.enter{tail}", w, (Input(w.entry),), PlaceOut(body))
        self.step(f"t.{name}.again{tail}", w, (Input(decide),), PlaceOut(body))
        self.step(f"t.{name}.exit{tail}", w, (Input(decide),), PlaceOut(w.exit))
        self.inside(node.children, w, [body], [decide])

    def guard(self, node: Guard, w: Work) -> None:
        name, tail = f"guard.{node.id}", w.tail
        body = self.place(f"p.{name}.body{tail}", w.where)
        done = self.place(f"p.{name}.done{tail}", w.where)
        takes, taken, given = [Input(w.entry)], [PlaceOut(body)], [PlaceOut(w.exit)]
        for unit in node.units:
            take, give = self.units.get(unit) or self.arcs(*unit)
            takes.append(take)
            # The units of a quota come back with time, not with the end of the block. This net knows no time: here,
            # taking them is a test of the capacity.
            (taken if unit[0] in self.quotas else given).append(give)
        self.step(f"t.{name}.acquire{tail}", w, tuple(takes), _together(taken))
        self.step(f"t.{name}.release{tail}", w, (Input(done),), _together(given))
        self.inside(node.children, w, [body], [done])

    def foreach(self, node: Foreach, w: Work) -> None:
        width = foreach_width(node, self.wanted, self.default_width)
        self.widths[node.id] = width
        name, tail = f"foreach.{node.id}", w.tail
        if width == 0:
            body = done = [self.place(f"p.{name}.none{tail}", w.where)]
        else:
            self.check_size(2 * width + 2)
            body, done = self.items(node, w, width)
        self.step(f"t.{name}.discover{tail}", w, (Input(w.entry),), _all(body))
        self.step(f"t.{name}.gather{tail}", w, tuple(map(Input, done)), PlaceOut(w.exit))

    def items(self, node: Foreach, w: Work, width: int) -> tuple[list[str], list[str]]:
        """The entry and exit places of the items, whose bodies are pushed."""
        [child] = node.children
        bodies, ends, work = [], [], []
        for k in range(1, width + 1):
            self.look_at_the_clock()
            items, tail = (*w.where.items, k), f"{w.tail}[{k}]"
            body, end = f"p.foreach.{node.id}.body{tail}", f"p.foreach.{node.id}.done{tail}"
            bodies.append(body)
            ends.append(end)
            work.append(Work(child, Origin(child, items), body, end, tail))
        for place, its in zip([*bodies, *ends], [*work, *work], strict=True):
            self.look_at_the_clock()
            self.place(place, Origin(node.index, its.where.items))
        self.work += reversed(work)
        return bodies, ends

    def arcs(self, resource: str, units: int) -> tuple[Input, PlaceOut]:
        """The arcs that take and give units of a resource, the same objects for all guards that ask for so many."""
        place = resource_place(resource)
        take = Input(place) if units == 1 else Input(place, Cardinality.EXACTLY, units)
        self.units[resource, units] = take, PlaceOut(place, units)
        return self.units[resource, units]

    def step(self, tid: str, w: Work, inputs: tuple[Input, ...], output: Output) -> None:
        self.transitions.append(Transition(tid, inputs, output))
        self.origin[tid] = w.where


def _all(places: Sequence[str]) -> Output:
    return _together([PlaceOut(p) for p in places])


def _together(leaves: Sequence[PlaceOut]) -> Output:
    return leaves[0] if len(leaves) == 1 else AndOut(tuple(leaves))
