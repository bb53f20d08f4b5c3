"""Coloured time Petri nets as immutable data: places, arcs, transitions, nets.

A net knows its structure and no behaviour: what a transition *does* when it fires is bound by id when it is executed
(``action`` is only the file's description of it). Identifiers are strings a person can read.

Sources: Murata, "Petri Nets: Properties, Analysis and Applications", Proc. IEEE 77(4), 1989 (place/transition nets);
Merlin & Farber 1976 (time intervals); Rosa-Velardo & de Frutos-Escrig 2008 (name matching).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType
from typing import assert_never

from petri_cli.errors import PetriError

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


def check_net(net: Net) -> None:
    """Refuse a net that breaks a rule of the model (arcs to unknown places are such a rule here; the engine keeps
    tokens on undeclared places, but an arc always names a declared one).

    Raises PetriError with code ``PETRI_BAD_NET`` naming the first offending transition.
    """
    declared = {p.id for p in net.places}
    if len(declared) != len(net.places):
        raise _bad("two places have one id", hint="ids are unique within a net")
    seen: set[str] = set()
    for t in net.transitions:
        if t.id in seen:
            raise _bad(f"two transitions are called {t.id!r}")
        seen.add(t.id)
        _check_transition(t, declared)


def _check_transition(t: Transition, declared: set[str]) -> None:
    inputs = [i.place for i in t.inputs]
    if len(set(inputs)) != len(inputs):
        raise _bad(f"transition {t.id!r} has two input arcs on one place", hint="use exactly: n")
    for i in t.inputs:
        if i.count < 1:
            raise _bad(f"transition {t.id!r} needs {i.count} tokens of {i.place!r}; at least 1 is meant")
        if i.count != 1 and i.kind in (Cardinality.ONE, Cardinality.ALL):
            raise _bad(
                f"transition {t.id!r} counts {i.count} on a {i.kind.value!r} input; that is `exactly` or `atLeast`"
            )
    named = [*inputs, *t.inhibitors, *t.reads, *t.resets]
    for leaf in leaves(t.output):
        named.append(leaf.place if isinstance(leaf, PlaceOut) else leaf.target)
    for p in named:
        if p not in declared:
            raise _bad(f"transition {t.id!r} names the place {p!r}, which the net does not declare")
    if t.match is not None:
        correlated = {*inputs, *t.inhibitors}
        for p, _ in t.match.keys:
            if p not in correlated:
                raise _bad(f"transition {t.id!r} matches on {p!r}, which is not an input of it")
        keyed = [p for p, _ in t.match.keys]
        if len(set(keyed)) != len(keyed):
            raise _bad(f"transition {t.id!r} matches twice on one place")
        if not set(keyed) & set(inputs):
            raise _bad(f"transition {t.id!r} matches on no input; a name comes from an input")
    _check_timing(t)
    if t.output is not None:
        _check_output(t, t.output, set(inputs))


def _check_timing(t: Transition) -> None:
    kind, earliest, latest = t.timing.kind, t.timing.earliest, t.timing.latest
    if not (0 <= earliest < math.inf) or (latest is not None and not (earliest <= latest < math.inf)):
        raise _bad(f"transition {t.id!r} has an empty firing interval [{earliest}, {latest}]")
    if kind not in ("immediate", "deadline", "delayed", "window", "exact"):
        raise _bad(f"transition {t.id!r} has a timing of the unknown kind {kind!r}")
    if t.timing.hard and latest is None:
        raise _bad(f"transition {t.id!r} has a {kind} without an end")
    if kind == "deadline" and latest == 0:
        raise _bad(f"transition {t.id!r} has a deadline of 0 s; it must be above 0")


def _check_output(t: Transition, root: Output, inputs: set[str]) -> None:
    stack: list[tuple[Output, bool]] = [(root, False)]
    while stack:
        node, in_timeout = stack.pop()
        match node:
            case PlaceOut(place, count):
                if count < 1:
                    raise _bad(f"transition {t.id!r} puts {count} tokens into {place!r}; at least 1 is meant")
            case ForwardOut(source, _):
                if not in_timeout:
                    raise _bad(f"transition {t.id!r} forwards {source!r} outside a timeout")
                if source not in inputs:
                    raise _bad(f"transition {t.id!r} forwards {source!r}, which is not an input of it")
            case AndOut(children):
                if not children:
                    raise _bad(f"transition {t.id!r} has an `and` output without children")
                stack.extend((c, in_timeout) for c in children)
            case XorOut(children):
                if len(children) < 2:
                    raise _bad(f"transition {t.id!r} has a `xor` output with fewer than two children")
                stack.extend((c, in_timeout) for c in children)
            case TimeoutOut(after, child):
                if not (0 < after < math.inf):
                    raise _bad(f"transition {t.id!r} has a timeout of {after} s; it must be above 0")
                stack.append((child, True))
            case other:
                assert_never(other)
    for branch in outcomes(root):
        claimed = [leaf.place if isinstance(leaf, PlaceOut) else leaf.target for leaf in branch.leaves]
        if len(set(claimed)) != len(claimed):
            raise _bad(f"transition {t.id!r} names a place twice in one `and` branch of its output")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One way a firing can end: the leaves that receive tokens. ``timeout`` marks a time-out outcome."""

    leaves: tuple[PlaceOut | ForwardOut, ...]
    timeout: bool = False


