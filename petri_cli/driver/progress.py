"""How much there is to do: how many threads come to each node of a plan, as far as that is known."""

from __future__ import annotations

from dataclasses import dataclass, replace

from petri_cli.plan.model import Choice, Foreach, Loop, Plan
from petri_cli.session.state import State


@dataclass(frozen=True, slots=True)
class Threads:
    """count: of threads; exact: no more can be to come; in_loop: a loop is around, so that firings count rounds."""

    count: int
    exact: bool
    in_loop: bool = False


def threads_to_come(plan: Plan, state: State) -> list[Threads]:
    """For each node, how many threads come to it, and whether that is all.

    A foreach that is not discovered counts for one item; each branch of a choice that is open is taken to be the one.
    """
    found = [Threads(1, True)] * len(plan.nodes)
    for node in plan.nodes:  # in pre-order: whatever is around comes first
        here = found[node.index]
        match node:
            case Foreach():
                inside = [_items(node, here, state)] * len(node.children)
            case Choice() if not here.in_loop:
                taken = [state.fired.get(f"t.choice.{node.id}.{k}", 0) for k in range(1, len(node.children) + 1)]
                open_ = max(0, here.count - sum(taken))
                inside = [Threads(n + open_, here.exact and not open_) for n in taken]
            case Loop():
                inside = [replace(here, in_loop=True)] * len(node.children)
            case _:
                inside = [here] * len(node.children)
        for child, threads in zip(node.children, inside, strict=True):
            found[child] = threads
    return found


def _items(node: Foreach, here: Threads, state: State) -> Threads:
    if node.items is not None:
        return replace(here, count=here.count * node.items)
    widths = state.widths.get(node.id, {})
    missing = max(0, here.count - len(widths))
    return Threads(sum(widths.values()) + missing, here.exact and not missing, here.in_loop)
