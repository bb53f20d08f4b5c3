"""The structure of a plan changed in its text: what is meant changes, everything else stays byte for byte."""

from __future__ import annotations

import difflib
import json

import pytest

from petri_cli.errors import PetriError
from petri_cli.plan.edit_changes import (
    AddResource,
    Change,
    Reorder,
    SetCapacity,
    SetWidth,
    Together,
    Wrap,
    same_but_for_ids,
    with_changes,
)
from petri_cli.plan.edit_structure import Edited, edit_structure
from petri_cli.plan.edit_text import Sheet, TextEdit, applied
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.model import Foreach, Guard

BLOCK = """\
# two locks
resources:
  - {id: db, capacity: 1}   # one writer
  - id: gpu
    capacity: 1
flow:
  parallel:
    # the trainer
    - guard:
        resource: db      # rows
        body:
          guard:
            resource: gpu  # and a card
            body:
              task: {id: train, run: |-
                  echo it}
    - guard:
        resource: gpu
        body:
          guard: {resource: db, body: {task: {id: export}}}   # back
""".replace(
    "{id: train, run: |-\n                  echo it}",
    "\n                id: train\n                run: |\n\n                  echo it\n",
)
FLOW = """\
resources: [{id: db, capacity: 1}, {id: gpu, capacity: 1}]
flow: {parallel: [
  {guard: {resource: db, body: {guard: {resource: gpu, units: 1,
    body: {task: {id: train}}}}}},
  guard: {resource: gpu, body: {guard: {resource: [db], body: {foreach: {id: each, over: x, body: {task: {id: t}}}}}}}
]}
"""


def edited(text: str | bytes, *changes: Change, file: str = "plan.yaml") -> Edited:
    data = text if isinstance(text, bytes) else text.encode()
    plan, _ = load_plan_text(data, file)
    return edit_structure(data, file, plan, changes)


def changed(text: str, *changes: Change, file: str = "plan.yaml") -> list[str]:
    """The lines that differ."""
    after = edited(text, *changes, file=file).data.decode()
    return [line for line in difflib.ndiff(text.splitlines(), after.splitlines()) if line[0] in "+-"]


def guards(text: str | bytes, file: str = "plan.yaml") -> list[int]:
    return [n.index for n in load_plan_text(text, file)[0].nodes if isinstance(n, Guard)]


def test_a_capacity_is_replaced_where_it_stands() -> None:
    assert changed(BLOCK, SetCapacity("db", 2), SetCapacity("gpu", 10)) == [
        "-   - {id: db, capacity: 1}   # one writer",
        "+   - {id: db, capacity: 2}   # one writer",
        "-     capacity: 1",
        "+     capacity: 10",
    ]


def test_guards_that_trade_their_resources_take_their_comments_along() -> None:
    outer, inner, *_ = guards(BLOCK)
    assert changed(BLOCK, Reorder((outer, inner), (1, 0))) == [
        "-         resource: db      # rows",
        "+         resource: gpu  # and a card",
        "-             resource: gpu  # and a card",
        "+             resource: db      # rows",
    ]


def test_where_one_of_them_is_in_flow_style_only_the_names_move() -> None:
    *_, outer, inner = guards(BLOCK)
    lines = changed(BLOCK, Reorder((outer, inner), (1, 0)))
    assert "+         resource: db" in lines
    assert "+           guard: {resource: gpu, body: {task: {id: export}}}   # back" in lines
    assert len(lines) == 4


def test_units_move_with_the_resource_and_are_written_where_they_are_needed() -> None:
    text = (
        "resources: [{id: a, capacity: 3}, {id: b, capacity: 3}, {id: c, capacity: 3}]\n"
        "flow:\n"
        "  guard:\n"
        "    resource: a\n"
        "    units: 2\n"
        "    body:\n"
        "      guard: {resource: [b, c], body: {guard: {resource: c, units: 3, body: {task: {id: t}}}}}\n"
    )
    after = edited(text, Reorder(tuple(guards(text)), (1, 2, 0)))
    assert [g.units for g in after.plan.guards()] == [(("b", 1), ("c", 1)), (("c", 3),), (("a", 2),)]
    assert "resource: [b, c]\n    units: 1\n" in after.data.decode()
    assert "{resource: c, units: 3, body: {guard: {resource: a, units: 2, body:" in after.data.decode()


def test_a_block_is_wrapped_in_the_style_of_the_plan() -> None:
    outer = guards(BLOCK)[0]
    after = edited(BLOCK, AddResource("gate", 1), Wrap(outer, "gate")).data.decode()
    assert (
        "    capacity: 1\n"
        "  - {id: gate, capacity: 1}\n"
        "flow:\n"
        "  parallel:\n"
        "    # the trainer\n"
        "    - guard:\n"
        "        resource: gate\n"
        "        body:\n"
        "          guard:\n"
        "            resource: db      # rows\n"
    ) in after
    assert "                    run: |\n\n                      echo it\n" in after, "a literal block moves as a whole"


