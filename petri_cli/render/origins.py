"""Where in a plan the transitions of its net come from, by their names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import assert_never

from petri_cli.errors import NOWHERE, Position
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, PlanNode, Seq, Task

_ITEMS = re.compile(r"(?:\[\d+\])+\Z")
"""Which items of foreach blocks a step belongs to; the node is the same for all of them."""


class Origins:
    """For each transition of any net of ``plan``, whatever its widths, the node that it does something for."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._node = {f"t.{name}": node.index for node in plan.nodes for name in _steps(node)}

    def node(self, transition: str) -> PlanNode | None:
        """The node of ``transition``; None where the plan has none."""
        index = self._node.get(transition)
        if index is None:
            index = self._node.get(_ITEMS.sub("", transition))
        return None if index is None else self.plan.nodes[index]

    def where(self, transition: str) -> Position:
        """The position of that node."""
        node = self.node(transition)
        return NOWHERE if node is None else node.where


def _steps(node: PlanNode) -> Iterator[str]:
    match node:
        case Task():
            yield node.id
        case Seq():
            return
        case Parallel():
            yield from (f"par.{node.id}.split", f"par.{node.id}.join")
        case Choice():
            yield from (f"choice.{node.id}.{k}" for k in range(1, len(node.children) + 1))
        case Loop():
            yield from (f"loop.{node.id}.{verb}" for verb in ("enter", "again", "exit"))
        case Foreach():
            yield from (f"foreach.{node.id}.discover", f"foreach.{node.id}.gather")
        case Guard():
            yield from (f"guard.{node.id}.acquire", f"guard.{node.id}.release")
        case other:
            assert_never(other)
