"""Values put into commands: as words of their own, never as part of what a shell reads.

A value goes into a shell command through an environment variable. The shell does not read the contents of a variable
as its language again, so that no value, whatever is in it, can become a command. How the variable is written depends on
the quotes around it; where that is told wrongly (in a here-document, say), a value looks odd, and still is no command.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any, Final

from petri_cli.errors import PetriError, Position
from petri_cli.plan.expression import Lookup, Missing, evaluate, parse
from petri_cli.plan.expression_tree import Reference
from petri_cli.plan.template import template

MAX_VALUE: Final = 100_000
"""Bytes of a value in a command or its environment; systems allow some 131,000 each."""
VARIABLE: Final = "PETRI_VALUE_"


def filled(text: str, tasks: Collection[str], lookup: Lookup, quoted: Callable[[str], str] = str) -> str:
    """``text`` with its values, for a word of a program's arguments (or, ``quoted``, a pattern).

    Raises PetriError PETRI_EXPRESSION_FAILED.
    """
    parts = template(text, tasks)
    return "".join(part if isinstance(part, str) else quoted(_value(part, lookup)) for part in parts)


def shell_text(text: str, tasks: Collection[str], lookup: Lookup) -> tuple[str, dict[str, str]]:
    """``text`` as a shell gets it, and the environment variables that hold its values."""
    out: list[str] = []
    values: dict[str, str] = {}
    names: dict[Reference, str] = {}
    quotes = _Quotes()
    for part in template(text, tasks):
        if isinstance(part, str):
            quotes.read(part)
            out.append(part)
            continue
        if part not in names:
            names[part] = f"{VARIABLE}{len(names) + 1}"
            values[names[part]] = _value(part, lookup)
        out.append(quotes.around(names[part]))
    return "".join(out), values


def data_filled(data: Any, tasks: Collection[str], lookup: Lookup) -> Any:
    """JSON data with its values: a text that is one expression becomes its value, another one a text.

    Put together from the leaves up, without recursion.
    """
    done: list[Any] = []
    stack: list[tuple[Any, bool]] = [(data, False)]
    while stack:
        part, parts_done = stack.pop()
        if isinstance(part, str):
            done.append(_text_filled(part, tasks, lookup))
        elif not isinstance(part, dict | list | tuple):
            done.append(part)
        elif not parts_done:
            stack.append((part, True))
            stack.extend((child, False) for child in reversed(part.values() if isinstance(part, dict) else part))
        else:
            first = len(done) - len(part)
            values = done[first:]
            done[first:] = [dict(zip(part, values, strict=True)) if isinstance(part, dict) else values]
    return done[0]


def is_one_expression(text: str) -> bool:
    """Whether a text of ``with`` is an expression and nothing else: ``${…}``, with no more braces in between."""
    return text.startswith("${") and text.endswith("}") and "}" not in text[2:-1]


def _text_filled(text: str, tasks: Collection[str], lookup: Lookup) -> Any:
    if is_one_expression(text):
        return evaluate(parse(text), lookup)
    parts = template(text, tasks, items=False)
    return "".join(part if isinstance(part, str) else as_text(looked_up(part, lookup)) for part in parts)


def looked_up(reference: Reference, lookup: Lookup) -> Any:
    """The value of a hole. Raises PetriError PETRI_EXPRESSION_FAILED."""
    try:
        return lookup(reference)
    except Missing as missing:
        message = f"{missing} (character {reference.column})"
        where = Position("", 0, reference.column)
        raise PetriError("PETRI_EXPRESSION_FAILED", message, where=where, hint=missing.hint) from None


def as_text(value: Any) -> str:
    """A text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _value(reference: Reference, lookup: Lookup) -> str:
    """The text of a hole, as a program can get it."""
    text = as_text(looked_up(reference, lookup))
    if "\0" in text:
        raise _unfit(reference, "holds a character 0, which no command can")
    if (size := len(text.encode("utf-8", "surrogatepass"))) > MAX_VALUE:
        raise _unfit(reference, f"has {size:,} bytes, a command takes {MAX_VALUE:,}")
    return text


def _unfit(reference: Reference, why: str) -> PetriError:
    message = f"{reference} {why} (character {reference.column})"
    where = Position("", 0, reference.column)
    hint = "hand it over below `with:`, which arrives on standard input"
    return PetriError("PETRI_EXPRESSION_FAILED", message, where=where, hint=hint)


class _Quotes:
    """Which quotes a shell is in, as far as a text was read: none, ``'``, ``"``; anew in ``$(…)`` and backticks."""

    def __init__(self) -> None:
        self.stack = [""]
        """Of each open ``"``, ``'``, ``(`` and backtick; what is on top decides."""
        self.escaped = self.comment = False
        self.before = "\n"

    def read(self, text: str) -> None:
        for sign in text:
            self._read(sign)
            self.before = sign

    def around(self, name: str) -> str:
        """How the variable is written here."""
        self.escaped = False
        self.before = "x"
        if self.stack[-1] == '"':
            return f"${{{name}}}"
        return f"""'"${{{name}}}"'""" if self.stack[-1] == "'" else f'"${{{name}}}"'

    def _read(self, sign: str) -> None:
        top = self.stack[-1]
        if self.comment:
            self.comment = sign != "\n"
        elif top == "'":
            if sign == "'":
                self.stack.pop()
        elif self.escaped:
            self.escaped = False
        elif sign == "\\":
            self.escaped = True
        elif sign in ('"', "`"):
            self._toggle(sign)
        elif sign == "(" and (top != '"' or self.before == "$"):
            self.stack.append("(")
        elif sign == ")" and top == "(":
            self.stack.pop()
        elif sign == "'" and top != '"':
            self.stack.append(sign)
        elif sign == "#" and top != '"' and self.before in " \t\n;&|(":
            self.comment = True

    def _toggle(self, sign: str) -> None:
        if self.stack[-1] == sign:
            self.stack.pop()
        else:
            self.stack.append(sign)
