"""Choices that may come to no branch, told before they do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.plan.coverage import one_always_holds
from petri_cli.plan.expression import Reference, holds, parse
from petri_cli.plan.load import load_plan_text

TASKS: list[dict[str, Any]] = [{"task": {"id": t}} for t in "abcd"]


def warned(*conditions: str | None) -> list[str]:
    bodies = [{"task": {"id": f"t{n}"}} for n in range(len(conditions))]
    branches = [b if c is None else {"when": c, "body": b} for c, b in zip(conditions, bodies, strict=True)]
    flow = {"seq": [*TASKS, {"choice": branches}]}
    return [w.code for w in load_plan_text(json.dumps({"flow": flow}), "p.json")[1]]


@pytest.mark.parametrize(
    "conditions",
    [
        ("${a.ok}", "${b.ok}"),
        ("${a.n} < 3", "${a.n} > 3"),
        ("${a.n} == 1", "${a.n} == 2"),
        ("${a.ok} and ${b.ok}", "not ${a.ok} and not ${b.ok}"),
        ("${a.ok}", "not ${b.ok}"),
        ("false", "${a.ok}"),
        ("${a.n} < 3", "3 <= ${b.n}"),
    ],
)
def test_conditions_that_may_all_be_false_are_warned_of(conditions: tuple[str, ...]) -> None:
    assert warned(*conditions) == ["PETRI_NO_BRANCH"]


@pytest.mark.parametrize(
    "conditions",
    [
        ("${a.ok}", "not ${a.ok}"),
        ("${ a.ok }", "${not a.ok}"),
        ("${a.s} == 'x'", "'x' != ${a.s}"),
        ("${a.n} < 3", "${a.n} >= 3"),
        ("${a.n} < 3", "3 <= ${a.n}"),
        ("${a.n} >= 80", "${a.n} >= 50 and ${a.n} < 80", "${a.n} < 50"),
        ("${a.s} in ['x', 'y']", "${a.s} not in ['x', 'y']"),
        ("exists(${a.s})", "not exists(${a.s})"),
        ("${a.ok} and ${b.ok}", "not ${a.ok} or not ${b.ok}"),
        ("${a.ok}", "true"),
        ("${a.s} == 'x'", None),
        (None, None),
        ("the tests are green", "the tests are red"),
    ],
)
def test_conditions_of_which_one_always_holds_or_prose_are_not(conditions: tuple[str | None, ...]) -> None:
    assert warned(*conditions) == []


def test_the_warning_stands_at_the_choice_and_says_what_to_do() -> None:
    text = 'flow:\n  seq:\n    - task: {id: a}\n    - choice:\n        - {when: "${a.x}", body: {task: {id: b}}}\n'
    text += '        - {when: "${a.y}", body: {task: {id: c}}}\n'
    _, [warning] = load_plan_text(text, "p.yaml")
    assert (warning.code, warning.severity, warning.hint) == (
        "PETRI_NO_BRANCH",
        "warning",
        "add a branch without `when`",
    )
    assert (warning.where.file, warning.where.line, warning.where.column) == ("p.yaml", 4, 7)
    assert "a run comes to a stop at this choice when none of its conditions holds" in warning.message


def test_a_great_many_comparisons_are_given_up_at_once() -> None:
    many = [f"${{a.n}} == {n}" for n in range(200)]
    assert warned(*many, " and ".join(f"${{a.n}} != {n}" for n in range(200))) == ["PETRI_NO_BRANCH"]


ATOMS = ["${a}", "${b}", "${n} < 1", "${n} >= 1", "1 > ${n}", "${n} == 1", "1 != ${n}", "${s} in 'xy'", "true"]
CONDITIONS = st.recursive(
    st.sampled_from(ATOMS),
    lambda inner: st.one_of(
        inner.map(lambda c: f"not ({c})"),
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
    ),
    max_leaves=6,
)


@settings(deadline=None, derandomize=True, max_examples=400)
@given(st.lists(CONDITIONS, min_size=1, max_size=4))
def test_what_is_said_to_cover_every_case_does(conditions: Sequence[str]) -> None:
    if not one_always_holds([parse(c) for c in conditions]):
        return
    for a, b, n, s in product((True, False), (True, False), (0, 1, 2), ("x", "z")):
        values: dict[str, Any] = {"a": a, "b": b, "n": n, "s": s}

        def lookup(reference: Reference, values: dict[str, Any] = values) -> Any:
            return values[reference.head]

        assert any(holds(parse(c), lookup) for c in conditions)
