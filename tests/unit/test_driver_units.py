"""More units than a run bears are refused beforehand; more than are of use change nothing in a what-if."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from petri_cli.driver.commit import Document, commit
from petri_cli.driver.deciders import Seeded
from petri_cli.driver.nets import Run, simulate_net
from petri_cli.driver.simulate import simulate
from petri_cli.driver.units import MAX_UNITS
from petri_cli.driver.what_if import simulate_change, useful_units
from petri_cli.driver.workability import foretold
from petri_cli.engine.stores import MemoryStore
from petri_cli.errors import PetriError
from petri_cli.net.model import Cardinality, Input, Net, Place, PlaceOut, Transition
from petri_cli.plan.load import load_plan_text, plan_from_data
from petri_cli.plan.model import Plan
from petri_cli.session.memory import MemoryEventStore
from petri_cli.soundness.result import Result, Verdict

HUGE = 10**9


def plan_of(flow: dict[str, Any], *resources: dict[str, Any]) -> Plan:
    return plan_from_data({"resources": list(resources), "flow": flow})[0]


def guarded(name: str = "a", units: int = 1) -> dict[str, Any]:
    return {"guard": {"resource": "lock", "units": units, "body": {"task": {"id": name, "run": "x"}}}}


@pytest.mark.parametrize("capacities", [(HUGE,), (MAX_UNITS, 1)])
def test_more_units_than_a_run_bears_are_refused_before_anything_is_written(capacities: tuple[int, ...]) -> None:
    names = [f"r{k}" for k, _ in enumerate(capacities)]
    listed = "".join(f"\n  - {{id: {n}, capacity: {c}}}" for n, c in zip(names, capacities, strict=True))
    guard = f"guard: {{resource: [{', '.join(names)}], body: {{task: {{id: a, run: x}}}}}}"
    text = f"resources:{listed}\nflow:\n  {guard}\n"
    plan, _ = load_plan_text(text, "p.yaml")
    store = MemoryEventStore()
    sound = Result(Verdict.SOUND, "tests")
    for refuse in (lambda: commit(store, None, Document(text, "p.yaml"), plan, sound), lambda: simulate(plan)):
        with pytest.raises(PetriError, match=r"p.yaml:2:\d+ PETRI_TOO_MANY_UNITS .* a run bears 1,000,000"):
            refuse()
    assert store.sessions() == []
    assert [(p.code, p.severity) for p in foretold(plan)] == [("PETRI_TOO_MANY_UNITS", "warning")]


def test_a_plan_with_as_many_units_as_a_run_bears_is_run() -> None:
    plan = plan_of(guarded(), {"id": "lock", "capacity": MAX_UNITS})
    assert foretold(plan) == ()
    assert simulate(plan).outcome == "completed"


def test_a_net_that_begins_with_more_tokens_than_a_run_bears_is_refused() -> None:
    begins = Net("n", (Place("p"),), (), {"p": HUGE}, None)
    puts = Transition("t", (Input("p", Cardinality.EXACTLY, 1),), PlaceOut("q", HUGE))
    for net in (begins, Net("n", (Place("p"), Place("q")), (puts,), {"p": 1}, None)):
        for run in (partial(simulate_net, net), partial(Run, net, store=MemoryStore(), say=print)):
            with pytest.raises(PetriError, match="PETRI_TOO_MANY_UNITS"):
                run()


FLOWS: dict[str, dict[str, Any]] = {
    "two branches": {"parallel": [guarded("a", 2), guarded("b")]},
    "a list": {"foreach": {"id": "f", "over": [1, 2, 3], "body": guarded("a", 2)}},
    "lists in lists": {
        "foreach": {"id": "f", "over": [1, 2], "body": {"foreach": {"id": "g", "over": "x", "body": guarded()}}}
    },
    "a loop": {"loop": {"id": "l", "maxIterations": 5, "body": {"parallel": [guarded("a"), guarded("b")]}}},
}
USEFUL = {"two branches": 3, "a list": 6, "lists in lists": 8, "a loop": 2}


@pytest.mark.parametrize("name", FLOWS)
def test_units_above_the_useful_ones_change_nothing(name: str) -> None:
    def runs(capacity: int) -> Iterator[object]:
        plan = plan_of(FLOWS[name], {"id": "lock", "capacity": capacity})
        for seed in range(5):
            run = simulate(plan, seed=seed, decider=Seeded(seed, {"g": 4}), durations={"a": lambda rng: rng.random()})
            yield run.tasks, run.seconds

    useful = USEFUL[name]
    assert useful_units(plan_of(FLOWS[name], {"id": "lock", "capacity": 2}), {"g": 4}) == {"lock": useful}
    assert list(runs(useful)) == list(runs(useful + 1)) == list(runs(useful + 50))
    assert list(runs(useful)) != list(runs(useful - 1))


def test_a_what_if_of_any_capacity_is_that_of_the_useful_ones() -> None:
    plan = plan_of(FLOWS["a list"], {"id": "lock", "capacity": 2})
    seconds = {"a": [1.0, 2.0, 3.0]}
    huge, useful = (simulate_change(plan, {"lock": n}, seconds, [], runs=3) for n in (HUGE, 6))
    assert replace(huge, changes={}, loads=()) == replace(useful, changes={}, loads=())
    assert huge.loads[0].capacity == (2, HUGE)


def test_a_quota_of_any_capacity_is_refused_where_it_is_too_large() -> None:
    plan = plan_of(guarded(), {"id": "lock", "capacity": 2, "per": "1m"})
    with pytest.raises(PetriError, match="PETRI_TOO_MANY_UNITS"):
        simulate_change(plan, {"lock": HUGE}, {}, [], runs=1)
