"""Properties beyond soundness, each decided on the reachable markings.

A *rest* is a marking in which no transition is enabled but such with a hard deadline, which can be reaped instead of
fired. A property is violated by

* ``deadlockFree``: a rest with a token outside the sinks;
* ``terminatesAtSink``: a rest in which no sink is marked;
* ``quiescentCount``: a rest in which the places together hold fewer than minimum or more than maximum tokens;
* ``placeBound``: a marking with more than maximum tokens on the place;
* ``mutualExclusion``: a marking with two of the places marked (a place listed twice excludes itself);
* ``unreachable``: a marking with all of the places marked.

Every token counts, also one on a place that no arc touches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from petri_cli.errors import PetriError
from petri_cli.net.compiled import CompiledNet
from petri_cli.net.model import Property
from petri_cli.soundness.counterexample import listed, marking_text, replayed, steps_text
from petri_cli.soundness.explore import Window
from petri_cli.soundness.result import Condition, Counterexample
from petri_cli.soundness.spaces import Space

AT_REST = ("deadlockFree", "terminatesAtSink", "quiescentCount")
"""Properties of the rests alone."""


def check_property(compiled: CompiledNet, prop: Property) -> None:
    """Refuse a property that makes no sense on this net.

    Raises PetriError: PETRI_UNKNOWN_PLACE, PETRI_BAD_PROPERTY.
    """
    for p in prop.places:
        if p not in compiled.index:
            raise PetriError("PETRI_UNKNOWN_PLACE", f"the property {prop.id!r} names {p!r}, a place that the net lacks")
    if prop.kind not in (*AT_REST, "placeBound", "mutualExclusion", "unreachable"):
        raise PetriError("PETRI_BAD_PROPERTY", f"there is no property {prop.kind!r}")
    if prop.kind == "placeBound" and (len(prop.places) != 1 or prop.maximum is None):
        raise PetriError("PETRI_BAD_PROPERTY", f"the property {prop.id!r} needs one place and its bound")


def window_of(compiled: CompiledNet, prop: Property) -> Window:
    """A marking (for a property of rests, a rest) violates ``prop`` iff its tokens are outside this window."""
    places = tuple(compiled.index[p] for p in prop.places)
    each = tuple(dict.fromkeys(places))
    at_rest = prop.kind in AT_REST
    match prop.kind:
        case "deadlockFree":
            outside = tuple(p for p in range(len(compiled.places)) if p not in places)
            return Window(outside, 0, 0, marked=True, at_rest=at_rest)
        case "terminatesAtSink":
            return Window(each, 1, None, marked=True, at_rest=at_rest)
        case "quiescentCount":
            return Window(each, prop.minimum, prop.maximum, at_rest=at_rest)
        case "placeBound":
            return Window(each, 0, prop.maximum)
        case "mutualExclusion":
            return Window(places, 0, 1, marked=True)
        case "unreachable":
            return Window(places, 0, len(places) - 1, marked=True)
        case other:
            raise ValueError(f"no property {other!r}")


class PropertyWatch:
    """The first marking that violates each property, while a state space grows; ``first`` is None where none did."""

    def __init__(self, space: Space, properties: Sequence[Property]) -> None:
        self.space, self.properties = space, properties
        self.first: list[int | None] = [None for _ in properties]
        self._windows = [window_of(space.compiled, p) for p in properties]
        self._seen = self._seen_rests = 0

    @property
    def decided(self) -> bool:
        return None not in self.first

    def look(self) -> None:
        """Look at the states that came since the last time."""
        space = self.space
        for k, window in enumerate(self._windows):
            if self.first[k] is None:
                self.first[k] = space.outside(window, self._seen_rests if window.at_rest else self._seen)
        self._seen, self._seen_rests = space.size, len(space.rests)

    def conditions(self) -> tuple[Condition, ...]:
        """Each property as a condition: violated with its shortest run, holding, or open."""
        return tuple(self._condition(prop, i) for prop, i in zip(self.properties, self.first, strict=True))

    def _condition(self, prop: Property, i: int | None) -> Condition:
        if i is None:
            return Condition(prop.id, True if self.space.complete else None)
        cx = violation(self.space.compiled, prop, self.space.run_to(i), shortest=True)
        return Condition(prop.id, False, cx.sentence, cx)


def violation(compiled: CompiledNet, prop: Property, run: Sequence[int], *, shortest: bool) -> Counterexample:
    """The counterexample that ``run`` makes for ``prop``."""
    cx = replayed(compiled, "property", run, "", shortest=shortest, subject=prop.id)
    marking, places = cx.marking, dict.fromkeys(prop.places)
    tokens = sum(marking.get(p, 0) for p in places)
    match prop.kind:
        case "deadlockFree":
            outside = f" outside {listed(list(places))}" if places else ""
            what = f"nothing has to move, with tokens{outside}: {marking_text(marking)}"
        case "terminatesAtSink":
            sinks = f"{listed(list(places))} holds no token" if places else "there is no sink"
            what = f"nothing has to move, and {sinks}: {marking_text(marking)}"
        case "quiescentCount":
            most = "any number" if prop.maximum is None else str(prop.maximum)
            on = listed(list(places)) or "no place"
            what = f"nothing has to move, with {tokens} on {on}, not {prop.minimum} to {most}"
        case "placeBound":
            what = f"{prop.places[0]} holds {tokens}, more than {prop.maximum}"
        case _:
            both = [p for p in places if marking.get(p)]
            what = f"{listed(both)} {'is' if len(both) == 1 else 'are'} marked{' together' if len(both) > 1 else ''}"
    return replace(cx, sentence=f"{steps_text(len(run))} {what}")
