"""Timestamps of event logs, from text to ticks (microseconds since 1970, UTC).

Read without being told: ISO 8601 (year first; ``-`` or ``/`` between; a blank for the ``T``; any fraction; with or
without zone, which is UTC then), and numbers since 1970 in seconds, milliseconds, microseconds or nanoseconds, by their
size. A date that begins with the day or the month could be read two ways: it is refused until a format is told.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from petri_cli.mining.log import NO_TIME

UNKNOWN = NO_TIME

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_DAY_AND_MINUTE = re.compile(r"(\d{4})([-/])(\d\d)\2(\d\d)(?:[T ](\d\d):(\d\d))?", re.ASCII)
_REST = re.compile(r"(?::(\d\d)(?:[.,](\d{1,9}))?)? ?(?:(Z|UTC)|([+-])(\d\d):?(\d\d)?)?", re.ASCII)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?", re.ASCII)
_DAY_OR_MONTH_FIRST = re.compile(
    r"\d{1,2}([./-])\d{1,2}\1(\d{4}|\d{2})(?:[T ]+\d{1,2}:\d\d(:\d\d(\.\d+)?)?)?", re.ASCII
)
_CACHED = 200_000


class AmbiguousTimeError(ValueError):
    """A date that can be read two ways. ``format``: the one that is meant if the day comes first."""

    def __init__(self, text: str, form: str) -> None:
        super().__init__(text)
        self.format = form


class _Minutes(dict[str, int]):
    """The first 16 characters of a timestamp → ticks, as if they were UTC. Events share minutes."""

    def __missing__(self, text: str) -> int:
        if not text:
            return UNKNOWN
        match = _DAY_AND_MINUTE.fullmatch(text)
        if match is None:
            raise ValueError(text)
        year, _, month, day, hour, minute = match.groups()
        when = datetime(int(year), int(month), int(day), int(hour or 0), int(minute or 0), tzinfo=UTC)
        if len(self) >= _CACHED:
            self.clear()
        ticks = self[text] = (when - _EPOCH) // _MICROSECOND
        return ticks


class _Rests(dict[str, int]):
    """What follows: seconds, fraction, zone → ticks to add."""

    def __missing__(self, text: str) -> int:
        match = _REST.fullmatch(text)
        if match is None:
            raise ValueError(text)
        seconds, fraction, _, sign, hours, minutes = match.groups()
        if int(seconds or 0) > 60 or int(minutes or 0) > 59 or int(hours or 0) > 23:
            raise ValueError(text)
        ticks = int(seconds or 0) * 1_000_000 + int((fraction or "")[:6].ljust(6, "0"))
        if sign:
            offset = (int(hours) * 60 + int(minutes or 0)) * 60_000_000
            ticks += offset if sign == "-" else -offset
        if len(self) >= _CACHED:
            self.clear()
        self[text] = ticks
        return ticks


def zone_ticks(zone: str) -> int:
    """Ticks to add to a time in a zone, for UTC. Raises ValueError."""
    return _Rests()[zone]


class Timestamps:
    """The timestamps of one column: how they are written shows in the first one."""

    def __init__(self, form: str | None = None) -> None:
        self._form = form
        self._minutes = _Minutes()
        self._rests = _Rests()
        self._per_second: Decimal | None = None
        """Ticks of one unit, where the column holds numbers."""
        self._begun = False

    def column(self, texts: Sequence[str]) -> tuple[array[int], list[int]]:
        """Ticks (UNKNOWN for an empty text) and the indices of what cannot be read. Raises AmbiguousTimeError."""
        if self._form is None and self._per_second is None:
            minutes, rests = self._minutes, self._rests
            try:
                return array("q", [minutes[t[:16]] + rests[t[16:]] for t in texts]), []
            except ValueError:
                pass
        ticks, bad = array("q"), []
        for k, text in enumerate(texts):
            try:
                ticks.append(self.ticks(text))
            except AmbiguousTimeError:
                raise
            except (ValueError, OverflowError):
                ticks.append(UNKNOWN)
                bad.append(k)
        return ticks, bad

    def wrong(self, text: str) -> str:
        """What is wrong with a text that cannot be read."""
        said = f"`{text.strip()[:60]}`"
        number = _NUMBER.fullmatch(text.strip())
        if self._per_second is None or not number or abs(Decimal(text.strip())) * self._per_second >= 1 << 63:
            return f"{said} is no timestamp"
        return f"{said} is no time in {_UNITS[self._per_second]} since 1970, which the first one was read as"

    def ticks(self, text: str) -> int:
        """One timestamp. Raises ValueError (AmbiguousTimeError) for what is none."""
        text = text.strip()
        if not text:
            return UNKNOWN
        if self._form is not None:
            when = datetime.strptime(text, self._form)  # noqa: DTZ007 (no zone is UTC)
            return ((when if when.tzinfo else when.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND
        if _NUMBER.fullmatch(text) and (self._per_second is not None or not self._minutes):
            if self._per_second is None:
                self._per_second = _unit(abs(Decimal(text)))
            elif _of_another_unit(Decimal(text), self._per_second):
                raise ValueError(text)
            return int((Decimal(text) * self._per_second).to_integral_value("ROUND_FLOOR"))
        match = _DAY_OR_MONTH_FIRST.fullmatch(text)
        if match is not None:
            raise AmbiguousTimeError(text, _day_first(match))
        if self._per_second is not None:
            raise ValueError(text)
        return self._minutes[text[:16]] + self._rests[text[16:]]


_UNITS = {
    Decimal(1_000_000): "seconds", Decimal(1_000): "milliseconds", Decimal(1): "microseconds",
    Decimal("0.001"): "nanoseconds",
}  # fmt: skip
"""Ticks of a unit → its name."""
_LAST = 10**17
"""A tick thousands of years ahead, which no event has."""
_LIKELY = range(631_152_000_000_000, 4_102_444_800_000_000)
"""Ticks from 1990 to 2100."""


def _of_another_unit(number: Decimal, ticks: Decimal) -> bool:
    """Whether ``number`` is thousands of years away in a unit of so many ``ticks``, or in the first weeks of 1970 while
    a larger unit makes it a time of our days: a log that mixes units is not to be believed."""
    if abs(number) * ticks >= _LAST:
        return ticks > min(_UNITS)
    return any(int(number * larger) in _LIKELY for larger in _UNITS if larger > ticks)


def _unit(number: Decimal) -> Decimal:
    """Ticks of a unit in which ``number`` lies between 1970 and some thousand years later."""
    if number < 10**11:
        return Decimal(1_000_000)
    if number < 10**14:
        return Decimal(1_000)
    return Decimal(1) if number < 10**17 else Decimal("0.001")


def _day_first(match: re.Match[str]) -> str:
    mark, year, seconds, fraction = match.groups()
    date = f"%d{mark}%m{mark}" + ("%Y" if len(year) == 4 else "%y")
    if ":" not in match[0]:
        return date
    return date + " %H:%M" + (":%S" if seconds else "") + (".%f" if fraction else "")


def written(ticks: int) -> str:
    """A tick as ISO 8601 in UTC, to the millisecond where that is exact: what every reader of logs understands."""
    when = _EPOCH + timedelta(microseconds=ticks)
    return when.isoformat(timespec="microseconds" if ticks % 1000 else "milliseconds")
