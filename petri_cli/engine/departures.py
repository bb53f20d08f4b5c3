"""Step 5 of a cycle: the ready transitions fire, in order, and take their tokens out of the marking."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop
from typing import Any

from petri_cli.engine.agenda import ENABLED, IDLE, Agenda, DeclarationOrder
from petri_cli.engine.compiled import EngineNet, EngineTransition
from petri_cli.engine.consumption import NO_READS, NO_TOKENS, take
from petri_cli.engine.enablement import Enablement
from petri_cli.engine.firings import Firing
from petri_cli.engine.queues import Queue
from petri_cli.engine.reporter import Reporter, new
from petri_cli.engine.tokens import Token

_NO_LIMIT = 1 << 60


class Departures:
    """Begins firings. in_flight: those that have begun, shared with (and emptied by) the arrivals.

    next_id: of the next firing; limit: most firings in flight.
    """

    def __init__(
        self,
        compiled: EngineNet,
        queues: Sequence[Queue],
        enablement: Enablement,
        order: Agenda | DeclarationOrder,
        in_flight: dict[int, Firing],
        reporter: Reporter | None,
        max_concurrency: int | None,
    ) -> None:
        transitions = compiled.transitions
        self.next_id = 1
        self._compiled = compiled
        self._queues = queues
        self._enablement = enablement
        self._reporter = reporter
        self._in_flight = in_flight
        self._simple = [_simple(compiled, t, queues) if t.simple else None for t in transitions]
        ready: list[Any] = order.ready
        self._hot = (
            in_flight,
            _NO_LIMIT if max_concurrency is None else max_concurrency,
            enablement.state,
            enablement.dirty,
            ready,
            order.is_ready if isinstance(order, DeclarationOrder) else bytearray(),
            None if isinstance(order, DeclarationOrder) else order.next_ready,
            [_source(compiled, i, queues, enablement) for i in range(len(transitions))],
            reporter,
        )
        """What :meth:`fire` works on, to be unpacked at once."""

    def fire(self, now: int) -> list[Firing]:
        """Begin the firings of one pass: each ready transition once, as long as the limit allows and tokens are left.

        The most frequent kind is written out here: one token of one place that concerns no other transition.
        """
        in_flight, limit, state, dirty, ready, is_ready, next_ready, sources, reporter = self._hot
        firings: list[Firing] = []
        while ready and len(in_flight) < limit:
            if next_ready is None:
                t = heappop(ready)
                is_ready[t] = 0
                if state[t] != ENABLED:
                    continue
            elif (t := next_ready(now)) < 0:
                break
            source = sources[t]
            if source is None:
                self._start(t, now, firings)
                continue
            state[t] = IDLE
            fid = self.next_id
            self.next_id = fid + 1
            tid, place, queue = source
            token = queue.popleft()
            firing = new(Firing, (fid, t, tid, now, {place: (token,)}, NO_READS, NO_TOKENS))
            if queue:
                dirty.append(t)
            if reporter is None or reporter.started_with_one(firing, place, token):
                in_flight[fid] = firing
                firings.append(firing)
        return firings

    def start_with(self, t: int, now: int, token: Token) -> Firing | None:
        """Begin a firing of ``t`` with this token, which was taken from its one input; None if the sink throws."""
        fid = self.next_id
        self.next_id = fid + 1
        self._enablement.state[t] = IDLE
        p = self._compiled.transitions[t].inputs[0].place
        place = self._compiled.places[p]
        firing = Firing(fid, t, self._compiled.transitions[t].id, now, {place: (token,)}, NO_READS, NO_TOKENS)
        self._enablement.taken(t, (p,))
        if self._reporter is not None and not self._reporter.started_with_one(firing, place, token):
            return None
        self._in_flight[fid] = firing
        return firing

    def _start(self, t: int, now: int, firings: list[Firing]) -> None:
        """Begin a firing of ``t`` and add it to ``firings``, unless the sink throws: then it has failed already."""
        fid = self.next_id
        self.next_id = fid + 1
        enablement = self._enablement
        enablement.state[t] = IDLE
        transition = self._compiled.transitions[t]
        if (arcs := self._simple[t]) is not None:
            consumed = {place: (queue.popleft(),) for place, _, queue in arcs}
            firing = Firing(fid, t, transition.id, now, consumed, NO_READS, NO_TOKENS)
            enablement.taken(t, [p for _, p, _ in arcs])
        else:
            taken = take(self._compiled, transition, self._queues, enablement.matchers[t])
            firing = Firing(fid, t, transition.id, now, *taken[:3])
            enablement.taken(t, taken[3])
        if self._reporter is None or self._reporter.started(firing):
            self._in_flight[fid] = firing
            firings.append(firing)


_Simple = tuple[tuple[str, int, Queue], ...]
"""(place id, its index, its queue) of each input"""


def _simple(compiled: EngineNet, t: EngineTransition, queues: Sequence[Queue]) -> _Simple:
    return tuple((compiled.places[a.place], a.place, queues[a.place]) for a in t.inputs)


_Source = tuple[str, str, Queue]
"""(transition id, id of its one input place, its queue)"""


def _source(compiled: EngineNet, ordinal: int, queues: Sequence[Queue], enablement: Enablement) -> _Source | None:
    """The input of a transition that takes one token of one place and whose firing concerns no other transition."""
    t = compiled.transitions[ordinal]
    if not (t.simple and len(t.inputs) == 1):
        return None
    p = t.inputs[0].place
    mine = enablement.sole[p] == ordinal and not enablement.hears_removals[p]
    return (t.id, compiled.places[p], queues[p]) if mine else None