def test_a_block_on_one_line_stays_on_it_where_it_fits() -> None:
    text = (
        "resources: [{id: a, capacity: 1}]\n"
        "flow:\n"
        "  parallel:\n"
        "    - guard: {resource: a, body: {task: {id: t}}}  # short\n"
        f"    - guard: {{resource: a, body: {{task: {{id: u, name: {'x' * 60}}}}}}}\n"
    )
    first, second = guards(text)
    lines = changed(text, Wrap(first, "a"), Wrap(second, "a"))
    assert "+     - guard: {resource: a, body: {guard: {resource: a, body: {task: {id: t}}}}}  # short" in lines
    assert "+     - guard:" in lines


@pytest.mark.parametrize("file", ["plan.yaml", "plan.petri.json"])
@pytest.mark.parametrize("indent", [None, 2, 4, "\t"])
def test_json_keeps_its_indentation(indent: int | str | None, file: str) -> None:
    """What json.dumps writes of the changed plan, once in its keys' order, is what the edit leaves."""

    def lock(outer: str, inner: str, task: str) -> dict[str, object]:
        body = {"guard": {"resource": inner, "body": {"task": {"id": task}}}}
        return {"guard": {"resource": outer, "body": body}}

    resources = [{"id": "a", "capacity": 1}, {"id": "b", "capacity": 1}]
    document = {"resources": resources, "flow": {"parallel": [lock("a", "b", "x"), lock("b", "a", "y")]}}
    gate = {"id": "gate", "capacity": 1}
    wrap = {"guard": {"resource": "gate", "body": lock("a", "b", "x")}}
    meant = {"resources": [*resources, gate], "flow": {"parallel": [wrap, lock("a", "b", "y")]}}
    text = json.dumps(document, indent=indent)
    first, _, third, fourth = guards(text, file)
    changes = (AddResource("gate", 1), Wrap(first, "gate"), Reorder((third, fourth), (1, 0)))
    assert edited(text, *changes, file=file).data.decode() == json.dumps(meant, indent=indent)


def test_a_width_is_bounded_or_its_bound_lowered() -> None:
    text = "flow:\n  foreach:\n    id: each\n    over: x\n    # all of it\n    body: {task: {id: t}}\n"
    [each] = [n.index for n in load_plan_text(text)[0].nodes if isinstance(n, Foreach)]
    assert changed(text, SetWidth(each, 3)) == ["+     maxWidth: 3"]
    bounded = text.replace("    over: x\n", "    over: x\n    maxWidth: 7  # seven\n")
    assert changed(bounded, SetWidth(each, 3)) == ["-     maxWidth: 7  # seven", "+     maxWidth: 3  # seven"]
    flow = "flow: {foreach: {id: each, over: x, body: {task: {id: t}}}}\n"
    assert changed(flow, SetWidth(each, 3))[-1] == (
        "+ flow: {foreach: {id: each, over: x, maxWidth: 3, body: {task: {id: t}}}}"
    )


def test_a_guard_that_takes_both_at_once_keeps_what_is_inside_as_it_is() -> None:
    text = BLOCK.replace("      # rows", "").replace("  # and a card", "")
    outer, inner, third, fourth = guards(text)
    after = edited(text, Together(outer, ("gpu",), (inner,)), Together(third, ("db",), (fourth,))).data.decode()
    assert (
        "    - guard:\n"
        "        resource: [db, gpu]\n"
        "        body:\n"
        "          task: \n"
        "            id: train\n"
        "            run: |\n"
        "\n"
        "              echo it\n"
    ) in after
    assert "        resource: [gpu, db]\n        body: {task: {id: export}}   # back\n" in after


def test_flow_style_over_several_lines() -> None:
    first, _, third, fourth = guards(FLOW)
    after = edited(FLOW, AddResource("gate", 2), Wrap(first, "gate"), Wrap(third, "gate"))
    text = after.data.decode()
    assert "[{id: db, capacity: 1}, {id: gpu, capacity: 1}, {id: gate, capacity: 2}]" in text
    assert "  {guard: {resource: gate, body: {guard: {resource: db, body:" in text
    assert "  {guard: {resource: gate, body: {guard: {resource: gpu, body:" in text, "it had no braces of its own"
    swapped = edited(FLOW, Reorder((third, fourth), (1, 0))).data.decode()
    assert "guard: {resource: [db], body: {guard: {resource: gpu, body:" in swapped


