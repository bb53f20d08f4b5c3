"""From a run of the search net back to the plan's workflow net, where all counterexamples live.

The search decides guards and choices; everything else (tasks, splits, joins, loops, releases, guards that the search
left out) happens by itself as soon as it can. The run ends when nothing can move, so its last marking is dead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.plan.lower import Items, Lowered, Origin, acquire_id, suffix
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task
from petri_cli.soundness.fusion import Mark

READABLE = 400
"""Longer runs are left in the order in which they were found."""


@dataclass(frozen=True, slots=True)
class Lift:
    """A run of ``lowered.net`` to a dead marking that is not final, as action indices of ``compiled``."""

    lowered: Lowered
    compiled: CompiledNet
    run: tuple[int, ...]
    state: tuple[int, ...]


class Player:
    """Plays the token game on a plan's workflow net, never going round a loop."""

    def __init__(self, plan: Plan, lowered: Lowered) -> None:
        self.lowered = lowered
        self.net = compile_net(lowered.net)
        self.number = {a.step.transition: i for i, a in enumerate(self.net.actions)}
        self.marking = list(self.net.initial)
        self.run: list[int] = []
        self.again = [False] * len(self.net.actions)
        self.acquires: list[tuple[int, int]] = []  # (plan node, action)
        self.branches: list[tuple[int, int, int]] = []  # (plan node, branch, action)
        self._classify(plan)
        self.usual = usual_branches(plan)

    def _classify(self, plan: Plan) -> None:
        for i, a in enumerate(self.net.actions):
            tid = a.step.transition
            origin = self.lowered.origin[tid]
            node = plan.nodes[origin.node]
            if isinstance(node, Guard) and tid == acquire_id(node, origin.items):
                self.acquires.append((node.index, i))
            elif isinstance(node, Choice):
                branch = int(tid.removeprefix(f"t.choice.{node.id}.").removesuffix(suffix(origin.items)))
                self.branches.append((node.index, branch, i))
            elif isinstance(node, Loop) and tid == f"t.loop.{node.id}.again{suffix(origin.items)}":
                self.again[i] = True

    def allowed(self, controlled: Collection[int] = (), scope: Scope | None = None) -> list[bool]:
        """Which actions happen by themselves: not the guards and choices in ``controlled``, which wait to be told, and
        nothing outside ``scope`` (None: everything)."""
        free = [not again for again in self.again]
        for node, i in self.acquires:
            free[i] = node not in controlled
        for node, branch, i in self.branches:
            free[i] = node not in controlled and branch == self.usual[node]
        if scope is not None:
            origin = self.lowered.origin
            for i, a in enumerate(self.net.actions):
                free[i] = free[i] and scope.covers(origin[a.step.transition])
        return free

    def enabled(self, action: int) -> bool:
        return all(self.marking[p] >= k for p, k in self.net.actions[action].needs)

    def fire(self, action: int) -> None:
        for p, k in self.net.actions[action].needs:
            self.marking[p] -= k
        for p, k in self.net.actions[action].produced:
            self.marking[p] += k
        self.run.append(action)

    def settle(self, free: Sequence[bool], todo: list[int]) -> None:
        """Fire free actions until none is enabled; ``todo`` lists those that may have become enabled."""
        readers, actions, marking = self.net.readers, self.net.actions, self.marking
        while todo:
            a = todo.pop()
            if not free[a]:
                continue
            for p, k in actions[a].needs:
                if marking[p] < k:
                    break
            else:
                self.fire(a)
                for p, _ in actions[a].produced:
                    todo += readers[p]


def play(
    plan: Plan,
    lowered: Lowered,
    story: Sequence[tuple[Mark, Items]],
    controlled: Collection[int] = (),
    scope: Scope | None = None,
) -> Lift | None:
    """Play ``story`` on the workflow net, then go on until nothing moves; None when that is the end of the plan.

    Until the story is over, guards and choices in ``controlled`` move only when told, and nothing outside ``scope``
    moves. A step of the story that turns out to be impossible ends it.
    """
    player = Player(plan, lowered)
    free = player.allowed(controlled, scope)
    everything = range(len(free) - 1, -1, -1)
    player.settle(free, list(everything))
    readers = player.net.readers
    for mark, items in story:
        if mark.what == "release":
            continue  # happens by itself
        action = player.number.get(_transition(plan, mark, items), -1)
        if action < 0 or not player.enabled(action):
            break
        player.fire(action)
        player.settle(free, [b for p, _ in player.net.actions[action].produced for b in readers[p]])
    player.settle(player.allowed(), list(everything))
    state = tuple(player.marking)
    if state == player.net.final:
        return None
    return Lift(lowered, player.net, tuple(player.run), state)


