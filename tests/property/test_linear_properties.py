"""Properties proved or violated by the state equation, against the definition and brute force."""

from __future__ import annotations

import json
from collections import Counter
from random import Random
from typing import Any

import pytest

from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.firing import replay
from petri_cli.net.model import Net, Property
from petri_cli.plan.load import load_plan_text
from petri_cli.soundness import search
from petri_cli.soundness.deadlock import DeadlockSearch, find_deadlock
from petri_cli.soundness.linear.evidence import no_deadlock
from petri_cli.soundness.linear.properties import judge_property
from petri_cli.soundness.plans import judge_plan
from tests.oracle.soundness import violates, violating
from tests.oracle.statespace import TooBig, explore
from tests.strategies.busy_nets import busy_net
from tests.strategies.contended_plans import contended_plan, gated_plan
from tests.strategies.plain_nets import arbitrary_net, process_net
from tests.strategies.workflow_nets import workflow_net

KINDS = ("deadlockFree", "terminatesAtSink", "quiescentCount", "placeBound", "mutualExclusion", "unreachable")


def some_property(rng: Random, net: Net) -> Property:
    kind = rng.choice(KINDS)
    ids = net.place_ids()
    places = (rng.choice(ids),) if kind == "placeBound" else tuple(rng.choices(ids, k=rng.randint(1, 3)))
    return Property("p", kind, places, minimum=rng.randint(0, 1), maximum=rng.randint(0, 3))


@pytest.mark.slow
def test_what_is_proved_holds_and_what_is_violated_is_shown() -> None:
    counts = Counter[str]()
    for seed in range(500):
        rng = Random(seed)  # noqa: S311
        net = rng.choice([arbitrary_net, process_net, busy_net_of, lambda r: workflow_net(r, special=True)])(rng)
        prop = some_property(rng, net)
        compiled = compile_net(net)

        def bad(state: tuple[int, ...], compiled: CompiledNet = compiled, prop: Property = prop) -> bool:
            return violates(compiled.net, compiled.marking(state), prop)

        answer = judge_property(compiled, prop, bad)
        if answer.run is not None:
            marking = replay(net, [compiled.actions[a].step for a in answer.run])[-1]
            assert violates(net, marking, prop), seed
        try:
            space = explore(net, 300)
        except TooBig as big:
            space = big.space
        wrong = violating(net, space, prop)
        assert not (answer.proofs and wrong), seed
        counts["proved" if answer.proofs else "violated" if answer.run is not None else "open"] += 1
    assert counts["proved"] > 100 and counts["violated"] > 60, counts


def busy_net_of(rng: Random) -> Net:
    return busy_net(rng.randrange(10_000))


@pytest.mark.slow
def test_the_search_nets_of_plans_get_the_answer_of_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    counts = Counter[str]()

    def both(net: CompiledNet, **options: Any) -> DeadlockSearch:
        result = find_deadlock(net, **options)
        found = no_deadlock(net, {net.places.index("end"): 1})
        assert found.proof is None or result.run is None
        assert found.run is None or not result.complete
        counts["proof" if found.proof else "run" if found.run is not None else "open"] += 1
        return result

    monkeypatch.setattr(search, "find_deadlock", both)
    for seed in range(150):
        rng = Random(seed)  # noqa: S311
        document = gated_plan(rng) if seed % 2 else contended_plan(rng, 4)
        plan, _ = load_plan_text(json.dumps(document).encode(), "plan.json")
        judge_plan(plan)
    assert counts["proof"] > 20 and counts["run"] > 20 and counts["open"] <= counts.total() // 20, counts
