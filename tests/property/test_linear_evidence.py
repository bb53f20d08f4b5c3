"""Linear evidence against brute force: no false proof, no run that does not replay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import pytest

from petri_cli.errors import PetriError
from petri_cli.net.compiled import compile_net
from petri_cli.net.firing import is_dead, replay
from petri_cli.net.model import Net
from petri_cli.net.start import start_of
from petri_cli.soundness.linear.equation import equation_of
from petri_cli.soundness.linear.evidence import Evidence, linear_evidence, no_deadlock
from petri_cli.soundness.linear.proof import Literal
from petri_cli.soundness.linear.simplex import Tableau
from petri_cli.soundness.shape import Target, target_of
from tests.oracle.soundness import truth
from tests.oracle.statespace import TooBig, explore
from tests.strategies.busy_nets import busy_net
from tests.strategies.plain_nets import arbitrary_net, process_net, wild_workflow_net
from tests.strategies.workflow_nets import workflow_net

KINDS: dict[str, Callable[[Random], Net]] = {
    "wild": wild_workflow_net,
    "workflow": workflow_net,
    "special": lambda rng: workflow_net(rng, special=True),
    "special, mostly right": lambda rng: workflow_net(rng, special=True, wrong=0.02),
    "processes": process_net,
}
MARKINGS = 300


def judged(net: Net) -> tuple[Target, Evidence] | None:
    """The evidence about ``net``, its runs replayed; None for a net without a start and an end."""
    try:
        target = target_of(start_of(net).net)
    except PetriError:
        return None
    compiled = compile_net(target.net)
    end = {compiled.index[p]: k for p, k in target.end.items()}
    evidence = linear_evidence(compiled, end, [compiled.index[r] for r in target.resources])
    if evidence.deadlock is not None:
        marking = replay(target.net, [compiled.actions[a].step for a in evidence.deadlock])[-1]
        assert is_dead(target.net, marking) and marking != target.final
    if evidence.improper is not None:
        marking = replay(target.net, [compiled.actions[a].step for a in evidence.improper])[-1]
        assert target.is_end(marking) and marking != target.final
    fired = {compiled.actions[a].step.transition for run in evidence.runs for a in run}
    for run in evidence.runs:
        replay(target.net, [compiled.actions[a].step for a in run])
    assert not evidence.runs or fired == {t.id for t in net.transitions}
    return target, evidence


def compared(kind: str, seed: int, markings: int = MARKINGS) -> str:
    """What the evidence came to, after it was held against the whole state space (where that is small)."""
    found = judged(KINDS[kind](Random(seed)))  # noqa: S311
    if found is None:
        return "no workflow net"
    target, evidence = found
    try:
        real = truth(target.net, target.final, target.sink, markings)
    except TooBig as big:
        if evidence.proper:
            assert all(not target.is_end(dict(m)) or dict(m) == target.final for m in big.space.successors), seed
        return "many markings"
    if evidence.stuck is not None:
        assert all(target.is_end(dict(m)) for m in explore(target.net, markings).dead), seed
    assert not evidence.proper or real.proper, seed
    assert not evidence.completes or real.option, seed
    assert not evidence.runs or not real.dead_transitions, seed
    assert set(dead_transitions(target, evidence)) <= set(real.dead_transitions), seed
    assert not (evidence.sound and not real.sound) and not (evidence.unsound and real.sound), seed
    says = "sound" if evidence.sound else "unsound" if evidence.unsound else "open"
    return f"{'sound' if real.sound else 'unsound'}: {says}"


def dead_transitions(target: Target, evidence: Evidence) -> list[str]:
    compiled = compile_net(target.net)
    return [compiled.actions[a].step.transition for a, _ in evidence.dead]


@pytest.mark.parametrize("kind", KINDS)
def test_no_proof_and_no_run_is_wrong(kind: str) -> None:
    counts = Counter(compared(kind, seed) for seed in range(60))
    assert counts["sound: sound"] > 0.8 * (counts["sound: sound"] + counts["sound: open"]) > 0, counts
    assert counts["unsound: unsound"] > 0.8 * (counts["unsound: unsound"] + counts["unsound: open"]) > 0, counts


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_no_proof_and_no_run_is_wrong_on_ten_thousand_nets(kind: str) -> None:
    assert Counter(compared(kind, seed, 80) for seed in range(1_000, 3_000)).total() == 2_000


@pytest.mark.slow
def test_every_plain_net_has_its_dead_markings_where_the_proof_says() -> None:
    counts = Counter[str]()
    for seed in range(400):
        net = arbitrary_net(Random(seed), reads=True)  # noqa: S311
        compiled = compile_net(net)
        end = {0: 1}
        found = no_deadlock(compiled, end)
        try:
            dead = explore(net, MARKINGS).dead
        except TooBig as big:
            dead = {m for m in big.space.successors if is_dead(net, dict(m))}
        bad = [m for m in dead if not dict(m).get(compiled.places[0])]
        assert found.proof is None or not bad, seed
        if found.run is not None:
            assert is_dead(net, replay(net, [compiled.actions[a].step for a in found.run])[-1]), seed
        counts["proof" if found.proof else "run" if found.run is not None else "open"] += 1
    assert counts["proof"] > 50 and counts["run"] > 50, counts


def test_every_firing_of_every_arc_kind_is_a_column_and_some_losses() -> None:
    lossy = 0
    for seed in range(300):
        rng = Random(seed)  # noqa: S311
        net = busy_net(seed) if seed % 2 else workflow_net(rng, special=True)
        compiled = compile_net(net)
        equation = equation_of(compiled)
        assert equation.actions == len(compiled.actions)
        state = compiled.initial
        for _ in range(30):
            ready = [a for a, action in enumerate(compiled.actions) if action.enabled(state)]
            disabled = {a for a, ways in enumerate(equation.disabled) if any(holds(x, state) for x in ways)}
            assert disabled == set(range(len(compiled.actions))) - set(ready), seed
            if not ready:
                break
            a = rng.choice(ready)
            after = compiled.actions[a].fire(state)
            rest = [
                new - old - equation.columns[a].get(p, 0) for p, (old, new) in enumerate(zip(state, after, strict=True))
            ]
            assert is_made_of(rest, equation.columns[equation.actions :]), seed
            lossy += any(rest)
            state = after
    assert lossy > 100


def holds(literal: Literal, state: tuple[int, ...]) -> bool:
    return (state[literal.of] - literal.bound) * literal.side <= 0


def is_made_of(change: list[int], losses: Sequence[dict[int, int]]) -> bool:
    """Whether ``change`` is a sum of losses."""
    table = Tableau(len(losses))
    for v in range(len(losses)):
        table.bound(v, -1, 0)
    for p, k in enumerate(change):
        row = table.add_row({v: loss[p] for v, loss in enumerate(losses) if p in loss})
        if table.bound(row, -1, k) or table.bound(row, 1, k):
            return False
    return table.check() is None
