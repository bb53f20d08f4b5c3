"""Loading plans: a document to a checked :class:`Plan`, or all that is wrong with it.

The checker is written by hand; ``schemas/plan.schema.json`` is the published contract, and a property test holds that
both accept the same documents (up to the rules that a schema cannot say).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from petri_cli.document import (
    ListNode,
    MapNode,
    Node,
    ScalarNode,
    collector_paused,
    from_data,
    position,
    scan_document,
)
from petri_cli.document.fields import did_you_mean
from petri_cli.errors import InputError, Problem
from petri_cli.plan.build import build_nodes
from petri_cli.plan.load_choices import check_choices
from petri_cli.plan.load_expressions import check_expressions
from petri_cli.plan.load_fields import Names, PlanFields
from petri_cli.plan.load_flow import FlowReader
from petri_cli.plan.load_slips import FLOWS, is_nothing, two_steps_in_one
from petri_cli.plan.load_work import command, read_settings
from petri_cli.plan.model import Plan, Resource
from petri_cli.plan.words import DEFAULTS, EXTENSION, ID, PATTERNS, PLAN, RESOURCE, SECRET

Loaded = tuple[Plan, tuple[Problem, ...]]
"""A plan and the warnings about it."""

ENDINGS = (".yaml", ".yml", ".json", ".petri")
BUILT_IN_WORKERS = ("shell",)


def load_plan_text(data: bytes | str, file: str = "<string>") -> Loaded:
    """The plan in a document, told about as ``file``. Raises InputError with all that is wrong in it."""
    with collector_paused():
        root, problems = scan_document(data, file)
        return _parse(root, file, problems)


def plan_from_data(data: Mapping[str, Any], file: str = "") -> Loaded:
    """The plan in a dict, as JSON would hold it. Raises InputError with all that is wrong in it."""
    return parse_plan(from_data(data, file), file)


def parse_plan(node: Node, file: str) -> Loaded:
    """The plan in a document that was read already. Raises InputError with all that is wrong in it."""
    with collector_paused():
        return _parse(node, file, ())


def _parse(root: Node | None, file: str, problems: tuple[Problem, ...]) -> Loaded:
    problems = tuple(two_steps_in_one(p) for p in problems)
    if root is None:
        raise InputError(problems)
    reader = _PlanReader(file)
    reader.fields.problems += problems
    plan = reader.read(root)
    found = sorted(reader.fields.problems, key=lambda p: (p.where, p.code, p.message))
    if plan is None or any(p.severity == "error" for p in found):
        raise InputError(found)
    return plan, tuple(found)


class _PlanReader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.fields = PlanFields()

    def read(self, root: Node) -> Plan | None:
        if not isinstance(root, MapNode):
            hint = "put the steps below `flow:`" if isinstance(root, ListNode) else ""
            self.fields.wrong_type("a plan", "a map with the key `flow`", root, hint)
            return None
        if self._is_no_plan(root):
            return None
        found = self._keys(root)
        version, name, objective = self._header(found)
        defaults = self._defaults(found.get("defaults"))
        resources = self._resources(found.get("resources"))
        settings = self._settings(found)
        flow = FlowReader(self.fields, self.file)
        names = {key.value for key, _ in root.entries}
        if "flow" in found:
            if not (is_nothing(found["flow"]) and names.intersection(PATTERNS)):
                flow.read(found["flow"])
        elif not names.intersection(FLOWS):
            self.fields.missing_key("flow", "a plan", root)
        self._check_resources(resources)
        self._check_workers(settings.get("workers"))
        check_expressions(self.fields, flow.tasks())
        check_choices(self.fields, flow.drafts)
        if any(p.severity == "error" for p in self.fields.problems):
            return None
        nodes = build_nodes(flow.drafts, self.file)
        return Plan(name, nodes, resources or (), objective, version, defaults, settings, self.file)

    def _is_no_plan(self, root: MapNode) -> bool:
        """Whether the document says of itself that it is something else."""
        kind = root.find("kind")
        if kind is None or (isinstance(kind, ScalarNode) and kind.value == "plan"):
            return False
        if isinstance(kind, ScalarNode) and kind.value == "net":
            message = "this document describes a net (`kind: net`), and a plan is asked for"
            self.fields.note("PETRI_NOT_A_PLAN", message, kind, "give it to a command that takes nets")
            return True
        self.fields.choice(kind, "kind", ("plan", "net"))
        return False

    def _keys(self, root: MapNode) -> dict[str, Node]:
        found: dict[str, Node] = {}
        for key, value in root.entries:
            name = str(key.value)
            if name in PLAN or name.startswith(EXTENSION):
                found[name] = value
            elif name == "$schema":
                self.fields.text(value, name, blank=True)
            elif name in PATTERNS:
                flow = root.find("flow")
                further = flow is not None and is_nothing(flow)
                self.fields.unknown_key(key, "a plan", PLAN, f"{'indent it' if further else 'put it'} below `flow:`")
            elif name in FLOWS and root.find("flow") is None:
                below = ", with the list below `seq:`" if isinstance(value, ListNode) else ""
                self.fields.unknown_key(key, "a plan", PLAN, f"write `flow:`{below}")
            else:
                hint = did_you_mean(name, PLAN) or f"keys of your own begin with `{EXTENSION}`"
                self.fields.unknown_key(key, "a plan", PLAN, hint)
        return found

    def _header(self, found: dict[str, Node]) -> tuple[int, str, str]:
        version, name, objective = 1, "", ""
        if "version" in found:
            version = self.fields.whole(found["version"], "version") or 1
            if version != 1:
                message = f"version {version} of the plan language is not known"
                self.fields.note("PETRI_BAD_VALUE", message, found["version"], "write version: 1, or leave it out")
        if "name" in found:
            name = self.fields.text(found["name"], "name") or ""
        if "objective" in found:
            objective = self.fields.text(found["objective"], "objective", blank=True) or ""
        return version, name or _stem(self.file), objective

    def _defaults(self, node: Node | None) -> dict[str, Any]:
        if node is None or self.fields.map(node, "defaults", DEFAULTS) is None or not isinstance(node, MapNode):
            return {}
        return read_settings(self.fields, [entry for entry in node.entries if entry[0].value in DEFAULTS])

    def _resources(self, node: Node | None) -> tuple[Resource, ...] | None:
        if node is None:
            return ()
        if not isinstance(node, ListNode):
            hint = "write a list: - {id: lock, capacity: 1}" if isinstance(node, MapNode) else ""
            self.fields.wrong_type("resources", "a list", node, hint)
            return None
        names = Names("resources")
        read = [self._resource(item, names) for item in node.items]
        known = tuple(r for r in read if r is not None)
        return known if len(known) == len(read) else None

    def _resource(self, node: Node, names: Names) -> Resource | None:
        found = self.fields.map(node, "a resource", RESOURCE)
        if found is None:
            return None
        for key in ("id", "capacity"):
            if key not in found:
                self.fields.missing_key(key, "a resource", node)
        name = self.fields.id(found["id"]) if "id" in found else None
        capacity = self.fields.whole(found["capacity"], "capacity", 1) if "capacity" in found else None
        per = self.fields.duration(found["per"], "per") if "per" in found else None
        if name is None:
            return None
        at = found["id"]
        if isinstance(at, ScalarNode):
            names.add(self.fields, name, at, node)
        return Resource(name, capacity or 1, per, position(node), position(found.get("capacity", node)))

    def _settings(self, found: dict[str, Node]) -> dict[str, Any]:
        """``workers``, ``secrets`` and the author's own keys."""
        settings: dict[str, Any] = {}
        for name, node in found.items():
            if name == "workers":
                settings[name] = self._workers(node)
            elif name == "secrets":
                settings[name] = self._secrets(node)
            elif name.startswith(EXTENSION):
                settings[name] = self.fields.data(node, name)
        return settings

    def _workers(self, node: Node) -> dict[str, Any]:
        if not isinstance(node, MapNode):
            self.fields.wrong_type("workers", "a map of worker names", node, "write name: {command: …}")
            return {}
        workers: dict[str, Any] = {}
        for key, value in node.entries:
            if not ID.fullmatch(str(key.value)):
                self.fields.id(key, "the worker name")
            found = self.fields.map(value, f"the worker `{key.value}`", ("command", "description"))
            if found is None:
                continue
            worker: dict[str, Any] = {}
            if "command" in found:
                worker["command"] = command(self.fields, found["command"], "command")
            else:
                self.fields.missing_key("command", f"the worker `{key.value}`", key)
            if "description" in found:
                worker["description"] = self.fields.text(found["description"], "description", blank=True)
            workers[str(key.value)] = worker
        return workers

    def _secrets(self, node: Node) -> list[str | None]:
        if not isinstance(node, ListNode):
            self.fields.wrong_type("secrets", "a list of names of environment variables", node)
            return []
        wanted = "the name of an environment variable"
        return [self.fields.matching(item, "a secret", SECRET, wanted) for item in node.items]

    def _check_resources(self, resources: tuple[Resource, ...] | None) -> None:
        """Every name in the flow is declared; every declared resource is used. None: the declaration is unreadable."""
        if resources is None:
            return
        declared = tuple(sorted({r.id for r in resources}))
        known = frozenset(declared)
        unknown = [use for use in self.fields.resource_uses if use.value not in known]
        for use in unknown:
            hint = did_you_mean(str(use.value), declared) or f"declared: {', '.join(declared[:8])}"
            if not declared:
                hint = f"no resources are declared: add `resources: [{{id: {use.value}, capacity: 1}}]`"
            self.fields.note("PETRI_UNKNOWN_RESOURCE", f"unknown resource `{use.value}`", use, hint)
        if any(p.severity == "error" for p in self.fields.problems):
            return  # what looks unused may be used where the plan is wrong
        used = {use.value for use in self.fields.resource_uses}
        for r in resources:
            if r.id not in used:
                message = f"no guard uses the resource `{r.id}`"
                hint = "guard the steps that need it, or remove it"
                self.fields.problems.append(Problem("PETRI_UNUSED_RESOURCE", message, r.where, hint, "warning"))

    def _check_workers(self, workers: dict[str, Any] | None) -> None:
        """Where the plan declares its workers, a name that is not among them is probably misspelt."""
        if not workers:
            return
        known = (*workers, *BUILT_IN_WORKERS)
        for use in self.fields.worker_uses:
            if use.value not in known:
                hint = did_you_mean(str(use.value), known) or "declare it below `workers:`"
                message = f"the plan declares no worker `{use.value}`"
                self.fields.note("PETRI_UNKNOWN_WORKER", message, use, hint, severity="warning")


def _stem(file: str) -> str:
    """The name of a plan that has none: ``migrate`` for ``plans/migrate.petri.yaml``."""
    name = Path(file).name
    for ending in ENDINGS:
        name = name.removesuffix(ending)
    return name if name and not name.startswith("<") else "plan"
