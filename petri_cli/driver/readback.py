"""A run of the execution net, read back from its events as a run of the workflow net.

The firings, in the order in which they completed, are a firing sequence of the workflow net at the widths that
occurred: whatever a firing took had been produced by firings that completed before it began, and a firing that is
counted later only leaves more tokens to the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from petri_cli.driver.threads import items_of
from petri_cli.engine.events import ActionTimedOut, Event, TransitionCompleted, TransitionFailed, TransitionStarted
from petri_cli.engine.tokens import Token
from petri_cli.plan.lower import Items, Lowered, suffix
from petri_cli.plan.model import Choice, Foreach, Loop, Plan


@dataclass(frozen=True, slots=True)
class Fired:
    """A firing that completed: its transition on the execution net, its items, its times in ticks, what it produced."""

    transition: str
    items: Items
    began: int
    ended: int
    produced: Mapping[str, Sequence[Token]]


def firings(lowered: Lowered, events: Iterable[Event]) -> Iterator[Fired]:
    """The firings of a run of ``lowered``, an execution net, in the order in which they completed."""
    entry = {t.id: t.inputs[0].place for t in lowered.net.transitions}
    began: dict[int, TransitionStarted] = {}
    for event in events:
        match event:
            case TransitionStarted():
                began[event.firing] = event
            case TransitionCompleted():
                start = began.pop(event.firing)
                name = start.consumed[entry[event.transition]][0].name
                yield Fired(event.transition, items_of(name), start.time, event.time, event.produced)
            case TransitionFailed() | ActionTimedOut():
                began.pop(event.firing, None)


def workflow_run(plan: Plan, lowered: Lowered, fired: Iterable[Fired]) -> list[str]:
    """The transitions of the workflow net that the firings of the execution net ``lowered`` stand for, in order."""
    run: list[str] = []
    for f in fired:
        origin = lowered.origin[f.transition]
        node = plan.nodes[origin.node] if origin.node >= 0 else None
        part = f.transition.rpartition(".")[2]
        silent = (
            node is None
            or (isinstance(node, (Choice, Loop)) and part in ("decide", "wait"))
            or (isinstance(node, Foreach) and part == "item")
        )
        if silent:
            continue
        run.append(f.transition + suffix(f.items))
        if isinstance(node, Foreach) and part == "discover" and width_of(node, f) == 0:
            run.append(f"t.foreach.{node.id}.gather{suffix(f.items)}")
    return run


def widths_that_occurred(plan: Plan, lowered: Lowered, fired: Iterable[Fired]) -> dict[str, dict[Items, int]]:
    """foreach id → the items around it → how many items it had (the last time that it was met there)."""
    widths: dict[str, dict[Items, int]] = {}
    for f in fired:
        origin = lowered.origin[f.transition]
        node = plan.nodes[origin.node] if origin.node >= 0 else None
        if isinstance(node, Foreach) and f.transition.endswith(".discover"):
            widths.setdefault(node.id, {})[f.items] = width_of(node, f)
    return widths


def width_of(node: Foreach, discover: Fired) -> int:
    """How many items a firing of the ``discover`` of ``node`` found."""
    return len(discover.produced.get(f"p.foreach.{node.id}.body", ()))
