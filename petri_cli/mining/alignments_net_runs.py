"""The runs of any net, told apart by marking: what comes before a match is searched for, least cost first.

A search from a marking visits what is reachable by silent steps, then what one visible step adds, and so on; it is kept
and only ever carried on. For place/transition nets it is narrowed to actions from which a path of arcs leads to the
event that is to be matched: a firing of another one can always be put off (see :class:`Runs`). Read arcs count as arcs
both ways; a net with inhibitor, reset or draining arcs is searched in full.
"""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.mining.alignments_runs import NEVER, OutOfStates
from petri_cli.net.compiled import Action
from petri_cli.soundness.packed import Overflow, PackedNet, is_vector_addition
from petri_cli.soundness.timer import Deadline


class NetRuns:
    """:class:`Runs` over a packed net with a final marking; ``label_of``: action → label, or None for a silent one.

    Raises OutOfStates once ``max_states`` markings have been visited (counted anew from each start of a search), and
    Overflow when a place needs a wider field.
    """

    def __init__(
        self, packed: PackedNet, label_of: Sequence[int | None], n_labels: int, max_states: int, deadline: Deadline
    ) -> None:
        if packed.final is None:
            raise ValueError("the net has no final marking")
        self.packed, self.label_of = packed, label_of
        self.final = packed.final
        self.room, self.deadline = max_states, deadline
        actions = packed.compiled.actions
        self.every = tuple(range(len(actions)))
        self.matching: list[list[int]] = [[] for _ in range(n_labels)]
        for a, label in enumerate(label_of):
            if label is not None:
                self.matching[label].append(a)
        lazy = all(is_vector_addition(a) for a in actions)
        self.before = [_leading_to(actions, m) if lazy else self.every for m in self.matching]
        self.states: list[int] = []
        self.index: dict[int | bytes, int] = {}
        self.fronts: dict[tuple[int, tuple[int, ...]], _Front] = {}
        self._after: dict[tuple[int, int], _Matches] = {}
        self.start = self._number(packed.initial)

    def _number(self, marking: int) -> int:
        key = self.packed.key(marking)
        number = self.index.get(key)
        if number is None:
            guards = self.packed.guards
            if marking & guards != guards:
                raise Overflow
            number = self.index[key] = len(self.states)
            self.states.append(marking)
        return number

    def _front(self, state: int, useful: tuple[int, ...]) -> _Front:
        key = (state, useful)
        front = self.fronts.get(key)
        if front is None:
            front = self.fronts[key] = _Front(self, self.states[state], useful)
        return front

    def spend(self) -> None:
        """Count one marking."""
        self.room -= 1
        if self.room < 0 or (self.room % 1024 == 0 and self.deadline()):
            raise OutOfStates

    # what a search asks

    def after(self, state: int, label: int, slack: int) -> Sequence[tuple[int, int]]:
        key = (state, label)
        known = self._after.get(key)
        if known is None:
            known = self._after[key] = _Matches(self._front(state, self.before[label]))
        if known.upto < slack:
            self._extend(known, label, slack)
        return known.found

    def _extend(self, known: _Matches, label: int, slack: int) -> None:
        packed = self.packed
        while known.upto < slack:
            level = known.front.level(known.upto + 1)
            if level is None:
                known.upto = NEVER
                return
            known.upto += 1
            for marking in level:
                for a in self.matching[label]:
                    if packed.is_enabled(a, marking):
                        to = self._number(packed.fire(a, marking))
                        if to not in known.targets:
                            known.targets.add(to)
                            known.found.append((known.upto, to))

    def allowed(self, state: int) -> int:
        mask = 0
        for label in range(len(self.matching)):
            if any(price == 0 for price, _ in self.after(state, label, 0)):
                mask |= 1 << label
        return mask

    def finish(self, state: int, slack: int) -> int:
        front = self._front(state, self.every)
        key = self.packed.key(self.final)
        cost = 0
        while cost <= slack and front.level(cost) is not None:
            if key in front.seen and front.cost_of[key] <= cost:
                return front.cost_of[key]
            cost += 1
        return NEVER

    # the actions behind an answer

    def explain(self, path: Sequence[tuple[int, int, int]]) -> tuple[list[list[int]], list[int]]:
        state = self.start
        matches: list[list[int]] = []
        for label, cost, to in path:
            matches.append(self._match(state, label, cost, to))
            state = to
        return matches, self._front(state, self.every).run_to(self.final)

    def _match(self, state: int, label: int, cost: int, to: int) -> list[int]:
        front = self._front(state, self.before[label])
        for marking in front.level(cost) or ():
            for a in self.matching[label]:
                if self.packed.is_enabled(a, marking) and self.packed.fire(a, marking) == self.states[to]:
                    return [*front.run_to(marking), a]
        raise AssertionError("no such match")


