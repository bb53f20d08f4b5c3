"""Which marking a net is meant to start with: the one answer for judging, running, drawing and writing it.

The marking that is written is the marking, and an empty one is one. There is a single exception, the convention of
process tools: a workflow net (van der Aalst, "The Application of Petri Nets to Workflow Management", 1998, def. 6) is
written without any marking and meant to start with one token on its source place. It holds where neither a token nor a
final marking is written, nothing arrives from outside, and there is exactly one source and one sink.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from petri_cli.errors import Problem
from petri_cli.net.model import Net, PlaceOut, leaves

START_ASSUMED = "PETRI_START_ASSUMED"


@dataclass(frozen=True, slots=True)
class Start:
    """``net`` with the marking that is meant. source: the place on which a token is assumed; empty where none is."""

    net: Net
    source: str = ""

    @property
    def assumptions(self) -> tuple[str, ...]:
        """What every answer about the net rests on."""
        return (f"the net starts with one token on {self.source!r}",) if self.source else ()

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """What whoever wrote the net should know."""
        if not self.source:
            return ()
        message = (
            f"no token and no final marking is written: the net is taken to start with one token on {self.source!r}"
        )
        hint = "write the token, or a final marking if the net is meant to start empty"
        return (Problem(START_ASSUMED, message, hint=hint, severity="warning"),)


def start_of(net: Net) -> Start:
    """``net`` as it is meant to start: as written, or with a token on its source where the convention holds."""
    if net.final is not None or any(net.initial.values()) or any(p.environment for p in net.places):
        return Start(net)
    taken = {i.place for t in net.transitions for i in t.inputs}
    put = {
        leaf.place if isinstance(leaf, PlaceOut) else leaf.target for t in net.transitions for leaf in leaves(t.output)
    }
    sources = [p.id for p in net.places if p.id not in put]
    sinks = [p.id for p in net.places if p.id not in taken]
    if len(sources) != 1 or len(sinks) != 1 or sources == sinks:
        return Start(net)
    return Start(replace(net, initial={sources[0]: 1}), sources[0])
