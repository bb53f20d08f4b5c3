"""Control transitions on the engine: names, rounds, items, delays, quotas, and what stops a run."""

from __future__ import annotations

from typing import Any

import pytest

from petri_cli.driver.deciders import Scripted, Seeded
from petri_cli.driver.simulate import MAX_WIDTH, Simulation, TaskRun, simulate
from petri_cli.driver.threads import Thread, items_of, name_of
from petri_cli.engine.events import TransitionCompleted
from petri_cli.errors import PetriError
from petri_cli.plan.load import load_plan_text, plan_from_data
from tests.parts import first_quick


def task(tid: str, **settings: Any) -> dict[str, Any]:
    return {"task": {"id": tid, **settings}}


def play(flow: dict[str, Any], resources: list[dict[str, Any]] | None = None, **settings: Any) -> Simulation:
    plan, _ = plan_from_data({"resources": resources or [], "flow": flow})
    return simulate(plan, **settings)


def ran(run: Simulation) -> list[tuple[str, tuple[int, ...]]]:
    """Tasks and their items, in the order in which they ended."""
    return [(t.task, t.items) for t in run.tasks]


def when(run: Simulation, task: str) -> list[tuple[float, float]]:
    return [(t.began, t.ended) for t in run.tasks if t.task == task]


def values_at(run: Simulation, place: str) -> list[object]:
    """The values of all tokens that came to ``place``."""
    done = (e for e in run.events if isinstance(e, TransitionCompleted))
    return [t.value for e in done for t in e.produced.get(place, ())]


def test_names_are_paths_of_items() -> None:
    assert (name_of(()), name_of((2, 1))) == ("", "2/1")
    assert [items_of(n) for n in ("", "2", "2/1")] == [(), (2,), (2, 1)]
    assert Thread("2").child(1, "x") == Thread("2/1", "x")


def test_a_seq_takes_as_long_as_its_members_and_a_parallel_as_its_longest() -> None:
    both = {"parallel": [task("b"), task("c")]}
    run = play({"seq": [task("a"), both, task("d")]}, durations={"a": 2, "b": 1, "c": 5, "d": 1})
    assert (run.outcome, run.seconds) == ("completed", 8)
    assert run.tasks[-1] == TaskRun("d", (), 7, 8)


def test_the_branch_that_is_decided_on_runs_and_no_other() -> None:
    flow = {"choice": [task("a"), task("b"), task("c")]}
    assert ran(play(flow, decider=Scripted(branches={"1": [3]}))) == [("c", ())]
    taken = {ran(play(flow, seed=seed))[0][0] for seed in range(20)}
    assert taken == {"a", "b", "c"}


def test_a_branch_that_there_is_not_fails_the_run() -> None:
    run = play({"choice": [task("a"), task("b")]}, decider=Scripted(branches={"1": [3]}))
    assert run.outcome == "failed"
    assert "branches 1 to 2" in run.failures[0][2]


def test_rounds_ride_on_the_token_and_nothing_is_left_over() -> None:
    inner = {"loop": {"id": "in", "maxIterations": 5, "body": task("t")}}
    outer = {"loop": {"id": "out", "maxIterations": 5, "body": inner}}
    run = play(outer, decider=Scripted(rounds={"in": 2, "out": 3}))
    assert len(run.tasks) == 6
    expected = [{"rounds": (i, j)} for i in (1, 2, 3) for j in (1, 2)]
    assert values_at(run, "p.loop.in.decide") == expected
    (end,) = run.result.marking["p.end"]
    assert (end.name, end.value) == ("", None)


@pytest.mark.parametrize(
    ("until", "exhausted", "outcome"),
    [(None, "fail", "completed"), ("${t.ok}", "exit", "completed"), ("${t.ok}", "fail", "failed")],
)
def test_a_loop_that_wants_more_rounds_than_it_has(until: str | None, exhausted: str, outcome: str) -> None:
    loop = {"id": "l", "maxIterations": 3, "onExhausted": exhausted, "body": task("t")}
    if until:
        loop["until"] = until
    run = play({"loop": loop}, decider=Scripted(rounds={"l": 9}))
    assert (run.outcome, len(run.tasks)) == (outcome, 3)
    assert [f[1] for f in run.failures] == ["LoopExhausted"] * (outcome == "failed")


def test_by_chance_a_loop_never_passes_its_bound() -> None:
    loop = {"id": "l", "maxIterations": 3, "until": "${t.ok}", "body": task("t")}
    rounds = {len(play({"loop": loop}, seed=seed).tasks) for seed in range(30)}
    assert rounds == {1, 2, 3}


def test_a_delay_lies_between_rounds_and_occupies_nobody() -> None:
    poll = {"loop": {"id": "l", "maxIterations": 3, "delay": "10s", "body": task("t")}}
    other = {"seq": [task(f"o{n}") for n in range(5)]}
    run = play({"parallel": [poll, other]}, decider=Scripted(rounds={"l": 3}), max_concurrency=1)
    assert [began for began, _ in when(run, "t")][1:] == [11, 22]
    assert when(run, "o4")[0][1] <= 7


