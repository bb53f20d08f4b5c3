"""Runs without steps to spare, at a cost that goes with the run and hardly with the net.

As in :mod:`petri_cli.soundness.shorten`, a step is left out together with whatever can then no longer fire. Here the
effects of all steps add up (no inhibitor, reset or draining arc), so most of it need not be tried:

*To a dead marking.* Let σ lead to a dead marking, and let τ be what of σ still fires when step k is left out. If no
later step of σ takes from a place that k takes from, the tokens that k needs are there at the end of τ: τ does not lead
to a dead marking. So only the other steps are tried.

*To a marking of the sink.* Each token a step takes was put there by a step before it, or at the start: let it be the
oldest one. The steps that the first token on the sink rests on, by such links, can be fired without the others, in the
same order, and mark the sink. (What they leave behind is not the final marking, or else the others, too, would have had
nothing to take.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

from petri_cli.net.compiled import CompiledNet, State
from petri_cli.soundness.packed import effect

Accept = Callable[[State], bool]


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

    def spared(self, run: Sequence[int], accept: Accept, tried: Callable[[list[int], int], bool]) -> list[int]:
        """``run`` without a step k that can be spared, among those for which ``tried(run, k)``; from the last on,
        until none can be."""
        kept = list(run)
        again = True
        while again:
            again = False
            k = len(kept)
            while k:
                k -= 1
                if k < len(kept) and tried(kept, k):
                    shorter, end = self._without(kept, k)
                    if accept(tuple(end)):
                        kept, again = shorter, True
        return kept

    def _without(self, run: Sequence[int], k: int) -> tuple[list[int], list[int]]:
        """What of ``run`` still fires without its step ``k``, and the marking that it leads to."""
        marking = list(self._initial)
        needs, changes = self._needs, self._change
        fired = list(run[:k])
        for a in fired:
            for p, n in changes[a]:
                marking[p] += n
        for a in run[k + 1 :]:
            for p, n in needs[a]:
                if marking[p] < n:
                    break
            else:
                for p, n in changes[a]:
                    marking[p] += n
                fired.append(a)
        return fired, marking

    def is_contested(self, run: Sequence[int], k: int) -> bool:
        """Whether a later step takes from a place that step ``k`` takes from."""
        mine = {p for p, _ in self._needs[run[k]]}
        return any(n < 0 and p in mine for a in run[k + 1 :] for p, n in self._change[a])


def _closure(last: int, rests_on: Sequence[set[int]]) -> list[int]:
    """``last`` and everything it rests on, in order."""
    found, todo = {last}, [last]
    while todo:
        new = rests_on[todo.pop()] - found
        found |= new
        todo += new
    return sorted(found)
