"""Merge keys: ``<<: *name`` brings the entries of another map in (https://yaml.org/type/merge.html)."""

from __future__ import annotations

from petri_cli.document.maps import Entry, first_of_each
from petri_cli.document.nodes import ListNode, MapNode, ScalarNode, describe, path_text
from petri_cli.errors import Position, Problem


def is_merge(key: ScalarNode) -> bool:
    """Whether ``key`` is the merge key."""
    return key.value == "<<" and not key.quoted


def with_merged(entries: tuple[Entry, ...], file: str, problems: list[Problem]) -> tuple[Entry, ...]:
    """``entries`` with what their merge keys stand for; a map's own entries come first, and win."""
    own = [entry for entry in entries if not is_merge(entry[0])]
    merged = [more for entry in entries if is_merge(entry[0]) for more in _merged(entry, file, problems)]
    return tuple(first_of_each(own + merged))


def _merged(entry: Entry, file: str, problems: list[Problem]) -> list[Entry]:
    """What ``<<: value`` adds: of several maps, an earlier one wins."""
    key, value = entry
    maps = value.items if isinstance(value, ListNode) else (value,)
    found: list[Entry] = []
    for one in maps:
        if isinstance(one, MapNode):
            found.extend(one.entries)
            continue
        where = Position(file, one.line, one.column, path_text(key.path))
        message = f"`<<` merges maps, got {describe(one)}"
        hint = "write `<<: *name` with the anchor of a map, or a list of such"
        problems.append(Problem("PETRI_YAML_MERGE", message, where, hint))
    return found
