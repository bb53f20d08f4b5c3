"""Properties beyond soundness, in the two forms in which people write them: a map in a file, a line in a shell.

{placeBound: {place: lock, bound: 1}}          placeBound:lock<=1
{deadlockFree: {sinks: [done, failed]}}        deadlockFree:done,failed
{mutualExclusion: {places: [a, b]}}            mutualExclusion:a,b
{unreachable: {places: [a, b]}}                unreachable:a,b
{terminatesAtSink: {sinks: [done]}}            terminatesAtSink:done
{quiescentCount: {places: [a], min: 1, max: 2}}   quiescentCount:a=1..2
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from petri_cli.document import MapNode, Node, ScalarNode, position
from petri_cli.errors import PetriError
from petri_cli.formats.nearest import did_you_mean
from petri_cli.formats.net_fields import NetFields
from petri_cli.net.model import Property

PLACES_KEY = {
    "deadlockFree": "sinks",
    "terminatesAtSink": "sinks",
    "mutualExclusion": "places",
    "unreachable": "places",
    "placeBound": "place",
    "quiescentCount": "places",
}
"""For each kind of property, the key that names its places."""

_NUMBERS = {"placeBound": ("bound",), "quiescentCount": ("min", "max")}


def parse_property(text: str, places: Iterable[str] | None = None) -> Property:
    """The property that ``text`` writes in one line; its id is its normal form.

    A name that holds white space or one of ``,<=:"`` stands in double quotes, as in JSON. With ``places``, every name
    must be one of them.

    Raises PetriError: PETRI_BAD_PROPERTY, PETRI_UNKNOWN_PLACE.
    """
    kind, _, rest = (part.strip() for part in text.partition(":"))
    if kind not in PLACES_KEY:
        raise _bad(f"there is no property `{kind}`", did_you_mean(kind, PLACES_KEY))
    names, rest = _names(rest)
    prop = _with_numbers(kind, tuple(names), rest)
    if places is not None:
        known = set(places)
        for name in names:
            if name not in known:
                message = f"the property names the place `{name}`, which is not declared"
                raise PetriError("PETRI_UNKNOWN_PLACE", message, hint=did_you_mean(name, known))
    return prop


def property_text(prop: Property) -> str:
    """``prop`` in one line, as :func:`parse_property` reads it."""
    names = ",".join(p if _BARE.fullmatch(p) else json.dumps(p, ensure_ascii=False) for p in prop.places)
    match prop.kind:
        case "placeBound":
            return f"placeBound:{names}<={prop.maximum}"
        case "quiescentCount":
            return f"quiescentCount:{names}={prop.minimum}..{'' if prop.maximum is None else prop.maximum}"
        case kind:
            return f"{kind}:{names}" if names else kind


_BARE = re.compile(r'[^\s,<=:"\\]+')
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s,<=:"\\]+', re.DOTALL)
_RANGE = re.compile(r"=\s*(?:([0-9]{1,18})|([0-9]{1,18})?\s*\.\.\s*([0-9]{1,18})?)")
_BOUND = re.compile(r"<=\s*([0-9]{1,18})")


def _names(text: str) -> tuple[list[str], str]:
    """The names at the start of ``text``, and what follows them."""
    names: list[str] = []
    while match := _NAME.match(text):
        token = match[0]
        try:
            names.append(json.loads(token, strict=False) if token[0] == '"' else token)
        except ValueError:
            raise _bad(f"`{token}` is no name in double quotes", "quotes work as in JSON") from None
        text = text[match.end() :].lstrip()
        if not text.startswith(","):
            return names, text
        text = text[1:].lstrip()
    if names or text.startswith(","):
        raise _bad("a name of a place is missing next to a comma", _forms())
    return names, text


def _with_numbers(kind: str, names: tuple[str, ...], rest: str) -> Property:
    minimum, maximum = 0, None
    if kind == "placeBound" and (match := _BOUND.fullmatch(rest)) and len(names) == 1:
        maximum = int(match[1])
    elif kind == "quiescentCount" and (match := _RANGE.fullmatch(rest)):
        exact, low, high = match.groups()
        minimum = int(exact or low or 0)
        maximum = int(exact or high) if exact or high else None
        if maximum is not None and maximum < minimum:
            raise _bad(f"no number lies within {minimum}..{maximum}", "write the smaller number first")
    elif rest or kind in _NUMBERS:
        raise _bad(f"this is not how `{kind}` is written", _forms(kind))
    if not names and kind != "deadlockFree":
        raise _bad(f"`{kind}` names no place", _forms(kind))
    prop = Property("", kind, names, minimum, maximum)
    return Property(property_text(prop), kind, names, minimum, maximum)


_FORMS = {
    "placeBound": "placeBound:PLACE<=N",
    "deadlockFree": "deadlockFree:SINK,…",
    "mutualExclusion": "mutualExclusion:PLACE,PLACE,…",
    "unreachable": "unreachable:PLACE,…",
    "terminatesAtSink": "terminatesAtSink:SINK,…",
    "quiescentCount": "quiescentCount:PLACE,…=MIN..MAX",
}


def _forms(kind: str = "") -> str:
    return f"write {_FORMS[kind]}" if kind else f"write one of {', '.join(_FORMS.values())}"


def _bad(message: str, hint: str) -> PetriError:
    return PetriError("PETRI_BAD_PROPERTY", message, hint=hint)


def read_properties(fields: NetFields, node: Node) -> tuple[Property, ...]:
    """The list under ``properties:`` of a net document: maps or one-line forms."""
    found: list[Property] = []
    ids: dict[str, Node] = {}
    for item in fields.items(node, "properties") or ():
        prop = _one_line(fields, item) if isinstance(item, ScalarNode) else _from_map(fields, item)
        if prop is None:
            continue
        if prop.id in ids:
            first = (position(ids[prop.id]),)
            message = f"two properties are called `{prop.id}`"
            fields.note("PETRI_DUPLICATE_ID", message, item, "keep one, or give it an id of its own", related=first)
        ids[prop.id] = item
        found.append(prop)
    return tuple(found)


def _one_line(fields: NetFields, node: ScalarNode) -> Property | None:
    text = fields.text(node, "a property")
    if text is None:
        return None
    try:
        return parse_property(text, fields.declared)
    except PetriError as error:
        fields.note(error.code, error.message, node, error.hint)
        return None


def _from_map(fields: NetFields, node: Node) -> Property | None:
    before = len(fields.problems)
    found = fields.keys(node, "a property", ("id", *PLACES_KEY))
    if found is None or len(fields.problems) > before:
        return None
    kinds = [k for k in found if k != "id"]
    if len(kinds) != 1:
        fields.note("PETRI_BAD_VALUE", f"a property has exactly one of the keys {', '.join(PLACES_KEY)}", node)
        return None
    kind = kinds[0]
    own_id = fields.text(found["id"], "the id of a property") if "id" in found else ""
    prop = _body(fields, kind, found[kind])
    if prop is None or own_id is None or len(fields.problems) > before:
        return None
    return Property(own_id or property_text(prop), kind, prop.places, prop.minimum, prop.maximum)


def _body(fields: NetFields, kind: str, node: Node) -> Property | None:
    least = 0 if kind == "deadlockFree" else 1
    key = PLACES_KEY[kind]
    if not isinstance(node, MapNode) and kind not in _NUMBERS:
        return Property("", kind, fields.places(node, kind, unique=False, least=least))
    numbers = _NUMBERS.get(kind, ())
    found = fields.keys(node, kind, (key, *numbers), (key, "bound") if kind == "placeBound" else (key,))
    if found is None or key not in found:
        return None
    if kind == "placeBound":
        place = fields.place(found[key], kind)
        bound = fields.whole(found["bound"], "the bound", 0) if "bound" in found else None
        return None if place is None or bound is None else Property("", kind, (place,), 0, bound)
    places = fields.places(found[key], kind, unique=False, least=least)
    low = fields.whole(found["min"], "min", 0) if "min" in found else 0
    high = fields.whole(found["max"], "max", 0) if "max" in found else None
    if low is not None and high is not None and high < low:
        fields.note("PETRI_BAD_PROPERTY", f"no number lies within {low}..{high}", node, "min is at most max")
    return Property("", kind, places, low or 0, high)


def property_data(prop: Property) -> dict[str, Any]:
    """``prop`` as the map of a net document."""
    body: dict[str, Any]
    match prop.kind:
        case "placeBound":
            body = {"place": prop.places[0], "bound": prop.maximum}
        case "quiescentCount":
            body = {"places": list(prop.places), "min": prop.minimum}
            if prop.maximum is not None:
                body["max"] = prop.maximum
        case kind:
            body = {PLACES_KEY[kind]: list(prop.places)}
    own_id = {} if prop.id == property_text(prop) else {"id": prop.id}
    return {**own_id, prop.kind: body}
