"""Building nets in Python: arcs and output trees in words, places declared where they are first named.

net = (
    NetBuilder("lights")
    .transition("go", inputs="red", output="green", timing=delayed(30))
    .transition("stop", inputs="green", output="red", timing=delayed(25))
    .marking(red=1)
    .build()
)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from petri_cli.net.model import (
    IMMEDIATE,
    AndOut,
    Cardinality,
    ForwardOut,
    Input,
    Match,
    Net,
    Output,
    Place,
    PlaceOut,
    TimeoutOut,
    Timing,
    Transition,
    XorOut,
    leaves,
)
from petri_cli.net.rules import check_net

Arc = str | Input
Arcs = Arc | Iterable[Arc]
Tree = str | Output
Places = str | Iterable[str]
MatchKeys = Iterable[str] | Mapping[str, str | None]


def one(place: str) -> Input:
    """Take one token."""
    return Input(place)


def exactly(k: int, place: str) -> Input:
    """Take k tokens."""
    return Input(place, Cardinality.EXACTLY, k)


def every(place: str) -> Input:
    """Take all tokens; at least one must be there."""
    return Input(place, Cardinality.ALL)


def at_least(k: int, place: str) -> Input:
    """Take all tokens, once k are there."""
    return Input(place, Cardinality.AT_LEAST, k)


def both(*children: Tree) -> AndOut:
    """All of ``children`` receive tokens."""
    return AndOut(tuple(map(_tree, children)))


def either(*children: Tree) -> XorOut:
    """Exactly one of ``children`` receives tokens."""
    return XorOut(tuple(map(_tree, children)))


def timeout(after: float, child: Tree) -> TimeoutOut:
    """When the action has not ended ``after`` seconds, ``child`` receives tokens instead."""
    return TimeoutOut(after, _tree(child))


def forward(source: str, target: str) -> ForwardOut:
    """On time-out: one token into ``target`` for each token consumed from ``source``."""
    return ForwardOut(source, target)


def delayed(after: float) -> Timing:
    """Not before ``after`` seconds."""
    return Timing("delayed", after)


def deadline(by: float) -> Timing:
    """Within ``by`` seconds, or not at all."""
    return Timing("deadline", 0.0, by)


def window(earliest: float, latest: float) -> Timing:
    """Between ``earliest`` and ``latest`` seconds, or not at all."""
    return Timing("window", earliest, latest)


def exact(at: float) -> Timing:
    """At the first chance at or after ``at`` seconds."""
    return Timing("exact", at)


class NetBuilder:
    """Collects the places and transitions of a net; :meth:`build` checks it."""

    def __init__(self, id: str) -> None:
        self._id = id
        self._places: dict[str, Place] = {}
        self._transitions: list[Transition] = []
        self._initial: dict[str, int] = {}
        self._values: dict[str, tuple[object, ...]] = {}
        self._final: dict[str, int] | None = None

    def place(self, id: str, *, name: str = "", environment: bool = False) -> Self:
        """Declare a place; only needed for one that no arc names, or that has more to it than its id."""
        self._places[id] = Place(id, name, environment)
        return self

    def transition(
        self,
        id: str,
        inputs: Arcs = (),
        output: Tree | None = None,
        *,
        inhibitors: Places = (),
        reads: Places = (),
        resets: Places = (),
        timing: Timing = IMMEDIATE,
        priority: int = 0,
        match: MatchKeys = (),
        name: str = "",
    ) -> Self:
        """Add a transition. A string stands for one token of that place, as an input and as an output.

        match: the places whose tokens must go by one name; as a mapping, each with the key that a token's name is found
        under (None: its own name).
        """
        keys = tuple(match.items()) if isinstance(match, Mapping) else tuple((p, None) for p in _names(match))
        arcs = [a if isinstance(a, Input) else Input(a) for a in _arcs(inputs)]
        t = Transition(
            id,
            tuple(arcs),
            None if output is None else _tree(output),
            _names(inhibitors),
            _names(reads),
            _names(resets),
            timing,
            priority,
            Match(keys) if keys else None,
            name,
        )
        outputs = [leaf.place if isinstance(leaf, PlaceOut) else leaf.target for leaf in leaves(t.output)]
        for place in [*(a.place for a in arcs), *t.reads, *t.inhibitors, *t.resets, *outputs]:
            self._places.setdefault(place, Place(place))
        self._transitions.append(t)
        return self

    def marking(
        self, tokens: Mapping[str, int | Sequence[object]] | None = None, /, **more: int | Sequence[object]
    ) -> Self:
        """Set initial tokens: a number of unit tokens, or one value a token."""
        for place, given in {**(tokens or {}), **more}.items():
            if isinstance(given, str):
                raise TypeError(f"the tokens of {place!r} are a number or a list of values, not {given!r}")
            if isinstance(given, int):
                self._initial[place] = given
                self._values.pop(place, None)
            else:
                self._initial[place] = len(given)
                self._values[place] = tuple(given)
        return self

    def final(self, counts: Mapping[str, int] | None = None, /, **more: int) -> Self:
        """Set the marking that the net should end in."""
        self._final = {**(counts or {}), **more}
        return self

    def build(self) -> Net:
        """The net. Raises PetriError ``PETRI_BAD_NET`` when it breaks a rule of the model."""
        net = Net(
            id=self._id,
            places=tuple(self._places.values()),
            transitions=tuple(self._transitions),
            initial=dict(self._initial),
            final=self._final,
            values=dict(self._values),
        )
        check_net(net)
        return net


def _tree(tree: Tree) -> Output:
    return PlaceOut(tree) if isinstance(tree, str) else tree


def _arcs(given: Arcs) -> list[Arc]:
    return [given] if isinstance(given, (str, Input)) else list(given)


def _names(given: Places) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)
