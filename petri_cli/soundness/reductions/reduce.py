"""Reducing a net as far as the rules go, each place and transition looked at again only when something next to it has
changed: a rule application costs about as much as the arcs it touches, so the whole is near linear in the arcs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from petri_cli.soundness.reductions.dependent_places import drop_dependent_place
from petri_cli.soundness.reductions.idle import drop_constant_place, drop_idle_transition
from petri_cli.soundness.reductions.parallel import Known, drop_parallel_place, drop_parallel_transition
from petri_cli.soundness.reductions.post_agglomeration import agglomerate_after, agglomerate_pairs
from petri_cli.soundness.reductions.pre_agglomeration import agglomerate_before
from petri_cli.soundness.reductions.working import WorkingNet

Rule = Callable[[WorkingNet, int], bool]
"""Applies itself at a place of the net if it may; whether it did."""

RULES: tuple[Rule, ...] = (
    agglomerate_after,
    agglomerate_before,
    drop_parallel_place,
    drop_idle_transition,
    drop_constant_place,
)


LATE_RULES: tuple[Rule, ...] = (agglomerate_pairs, drop_dependent_place)
"""Tried when no other rule applies."""


def reduce(
    net: WorkingNet,
    rules: Sequence[Rule] = RULES,
    late: Sequence[Rule] = LATE_RULES,
    *,
    parallel_transitions: bool = True,
) -> int:
    """Apply ``rules`` to ``net`` until none applies any more; how often one did."""
    known: Known = {}
    applied = 0
    while True:
        p = net.next_place()
        if p is None:
            changed = net.take_changed() if parallel_transitions else ()
            more = sum(drop_parallel_transition(net, t, known) for t in changed if net.transitions[t])
            if not more and not net.waiting:
                more = any(rule(net, q) for q, there in enumerate(net.places) if there for rule in late)
                if not more:
                    return applied
            applied += more
            continue
        for rule in rules:
            if rule(net, p):
                applied += 1
                if net.places[p]:
                    net.look_again(p)
                break
