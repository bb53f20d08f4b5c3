"""A plan as conformance sees it: its workflow net with cyclic loops, and the activity of each transition."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace

from petri_cli.mining.model import LabelledNet
from petri_cli.mining.raise_plan import is_nothing
from petri_cli.net.model import Net
from petri_cli.plan.lower import Lowered, lower_workflow
from petri_cli.plan.model import Plan, Task

WIDE = 100
"""Items of a foreach from which on its net is held to a size."""
MOST = 100_000
"""Elements of such a net: beyond, nothing is aligned with it in any time that somebody would wait."""
_SKIP = re.compile(r"skip(_\d+)?")


def plan_model(
    plan: Plan, widths: Mapping[str, int] | None = None, activities: Collection[str] = frozenset()
) -> LabelledNet:
    """The net of ``plan`` with each foreach at its width (foreach id → items; 1 where nothing is said).

    activities: of the log, by :func:`activity_of`. The copies of a task, one an item, have one label. Raises PetriError
    ``PETRI_NET_TOO_LARGE``.
    """
    wide = max((widths or {}).values(), default=0) > WIDE
    lowered = lower_workflow(plan, widths, most=MOST if wide else None)
    labels: dict[str, str] = {}
    for t in lowered.net.transitions:
        origin = lowered.origin[t.id].node
        node = plan.nodes[origin] if origin >= 0 else None
        activity = activity_of(node, activities) if isinstance(node, Task) else None
        if activity is not None:
            labels[t.id] = activity
    return LabelledNet(lowered.net, labels)


def net_of_plan(plan: Plan, lowered: Lowered) -> Net:
    """The net of ``plan`` for tools that know no plans: the transition of a task has its name, or id, as a name, and
    what stands for no task has none."""
    written = []
    for t in lowered.net.transitions:
        origin = lowered.origin[t.id].node
        node = plan.nodes[origin] if origin >= 0 else None
        shows = isinstance(node, Task) and activity_of(node, ()) is not None
        written.append(replace(t, name=(node.name.strip() or node.id) if shows and isinstance(node, Task) else ""))
    return replace(lowered.net, transitions=tuple(written))


def activity_of(task: Task, activities: Collection[str]) -> str | None:
    """What a log calls ``task``: its id, or its name where the log knows that and not the id. None for the step that
    does nothing of a mined plan, the way past others."""
    if task.id in activities:
        return task.id
    if task.name in activities:
        return task.name
    return None if is_nothing(task) and _SKIP.fullmatch(task.id) else task.id
