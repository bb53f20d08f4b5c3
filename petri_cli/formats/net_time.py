"""Durations and firing intervals of a net document: from its nodes, and back to data."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

from petri_cli.document import ListNode, Node, ScalarNode, describe
from petri_cli.formats.net_fields import Fields
from petri_cli.net.model import IMMEDIATE, Timing

_DURATION = re.compile(r"([0-9]{1,400}(?:\.[0-9]{1,400})?)(ms|s|m|h|d)")
_SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def read_duration(fields: Fields, node: Node, what: str, *, above_zero: bool = False) -> float | None:
    """Seconds of a duration such as ``50ms``, ``2.5s``, ``30m``, ``1h`` or ``1d``."""
    text = fields.text(node, what)
    if text is None:
        return None
    match = _DURATION.fullmatch(text)
    if match is None:
        hint = "write a number and ms, s, m, h or d, such as 30s"
        fields.note("PETRI_BAD_DURATION", f"{what} is no duration: {describe(node)}", node, hint)
        return None
    seconds = _in_seconds(float(match[1]), match[2])
    if not math.isfinite(seconds) or (above_zero and seconds <= 0):
        fields.note("PETRI_BAD_VALUE", f"{what} must be above 0 and finite, got {describe(node)}", node)
        return None
    return seconds


def duration_text(seconds: float) -> str:
    """A duration that reads back as exactly ``seconds``."""
    for unit, factor in reversed(_SECONDS.items()):
        count = round(seconds / factor) if seconds < 1e15 else 0
        if count and _in_seconds(float(count), unit) == seconds and (seconds < 1 or unit != "ms"):
            return f"{count}{unit}"
    return f"{format(Decimal(repr(seconds)), 'f').removesuffix('.0')}s"


def _in_seconds(number: float, unit: str) -> float:
    return number / 1000 if unit == "ms" else number * _SECONDS[unit]


TIMINGS = ("deadline", "delayed", "window", "exact")


def read_timing(fields: Fields, node: Node) -> Timing:
    """``immediate``, or a map with one key: deadline, delayed, exact (a duration) or window (two)."""
    if isinstance(node, ScalarNode):
        text = fields.text(node, "timing")
        if text is not None and text != "immediate":
            hint = "write `immediate`, or a map such as {deadline: 5s}"
            fields.note("PETRI_BAD_VALUE", f"timing cannot be {describe(node)}", node, hint)
        return IMMEDIATE
    found = fields.one_key(node, "timing", TIMINGS)
    if found is None:
        return IMMEDIATE
    kind, body = found
    if kind == "window":
        return _window(fields, body)
    seconds = read_duration(fields, body, kind, above_zero=kind == "deadline")
    if seconds is None:
        return IMMEDIATE
    return Timing(kind, 0.0, seconds) if kind == "deadline" else Timing(kind, seconds)


def _window(fields: Fields, node: Node) -> Timing:
    items = fields.items(node, "window") or ()
    bounds = [read_duration(fields, i, "window") for i in items]
    if isinstance(node, ListNode) and len(items) != 2:
        fields.note("PETRI_BAD_VALUE", f"window needs two durations, got {len(items)}", node, "such as [1s, 2s]")
    if len(bounds) != 2 or bounds[0] is None or bounds[1] is None:
        return IMMEDIATE
    if bounds[1] < bounds[0]:
        fields.note("PETRI_BAD_NET", "the window ends before it begins", node, "write the earlier bound first")
        return IMMEDIATE
    return Timing("window", bounds[0], bounds[1])


def timing_data(timing: Timing) -> Any:
    earliest = duration_text(timing.earliest)
    match timing.kind:
        case "deadline":
            return {"deadline": duration_text(timing.latest or 0.0)}
        case "window":
            return {"window": [earliest, duration_text(timing.latest or 0.0)]}
        case "immediate":
            return "immediate"
        case kind:
            return {kind: earliest}
