"""What a firing takes: consume, then peek reads, then reset, in this order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from petri_cli.engine.compiled import ANY_NAME, EngineNet, EngineTransition, InputArc
from petri_cli.engine.matching import Matcher
from petri_cli.engine.queues import NamedQueue, Queue
from petri_cli.engine.tokens import Name, Token

NO_READS: Mapping[str, Token] = {}
NO_TOKENS: Mapping[str, Sequence[Token]] = {}


def take(
    compiled: EngineNet, t: EngineTransition, queues: Sequence[Queue], matcher: Matcher | None
) -> tuple[Mapping[str, Sequence[Token]], Mapping[str, Token], Mapping[str, Sequence[Token]], list[int]]:
    """Take the tokens of one firing of ``t``, which is enabled.

    Returns what was consumed, what is read, what resets removed (each by place id), and the indices of the places that
    lost tokens.
    """
    places = compiled.places
    name = None if matcher is None else matcher.best()
    consumed = {places[a.place]: _consume(queues[a.place], a, name) for a in t.inputs}
    reads = {places[p]: queues[p][0] for p in t.reads if queues[p]}
    removed: dict[str, Sequence[Token]] = {}
    changed = [a.place for a in t.inputs]
    for p in t.resets:
        if queues[p]:
            removed[places[p]] = tuple(queues[p])
            queues[p].clear()
            if p not in changed:
                changed.append(p)
    return consumed, reads, removed or NO_TOKENS, changed


def _consume(queue: Queue, arc: InputArc, name: Name | None) -> Sequence[Token]:
    """Take what ``arc`` takes: oldest first, of the matched name where the arc is correlated."""
    if arc.key is not ANY_NAME:
        assert isinstance(queue, NamedQueue) and name is not None  # noqa: S101 - a compiled net has it so
        available = queue.index(arc.key).counts[name]
        return tuple([queue.take(arc.key, name) for _ in range(available if arc.drains else arc.count)])
    if arc.drains:
        taken = tuple(queue)
        queue.clear()
        return taken
    return tuple([queue.popleft() for _ in range(arc.count)])