class _Matches:
    """Answers of ``after`` up to a cost, in the order of their costs."""

    def __init__(self, front: _Front) -> None:
        self.front = front
        self.upto = -1
        self.found: list[tuple[int, int]] = []
        self.targets: set[int] = set()


class _Front:
    """The markings reachable from one by ``useful`` actions, by the number of visible ones: found level by level."""

    def __init__(self, runs: NetRuns, start: int, useful: tuple[int, ...]) -> None:
        self.runs = runs
        self.useful = [(a, runs.packed.needs[a], runs.packed.inhibit[a], runs.label_of[a] is not None) for a in useful]
        self.levels: list[list[int]] = []
        key = runs.packed.key(start)
        self.seen: dict[int | bytes, tuple[int, int]] = {key: (start, -1)}
        """Marking → (the marking before, the action between them)."""
        self.cost_of: dict[int | bytes, int] = {}
        self.ahead: list[tuple[int, int, int]] = [(start, start, -1)]
        """(marking, the one before, action): those one visible step past the last level."""

    def level(self, cost: int) -> list[int] | None:
        """The markings of exactly that cost; None where there is none of that cost or above."""
        while len(self.levels) <= cost:
            if not self.ahead:
                return None
            self._grow()
        return self.levels[cost]

    def _grow(self) -> None:
        """The next level. A cut leaves everything as it was."""
        runs, packed = self.runs, self.runs.packed
        guards, fire, key_of = packed.guards, packed.fire, packed.key
        cost = len(self.levels)
        level: list[int] = []
        ahead: list[tuple[int, int, int]] = []
        reached: dict[int | bytes, tuple[int, int]] = {}
        stack = self.ahead[::-1]
        while stack:
            marking, before, by = stack.pop()
            key = key_of(marking)
            if key in self.cost_of or key in reached:
                continue
            if marking & guards != guards:
                raise Overflow
            runs.spend()
            reached[key] = (before, by)
            level.append(marking)
            for a, needs, inhibit, visible in self.useful:
                if (marking - needs) & guards == guards and not marking & inhibit:
                    (ahead if visible else stack).append((fire(a, marking), marking, a))
        self.levels.append(level)
        self.seen.update(reached)
        self.cost_of.update(dict.fromkeys(reached, cost))
        self.ahead = ahead

    def run_to(self, marking: int) -> list[int]:
        """The actions from the start to ``marking``, which has been found."""
        actions: list[int] = []
        while True:
            marking, action = self.seen[self.runs.packed.key(marking)]
            if action < 0:
                return actions[::-1]
            actions.append(action)


def _leading_to(actions: Sequence[Action], targets: Sequence[int]) -> tuple[int, ...]:
    """The actions from which a path of arcs leads to one of ``targets``."""
    makers: dict[int, list[int]] = {}
    for i, a in enumerate(actions):
        for p in {*(q for q, _ in a.produced), *(q for _, q in a.forwards), *a.reads}:
            makers.setdefault(p, []).append(i)
    found: set[int] = set()
    places: set[int] = set()
    stack = list(targets)
    while stack:
        a = actions[stack.pop()]
        for p in {*(q for q, _ in a.needs), *a.reads} - places:
            places.add(p)
            for i in makers.get(p, ()):
                if i not in found:
                    found.add(i)
                    stack.append(i)
    return tuple(sorted(found))
