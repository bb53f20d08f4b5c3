"""Plans as YAML: blocks for the structure, one line for each piece of work that fits on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, assert_never

from petri_cli.document.write import (
    LONGEST_KEY,
    flow_text,
    indented_json,
    json_text,
    literal_lines,
    longest_key,
    scalar_text,
)
from petri_cli.plan.data import branch_entries, generated_ids, header, is_wrapped, own_entries, pattern, plan_data
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, PlanNode, Seq, Task

WIDTH = 100
"""Maps and lists of data longer than this are written in block style."""

MAX_DEPTH = 150
"""Deeper plans are written as JSON: libyaml follows 1,000 levels, of which a node takes up to four."""


def print_plan(plan: Plan) -> str:
    """The plan as a YAML document; loading it gives the same plan again, positions aside.

    Very deep plans, and such with very long keys, come as JSON, which is YAML too. Raises ValueError for a guard that
    holds different numbers of units of its resources: no document can say that.
    """
    if _depth(plan) > MAX_DEPTH or longest_key(_free_data(plan)) > LONGEST_KEY:
        return json_text(plan_data(plan)) + "\n"
    return "\n".join([*_header(plan), "flow:", *_flow(plan)]) + "\n"


def print_plan_json(plan: Plan) -> str:
    """The plan as a JSON document, indented unless it is very deep. Raises as :func:`print_plan`."""
    data = plan_data(plan)
    if _depth(plan) > MAX_DEPTH:
        return json_text(data) + "\n"
    return indented_json(data) + "\n"


def _header(plan: Plan) -> Iterator[str]:
    for key, value in header(plan).items():
        if key == "resources":
            yield f"{key}:"
            yield from (f"  - {flow_text(resource)}" for resource in value)
        else:
            yield from _entry(f"{scalar_text(key)}:", value, "  ")


def _depth(plan: Plan) -> int:
    depths = [1] * len(plan.nodes)
    for node in plan.nodes[1:]:
        depths[node.index] = depths[node.parent] + 1
    return max(depths)


def _free_data(plan: Plan) -> list[Any]:
    """The parts of a plan whose keys are the author's."""
    tasks = [n.settings for n in plan.nodes if isinstance(n, Task)]
    foreachs = [[n.over, n.settings] for n in plan.nodes if isinstance(n, Foreach)]
    return [*tasks, *foreachs, plan.settings]


def _flow(plan: Plan) -> Iterator[str]:
    """The lines below ``flow:``. Nodes are in document order, so each only has to know how its first line begins."""
    hidden = generated_ids(plan)
    leads = ["  "] * len(plan.nodes)
    wrapped: dict[int, dict[str, Any]] = {}
    for node in plan.nodes:
        lead = leads[node.index]
        if node.index in wrapped:
            yield from _branch(wrapped[node.index], lead)
            lead = " " * (len(lead) + 2)
        indent = " " * (len(lead) + 2)
        key = f"{lead}{pattern(node)}:"
        own = own_entries(node, hidden)
        match node:
            case Task():
                yield from _entry(key, own, indent)
            case Seq():
                yield key
                _give(leads, node, f"{indent}- ")
            case Parallel(listed=listed) | Choice(listed=listed):
                yield key
                if not listed:
                    yield from _block(own, indent)
                    yield f"{indent}branches:"
                _give(leads, node, f"{indent}- " if listed else f"{indent}  - ")
                if isinstance(node, Choice):
                    wrapped |= {c: branch_entries(node, k) for k, c in enumerate(node.children) if is_wrapped(node, k)}
            case Loop() | Foreach() | Guard():
                yield key
                yield from _block(own, indent)
                yield f"{indent}body:"
                _give(leads, node, f"{indent}  ")
            case other:
                assert_never(other)


def _branch(entries: Mapping[str, Any], lead: str) -> Iterator[str]:
    """The lines of a branch up to its body; the first one begins with the dash in ``lead``."""
    pad = " " * len(lead)
    lines = [*_block(entries, pad), f"{pad}body:"]
    yield lead + lines[0][len(lead) :]
    yield from lines[1:]


def _give(leads: list[str], node: PlanNode, lead: str) -> None:
    for child in node.children:
        leads[child] = lead


def _entry(key: str, value: Any, indent: str, levels: int = 3) -> Iterator[str]:
    """``key`` (with its colon) and its value, on one line if it fits; ``indent`` is for what comes below.

    ``levels``: how many levels of data may still be laid out as blocks; what is deeper stays on one line.
    """
    if isinstance(value, str):
        yield from _text(key, value, indent)
        return
    line = flow_text(value)
    fits = len(key.lstrip()) + len(line) < WIDTH and "\\n" not in line
    if fits or not value or levels == 0 or not isinstance(value, Mapping | list | tuple):
        yield f"{key} {line}"
    elif isinstance(value, Mapping):
        yield key
        yield from _block(value, indent, levels - 1)
    else:
        yield key
        for item in value:
            yield f"{indent}- {flow_text(item)}"


def _text(key: str, value: str, indent: str) -> Iterator[str]:
    lines = literal_lines(value)
    if lines is None:
        yield f"{key} {scalar_text(value)}"
        return
    yield f"{key} {lines[0]}"
    for line in lines[1:]:
        yield f"{indent}{line}" if line else ""


def _block(entries: Mapping[str, Any], indent: str, levels: int = 3) -> Iterator[str]:
    """A map in block style."""
    for key, value in entries.items():
        yield from _entry(f"{indent}{scalar_text(key)}:", value, f"{indent}  ", levels)
