"""What both readers do when a map is complete: no key may come twice, whatever the format."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from petri_cli.document.nodes import Node, ScalarNode, position, shorten
from petri_cli.errors import Problem

Entry = tuple[ScalarNode, Node]


def pairs(parts: Iterable[Any]) -> tuple[Entry, ...]:
    """The entries of a map whose keys and values stand in ``parts`` in turn."""
    turn = iter(parts)
    return tuple(zip(turn, turn, strict=True))


def without_repeated(entries: Sequence[Entry], problems: list[Problem]) -> tuple[Entry, ...]:
    """``entries`` without those whose key came before, each of which is noted in ``problems``."""
    if len({key.value for key, _ in entries}) == len(entries):
        return tuple(entries)
    problems += _duplicates(entries)
    return tuple(first_of_each(entries))


def _duplicates(entries: Sequence[Entry]) -> list[Problem]:
    """A problem for every key that stands in ``entries`` a second time, naming the line of the first."""
    first: dict[str, ScalarNode] = {}
    problems: list[Problem] = []
    for key, _ in entries:
        name = str(key.value)
        if name not in first:
            first[name] = key
            continue
        before = first[name]
        message = f"the key `{shorten(name)}` stands on line {before.line} and again on line {key.line}"
        hint = "keep one of the two: readers disagree on which one counts"
        problems.append(Problem("PETRI_DUPLICATE_KEY", message, position(key), hint, related=(position(before),)))
    return problems


def first_of_each(entries: Iterable[Entry]) -> list[Entry]:
    """``entries`` without those whose key came before."""
    seen: dict[object, Entry] = {}
    for entry in entries:
        seen.setdefault(entry[0].value, entry)
    return list(seen.values())
