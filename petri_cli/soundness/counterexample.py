"""Counterexamples of nets: the run, replayed by the plain firing rule, and the sentence that says what it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from petri_cli.net.compiled import CompiledNet
from petri_cli.net.firing import is_dead, replay
from petri_cli.soundness.result import Counterexample

MAX_NAMED = 6
"""Places or transitions that a sentence names."""


def replayed(
    compiled: CompiledNet,
    kind: str,
    run: Sequence[int],
    sentence: str,
    *,
    shortest: bool,
    pump: Sequence[int] = (),
    subject: str = "",
) -> Counterexample:
    """The counterexample that ``run`` (action indices) makes, after firing it once more by the plain rule.

    Raises AssertionError when a step can't be fired: a fault of ours, never a verdict.
    """
    steps = tuple(compiled.actions[a].step for a in run)
    again = tuple(compiled.actions[a].step for a in pump)
    try:
        path = replay(compiled.net, [*steps, *again])
    except ValueError as e:
        raise AssertionError(f"a counterexample did not replay: {e}") from e
    marking = dict(sorted(path[len(steps)].items()))
    if again and not covers_strictly(path[-1], marking):
        raise AssertionError("a pump did not add tokens")
    return Counterexample(kind, compiled.net, steps, marking, sentence, shortest, pump=again, subject=subject)


def deadlock(compiled: CompiledNet, run: Sequence[int], *, shortest: bool) -> Counterexample:
    """A run to a dead marking that is not the final one of ``compiled``."""
    cx = replayed(compiled, "deadlock", run, "", shortest=shortest)
    final = compiled.net.final or {}
    if cx.marking == final or not is_dead(compiled.net, cx.marking):
        raise AssertionError("a deadlock did not replay")
    now = f"the tokens lie on {marking_text(cx.marking)}" if cx.marking else "no place holds a token"
    sentence = f"{steps_text(len(run))} nothing can move: {now}, where the end is {marking_text(final)}"
    return replace(cx, sentence=sentence)


def covers_strictly(high: Mapping[str, int], low: Mapping[str, int]) -> bool:
    """Whether ``high`` holds at least the tokens of ``low`` everywhere, and more somewhere."""
    return all(high.get(p, 0) >= n for p, n in low.items()) and sum(high.values()) > sum(low.values())


def marking_text(marking: Mapping[str, int]) -> str:
    """``p, q and 2×r``."""
    tokens = [p if n == 1 else f"{n}×{p}" for p, n in sorted(marking.items())]
    return listed(tokens) if tokens else "no place"


def listed(names: Sequence[str]) -> str:
    """``a, b and c``, cut off after a few; empty for no name."""
    shown = list(names[:MAX_NAMED])
    if len(names) > MAX_NAMED:
        shown.append(f"{len(names) - MAX_NAMED:,} more")
    return "".join(shown) if len(shown) < 2 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def steps_text(n: int) -> str:
    return "at the start" if n == 0 else f"after {n:,} step{'' if n == 1 else 's'}"
