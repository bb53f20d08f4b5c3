"""From ``kind: net`` documents, coloured time Petri nets as people write them, to :class:`Net`.

``docs/net-files.md`` is the reference, ``schemas/net.schema.json`` the published contract; this module is the checker.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath

from petri_cli.document import ListNode, MapNode, Node, ScalarNode, file_of, position, shorten
from petri_cli.errors import InputError, Problem
from petri_cli.formats.net_actions import read_action, read_match
from petri_cli.formats.net_arcs import read_inputs, read_output
from petri_cli.formats.net_fields import NetFields
from petri_cli.formats.net_time import read_timing
from petri_cli.formats.properties import read_properties
from petri_cli.net.model import IMMEDIATE, BrokenRule, ForwardOut, Match, Net, Place, Transition, leaves
from petri_cli.net.rules import check_net

NET_KEYS = ("kind", "version", "id", "name", "places", "transitions", "final", "properties")
PLACE_KEYS = ("id", "name", "tokens", "environment")
TRANSITION_KEYS = (
    "id",
    "name",
    "inputs",
    "inhibitors",
    "reads",
    "resets",
    "output",
    "timing",
    "priority",
    "match",
    "action",
)


def parse_net(node: Node, file: str = "") -> tuple[Net, tuple[Problem, ...]]:
    """The net that a document describes, and warnings. ``file`` (the node's own, unless given) names a net without id.

    Raises InputError with every problem, sorted by position.
    """
    file = file or file_of(node)
    reader = _Reader()
    net = reader.net(node, file)
    if net is None or reader.fields.failed:
        raise InputError(reader.fields.problems)
    return net, tuple(sorted(reader.fields.problems, key=lambda p: (p.where, p.code)))


class _Reader:
    def __init__(self) -> None:
        self.fields = NetFields()
        self.values: dict[str, tuple[object, ...]] = {}
        self.initial: dict[str, int] = {}

    def net(self, node: Node, file: str) -> Net | None:
        fields = self.fields
        found = fields.keys(node, "a net", NET_KEYS, ("kind", "places"))
        if found is None:
            return None
        self._head(found)
        default = PurePath(file).stem.removesuffix(".petri") or "net"
        net_id = fields.text(found["id"], "the net's id") if "id" in found else default
        places = self._places(found["places"]) if "places" in found else ()
        items = fields.items(found["transitions"], "transitions") if "transitions" in found else ()
        transitions = self._transitions(items or ())
        final = self._marking(found["final"]) if "final" in found else None
        properties = read_properties(fields, found["properties"]) if "properties" in found else ()
        return Net(
            net_id or default,
            places,
            transitions,
            self.initial,
            final,
            properties,
            values=self.values,
            name=fields.optional_text(found, "name"),
        )

    def _head(self, found: Mapping[str, Node]) -> None:
        if "kind" in found and self.fields.text(found["kind"], "kind") not in ("net", None):
            self.fields.note("PETRI_BAD_VALUE", "the kind of a net document is `net`", found["kind"], "write kind: net")
        if "version" in found and self.fields.whole(found["version"], "version") not in (1, None):
            hint = "write version: 1, or leave it out"
            self.fields.note("PETRI_BAD_VALUE", "the only version of the format is 1", found["version"], hint)

    # places

    def _places(self, node: Node) -> tuple[Place, ...]:
        items = self.fields.items(node, "places")
        if items is None:
            return ()
        self.fields.declared = {}
        return tuple(p for p in [self._place(i) for i in items] if p is not None)

    def _place(self, node: Node) -> Place | None:
        fields = self.fields
        if isinstance(node, ScalarNode):
            return self._declare(node, Place(fields.text(node, "a place") or ""))
        found = fields.keys(node, "a place", PLACE_KEYS, ("id",))
        if found is None or "id" not in found:
            return None
        place = Place(
            fields.text(found["id"], "a place's id") or "",
            fields.optional_text(found, "name"),
            fields.truth(found["environment"], "environment") if "environment" in found else False,
        )
        if "tokens" in found:
            self._tokens(place.id, found["tokens"])
        return self._declare(found["id"], place)

    def _declare(self, node: Node, place: Place) -> Place | None:
        """Note ``place`` as declared; None when it has no id or one that is taken."""
        declared = self.fields.declared
        if not place.id or declared is None or not isinstance(node, ScalarNode):
            return None
        if place.id in declared:
            first = (position(declared[place.id]),)
            message = f"two places are called `{shorten(place.id)}`"
            self.fields.note("PETRI_DUPLICATE_ID", message, node, "ids are unique among places", related=first)
            return None
        declared[place.id] = node
        return place

    def _tokens(self, place: str, node: Node) -> None:
        if isinstance(node, ListNode):
            values = tuple(self.fields.data(v, "a token") for v in node.items)
            count = len(values)
            if values:
                self.values[place] = values
        else:
            count = self.fields.whole(node, f"tokens of `{shorten(place)}`", 0) or 0
        if count:
            self.initial[place] = count

    def _marking(self, node: Node) -> dict[str, int]:
        marking: dict[str, int] = {}
        if not isinstance(node, MapNode):
            self.fields.wrong_type("final", "a map", node, "such as {done: 1}")
            return marking
        for key, value in node.entries:
            place = self.fields.place(key, "the final marking")
            count = self.fields.whole(value, f"tokens of `{shorten(str(key.value))}`", 0)
            if place is not None and count:
                marking[place] = count
        return marking

    # transitions

    def _transitions(self, items: tuple[Node, ...]) -> tuple[Transition, ...]:
        made: list[Transition] = []
        ids: dict[str, Node] = {}
        for item in items:
            before = len(self.fields.problems)
            found = self.fields.keys(item, "a transition", TRANSITION_KEYS, ("id",))
            if found is None:
                continue
            t = self._transition(found)
            if t.id in ids:
                first = (position(ids[t.id]),)
                message = f"two transitions are called `{shorten(t.id)}`"
                hint = "ids are unique among transitions"
                self.fields.note("PETRI_DUPLICATE_ID", message, found["id"], hint, related=first)
            elif t.id:
                ids[t.id] = found["id"]
            if len(self.fields.problems) == before:
                self._check(t, item, found)
            made.append(t)
        return tuple(made)

    def _transition(self, found: dict[str, Node]) -> Transition:
        fields = self.fields
        places = {k: fields.places(found[k], k) for k in ("inhibitors", "reads", "resets") if k in found}
        return Transition(
            (fields.text(found["id"], "a transition's id") or "") if "id" in found else "",
            read_inputs(fields, found["inputs"]) if "inputs" in found else (),
            read_output(fields, found["output"]) if "output" in found else None,
            timing=read_timing(fields, found["timing"]) if "timing" in found else IMMEDIATE,
            priority=(fields.whole(found["priority"], "priority") or 0) if "priority" in found else 0,
            match=read_match(fields, found["match"]) if "match" in found else None,
            name=fields.optional_text(found, "name"),
            action=read_action(fields, found["action"]) if "action" in found else None,
            **places,
        )

    def _check(self, t: Transition, node: Node, found: Mapping[str, Node]) -> None:
        """What the model refuses, and what can never work, told at the key that causes it."""
        named = dict.fromkeys([i.place for i in t.inputs] + [*t.inhibitors, *t.reads, *t.resets])
        named |= dict.fromkeys(x.target if isinstance(x, ForwardOut) else x.place for x in leaves(t.output))
        try:
            check_net(Net("", tuple(Place(p) for p in named), (t,)))
        except BrokenRule as error:
            self.fields.note(error.code, error.message, found.get(error.part, node), error.hint)
            return
        inputs = {i.place for i in t.inputs}
        action, copied = next(iter((t.action or {"": None}).items()))
        if action == "passthrough" and t.output is not None:
            message = f"transition `{t.id}` declares an output, and its action `passthrough` produces nothing"
            self.fields.note("PETRI_BAD_NET", message, found["action"], "use `fork` to copy the input to every output")
        if action == "fork" and copied is not None and copied not in inputs:
            message = f"transition `{t.id}` is to copy the place `{copied}`, which is not an input of it"
            self.fields.note("PETRI_BAD_NET", message, found["action"], "name one of its inputs")
        correlated = {p for p, _ in (t.match or Match(())).keys}
        for p in t.inhibitors:
            if p in inputs and p not in correlated:
                message = f"transition `{t.id}` can never fire: `{p}` would have to hold a token and to be empty"
                hint = "remove the input or the inhibitor"
                self.fields.note("PETRI_NEVER_ENABLED", message, found["inhibitors"], hint, severity="warning")
