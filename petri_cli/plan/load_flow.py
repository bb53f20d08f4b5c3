"""Reading the flow: what stands below each kind of block, whatever there is around it."""

from __future__ import annotations

from petri_cli.document import ListNode, MapNode, Node, ScalarNode, position
from petri_cli.errors import Position
from petri_cli.plan.load_fields import PlanFields
from petri_cli.plan.load_slips import BRANCH_WORDS
from petri_cli.plan.load_walk import Draft, FlowWalk
from petri_cli.plan.load_work import read_settings
from petri_cli.plan.model import Branch
from petri_cli.plan.words import BRANCH, PATTERNS


class FlowReader(FlowWalk):
    """Reads one flow: what each kind of block says."""

    def __init__(self, fields: PlanFields, file: str) -> None:
        super().__init__(fields, file)
        self.readers = {
            "task": self._task,
            "seq": self._seq,
            "parallel": self._parallel,
            "choice": self._choice,
            "loop": self._loop,
            "foreach": self._foreach,
            "guard": self._guard,
        }

    def _task(self, draft: Draft, value: Node) -> None:
        found = self._entries(draft, value)
        if found is None or not isinstance(value, MapNode):
            return
        self._require(draft, found, "id")
        if "name" in found:
            draft.values["name"] = self.fields.text(found["name"], "name", blank=True)
        draft.values["settings"] = read_settings(self.fields, value.entries)

    def _seq(self, draft: Draft, value: Node) -> None:
        for item in reversed(self._list(draft, value, "seq")):
            self._below(item, draft.index)

    def _branches(self, draft: Draft, value: Node) -> tuple[Node, ...]:
        """The branches of a parallel or a choice, written as a list or below ``branches``."""
        kind = draft.kind
        draft.values["listed"] = not isinstance(value, MapNode)
        items: tuple[Node, ...] = ()
        if not isinstance(value, MapNode):
            items = self._list(draft, value, kind)
        else:
            found = self._entries(draft, value) or {}
            self._require(draft, found, "branches")
            if "branches" in found:
                items = self._list(draft, found["branches"], kind)
        if len(items) == 1:
            hint = "write its step alone, or add a branch"
            message = f"this {kind} has only one branch"
            self.fields.note("PETRI_ONE_BRANCH", message, draft.key, hint, severity="warning")
        return items

    def _parallel(self, draft: Draft, value: Node) -> None:
        for item in reversed(self._branches(draft, value)):
            self._below(item, draft.index)

    def _choice(self, draft: Draft, value: Node) -> None:
        branches: list[Branch] = []
        bodies: list[Node] = []
        for item in self._branches(draft, value):
            if isinstance(item, MapNode) and any(k.value in BRANCH or k.value in BRANCH_WORDS for k, _ in item.entries):
                branch, body = self._branch(item)
            else:
                branch, body = Branch(), item
            branches.append(branch)
            if body is not None:
                bodies.append(body)
        draft.values["branches"] = tuple(branches)
        for body in reversed(bodies):
            self._below(body, draft.index)

    def _branch(self, item: MapNode) -> tuple[Branch, Node | None]:
        """``{when?, name?, body}``."""
        found: dict[str, Node] = {}
        missing = True
        empty = item.find("body")
        for key, value in item.entries:
            if key.value in BRANCH:
                found[str(key.value)] = value
            elif key.value in PATTERNS:
                missing = False
                self._stray_step(key, "a branch", BRANCH, empty)
            else:
                meant = BRANCH_WORDS.get(str(key.value), "")
                missing = missing and meant != "body"
                self.fields.unknown_key(key, "a branch", BRANCH, f"did you mean `{meant}`?" if meant else "")
        when = self.fields.expression(found["when"], "when") if "when" in found else None
        name = self.fields.text(found["name"], "name", blank=True) if "name" in found else None
        if "body" not in found and missing:
            self.fields.missing_key("body", "a branch", item)
        return Branch(when, name or "", wrapped=True), found.get("body")

    def _loop(self, draft: Draft, value: Node) -> None:
        found = self._entries(draft, value)
        if found is None:
            return
        self._require(draft, found, "id")
        fields, values = self.fields, draft.values
        if "maxIterations" in found:
            values["max_iterations"] = fields.whole(found["maxIterations"], "maxIterations", 1)
        if "until" in found:
            values["until"] = fields.expression(found["until"], "until")
        if "delay" in found:
            values["delay"] = fields.duration(found["delay"], "delay", zero=True)
        if "onExhausted" in found:
            values["on_exhausted"] = fields.choice(found["onExhausted"], "onExhausted", ("fail", "exit"))
        if "maxIterations" not in found and "until" not in found:
            message = "nothing bounds this loop"
            hint = "add maxIterations, or until"
            fields.note("PETRI_UNBOUNDED_LOOP", message, draft.key, hint, severity="warning")
        self._body(draft, found)

    def _foreach(self, draft: Draft, value: Node) -> None:
        found = self._entries(draft, value)
        if found is None or not isinstance(value, MapNode):
            return
        self._require(draft, found, "id", "over")
        fields, values = self.fields, draft.values
        over = found.get("over")
        if isinstance(over, ListNode):
            values["over"] = fields.data(over, "over")
            values["items"] = len(over.items)
        elif over is not None:
            values["over"] = self._over(over)
        if "maxWidth" in found:
            values["max_width"] = most = fields.whole(found["maxWidth"], "maxWidth", 1)
            if isinstance(over, ListNode) and most is not None and len(over.items) > most:
                message = (
                    f"maxWidth is {most:,}, but the list has {len(over.items):,} items: this foreach can never run"
                )
                hint = "raise maxWidth, or leave it out: the list is as long as it is"
                fields.note("PETRI_OUT_OF_RANGE", message, found["maxWidth"], hint, related=(position(over),))
        settings = read_settings(fields, value.entries)
        if "name" in found:
            settings["name"] = fields.text(found["name"], "name", blank=True)
        values["settings"] = settings
        self._body(draft, found)

    def _over(self, node: Node) -> str | None:
        if isinstance(node, MapNode) or (isinstance(node, ScalarNode) and not isinstance(node.value, str)):
            hint = "write the items, an expression such as ${survey.files}, or say in words what they are"
            self.fields.wrong_type("over", "a list or text", node, hint)
            return None
        return self.fields.expression(node, "over")

    def _guard(self, draft: Draft, value: Node) -> None:
        found = self._entries(draft, value)
        if found is None:
            return
        self._require(draft, found, "resource")
        named = found.get("resource")
        resources = self._resources(named) if named else []
        units = self.fields.whole(found["units"], "units", 1) if "units" in found else 1
        at = found.get("units") or named or draft.key
        draft.values["units"] = tuple([(str(r.value), units or 1) for r in resources])
        draft.values["units_at"] = Position(self.file, at.line, at.column)
        self._body(draft, found)

    def _resources(self, node: Node) -> list[ScalarNode]:
        """The resources of a guard: one name, or a list of different ones."""
        if not isinstance(node, ListNode):
            if self.fields.id(node, "resource") is None or not isinstance(node, ScalarNode):
                return []
            self.fields.resource_uses.append(node)
            return [node]
        if not node.items:
            self.fields.note("PETRI_BAD_VALUE", "resource is an empty list", node, "name at least one resource")
        first: dict[str, ScalarNode] = {}
        for item in node.items:
            name = self.fields.id(item, "resource")
            if name is None or not isinstance(item, ScalarNode):
                continue
            self.fields.resource_uses.append(item)
            if (before := first.setdefault(name, item)) is not item:
                message = f"this guard names `{name}` twice"
                hint = "name it once, and say how many with `units`"
                self.fields.note("PETRI_DUPLICATE_RESOURCE", message, item, hint, related=(position(before),))
        return list(first.values())
