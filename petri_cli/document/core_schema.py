"""Plain scalars by the core schema of YAML 1.2.2 (section 10.3.2), not by the type repository of YAML 1.1.

So ``on``, ``no``, ``1:30``, ``1_000`` and ``2024-01-01`` are strings, and ``012`` is twelve.
"""

from __future__ import annotations

import re

from petri_cli.document.nodes import Value

WORDS: dict[str, Value] = {
    "": None,
    "~": None,
    **dict.fromkeys(("null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
}

NUMBER_STARTS = frozenset("0123456789+-.")

_DECIMAL = re.compile(r"[-+]?[0-9]+")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")

MAX_DIGITS = 400
"""No number of a plan needs more; converting longer ones takes quadratic time, and Python refuses some."""


class NumberTooLongError(ValueError):
    """The scalar is a number of more than ``MAX_DIGITS`` characters."""


def resolve(text: str) -> Value:
    """The value of a plain scalar. Raises NumberTooLongError; never anything else."""
    if text in WORDS:
        return WORDS[text]
    if text[0] not in NUMBER_STARTS:
        return text
    return _number(text)


def _number(text: str) -> Value:
    if _DECIMAL.fullmatch(text):
        return int(_short(text))
    if _FLOAT.fullmatch(text):
        return float(_short(text))
    if _OCTAL.fullmatch(text):
        return int(_short(text)[2:], 8)
    if _HEXADECIMAL.fullmatch(text):
        return int(_short(text)[2:], 16)
    return text


def _short(text: str) -> str:
    if len(text) > MAX_DIGITS:
        raise NumberTooLongError
    return text