def test_delays_of_several_items_run_side_by_side() -> None:
    poll = {"loop": {"id": "l", "maxIterations": 2, "delay": "10s", "body": task("t")}}
    each = {"foreach": {"id": "f", "over": "items", "body": poll}}
    run = play(each, decider=Scripted(rounds={"l": 2}), widths={"f": 4}, durations={"t": 0})
    assert run.seconds == 10


def test_items_of_a_literal_list_carry_their_values_and_end_in_a_gather() -> None:
    each = {"foreach": {"id": "f", "over": ["x", {"k": 1}, None], "body": task("t")}}
    run = play({"seq": [each, task("after")]})
    assert sorted(ran(run)) == [("after", ()), ("t", (1,)), ("t", (2,)), ("t", (3,))]
    assert values_at(run, "p.foreach.f.body") == [{"item": "x"}, {"item": {"k": 1}}, None]
    assert when(run, "after") == [(1, 2)]


def test_a_foreach_without_items_goes_straight_on() -> None:
    each = {"foreach": {"id": "f", "over": "items", "body": task("t")}}
    run = play({"seq": [each, task("after")]}, decider=Scripted(widths={"f": 0}))
    assert (run.outcome, ran(run)) == ("completed", [("after", ())])


def test_more_items_than_the_limit_fail_and_none_is_cut_off() -> None:
    each = {"foreach": {"id": "f", "over": "items", "maxWidth": 2, "body": task("t")}}
    run = play(each, widths={"f": 3})
    assert (run.outcome, run.tasks) == ("failed", ())
    assert run.failures[0][1:] == ("TooManyItems", "foreach f found 3 items; maxWidth is 2")
    assert len(play(each).tasks) == 2, "the usual width stays within the limit"


def test_an_item_is_gathered_when_its_own_items_have_ended_whatever_others_do() -> None:
    inner = {"foreach": {"id": "in", "over": "items", "body": task("t")}}
    outer = {"foreach": {"id": "out", "over": "items", "body": {"seq": [task("first"), inner, task("after")]}}}
    lasts = iter([1.0, 1.0, 50.0, 50.0])
    run = play(outer, widths={"out": 2, "in": 2}, durations={"t": lambda rng: next(lasts)})
    assert sorted(when(run, "after")) == [(2, 3), (51, 52)]
    assert sorted(i for t, i in ran(run) if t == "t") == [(1, 1), (1, 2), (2, 1), (2, 2)]


def test_a_join_inside_a_foreach_waits_for_the_branches_of_its_own_item() -> None:
    both = {"parallel": [task("quick"), task("slow")]}
    each = {"foreach": {"id": "f", "over": "items", "body": {"seq": [both, task("after")]}}}
    quick, slow = iter([1.0, 9.0]), iter([9.0, 1.0])
    durations = {"quick": lambda rng: next(quick), "slow": lambda rng: next(slow)}
    run = play(each, widths={"f": 2}, durations=durations)
    assert when(run, "after") == [(9, 10), (9, 10)], "joined by name, not by who comes first"


def test_units_are_held_for_the_duration_of_the_body() -> None:
    each = {
        "foreach": {"id": "f", "over": "items", "body": {"guard": {"resource": "r", "units": 2, "body": task("t")}}}
    }
    run = play(each, [{"id": "r", "capacity": 5}], widths={"f": 5})
    assert run.seconds == 3
    assert run.result.counts == {"p.end": 1, "r.r": 5}


def test_units_of_a_quota_come_back_with_time() -> None:
    each = {"foreach": {"id": "f", "over": "items", "body": {"guard": {"resource": "api", "body": task("t")}}}}
    run = play(each, [{"id": "api", "capacity": 2, "per": "1m"}], widths={"f": 5}, max_concurrency=3)
    assert [began for began, _ in when(run, "t")] == [0, 0, 60, 60, 120]
    assert run.outcome == "completed"
    assert run.seconds == 121, "the run is over with its last step, not when the last unit is back"


def test_as_many_units_of_a_quota_come_back_as_were_taken() -> None:
    run = play({"seq": [all_three("t"), all_three("u")]}, [{"id": "api", "capacity": 3, "per": "1m"}])
    assert when(run, "u") == [(60, 61)]
    assert run.result.counts == {"p.end": 1, "r.api": 3}


def all_three(tid: str) -> dict[str, Any]:
    return {"guard": {"resource": "api", "units": 3, "body": task(tid)}}


