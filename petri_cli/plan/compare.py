"""Whether two plans say the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from petri_cli.errors import Position
from petri_cli.plan.model import Plan

_FORM = frozenset(("file", "where", "capacity_at", "units_at"))


def same_plan(a: Plan, b: Plan) -> bool:
    """Whether the plans are equal in all but file and positions; ``1``, ``1.0`` and ``true`` are three things."""
    if len(a.nodes) != len(b.nodes) or len(a.resources) != len(b.resources):
        return False
    parts = zip([a, *a.resources, *a.nodes], [b, *b.resources, *b.nodes], strict=True)
    return all(_same_part(x, y) for x, y in parts)


def _same_part(a: Any, b: Any) -> bool:
    """Whether two dataclass instances agree field by field; nodes and resources of a plan are compared on their own."""
    if type(a) is not type(b):
        return False
    names = [f.name for f in fields(a) if f.name not in _FORM]
    if isinstance(a, Plan):
        names = [name for name in names if name not in ("nodes", "resources")]
    return all(same_data(getattr(a, name), getattr(b, name)) for name in names)


def same_data(a: Any, b: Any) -> bool:
    """Whether two pieces of plain data are equal, types included. The order of keys does not count."""
    stack = [(a, b)]
    while stack:
        x, y = stack.pop()
        if isinstance(x, Mapping) and isinstance(y, Mapping):
            if x.keys() != y.keys():
                return False
            stack += [(x[key], y[key]) for key in x]
        elif isinstance(x, list | tuple) and isinstance(y, list | tuple):
            if len(x) != len(y):
                return False
            stack += zip(x, y, strict=True)
        elif not isinstance(x, Position) and (type(x) is not type(y) or x != y):
            return False
    return True
