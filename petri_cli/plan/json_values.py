"""Values of JSON, strictly typed: which two are the same, and what a message calls one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

MAX_BITS: Final = 1_100
"""Of a whole number: a little more than the largest float has."""


def same(left: Any, right: Any) -> bool:
    """Whether two JSON values are equal: 1 is 1.0, but not true."""
    stack = [(left, right)]
    while stack:
        a, b = stack.pop()
        if isinstance(a, Mapping) and isinstance(b, Mapping):
            if a.keys() != b.keys():
                return False
            stack.extend((a[key], b[key]) for key in a)
        elif isinstance(a, list | tuple) and isinstance(b, list | tuple):
            if len(a) != len(b):
                return False
            stack.extend(zip(a, b, strict=True))
        elif not (type(a) is type(b) or (is_number(a) and is_number(b))) or a != b:
            return False
    return True


def described(value: Any) -> str:
    """What kind of value it is, for a message."""
    match value:
        case None | bool():
            return {None: "null", True: "true", False: "false"}[value]
        case int() | float():
            text = str(value) if not isinstance(value, int) or value.bit_length() <= MAX_BITS else "…"
            return f"the number {text if len(text) <= 30 else text[:30] + '…'}"
        case str():
            return f'the text "{value if len(value) <= 30 else value[:30] + "…"}"'
        case Mapping():
            return "a map"
        case _:
            return "a list"


def is_number(value: Any) -> bool:
    """Whether it is one; true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)