MAX_OUTCOMES = 4096
"""More xor combinations than this in one output tree are refused: they would be enumerated for each firing."""


def outcomes(output: Output | None) -> tuple[Outcome, ...]:
    """Every outcome of a firing, in document order: one a complete xor choice, then one for each time-out branch.

    An action that ends in time may itself write what is declared under a ``timeout``: the branch is chosen like any
    other, and a forward then stands for its target, one token. A time-out is an outcome of its own, in which a forward
    puts as many tokens as were consumed. Without a declared output, the one outcome is empty.
    """
    if output is None:
        return (Outcome(()),)
    if isinstance(output, PlaceOut):
        return (Outcome((output,)),)
    if isinstance(output, AndOut) and all(isinstance(c, PlaceOut) for c in output.children):
        return (Outcome(output.children),)  # type: ignore[arg-type]  # just checked
    normal, timeouts = _expand(output)
    return tuple([Outcome(o) for o in normal] + [Outcome(o, timeout=True) for o in timeouts])


_Leaves = tuple[PlaceOut | ForwardOut, ...]


def late_leaves(timeout: TimeoutOut) -> tuple[PlaceOut | ForwardOut, ...]:
    """What a time-out deposits: its child's first choice."""
    return _expand(timeout.child, late=True)[0][0]


def _expand(root: Output, *, late: bool = False) -> tuple[list[_Leaves], list[_Leaves]]:
    """(normal outcomes, time-out outcomes) of an output tree, by an explicit post-order walk.

    late: the tree stands under a time-out that struck: forwards forward, an inner time-out stands for its child.
    """
    results: list[tuple[list[_Leaves], list[_Leaves]]] = []
    stack: list[tuple[Output, bool]] = [(root, False)]
    while stack:
        node, done = stack.pop()
        match node:
            case PlaceOut() | ForwardOut():
                results.append(([(node,)], []))
            case TimeoutOut(_, child) if not done:
                stack += [(node, True), (child, False)]
            case TimeoutOut() if late:
                pass  # no clock runs any more: it stands for its child
            case TimeoutOut(_, child):
                normal, timeouts = results.pop()
                results.append(([_written(leaves) for leaves in normal], _expand(child, late=True)[0] + timeouts))
            case AndOut(children) | XorOut(children) if not done:
                stack.append((node, True))
                stack.extend((c, False) for c in reversed(children))
            case AndOut(children):
                parts = results[len(results) - len(children) :]
                del results[len(results) - len(children) :]
                product: list[_Leaves] = [()]
                # what a time-out would write comes last, and only where nothing else writes it
                for c, (normal, _) in sorted(zip(children, parts, strict=True), key=_timed):
                    extra = isinstance(c, TimeoutOut)
                    product = [a + (_new(b, a) if extra else b) for a in product for b in normal]
                    if len(product) > MAX_OUTCOMES:
                        raise _bad(f"an output tree has more than {MAX_OUTCOMES} outcomes")
                results.append((product, [o for _, timeouts in parts for o in timeouts]))
            case XorOut(children):
                parts = results[len(results) - len(children) :]
                del results[len(results) - len(children) :]
                choices: list[_Leaves] = []
                for timed in (
                    (False,) if late else (False, True)
                ):  # what a time-out would write is no second way to write the same
                    for c, (normal, _) in zip(children, parts, strict=True):
                        if isinstance(c, TimeoutOut) == timed:
                            known = {_places(o) for o in choices} if timed else set()
                            choices += [o for o in normal if _places(o) not in known]
                results.append((choices, [o for _, timeouts in parts for o in timeouts]))
            case other:
                assert_never(other)
    return results[0]


def _written(leaves: _Leaves) -> _Leaves:
    """The leaves as an action writes them: a forward stands for its target."""
    return tuple(PlaceOut(leaf.target) if isinstance(leaf, ForwardOut) else leaf for leaf in leaves)


def _timed(child: tuple[Output, object]) -> bool:
    return isinstance(child[0], TimeoutOut)


def _new(leaves: _Leaves, known: _Leaves) -> _Leaves:
    """The leaves whose place is not among the known ones."""
    return tuple(leaf for leaf in leaves if not _places((leaf,)) & _places(known))


def _places(leaves: _Leaves) -> frozenset[str]:
    return frozenset(leaf.place if isinstance(leaf, PlaceOut) else leaf.target for leaf in leaves)


def _bad(message: str, *, hint: str = "") -> PetriError:
    return PetriError("PETRI_BAD_NET", message, hint=hint)
