"""Events, column by column, as the readers hand them over; sorted, paired and collapsed into a log at the end.

An event is some twenty bytes in flat arrays, so that ten million of them are held at once, and the order of rows in a
file need not be the order of time.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, repeat
from operator import gt

from petri_cli.errors import InputError, Position, Problem
from petri_cli.formats.log_events import COMPLETE, OTHER, START, Events, collapse, order, pair, times_of
from petri_cli.formats.log_options import LogOptions
from petri_cli.formats.log_times import UNKNOWN, AmbiguousTimeError, Timestamps
from petri_cli.mining.log import NONE, Log

MAX_REPORTED = 20
"""Bad events that are told one by one; the others are counted."""

_PHASES = {"start": START, "complete": COMPLETE}


def phase_of(text: str) -> int:
    """What an event tells by its lifecycle."""
    return _PHASES.get(text.lower(), OTHER) if text else COMPLETE


class Codes(dict[str, int]):
    """Names, numbered as they come: ``codes[name]`` never fails."""

    def __missing__(self, name: str) -> int:
        code = self[name] = len(self)
        return code


@dataclass(slots=True)
class Batch:
    """Columns of equal length; an empty text is a missing value, None a missing column.

    case: names, or numbers of cases that the table gave; line_of: index → line of the file.
    """

    case: Sequence[str] | array[int]
    activity: Sequence[str]
    line_of: Callable[[int], int]
    ended: Sequence[str] | None = None
    began: Sequence[str] | None = None
    resource: Sequence[str] | None = None
    phase: Sequence[str] | None = None
    outcome: Sequence[str] | None = None

    @classmethod
    def of(cls, cells: Mapping[str, Sequence[str]], line_of: Callable[[int], int]) -> Batch:
        """From columns by their roles."""
        more = (cells.get(role) for role in ("timestamp", "start", "resource", "lifecycle", "outcome"))
        return cls(cells["case"], cells["activity"], line_of, *more)


class EventTable:
    """What was read so far."""

    def __init__(self, file: str, options: LogOptions) -> None:
        self.file = file
        self.options = options
        self.cases = Codes()
        self.activities = Codes()
        self.resources, self.outcomes = Codes({"": NONE}), Codes({"": NONE})
        self.case_of = array("i")
        self.activity = array("i")
        self.ended = array("q")
        self.began: array[int] | None = None
        self.resource: array[int] | None = None
        self.phase: array[int] | None = None
        self.outcome: array[int] | None = None
        self.problems: list[Problem] = []
        self.dropped: Counter[str] = Counter()
        self.doubted = 0
        """Events that begin after they end."""
        self._grouped = True
        self._doubled: Counter[str] = Counter()
        self._times = (Timestamps(options.time_format), Timestamps(options.time_format))

    # what readers say

    def warn(self, code: str, message: str, line: int = 0, hint: str = "") -> None:
        where = Position(self.file, line, 1 if line else 0)
        self.problems.append(Problem(code, message, where, hint, "warning"))

    def drop(self, why: str, message: str, line: int, hint: str = "") -> None:
        """Leave an event out, and count it."""
        self.dropped[why] += 1
        if self.dropped.total() <= MAX_REPORTED:
            self.warn("PETRI_LOG_EVENT", message, line, hint)

    def new_case(self, name: str) -> int:
        """The number of a case that is none of those before, whatever it is called."""
        free = name
        while free in self.cases:
            self._doubled[name] += 1
            free = f"{name}#{self._doubled[name] + 1}"
        return self.cases[free]

    def add(self, batch: Batch) -> None:
        """Take over a batch; events that cannot be counted are dropped. Raises InputError PETRI_LOG_TIME."""
        bad = _without_names(batch)
        ended, began = self._ticks(batch, batch.ended, 0, bad), self._ticks(batch, batch.began, 1, bad)
        self._check_begins(batch, began, ended, bad)
        case, activity, resource, phase = batch.case, batch.activity, batch.resource, batch.phase
        outcome = batch.outcome
        if bad:
            for k in sorted(bad):
                self.drop(*bad[k], batch.line_of(k))
            keep = [k not in bad for k in range(len(activity))]
            case = _kept(case, keep) if isinstance(case, array) else list(compress(case, keep))
            activity = list(compress(activity, keep))
            resource = resource and list(compress(resource, keep))
            phase = phase and list(compress(phase, keep))
            outcome = outcome and list(compress(outcome, keep))
            ended, began = ended and _kept(ended, keep), began and _kept(began, keep)
        before, n = len(self.activity), len(activity)
        self._add_cases(case)
        self.activity += array("i", list(map(self.activities.__getitem__, activity)))
        self.ended += ended if ended is not None else array("q", [UNKNOWN]) * n
        self.began = _longer(self.began, "q", began, before, n, UNKNOWN)
        self.resource = _longer(self.resource, "i", _coded(self.resources, resource), before, n)
        self.outcome = _longer(self.outcome, "i", _coded(self.outcomes, outcome), before, n)
        phases = {text: phase_of(text) for text in set(phase or ())}
        told = None if phase is None else list(map(phases.__getitem__, phase))
        self.phase = _longer(self.phase, "b", None if told is None else array("b", told), before, n, COMPLETE)

    def _add_cases(self, case: Sequence[str] | array[int]) -> None:
        numbers = case if isinstance(case, array) else array("i", list(map(self.cases.__getitem__, case)))
        if self._grouped and numbers:
            rising = numbers.tolist()
            self._grouped = (not self.case_of or self.case_of[-1] <= rising[0]) and rising == sorted(rising)
        self.case_of += numbers

    def _ticks(
        self, batch: Batch, texts: Sequence[str] | None, side: int, bad: dict[int, tuple[str, str]]
    ) -> array[int] | None:
        if texts is None:
            return None
        try:
            ticks, unreadable = self._times[side].column(texts)
        except AmbiguousTimeError as error:
            line = next(batch.line_of(k) for k, t in enumerate(texts) if t.strip() == str(error))
            message = f"`{error}` can be read with the day first or with the month first"
            hint = f"say which: --time-format '{error.format}' (day first)"
            raise InputError([Problem("PETRI_LOG_TIME", message, Position(self.file, line, 1), hint)]) from None
        for k in unreadable:
            bad.setdefault(k, ("timestamp", self._times[side].wrong(texts[k])))
        return ticks

    def late(self) -> bool:
        """Whether an event begins after it ends, of a table that was filled without being looked at."""
        return self.began is not None and any(map(gt, self.began, self.ended))

    def _check_begins(
        self, batch: Batch, began: array[int] | None, ended: array[int] | None, bad: Mapping[int, object]
    ) -> None:
        """Of an event that begins after it ends, the end counts, by which events are ordered; the begin does not."""
        if began is None or ended is None or not any(map(gt, began, ended)):
            return
        for k, (begin, end) in enumerate(zip(began, ended, strict=True)):
            if begin > end != UNKNOWN:
                began[k] = UNKNOWN
                if k not in bad:
                    self.doubted += 1
                    if self.doubted <= MAX_REPORTED:
                        message = "the event begins after it ends: when it began is taken for not known"
                        self.warn("PETRI_LOG_EVENT", message, batch.line_of(k))

    # the log

    def log(self, attributes: Mapping[str, str] | None = None, columns: Mapping[str, str] | None = None) -> Log:
        """The log. Raises InputError for bad events where the options are strict, or where they are all there is."""
        if (self.dropped and not self.activity) or (self.options.strict and (self.dropped or self.doubted)):
            raise InputError([replace(p, severity="error") for p in self.problems if p.code == "PETRI_LOG_EVENT"])
        if self.dropped.total() > MAX_REPORTED:
            counts = ", ".join([f"{why} {n:,}" for why, n in sorted(self.dropped.items())])
            self.warn("PETRI_LOG_EVENT", f"{self.dropped.total():,} events were left out in all ({counts})")
        if self.doubted > MAX_REPORTED:
            self.warn("PETRI_LOG_EVENT", f"{self.doubted:,} events begin after they end in all")
        events = Events(
            len(self.cases), self.case_of, self.activity, self.ended, self.began, self.resource, self.phase,
            outcome=self.outcome,
        )  # fmt: skip
        untimed = order(events, self._grouped)
        if untimed:
            whose = "one case has" if untimed == 1 else f"{untimed:,} cases have"
            message = f"{whose} events with a timestamp and others without, and stays in the file's order"
            message = message if untimed == 1 else message.replace("stays", "stay")
            self.warn("PETRI_LOG_ORDER", message, hint="order by time needs a timestamp in every event of the case")
        self._lifecycle(events)
        found = collapse(events)
        names, resources, outcomes = tuple(self.activities), tuple(self.resources), tuple(self.outcomes)
        return Log(
            tuple([names[a] for a in found.activities]),
            found.variants,
            found.counts,
            tuple(self.cases),
            found.variant_of,
            times_of(events, resources, outcomes) if self.options.times else None,
            tuple(self.problems),
            dict(sorted(self.dropped.items())),
            dict(attributes or {}),
            dict(columns or {}),
        )

    def _lifecycle(self, events: Events) -> None:
        if events.phase is None:
            return
        starts, completes = events.phase.count(START), events.phase.count(COMPLETE)
        if not (starts and completes):
            return
        if self.options.lifecycle == "pairs":
            self.dropped.update(pair(events, events.phase))
        else:
            message = f"the log has {starts:,} start and {completes:,} complete events, and each counts for itself"
            hint = "--lifecycle pairs takes a start and its complete for one"
            self.warn("PETRI_LOG_LIFECYCLE", message, hint=hint)


def _without_names(batch: Batch) -> dict[int, tuple[str, str]]:
    """Index → why, message: of events without activity or case."""
    bad: dict[int, tuple[str, str]] = {}
    if "" in batch.activity:
        bad.update((k, ("activity", "the event has no activity")) for k, a in enumerate(batch.activity) if not a)
    if isinstance(batch.case, array):
        if NONE in batch.case:
            bad.update((k, ("case", "the event is in no trace")) for k, c in enumerate(batch.case) if c == NONE)
    elif "" in batch.case:
        bad.update((k, ("case", "the event has no case id")) for k, c in enumerate(batch.case) if not c)
    return bad


def _coded(codes: Codes, names: Sequence[str] | None) -> array[int] | None:
    return None if names is None else array("i", list(map(codes.__getitem__, names)))


def _kept(column: array[int], keep: Sequence[bool]) -> array[int]:
    return array(column.typecode, compress(column, keep))


def _longer(
    column: array[int] | None, kind: str, more: array[int] | None, before: int, n: int, missing: int = NONE
) -> array[int] | None:
    """``column`` with ``more``, or with ``n`` missing values where there were some before and now are none."""
    if more is None and column is None:
        return None
    if column is None:
        column = array(kind, repeat(missing, before))
    column.extend(more if more is not None else array(kind, repeat(missing, n)))
    return column
