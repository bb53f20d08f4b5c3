"""Counterexamples of nets: the run, replayed by the plain firing rule, and the sentence that says what it shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from petri_cli.net.compiled import CompiledNet
from petri_cli.net.firing import is_dead, replay
from petri_cli.soundness.result import Counterexample
from petri_cli.soundness.shape import Target

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


def improper(compiled: CompiledNet, target: Target, run: Sequence[int], *, shortest: bool) -> Counterexample:
    """A run to a marking that has the end marked and is not the final one."""
    cx = replayed(compiled, "improperCompletion", run, "", shortest=shortest)
    final = target.final
    left = {p: n - final.get(p, 0) for p, n in cx.marking.items() if n > final.get(p, 0)}
    short = {p: n - cx.marking.get(p, 0) for p, n in final.items() if n > cx.marking.get(p, 0)}
    if not target.is_end(cx.marking) or not (left or short):
        raise AssertionError("an improper completion did not replay")
    wrong = [f"{marking_text(left)} left over"] if left else []
    wrong += [f"{marking_text(short)} missing"] if short else []
    end = target.sink or marking_text(final)
    return replace(cx, sentence=f"{steps_text(len(run))} the end (`{end}`) is marked, with {' and '.join(wrong)}")


def cannot_complete(compiled: CompiledNet, target: Target, run: Sequence[int], *, shortest: bool) -> Counterexample:
    """A run to a marking that is not dead and from which, as the caller knows, the final one is out of reach."""
    cx = replayed(compiled, "cannotComplete", run, "", shortest=shortest)
    sentence = (
        f"{steps_text(len(run))}, with tokens on {marking_text(cx.marking)}, there are steps to take, "
        f"but none leads to the end {marking_text(target.final)} any more"
    )
    return replace(cx, sentence=sentence)


def pumped(compiled: CompiledNet, run: Sequence[int], pump: Sequence[int]) -> Counterexample:
    """A run after which ``pump`` can be repeated for ever. The caller knows that actions add constants."""
    path = replayed(compiled, "unbounded", [*run, *pump], "", shortest=False)
    cx = replayed(compiled, "unbounded", run, "", shortest=False, pump=pump)
    more = [p for p in compiled.places if path.marking.get(p, 0) > cx.marking.get(p, 0)]
    names = list(dict.fromkeys(compiled.actions[a].step.transition for a in pump))
    sentence = f"{listed(names)} can be repeated for ever, each time adding to {listed(more)}"
    return replace(cx, sentence=sentence, subject=more[0])


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
