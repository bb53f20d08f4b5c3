"""Printing plans as YAML, and telling whether two plans say the same."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petri_cli.document.write import literal_lines, scalar_text
from petri_cli.errors import Position
from petri_cli.plan.compare import same_data, same_plan
from petri_cli.plan.data import plan_data
from petri_cli.plan.load import load_plan_text, plan_from_data
from petri_cli.plan.model import Guard, Plan
from petri_cli.plan.printer import print_plan

PRINTED = """\
name: release
objective: Ship it
defaults: {timeout: 30m}
resources:
  - {id: repo_lock, capacity: 1}
  - {id: api, capacity: 100, per: 1m}
x-owner: team green
flow:
  seq:
    - task: {id: survey, name: Survey the codebase, run: python survey.py}
    - foreach:
        id: each_pkg
        over: "${survey.packages}"
        maxWidth: 8
        body:
          guard:
            resource: [repo_lock, api]
            units: 2
            body:
              task:
                id: migrate
                run: |
                  set -e
                  ./migrate.sh {item}
                retry: {delay: 10s, factor: 2}
    - choice:
        id: verdict
        branches:
          - when: "${survey.ok}"
            name: all green
            body:
              task: {id: ship, run: [make, "-j", "4"]}
          - parallel:
              - loop:
                  id: green
                  maxIterations: 5
                  onExhausted: exit
                  body:
                    task: {id: "on", name: "012", with: {at: "1:30", nothing: null, ok: false, x: 1.5}}
              - guard:
                  id: last
                  resource: api
                  body:
                    task: {id: report}
"""


def load(text: str) -> Plan:
    return load_plan_text(text, "plan.yaml")[0]


def test_plans_are_printed_the_way_people_write_them() -> None:
    assert print_plan(load(PRINTED)) == PRINTED


def test_a_very_deep_plan_comes_as_json_and_loads_again() -> None:
    flow: object = {"task": {"id": "t"}}
    for _ in range(200):
        flow = {"seq": [flow]}
    plan, _ = plan_from_data({"flow": flow})
    text = print_plan(plan)
    assert text.startswith('{"name": "plan", "flow": {"seq": [')
    assert same_plan(load(text), plan)


def test_a_very_long_key_makes_the_plan_come_as_json() -> None:
    plan, _ = plan_from_data({"flow": {"task": {"id": "t", "with": {"k" * 2000: 1}}}})
    assert same_plan(load(print_plan(plan)), plan)
    assert print_plan(plan).startswith("{")


def test_a_guard_with_different_units_cannot_be_written() -> None:
    plan = load("resources: [{id: a, capacity: 2}]\nflow: {guard: {resource: a, body: {task: {id: t}}}}")
    guard = plan.nodes[0]
    assert isinstance(guard, Guard)
    odd = replace(plan, nodes=(replace(guard, units=(("a", 1), ("b", 2))), *plan.nodes[1:]))
    with pytest.raises(ValueError, match="different numbers of units"):
        print_plan(odd)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *(("make test", "make test"), ("a-b_c.d/e", "a-b_c.d/e"), ("1h30m", "1h30m"), ("on", '"on"'), ("Yes", '"Yes"')),
        *(("", '""'), (" a", '" a"'), ("a ", '"a "'), ("a: b", '"a: b"'), ("012", '"012"'), ("null", '"null"')),
        *(('say "hi"', "'say \"hi\"'"), ('it\'s "x"', '"it\'s \\"x\\""'), ("a\nb", '"a\\nb"'), ("\x85", '"\\u0085"')),
        *((True, "true"), (None, "null"), (3, "3"), (3.0, "3.0"), (1e16, "1.0e+16"), (1e-7, "1.0e-07")),
    ],
)
def test_scalars_are_quoted_where_a_reader_might_err(value: object, text: str) -> None:
    assert scalar_text(value) == text


@pytest.mark.parametrize(
    "text", ["one line", " first\nindented", "\nx", "x\n \ny", "x\n\n", "a\tb\nc", "a\u2028b\nc", "a\x07\nb"]
)
def test_text_that_a_block_might_change_is_not_written_as_one(text: str) -> None:
    assert literal_lines(text) is None


def test_positions_and_files_do_not_count_but_everything_else_does() -> None:
    plan = load(PRINTED)
    moved = load("# a comment\n" + PRINTED.replace("2\n", "2   \n"))
    assert same_plan(plan, replace(moved, file="other.yaml"))
    assert not same_plan(plan, load(PRINTED.replace("units: 2", "units: 3")))
    assert not same_plan(plan, load(PRINTED.replace("x: 1.5", "x: 2.5")))
    assert not same_plan(plan, load(PRINTED.replace("Ship it", "Ship")))
    assert not same_plan(plan, load(PRINTED.replace("capacity: 100", "capacity: 99")))
    assert not same_plan(plan, load(PRINTED.replace("name: all green", "name: all")))
    assert not same_plan(plan, load("flow: {task: {id: a}}"))
    assert not same_plan(load("flow: {task: {id: a}}"), load("flow: {loop: {id: a, body: {task: {id: a}}}}"))


def test_numbers_and_truth_of_one_value_are_different_data() -> None:
    assert same_data({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]})
    for a, b in ((1, 1.0), (1, True), (0, False), ("1", 1), ([], {}), ([1], [1, 2]), ({"a": 1}, {"b": 1}), (None, 0)):
        assert not same_data([a], [b])


def test_plan_data_is_the_document_again() -> None:
    document = {
        "name": "x",
        "resources": [{"id": "r", "capacity": 1, "per": "1m30s"}],
        "flow": {
            "parallel": [
                {"guard": {"resource": "r", "body": {"task": {"id": "a", "timeout": "5m"}}}},
                {"task": {"id": "b"}},
            ]
        },
    }
    plan, _ = plan_from_data(document)
    assert plan_data(plan) == document
    assert plan.nodes[0].where == Position("")
