"""Data as YAML or JSON text that every reader understands alike.

A string is quoted where the core schema, YAML 1.1 (``on``, ``1:30``, ``2024-01-01``) or flow style would read something
else, and escaped where a parser might change it.
"""

from __future__ import annotations

import re
from json import dumps
from typing import Any

_PLAIN = re.compile(r"[A-Za-z_](?:[\w ./+=@^~()$;!-]*[\w./+=^~()$!-])?")
_AMOUNT = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:ms|[dhms])(?:[0-9]+(?:\.[0-9]+)?(?:ms|[dhms]))*")
"""``1h30m`` begins with a digit, yet no reader takes it for a number."""

_YAML_WORDS = frozenset(("y", "yes", "n", "no", "on", "off", "true", "false", "null", "nan", "inf"))
_UNSAFE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
"""What a parser refuses, or takes for a line break."""

LONGEST_KEY = 1000
"""Block style and flow style alike take no longer key on one line (libyaml: 1024 bytes)."""


def scalar_text(value: Any) -> str:
    """A scalar on one line, right in block and in flow style."""
    if isinstance(value, str):
        return _string(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, float):
        text = repr(value)
        return text if "." in text or "e" not in text else text.replace("e", ".0e")
    return str(value)


def _string(value: str) -> str:
    if _PLAIN.fullmatch(value) and value.isascii() and value.lower() not in _YAML_WORDS:
        return value
    if _AMOUNT.fullmatch(value):
        return value
    if '"' in value and "'" not in value and "\n" not in value and "\t" not in value and not _UNSAFE.search(value):
        return f"'{value}'"
    return quoted(value)


def quoted(value: str) -> str:
    """A string in double quotes, as JSON and YAML both read it."""
    return _escaped(dumps(value, ensure_ascii=False))


def _escaped(json: str) -> str:
    return _UNSAFE.sub(lambda match: f"\\u{ord(match.group()):04x}", json)


def literal_lines(value: str) -> list[str] | None:
    """A text of several lines as a literal block scalar: its header, then its lines without indentation.

    None when the block would not read back as the same text.
    """
    body = value.removesuffix("\n")
    lines = body.split("\n")
    if "\n" not in value or _UNSAFE.search(value) or "\t" in value:
        return None
    if not lines[0].strip() or not lines[-1].strip() or lines[0].startswith(" "):
        return None
    if any(line and not line.strip() for line in lines):
        return None
    return ["|" if value.endswith("\n") else "|-", *lines]


def flow_text(value: Any) -> str:
    """Any data on one line, in flow style."""
    return _nested(value, scalar_text, space=" ")


def json_text(value: Any) -> str:
    """Any data as JSON, however deep, on one line."""
    return _nested(value, lambda v: quoted(v) if isinstance(v, str) else dumps(v), space=" ")


def indented_json(value: Any) -> str:
    """Data as JSON on many lines, with whatever a reader would refuse as an escape."""
    return _escaped(dumps(value, indent=2, ensure_ascii=False))


def _nested(root: Any, scalar: Any, *, space: str) -> str:
    """Text with brackets, by a stack of what is still to be written (strings in a list of their own are done)."""
    parts: list[str] = []
    stack: list[tuple[bool, Any]] = [(False, root)]
    while stack:
        written, value = stack.pop()
        if written:
            parts.append(value)
        elif isinstance(value, dict):
            rest: list[tuple[bool, Any]] = [(True, "{")]
            for n, (key, child) in enumerate(value.items()):
                rest += [(True, f"{',' + space if n else ''}{scalar(key)}:{space}"), (False, child)]
            stack += reversed([*rest, (True, "}")])
        elif isinstance(value, list | tuple):
            rest = [(True, "[")]
            for n, child in enumerate(value):
                rest += [(True, f",{space}" if n else ""), (False, child)]
            stack += reversed([*rest, (True, "]")])
        else:
            parts.append(scalar(value))
    return "".join(parts)


def longest_key(root: Any) -> int:
    """The length of the longest key anywhere in ``root``."""
    longest = 0
    stack = [root]
    while stack:
        value = stack.pop()
        if isinstance(value, dict):
            longest = max([longest, *(len(quoted(key)) for key in value)])
            stack += value.values()
        elif isinstance(value, list | tuple):
            stack += value
    return longest
