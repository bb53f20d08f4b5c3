"""Changes of a plan made in its text: comments, layout and everything that is not meant stay as they were written.

Each change becomes edits of the text as it was read, so that several are made at once. What an edit would touch must
stand where it takes effect: a name behind an anchor, an alias or a merge key stands for more than one thing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn, assert_never

from petri_cli.document.spans import LIST, MAP, SCALAR, Span, spans
from petri_cli.errors import PetriError, Position
from petri_cli.plan.edit_changes import (
    AddResource,
    Change,
    Reorder,
    SetCapacity,
    SetWidth,
    Together,
    Wrap,
)
from petri_cli.plan.edit_layout import Layout
from petri_cli.plan.edit_text import Sheet, TextEdit
from petri_cli.plan.model import Choice, Guard, Loop, Parallel, Plan, Seq, Task
from petri_cli.plan.model import Foreach as Each


def text_edits(sheet: Sheet, plan: Plan, changes: Sequence[Change]) -> list[TextEdit]:
    """The edits that make ``changes`` of ``plan``, which ``sheet`` holds. Raises PetriError PETRI_CANNOT_EDIT."""
    return _Blocks(sheet, plan).edits(changes)


class _Blocks:
    def __init__(self, sheet: Sheet, plan: Plan) -> None:
        self.sheet = sheet
        self.plan = plan
        self.root = spans(sheet.text, json=sheet.json)
        self.spans = _spans_of(plan, self.root)
        self.layout = Layout(sheet)

    def edits(self, changes: Sequence[Change]) -> list[TextEdit]:
        for change in changes:
            match change:
                case SetCapacity(resource, capacity):
                    self.put(self.resource(resource), "capacity", capacity)
                case AddResource(rid, capacity):
                    self.add_resource(rid, capacity)
                case SetWidth(foreach, width):
                    self.put(self.value(foreach), "maxWidth", width)
                case Reorder():
                    self.reorder(change)
                case Together():
                    self.together(change)
                case Wrap(node, resource):
                    self.layout.wrap(self.span(node), resource)
                case other:
                    assert_never(other)
        return self.layout.finished()

    # Where things stand

    def span(self, index: int) -> Span:
        """The map that is the node; refused where it is not written in its place, once."""
        span = self.spans[index]
        if span is None or span.kind != MAP or len(span.parts) != 2 or span.parts[1].kind not in (MAP, LIST):
            self.refuse(index, "it comes out of an alias or a merge")
        if span.marked:
            self.refuse(index, "it has an anchor or a tag, and may stand for more")
        return span

    def value(self, index: int) -> Span:
        """What stands below the key of the node."""
        value = self.span(index).parts[1]
        if value.marked:
            self.refuse(index, "it has an anchor or a tag, and may stand for more")
        return value

    def resource(self, rid: str) -> Span:
        listed = self.root.find("resources")
        items = listed.parts if listed is not None and listed.kind == LIST else []
        for item in items:
            name = item.find("id")
            if name is not None and name.value == rid:
                return item
        raise PetriError("PETRI_CANNOT_EDIT", f"the resource `{rid}` is not written in place", hint=HINT)

    def refuse(self, index: int, why: str) -> NoReturn:
        raise _refused(self.plan, index, why)

    # Edits

    def put(self, owner: Span, key: str, number: int) -> None:
        """``key: number`` in a map."""
        written = owner.find(key)
        if written is not None:
            self.layout.replace_scalar(written, str(number))
            return
        before = owner.key("body") or (owner.parts[0] if owner.parts and owner.kind == MAP else None)
        if before is None:
            raise PetriError("PETRI_CANNOT_EDIT", f"there is no place for {key}", hint=HINT)
        self.layout.insert_before(before, key, str(number))

    def add_resource(self, rid: str, capacity: int) -> None:
        listed = self.root.find("resources")
        if listed is None or listed.kind != LIST or listed.marked or not listed.parts:
            raise PetriError("PETRI_CANNOT_EDIT", "the list of resources is not written in place", hint=HINT)
        self.layout.append_item(listed, {"id": rid, "capacity": str(capacity)})

    def reorder(self, change: Reorder) -> None:
        moved = [k for k, source in enumerate(change.order) if k != source]
        values = [self.value(g) for g in change.guards]
        names = [self.held(g, v) for g, v in zip(change.guards, values, strict=True)]
        tails = self.layout.with_comments([names[k] for k in moved])
        for k in moved:
            source = change.order[k]
            self.layout.replace_value(values[k], names[k], names[source], tails)
            units, wanted = values[k].find("units"), values[source].find("units")
            if units is None and wanted is None:
                continue
            number = 1 if wanted is None else self.plain_number(change.guards[source], wanted)
            if units is not None or number != 1:
                self.put(values[k], "units", number)

    def together(self, change: Together) -> None:
        value = self.value(change.guard)
        self.layout.extend_names(value, self.held(change.guard, value), change.resources)
        for inner in change.inside:
            span, held = self.span(inner), self.value(inner)
            body = held.find("body")
            if body is None or held.parts[-1] is not body or body.kind != MAP or body.marked:
                self.refuse(inner, "its body is not the last of its keys")
            if not self.layout.unwrap(span, body):
                self.refuse(inner, "a comment stands beside its keys")

    def held(self, index: int, value: Span) -> Span:
        """The resources that the guard names: a name, or a list of such."""
        found = value.find("resource")
        names = [] if found is None else found.parts if found.kind == LIST else [found]
        if found is None or found.marked or not names or any(n.kind != SCALAR or n.marked for n in names):
            self.refuse(index, "its resource comes out of an alias or a merge")
        return found

    def plain_number(self, index: int, units: Span) -> int:
        if units.kind != SCALAR or units.marked or not units.value.isdecimal():
            self.refuse(index, "its units come out of an alias")
        return int(units.value)


HINT = "change the file by hand"


def _refused(plan: Plan, index: int, why: str) -> PetriError:
    node = plan.nodes[index]
    where = Position(plan.file, node.where.line, node.where.column, node.where.path)
    name = f"the {type(node).__name__.lower()} `{node.id}`" if node.id else f"this {type(node).__name__.lower()}"
    return PetriError("PETRI_CANNOT_EDIT", f"{name} cannot be edited: {why}", where=where, hint=HINT)


def _spans_of(plan: Plan, root: Span) -> list[Span | None]:
    """For each node of ``plan`` the map in the document; None where an alias or a merge key is in between."""
    found: list[Span | None] = [None] * len(plan.nodes)
    stack: list[tuple[Span | None, int]] = [(root.find("flow"), 0)]
    while stack:
        span, index = stack.pop()
        if span is None or span.kind != MAP or len(span.parts) != 2:
            continue
        found[index] = span
        node = plan.nodes[index]
        stack += zip(_bodies(plan, index, span.parts[1]), node.children, strict=False)
    return found


def _bodies(plan: Plan, index: int, value: Span) -> list[Span | None]:
    """The documents of the children of a node."""
    node = plan.nodes[index]
    match node:
        case Task():
            return []
        case Guard() | Loop() | Each():
            return [value.find("body")]
        case Seq() | Parallel() | Choice():
            listed = value.find("branches") if value.kind == MAP else value
            items = listed.parts if listed is not None and listed.kind == LIST else []
            if len(items) != len(node.children):
                return [None] * len(node.children)
            if not isinstance(node, Choice):
                return list(items)
            pairs = zip(items, node.branches, strict=True)
            return [item.find("body") if branch.wrapped else item for item, branch in pairs]
        case other:
            assert_never(other)
