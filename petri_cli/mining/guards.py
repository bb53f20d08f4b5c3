"""Counted resources that nobody wrote down: concurrency that tops out while more work waits.

An event waits from the end of the one before it in its case until it begins. A maximum alone says nothing: every log
has one. It is a capacity where waiting piles up below it: while anything waits, k are busy for longer than k − 1 are.
Where k comes about by chance, it is passed through, rarely and briefly. A capacity that changes with the hour still
shows its largest value; how much of the waiting it explains is told.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from petri_cli.mining.log import NO_TIME, NONE, Log, Times

LEAST_SEEN = 5
"""Reached less often, or with fewer events that waited meanwhile, a maximum may be chance."""

LEAST_SHARE = 0.01
"""Of the time in which anything waited, that in which all were busy."""

_END, _START = 0, 1
"""At one instant, what ends makes room for what starts."""


@dataclass(frozen=True, slots=True)
class GuardProposal:
    """A resource ``name`` of ``capacity`` units around ``activities``.

    kind: what was counted: an activity, or a resource of the log. events: with a known duration; reached: how often the
    capacity was reached; queued: events that waited while all units were taken; waited: that waited at all; share: of
    the time in which anything waited, that in which all were.
    """

    kind: Literal["activity", "resource"]
    name: str
    capacity: int
    activities: Mapping[str, int]
    events: int
    reached: int
    queued: int
    waited: int
    share: float

    def rationale(self) -> str:
        """One sentence with the counts."""
        told = f"never more than {self.capacity:,} of {self.events:,} events at once: {self.reached:,} times so many"
        told += f", while {self.queued:,} waited ({100 * self.share:.3g} % of the time in which anything did)"
        if self.waited > self.queued:
            told += f"; {self.waited - self.queued:,} waited at other times: it may change"
        return told


@dataclass(frozen=True, slots=True)
class _Work:
    """Events of one kind: (ready, began, ended) in ticks; ready is −1 where nothing came before."""

    spans: Sequence[tuple[int, int, int]]
    activities: Mapping[str, int]


def guard_proposals(log: Log) -> list[GuardProposal]:
    """What the log suggests, resources first, each by name. Empty where it does not tell when events began.

    An activity is not proposed where a resource with the same capacity does all of it.
    """
    times = log.times
    if times is None or times.began is None:
        return []
    by_activity: dict[str, list[tuple[int, int, int]]] = {}
    by_resource: dict[str, list[tuple[int, int, int]]] = {}
    done: dict[str, dict[str, int]] = {}
    for activity, resource, span in _spans(log, times):
        by_activity.setdefault(activity, []).append(span)
        if resource is not None:
            by_resource.setdefault(resource, []).append(span)
            counts = done.setdefault(resource, {})
            counts[activity] = counts.get(activity, 0) + 1
    found: list[GuardProposal] = []
    for name in sorted(by_resource):
        found += _proposals("resource", name, _Work(by_resource[name], dict(sorted(done[name].items()))))
    for name in sorted(by_activity):
        for proposal in _proposals("activity", name, _Work(by_activity[name], {name: len(by_activity[name])})):
            if not any(p.activities.get(name) == proposal.events and p.capacity == proposal.capacity for p in found):
                found.append(proposal)
    return found


def guards_of(log: Log, proposals: Iterable[GuardProposal]) -> dict[str, GuardProposal]:
    """Activity → the proposal that is about all of its events that took time; no activity has two.

    A guard around each such task alone holds nothing while it waits, so the plan stays sound.
    """
    events: dict[str, int] = {}
    if log.times is not None:
        for activity, _, _ in _spans(log, log.times):
            events[activity] = events.get(activity, 0) + 1
    found: dict[str, GuardProposal] = {}
    for proposal in proposals:
        for activity, n in proposal.activities.items():
            if n == events.get(activity) and activity not in found:
                found[activity] = proposal
    return found


def _spans(log: Log, times: Times) -> Iterator[tuple[str, str | None, tuple[int, int, int]]]:
    """Activity, resource and (ready, began, ended) of each event that took time."""
    began, ended = times.began, times.ended
    if began is None:
        return
    at = 0
    for variant in log.variant_of:
        ready = NO_TIME
        for k, activity in enumerate(log.variants[variant], at):
            if NO_TIME < began[k] < ended[k]:
                code = NONE if times.resource is None else times.resource[k]
                resource = times.resources[code] if code >= 0 else None
                # What began before its predecessor ended went on beside it: when it got ready is not known.
                yield log.activities[activity], resource, (ready if ready <= began[k] else NO_TIME, began[k], ended[k])
            ready = max(ready, ended[k])
        at += len(log.variants[variant])


def _proposals(kind: Literal["activity", "resource"], name: str, work: _Work) -> list[GuardProposal]:
    """The one proposal that the events of one kind make, if any."""
    peak, reached = _peak(work)
    at_level, queued, waited = _waiting(work, peak)
    full, below = at_level.get(peak, 0), at_level.get(peak - 1, 0)
    if min(queued, reached) < LEAST_SEEN or full <= below:
        return []
    share = full / sum(at_level.values())
    if share < LEAST_SHARE:
        return []
    return [GuardProposal(kind, name, peak, work.activities, len(work.spans), reached, queued, waited, share)]


def _peak(work: _Work) -> tuple[int, int]:
    """Most events at once, and how often so many were reached."""
    moments = sorted([(b, _START) for _, b, _ in work.spans] + [(e, _END) for _, _, e in work.spans])
    busy = peak = reached = 0
    for _, what in moments:
        busy += 1 if what == _START else -1
        if what == _START and busy >= peak:
            reached = 1 if busy > peak else reached + 1
            peak = busy
    return peak, reached


def _waiting(work: _Work, peak: int) -> tuple[dict[int, int], int, int]:
    """How many were busy → ticks in which anything waited; events that waited while ``peak`` were, and at all."""
    moments: list[tuple[int, int, int]] = []
    """(when, change of those busy, change of those waiting)."""
    waits: list[tuple[int, int]] = []
    for ready, began, ended in work.spans:
        late = NO_TIME < ready < began
        moments += [(began, 1, -late), (ended, -1, 0)]
        if late:
            moments.append((ready, 0, 1))
            waits.append((ready, began))
    moments.sort()
    at_level: dict[int, int] = {}
    full: list[int] = []
    """Instants at which all got busy and at which that ended, in turn."""
    busy = waiting = before = 0
    for when, more_busy, more_waiting in moments:
        if when > before:
            if waiting:
                at_level[busy] = at_level.get(busy, 0) + when - before
            if busy == peak and (not full or full[-1] < before):
                full += [before, when]
            elif busy == peak:
                full[-1] = when
        busy, waiting, before = busy + more_busy, waiting + more_waiting, when
    # A wait meets a full stretch unless both its ends lie in one gap between such.
    queued = sum(
        bisect_right(full, ready) % 2 == 1 or bisect_left(full, began) > bisect_right(full, ready)
        for ready, began in waits
    )
    return at_level, queued, len(waits)
