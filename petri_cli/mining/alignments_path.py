"""An optimal alignment of one trace, step by step, once its cost is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petri_cli.mining.alignments_runs import NEVER, Runs


@dataclass(frozen=True, slots=True)
class MatchStep:
    """One event, or the end of the trace. alone: actions that run before without an event; action: what matches the
    event (None: nothing does); event: whether it is one."""

    alone: tuple[int, ...]
    action: int | None
    event: bool = True


def optimal_path(runs: Runs, trace: Sequence[int], cost: int) -> list[MatchStep]:
    """The steps of an alignment of ``trace`` that costs ``cost``, which is the least.

    Of several, the one that was found first: events are matched as early and as cheaply as can be.
    """
    layers = [{runs.start: (0, runs.start, -1)}]
    """By prefix: state → (cost, state before, price of the match or −1 for a move on the log alone)."""
    for label in trace:
        best: dict[int, tuple[int, int, int]] = {}
        for state, (spent, _, _) in layers[-1].items():
            for price, to in runs.after(state, label, cost - spent):
                total = spent + price
                if total <= cost and (to not in best or total < best[to][0]):
                    best[to] = (total, state, price)
        for state, (spent, _, _) in layers[-1].items():
            if spent < cost and (state not in best or spent + 1 < best[state][0]):
                best[state] = (spent + 1, state, -1)
        layers.append(best)
    state = next(
        s for s, (spent, _, _) in layers[-1].items() if spent + min(runs.finish(s, cost - spent), NEVER) == cost
    )
    matched: list[tuple[int, int, int] | None] = []
    for at in range(len(trace), 0, -1):
        _, before, price = layers[at][state]
        matched.append(None if price < 0 else (trace[at - 1], price, state))
        state = before
    matched.reverse()
    actions, ending = runs.explain([m for m in matched if m is not None])
    told = iter(actions)
    steps: list[MatchStep] = []
    for m in matched:
        if m is None:
            steps.append(MatchStep((), None))
        else:
            *alone, action = next(told)
            steps.append(MatchStep(tuple(alone), action))
    return [*steps, MatchStep(tuple(ending), None, event=False)]


def fired(steps: Sequence[MatchStep]) -> list[int]:
    """The actions of an alignment, in order: a complete run."""
    actions: list[int] = []
    for step in steps:
        actions += step.alone
        if step.action is not None:
            actions.append(step.action)
    return actions
