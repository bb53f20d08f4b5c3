"""Lowering: a plan to a net, every fragment with one entry and one exit place.

Two readings of one plan: the *workflow net*, a classical place/transition net with resources, which the gate judges and
``petri export --format pnml`` writes (:mod:`petri_cli.plan.workflow_net`), and the *execution net*, the static coloured
net that the engine runs (:mod:`petri_cli.plan.execution_net`).
"""

from __future__ import annotations

from petri_cli.plan.execution_net import PARENT_NAME, due_place, lower_execution
from petri_cli.plan.fragments import (
    END,
    START,
    Items,
    Lowered,
    Origin,
    acquire_id,
    label,
    resource_place,
    suffix,
    verb,
)
from petri_cli.plan.workflow_net import foreach_width, lower_workflow

__all__ = [
    "END",
    "PARENT_NAME",
    "START",
    "Items",
    "Lowered",
    "Origin",
    "acquire_id",
    "due_place",
    "foreach_width",
    "label",
    "lower_execution",
    "lower_workflow",
    "resource_place",
    "suffix",
    "verb",
]
