"""Markings packed into one Python integer, so that enabling and firing are a few machine-word operations.

Each place has a field of value bits below one *guard* bit; the guard bits of a marking are always set. Then

* an action with needs N is enabled iff ``(m - N) & G == G``: a field that is too small borrows its own guard bit, and
  nothing but its own (needs fit the value bits);
* firing adds the constant P - N; a field that overflows clears the guard bit of the lowest overflowing field, so an
  overflowing result never equals a marking, and one test ``m & G == G`` on each *new* marking finds it. The search then
  starts again with wider fields (:class:`Overflow`).

Drained and reset places are cleared by a mask between taking and putting, inhibitor places are one ``and``, so every
arc kind of the model is covered exactly.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from petri_cli.net.compiled import Action, CompiledNet, State
from petri_cli.soundness.bits import bits_of

Found = TypeVar("Found")
WIDEST = 256
"""Value bits of a place past which no search starts again: no run of a length we could search reaches that."""

WIDE = 500
"""Bits of a marking past which its integer is not a good key."""


class Overflow(Exception):
    """A place holds more tokens than its field has room for."""


STATE_BYTES = 250
"""What a state costs beside its marking: integers, a place in a dictionary, its part of the arrays; a rough figure."""


class PackedNet:
    """A compiled net with fields of at least ``floor`` value bits a place.

    Actions and places keep their indices in ``compiled``; a set of actions is an integer with bit ``a`` set.

    initial, final: packed markings (``final`` None when the net has none); guards: the guard bits G;
    delta: a → the constant that firing adds, or None where firing depends on the marking (drain, reset, forward).
    """

    def __init__(self, compiled: CompiledNet, floor: int = 1) -> None:
        self.compiled = compiled
        self.widest = floor >= WIDEST
        """Whether no search starts again with wider fields: one that overflows these has to stop."""
        self._lay_out(_largest(compiled), floor)
        self.initial = self.pack(compiled.initial)
        self.final = None if compiled.final is None else self.pack(compiled.final)
        self._compile_actions()

    def _lay_out(self, largest: list[int], floor: int) -> None:
        """Give each place its field.

        Python hashes an integer modulo 2**61 - 1, so bits 61 apart count alike; places that were declared in a row
        (branches of equal length) would make whole families of markings collide. The order of the fields is therefore
        scattered, by a fixed rule; and where a residue would be shared by many places, markings are looked up as bytes.
        """
        self.bits = [max(floor, n.bit_length()) for n in largest]
        self.offset = [0] * len(largest)
        self.guards = 0
        at = 0
        for p in sorted(range(len(largest)), key=lambda i: (i * 0x9E3779B1) & 0xFFFFFFFF):
            self.offset[p] = at
            at += self.bits[p] + 1
            self.guards |= 1 << (at - 1)
        self.key_bytes = at // 8 + 1 if at > WIDE else 0
        """Bytes of the key that a marking is looked up by; 0: the integer itself is the key. There is a bit to spare
        for the carry out of the top field: a key may be asked for before the test for an overflow."""
        self.value_mask = [(1 << b) - 1 for b in self.bits]

    def _compile_actions(self) -> None:
        actions = self.compiled.actions
        self.needs = [self._vector(a.needs) | self._vector([(p, 1) for p in _read_only(a)]) for a in actions]
        self.inhibit = [self._fields(a.inhibitors) for a in actions]
        self._take = [self._vector(a.needs) for a in actions]
        self._clear = [self._fields([*a.drained, *a.resets]) for a in actions]
        self._put = [self._vector(_produced(a)) for a in actions]
        self._forward = [_drained_forwards(a) for a in actions]
        self.delta: list[int | None] = [
            None if self._clear[i] or self._forward[i] else self._put[i] - self._take[i] for i in range(len(actions))
        ]
        self.single = not any(self.inhibit) and all(
            self.bits[p] == 1 for a in actions for p in [*(q for q, _ in a.needs), *a.reads]
        )
        """Whether all places that actions need have one value bit: a token there is the token, taking it empties it."""
        self._relate_actions()
        self.update = self._update_single if self.single else self._update_general

    def _relate_actions(self) -> None:
        """For each action, which enabled actions stay so when it fires (``keeps``), and which to look at again."""
        readers = self.compiled.readers
        looks = [(1 << b, self.needs[b], self.inhibit[b]) for b in range(len(self.needs))]
        self.recheck: list[tuple[tuple[int, int, int], ...]] = []
        self.keeps: list[int] = []
        for a in self.compiled.actions:
            lost = {b for p in _changed(a) for b in readers[p]}
            again = lost
            if self.single:
                put = {*(p for p, _ in a.produced), *(target for _, target in a.forwards)}
                taken = {p for p, _ in a.needs}
                lost = {b for p in (taken | set(a.resets)) - put for b in readers[p]}
                again = {b for p in put - taken for b in readers[p]} - lost
            self.recheck.append(tuple(looks[b] for b in sorted(again)))
            self.keeps.append(~bits_of(lost))

    def _vector(self, pairs: Iterable[tuple[int, int]]) -> int:
        return sum(k << self.offset[p] for p, k in pairs)

    def _fields(self, places: Iterable[int]) -> int:
        mask = 0
        for p in places:
            mask |= self.value_mask[p] << self.offset[p]
        return mask

    def pack(self, state: State) -> int:
        """The packed form of a state whose counts fit their fields."""
        return self.guards | self._vector(tuple(enumerate(state)))

    def pack_if_it_fits(self, state: State) -> int | None:
        """The packed form, or None for a state that no marking with these fields can equal."""
        if any(n > mask for n, mask in zip(state, self.value_mask, strict=True)):
            return None
        return self.pack(state)

    def unpack(self, m: int) -> State:
        return tuple((m >> at) & mask for at, mask in zip(self.offset, self.value_mask, strict=True))

    def key(self, m: int) -> int | bytes:
        """What a marking is looked up by in a set or dictionary."""
        return m.to_bytes(self.key_bytes, "little") if self.key_bytes else m

    def room(self, most_bytes: int) -> int:
        """How many states fit into so much memory, roughly."""
        return most_bytes // (STATE_BYTES + 2 * self.guards.bit_length() // 8)

    def count(self, m: int, p: int) -> int:
        """Tokens in place ``p``."""
        return (m >> self.offset[p]) & self.value_mask[p]

    def support(self, places: Iterable[int]) -> int:
        """The mask that is non-zero on a marking iff one of ``places`` is marked."""
        return self._fields(places)

    def outside(
        self, places: Iterable[int], least: int, most: int | None, *, marked: bool = False
    ) -> Callable[[int], bool]:
        """The test whether the tokens on ``places`` (marked: the places with one) are not ``least`` to ``most``."""
        fields = [(self.offset[p], self.value_mask[p]) for p in places]

        def test(m: int) -> bool:
            counts = ((m >> at) & mask for at, mask in fields)
            n = sum(map(bool, counts)) if marked else sum(counts)
            return n < least or (most is not None and n > most)

        return test

    def covers(self, m: int, low: int) -> bool:
        """Whether ``m`` holds at least the tokens of ``low`` in every place."""
        guards = self.guards
        return (m - (low ^ guards)) & guards == guards

    def is_enabled(self, a: int, m: int) -> bool:
        return (m - self.needs[a]) & self.guards == self.guards and not m & self.inhibit[a]

    def enabled(self, m: int) -> int:
        """The set of actions enabled in ``m``."""
        return sum(1 << a for a in range(len(self.needs)) if self.is_enabled(a, m))

    def constants(self) -> list[int]:
        """delta of every action; ValueError unless all are vector-adding."""
        deltas = [d for d in self.delta if d is not None]
        if len(deltas) < len(self.delta):
            raise ValueError("some action has no constant effect")
        return deltas

    def fire(self, a: int, m: int) -> int:
        """The marking after ``a``, which is enabled in ``m``. The caller checks a new marking for overflow."""
        d = self.delta[a]
        if d is not None:
            return m + d
        after = (m - self._take[a]) & ~self._clear[a] if self._clear[a] else m - self._take[a]
        after += self._put[a]
        guards = self.guards
        for source, target in self._forward[a]:
            forwarded = self.count(m, source)
            # what would run over the guard bit, or set again one that what was put before has cleared
            if forwarded > self.value_mask[target] or after & guards != guards:
                raise Overflow
            after += forwarded << self.offset[target]
        return after

    def _update_single(self, enabled: int, a: int, m: int) -> int:
        """The actions enabled in ``m``, which ``a`` led to from a marking where ``enabled`` were (1-bit needs only)."""
        enabled &= self.keeps[a]
        for bit, needs, _ in self.recheck[a]:
            if m & needs == needs:
                enabled |= bit
        return enabled

    def _update_general(self, enabled: int, a: int, m: int) -> int:
        """The same for any needs and inhibitors."""
        guards = self.guards
        enabled &= self.keeps[a]
        for bit, needs, inhibit in self.recheck[a]:
            if (m - needs) & guards == guards and not m & inhibit:
                enabled |= bit
        return enabled


def links(compiled: CompiledNet) -> int:
    """How many pairs of actions there are of which one may enable or disable the other: the size of a packed net."""
    readers = [len(r) for r in compiled.readers]
    return sum(readers[p] for a in compiled.actions for p in _changed(a))


def with_room(compiled: CompiledNet, search: Callable[[PackedNet], Found], floor: int = 1) -> Found:
    """Run ``search`` on the packed net, again with wider fields as long as it raises :class:`Overflow`.

    On the ``widest`` fields a search ends early instead, with what it has, and claims no completeness.
    """
    while True:
        try:
            return search(PackedNet(compiled, floor))
        except Overflow:
            if floor >= WIDEST:
                raise
            floor *= 2


def is_vector_addition(action: Action) -> bool:
    """Whether ``action`` needs at least something and adds a constant: no inhibitor, reset or draining arc.

    A read is a need that is not taken; a forward of an ``exactly`` input forwards a constant.
    """
    return not (action.inhibitors or action.resets or action.drained)


def effect(action: Action) -> dict[int, int]:
    """Place index → change ≠ 0 of its count by ``action``; exact for vector-adding actions."""
    change: dict[int, int] = {}
    for p, k in action.needs:
        change[p] = change.get(p, 0) - k
    for p, k in _produced(action):
        change[p] = change.get(p, 0) + k
    return {p: c for p, c in change.items() if c}


def _largest(compiled: CompiledNet) -> list[int]:
    """For each place, the largest count that the net itself names (markings, needs, one production)."""
    largest = [max(pair) for pair in zip(compiled.initial, compiled.final or compiled.initial, strict=True)]
    for a in compiled.actions:
        put: dict[int, int] = {}
        for p, k in _produced(a):  # a place may occur more than once
            put[p] = put.get(p, 0) + k
        for p, k in [*a.needs, *put.items(), *((q, 1) for q in a.reads)]:
            largest[p] = max(largest[p], k)
    return largest


def _read_only(a: Action) -> list[int]:
    """Places that ``a`` reads without taking from: an input arc on the same place needs at least as much."""
    taken = {p for p, _ in a.needs}
    return sorted(set(a.reads) - taken)


def _produced(a: Action) -> list[tuple[int, int]]:
    """The constant production: named places, and forwards of what an ``exactly`` input took."""
    needs = dict(a.needs)
    return [*a.produced, *((target, needs[source]) for source, target in a.forwards if source not in a.drained)]


def _drained_forwards(a: Action) -> tuple[tuple[int, int], ...]:
    return tuple((source, target) for source, target in a.forwards if source in a.drained)


def _changed(a: Action) -> set[int]:
    """Places whose count ``a`` may change."""
    return {*effect(a), *a.drained, *a.resets, *(target for _, target in _drained_forwards(a))}
