"""Firing a run of a large net once more by the plain rule, at a cost that goes with its steps and not with the net."""

from __future__ import annotations

from collections.abc import Iterable

from petri_cli.net.firing import enabled, fire
from petri_cli.net.model import Marking, Net
from petri_cli.soundness.timer import Pace


def end_of(net: Net, run: Iterable[str], pace: Pace) -> dict[str, int]:
    """The marking that ``run`` (transition ids) leads to from the initial one. The transitions have no inhibitor, read
    or reset arc, so each is fired on the tokens that it takes from, apart from the others.

    Raises AssertionError when a step can't be fired: a fault of ours, never a verdict. Raises OutOfTime.
    """
    by_id = {t.id: t for t in net.transitions}
    marking = {p: n for p, n in net.initial.items() if n}
    for k, tid in enumerate(run, 1):
        pace.step()
        t = by_id[tid]
        try:
            after = fire(t, {i.place: marking.pop(i.place, 0) for i in t.inputs})
        except ValueError as e:
            raise AssertionError(f"a counterexample did not replay: step {k}: {e}") from e
        for p, n in after.items():
            marking[p] = marking.get(p, 0) + n
    return marking


def nothing_moves(net: Net, marking: Marking, pace: Pace) -> bool:
    """Whether no transition of the net is enabled. Raises OutOfTime."""
    for t in net.transitions:
        pace.step()
        if enabled(t, marking):
            return False
    return True
