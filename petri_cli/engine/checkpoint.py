"""What a run depends on from some point on, as data: to go on from there in another scheduler, process or century."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from petri_cli.engine.firings import Firing
from petri_cli.engine.tokens import Token
from petri_cli.net.model import Net


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A marking that can be restored, with the counters that keep minted names unique. Its clocks start afresh."""

    marking: Mapping[str, tuple[Token, ...]]
    minted: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The state of a scheduler between two cycles; times in ticks.

    now: the time of its last cycle; marking: tokens by place, oldest first, without those that firings in flight took;
    in_flight: in the order in which they began. With these alone, the run goes on as after a power cut: every clock
    starts afresh, and it is told as a new run (``ExecutionStarted``). The rest makes it go on as if nothing had been:

    clocks: enabled transition → since when (None: unknown, where the order does not ask); interrupted: transitions that
    a firing of the last pass disabled, so that their clocks are to restart; reaped: those past their deadline, which
    stay disabled until something concerns them; minted: transition → fresh names given out; firings: begun so far;
    failures: so far; began_at: None for a run that is to tell that it starts; stopped: nothing starts any more.
    """

    now: int
    marking: Mapping[str, tuple[Token, ...]]
    in_flight: tuple[Firing, ...] = ()
    clocks: Mapping[str, int | None] = field(default_factory=dict)
    interrupted: frozenset[str] = frozenset()
    reaped: frozenset[str] = frozenset()
    minted: Mapping[str, int] = field(default_factory=dict)
    firings: int = 0
    failures: int = 0
    began_at: int | None = None
    stopped: bool = False

    def check(self, net: Net) -> None:
        """Raises ValueError unless all transitions are of ``net``, firings took only their inputs, and ids differ."""
        transitions = {t.id: t for t in net.transitions}
        for transition in (*(f.transition for f in self.in_flight), *self.clocks, *self.interrupted, *self.reaped):
            if transition not in transitions:
                raise ValueError(f"the checkpoint names the transition {transition!r}, which the net does not have")
        for firing in self.in_flight:
            t = transitions[firing.transition]
            for place in {*firing.consumed, *firing.removed} - {i.place for i in t.inputs} - set(t.resets):
                raise ValueError(f"firing {firing.id} of {t.id!r} took tokens from {place!r}, which is no input of it")
        if len({f.id for f in self.in_flight}) < len(self.in_flight):
            raise ValueError("two firings of the checkpoint have one id")
