"""Counting the reachable markings that are dead, and those from which the end is out of reach.

Exact where the plan is small enough to enumerate; otherwise only what a counterexample shows is claimed.
"""

from __future__ import annotations

from array import array
from typing import assert_never

from petri_cli.net.compiled import compile_net
from petri_cli.plan.lower import Lowered
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task
from petri_cli.soundness.bits import members
from petri_cli.soundness.packed import PackedNet, with_room
from petri_cli.soundness.result import Counts

MAX_MARKINGS = 5_000


def census(plan: Plan, lowered: Lowered) -> Counts:
    """The counts for the workflow net ``lowered.net``, which has a deadlock. Its markings are enumerated when the block
    structure alone allows no more than ``MAX_MARKINGS`` of them."""
    if control_markings(plan, lowered) > MAX_MARKINGS:
        return Counts(1, 1, exact=False)
    return with_room(compile_net(lowered.net), _enumerate)


def control_markings(plan: Plan, lowered: Lowered) -> int:
    """How many markings the block structure allows when no resource is ever short, at most ``MAX_MARKINGS`` + 1."""
    most = MAX_MARKINGS + 1
    inside = [0] * len(plan.nodes)  # markings with control somewhere from a node's entry to just before its exit
    for node in reversed(plan.nodes):
        parts = [inside[c] for c in node.children]
        n = 1
        match node:
            case Task():
                pass
            case Seq():
                n = sum(parts)
            case Parallel():
                for part in parts:
                    n = min(most, n * (part + 1))
                n += 1
            case Choice():
                n += sum(parts)
            case Loop() | Guard():
                n = parts[0] + 2
            case Foreach():
                for _ in range(lowered.widths.get(node.id, 0)):
                    n = min(most, n * (parts[0] + 1))
                    if n == most:
                        break
                n += 1
            case other:
                assert_never(other)
        inside[node.index] = min(most, n)
    return min(most, inside[0] + 1)


def _enumerate(net: PackedNet) -> Counts:
    """Every reachable marking breadth first, then backward from the final one over the edges."""
    delta = net.constants()
    number = {net.initial: 0}
    markings = [net.initial]
    enabled = [net.enabled(net.initial)]
    source, target = array("q"), array("q")
    fired = 0
    dead = 0
    for i, m in enumerate(markings):  # grows while it is read
        fired |= enabled[i]
        dead += not enabled[i] and m != net.final
        for a in members(enabled[i]):
            after = m + delta[a]
            j = number.get(after, -1)
            if j < 0:
                j = number[after] = len(markings)
                markings.append(after)
                enabled.append(net.update(enabled[i], a, after))
            source.append(i)
            target.append(j)
    before: list[list[int]] = [[] for _ in markings]
    for i, j in zip(source, target, strict=True):
        before[j].append(i)
    end = number.get(net.final, -1) if net.final is not None else -1
    todo = [end] if end >= 0 else []
    completes = set(todo)
    while todo:
        for i in before[todo.pop()]:
            if i not in completes:
                completes.add(i)
                todo.append(i)
    never = tuple(dict.fromkeys(a.step.transition for i, a in enumerate(net.compiled.actions) if not fired >> i & 1))
    return Counts(dead, len(markings) - len(completes), exact=True, dead_transitions=never)
