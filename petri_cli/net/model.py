"""Coloured time Petri nets as immutable data: places, arcs, transitions, nets.

A net knows its structure and no behaviour: what a transition *does* when it fires is bound by id when it is executed
(``action`` is only the file's description of it). Identifiers are strings a person can read.

Sources: Murata, "Petri Nets: Properties, Analysis and Applications", Proc. IEEE 77(4), 1989 (place/transition nets);
Merlin & Farber 1976 (time intervals); Rosa-Velardo & de Frutos-Escrig 2008 (name matching).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import assert_never

from petri_cli.errors import PetriError


class BrokenRule(PetriError):
    """``PETRI_BAD_NET``: a net, or a part of one, breaks a rule of the model.

    part: the field of the :class:`Transition` that the rule is about; empty for the whole of it.
    """

    def __init__(self, message: str, part: str = "", *, hint: str = "") -> None:
        super().__init__("PETRI_BAD_NET", message, hint=hint)
        self.part = part


Marking = Mapping[str, int]
"""Tokens by place id; a place that is absent holds none."""

NO_TOKENS: Marking = MappingProxyType({})


class Cardinality(Enum):
    """How many tokens an input arc needs, and how many of ``n`` available it takes."""

    ONE = "one"
    """needs 1, takes 1"""
    EXACTLY = "exactly"
    """needs k, takes k"""
    ALL = "all"
    """needs 1, takes n"""
    AT_LEAST = "atLeast"
    """needs k, takes n"""


@dataclass(frozen=True, slots=True)
class Place:
    """A place. ``environment`` places accept tokens from outside while the net runs."""

    id: str
    name: str = ""
    environment: bool = False


@dataclass(frozen=True, slots=True)
class Input:
    """An input arc: what it needs of ``place`` and what it takes (see :class:`Cardinality`)."""

    place: str
    kind: Cardinality = Cardinality.ONE
    count: int = 1
    """k of ``exactly`` and ``atLeast``; 1 otherwise."""

    @property
    def needs(self) -> int:
        """Tokens that must be there for the arc to be satisfied."""
        return self.count

    @property
    def drains(self) -> bool:
        """Whether the arc takes every token that is there."""
        return self.kind in (Cardinality.ALL, Cardinality.AT_LEAST)

    def takes(self, available: int) -> int:
        """Tokens consumed of ``available`` when the transition fires."""
        return available if self.drains else self.count


@dataclass(frozen=True, slots=True)
class PlaceOut:
    """A leaf of an output tree: ``place`` receives ``count`` tokens (any number ≥ 1, when an action decides)."""

    place: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class ForwardOut:
    """On time-out only: one token into ``target`` for each token consumed from ``source``, values kept."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class AndOut:
    """All children receive tokens."""

    children: tuple[Output, ...]


@dataclass(frozen=True, slots=True)
class XorOut:
    """Exactly one of at least two children receives tokens."""

    children: tuple[Output, ...]


@dataclass(frozen=True, slots=True)
class TimeoutOut:
    """If the action has not ended ``after`` seconds, it is abandoned and ``child`` receives tokens."""

    after: float
    child: Output


Output = PlaceOut | AndOut | XorOut | TimeoutOut | ForwardOut


@dataclass(frozen=True, slots=True)
class Timing:
    """A firing interval [earliest, latest] in seconds since enabling; ``latest`` None is unbounded.

    ``kind`` is one of ``immediate`` [0,∞), ``deadline`` [0,by], ``delayed`` [after,∞), ``window`` [a,b], ``exact``
    (fires at the first chance at or after ``earliest``, never reaped). Bounds are inclusive.
    """

    kind: str = "immediate"
    earliest: float = 0.0
    latest: float | None = None

    @property
    def hard(self) -> bool:
        """Whether the transition is disabled once ``latest`` has passed (it "can be reaped")."""
        return self.kind in ("deadline", "window")


IMMEDIATE = Timing()


@dataclass(frozen=True, slots=True)
class Match:
    """Name matching: the correlated ``places`` (inputs or inhibitors of the transition), each with the key that
    projects a token to its name (``None``: the token's own name)."""

    keys: tuple[tuple[str, str | None], ...]


@dataclass(frozen=True, slots=True)
class Transition:
    """A transition with its arcs. ``output`` None declares nothing: its firings only consume, they produce nothing."""

    id: str
    inputs: tuple[Input, ...] = ()
    output: Output | None = None
    inhibitors: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    resets: tuple[str, ...] = ()
    timing: Timing = IMMEDIATE
    priority: int = 0
    match: Match | None = None
    name: str = ""
    action: Mapping[str, object] | None = None


@dataclass(frozen=True, slots=True)
class Property:
    """A property of a net file beyond soundness.

    ``kind``: ``deadlockFree`` (places = sinks), ``placeBound`` (places = the one place, maximum = bound),
    ``mutualExclusion``, ``unreachable`` (all listed places marked), ``terminatesAtSink`` (places = sinks),
    ``quiescentCount`` (minimum ≤ tokens over places ≤ maximum at every rest marking).
    """

    id: str
    kind: str
    places: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int | None = None


@dataclass(frozen=True, slots=True)
class Net:
    """A net with its initial marking and, where it has one, the final marking it should end in.

    ``values`` holds the values of initial tokens where they carry any (place id → one value a token, oldest first).
    """

    id: str
    places: tuple[Place, ...]
    transitions: tuple[Transition, ...]
    initial: Marking = field(default_factory=lambda: NO_TOKENS)
    final: Marking | None = None
    properties: tuple[Property, ...] = ()
    values: Mapping[str, tuple[object, ...]] = field(default_factory=lambda: MappingProxyType({}))
    name: str = ""

    def place_ids(self) -> tuple[str, ...]:
        return tuple(p.id for p in self.places)

    def all_places(self) -> tuple[Place, ...]:
        """The declared places, then those that only a marking names: no arc reaches them, and their tokens count."""
        declared = set(self.place_ids())
        marked = dict.fromkeys(p for p in (*self.initial, *(self.final or ())) if p not in declared)
        return (*self.places, *map(Place, marked))

    def transition(self, tid: str) -> Transition:
        """The transition called ``tid``; KeyError when there is none."""
        for t in self.transitions:
            if t.id == tid:
                return t
        raise KeyError(tid)


def leaves(output: Output | None) -> Iterator[PlaceOut | ForwardOut]:
    """All leaves of an output tree, left to right, time-out branches included."""
    stack: list[Output] = [] if output is None else [output]
    while stack:
        match stack.pop():
            case PlaceOut() | ForwardOut() as leaf:
                yield leaf
            case AndOut(children) | XorOut(children):
                stack.extend(reversed(children))
            case TimeoutOut(_, child):
                stack.append(child)
            case other:
                assert_never(other)
