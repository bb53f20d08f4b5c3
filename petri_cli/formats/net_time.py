"""Firing intervals of a net document: from its nodes, and back to data."""

from __future__ import annotations

from typing import Any

from petri_cli.document import ListNode, Node, ScalarNode
from petri_cli.formats.net_fields import NetFields
from petri_cli.net.model import IMMEDIATE, Timing
from petri_cli.plan.duration import format_duration, parse_duration

TIMINGS = ("deadline", "delayed", "window", "exact")


def read_timing(fields: NetFields, node: Node) -> Timing:
    """``immediate``, or a map with one key: deadline, delayed, exact (a duration) or window (two)."""
    if isinstance(node, ScalarNode):
        fields.choice(node, "timing", ("immediate",))
        return IMMEDIATE
    entry = fields.one_key(node, "timing", TIMINGS)
    if entry is None:
        return IMMEDIATE
    kind, body = str(entry[0].value), entry[1]
    if kind == "window":
        return _window(fields, body)
    seconds = fields.duration(body, kind, zero=kind != "deadline")
    if seconds is None:
        return IMMEDIATE
    return Timing(kind, 0.0, seconds) if kind == "deadline" else Timing(kind, seconds)


def _window(fields: NetFields, node: Node) -> Timing:
    items = fields.items(node, "window") or ()
    bounds = [fields.duration(i, "window", zero=True) for i in items]
    if isinstance(node, ListNode) and len(items) != 2:
        fields.note("PETRI_BAD_VALUE", f"window needs two durations, got {len(items)}", node, "such as [1s, 2s]")
    if len(bounds) != 2 or bounds[0] is None or bounds[1] is None:
        return IMMEDIATE
    if bounds[1] < bounds[0]:
        fields.note("PETRI_BAD_NET", "the window ends before it begins", node, "write the earlier bound first")
        return IMMEDIATE
    return Timing("window", bounds[0], bounds[1])


def timing_data(timing: Timing) -> Any:
    match timing.kind:
        case "deadline":
            return {"deadline": duration_data(timing.latest or 0.0)}
        case "window":
            return {"window": [duration_data(timing.earliest), duration_data(timing.latest or 0.0)]}
        case "immediate":
            return "immediate"
        case kind:
            return {kind: duration_data(timing.earliest)}


def duration_data(seconds: float) -> str | float:
    """A duration as a document has it: with units where that is exact, else as a number of seconds."""
    written = format_duration(seconds)
    if parse_duration(written) == seconds:
        return written
    return int(seconds) if seconds.is_integer() else seconds


def duration_text(seconds: float) -> str:
    """A duration for people to read."""
    written = duration_data(seconds)
    return written if isinstance(written, str) else f"{written:g}s"
