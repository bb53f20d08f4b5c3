"""A run told in the plan's words: a phrase for each step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from petri_cli.plan.lower import Items, Lowered, suffix, verb
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task
from petri_cli.soundness.timer import Pace


def tell(plan: Plan, lowered: Lowered, run: Sequence[str], pace: Pace) -> tuple[str, ...]:
    """One phrase for each transition id of ``run``: «build takes runner», «build is done», «3 branches start». Raises
    OutOfTime."""
    phrases = []
    for tid in run:
        pace.step()
        phrases.append(_phrase(plan, lowered, tid))
    return tuple(phrases)


def first_task(plan: Plan, index: int) -> str:
    """The task by which a reader knows a block: the first in it."""
    node = plan.nodes[index]
    inside = plan.nodes[index : node.end]
    return next((n.id for n in inside if isinstance(n, Task)), node.id)


def _phrase(plan: Plan, lowered: Lowered, tid: str) -> str:
    origin = lowered.origin[tid]
    node, items = plan.nodes[origin.node], suffix(origin.items)
    does = verb(tid)
    match node:
        case Task():
            return f"{node.id}{items} is done"
        case Seq():
            raise AssertionError("a seq has no transition")
        case Parallel():
            name = "" if node.id.isdigit() else f" ({node.id}{items})"
            return f"{len(node.children)} branches start{name}" if does == "split" else f"the branches meet{name}"
        case Choice():
            name = "" if node.id.isdigit() else f"{node.id}{items}: "
            branch = node.branches[int(does) - 1].name or f"branch {does}"
            return f"{name}{branch} is chosen"
        case Loop():
            phrases = {"enter": "begins", "again": "goes round again", "exit": "is left"}
            return f"{node.id}{items} {phrases[does]}"
        case Foreach():
            count = lowered.widths[node.id]
            started = f"starts {count} item{'' if count == 1 else 's'}"
            return f"{node.id}{items} {started if does == 'discover' else 'is gathered'}"
        case Guard():
            moves = "takes" if does == "acquire" else "gives back"
            return f"{first_task(plan, node.index)}{items} {moves} {_units(node, plan)}"
        case other:
            assert_never(other)


def _units(guard: Guard, plan: Plan) -> str:
    capacity = plan.capacities()
    parts = [r if k == 1 and capacity[r] == 1 else f"{k} {r}" for r, k in guard.units]
    return " and ".join(parts)


def name_of(plan: Plan, guard: Guard, items: Items) -> str:
    """How a waiter is called: by the task that would run next in its branch."""
    return first_task(plan, guard.index) + suffix(items)
