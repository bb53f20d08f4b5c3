"""Steps 1 and 2 of a cycle: what completed firings produced, and tokens from outside, enter the marking."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from heapq import heappush

from petri_cli.engine.agenda import ENABLED, Agenda, DeclarationOrder
from petri_cli.engine.compiled import EngineNet, EngineTransition
from petri_cli.engine.enablement import Enablement
from petri_cli.engine.events import TokenAdded
from petri_cli.engine.firings import Completion, Completions, Failed, Firing, Produced, Returned, TimedOut
from petri_cli.engine.queues import Queue
from petri_cli.engine.reporter import Reporter, new
from petri_cli.engine.tokens import Token, Tokens, as_tokens, stamped
from petri_cli.net.model import PlaceOut

Injections = Iterable[tuple[str, Token]]
"""(place, token), in the order in which they came."""


class Arrivals:
    """Deposits tokens, checks them against the declared outputs, and tells the enablement which places changed.

    in_flight: the firings that may end, shared with (and filled by) the departures; index: place id → its index;
    strangers: places that the net does not declare → their tokens, which do nothing.
    """

    def __init__(
        self,
        compiled: EngineNet,
        queues: Sequence[Queue],
        enablement: Enablement,
        order: Agenda | DeclarationOrder,
        in_flight: dict[int, Firing],
        reporter: Reporter | None,
    ) -> None:
        self._rules = [t.rule for t in compiled.transitions]
        self._queues = queues
        self._enablement = enablement
        self._reporter = reporter
        self.index = {p: i for i, p in enumerate(compiled.places)}
        self.strangers: dict[str, deque[Token]] = {}
        self.failures = 0
        self._hot = (
            in_flight,
            [_target(t, self.index, queues, enablement) for t in compiled.transitions],
            [t.rule.conforms(frozenset()) for t in compiled.transitions],
            enablement.state,
            enablement.dirty,
            order if isinstance(order, DeclarationOrder) and reporter is None else None,
            reporter,
        )
        """What :meth:`complete` works on, to be unpacked at once."""

    def place(self, now: int, marking: Mapping[str, Tokens]) -> None:
        """Put the first tokens of a run where they belong; values become tokens made ``now``."""
        for place, tokens in marking.items():
            made = as_tokens(tokens, now)
            if place in self.index:
                self._queues[self.index[place]].extend(made)
            elif made:
                self.strangers[place] = deque(made)

    def complete(self, now: int, completions: Completions) -> None:
        """Step 1: check and deposit what the completed firings produced.

        The most frequent kind is written out here: one token for the one place that the transition may produce to.
        """
        in_flight, targets, silent, state, dirty, unheard, reporter = self._hot
        for fid, completion in completions:
            firing = in_flight.pop(fid, None)
            if firing is None:
                continue  # it was abandoned before: a late result lands nowhere
            outputs: Mapping[str, Sequence[object]]
            if completion.__class__ is dict:
                outputs = completion
            elif completion.__class__ is Produced:
                outputs = completion.outputs
            else:
                self.ended(now, firing, completion)
                continue
            target = targets[firing[1]]
            if target is None or len(outputs) != 1 or len(values := outputs.get(target[0], ())) != 1:
                if outputs or reporter is not None or not silent[firing[1]]:
                    self.produced(now, firing, outputs)
                continue
            place, p, queue, sole = target
            value = values[0]
            token = new(Token, (value, now, "")) if value.__class__ is not Token else stamped(value, now)
            if reporter is not None and not reporter.completed_with_one(now, firing, place, token):
                continue
            queue.append(token)
            if sole < 0:
                self._enablement.added(p)
            elif unheard is None:
                dirty.append(sole)
            elif not state[sole]:
                # Nobody wants its clock or an event, and nothing in the rest of steps 1 to 3 could disable it again.
                state[sole] = ENABLED
                if not unheard.is_ready[sole]:
                    unheard.is_ready[sole] = 1
                    heappush(unheard.ready, sole)

    def ended(self, now: int, firing: Firing, completion: Completion) -> None:
        """``firing``, which is no longer in flight, ended in this way."""
        match completion:
            case Produced(outputs=outputs) | dict(outputs):
                self.produced(now, firing, outputs)
            case Failed():
                self._failed(now, firing, completion)
            case TimedOut():
                self._timed_out(now, firing)
            case Returned():
                self._returned(now, firing)

    def produced(self, now: int, firing: Firing, outputs: Mapping[str, Sequence[object]]) -> None:
        """Deposit ``outputs`` if they conform to what is declared; otherwise the firing has failed."""
        rule = self._rules[firing.ordinal]
        produced = {p: as_tokens(values, now) for p, values in outputs.items() if values}
        places = frozenset(produced)
        if not rule.conforms(places):
            self._failed(now, firing, Failed("OutputViolation", rule.violation(places)))
        elif self._reporter is None or self._reporter.completed(now, firing, produced):
            self._deposit(produced)

    def _failed(self, now: int, firing: Firing, failure: Failed) -> None:
        self.failures += 1
        if self._reporter is not None:
            self._reporter.failed(now, firing, failure.error, failure.message)

    def _timed_out(self, now: int, firing: Firing) -> None:
        rule = self._rules[firing.ordinal]
        produced: dict[str, list[Token]] = {}
        for leaf in rule.late:
            if isinstance(leaf, PlaceOut):
                produced[leaf.place] = [Token(None, now)] * leaf.count
            else:
                produced[leaf.target] = [Token(t.value, now, t.name) for t in firing.consumed[leaf.source]]
        if self._reporter is None or self._reporter.timed_out(now, firing, rule.budget or 0, produced):
            self._deposit(produced)

    def _returned(self, now: int, firing: Firing) -> None:
        """Put back what ``firing`` took, in its old order: what a reset took lay behind what was consumed."""
        for taken in (firing.removed, firing.consumed):
            for place, tokens in taken.items():
                p = self.index[place]
                for token in reversed(tokens):
                    if self._reporter is not None:
                        self._reporter.returned(now, firing, place, token)
                    self._queues[p].appendleft(token)
                self._enablement.added(p)

    def _deposit(self, produced: Mapping[str, Sequence[Token]]) -> None:
        for place, tokens in produced.items():
            p = self.index[place]
            self._queues[p].extend(tokens)
            self._enablement.added(p)

    def inject(self, now: int, injections: Injections) -> None:
        """Step 2: add the tokens from outside."""
        for place, token in injections:
            self._inject(now, place, token)

    def _inject(self, now: int, place: str, token: Token) -> None:
        """Add a token from outside; on a place that the net does not declare it is kept and does nothing."""
        token = stamped(token, now)
        if self._reporter is not None:
            self._reporter.note(TokenAdded(now, place, token))
        if place in self.index:
            self._deposit({place: (token,)})
        elif place in self.strangers:
            self.strangers[place].append(token)
        else:
            self.strangers[place] = deque([token])
            self.warn_of_stranger(now, place)

    def warn_of_stranger(self, now: int, place: str) -> None:
        if self._reporter is not None:
            self._reporter.warn(now, f"the net declares no place {place!r}; tokens on it are kept and do nothing")


_Target = tuple[str, int, Queue, int]
"""(place id, its index, its queue, the only transition that must hear of a token there, or −1)"""


def _target(
    t: EngineTransition, index: Mapping[str, int], queues: Sequence[Queue], enablement: Enablement
) -> _Target | None:
    """The one place that every conforming firing of ``t`` produces to, if it is so."""
    if t.rule.only is None:
        return None
    p = index[t.rule.only]
    return t.rule.only, p, queues[p], -1 if enablement.hears_additions[p] else enablement.sole[p]
