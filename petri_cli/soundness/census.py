"""Counting the reachable markings that are dead, and those from which the end is out of reach.

Exact where the plan is small enough to enumerate; otherwise only what a counterexample shows is claimed.
"""

from __future__ import annotations

from typing import assert_never

from petri_cli.net.compiled import compile_net
from petri_cli.plan.lower import Lowered
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task
from petri_cli.soundness.result import Counts
from petri_cli.soundness.spaces import Space, with_space
from petri_cli.soundness.timer import Deadline, never

MAX_MARKINGS = 5_000


def census(plan: Plan, lowered: Lowered, deadline: Deadline = never) -> Counts:
    """The counts for the workflow net ``lowered.net``, which has a deadlock. Its markings are enumerated when the block
    structure alone allows no more than ``MAX_MARKINGS`` of them."""
    if control_markings(plan, lowered) > MAX_MARKINGS:
        return Counts(1, 1, exact=False)

    def count(space: Space) -> Counts:
        space.advance(MAX_MARKINGS, deadline)
        return _counted(space) if space.complete else Counts(1, 1, exact=False)

    return with_space(compile_net(lowered.net), count)


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


def _counted(space: Space) -> Counts:
    """A dead marking is one where nothing is enabled; a doomed one is not found going backward from the final one."""
    end = space.find(space.compiled.final)
    good = space.backwards([] if end is None else [end])
    actions = space.compiled.actions
    fired = space.fired
    never = tuple(dict.fromkeys(a.step.transition for i, a in enumerate(actions) if not fired >> i & 1))
    return Counts(sum(i != end for i in space.rests), len(good) - sum(good), exact=True, dead_transitions=never)
