"""From events in the order of a file to variants: by case, by time within the case, ties in the order of the file."""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from types import ModuleType

from petri_cli.formats.log_times import UNKNOWN
from petri_cli.formats.native import binding
from petri_cli.mining.log import NONE, Times, Trace

START, COMPLETE, OTHER = 1, 2, 3
"""Of what an event tells: that the activity began, that it ended, or something else."""


@dataclass(slots=True)
class Events:
    """Columns over all events: numbers of cases and activities, ticks, resources, phases, outcomes. Changed in
    place."""

    n_cases: int
    case_of: array[int]
    activity: array[int]
    ended: array[int]
    began: array[int] | None
    resource: array[int] | None
    phase: array[int] | None
    bounds: array[int] = field(default_factory=lambda: array("q"))
    outcome: array[int] | None = None

    def columns(self) -> list[str]:
        names = ("case_of", "activity", "ended", "began", "resource", "phase", "outcome")
        return [name for name in names if getattr(self, name) is not None]

    def take(self, picked: Sequence[int]) -> None:
        """Keep the events of these indices, in this order."""
        for name in self.columns():
            column = getattr(self, name)
            setattr(self, name, array(column.typecode, list(map(column.__getitem__, picked))))
        self.bounds = array("q")

    def pick(self, core: ModuleType, picked: bytes) -> None:
        """The same, of indices as the compiled core gives them."""
        for name in self.columns():
            column = getattr(self, name)
            setattr(self, name, array(column.typecode, core.picked(column, picked, column.itemsize)))
        self.bounds = array("q")

    def cases(self) -> Iterator[tuple[int, int]]:
        """Where the events of each case begin and end, once they are in the order of cases."""
        if not self.bounds:
            sizes = Counter(self.case_of)
            self.bounds = array("q", accumulate([sizes[case] for case in range(self.n_cases)], initial=0))
        return pairwise(self.bounds)


def order(events: Events, grouped: bool) -> int:
    """Bring events into the order of cases (``grouped``: they are in it), and of time within each.

    A case with an event of no known time stays in the order of the file. How many such have known times, too.
    """
    if binding.core is not None:
        bounds, picked, mixed = binding.core.order(events.case_of, events.ended, events.n_cases, UNKNOWN)
        if picked is not None:
            events.pick(binding.core, picked)
        events.bounds = array("q", bounds)
        return int(mixed)
    if not grouped:
        events.take(sorted(range(len(events.case_of)), key=events.case_of.__getitem__))
    if events.ended.count(UNKNOWN) == len(events.ended):
        return 0
    others = [getattr(events, name) for name in events.columns() if name not in ("case_of", "ended")]
    ended, mixed = events.ended, 0
    for begin, end in events.cases():
        ticks = ended[begin:end].tolist()
        rising = sorted(ticks)
        if rising == ticks:
            mixed += bool(ticks) and ticks[0] == UNKNOWN != ticks[-1]
        elif UNKNOWN in ticks:
            mixed += 1
        else:
            ended[begin:end] = array("q", rising)
            picked = sorted(range(len(ticks)), key=ticks.__getitem__)
            for column in others:
                part = column[begin:end]
                column[begin:end] = array(column.typecode, map(part.__getitem__, picked))
    return mixed


def pair(events: Events, phase: array[int]) -> Counter[str]:
    """Make one event of each start and the complete that follows it, first in first out for each activity of a case.

    Only what completes stays; what a complete began is known where there was a start. What was left out, counted.
    """
    left: Counter[str] = Counter()
    began = events.began if events.began is not None else array("q", [UNKNOWN]) * len(events.ended)
    picked: list[int] = []
    for begin, end in events.cases():
        open_: defaultdict[int, deque[int]] = defaultdict(deque)
        for k in range(begin, end):
            match phase[k]:
                case 1:
                    open_[events.activity[k]].append(events.ended[k])
                case 2:
                    waiting = open_[events.activity[k]]
                    if waiting:
                        began[k] = waiting.popleft()
                    picked.append(k)
                case _:
                    left["lifecycle"] += 1
        left["start without complete"] += sum(map(len, open_.values()))
    events.began = began
    events.take(picked)
    return +left


@dataclass(frozen=True, slots=True)
class Collapsed:
    """Variants of a log, and the codes of activities that the table had, in order of first appearance."""

    variants: tuple[Trace, ...]
    counts: tuple[int, ...]
    variant_of: list[int]
    activities: tuple[int, ...]


def collapse(events: Events) -> Collapsed:
    """Equal traces become one, with a count. Activities are numbered anew, as they come up case after case."""
    core = binding.core
    traces, counts, variant_of = _equal(events) if core is None else _equal_by_core(events, core)
    renumbered: dict[int, int] = {}
    variants = [tuple([renumbered.setdefault(a, len(renumbered)) for a in trace]) for trace in traces]
    return Collapsed(tuple(variants), tuple(counts), variant_of, tuple(renumbered))


def _equal(events: Events) -> tuple[list[array[int]], list[int], list[int]]:
    """Traces, cases of each, and case → trace."""
    seen: dict[bytes, int] = {}
    counts: list[int] = []
    variant_of: list[int] = []
    code = events.activity
    for begin, end in events.cases():
        k = seen.setdefault(code[begin:end].tobytes(), len(counts))
        if k == len(counts):
            counts.append(0)
        counts[k] += 1
        variant_of.append(k)
    return [array("i", key) for key in seen], counts, variant_of


def _equal_by_core(events: Events, core: ModuleType) -> tuple[list[array[int]], list[int], list[int]]:
    events.cases()
    bounds = events.bounds
    numbers, firsts = core.variants(events.activity, bounds, binding.SECRET)
    variant_of = array("i", numbers).tolist()
    sizes = Counter(variant_of)
    traces = [events.activity[bounds[case] : bounds[case + 1]] for case in array("i", firsts)]
    return traces, [sizes[k] for k in range(len(traces))], variant_of


def times_of(events: Events, resources: Sequence[str], outcomes: Sequence[str] = ()) -> Times | None:
    """Times of all events; None where nothing at all is known. ``resources`` and ``outcomes``: names, of which the
    first is none's."""
    known = events.ended.count(UNKNOWN) < len(events.ended)
    began = events.began
    if began is not None and began.count(UNKNOWN) == len(began):
        began = None
    resource, who = _numbered(events.resource, resources)
    outcome, what = _numbered(events.outcome, outcomes)
    if not known and began is None and resource is None and outcome is None:
        return None
    return Times(events.ended, began, resource, who, outcome, what)


def _numbered(codes: array[int] | None, names: Sequence[str]) -> tuple[array[int] | None, tuple[str, ...]]:
    """A column whose names are numbered in the order in which they come; nothing for one that is empty."""
    if codes is None or codes.count(NONE) == len(codes):
        return None, ()
    first = dict.fromkeys(codes)
    first.pop(NONE, None)
    number = {NONE: NONE, **{r: k for k, r in enumerate(first)}}
    return array("i", list(map(number.__getitem__, codes))), tuple([names[r] for r in first])
