"""Input arcs and output trees of a net document: from its nodes, and back to data."""

from __future__ import annotations

from typing import Any, assert_never

from petri_cli.document import ListNode, MapNode, Node, ScalarNode, describe
from petri_cli.formats.net_fields import MAX_DEPTH, NetFields
from petri_cli.formats.net_time import duration_data
from petri_cli.net.model import AndOut, Cardinality, ForwardOut, Input, Output, PlaceOut, TimeoutOut, XorOut

_CARDINALITY = "`one`, `all`, a number, `{exactly: n}` or `{atLeast: n}`"


def read_inputs(fields: NetFields, node: Node) -> tuple[Input, ...]:
    """A place, a list of places, or a map from places to how many tokens are needed and taken."""
    if not isinstance(node, MapNode):
        return tuple(Input(p) for p in fields.places(node, "inputs"))
    found: list[Input] = []
    for key, value in node.entries:
        place = fields.place(key, "inputs")
        arc = _input(fields, str(key.value), value)
        if place is not None and arc is not None:
            found.append(arc)
    return tuple(found)


def _input(fields: NetFields, place: str, node: Node) -> Input | None:
    if isinstance(node, MapNode):
        return _counted(fields, place, node)
    value = node.value if isinstance(node, ScalarNode) else None
    if value == "one":
        return Input(place)
    if value == "all":
        return Input(place, Cardinality.ALL)
    if isinstance(value, int | float) and not isinstance(value, bool):
        k = fields.whole(node, f"the input from `{place}`", 1)
        return None if k is None else Input(place) if k == 1 else Input(place, Cardinality.EXACTLY, k)
    code = "PETRI_BAD_VALUE" if isinstance(value, str) else "PETRI_WRONG_TYPE"
    fields.note(code, f"the input from `{place}` must be {_CARDINALITY}, got {describe(node)}", node)
    return None


def _counted(fields: NetFields, place: str, node: MapNode) -> Input | None:
    found = fields.one_key(node, f"the input from `{place}`", ("exactly", "atLeast"))
    if found is None:
        return None
    kind, count = str(found[0].value), found[1]
    k = fields.whole(count, f"{kind} of `{place}`", 1)
    return None if k is None else Input(place, Cardinality(kind), k)


def input_data(arc: Input) -> Any:
    match arc.kind:
        case Cardinality.ONE | Cardinality.ALL:
            return arc.kind.value
        case Cardinality.EXACTLY if arc.count > 1:
            return arc.count
        case Cardinality.EXACTLY | Cardinality.AT_LEAST:
            return {arc.kind.value: arc.count}
        case other:
            assert_never(other)


# the output tree

_OUTPUT_KEYS = ("place", "and", "xor", "timeout", "forwardInput")


def read_output(fields: NetFields, node: Node, depth: int = 0) -> Output | None:
    """An output tree. It nests at most ``MAX_DEPTH`` deep, so that recursion is safe."""
    if depth > MAX_DEPTH:
        fields.note("PETRI_TOO_DEEP", f"outputs are nested deeper than {MAX_DEPTH} levels", node)
        return None
    match node:
        case ScalarNode():
            place = fields.place(node, "the output")
            return None if place is None else PlaceOut(place)
        case ListNode():
            return AndOut(_children(fields, node, "`and`", 1, depth))
        case MapNode():
            return _output_map(fields, node, depth)
        case other:
            assert_never(other)


def _children(fields: NetFields, node: Node, what: str, least: int, depth: int) -> tuple[Output, ...]:
    items = fields.items(node, what, least) or ()
    return tuple(o for o in [read_output(fields, i, depth + 1) for i in items] if o is not None)


def _output_map(fields: NetFields, node: MapNode, depth: int) -> Output | None:
    before = len(fields.problems)
    found = fields.keys(node, "an output", (*_OUTPUT_KEYS, "count"))
    if found is None or len(fields.problems) > before:
        return None
    kinds = [k for k in found if k != "count"]
    if len(kinds) != 1 or ("count" in found and kinds != ["place"]):
        hint = "`count` goes with `place`" if "count" in found else ""
        message = "an output has exactly one of the keys " + ", ".join(f"`{k}`" for k in _OUTPUT_KEYS)
        fields.note("PETRI_BAD_VALUE", message, node, hint)
        return None
    body = found[kinds[0]]
    match kinds[0]:
        case "place":
            place = fields.place(body, "the output")
            count = fields.whole(found["count"], "count", 1) if "count" in found else 1
            return None if place is None or count is None else PlaceOut(place, count)
        case "and":
            return AndOut(_children(fields, body, "`and`", 1, depth))
        case "xor":
            return XorOut(_children(fields, body, "`xor`", 2, depth))
        case "timeout":
            return _timeout(fields, body, depth)
        case _:
            return _forward(fields, body)


def _timeout(fields: NetFields, node: Node, depth: int) -> Output | None:
    found = fields.keys(node, "a timeout", ("after", "child"), ("after", "child"))
    if found is None:
        return None
    after = fields.duration(found["after"], "after") if "after" in found else None
    child = read_output(fields, found["child"], depth + 1) if "child" in found else None
    return None if after is None or child is None else TimeoutOut(after, child)


def _forward(fields: NetFields, node: Node) -> Output | None:
    found = fields.keys(node, "forwardInput", ("from", "to"), ("from", "to"))
    if found is None:
        return None
    ends = [fields.place(found[end], "forwardInput") if end in found else None for end in ("from", "to")]
    return None if ends[0] is None or ends[1] is None else ForwardOut(ends[0], ends[1])


def output_data(output: Output) -> Any:
    match output:
        case PlaceOut(place, 1):
            return place
        case PlaceOut(place, count):
            return {"place": place, "count": count}
        case AndOut(children):
            return [output_data(c) for c in children]
        case XorOut(children):
            return {"xor": [output_data(c) for c in children]}
        case TimeoutOut(after, child):
            return {"timeout": {"after": duration_data(after), "child": output_data(child)}}
        case ForwardOut(source, target):
            return {"forwardInput": {"from": source, "to": target}}
        case other:
            assert_never(other)
