"""An event log as mining sees it: cases, each a trace of activities, collapsed into variants with counts.

Ten million events are some ten thousand variants; whatever comes after reading is done once a variant and weighted.
Activities are integers from here on. Names are kept as text, whatever they look like.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from petri_cli.errors import Problem

NO_TIME = -(1 << 63)
"""The tick of an event whose time is not known: earlier than any that is."""
NONE = -1
"""The code of a resource or an outcome that is not known."""

Trace = tuple[int, ...]
"""Codes of activities (indices into ``Log.activities``), in the order in which they happened."""


@dataclass(frozen=True, slots=True)
class Times:
    """When events happened. Flat arrays over all events, case after case, in the order of ``Log.cases``.

    ended: ticks (microseconds since 1970, negative before) of each event's completion, ``NO_TIME`` where it is not
    known; began: of its start, where the log tells starts apart (else None); resource: codes into ``resources``,
    ``NONE`` for none (None: no column);
    outcome: of each event, codes into ``outcomes``, likewise.
    """

    ended: array[int]
    began: array[int] | None = None
    resource: array[int] | None = None
    resources: tuple[str, ...] = ()
    outcome: array[int] | None = None
    outcomes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Log:
    """A log that was read.

    activities: code → name, in order of first appearance; variants: distinct traces, in order of first appearance, and
    ``counts``: cases of each; cases: ids, in document order, and ``variant_of``: case → index of its variant; problems:
    what was wrong with single events (warnings, with file and line), and ``dropped``: why → how many events were left
    out; attributes: of the log as a whole; columns: of a table, as role → name, so that a guess can be shown.
    """

    activities: tuple[str, ...]
    variants: tuple[Trace, ...]
    counts: tuple[int, ...]
    cases: Sequence[str] = ()
    variant_of: Sequence[int] = ()
    times: Times | None = None
    problems: tuple[Problem, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)
    attributes: Mapping[str, str] = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def n_cases(self) -> int:
        return sum(self.counts)

    @property
    def n_events(self) -> int:
        return sum(len(v) * n for v, n in zip(self.variants, self.counts, strict=True))

    def cases_of(self, variant: int, limit: int | None = None) -> list[str]:
        """The first ``limit`` cases of a variant (all, where not said)."""
        found = [self.cases[k] for k, v in enumerate(self.variant_of) if v == variant]
        return found if limit is None else found[:limit]

    def named(self, trace: Iterable[int]) -> list[str]:
        """A trace in words."""
        return [self.activities[a] for a in trace]

    def __iter__(self) -> Iterator[tuple[Trace, int]]:
        """Variants with their counts."""
        return iter(zip(self.variants, self.counts, strict=True))


def log_of(traces: Iterable[Sequence[str]], cases: Iterable[str] | None = None) -> Log:
    """A log from traces of names; ``cases`` are ``1``, ``2``, … where not given."""
    codes: dict[str, int] = {}
    index: dict[Trace, int] = {}
    counts: list[int] = []
    variant_of: list[int] = []
    for names in traces:
        trace = tuple([codes.setdefault(name, len(codes)) for name in names])
        k = index.setdefault(trace, len(index))
        if k == len(counts):
            counts.append(0)
        counts[k] += 1
        variant_of.append(k)
    ids = tuple(cases) if cases is not None else tuple(str(k) for k in range(1, len(variant_of) + 1))
    return Log(tuple(codes), tuple(index), tuple(counts), ids, variant_of)