def test_each_unit_of_a_quota_has_a_time_of_its_own() -> None:
    guarded = {"guard": {"resource": "api", "body": task("t")}}
    flow = {"seq": [{"loop": {"id": "l", "maxIterations": 4, "body": {"seq": [guarded, task("pause")]}}}]}
    run = play(
        flow,
        [{"id": "api", "capacity": 2, "per": "1m"}],
        decider=Scripted(rounds={"l": 4}),
        durations={"t": 0, "pause": 10},
    )
    assert [began for began, _ in when(run, "t")] == [0, 10, 60, 70]


def test_lock_inversion_deadlocks_when_the_branches_meet_and_not_when_they_do_not() -> None:
    def locks(first: str, second: str, before: str) -> dict[str, Any]:
        inner = {"seq": [task(f"{before}2"), {"guard": {"resource": second, "body": task(f"{before}3")}}]}
        return {"seq": [task(before), {"guard": {"resource": first, "body": inner}}]}

    flow = {"parallel": [locks("A", "B", "x"), locks("B", "A", "y")]}
    resources = [{"id": "A", "capacity": 1}, {"id": "B", "capacity": 1}]
    assert play(flow, resources).outcome == "deadlocked"
    assert play(flow, resources, durations={"x": 0, "y": 10}).outcome == "completed"


def test_a_task_of_higher_priority_gets_the_free_place_first() -> None:
    branches = [task("low"), task("high", priority=5), task("middle", priority=1)]
    run = play({"parallel": branches}, max_concurrency=1)
    assert [t for t, _ in ran(run)] == ["high", "middle", "low"]


def test_a_task_that_starts_late_by_its_timing_takes_longer() -> None:
    assert play(task("t", timing={"delayed": "5s"})).seconds == 6


def test_the_same_arguments_give_the_same_run() -> None:
    both = {"choice": [task("a"), task("b")]}
    flow = {"foreach": {"id": "f", "over": "items", "body": {"loop": {"id": "l", "maxIterations": 9, "body": both}}}}
    durations = {"a": lambda rng: rng.expovariate(1), "b": lambda rng: rng.uniform(1, 2)}
    runs = [play(flow, seed=3, widths={"f": 5}, durations=durations) for _ in range(2)]
    assert runs[0].events == runs[1].events
    assert runs[0].events != play(flow, seed=4, widths={"f": 5}, durations=durations).events


def test_decisions_do_not_depend_on_the_schedule() -> None:
    both = {"choice": [task("a"), task("b")]}
    flow = {"foreach": {"id": "f", "over": "items", "body": {"loop": {"id": "l", "maxIterations": 9, "body": both}}}}
    alone = play(flow, seed=3, widths={"f": 5}, max_concurrency=1)
    together = play(flow, seed=3, widths={"f": 5}, durations={"a": 7})
    assert sorted(ran(alone)) == sorted(ran(together))


def test_names_that_the_plan_lacks_are_refused() -> None:
    each = {"foreach": {"id": "pages", "over": "items", "body": task("build")}}
    with pytest.raises(PetriError, match="did you mean `pages`") as caught:
        play(each, widths={"page": 2})
    assert caught.value.code == "PETRI_UNKNOWN_FOREACH"
    with pytest.raises(PetriError, match="did you mean `build`") as caught:
        play(each, durations={"biuld": 2})
    assert caught.value.code == "PETRI_UNKNOWN_TASK"
    with pytest.raises(PetriError) as caught:
        play(each, widths={"pages": MAX_WIDTH + 1})
    assert caught.value.code == "PETRI_OUT_OF_RANGE"


def test_a_run_that_would_go_on_for_long_is_stopped() -> None:
    run = play({"loop": {"id": "l", "body": task("t")}}, decider=Scripted(rounds={"l": 10**9}), max_firings=100)
    assert run.outcome == "closed"
    assert 100 <= run.result.firings <= 102


@pytest.mark.slow
@pytest.mark.parametrize("kind", first_quick("loop", "guard", "foreach"))
def test_deeply_nested_blocks_run(kind: str) -> None:
    depth = 5_000 if kind == "guard" else 1_000
    block = {
        "guard": '{"guard": {"id": "g%d", "resource": "r", "body": ',
        "loop": '{"loop": {"id": "l%d", "maxIterations": 1, "body": ',
        "foreach": '{"foreach": {"id": "f%d", "over": ["x"], "body": ',
    }[kind]
    text = '{"resources": [{"id": "r", "capacity": 9999}], "flow": '
    text += "".join(block % n for n in range(depth)) + '{"task": {"id": "t"}}' + "}}" * depth + "}"
    plan, _ = load_plan_text(text, "deep.json")
    assert simulate(plan).outcome == "completed"


def test_a_branch_is_drawn_evenly() -> None:
    plan, _ = plan_from_data({"flow": {"choice": [task("a"), task("b"), task("c")]}})
    choice = plan.nodes[0]
    drawn = [Seeded(seed).branch(choice, Thread()) for seed in range(300)]  # type: ignore[arg-type]
    assert all(70 < drawn.count(k) < 130 for k in (1, 2, 3))
