"""A plan judged by its meaning, state by state: slow, obvious, and without any Petri net.

The state of a plan is a term; each step rewrites it. Nothing here knows the lowering or the gate: a disagreement
between the two is a fault in one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task

DONE: tuple[str] = ("done",)
Term = Any
Free = tuple[int, ...]
Label = tuple[int, str]


@dataclass(frozen=True)
class Truth:
    """The three conditions at given widths. None when there were too many states."""

    option_to_complete: bool
    proper_completion: bool
    no_dead_transitions: bool
    states: int

    @property
    def sound(self) -> bool:
        return self.option_to_complete and self.proper_completion and self.no_dead_transitions


class Meaning:
    """The steps of one plan. ``widths``: foreach id → number of items (others: ``width``, at most ``maxWidth``);
    ``rounds``: how often a loop runs its body at most."""

    def __init__(self, plan: Plan, width: int, rounds: int = 2, widths: Mapping[str, int] | None = None) -> None:
        self.plan = plan
        self.width = width
        self.widths = widths or {}
        self.rounds = rounds
        self.names = [r.id for r in plan.resources]
        self.capacity: Free = tuple(r.capacity for r in plan.resources)
        self.quota = {r.id for r in plan.resources if r.per is not None}

    def start(self, i: int) -> Term:
        return ("start", i)

    def width_of(self, node: Foreach) -> int:
        if node.items is not None:
            return node.items
        wanted = self.widths.get(node.id, self.width)
        return wanted if node.max_width is None else min(wanted, node.max_width)

    def rounds_of(self, node: Loop) -> int:
        return self.rounds if node.max_iterations is None else min(self.rounds, node.max_iterations)

    def steps(self, term: Term, free: Free) -> Iterator[tuple[Label, Term, Free]]:
        match term:
            case ("start", i):
                yield from self.begin(i, free)
            case ("seq", i, k, inner):
                last = k + 1 == len(self.plan.nodes[i].children)
                for label, t, f in self.steps(inner, free):
                    if t != DONE:
                        yield label, ("seq", i, k, t), f
                    elif last:
                        yield label, DONE, f
                    else:
                        yield label, ("seq", i, k + 1, self.start(self.plan.nodes[i].children[k + 1])), f
            case ("all", i, parts):
                if all(p == DONE for p in parts):
                    yield (i, "join"), DONE, free
                for n, part in enumerate(parts):
                    for label, t, f in self.steps(part, free):
                        yield label, ("all", i, (*parts[:n], t, *parts[n + 1 :])), f
            case ("loop", i, n, inner):
                if inner == DONE:
                    yield (i, "exit"), DONE, free
                    if n < self.rounds_of(self.plan.nodes[i]):
                        yield (i, "again"), ("loop", i, n + 1, self.start(self.plan.nodes[i].children[0])), free
                for label, t, f in self.steps(inner, free):
                    yield label, ("loop", i, n, t), f
            case ("held", i, inner):
                if inner == DONE:
                    yield (i, "release"), DONE, self.change(free, i, +1)
                for label, t, f in self.steps(inner, free):
                    yield label, ("held", i, t), f

    def begin(self, i: int, free: Free) -> Iterator[tuple[Label, Term, Free]]:
        node = self.plan.nodes[i]
        match node:
            case Task():
                yield (i, "task"), DONE, free
            case Seq():
                yield from self.steps(("seq", i, 0, self.start(node.children[0])), free)
            case Parallel():
                yield (i, "split"), ("all", i, tuple(self.start(c) for c in node.children)), free
            case Choice():
                for c in node.children:
                    yield (c, "choose"), self.start(c), free
            case Loop():
                yield (i, "enter"), ("loop", i, 1, self.start(node.children[0])), free
            case Foreach():
                yield (i, "discover"), ("all", i, (self.start(node.children[0]),) * self.width_of(node)), free
            case Guard():
                if all(free[self.names.index(r)] >= k for r, k in node.units):
                    yield (i, "acquire"), ("held", i, self.start(node.children[0])), self.change(free, i, -1)

    def change(self, free: Free, i: int, sign: int) -> Free:
        after = list(free)
        for r, k in self.plan.nodes[i].units:
            if r not in self.quota:
                after[self.names.index(r)] += sign * k
        return tuple(after)

    def labels(self) -> set[Label]:
        """Every step that some run should take: those that are not inside a foreach without items."""
        dead: set[int] = set()
        found: set[Label] = set()
        for n in self.plan.nodes:
            above = self.plan.nodes[n.parent] if n.parent >= 0 else None
            if above is not None and (
                above.index in dead or (isinstance(above, Foreach) and self.width_of(above) == 0)
            ):
                dead.add(n.index)
                continue
            match n:
                case Task():
                    found.add((n.index, "task"))
                case Parallel():
                    found |= {(n.index, "split"), (n.index, "join")}
                case Choice():
                    found |= {(c, "choose") for c in n.children}
                case Loop():
                    found |= {(n.index, "enter"), (n.index, "exit")}
                    if self.rounds_of(n) > 1:
                        found.add((n.index, "again"))
                case Foreach():
                    found |= {(n.index, "discover"), (n.index, "join")}
                case Guard():
                    found |= {(n.index, "acquire"), (n.index, "release")}
        return found


def truth(
    plan: Plan, width: int, *, rounds: int = 2, widths: Mapping[str, int] | None = None, cap: int = 20_000
) -> Truth | None:
    """The three conditions by plain enumeration; None past ``cap`` states."""
    meaning = Meaning(plan, width, rounds, widths)
    first = (meaning.start(0), meaning.capacity)
    last = (DONE, meaning.capacity)
    number = {first: 0}
    todo = [first]
    before: dict[Any, list[Any]] = {first: []}
    fired: set[Label] = set()
    proper = True
    while todo:
        state = todo.pop()
        term, free = state
        if term == DONE and state != last:
            proper = False
        for label, t, f in meaning.steps(term, free):
            fired.add(label)
            after = (t, f)
            if after not in number:
                if len(number) >= cap:
                    return None
                number[after] = len(number)
                before[after] = []
                todo.append(after)
            before[after].append(state)
    completes = {last} if last in number else set()
    back = list(completes)
    while back:
        for s in before[back.pop()]:
            if s not in completes:
                completes.add(s)
                back.append(s)
    return Truth(len(completes) == len(number), proper, fired >= meaning.labels(), len(number))
