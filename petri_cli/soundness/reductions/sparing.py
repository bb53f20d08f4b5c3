"""Runs without steps to spare, at a cost that goes with the run and hardly with the net.

As in :mod:`petri_cli.soundness.shorten`, a step is left out together with whatever can then no longer fire. Here the
effects of all steps add up (no inhibitor, reset or draining arc), so most of it need not be tried:

*To a dead marking.* Let σ lead to a dead marking, and let τ be what of σ still fires when step k is left out. If no
later step of σ takes from a place that k takes from, the tokens that k needs are there at the end of τ: τ does not lead
to a dead marking. So only the other steps are tried.

*To a marking of the sink.* Each token a step takes was put there by a step before it, or at the start: let it be the
oldest one. The steps that the first token on the sink rests on, by such links, can be fired without the others, in the
same order, and mark the sink. If in all of that no place gets a second token then each step rests on one certain step
for each of its tokens, and none can be spared; otherwise all are tried. (What is left behind is not the final marking,
or else the other steps, too, would have had nothing to take.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.packed import effect

Accept = Callable[[State], bool]
Tried = Callable[[Sequence[int], int, Mapping[int, int]], bool]
Left = Callable[[Sequence[int], int, list[int]], bool]


class Sparing:
    """Steps of a compiled net whose actions all add constants."""

    def __init__(self, compiled: CompiledNet, run: Sequence[int]) -> None:
        self._initial = list(compiled.initial)
        self._needs: dict[int, tuple[tuple[int, int], ...]] = {}
        self._change: dict[int, tuple[tuple[int, int], ...]] = {}
        for a in set(run):
            action = compiled.actions[a]
            needs = {**{p: 1 for p in action.reads}, **dict(action.needs)}
            self._needs[a] = tuple(needs.items())
            self._change[a] = tuple(effect(action).items())

    def past_of_first_token(self, run: Sequence[int], place: int) -> list[int]:
        """The steps that the first token on ``place`` rests on; ``run`` when it never gets one."""
        makers: list[deque[int]] = [deque([-1] * n) for n in self._initial]
        rests_on: list[set[int]] = []
        for k, a in enumerate(run):
            change = dict(self._change[a])
            before: set[int] = set()
            for p, n in self._needs[a]:
                queue = makers[p]
                before.update(queue[i] for i in range(n))
                for _ in range(-change.get(p, 0)):
                    queue.popleft()
            before.discard(-1)
            rests_on.append(before)
            for p, n in change.items():
                makers[p].extend([k] * n)
            if change.get(place, 0) > 0:
                return [run[i] for i in _closure(k, rests_on)]
        return list(run)

    def to_dead_marking(self, run: Sequence[int], accept: Accept) -> list[int]:
        """``run`` without steps to spare, from the last on, until none can be. accept: whether a marking is dead and
        not final, as the one is that ``run`` leads to."""

        def contested(kept: Sequence[int], k: int, last: Mapping[int, int]) -> bool:
            return any(last.get(p, k) > k for p, _ in self._needs[kept[k]])

        def still_dead(kept: Sequence[int], k: int, end: list[int]) -> bool:
            return any(end[p] < n for p, n in self._needs[kept[k]]) and accept(tuple(end))

        return self._spared(run, contested, still_dead)

    def to_token(self, run: Sequence[int], accept: Accept) -> list[int]:
        """The same, where every step of ``run`` is one that the first token on the sink rests on. accept: whether a
        marking has the sink marked and is not final."""
        if not self._has_places_marked_twice(run):
            return list(run)
        return self._spared(run, lambda _kept, _k, _last: True, lambda _kept, _k, end: accept(tuple(end)))

    def _spared(self, run: Sequence[int], tried: Tried, accept: Left) -> list[int]:
        """``run`` without a step that can be spared, from the last one on, until none can be.

        tried: whether leaving out step k may do, told the last step that takes from each place; accept: whether what is
        then left leads to a marking that will do.
        """
        kept = list(run)
        k, marking, last = len(kept), self._end_of(kept), dict[int, int]()
        while k:
            k -= 1
            changes = self._change[kept[k]]
            for p, n in changes:
                marking[p] -= n
            if tried(kept, k, last):
                end = list(marking)
                rest = self._fire(kept[k + 1 :], end)
                if accept(kept, k, end):
                    kept[k:] = rest
                    k, marking, last = len(kept), end, {}
                    continue
            for p, n in changes:
                if n < 0:
                    last.setdefault(p, k)
        return kept

    def _end_of(self, run: Sequence[int]) -> list[int]:
        marking = list(self._initial)
        self._fire(run, marking)
        return marking

    def _has_places_marked_twice(self, run: Sequence[int]) -> bool:
        made = list(self._initial)
        for a in run:
            for p, n in self._change[a]:
                if n > 0:
                    made[p] += n
                    if made[p] > 1:
                        return True
        return False

    def _fire(self, run: Sequence[int], marking: list[int]) -> list[int]:
        """Fire what of ``run`` can fire, changing ``marking``; the steps that were fired."""
        needs, changes = self._needs, self._change
        fired = []
        for a in run:
            for p, n in needs[a]:
                if marking[p] < n:
                    break
            else:
                for p, n in changes[a]:
                    marking[p] += n
                fired.append(a)
        return fired


def _closure(last: int, rests_on: Sequence[set[int]]) -> list[int]:
    """``last`` and everything it rests on, in order."""
    found, todo = {last}, [last]
    while todo:
        new = rests_on[todo.pop()] - found
        found |= new
        todo += new
    return sorted(found)
