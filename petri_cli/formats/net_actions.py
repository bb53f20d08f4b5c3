"""What tokens and transitions of a net document carry beside arcs: values, name matches, actions; and back to data."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from petri_cli.document import ListNode, MapNode, Node, ScalarNode, describe, plain
from petri_cli.formats.net_fields import MAX_DEPTH, Fields
from petri_cli.net.model import Match


def read_match(fields: Fields, node: Node) -> Match | None:
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
_CALLABLE = re.compile(r"[^\s:]+:[^\s:]+")


def read_action(fields: Fields, node: Node) -> Mapping[str, object] | None:
    """What the transition does, as a map with one key.

    ``passthrough`` and ``fork`` (None, or the input to copy), ``shell`` (a command), ``python`` and ``transform``
    (``module:function``), ``produce`` (place → tuple of values).
    """
    if isinstance(node, ScalarNode):
        text = fields.text(node, "action")
        if text is not None and text not in WORD_ACTIONS:
            hint = "write `passthrough`, `fork`, or a map such as {shell: make}"
            fields.note("PETRI_BAD_VALUE", f"action cannot be {describe(node)}", node, hint)
        return {text: None} if text in WORD_ACTIONS else None
    found = fields.one_key(node, "action", ACTIONS)
    if found is None:
        return None
    kind, body = found
    match kind:
        case "produce":
            produced = _produced(fields, body)
            return None if produced is None else {kind: produced}
        case "fork":
            place = fields.place(body, "fork")
            return None if place is None else {kind: place}
        case _:
            text = fields.text(body, kind)
            if text is not None and kind != "shell" and not _CALLABLE.fullmatch(text):
                fields.note("PETRI_BAD_VALUE", f"{kind} must be `module:function`, got {describe(body)}", body)
            return None if text is None else {kind: text}


def _produced(fields: Fields, node: Node) -> dict[str, tuple[object, ...]] | None:
    if not isinstance(node, MapNode):
        fields.note("PETRI_WRONG_TYPE", f"produce must be a map from places to values, got {describe(node)}", node)
        return None
    made: dict[str, tuple[object, ...]] = {}
    for key, value in node.entries:
        place = fields.place(key, "produce")
        values = value.items if isinstance(value, ListNode) else (value,)
        if place is not None:
            made[place] = tuple(read_value(fields, v) for v in values)
    return made


def read_value(fields: Fields, root: Node) -> object:
    """A token's value as plain data. Values must fit into JSON and nest at most ``MAX_DEPTH`` deep."""
    stack: list[tuple[Node, int]] = [(root, 0)]
    while stack:
        node, depth = stack.pop()
        if depth > MAX_DEPTH:
            fields.note("PETRI_TOO_DEEP", f"a token's value is nested deeper than {MAX_DEPTH} levels", node)
            return None
        match node:
            case ListNode(items):
                stack.extend((i, depth + 1) for i in items)
            case MapNode(entries):
                stack.extend((v, depth + 1) for _, v in entries)
            case ScalarNode(value):
                if isinstance(value, float) and not math.isfinite(value):
                    message = f"a token's value cannot be {describe(node)}: JSON has no such number"
                    fields.note("PETRI_BAD_VALUE", message, node, "put it in quotes")
    return plain(root)


def action_data(action: Mapping[str, object]) -> Any:
    kind, argument = next(iter(action.items()))
    if argument is None:
        return kind
    if kind == "produce" and isinstance(argument, Mapping):
        return {kind: {place: _values_data(values) for place, values in argument.items()}}
    return {kind: argument}


def _values_data(values: tuple[object, ...]) -> Any:
    return values[0] if len(values) == 1 and not isinstance(values[0], list) else list(values)
