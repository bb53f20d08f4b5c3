"""Walking through the flow: over the steps of the document, parents before children, into drafts of the plan's nodes.

A node that is wrong keeps its place in the walk, so that whatever is wrong below it is found in the same go.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from petri_cli.document import ListNode, MapNode, Node, ScalarNode, position
from petri_cli.document.fields import did_you_mean
from petri_cli.plan.load_fields import Names, PlanFields
from petri_cli.plan.load_slips import empty_body, is_nothing, map_hint, step_hint
from petri_cli.plan.words import KEYS, PATTERNS, PLURAL

LOST = -2
"""The parent of nodes below something that is no node."""

A_STEP = f"one of {', '.join(PATTERNS)}"


@dataclass(slots=True)
class Draft:
    """A node whose children are not all known yet. ``values`` are the arguments of its kind's constructor."""

    index: int
    parent: int
    key: ScalarNode
    kind: str
    id: str | None = None
    children: list[int] = field(default_factory=list)
    values: dict[str, Any] = field(default_factory=dict)


class FlowWalk:
    """Walks through one flow. After :meth:`read`, ``drafts`` is in pre-order."""

    def __init__(self, fields: PlanFields, file: str) -> None:
        self.fields = fields
        self.file = file
        self.drafts: list[Draft] = []
        self.names = {kind: Names(PLURAL[kind]) for kind in PATTERNS}
        self.seen: dict[int, bool] = {}
        """Blocks of the document that were met; True once it was told that an alias leads to one again."""
        self.todo: list[tuple[Node, int]] = []
        """Document nodes still to be read and the index of their parent, the next one last."""
        self.told: set[int] = set()
        """Empty values of ``body:`` whose step stands too far left, which was told there."""
        self.readers: Mapping[str, Callable[[Draft, Node], None]] = {}
        """Of what stands below each pattern key; whoever knows the blocks fills it in."""

    def read(self, root: Node) -> None:
        self.todo.append((root, -1))
        while self.todo:
            node, parent = self.todo.pop()
            self._node(node, parent)

    def tasks(self) -> Collection[str] | None:
        """The ids of all tasks; None where one could not be read."""
        if any(draft.kind == "task" and draft.id is None for draft in self.drafts):
            return None
        return self.names["task"].first.keys()

    def _node(self, node: Node, parent: int) -> None:
        if self.told and id(node) in self.told:
            return
        if not isinstance(node, MapNode):
            self.fields.wrong_type("a step", f"a map with {A_STEP}", node, step_hint(node))
            return
        entries = node.entries
        if len(entries) == 1 and entries[0][0].value in PATTERNS:
            if not self._met_before(node):
                self._pattern(*entries[0], parent)
            return
        self._odd_node(node, parent)

    def _met_before(self, node: MapNode) -> bool:
        block = id(node.entries)
        if block not in self.seen:
            self.seen[block] = False
            return False
        if not self.seen[block]:
            self.seen[block] = True
            message = "this block stands in the flow twice, through an alias"
            self.fields.note("PETRI_DUPLICATE_ID", message, node, "ids are unique: write it out with ids of its own")
        return True

    def _odd_node(self, node: MapNode, parent: int) -> None:
        """A map that does not have exactly one pattern key and nothing else."""
        patterns = [entry for entry in node.entries if entry[0].value in PATTERNS]
        others = [key for key, _ in node.entries if key.value not in PATTERNS]
        inside = {name for key, _ in patterns for name in KEYS[str(key.value)]}
        near = False
        for key in others:
            if key.value in inside:
                hint = f"it belongs inside `{patterns[0][0].value}:`; indent it further"
            else:
                hint = did_you_mean(str(key.value), tuple(PATTERNS))
                near = near or bool(hint)
            self.fields.unknown_key(key, "a step", tuple(PATTERNS), hint)
        if len(patterns) > 1:
            found = " and ".join(f"`{key.value}`" for key, _ in patterns)
            related = tuple(position(key) for key, _ in patterns[1:])
            hint = "put each into a step of its own, for example below `seq:`"
            (_, inside_first), (second, _), *_ = patterns
            if (body := empty_body(inside_first)) is not None and second.line > body.line > 0:
                hint = f"indent `{second.value}:` further, below the `body:` on line {body.line}"
                self.told.add(id(body))
            self.fields.note("PETRI_BAD_NODE", f"a step is {A_STEP}; this one is {found}", node, hint, related=related)
        elif not patterns and not near:
            self.fields.note("PETRI_BAD_NODE", f"a step is {A_STEP}; this one is none of them", node)
        if node.entries and not self._met_before(node):
            for key, value in patterns:
                self._pattern(key, value, parent if len(patterns) == 1 else LOST)

    def _pattern(self, key: ScalarNode, value: Node, parent: int) -> None:
        kind = str(key.value)
        draft = Draft(len(self.drafts), parent, key, kind)
        self.drafts.append(draft)
        if parent >= 0:
            self.drafts[parent].children.append(draft.index)
        self.readers[kind](draft, value)

    def _below(self, node: Node, parent: int) -> None:
        self.todo.append((node, parent))

    def _entries(self, draft: Draft, value: Node) -> dict[str, Node] | None:
        """The keys below a pattern key, its id taken."""
        kind = draft.kind
        if not isinstance(value, MapNode):
            self.fields.wrong_type(kind, "a map", value, map_hint(kind, value))
            return None
        found: dict[str, Node] = {}
        known = KEYS[kind]
        for key, child in value.entries:
            name = str(key.value)
            if name in known:
                found[name] = child
            elif name in PATTERNS and "body" in known:
                self._stray_step(key, kind, known, value.find("body"))
            else:
                self.fields.unknown_key(key, kind, known)
        if "id" in found:
            self._named(draft, found["id"])
        return found

    def _stray_step(self, key: ScalarNode, what: str, known: tuple[str, ...], body: Node | None) -> None:
        """A pattern key beside ``body:`` instead of below it."""
        hint = "put it below `body:`"
        if body is not None and is_nothing(body):
            hint = f"indent it further, below the `body:` on line {body.line}" if body.line else hint
            self.told.add(id(body))
        self.fields.unknown_key(key, what, known, hint)

    def _named(self, draft: Draft, node: Node) -> None:
        draft.id = self.fields.id(node)
        if draft.id is not None and isinstance(node, ScalarNode):
            self.names[draft.kind].add(self.fields, draft.id, node, draft.key)

    def _require(self, draft: Draft, found: dict[str, Node], *names: str) -> None:
        for name in names:
            if name not in found:
                self.fields.missing_key(name, draft.kind, draft.key)

    def _body(self, draft: Draft, found: dict[str, Node]) -> None:
        if "body" in found:
            self._below(found["body"], draft.index)
        else:
            self._require(draft, found, "body")

    def _list(self, draft: Draft, value: Node, what: str) -> tuple[Node, ...]:
        if not isinstance(value, ListNode):
            hint = "begin each step with `- `" if isinstance(value, MapNode) and value.entries else ""
            if is_nothing(value):
                hint = f"list its {'steps' if what == 'seq' else 'branches'} below it, each beginning with `- `"
            self.fields.wrong_type(what, "a list", value, hint)
            return ()
        if not value.items:
            message = f"{what} has no steps" if what == "seq" else f"{what} has no branches"
            self.fields.note("PETRI_EMPTY_BLOCK", message, value, "add one, or remove the block")
        return value.items
