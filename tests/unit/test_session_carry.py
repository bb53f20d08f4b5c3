"""What a new plan makes of work under way: kept, done anew, or in the way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from petri_cli.driver.carry import Carried, carry
from petri_cli.errors import PetriError
from petri_cli.plan.lower import lower_execution
from petri_cli.session.events import Revoked
from petri_cli.session.fold import fold
from tests.strategies.session_runs import done_until, read


def task(name: str, **settings: Any) -> dict[str, Any]:
    return {"task": {"id": name, "run": f"do {name}", **settings}}


def plan(*steps: Any, **top: Any) -> dict[str, Any]:
    return {"name": "p", **top, "flow": {"seq": list(steps)}}


def over(events: Any, document: Any) -> Carried:
    new = read(json.dumps(document))
    return carry(events, fold(events), read, new, lower_execution(new), 10**9)


ABC = plan(task("a"), task("b"), task("c"))


def test_done_tasks_stay_done_and_the_next_one_has_the_token() -> None:
    new = over(done_until(ABC, "a")[:-1], ABC)  # without the claim of b
    assert new.kept == {"a": [""]}
    assert new.marking.keys() == {"p.done.a"}


def test_a_claim_goes_on_where_its_task_is_the_same() -> None:
    new = over(done_until(ABC, "a"), plan(task("a"), task("b", maxAttempts=5), task("d")))
    assert [list(tokens) for tokens in new.moved.values()] == [["p.done.a"]]
    assert not new.marking


def test_a_claim_whose_task_is_another_one_now_is_in_the_way() -> None:
    events = done_until(ABC, "a")
    with pytest.raises(PetriError, match=r"`b` is being worked on \(claim c2, shell\) and is another task") as error:
        over(events, plan(task("a"), task("b", run="do otherwise"), task("c")))
    assert error.value.code == "PETRI_REVISION_MISFIT"
    revoked = [*events, Revoked(events[-1].at, "c2", "in the way")]
    assert over(revoked, plan(task("a"), task("b", run="do otherwise"), task("c"))).marking.keys() == {"p.done.a"}


def test_a_changed_task_is_done_anew() -> None:
    new = over(done_until(ABC, "a")[:-1], plan(task("a", run="do better"), task("b"), task("c")))
    assert new.kept == {}
    assert new.marking.keys() == {"p.start"}


def test_a_done_task_behind_a_changed_one_is_in_the_way() -> None:
    with pytest.raises(PetriError, match="`b` is done, but in the new plan its turn cannot have come") as error:
        over(done_until(ABC, "b")[:-1], plan(task("a", run="do better"), task("b"), task("c")))
    assert error.value.code == "PETRI_REVISION_MISFIT"
    assert "give it a new id, too" in error.value.hint
    renamed = over(done_until(ABC, "b")[:-1], plan(task("a", run="do better"), task("b2"), task("c")))
    assert renamed.kept == {}


def test_a_done_task_that_is_gone_is_not_missed() -> None:
    new = over(done_until(ABC, "b")[:-1], plan(task("b"), task("c")))
    assert new.kept == {"b": [""]}
    assert new.marking.keys() == {"p.done.b"}


def test_a_step_put_before_the_next_one_is_next() -> None:
    new = over(done_until(ABC, "a")[:-1], plan(task("a"), task("new"), task("b")))
    assert new.marking.keys() == {"p.done.a"}


def test_a_step_put_before_a_done_one_is_refused() -> None:
    with pytest.raises(PetriError, match="`a` is done"):
        over(done_until(ABC, "a")[:-1], plan(task("new"), task("a"), task("b")))


def test_policies_may_change_while_a_task_is_done() -> None:
    patient = plan(task("a", maxAttempts=7, timeout="2h", lease="5m"), task("b"), defaults={"maxAttempts": 3})
    assert over(done_until(ABC, "a")[:-1], patient).kept == {"a": [""]}


def test_a_task_whose_default_worker_changed_is_another_one() -> None:
    by = {"workers": {"agent": {"command": "agent"}}, "defaults": {"worker": "agent"}}
    first = {"task": {"id": "a"}}
    events = done_until(plan(first, task("b"), **by), "a")[:-1]
    assert over(events, plan(first, task("b"), **by)).kept == {"a": [""]}
    assert over(events, plan(first, task("b"), **{**by, "workers": {"agent": {"command": "other"}}})).kept == {}


def test_items_keep_what_they_did_when_a_step_is_added_behind() -> None:
    each = {"foreach": {"id": "each", "over": ["x", "y"], "body": task("work")}}
    more = {"foreach": {"id": "each", "over": ["x", "y"], "body": {"seq": [task("work"), task("check")]}}}
    events = done_until(plan(each, task("end")), "work")[:-1]
    new = over(events, plan(more, task("end")))
    assert sorted(new.kept["work"]) == ["1", "2"]
    assert [t.name for t in new.marking["p.done.work"]] == ["1", "2"]


def test_a_list_that_changed_after_its_items_were_worked_on_is_in_the_way() -> None:
    each = {"foreach": {"id": "each", "over": ["x", "y"], "body": task("work")}}
    other = {"foreach": {"id": "each", "over": ["z"], "body": task("work")}}
    with pytest.raises(PetriError, match=r"`work\[\d\]` is done"):
        over(done_until(plan(each, task("end")), "work")[:-1], plan(other, task("end")))


def test_a_block_holds_what_it_held() -> None:
    resources = [{"id": "lock", "capacity": 2}]
    guard = {"guard": {"resource": "lock", "body": {"seq": [task("a"), task("b")]}}}
    events = done_until({"name": "p", "resources": resources, "flow": guard}, "a")[:-1]
    new = over(events, {"name": "p", "resources": resources, "flow": {"seq": [guard, task("c")]}})
    assert [(h.transition, dict(h.units)) for h in new.holdings] == [("t.guard.g1.acquire", {"r.lock": 1})]
    assert len(new.marking["r.lock"]) == 1


def test_rounds_of_a_loop_are_counted_on() -> None:
    loop = {"loop": {"id": "l", "maxIterations": 5, "body": {"seq": [task("a"), task("b")]}}}
    longer = {"loop": {"id": "l", "maxIterations": 9, "body": {"seq": [task("a"), task("b")]}}}
    new = over(done_until(plan(loop, task("end")), "a")[:-1], plan(longer, task("end")))
    assert [t.value for t in new.marking["p.done.a"]] == [{"rounds": (1,)}]
