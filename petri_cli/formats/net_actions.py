"""What tokens and transitions of a net document carry beside arcs: values, name matches, actions; and back to data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from petri_cli.document import ListNode, MapNode, Node, ScalarNode, describe
from petri_cli.formats.net_fields import NetFields
from petri_cli.net.model import Match
from petri_cli.plan.words import PYTHON


def read_match(fields: NetFields, node: Node) -> Match | None:
    """A list of places whose tokens carry the name, or a map from places to the field of the value that holds it."""
    if not isinstance(node, MapNode):
        return Match(tuple((p, None) for p in fields.places(node, "match", least=1)))
    keys: list[tuple[str, str | None]] = []
    if not node.entries:
        fields.note("PETRI_BAD_VALUE", "match needs at least one place", node)
    for key, value in node.entries:
        place = fields.place(key, "match")
        own_name = isinstance(value, ScalarNode) and value.value is None
        field = None if own_name else fields.text(value, "a field of match")
        if place is not None and (own_name or field is not None):
            keys.append((place, field))
    return Match(tuple(keys))


def match_data(match: Match) -> Any:
    if all(key is None for _, key in match.keys):
        return [p for p, _ in match.keys]
    return dict(match.keys)


WORD_ACTIONS = ("passthrough", "fork")
ACTIONS = ("shell", "python", "transform", "produce", "fork")


def read_action(fields: NetFields, node: Node) -> Mapping[str, object] | None:
    """What the transition does, as a map with one key.

    ``passthrough`` and ``fork`` (None, or the input to copy), ``shell`` (a command, or a tuple of words), ``python``
    and ``transform`` (``module:function``), ``produce`` (place → tuple of values).
    """
    if isinstance(node, ScalarNode):
        word = fields.choice(node, "action", WORD_ACTIONS)
        return {word: None} if word in WORD_ACTIONS else None
    found = fields.one_key(node, "action", ACTIONS)
    if found is None:
        return None
    kind, body = str(found[0].value), found[1]
    match kind:
        case "produce":
            produced = _produced(fields, body)
            return None if produced is None else {kind: produced}
        case "fork":
            place = fields.place(body, "fork")
            return None if place is None else {kind: place}
        case "shell":
            command = _command(fields, body)
            return None if command is None else {kind: command}
        case _:
            function = fields.matching(body, kind, PYTHON, "`module:function`")
            return None if function is None else {kind: function}


def _command(fields: NetFields, node: Node) -> str | tuple[str, ...] | None:
    if not isinstance(node, ListNode):
        return fields.text(node, "shell")
    if not node.items:
        fields.note("PETRI_BAD_VALUE", "shell is an empty list", node, "name the program and its arguments")
        return None
    words = [fields.text(word, "a word of shell", blank=k > 0) for k, word in enumerate(node.items)]
    return None if None in words else tuple(word for word in words if word is not None)


def _produced(fields: NetFields, node: Node) -> dict[str, tuple[object, ...]] | None:
    if not isinstance(node, MapNode):
        fields.note("PETRI_WRONG_TYPE", f"produce must be a map from places to values, got {describe(node)}", node)
        return None
    made: dict[str, tuple[object, ...]] = {}
    for key, value in node.entries:
        place = fields.place(key, "produce")
        values = value.items if isinstance(value, ListNode) else (value,)
        if place is not None:
            made[place] = tuple(fields.data(v, f"a value for `{place}`") for v in values)
    return made


def action_data(action: Mapping[str, object]) -> Any:
    kind, argument = next(iter(action.items()))
    if argument is None:
        return kind
    if kind == "produce" and isinstance(argument, Mapping):
        return {kind: {place: _values_data(values) for place, values in argument.items()}}
    return {kind: list(argument) if isinstance(argument, tuple) else argument}


def _values_data(values: tuple[object, ...]) -> Any:
    return values[0] if len(values) == 1 and not isinstance(values[0], list) else list(values)
