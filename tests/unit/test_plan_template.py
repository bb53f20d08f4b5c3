"""Holes in texts: which braces are petri's, and which are left to the shell."""

from __future__ import annotations

import pytest

from petri_cli.plan.template import holes, template

TASKS = ("survey", "build-all")


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        ("make", ["make"]),
        ("a ${survey.files[0]} b", ["a ", "${survey.files[0]}", " b"]),
        ("${survey}${build-all.x}", ["${survey}", "${build-all.x}"]),
        ("${ survey.x }", ["${survey.x}"]),
        ("{item} and {item.name['x y']}", ["${item}", " and ", '${item.name["x y"]}']),
        ("${item.a} ${loop.round}", ["${item.a}", " ", "${loop.round}"]),
        ("${surveyy.files}", ["${surveyy.files}"]),
        ("${HOME} ${x:-y} ${#a} ${arr[0]}", ["${HOME} ${x:-y} ${#a} ${arr[0]}"]),
        ("$HOME {a,b} {} {items}", ["$HOME {a,b} {} {items}"]),
        ("$${survey.x} {{item}} {{item.a}}", ["${survey.x} {item} {item.a}"]),
        ("awk '{print $1}'", ["awk '{print $1}'"]),
    ],
)
def test_the_holes_of_a_text(text: str, parts: list[str]) -> None:
    assert [str(part) for part in template(text, TASKS)] == parts


def test_where_items_are_not_asked_for_their_braces_stay() -> None:
    assert template("{item} {{item}}", TASKS, items=False) == ("{item} {{item}}",)
    assert [str(h) for h in holes("{item} ${item}", TASKS, items=False)] == ["${item}"]


def test_a_hole_knows_where_it_stands() -> None:
    assert [h.column for h in holes("run {item} on ${survey.host}", TASKS)] == [5, 15]
