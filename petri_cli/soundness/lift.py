"""From a run of the search net back to the plan's workflow net, where all counterexamples live.

The search decides guards and choices; everything else (tasks, splits, joins, loops, releases, guards that the search
left out) happens by itself as soon as it can. The run ends when nothing can move, so its last marking is dead.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from petri_cli.plan.lower import Items, Origin, suffix, verb
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task
from petri_cli.soundness.fusion import Mark
from petri_cli.soundness.game import Board, Player
from petri_cli.soundness.timer import Deadline, never

READABLE = 400
"""Longer runs are left in the order in which they were found."""


@dataclass(frozen=True, slots=True)
class Lift:
    """A run of a plan's workflow net, as transition indices, to a dead ``marking`` that is not final."""

    board: Board
    run: tuple[int, ...]
    marking: Mapping[str, int]


def play(
    board: Board,
    story: Sequence[tuple[Mark, Items]],
    controlled: Collection[int] = (),
    scope: Scope | None = None,
    deadline: Deadline = never,
) -> Lift | None:
    """Play ``story`` on the workflow net, then go on until nothing moves; None when that is the end of the plan.

    Until the story is over, guards and choices in ``controlled`` move only when told, and nothing outside ``scope``
    moves. A step of the story that turns out to be impossible ends it. No loop is gone round again. Raises OutOfTime.
    """
    player = Player(board, deadline)
    usual = usual_branches(board.plan)
    in_story = _Free(board, usual, controlled, scope)
    player.settle(in_story.may, reversed(board.candidates(player.marking)))
    for action in _actions(board, story):
        if action is None or not board.enabled(action, player.marking):
            break
        player.fire(action)
        player.settle(in_story.may, player.after(action))
    player.settle(_Free(board, usual).may, reversed(board.candidates(player.marking)))
    marking = {p: n for p, n in player.marking.items() if n}
    return None if marking == board.final else Lift(board, tuple(player.run), marking)


def _actions(board: Board, story: Sequence[tuple[Mark, Items]]) -> Iterator[int | None]:
    """The transitions of a story (None: the net has no such); a release happens by itself."""
    told = [_transition(board.plan, mark, items) for mark, items in story if mark.what != "release"]
    wanted = set(told)
    number = {t.id: i for i, t in enumerate(board.transitions) if t.id in wanted}
    return (number.get(tid) for tid in told)


class _Free:
    """Which transitions happen by themselves: not the guards and choices in ``controlled``, which wait to be told, and
    nothing outside ``scope`` (None: everything). Of a choice, the usual branch is taken."""

    def __init__(
        self, board: Board, usual: Mapping[int, int], controlled: Collection[int] = (), scope: Scope | None = None
    ) -> None:
        self._board, self._usual, self._controlled, self._scope = board, usual, controlled, scope
        self._known: dict[int, bool] = {}

    def may(self, a: int) -> bool:
        answer = self._known.get(a)
        if answer is None:
            answer = self._known[a] = self._decide(a)
        return answer

    def _decide(self, a: int) -> bool:
        tid = self._board.transitions[a].id
        origin = self._board.lowered.origin[tid]
        if self._scope is not None and not self._scope.covers(origin):
            return False
        match self._board.plan.nodes[origin.node]:
            case Guard(index=index):
                return index not in self._controlled or verb(tid) != "acquire"
            case Choice(index=index):
                return index not in self._controlled and verb(tid) == str(self._usual[index])
            case Loop():
                return verb(tid) != "again"
            case _:
                return True


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


def in_document_order(board: Board, run: Sequence[int]) -> tuple[int, ...]:
    """The same steps in an order that a reader follows more easily: a step moves ahead of its neighbour when it stands
    earlier in the document and needs nothing that the neighbour gives. The run ends in the same marking."""
    if len(run) > READABLE:
        return tuple(run)
    ordered: list[int] = []
    needs = {a: {p for p, _ in board.arcs(a)[0]} for a in run}
    gives = {a: {p for p, _ in board.arcs(a)[1]} for a in run}
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
