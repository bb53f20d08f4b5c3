"""The dense form of a net that the scheduler works on: indices for names, and for each place who must hear of a change.

Sizes are linear in the arcs of the net. There are no bit masks over all places: one mask a transition would make the
compiled net quadratic in size (670 MB for a chain of 100,000), and asking the few queues of a preset is faster anyway
(``docs/performance-engine.md`` has the figures).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeVar

from petri_cli.engine.outputs import OutputRule, output_rule
from petri_cli.engine.tokens import to_ticks
from petri_cli.net.model import Net, Transition
from petri_cli.net.rules import check_net


class Uncorrelated(Enum):
    """Stands where a match key would stand for an arc that takes tokens of any name (None is a key)."""

    ANY_NAME = auto()


T = TypeVar("T")

ANY_NAME = Uncorrelated.ANY_NAME

WIDE = 8
"""A preset of more places than this is searched from where the last search ended, not from its start."""


@dataclass(frozen=True, slots=True)
class InputArc:
    """Needs ``count`` tokens of ``place``; takes as many, or all if it ``drains``; of one name if it has a ``key``."""

    place: int
    count: int
    drains: bool
    key: str | Uncorrelated | None = ANY_NAME


@dataclass(frozen=True, slots=True)
class EngineTransition:
    """A transition over place indices; times in ticks. ``inhibitors`` leaves out the correlated ones."""

    id: str
    inputs: tuple[InputArc, ...]
    reads: tuple[int, ...]
    inhibitors: tuple[int, ...]
    correlated_inhibitors: tuple[tuple[int, str | None], ...]
    resets: tuple[int, ...]
    earliest: int
    latest: int | None
    """The latest bound where it is enforced, else None."""
    priority: int
    rule: OutputRule

    @property
    def matched(self) -> bool:
        return any(a.key is not ANY_NAME for a in self.inputs)

    @property
    def tracked(self) -> bool:
        """Looked at after every change of a place it depends on: names matter, or a deadline may have reaped it."""
        return self.matched or self.latest is not None

    @property
    def needs(self) -> tuple[tuple[int, int], ...]:
        """(place, tokens) that must be there: inputs and reads."""
        counts = {p: 1 for p in self.reads}
        counts.update((a.place, a.count) for a in self.inputs)
        return tuple(counts.items())

    @property
    def plain(self) -> bool:
        """Enabled as soon as each of a few places holds a token."""
        return not (self.tracked or self.inhibitors) and len(self.needs) <= WIDE and all(k == 1 for _, k in self.needs)

    @property
    def simple(self) -> bool:
        """Takes just one token of each input, whatever its name, and touches nothing else."""
        return not (self.reads or self.resets) and all(
            a.count == 1 and not a.drains and a.key is ANY_NAME for a in self.inputs
        )

    @property
    def claimable(self) -> bool:
        """Takes one token of one place, at any time: all that there is to decide is which."""
        return (
            self.simple and len(self.needs) == 1 and not (self.inhibitors or self.earliest or self.latest is not None)
        )


@dataclass(frozen=True, slots=True)
class EngineNet:
    """A net over place and transition indices in declaration order.

    consumers: place → transitions that need tokens on it; counted: place → (transition, k ≥ 2) among them;
    inhibited: place → transitions that a token on it disables; tracked, matched: place → such transitions that depend
    on it in any way. fast: every transition is immediate and all have one priority.
    """

    net: Net
    places: tuple[str, ...]
    transitions: tuple[EngineTransition, ...]
    consumers: tuple[tuple[int, ...], ...]
    counted: tuple[tuple[tuple[int, int], ...], ...]
    inhibited: tuple[tuple[int, ...], ...]
    tracked: tuple[tuple[int, ...], ...]
    matched: tuple[tuple[int, ...], ...]
    fast: bool


def compile_engine_net(net: Net) -> EngineNet:
    """Check ``net`` and compile it. Raises PetriError ``PETRI_BAD_NET``."""
    check_net(net)
    places = net.place_ids()
    index = {p: i for i, p in enumerate(places)}
    transitions = tuple(_transition(t, index) for t in net.transitions)
    consumers: list[list[int]] = [[] for _ in places]
    counted: list[list[tuple[int, int]]] = [[] for _ in places]
    inhibited: list[list[int]] = [[] for _ in places]
    tracked: list[list[int]] = [[] for _ in places]
    matched: list[list[int]] = [[] for _ in places]
    for i, t in enumerate(transitions):
        for p, k in t.needs:
            consumers[p].append(i)
            if k > 1:
                counted[p].append((i, k))
        for p in t.inhibitors:
            inhibited[p].append(i)
        if t.tracked:
            for p in dict.fromkeys([p for p, _ in (*t.needs, *t.correlated_inhibitors)] + [*t.inhibitors]):
                tracked[p].append(i)
                if t.matched:
                    matched[p].append(i)
    one_priority = len({t.priority for t in net.transitions}) <= 1
    return EngineNet(
        net,
        places,
        transitions,
        _frozen(consumers),
        _frozen(counted),
        _frozen(inhibited),
        _frozen(tracked),
        _frozen(matched),
        one_priority and all(t.timing.kind == "immediate" for t in net.transitions),
    )


def _transition(t: Transition, index: dict[str, int]) -> EngineTransition:
    keys = {} if t.match is None else dict(t.match.keys)
    return EngineTransition(
        id=t.id,
        inputs=tuple(InputArc(index[i.place], i.needs, i.drains, keys.get(i.place, ANY_NAME)) for i in t.inputs),
        reads=tuple(dict.fromkeys(index[p] for p in t.reads)),
        inhibitors=tuple(dict.fromkeys(index[p] for p in t.inhibitors if p not in keys)),
        correlated_inhibitors=tuple((index[p], keys[p]) for p in dict.fromkeys(t.inhibitors) if p in keys),
        resets=tuple(dict.fromkeys(index[p] for p in t.resets)),
        earliest=to_ticks(t.timing.earliest),
        latest=to_ticks(t.timing.latest) if t.timing.hard and t.timing.latest is not None else None,
        priority=t.priority,
        rule=output_rule(t),
    )


def _frozen(rows: Sequence[Sequence[T]]) -> tuple[tuple[T, ...], ...]:
    return tuple(tuple(row) for row in rows)
