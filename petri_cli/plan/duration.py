"""Durations as people write them: ``90s``, ``1h30m``, ``500ms``, or a plain number of seconds."""

from __future__ import annotations

import re

LONGEST = 1e9
"""Seconds, some 31 years: whatever is longer is a slip of the finger."""

PATTERN = (
    r"^(?=[0-9])(?:[0-9]+(?:\.[0-9]+)?d)?(?:[0-9]+(?:\.[0-9]+)?h)?(?:[0-9]+(?:\.[0-9]+)?m(?!s))?"
    r"(?:[0-9]+(?:\.[0-9]+)?s)?(?:[0-9]+(?:\.[0-9]+)?ms)?$"
)
"""What a written duration looks like; also the pattern of the JSON Schema."""

_SECONDS = {"d": 86400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_WHOLE = re.compile(PATTERN)
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)(ms|[dhms])")


def parse_duration(text: str) -> float | None:
    """Seconds of a written duration: days, hours, minutes, seconds, milliseconds, in this order, each at most once.

    None when ``text`` is no duration. There is no upper limit here.
    """
    if _WHOLE.fullmatch(text) is None:
        return None
    total = sum(float(amount) * _SECONDS[unit] for amount, unit in _PART.findall(text))
    return round(total, 9)


def format_duration(seconds: float) -> str:
    """The shortest way to write ``seconds`` that :func:`parse_duration` reads back as the same number.

    Whole milliseconds are written with units (``1h30m``, ``1s500ms``), anything finer as a number of seconds.
    """
    milliseconds = round(seconds * 1000)
    if milliseconds <= 0 or milliseconds / 1000 != seconds:
        return repr(seconds)
    parts: list[str] = []
    for unit, size in (("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1)):
        amount, milliseconds = divmod(milliseconds, size)
        if amount:
            parts.append(f"{amount}{unit}")
    written = "".join(parts)
    return written if parse_duration(written) == seconds else repr(seconds)
