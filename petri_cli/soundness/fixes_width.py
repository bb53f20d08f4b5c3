"""Fixes by a bound on how many items of a foreach run: deadlocks are monotone in each width (statement E)."""

from __future__ import annotations

from collections.abc import Iterator

from petri_cli.plan.edit_changes import Change, SetWidth
from petri_cli.plan.model import Foreach
from petri_cli.soundness.core import Kind
from petri_cli.soundness.fixes_trials import Proposal, Trials

COST = 40
"""A bound makes longer lists fail: nothing changes more of what a plan does."""
WIDEST = 1_000_000


def bounded(trials: Trials) -> Iterator[Proposal]:
    """Proposals that bound one foreach, each at the largest sound width; where none is enough alone, several."""
    each = [n.plan for n in trials.core.nodes if n.kind is Kind.FOREACH and not n.literal and n.limit != 1]
    alone = [f for f in each if trials.sound([SetWidth(f, 1)])]
    for f in alone:
        yield _proposal(trials, [_widest(trials, f, [])])
    if alone or len(each) < 2:
        return
    ones: list[Change] = [SetWidth(f, 1) for f in each]
    if not trials.sound(ones):
        return
    changes = trials.needed(ones)
    for i, change in enumerate(changes):
        if isinstance(change, SetWidth):
            changes[i] = _widest(trials, change.foreach, [*changes[:i], *changes[i + 1 :]])
    yield _proposal(trials, changes)


def _widest(trials: Trials, foreach: int, others: list[Change]) -> SetWidth:
    node = trials.plan.nodes[foreach]
    limit = node.max_width if isinstance(node, Foreach) else None
    most = WIDEST if limit is None else limit - 1
    return SetWidth(foreach, trials.largest(lambda w: trials.sound([*others, SetWidth(foreach, w)]), most))


def _proposal(trials: Trials, changes: list[Change]) -> Proposal:
    bounds = [c for c in changes if isinstance(c, SetWidth)]
    said = " and ".join(f"{trials.plan.nodes[c.foreach].id} to maxWidth {c.width}" for c in bounds)
    description = f"bound {said}; a longer list then fails"
    return Proposal("width", COST * len(bounds), description, tuple(changes))
