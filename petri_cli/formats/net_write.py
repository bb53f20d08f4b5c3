"""From :class:`Net` to ``kind: net`` documents: as data (for JSON) and as YAML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from petri_cli.document.write import LONGEST_KEY, flow_text, json_text, longest_key
from petri_cli.formats.net_actions import action_data, match_data
from petri_cli.formats.net_arcs import input_data, output_data
from petri_cli.formats.net_time import timing_data
from petri_cli.formats.properties import property_data
from petri_cli.net.model import IMMEDIATE, Input, Net, Place, Transition


def net_to_data(net: Net) -> dict[str, Any]:
    """``net`` as the data of a net document, in the order in which the reference names its keys.

    Places that only a marking names are declared: a file has no other way to say so, and it makes no difference.
    """
    places = net.all_places()
    data: dict[str, Any] = {"kind": "net", "id": net.id}
    if net.name:
        data["name"] = net.name
    data["places"] = [_place_data(net, p) for p in places]
    data["transitions"] = [_transition_data(t) for t in net.transitions]
    if net.final is not None:
        data["final"] = {p: n for p, n in net.final.items() if n}
    if net.properties:
        data["properties"] = [property_data(p) for p in net.properties]
    return data


def _place_data(net: Net, place: Place) -> Any:
    data: dict[str, Any] = {"id": place.id}
    if place.name:
        data["name"] = place.name
    if place.id in net.values:
        data["tokens"] = list(net.values[place.id])
    elif net.initial.get(place.id):
        data["tokens"] = net.initial[place.id]
    if place.environment:
        data["environment"] = True
    return place.id if len(data) == 1 else data


def _transition_data(t: Transition) -> dict[str, Any]:
    data: dict[str, Any] = {"id": t.id}
    if t.name:
        data["name"] = t.name
    if t.inputs:
        simple = all(i == Input(i.place) for i in t.inputs)
        data["inputs"] = [i.place for i in t.inputs] if simple else {i.place: input_data(i) for i in t.inputs}
    for key, places in (("inhibitors", t.inhibitors), ("reads", t.reads), ("resets", t.resets)):
        if places:
            data[key] = list(dict.fromkeys(places))
    if t.output is not None:
        data["output"] = output_data(t.output)
    if t.timing != IMMEDIATE:
        data["timing"] = timing_data(t.timing)
    if t.priority:
        data["priority"] = t.priority
    if t.match is not None:
        data["match"] = match_data(t.match)
    if t.action:
        data["action"] = action_data(t.action)
    return data


def write_net(net: Net) -> str:
    """``net`` as a YAML document; :func:`parse_net` reads the same net from it.

    With ids too long for the key of a YAML map it comes as JSON, which is YAML too.
    """
    data = net_to_data(net)
    if longest_key(data) > LONGEST_KEY:
        return json_text(data) + "\n"
    return "\n".join(_lines(data)) + "\n"


def _lines(data: dict[str, Any]) -> Iterator[str]:
    """A line for each place and property, a small block for each transition; everything else in flow style."""
    for key, value in data.items():
        if not isinstance(value, list) or not value:
            yield f"{key}: {flow_text(value)}"
            continue
        yield f"{key}:"
        for item in value:
            if key != "transitions":
                yield f"  - {flow_text(item)}"
                continue
            for n, (name, part) in enumerate(item.items()):
                yield f"  {'-' if n == 0 else ' '} {name}: {flow_text(part)}"
