"""The firing rule on token counts, written to be read: the definition that every faster form is tested against.

A *step* is a transition together with one outcome of it (each xor branch and each time-out branch is an outcome).
Within one firing: consume, then read, then reset; the outcome's tokens are deposited after that.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from petri_cli.net.model import ForwardOut, Marking, Net, PlaceOut, Transition
from petri_cli.net.outcomes import outcomes


@dataclass(frozen=True, slots=True)
class Step:
    """One firing: ``transition`` id and the index of its outcome in :func:`petri_cli.net.outcomes.outcomes`."""

    transition: str
    outcome: int = 0


def enabled(t: Transition, marking: Marking) -> bool:
    """Whether ``t`` may fire: inputs satisfied, reads non-empty, inhibitor places empty (time and names ignored)."""
    return (
        all(marking.get(i.place, 0) >= i.needs for i in t.inputs)
        and all(marking.get(p, 0) > 0 for p in t.reads)
        and all(marking.get(p, 0) == 0 for p in t.inhibitors)
    )


def fire(t: Transition, marking: Marking, outcome: int = 0) -> dict[str, int]:
    """The marking after ``t`` fired with ``outcome``. Raises ValueError when ``t`` is not enabled."""
    if not enabled(t, marking):
        raise ValueError(f"{t.id} is not enabled")
    after = dict(marking)
    consumed: dict[str, int] = {}
    for i in t.inputs:
        consumed[i.place] = i.takes(after[i.place])
        after[i.place] -= consumed[i.place]
    for p in t.resets:
        after[p] = 0
    for leaf in outcomes(t.output)[outcome].leaves:
        match leaf:
            case PlaceOut(place, count):
                after[place] = after.get(place, 0) + count
            case ForwardOut(source, target):
                after[target] = after.get(target, 0) + consumed[source]
    return {p: n for p, n in after.items() if n}


def steps(net: Net, marking: Marking) -> Iterator[tuple[Step, dict[str, int]]]:
    """Every step possible in ``marking`` with the marking it leads to, in declaration order."""
    for t in net.transitions:
        if enabled(t, marking):
            for k in range(len(outcomes(t.output))):
                yield Step(t.id, k), fire(t, marking, k)


def is_dead(net: Net, marking: Marking) -> bool:
    """Whether no transition is enabled."""
    return not any(enabled(t, marking) for t in net.transitions)


def is_rest(net: Net, marking: Marking) -> bool:
    """Whether only transitions with a hard deadline are enabled: such a transition can be reaped instead of fired."""
    return not any(enabled(t, marking) and not t.timing.hard for t in net.transitions)


def replay(net: Net, run: Iterable[Step | str], start: Marking | None = None) -> list[dict[str, int]]:
    """The markings that ``run`` passes through, the first one included.

    Raises ValueError naming the first step that is not enabled or not known.
    """
    by_id = {t.id: t for t in net.transitions}
    marking = {p: n for p, n in (net.initial if start is None else start).items() if n}
    path = [marking]
    for k, step in enumerate(run):
        tid, outcome = (step, 0) if isinstance(step, str) else (step.transition, step.outcome)
        if tid not in by_id:
            raise ValueError(f"step {k + 1}: there is no transition {tid!r}")
        try:
            marking = fire(by_id[tid], marking, outcome)
        except ValueError as e:
            raise ValueError(f"step {k + 1}: {e}") from None
        path.append(marking)
    return path
