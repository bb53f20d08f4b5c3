"""Token counts as bits of a decision diagram, and what an action does to a set of markings.

A place of b bits holds up to 2ᵇ − 1 tokens. What an action does to a place depends on that place alone (tokens are
taken, emptied, read, put), so an image is worked out place after place, without a second copy of the variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from petri_cli.net.compiled import Action, CompiledNet, State

Set = Any
"""A set of markings: a BDDFunction of OxiDD, which has no types of its own that a checker could use here."""


def expressible(action: Action) -> bool:
    """Whether the action changes each place by what that place alone holds: a time-out that forwards all of the tokens
    of another place does not."""
    return not any(source in action.drained for source, _ in action.forwards)


class Encoding:
    """The places of a net as variables. order: places from top to bottom; bits: of each place."""

    def __init__(self, manager: Any, compiled: CompiledNet, order: Sequence[int], bits: Sequence[int]) -> None:
        self.manager, self.compiled, self.bits = manager, compiled, bits
        self.level = {p: i for i, p in enumerate(order)}
        variables = iter(manager.add_vars(sum(bits)))
        self.variables: dict[int, list[int]] = {p: [next(variables) for _ in range(bits[p])] for p in order}
        """The variables of each place, the highest bit first."""
        self.order = order
        self._cubes: dict[tuple[int, int], Set] = {}
        self._supports: dict[int, Set] = {}

    def most(self, p: int) -> int:
        """The most tokens that place ``p`` can hold."""
        return (1 << self.bits[p]) - 1

    def holds(self, p: int, n: int) -> Set:
        """The markings with exactly ``n`` tokens on place ``p``."""
        cube = self._cubes.get((p, n))
        if cube is None:
            cube = self.manager.true()
            for i, v in enumerate(reversed(self.variables[p])):
                cube = (self.manager.var(v) if n >> i & 1 else self.manager.not_var(v)) & cube
            self._cubes[p, n] = cube
        return cube

    def among(self, p: int, counts: Iterable[int]) -> Set:
        """The markings with one of these numbers of tokens on place ``p``."""
        found = self.manager.false()
        for n in counts:
            found |= self.holds(p, n)
        return found

    def support(self, p: int) -> Set:
        """The variables of place ``p``, as their conjunction."""
        cube = self._supports.get(p)
        if cube is None:
            cube = self.manager.true()
            for v in reversed(self.variables[p]):
                cube = self.manager.var(v) & cube
            self._supports[p] = cube
        return cube

    def conjunction(self, parts: dict[int, Set]) -> Set:
        """What all of ``parts`` (by place) have in common."""
        found = self.manager.true()
        for p in sorted(parts, key=self.level.__getitem__, reverse=True):
            found = parts[p] & found
        return found

    def one(self, state: State) -> Set:
        """The set of this one marking."""
        return self.conjunction({p: self.holds(p, n) for p, n in enumerate(state)})

    def has(self, markings: Set, state: State) -> bool:
        """Whether ``state`` is one of ``markings``."""
        found: bool = markings.eval(
            (v, bool(n >> i & 1)) for p, n in enumerate(state) for i, v in enumerate(reversed(self.variables[p]))
        )
        return found

    def pick(self, markings: Set) -> State:
        """One of ``markings``, which isn't empty; always the same one."""
        bits = markings.pick_cube()
        return tuple(
            sum(1 << i for i, v in enumerate(reversed(self.variables[p])) if bits[v] is True)
            for p in range(len(self.bits))
        )

    def count(self, markings: Set) -> int:
        """How many markings there are."""
        return int(markings.sat_count(sum(self.bits)))

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The actions, in the order of the net."""
        return tuple(Event(self, a) for a in self.compiled.actions)


@dataclass(frozen=True, slots=True)
class _Shift:
    """Several counts of one place, and what each becomes."""

    place: int
    counts: tuple[tuple[int, int], ...]


class Event:
    """An action on sets of markings.

    enabled: where it can fire; over: where it can, but a place would outgrow its bits; looks, changes: places;
    operations: on sets, for one image.
    """

    def __init__(self, encoding: Encoding, action: Action) -> None:
        from oxidd.util import BooleanOperator

        self._and = BooleanOperator.AND
        self._encoding = encoding
        self.bottom = 0
        least, most = _wanted(action)
        becomes = _becomes(action)
        looked = {*least, *most}
        enabled, fits, before, after, shifts = {}, {}, {}, {}, []
        over: dict[int, Set] = {}
        for p in looked | {*becomes}:
            full = encoding.most(p)
            counts = [n for n in range(full + 1) if least.get(p, 0) <= n <= most.get(p, full)]
            rule = becomes.get(p, _Rule())
            inside = [(n, rule(n)) for n in counts if rule(n) <= full]
            if len(counts) <= full:
                enabled[p] = encoding.among(p, counts)
            if len(inside) < len(counts):
                over[p] = encoding.among(p, (n for n in counts if rule(n) > full))
            if all(n == m for n, m in inside):
                if len(inside) <= full:
                    fits[p] = encoding.among(p, (n for n, _ in inside))
            elif len(inside) == 1:
                ((n, m),) = inside
                before[p], after[p] = encoding.holds(p, n), encoding.holds(p, m)
                fits[p] = before[p]
            else:
                shifts.append(_Shift(p, tuple(inside)))
                if len(inside) <= full:
                    fits[p] = encoding.among(p, (n for n, _ in inside))
        self.enabled = encoding.conjunction(enabled)
        outgrown = encoding.manager.false()
        for beyond in over.values():
            outgrown |= beyond
        self.over, self.outgrows = self.enabled & outgrown, tuple(sorted(over))
        self._fits = encoding.conjunction(fits)
        self._moved = encoding.conjunction({p: encoding.support(p) for p in before})
        self._after = encoding.conjunction(after)
        self._shifts = tuple(sorted(shifts, key=lambda s: s.place))
        self.operations = 1 + sum(len(s.counts) for s in shifts)
        self.changes = frozenset({*before, *(s.place for s in shifts)})
        self.looks = frozenset(looked | self.changes)
        self.bottom = max((encoding.level[p] for p in self.looks), default=0)
        self.top = min((encoding.level[p] for p in self.looks), default=0)
        self.settles = any(after[p] != before[p] and p in enabled for p in before)
        """What it leads to does not have it enabled: to fire it twice in a row leads to nothing new."""

    def image(self, markings: Set) -> Set:
        """Where the event leads from ``markings``, but where a place would outgrow its bits."""
        found = markings.apply_exists(self._and, self._fits, self._moved) & self._after
        for shift in self._shifts:
            found = self._shifted(found, shift.place, shift.counts)
        return found

    def preimage(self, markings: Set) -> Set:
        """From where the event leads into ``markings``."""
        found = markings
        for shift in reversed(self._shifts):
            found = self._shifted(found, shift.place, tuple((m, n) for n, m in shift.counts))
        return found.apply_exists(self._and, self._after, self._moved) & self._fits

    def _shifted(self, markings: Set, p: int, counts: Sequence[tuple[int, int]]) -> Set:
        encoding = self._encoding
        found = encoding.manager.false()
        for n, m in counts:
            there = encoding.holds(p, n)
            found |= markings.apply_exists(self._and, there, encoding.support(p)) & encoding.holds(p, m)
        return found


@dataclass(frozen=True, slots=True)
class _Rule:
    """What becomes of n tokens: n − takes, or none where the place is emptied, then ``puts`` more."""

    takes: int = 0
    empties: bool = False
    puts: int = 0

    def __call__(self, n: int) -> int:
        return (0 if self.empties else n - self.takes) + self.puts


def _wanted(action: Action) -> tuple[dict[int, int], dict[int, int]]:
    """The least and the most tokens with which the action is enabled, by place."""
    least = dict(action.needs)
    for p in action.reads:
        least[p] = max(1, least.get(p, 1))
    return least, dict.fromkeys(action.inhibitors, 0)


def _becomes(action: Action) -> dict[int, _Rule]:
    """What the action does to each place that it takes from, empties or puts into."""
    needs = dict(action.needs)
    puts: dict[int, int] = {}
    for p, k in (*action.produced, *((target, needs[source]) for source, target in action.forwards)):
        puts[p] = puts.get(p, 0) + k
    emptied = action.drained | frozenset(action.resets)
    return {p: _Rule(needs.get(p, 0), p in emptied, puts.get(p, 0)) for p in {*needs, *emptied, *puts}}