@dataclass(frozen=True, slots=True)
class Scope:
    """What has to move so that some nodes can be reached.

    first_items: node → how many of the foreachs around it are around the nodes to be reached, too; of those only the
    first item moves.
    """

    first_items: Mapping[int, int]

    def covers(self, origin: Origin) -> bool:
        shared = self.first_items.get(origin.node)
        return shared is not None and all(i == 1 for i in origin.items[:shared])


def scope_of(plan: Plan, target: int, inside: Iterable[int] = ()) -> Scope:
    """What has to move to reach the node ``target`` and to run in those children of it that hold the nodes ``inside``
    (all of it when none is named): they, what is around them, and what comes before."""
    shared: dict[int, int] = {}
    depth = sum(isinstance(n, Foreach) for n in plan.ancestors(target))
    for index in {_child_of(plan, target, i) for i in inside} or {target}:
        shared.update(dict.fromkeys(range(index, plan.nodes[index].end), depth))
    shared[target] = depth
    inner = target
    for above in plan.ancestors(target):
        if isinstance(above, Foreach):
            depth -= 1
        shared[above.index] = depth
        if isinstance(above, Seq):
            for before in above.children[: above.children.index(inner)]:
                shared.update(dict.fromkeys(range(before, plan.nodes[before].end), depth))
        inner = above.index
    return Scope(shared)


def _child_of(plan: Plan, target: int, inside: int) -> int:
    while plan.nodes[inside].parent != target:
        inside = plan.nodes[inside].parent
    return inside


def way_to(plan: Plan, index: int) -> list[tuple[Mark, Items]]:
    """The branches to choose on the way to a node, outermost first, in the first item of each foreach."""
    story: list[tuple[Mark, Items]] = []
    inner = index
    depth = sum(isinstance(n, Foreach) for n in plan.ancestors(index))
    for above in plan.ancestors(index):
        if isinstance(above, Foreach):
            depth -= 1
        elif isinstance(above, Choice):
            story.append((Mark("choose", above.index, above.children.index(inner) + 1), (1,) * depth))
        inner = above.index
    return story[::-1]


def in_document_order(net: CompiledNet, run: Sequence[int]) -> tuple[int, ...]:
    """The same steps in an order that a reader follows more easily: a step moves ahead of its neighbour when it stands
    earlier in the document and needs nothing that the neighbour gives. The run ends in the same marking."""
    if len(run) > READABLE:
        return tuple(run)
    ordered: list[int] = []
    needs = {a: {p for p, _ in net.actions[a].needs} for a in run}
    gives = {a: {p for p, _ in net.actions[a].produced} for a in run}
    for a in run:
        at = len(ordered)
        while at and ordered[at - 1] > a and not needs[a] & gives[ordered[at - 1]]:
            at -= 1
        ordered.insert(at, a)
    return tuple(ordered)


def _transition(plan: Plan, mark: Mark, items: Items) -> str:
    node = plan.nodes[mark.node]
    if mark.what == "choose":
        return f"t.choice.{node.id}.{mark.branch}{suffix(items)}"
    return f"t.guard.{node.id}.{mark.what}{suffix(items)}"


def usual_branches(plan: Plan) -> dict[int, int]:
    """For each choice, the branch with the fewest steps (the first of several), 1-based."""
    steps = [0] * len(plan.nodes)
    usual: dict[int, int] = {}
    for node in reversed(plan.nodes):
        inner = [steps[c] for c in node.children]
        match node:
            case Task():
                steps[node.index] = 1
            case Seq():
                steps[node.index] = sum(inner)
            case Parallel() | Loop() | Guard():
                steps[node.index] = sum(inner) + 2
            case Foreach():
                steps[node.index] = inner[0] * (1 if node.items is None else node.items) + 2
            case Choice():
                best = min(inner)
                usual[node.index] = inner.index(best) + 1
                steps[node.index] = best + 1
    return usual
