"""References to results: this item's inside a foreach, the list from outside, the latest in a loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from petri_cli.driver.results import Results
from petri_cli.driver.threads import Thread
from petri_cli.errors import PetriError
from petri_cli.plan.expression import Missing, evaluate, parse
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Plan, PlanNode


def task(name: str) -> dict[str, Any]:
    return {"task": {"id": name}}


def foreach(name: str, *body: dict[str, Any]) -> dict[str, Any]:
    return {"foreach": {"id": name, "over": "things", "body": {"seq": list(body)}}}


PLAN: Plan = plan_from_data(
    {
        "flow": {
            "seq": [
                task("survey"),
                foreach("out", task("build"), foreach("in", task("deep"), task("deeper")), task("after")),
                foreach("other", task("look")),
                {"loop": {"id": "again", "maxIterations": 3, "until": "${poll.ok}", "body": task("poll")}},
                task("end"),
            ]
        }
    }
)[0]
NODES: Mapping[str, PlanNode] = {node.id: node for node in PLAN.nodes if node.id}
RESULTS = {
    "survey": {"": {"files": ["a", "b"]}},
    "build": {"10": "ten", "2": "two", "1": "one"},
    "deep": {"1/1": 11, "2/1": 21, "1/2": 12, "1/10": 110},
    "poll": {"": {"ok": False}},
}


def value(text: str, node: str, thread: Thread | None = None, **more: Any) -> Any:
    results = Results(PLAN, more.pop("results", RESULTS), **more)
    return evaluate(parse(text), results.at(NODES[node], thread or Thread()))


def test_a_field_of_an_earlier_result() -> None:
    assert value("${survey.files[1]}", "end") == "b"
    assert value("${survey.files}", "deep", Thread("2/1", "x")) == ["a", "b"]


def test_inside_the_same_body_it_is_this_items_result() -> None:
    assert value("${build}", "after", Thread("2", "x")) == "two"
    assert value("${build}", "deeper", Thread("2/1", "x")) == "two"
    assert value("${deep}", "deeper", Thread("1/10", "x")) == 110


def test_from_outside_it_is_the_list_in_item_order() -> None:
    assert value("${build}", "end") == ["one", "two", "ten"]
    assert value("${deep}", "end") == [[11, 12, 110], [21]]
    assert value("${deep}", "after", Thread("1", "x")) == [11, 12, 110]
    assert value("${deep[1]}", "after", Thread("1", "x")) == 12
    assert value("${build}", "look", Thread("2", "x")) == ["one", "two", "ten"]


def test_without_items_the_list_is_empty() -> None:
    assert value("${look}", "end") == []
    assert value("${deep}", "after", Thread("7", "x")) == []


def test_items_of_an_earlier_round_are_left_out_where_the_width_is_known() -> None:
    assert value("${build}", "end", widths={"out": {"": 2}}) == ["one", "two"]
    assert value("${deep}", "end", widths={"in": {"1": 1}}) == [[11], [21]]
    assert value("${deep}", "end", widths={"out": {"": 1}}) == [[11, 12, 110]]


def test_an_item_keeps_its_place_when_its_inner_list_is_empty() -> None:
    results = {"deep": {"1/1": 1, "1/2": 2, "3/1": 3}}
    widths = {"out": {"": 3}, "in": {"1": 2, "2": 0, "3": 1}}
    assert value("${deep}", "end", results=results, widths=widths) == [[1, 2], [], [3]]
    empty = {"out": {"": 2}, "in": {"1": 0, "2": 0}}
    assert value("${deep}", "end", results={}, widths=empty) == [[], []]
    assert value("${deep}", "end", results={}, widths={"out": {"": 0}}) == []
    assert value("${deep}", "after", Thread("2", "x"), results=results, widths=widths) == []


def test_an_item_that_did_not_do_the_task_has_null_in_its_place() -> None:
    assert value("${build}", "end", results={"build": {"1": "a", "3": "c"}}, widths={"out": {"": 4}}) == [
        *("a", None, "c", None)
    ]
    widths = {"out": {"": 3}, "in": {"1": 2, "3": 1}}
    assert value("${deep}", "end", results={"deep": {"1/2": 12}}, widths=widths) == [[None, 12], None, [None]]


def test_the_item_and_the_round() -> None:
    thread = Thread("2", {"name": "core", "tags": ["x"]}, (4, 2))
    assert value("${item.name} + ${item.tags[0]}", "build", thread) == "corex"
    assert value("${loop.round}", "build", thread) == 2
    assert value("${item}", "build", Thread("1")) is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("${poll.ok.no}", "${poll.ok} is false, which has no fields such as `no`"),
        ("${end}", "task `end` has no result yet"),
        ("${polls}", "there is no task `polls`"),
        ("${item}", "there is no foreach around it, so there is no item"),
        ("${loop.round}", "there is no loop around it, so there is no round"),
    ],
)
def test_what_leads_nowhere_is_told(text: str, said: str) -> None:
    with pytest.raises(PetriError) as caught:
        value(text, "end")
    assert caught.value.message.startswith(said)
    assert value(f"exists({text})", "end") is False


def test_a_misspelt_task_is_suggested() -> None:
    with pytest.raises(Missing) as caught:
        Results(PLAN, {}).at(NODES["end"], Thread())(parse("${surveyy}"))  # type: ignore[arg-type]
    assert caught.value.hint == "did you mean `survey`?"


def test_a_result_in_a_file_is_read_when_it_is_looked_into_and_once() -> None:
    read: list[str] = []

    def load(reference: Mapping[str, Any]) -> Any:
        read.append(reference["path"])
        return {"files": [1, 2]}

    known: dict[str, Any] = {
        "results": {"survey": {"": None}},
        "in_files": {"survey": {"": {"path": "big", "size": 1, "sha256": "x"}}},
        "load": load,
    }
    assert value("true or ${survey.files[0]} == 1", "end", **known) is True
    assert read == []
    assert value("${survey.files[0]} + ${survey.files[1]}", "end", **known) == 3
    assert read == ["big"]


def test_files_are_read_once_for_all_who_look_and_only_the_latest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri_cli.driver.results.MOST_LOADED", 10)
    read: list[str] = []

    def load(reference: Mapping[str, Any]) -> Any:
        read.append(reference["path"])
        return {"path": reference["path"]}

    files: dict[str, dict[str, Any]] = {"survey": {}}
    known = Results(PLAN, {"survey": {"": None}}, None, load, files)

    def look(path: str, sha256: str = "x") -> None:
        files["survey"][""] = {"path": path, "size": 4, "sha256": sha256}
        expression = evaluate(parse("${survey.path}"), known.at(NODES["end"], Thread()))
        assert expression == path

    for path in ("a", "b", "a", "c", "a", "b"):
        look(path)
    assert read == ["a", "b", "c", "b"], "`b` was the one that nobody had asked for longest"
    look("a", "y")
    assert read[-1] == "a", "what was written anew is read anew"
