"""Values put into commands: as words of their own, never as part of what a shell reads.

A value goes into a shell command through an environment variable. The shell does not read the contents of a variable
as its language again, so that no value, whatever is in it, can become a command. How the variable is written depends on
where it stands (see :mod:`petri_cli.driver.shell_context`); where no way of writing it is right, it is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, Final

from petri_cli.driver.shell_context import spots
from petri_cli.driver.shell_context import where as line_and_character
from petri_cli.errors import PetriError, Position
from petri_cli.plan.expression import Lookup, Missing, evaluate, parse
from petri_cli.plan.expression_tree import Reference
from petri_cli.plan.template import Template, template

MAX_VALUE: Final = 100_000
"""Bytes of a value in a command or its environment; systems allow some 131,000 each."""
VARIABLE: Final = "PETRI_VALUE_"

_WRITTEN: Final = {"word": '"{}"', "quoted": "{}", "single": """'"{}"'""", "number": "({})"}
_WHOLE: Final = re.compile(r"0|-?[1-9][0-9]{0,17}")
_BELOW_WITH: Final = "hand it over below `with:`, which arrives on standard input"


def filled(text: str, tasks: Collection[str], lookup: Lookup, quoted: Callable[[str], str] = str) -> str:
    """``text`` with its values, for a word of a program's arguments (or, ``quoted``, a pattern).

    Raises PetriError PETRI_EXPRESSION_FAILED.
    """
    parts = template(text, tasks)
    return "".join(part if isinstance(part, str) else quoted(_value(part, lookup)) for part in parts)


def shell_text(text: str, tasks: Collection[str], lookup: Lookup) -> tuple[str, dict[str, str]]:
    """``text`` as a shell gets it, and the environment variables that hold its values.

    Raises PetriError ``PETRI_BAD_SUBSTITUTION`` where a value stands that cannot be written there,
    ``PETRI_EXPRESSION_FAILED`` where it is none that could.
    """
    parts = template(text, tasks)
    for error in unwritable(text, parts):
        raise error
    out: list[str] = []
    values: dict[str, str] = {}
    names: dict[Reference, str] = {}
    found = iter(spots(parts))
    for part in parts:
        if isinstance(part, str):
            out.append(part)
            continue
        if part not in names:
            names[part] = f"{VARIABLE}{len(names) + 1}"
            values[names[part]] = _value(part, lookup)
        form = next(found).form
        if form == "number" and not _WHOLE.fullmatch(values[names[part]]):
            why = "is no whole number of up to 18 digits without leading zeros, and arithmetic takes no other"
            raise _unfit(part, why, "work it out in a command")
        out.append(_WRITTEN[form].format(f"${{{names[part]}}}"))
    return "".join(out), values


def unwritable(text: str, parts: Template) -> Iterator[PetriError]:
    """The values of a shell command that cannot be written where they stand. parts: ``template(text, …)``."""
    holes = (part for part in parts if isinstance(part, Reference))
    for reference, spot in zip(holes, spots(parts), strict=True):
        if spot.form == "refused":
            message = f"{reference} cannot be put in at {line_and_character(text, reference.column)}: {spot.why}"
            position = Position("", 0, reference.column)
            yield PetriError("PETRI_BAD_SUBSTITUTION", message, where=position, hint=spot.hint or _BELOW_WITH)


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


def _unfit(reference: Reference, why: str, hint: str = "") -> PetriError:
    message = f"{reference} {why} (character {reference.column})"
    where = Position("", 0, reference.column)
    return PetriError("PETRI_EXPRESSION_FAILED", message, where=where, hint=hint or _BELOW_WITH)
