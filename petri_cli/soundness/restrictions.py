"""What the proof ignores and the engine doesn't: priority, timing, names, tokens from outside. Where that matters, a
warning or an assumption says so.

Priority and timing only take behaviour away. So a bound or a deadlock-free proof stays true, but

* a transition that loses every conflict by priority may never fire, though choices were taken to be fair;
* a counterexample that fires a transition with a firing interval may be impossible in time;
* a transition with a hard deadline can be reaped, and then the end may be out of reach.

A match keeps a transition from firing though the counts would do: nothing that is proved about getting on, and no run
that fires it, takes that into account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from petri_cli.errors import Problem
from petri_cli.net.model import Net, Transition
from petri_cli.soundness.counterexample import listed
from petri_cli.soundness.result import Condition, Verdict


def restrictions(net: Net, verdict: Verdict, conditions: Iterable[Condition]) -> tuple[Problem, ...]:
    """The warnings about an answer."""
    reaped = _reaped(net) if verdict is Verdict.SOUND else ()
    return (*_starved(net), *_timed(net, conditions), *reaped, *_matched(net))


def assumptions(net: Net) -> tuple[str, ...]:
    """What a proof about this net takes for granted besides what every proof does."""
    environment = [p.id for p in net.places if p.environment]
    return (
        *(["the names of tokens always match"] if any(t.match for t in net.transitions) else []),
        *([f"no token arrives on {listed(environment)} from outside"] if environment else []),
    )


def _starved(net: Net) -> Iterator[Problem]:
    """Transitions that can't fire while some other, of higher priority, could: whenever they are enabled, it is too."""
    if len({t.priority for t in net.transitions}) < 2:
        return
    consumers: dict[str, list[Transition]] = {}
    for t in net.transitions:
        for i in t.inputs:
            consumers.setdefault(i.place, []).append(t)
    losers: dict[str, str] = {}
    for t in net.transitions:
        rivals = {u.id: u for i in t.inputs for u in consumers[i.place] if u.priority > t.priority}
        for u in rivals.values():
            if _enabled_with(t, u):
                losers.setdefault(t.id, u.id)
    if losers:
        pairs = [f"{t} (to {u})" for t, u in losers.items()]
        yield Problem(
            "PETRI_PRIORITY_STARVES",
            f"{listed(pairs)} may lose for ever by priority, though the proof takes choices to be fair",
            hint="give transitions that compete for the same tokens the same priority, or let the decider choose",
            severity="warning",
        )


def _enabled_with(t: Transition, u: Transition) -> bool:
    """Whether ``u`` is enabled, and at once ready, wherever ``t`` is enabled."""
    needs = {i.place: i.needs for i in t.inputs}
    return (
        all(needs.get(i.place, 0) >= i.needs for i in u.inputs)
        and all(p in needs or p in t.reads for p in u.reads)
        and set(u.inhibitors) <= set(t.inhibitors)
        and u.timing.earliest == 0
    )


def _timed(net: Net, conditions: Iterable[Condition]) -> Iterator[Problem]:
    """A counterexample that fires a transition with a firing interval."""
    timed = {t.id for t in net.transitions if t.timing.earliest > 0 or t.timing.latest is not None}
    for c in conditions:
        if c.counterexample is not None:
            steps = (*c.counterexample.run, *c.counterexample.pump)
            fired = dict.fromkeys(s.transition for s in steps if s.transition in timed)
            if fired:
                yield Problem(
                    "PETRI_TIMING_IGNORED",
                    f"{c.name}: the run fires {listed(list(fired))}, whose timing may rule the run out",
                    severity="warning",
                )


def _reaped(net: Net) -> Iterator[Problem]:
    """Hard deadlines beneath a proof that ignores time."""
    hard = [t.id for t in net.transitions if t.timing.hard]
    if hard:
        yield Problem(
            "PETRI_TIMING_IGNORED",
            f"{listed(hard)} must fire within a deadline, which the proof ignores: past it the end may be out of reach",
            severity="warning",
        )


def _matched(net: Net) -> Iterator[Problem]:
    """Transitions that wait for tokens of one name."""
    matching = [t.id for t in net.transitions if t.match is not None]
    if matching:
        yield Problem(
            "PETRI_NAMES_IGNORED",
            f"{listed(matching)} may wait for tokens of one name; the verdict counts tokens and looks at no name",
            severity="warning",
        )
