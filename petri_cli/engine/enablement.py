"""Which transitions are enabled, kept up to date with work proportional to what changed.

A transition that is not enabled waits at *one* place that keeps it from being so (as a clause of a SAT solver watches
one literal) and is looked at again only when that place changes. During a pass of firing tokens only vanish, so an
enabled transition is disabled by exactly the firing that empties a place it needs, and that firing says so here.

Transitions that match names or have an enforced deadline are *tracked* instead: looked at after every change of a place
they depend on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from petri_cli.engine.agenda import ENABLED, IDLE, INTERRUPTED, Agenda, DeclarationOrder
from petri_cli.engine.compiled import ANY_NAME, EngineNet, EngineTransition, Uncorrelated
from petri_cli.engine.matching import Matcher
from petri_cli.engine.queues import NamedQueue, NameIndex, Queue
from petri_cli.engine.reporter import Reporter


class Enablement:
    """The state of every transition: IDLE, ENABLED, or INTERRUPTED (disabled by a firing, not yet looked at since).

    dirty: the transitions to be looked at, in any order, possibly repeated (always the same list); waiting: place →
    idle transitions that wait for tokens there; blocked: place → idle transitions that wait for it to be empty.
    """

    def __init__(
        self, compiled: EngineNet, queues: Sequence[Queue], state: bytearray, agenda: Agenda | DeclarationOrder
    ) -> None:
        transitions = compiled.transitions
        self._compiled = compiled
        self._queues = queues
        self._agenda = agenda
        self.state = state
        self.dirty = list(range(len(transitions)))
        self._waiting: list[list[int]] = [[] for _ in queues]
        self._blocked: list[list[int]] = [[] for _ in queues]
        self._plain = [t.plain for t in transitions]
        self._tracked = [t.tracked for t in transitions]
        self.sole = [_sole(compiled, row) for row in compiled.consumers]
        """Place → its one consumer, if that needs nothing else: it never waits, the place knows it. Otherwise −1."""
        self._needs = [tuple((queues[p], k, p) for p, k in t.needs) for t in transitions]
        self._cursor = [0] * len(transitions)
        self.matchers = [_matcher(t, queues) for t in transitions]
        places = range(len(queues))
        self.hears_additions = [bool(compiled.inhibited[p] or compiled.tracked[p]) for p in places]
        """Whether anybody but the waiting must hear of tokens added to a place."""
        reset = {p for t in transitions for p in t.resets}
        self.hears_removals = [len(compiled.consumers[p]) > 1 or p in reset or self.hears_additions[p] for p in places]
        """Whether anybody but the transition that took them must hear of tokens removed from a place."""

    def added(self, p: int) -> None:
        """``p`` got tokens: look at those who wait for some, at those who may not have any, and at the tracked."""
        if (t := self.sole[p]) >= 0:
            self.dirty.append(t)
        elif waiting := self._waiting[p]:
            self.dirty += waiting
            waiting.clear()
        if self.hears_additions[p]:
            state = self.state
            self.dirty += [t for t in self._compiled.inhibited[p] if state[t]]
            self.dirty += self._compiled.tracked[p]

    def taken(self, t: int, places: Sequence[int]) -> None:
        """A firing of ``t``, which is idle by now, took tokens from ``places``: who needed them is interrupted."""
        self.dirty.append(t)
        for p in places:
            if self.hears_removals[p]:
                self._removed(p)
        for p in places:  # all is taken: only now it shows whether a name is left that enables a matched transition
            for u in self._compiled.matched[p]:
                matcher = self.matchers[u]
                if self.state[u] == ENABLED and matcher is not None and not matcher.enabled():
                    self.state[u] = INTERRUPTED

    def _removed(self, p: int) -> None:
        state, compiled = self.state, self._compiled
        left = len(self._queues[p])
        if left:
            lost = [t for t, k in compiled.counted[p] if k > left and state[t] == ENABLED]
        else:
            lost = [t for t in compiled.consumers[p] if state[t] == ENABLED]
            blocked = self._blocked[p]
            if blocked:
                self.dirty += blocked
                blocked.clear()
        for t in lost:
            state[t] = INTERRUPTED
        self.dirty += lost
        self.dirty += compiled.tracked[p]

    def update(self, now: int, reporter: Reporter | None) -> None:
        """Look at the dirty transitions, in declaration order, and start or restart the clocks of the enabled ones."""
        dirty = self.dirty
        if len(dirty) > 1:
            dirty.sort()
        state, plain, needs, enable = self.state, self._plain, self._needs, self._agenda.enable
        last = -1
        for t in dirty:
            if t == last:
                continue
            last = t
            before = state[t]
            if plain[t]:
                for queue, _, p in needs[t]:
                    if not queue:
                        state[t] = IDLE
                        if self.sole[p] < 0:
                            self._waiting[p].append(t)
                        break
                else:
                    if before != ENABLED:
                        state[t] = ENABLED
                        enable(t, now)
                        if reporter is not None:
                            reporter.enabled(now, t, before == INTERRUPTED)
            elif not self._is_enabled(t):
                state[t] = IDLE
            elif before != ENABLED:
                state[t] = ENABLED
                enable(t, now)
                if reporter is not None:
                    reporter.enabled(now, t, before == INTERRUPTED)
        dirty.clear()

    def reaped(self) -> list[int]:
        """The transitions that a deadline disabled and that nothing has concerned since: enabled but for that."""
        dirty = set(self.dirty)
        limited = [i for i, t in enumerate(self._compiled.transitions) if t.latest is not None]
        return [i for i in limited if self.state[i] == IDLE and i not in dirty and self._is_enabled(i)]

    def leave_reaped(self, reaped: Iterable[int]) -> None:
        """These were :meth:`reaped` before this was made: they stay idle until something concerns them."""
        left = set(reaped)
        self.dirty[:] = [t for t in self.dirty if t not in left]

    def _is_enabled(self, t: int) -> bool:
        """Whether ``t`` is enabled; if not, and if it is not tracked, it now waits at a place that is to blame.

        The search begins where the last one ended, so a join of n branches costs n looks, not n².
        """
        matcher, tracked = self.matchers[t], self._tracked[t]
        needs, start = self._needs[t], self._cursor[t]
        for i in range(start - len(needs), start):
            queue, k, p = needs[i]
            if len(queue) < k:
                self._cursor[t] = i % len(needs)
                if not tracked:
                    self._waiting[p].append(t)
                return False
        for p in self._compiled.transitions[t].inhibitors:
            if self._queues[p]:
                if not tracked:
                    self._blocked[p].append(t)
                return False
        return matcher is None or matcher.enabled()


def _sole(compiled: EngineNet, consumers: Sequence[int]) -> int:
    if len(consumers) != 1:
        return -1
    t = compiled.transitions[consumers[0]]
    return consumers[0] if len(t.inputs) <= 1 and len(t.needs) == 1 and t.plain else -1  # a wide join asks each place


def _matcher(t: EngineTransition, queues: Sequence[Queue]) -> Matcher | None:
    """The matcher of ``t`` over the name indices of its places (made here, before the first token arrives)."""
    inputs = [(_index(queues[a.place], a.key), a.count) for a in t.inputs if a.key is not ANY_NAME]
    inhibitors = [_index(queues[p], key) for p, key in t.correlated_inhibitors]
    return Matcher(inputs, inhibitors) if inputs else None


def _index(queue: Queue, key: str | Uncorrelated | None) -> NameIndex:
    if not isinstance(queue, NamedQueue) or isinstance(key, Uncorrelated):
        raise TypeError("a correlated arc needs a named queue and a key")
    return queue.index(key)
