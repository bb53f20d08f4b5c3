"""Taking out of a run to a deadlock each step that it does not need, at a cost that stays small for long runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from petri_cli.plan.lower import verb
from petri_cli.plan.model import Guard
from petri_cli.soundness.game import Board
from petri_cli.soundness.lift import Lift
from petri_cli.soundness.timer import Deadline, never


def without_spare_steps(lift: Lift, deadline: Deadline = never) -> tuple[int, ...]:
    """The run without any step that can be taken away (with the steps that then can't happen) so that it still ends
    dead. Past the deadline, as far as it got.

    Such a step must be disabled at the end, though its control token is back: it is an acquire, its block has ended,
    and even with the units that come back to it too little is left.
    """
    board = lift.board
    run, marking = list(lift.run), dict(lift.marking)
    acquires = {a for a in run if _is_acquire(board, a)}
    after, moved = _consequences(board, run), _moved(board, run)
    at = len(run) - 1
    while at >= 0:
        a = run[at]
        if a in acquires and _stays_short(board, marking, a, after[at], moved):
            if deadline():
                break
            shorter, end = _replay_without(board, run, at)
            if board.is_stuck(end):
                run, marking = shorter, end
                after, moved = _consequences(board, run), _moved(board, run)
                at = len(run)
        at -= 1
    return tuple(run)


def _consequences(board: Board, run: Sequence[int]) -> list[int]:
    """For each step the set of steps (bits) that a token of its doing leads to, itself included. Resources aside."""
    after = [0] * len(run)
    consumer: dict[str, int] = {}  # control place → what the step that takes its next token leads to
    for n in range(len(run) - 1, -1, -1):
        needs, gives = board.arcs(run[n])
        leads_to = 1 << n
        for p, _ in gives:
            leads_to |= consumer.pop(p, 0)
        for p, _ in needs:
            if p not in board.resources:
                consumer[p] = leads_to
        after[n] = leads_to
    return after


_Moved = dict[str, dict[int, int]]
"""Resource place → units taken (positive) or given back → the steps that do so, as bits."""


def _moved(board: Board, run: Sequence[int]) -> _Moved:
    moved: _Moved = {p: {} for p in board.resources}
    for n, a in enumerate(run):
        for sign, arcs in zip((1, -1), board.arcs(a), strict=True):
            for p, k in arcs:
                if p in moved:
                    moved[p][sign * k] = moved[p].get(sign * k, 0) | 1 << n
    return moved


def _stays_short(board: Board, marking: Mapping[str, int], action: int, gone: int, moved: _Moved) -> bool:
    """Whether ``action`` lacks a resource in ``marking`` even with all that the steps ``gone`` hold there."""
    for p, k in board.arcs(action)[0]:
        if p in moved:
            held = sum(units * (steps & gone).bit_count() for units, steps in moved[p].items())
            if marking.get(p, 0) + held < k:
                return True
    return False


def _is_acquire(board: Board, a: int) -> bool:
    tid = board.transitions[a].id
    return isinstance(board.plan.nodes[board.lowered.origin[tid].node], Guard) and verb(tid) == "acquire"


def _replay_without(board: Board, run: Sequence[int], left_out: int) -> tuple[list[int], dict[str, int]]:
    """(the steps still possible when one is left out, the marking they lead to)"""
    marking = dict(board.net.initial)
    kept: list[int] = []
    for n, a in enumerate(run):
        if n != left_out and board.enabled(a, marking):
            board.fire(a, marking)
            kept.append(a)
    return kept, marking
