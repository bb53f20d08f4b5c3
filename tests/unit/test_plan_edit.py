"""Numbers changed in the text of a plan: nothing else moves."""

from __future__ import annotations

import difflib

import pytest

from petri_cli.errors import PetriError
from petri_cli.plan.edit import Change, edit_plan
from petri_cli.plan.load import load_plan_text

BLOCK = """\
# what it is for
resources:
  - {id: slots, capacity: 2}   # two
  - id: lock
    capacity: 1
flow:
  seq:
    - task: {id: a, run: make}
    - task:
        id: b   # the second
        maxAttempts: 3
        run: |
          make test
"""


def changed(text: str, *changes: Change, file: str = "plan.yaml") -> list[str]:
    """The lines that differ; the result is still a plan."""
    new = edit_plan(text, file, changes)
    load_plan_text(new, file)
    return [line for line in difflib.ndiff(text.splitlines(), new.splitlines()) if line[0] in "+-"]


def test_a_written_number_is_replaced_and_its_comment_stays() -> None:
    assert changed(BLOCK, Change("resource", "slots", "capacity", 3)) == [
        "-   - {id: slots, capacity: 2}   # two",
        "+   - {id: slots, capacity: 3}   # two",
    ]
    assert changed(BLOCK, Change("task", "b", "maxAttempts", 14)) == [
        "-         maxAttempts: 3",
        "+         maxAttempts: 14",
    ]


def test_a_number_that_is_not_written_is_put_before_the_first_key() -> None:
    assert changed(BLOCK, Change("task", "a", "maxAttempts", 2))[-1] == (
        "+     - task: {maxAttempts: 2, id: a, run: make}"
    )
    assert changed(BLOCK, Change("task", "b", "timeout", "30m")) == ["+         timeout: 30m"]


def test_several_changes_are_made_at_once() -> None:
    new = edit_plan(
        BLOCK,
        "plan.yaml",
        [
            Change("task", "b", "timeout", "5s"),
            Change("resource", "lock", "capacity", 2),
            Change("task", "a", "lease", "9s"),
        ],
    )
    plan, _ = load_plan_text(new, "plan.yaml")
    assert plan.capacities() == {"slots": 2, "lock": 2}
    assert [dict(t.settings).get("timeout") for t in plan.tasks()] == [None, 5.0]


def test_json_stays_json() -> None:
    text = '{"resources": [{"id": "r", "capacity": 1}], "flow": {"task": {"id": "a", "run": "ls"}}}'
    new = edit_plan(text, "plan.json", [Change("task", "a", "timeout", "5s"), Change("resource", "r", "capacity", 2)])
    assert new == (
        '{"resources": [{"id": "r", "capacity": 2}], "flow": {"task": {"timeout": "5s", "id": "a", "run": "ls"}}}'
    )


@pytest.mark.parametrize(
    ("text", "change"),
    [
        (BLOCK, Change("task", "nobody", "maxAttempts", 2)),
        ("x-n: &n 3\nflow: {task: {id: a, maxAttempts: *n}}\n", Change("task", "a", "maxAttempts", 2)),
        ("x-d: &d {maxAttempts: 2}\nflow: {task: {<<: *d, id: a}}\n", Change("task", "a", "maxAttempts", 3)),
        ("flow:\n  task:\n    ? id\n    : a\n", Change("task", "a", "maxAttempts", 3)),
    ],
)
def test_what_cannot_be_changed_alone_is_refused(text: str, change: Change) -> None:
    with pytest.raises(PetriError) as error:
        edit_plan(text, "plan.yaml", [change])
    assert error.value.code == "PETRI_CANNOT_EDIT"


def test_data_that_looks_like_a_task_or_a_resource_is_left_alone() -> None:
    text = (
        "resources: [{id: db, capacity: 1}]\n"
        "flow:\n"
        "  seq:\n"
        "    - task: {id: a, run: x, maxAttempts: 2}\n"
        "    - task: {id: b, run: y, with: {task: {id: a, maxAttempts: 9}, resources: [{id: db, capacity: 8}]}}\n"
        "    - task: {id: c, run: z, verify: {schema: {const: {task: {id: a, maxAttempts: 7}}}}}\n"
    )
    assert [line for line in changed(text, Change("task", "a", "maxAttempts", 3)) if line[0] == "+"] == [
        "+     - task: {id: a, run: x, maxAttempts: 3}"
    ]
    assert "+ resources: [{id: db, capacity: 5}]" in changed(text, Change("resource", "db", "capacity", 5))


def test_a_line_ends_where_the_reader_of_the_language_says_that_it_does() -> None:
    text = '{"name": "a\u2028b", "flow":\n {"task": {"id": "a", "run": "ls"}}}'
    new = edit_plan(text, "plan.json", [Change("task", "a", "maxAttempts", 2)])
    assert new == '{"name": "a\u2028b", "flow":\n {"task": {"maxAttempts": 2, "id": "a", "run": "ls"}}}'
