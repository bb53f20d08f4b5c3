"""Priority on token counts: which steps of a run pass over a transition that would go first in execution."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from petri_cli.net.firing import Step, enabled, replay
from petri_cli.net.model import Net


@dataclass(frozen=True, slots=True)
class PassedOver:
    """The ``step`` of a run (from 1) fires ``fired`` while ``ready``, of higher priority, could fire."""

    step: int
    fired: str
    ready: str


def passed_over(net: Net, run: Sequence[Step]) -> Iterator[PassedOver]:
    """Each step of ``run`` at which some transition of higher priority is ready, with the highest of them.

    Ready is a transition that is enabled by the counts and need not wait. A match and a deadline may still keep it from
    firing, so that a step named here is one that execution may refuse, not one that it must. Raises ValueError for a
    run that does not replay.
    """
    ranked = sorted(net.transitions, key=lambda t: -t.priority)
    if not ranked or ranked[0].priority == ranked[-1].priority:
        return
    priority = {t.id: t.priority for t in ranked}
    for n, (step, marking) in enumerate(zip(run, replay(net, run), strict=False), 1):
        for t in ranked:
            if t.priority <= priority[step.transition]:
                break
            if t.timing.earliest == 0 and enabled(t, marking):
                yield PassedOver(n, step.transition, t.id)
                break
