"""Writing YAML that every YAML reader reads as the same data, by the 1.1 rules and by the 1.2 ones."""

from __future__ import annotations

import re
from typing import Any

_PLAIN = re.compile(
    r"[A-Za-z_][A-Za-z0-9_./-]*(?: [A-Za-z0-9_./-]+)*"
    r"|(?:[0-9]{1,9}(?:\.[0-9]{1,9})?(?:ms|[dhms])){1,5}"
)
"""Words, and durations."""

_WORDS = frozenset(["null", "true", "false", "yes", "no", "on", "off", "y", "n"])
"""Words that some reader takes for something else than text."""

_LONGEST_KEY = 1000
"""Longer keys need the mark `?`: readers look for the colon within 1,024 characters."""


def flow(data: Any) -> str:
    """``data`` (dicts with text keys, lists, scalars) on one line. Recursion is as deep as the data."""
    if isinstance(data, dict):
        return "{" + ", ".join(f"{_key(k)}: {flow(v)}" for k, v in data.items()) + "}"
    if isinstance(data, list | tuple):
        return "[" + ", ".join(map(flow, data)) + "]"
    return scalar(data)


def _key(text: str) -> str:
    written = scalar(text)
    return written if len(written) <= _LONGEST_KEY else f"? {written} "


def scalar(value: str | int | float | bool | None) -> str:
    """One scalar; text in double quotes unless it is plainly words or a duration."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value) if "e" not in repr(value) or "." in repr(value) else repr(value).replace("e", ".0e")
    if isinstance(value, int):
        return str(value)
    if _PLAIN.fullmatch(value) and value.lower() not in _WORDS:
        return value
    return '"' + "".join(_escaped(c) for c in value) + '"'


def _escaped(c: str) -> str:
    if c in '"\\':
        return "\\" + c
    if c.isprintable():
        return c
    code = ord(c)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
