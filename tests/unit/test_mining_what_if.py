"""What another capacity would change: the statistics with a made-up player, the simulation on plans known by hand."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest

from petri_cli.driver.conformance import PastCase
from petri_cli.driver.simulate import simulate
from petri_cli.driver.what_if import AsBefore, played, simulate_change
from petri_cli.errors import PetriError
from petri_cli.mining.what_if import Played, Sampler, what_if
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Plan


def task(name: str) -> dict[str, Any]:
    return {"task": {"id": name, "run": "ls"}}


def queue(n: int, capacity: int) -> Plan:
    """``n`` items that go through a resource of ``capacity`` units, one task each."""
    body = {"guard": {"resource": "r", "body": task("work")}}
    flow = {"foreach": {"id": "each", "over": list(range(n)), "body": body}}
    plan, _ = plan_from_data({"name": "q", "resources": [{"id": "r", "capacity": capacity}], "flow": flow})
    return plan


def test_who_held_and_who_waited_is_counted_as_by_hand() -> None:
    """Three items of 2 s through one unit: makespan 6 s, the second waits 2 s and the third 4 s."""
    found = played(simulate(queue(3, 1), durations={"work": 2.0}))
    assert found == Played(6.0, True, {"r": 6.0}, {"r": 6.0}, {"r": 2})
    assert played(simulate(queue(3, 3), durations={"work": 2.0})) == Played(2.0, True, {"r": 6.0}, {}, {})


def test_a_wider_resource_is_less_in_use_and_nobody_waits() -> None:
    found = simulate_change(queue(3, 1), {"r": 3}, {"work": [2.0]}, [], runs=5)
    assert (found.before.mean, found.after.mean, found.change.mean) == (6.0, 2.0, -4.0)
    assert (found.change.low, found.change.high, found.runs, found.stuck) == (-4.0, -4.0, 5, 0)
    (load,) = found.loads
    assert load.utilisation == (1.0, 1.0)
    assert (load.queued, load.waits) == ((6.0, 0.0), (2.0, 0.0))


def test_no_change_changes_nothing_whatever_the_durations() -> None:
    found = simulate_change(queue(4, 2), {"r": 2}, {"work": [0.5, 1, 7, 20]}, [], runs=20)
    assert (found.change.low, found.change.mean, found.change.high) == (0.0, 0.0, 0.0)
    assert found.before == found.after


def test_the_same_seed_gives_the_same_answer_and_another_one_another() -> None:
    def asked(seed: int) -> Any:
        return simulate_change(queue(4, 2), {"r": 3}, {"work": [0.5, 1, 7, 20]}, [], runs=10, seed=seed)

    assert asked(1) == asked(1)
    assert asked(1) != asked(2)


def test_the_interval_holds_most_of_the_runs_and_the_mean_is_that_of_all() -> None:
    def play(capacities: Mapping[str, int], seed: int, durations: Mapping[str, Sampler]) -> Played:
        return Played(100.0 if capacities["r"] == 1 else float(seed), True, {}, {}, {})

    found = what_if(play, {"r": 1}, {"r": 2}, {}, runs=100)
    assert (found.after.mean, found.after.low, found.after.high) == (49.5, 2.0, 97.0)
    assert (found.change.low, found.change.high) == (-98.0, -3.0)


def test_observations_are_drawn_anew_before_durations_are_drawn_from_them() -> None:
    seen: set[tuple[float, ...]] = set()

    def play(capacities: Mapping[str, int], seed: int, durations: Mapping[str, Sampler]) -> Played:
        rng = random.Random(0)  # noqa: S311
        seen.add(tuple(sorted({durations["t"](rng) for _ in range(200)})))
        return Played(1.0, True, {}, {}, {})

    what_if(play, {}, {}, {"t": [1.0, 2.0, 3.0]}, runs=30)
    assert (1.0, 2.0, 3.0) in seen
    assert len(seen) > 3, "sometimes an observation is not drawn at all"


def test_what_gets_stuck_is_left_out_and_counted() -> None:
    def play(capacities: Mapping[str, int], seed: int, durations: Mapping[str, Sampler]) -> Played:
        return Played(1.0, seed % 2 == 0, {}, {}, {})

    found = what_if(play, {"r": 1}, {"r": 2}, {}, runs=10)
    assert (found.runs, found.stuck) == (5, 5)


def test_past_the_deadline_fewer_are_played_and_that_is_told() -> None:
    found = simulate_change(queue(3, 1), {"r": 2}, {"work": [1.0]}, [], runs=50, deadline=lambda: True)
    assert (found.runs, found.wanted) == (1, 50)


def test_a_resource_that_the_plan_lacks_is_refused() -> None:
    with pytest.raises(PetriError, match="there is no resource `q`") as caught:
        simulate_change(queue(3, 1), {"q": 2}, {}, [])
    assert caught.value.code == "PETRI_UNKNOWN_RESOURCE"


def test_branches_rounds_and_widths_are_those_of_history() -> None:
    flow = {
        "seq": [
            {"choice": {"id": "way", "branches": [task("left"), task("right")]}},
            {"loop": {"id": "again", "body": task("round")}},
            {"foreach": {"id": "each", "over": "what there is", "body": task("item")}},
        ]
    }
    plan, _ = plan_from_data({"name": "p", "resources": [], "flow": flow})
    fired = {"t.choice.way.2": 9, "t.loop.again.exit": 9}
    runs = [simulate(plan, decider=AsBefore(seed, {"each": 3}, fired=fired)) for seed in range(20)]
    assert {tuple(sorted(t.task for t in run.tasks)) for run in runs} == {("item", "item", "item", "right", "round")}
    past = [PastCase(f"s{n}@1", True, widths=(("each", n),), fired=fired) for n in (1, 5, 9)]
    assert simulate_change(plan, {}, {"item": [1.0]}, past, runs=3).before.mean == 3.0, "side by side"
