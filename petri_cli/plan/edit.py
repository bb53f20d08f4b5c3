"""Numbers of a plan changed in its text: everything else, comments and layout too, stays as it was written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from petri_cli.document import ListNode, MapNode, Node, ScalarNode, read_document
from petri_cli.errors import InputError, PetriError
from petri_cli.plan.duration import parse_duration
from petri_cli.plan.expression import same
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.model import Plan

DATA = frozenset(("with", "verify"))
_NUMBER = re.compile(r"[^\s,}\]#]+")


@dataclass(frozen=True, slots=True)
class Change:
    """``key: value`` of the task (or resource) called ``id``. kind: ``task`` or ``resource``."""

    kind: str
    id: str
    key: str
    value: int | str


def edit_plan(text: str, file: str, changes: Sequence[Change]) -> str:
    """``text`` with the changes made. A value that is written is replaced; one that is not is put before the first key.

    Raises PetriError ``PETRI_CANNOT_EDIT`` for something that is not there, or is written in a way (an anchor, a merge)
    that a change of one number would change more than it. Both texts are read as plans, and compared.
    """
    found = _named(read_document(text.encode(), file))
    json = file.lower().endswith(".json") or text.lstrip()[:1] == "{"
    lines = _line_starts(text, json=json)
    edits: list[tuple[int, int, str]] = []
    for change in changes:
        node = found.get((change.kind, change.id))
        if node is None:
            raise PetriError("PETRI_CANNOT_EDIT", f"there is no {change.kind} `{change.id}` in the plan")
        edits.append(_edit(text, lines, node, change, json=json))
    new = text
    for start, end, value in sorted(edits, reverse=True):
        new = new[:start] + value + new[end:]
    _check(text, new, file, changes)
    return new


def _check(text: str, new: str, file: str, changes: Sequence[Change]) -> None:
    """Refuse a text in which anything but these numbers is another one."""
    wanted = _numbers(load_plan_text(text, file)[0])
    for change in changes:
        value = change.value if isinstance(change.value, int) else parse_duration(change.value)
        wanted[change.kind][change.id] = {**wanted[change.kind][change.id], change.key: value}
    try:
        got = _numbers(load_plan_text(new, file)[0])
    except InputError:
        got = {}
    if not same(wanted, got):
        what = ", ".join(f"{change.key} of `{change.id}`" for change in changes)
        raise PetriError("PETRI_CANNOT_EDIT", f"{what} cannot be changed alone: it is written in a place that has more")


def _numbers(plan: Plan) -> dict[str, dict[str, Any]]:
    """All that a change could touch."""
    resources = {r.id: {"capacity": r.capacity, "per": r.per} for r in plan.resources}
    tasks = {t.id: dict(t.settings) for t in plan.tasks()}
    return {"task": tasks, "resource": resources, "plan": {**plan.settings, "defaults": plan.defaults}}


def _edit(text: str, lines: Sequence[int], node: MapNode, change: Change, *, json: bool) -> tuple[int, int, str]:
    written = next((v for k, v in node.entries if k.value == change.key), None)
    value = f'"{change.value}"' if json and isinstance(change.value, str) else str(change.value)
    if written is not None:
        at = _offset(lines, written)
        match = _NUMBER.match(text, at)
        if match is None or not isinstance(written, ScalarNode) or match[0].strip("\"'") != written.text:
            raise PetriError("PETRI_CANNOT_EDIT", f"{change.key} of `{change.id}` is not written in place")
        return at, match.end(), value
    first = node.entries[0][0]
    at = _offset(lines, first)
    key = f'"{change.key}"' if json else change.key
    before = text[lines[first.line - 1] : at]
    block = not json and not before.strip(" -")
    between = "\n" + " " * len(before) if block else ", "
    return at, at, f"{key}: {value}{between}"


def _named(root: Node) -> Mapping[tuple[str, str], MapNode]:
    """The maps of tasks and resources, by kind and id. What a task hands on or is judged by is data, and no plan."""
    found: dict[tuple[str, str], MapNode] = {}
    stack: list[Node] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, ListNode):
            stack.extend(node.items)
            continue
        if not isinstance(node, MapNode):
            continue
        for key, value in node.entries:
            if key.value not in DATA:
                stack.append(value)
            if key.value == "task" and isinstance(value, MapNode):
                _keep(found, "task", value)
            if key.value == "resources" and node is root and isinstance(value, ListNode):
                for item in value.items:
                    if isinstance(item, MapNode):
                        _keep(found, "resource", item)
    return found


def _keep(found: dict[tuple[str, str], MapNode], kind: str, node: MapNode) -> None:
    name = next((v for k, v in node.entries if k.value == "id"), None)
    if isinstance(name, ScalarNode):
        found.setdefault((kind, str(name.value)), node)


def _line_starts(text: str, *, json: bool) -> list[int]:
    return [0, *(m.end() for m in re.finditer(r"\n" if json else r"\r\n|[\r\n\x85\u2028\u2029]", text))]


def _offset(lines: Sequence[int], node: Node) -> int:
    return lines[node.line - 1] + node.column - 1
