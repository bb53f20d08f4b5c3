"""A plan as plain data, in the form of the plan language: what JSON or YAML of it would hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, assert_never

from petri_cli.plan.duration import format_duration
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, PlanNode, Resource, Seq, Task

DURATIONS = ("timeout", "lease", "delay", "max", "delayed", "exact")


def plan_data(plan: Plan) -> dict[str, Any]:
    """The whole plan. Loading it gives the same plan again, positions aside.

    Raises ValueError for a guard that holds different numbers of units: no document can say that.
    """
    return {**header(plan), "flow": flow_data(plan)}


def header(plan: Plan) -> dict[str, Any]:
    """Everything but the flow."""
    data: dict[str, Any] = {"name": plan.name}
    if plan.objective:
        data["objective"] = plan.objective
    if plan.defaults:
        data["defaults"] = written(plan.defaults)
    if plan.resources:
        data["resources"] = [_resource(r) for r in plan.resources]
    data |= plan.settings
    return data


def flow_data(plan: Plan) -> dict[str, Any]:
    """The flow, put together from its leaves up."""
    hidden = generated_ids(plan)
    below: list[dict[str, Any]] = [{}] * len(plan.nodes)
    for node in reversed(plan.nodes):
        children = [below[c] for c in node.children]
        below[node.index] = {pattern(node): _value(node, own_entries(node, hidden), children)}
    return below[0]


def _value(node: PlanNode, own: dict[str, Any], children: Sequence[dict[str, Any]]) -> Any:
    match node:
        case Task():
            return own
        case Loop() | Foreach() | Guard():
            return {**own, "body": children[0]}
        case Seq():
            return children
        case Parallel(listed=listed):
            return children if listed else {**own, "branches": children}
        case Choice(listed=listed):
            items = [
                {**branch_entries(node, k), "body": child} if is_wrapped(node, k) else child
                for k, child in enumerate(children)
            ]
            return items if listed else {**own, "branches": items}
        case other:
            assert_never(other)


def own_entries(node: PlanNode, hidden: frozenset[int]) -> dict[str, Any]:
    """What is written below the node's key, children left out; ``hidden``: nodes whose id need not be written."""
    own: dict[str, Any] = {"id": node.id} if node.id and node.index not in hidden else {}
    match node:
        case Task(name=name, settings=settings):
            if name:
                own["name"] = name
            own |= written(settings)
        case Loop():
            if node.max_iterations is not None:
                own["maxIterations"] = node.max_iterations
            if node.until is not None:
                own["until"] = node.until
            if node.delay is not None:
                own["delay"] = duration(node.delay)
            if node.on_exhausted != "fail":
                own["onExhausted"] = node.on_exhausted
        case Foreach():
            own["over"] = node.over
            if node.max_width is not None:
                own["maxWidth"] = node.max_width
            own |= written(node.settings)
        case Guard():
            own |= _held(node)
        case Seq() | Parallel() | Choice():
            pass
        case other:
            assert_never(other)
    return own


def _held(guard: Guard) -> dict[str, Any]:
    names = [name for name, _ in guard.units]
    amounts = {k for _, k in guard.units}
    if len(amounts) != 1:
        raise ValueError(f"guard {guard.id} holds different numbers of units: {guard.units}")
    held: dict[str, Any] = {"resource": names[0] if len(names) == 1 else names}
    units = amounts.pop()
    return held if units == 1 else {**held, "units": units}


def is_wrapped(choice: Choice, k: int) -> bool:
    """Whether branch ``k`` is written as ``{when?, name?, body}``."""
    branch = choice.branches[k]
    return branch.wrapped or branch.when is not None or bool(branch.name)


def branch_entries(choice: Choice, k: int) -> dict[str, Any]:
    """What is written of branch ``k`` before its body."""
    branch = choice.branches[k]
    entries: dict[str, Any] = {}
    if branch.when is not None:
        entries["when"] = branch.when
    if branch.name:
        entries["name"] = branch.name
    return entries


def pattern(node: PlanNode) -> str:
    """The key of a node in a document."""
    return type(node).__name__.lower()


def generated_ids(plan: Plan) -> frozenset[int]:
    """Nodes that get the id they have when none is written."""
    hidden: set[int] = set()
    ordinals = {"guard": 0, "parallel": 0, "choice": 0}
    for node in plan.nodes:
        kind = pattern(node)
        if kind in ordinals:
            ordinals[kind] += 1
            if node.id == f"{'g' if kind == 'guard' else ''}{ordinals[kind]}":
                hidden.add(node.index)
    return frozenset(hidden)


def written(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as a document holds them: durations with units."""
    data: dict[str, Any] = {}
    for name, value in settings.items():
        if name in ("retry", "timing") and isinstance(value, Mapping):
            data[name] = written(value)
        elif name in DURATIONS and isinstance(value, float):
            data[name] = duration(value)
        else:
            data[name] = value
    return data


def duration(seconds: float) -> str | float:
    """``30m``, or the number of seconds where no unit is fine enough; 0 stays a number."""
    if seconds == 0:
        return 0
    text = format_duration(seconds)
    return text if text[-1].isalpha() else seconds


def _resource(resource: Resource) -> dict[str, Any]:
    data: dict[str, Any] = {"id": resource.id, "capacity": resource.capacity}
    if resource.per is not None:
        data["per"] = duration(resource.per)
    return data