@pytest.mark.parametrize("encode", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("last", ["", "\n"])
def test_encoding_line_ends_and_the_last_line_stay(encode: str, newline: str, last: str) -> None:
    text = BLOCK.replace("two locks", "zwei Schlösser 😀").rstrip("\n").replace("\n", newline) + last.replace(
        "\n", newline
    )
    data = text.encode(encode)
    outer, inner, *_ = guards(data)
    changes = (SetCapacity("gpu", 2), Reorder((outer, inner), (1, 0)), AddResource("gate", 1), Wrap(outer, "gate"))
    after = edited(data, *changes).data
    assert after[:3] == data[:3]
    back = after.decode(encode)
    assert back.endswith("# back" + last.replace("\n", newline))
    assert back.count(newline) == len(back.splitlines()) - (not last)
    assert "😀" in back


def test_the_edits_lead_from_the_text_before_to_the_one_after() -> None:
    outer, inner, third, _ = guards(BLOCK)
    after = edited(BLOCK, AddResource("gate", 1), Wrap(third, "gate"), Reorder((outer, inner), (1, 0)))
    assert applied(BLOCK, after.edits).encode() == after.data
    lines = BLOCK.splitlines(keepends=True)
    for edit, ((line, column), (last, until)) in zip(after.edits, after.places, strict=True):
        assert sum(map(len, lines[: line - 1])) + column - 1 == edit.start
        assert sum(map(len, lines[: last - 1])) + until - 1 == edit.end
    assert len(after.edits) == 4, "lines far from each other are edits of their own"


@pytest.mark.parametrize(
    ("text", "change", "why"),
    [
        ("x: &n 1\n", SetCapacity("a", 2), "alias"),
        ("x: 1\n", Wrap(1, "a"), "anchor"),
        ("x: 1\n", Reorder((1, 2), (1, 0)), "anchor"),
    ],
)
def test_what_stands_for_more_than_one_thing_is_left_alone(text: str, change: Change, why: str) -> None:
    capacity = "*n" if "&n" in text else "1"
    text = text.replace("x:", "x-n:") + (
        f"resources: [{{id: a, capacity: {capacity}}}, {{id: b, capacity: 1}}]\n"
        "flow:\n"
        "  parallel:\n"
        "    - &one\n"
        "      guard: {resource: &r a, body: {guard: {resource: b, body: {task: {id: t}}}}}\n"
        "    - guard: {resource: *r, body: {task: {id: u}}}\n"
    )
    with pytest.raises(PetriError) as error:
        edited(text, change)
    assert error.value.code == "PETRI_CANNOT_EDIT"
    assert why in error.value.message
    assert error.value.where.line or why == "alias"


def test_a_guard_out_of_a_merge_is_left_alone() -> None:
    text = (
        "x-g: &g {resource: a}\n"
        "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}]\n"
        "flow: {guard: {<<: *g, body: {guard: {resource: b, body: {task: {id: t}}}}}}\n"
    )
    with pytest.raises(PetriError, match="alias or a merge"):
        edited(text, Reorder((0, 1), (1, 0)))


def test_a_comment_is_never_lost() -> None:
    outer, inner, *_ = guards(BLOCK)
    with pytest.raises(PetriError, match="a comment stands beside its keys"):
        edited(BLOCK, Together(outer, ("gpu",), (inner,)))
    text = "resources: [{id: a, capacity: 1}, {id: b, capacity: 1}]\nflow:\n  guard:\n"
    text += "    resource:\n      # why\n      - a\n"
    text += "    body: {guard: {resource: b, body: {task: {id: t}}}}\n"
    with pytest.raises(PetriError, match="a comment stands between"):
        edited(text, Reorder((0, 1), (1, 0)))


def test_generated_ids_are_those_of_the_edited_text() -> None:
    """With a guard more, others are counted on; written ids stay, and one that is taken is not given twice."""
    text = (
        "resources: [{id: a, capacity: 9}]\n"
        "flow:\n"
        "  seq:\n"
        "    - guard: {resource: a, body: {task: {id: t}}}\n"
        "    - guard: {id: g1, resource: a, body: {task: {id: u}}}\n"
        "    - guard: {resource: a, body: {task: {id: v}}}\n"
    )
    plan, _ = load_plan_text(text)
    change = Wrap(plan.nodes[1].index, "a")
    after = edited(text, change).plan
    expected = with_changes(plan, [change])
    assert same_but_for_ids(expected, after)
    assert len({g.id for g in expected.guards()}) == 4


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="overlap"):
        applied("abcdef", [TextEdit(0, 3, "x"), TextEdit(2, 4, "y")])


def test_a_sheet_counts_lines_as_the_reader_of_the_format_does() -> None:
    assert Sheet("a: 'x\u2028y'\nb: 1".encode(), "p.yaml").line(9) == 2
    assert Sheet('{"a": "x\u2028y"}'.encode(), "p.json").line(9) == 0
