"""Playing traces on a net, token by token, as an automaton over markings that is built on the way.

What an event does to a marking is worked out once; every later event in the same marking is a look-up.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from operator import sub

from petri_cli.mining.alignments_model import Labels
from petri_cli.net.compiled import Action, CompiledNet, State
from petri_cli.soundness.timer import Deadline, never


class OutOfTimeError(Exception):
    """The deadline has passed: there are no counts."""


MAX_SILENT = 2_000
"""Markings that are looked at for silent transitions that would enable an event, or lead to the end."""

_MOST_KNOWN = 50_000
"""Markings whose silent successors are kept."""


@dataclass(frozen=True, slots=True)
class Counts:
    """missing, consumed, remaining and produced tokens (m, c, r, p). Always p + m = c + r."""

    missing: int = 0
    consumed: int = 0
    remaining: int = 0
    produced: int = 0

    def __add__(self, other: Counts) -> Counts:
        return Counts(
            self.missing + other.missing,
            self.consumed + other.consumed,
            self.remaining + other.remaining,
            self.produced + other.produced,
        )

    def __mul__(self, n: int) -> Counts:
        return Counts(self.missing * n, self.consumed * n, self.remaining * n, self.produced * n)

    @property
    def fitness(self) -> float:
        """½(1 − m/c) + ½(1 − r/p); 1 where nothing was to be consumed or produced."""
        lost = self.missing / self.consumed if self.consumed else 0.0
        left = self.remaining / self.produced if self.produced else 0.0
        return (1 - lost) / 2 + (1 - left) / 2


@dataclass(frozen=True, slots=True)
class Play:
    """What playing one trace came to. missing, remaining: (place, tokens), by place."""

    counts: Counts
    missing: tuple[tuple[str, int], ...] = ()
    remaining: tuple[tuple[str, int], ...] = ()

    @property
    def complete(self) -> bool:
        """Whether a complete firing sequence was found."""
        return not (self.counts.missing or self.counts.remaining)


@dataclass(frozen=True, slots=True)
class _Step:
    """After it the marking is ``to``; what it counted, and at which places tokens were missing."""

    to: int
    counts: Counts
    missing: tuple[tuple[int, int], ...] = ()


class Player:
    """Plays traces of labels from the initial to the final marking of ``net``, which has one.

    What takes time, to work out a step that is new, raises OutOfTimeError once ``deadline`` has passed.
    """

    def __init__(self, net: CompiledNet, labels: Labels, deadline: Deadline = never) -> None:
        if net.final is None:
            raise ValueError("the net has no final marking")
        self.net, self.final, self.deadline = net, net.final, deadline
        self.matching: list[list[Action]] = [[] for _ in labels.names]
        silent: list[Action] = []
        for action, label in zip(net.actions, labels.of_action, strict=True):
            (silent if label is None else self.matching[label]).append(action)
        self.silent = _SilentSteps(silent)
        self.useful = [_leading_to(silent, actions) for actions in self.matching]
        self.constant = [_tokens(a) for a in net.actions] if net.plain else None
        self.markings: list[State] = []
        self.index: dict[State, int] = {}
        self.steps: dict[tuple[int, int], _Step] = {}
        self.ends: dict[int, Play] = {}
        self.start = self._number(net.initial)

    def play(self, trace: Sequence[int]) -> Play:
        """Play one trace."""
        at = self.start
        missing = consumed = 0
        produced = sum(self.net.initial)
        lacking: dict[int, int] = {}
        steps = self.steps
        for label in trace:
            step = steps.get((at, label)) or self._step(at, label)
            counts = step.counts
            missing += counts.missing
            consumed += counts.consumed
            produced += counts.produced
            for p, n in step.missing:
                lacking[p] = lacking.get(p, 0) + n
            at = step.to
        end = self.ends.get(at) or self._end(at)
        names = self.net.places
        at_end = dict(end.missing)
        for p, n in lacking.items():
            at_end[names[p]] = at_end.get(names[p], 0) + n
        return Play(
            Counts(missing, consumed, 0, produced) + end.counts,
            tuple((p, at_end[p]) for p in names if p in at_end),
            end.remaining,
        )

    def fire_all(self, actions: Iterable[int]) -> Play:
        """The play of a complete firing sequence."""
        if self.constant is not None:
            pairs = [self.constant[a] for a in actions]
            consumed, produced = sum([c for c, _ in pairs]), sum([p for _, p in pairs])
            return Play(Counts(0, consumed + sum(self.final), 0, produced + sum(self.net.initial)))
        at = self.net.initial
        counts = Counts(produced=sum(at))
        for a in actions:
            action = self.net.actions[a]
            counts += _counted(action, at)
            at = action.fire(at)
        return Play(counts + Counts(consumed=sum(at)))

    def _number(self, marking: State) -> int:
        number = self.index.get(marking)
        if number is None:
            number = self.index[marking] = len(self.markings)
            self.markings.append(marking)
        return number

    def _look_at_the_clock(self) -> None:
        if self.deadline():
            raise OutOfTimeError

    def _step(self, at: int, label: int) -> _Step:
        """What an event of ``label`` does to a marking."""
        self._look_at_the_clock()
        marking = self.markings[at]
        matching = self.matching[label]
        before, counts = marking, Counts()
        action = next((a for a in matching if a.enabled(marking)), None)
        if action is None:
            tried = _Silent(marking, self.silent, self.useful[label])
            for reached in tried:
                action = next((a for a in matching if a.enabled(reached)), None)
                if action is not None:
                    before, counts = reached, tried.counts_to(reached)
                    break
        missing: tuple[tuple[int, int], ...] = ()
        if action is None:
            lacking = [_lacking(a, marking) for a in matching]
            least = min(range(len(matching)), key=lambda k: sum(n for _, n in lacking[k]))
            action, missing = matching[least], lacking[least]
            before, counts = _helped(action, marking, missing)
        step = self.steps[at, label] = _Step(
            self._number(action.fire(before)), counts + _counted(action, before), missing
        )
        return step

    def _end(self, at: int) -> Play:
        """Silent transitions towards the end, then what is missing there and what remains."""
        self._look_at_the_clock()
        marking, final = self.markings[at], self.final
        tried = _Silent(marking, self.silent, self.silent.all)
        best, distance = marking, -1
        for reached in tried:
            apart = sum(map(abs, map(sub, reached, final)))
            if distance < 0 or apart < distance:
                best, distance = reached, apart
            if not apart:
                break
        names = self.net.places
        pairs = [(p, k - n) for p, n, k in zip(names, best, final, strict=True)]
        missing = tuple((p, d) for p, d in pairs if d > 0)
        remaining = tuple((p, -d) for p, d in pairs if d < 0)
        counts = Counts(sum(d for _, d in missing), sum(final), sum(d for _, d in remaining))
        play = self.ends[at] = Play(tried.counts_to(best) + counts, missing, remaining)
        return play


class _SilentSteps:
    """What each silent action does to a marking; worked out once, since searches meet in the same markings."""

    def __init__(self, actions: Sequence[Action]) -> None:
        self.actions = actions
        self.all = frozenset(range(len(actions)))
        self._known: dict[State, list[tuple[int, State]]] = {}
        self._anywhere = [i for i, a in enumerate(actions) if not a.needs]
        """Actions that need no token; the others wait at the first place that they need one of."""
        self._waiting: dict[int, list[int]] = {}
        for i, a in enumerate(actions):
            if a.needs:
                self._waiting.setdefault(a.needs[0][0], []).append(i)

    def after(self, marking: State) -> list[tuple[int, State]]:
        """(index of an enabled action, the marking after it), in the order of actions."""
        known = self._known.get(marking)
        if known is None:
            perhaps = [*self._anywhere]
            for p, waiting in self._waiting.items():
                if marking[p]:
                    perhaps += waiting
            actions = self.actions
            known = [(i, actions[i].fire(marking)) for i in sorted(perhaps) if actions[i].enabled(marking)]
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[marking] = known
        return known


class _Silent:
    """The markings that silent actions lead to, nearest first, at most ``MAX_SILENT`` of them. useful: indices of the
    actions that may fire."""

    def __init__(self, start: State, steps: _SilentSteps, useful: AbstractSet[int]) -> None:
        self.steps, self.useful = steps, useful
        self.came: dict[State, tuple[State, Action] | None] = {start: None}
        self.order = [start]

    def __iter__(self) -> _Silent:
        self.at = -1
        return self

    def __next__(self) -> State:
        if self.at >= 0:
            self._expand(self.order[self.at])
        self.at += 1
        if self.at >= len(self.order):
            raise StopIteration
        return self.order[self.at]

    def _expand(self, marking: State) -> None:
        for i, after in self.steps.after(marking):
            if len(self.order) >= MAX_SILENT:
                return
            if i in self.useful and after not in self.came:
                self.came[after] = (marking, self.steps.actions[i])
                self.order.append(after)

    def counts_to(self, marking: State) -> Counts:
        """What the silent actions on the way to ``marking`` consume and produce."""
        counts = Counts()
        came = self.came[marking]
        while came is not None:
            before, action = came
            counts += _counted(action, before)
            came = self.came[before]
        return counts


def _tokens(action: Action) -> tuple[int, int]:
    """(consumed, produced) by an action of a place/transition net, in whatever marking."""
    return sum(k for _, k in action.needs), sum(k for _, k in action.produced)


def _counted(action: Action, before: State) -> Counts:
    """Tokens that firing ``action`` consumes and produces."""
    taken = {p: before[p] if p in action.drained else k for p, k in action.needs}
    consumed = sum(taken.values()) + sum(before[p] - taken.get(p, 0) for p in set(action.resets))
    return Counts(consumed=consumed, produced=sum(action.fire(before)) - sum(before) + consumed)


def _lacking(action: Action, marking: State) -> tuple[tuple[int, int], ...]:
    """(place, tokens missing there) for ``action``; a token that inhibits it counts as one missing."""
    wanted = dict(action.needs)
    for p in action.reads:
        wanted[p] = max(wanted.get(p, 0), 1)
    short = [(p, k - marking[p]) for p, k in wanted.items() if k > marking[p]]
    return (*short, *((p, 1) for p in dict.fromkeys(action.inhibitors) if marking[p]))


def _helped(action: Action, marking: State, missing: tuple[tuple[int, int], ...]) -> tuple[State, Counts]:
    """The marking with the missing tokens in place, and what they count. What an inhibitor lacks is used up at once."""
    helped = list(marking)
    inhibited = {p for p in action.inhibitors if marking[p]}
    for p, n in missing:
        if p not in inhibited:
            helped[p] += n
    total = sum(n for _, n in missing)
    return tuple(helped), Counts(missing=total, consumed=sum(n for p, n in missing if p in inhibited))


def _leading_to(silent: Sequence[Action], targets: Sequence[Action]) -> frozenset[int]:
    """Indices of the silent actions from which a path of arcs over silent ones leads to one of ``targets``, or that
    clear a place in their way."""
    makers: dict[int, list[int]] = {}
    for i, a in enumerate(silent):
        changed = {*(q for q, _ in a.produced), *(q for _, q in a.forwards), *a.resets}
        for p in changed:
            makers.setdefault(p, []).append(i)
    takers: dict[int, list[int]] = {}
    for i, a in enumerate(silent):
        for p, _ in a.needs:
            takers.setdefault(p, []).append(i)
    found: set[int] = set()
    stack = list(targets)
    while stack:
        a = stack.pop()
        wanted = {*(q for q, _ in a.needs), *a.reads}
        helpers = [*(i for p in sorted(wanted) for i in makers.get(p, ()))]
        helpers += [i for p in a.inhibitors for i in (*takers.get(p, ()), *makers.get(p, ()))]
        for i in helpers:
            if i not in found:
                found.add(i)
                stack.append(silent[i])
    return frozenset(found)
