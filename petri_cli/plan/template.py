"""Texts with holes: commands, patterns of files and inputs, into which results and items are put.

``${task.field}`` is a hole, and in commands ``{item}`` and ``{item.field}``, too. A shell has braces of its own, and
keeps them: ``${HOME}`` and ``${name:-x}`` are no holes, since no task is called so and no shell knows names with dots.
``$${…}`` and ``{{item}}`` stand for ``${…}`` and ``{item}`` as they are.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from petri_cli.plan.expression_tokens import PATH, parse_path
from petri_cli.plan.expression_tree import ITEM, LOOP, Reference

Template = tuple[str | Reference, ...]
"""Texts and holes, in order."""

_TAIL = PATH.removeprefix("[A-Za-z_][A-Za-z0-9_-]*")
_SPECIAL: Final = re.compile(
    rf"(?P<dollar>\$\$\{{)|\$\{{[ ]*(?P<path>{PATH})[ ]*\}}"
    rf"|(?P<literal>\{{\{{{ITEM}{_TAIL}\}}\}})|\{{(?P<item>{ITEM}{_TAIL})\}}",
    re.DOTALL,
)


def template(text: str, tasks: Collection[str], *, items: bool = True) -> Template:
    """The texts and holes of ``text``. tasks: names that ``${…}`` may begin with, beside ``item`` and ``loop``.

    A path with a field is a hole whatever it begins with, so that a misspelt task is noticed. items: whether ``{item}``
    is one. The column of a hole counts characters of ``text`` from 1.
    """
    parts: list[str | Reference] = []
    plain: list[str] = []
    at = 0
    for found in _SPECIAL.finditer(text):
        plain.append(text[at : found.start()])
        at = found.end()
        hole: Reference | None = None
        if found["dollar"]:
            plain.append("${")
        elif found["path"]:
            path = parse_path(found["path"], found.start() + 1)
            if path.head in (ITEM, LOOP) or path.head in tasks or isinstance(next(iter(path.steps), 0), str):
                hole = path
        elif items and found["item"]:
            hole = parse_path(found["item"], found.start() + 1)
        elif items and found["literal"]:
            plain.append(found["literal"][1:-1])
        if hole is None:
            if not found["dollar"] and not (items and found["literal"]):
                plain.append(found.group())
            continue
        parts += ["".join(plain), hole]
        plain.clear()
    parts.append("".join(plain) + text[at:])
    return tuple(part for part in parts if part != "")


def holes(text: str, tasks: Collection[str], *, items: bool = True) -> tuple[Reference, ...]:
    """The references of :func:`template`."""
    return tuple(part for part in template(text, tasks, items=items) if isinstance(part, Reference))
