"""The plan loader on random documents: against the published schema, there and back, and on damaged input."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from petri_cli.document import from_data, plain, read_document
from petri_cli.document.write import flow_text, json_text, literal_lines, scalar_text
from petri_cli.errors import InputError, Problem
from petri_cli.plan.compare import same_data, same_plan
from petri_cli.plan.data import plan_data
from petri_cli.plan.duration import format_duration, parse_duration
from petri_cli.plan.load import load_plan_text, plan_from_data
from petri_cli.plan.printer import print_plan
from tests.strategies.plans import DATA, broken_documents, plan_documents

SCHEMA = json.loads(Path(__file__, "../../../schemas/plan.schema.json").resolve().read_text(encoding="utf-8"))


def _pattern(_: Any, pattern: str, value: Any, __: Any) -> Iterator[jsonschema.ValidationError]:
    """``pattern`` as JSON Schema means it (ECMA 262): ``$`` is the end, never a place before a last line break."""
    if isinstance(value, str) and not re.search(re.sub(r"(?<!\\)\$$", r"\\Z", pattern), value):
        yield jsonschema.ValidationError(f"{value!r} does not match {pattern!r}")


VALIDATOR = jsonschema.validators.extend(jsonschema.Draft7Validator, {"pattern": _pattern})(SCHEMA)

BEYOND_THE_SCHEMA = {
    "PETRI_DUPLICATE_ID": "ids are unique among nodes of one kind, and among resources",
    "PETRI_UNKNOWN_RESOURCE": "a guard names declared resources",
    "PETRI_TOO_DEEP": "free data and verifiers nest at most 100 levels deep",
    "PETRI_BAD_NUMBER": "NaN and infinity, which JSON cannot say",
}
"""The rules that a schema cannot express. Two more: a duration written as text is above 0 and at most 1e9 s,
and a literal list is no longer than its foreach's ``maxWidth``."""


def _is_written_duration(problem: Problem, document: Any) -> bool:
    value = document
    for step in re.findall(r"[^.\[\]]+", problem.where.path):
        value = value[int(step)] if isinstance(value, list) else value[step]
    return problem.code == "PETRI_OUT_OF_RANGE" and isinstance(value, str)


def _is_list_past_its_width(problem: Problem) -> bool:
    """A ``maxWidth`` that is a proper one by itself, but for the list beside it."""
    return problem.code == "PETRI_OUT_OF_RANGE" and problem.where.path.endswith(".maxWidth") and bool(problem.related)


def problems_of(document: Any) -> tuple[Problem, ...]:
    try:
        return plan_from_data(document)[1]
    except InputError as error:
        return error.problems


@pytest.mark.slow
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(broken_documents())
@example({"flow": {"task": {"id": "a\n"}}})
@example({"flow": {"task": {"id": "a", "timeout": "0s"}}})
@example({"flow": {"task": {"id": "a", "maxAttempts": 3.0}}})
@example({"flow": {"task": {"id": "a", "maxAttempts": True}}})
@example({"flow": {"foreach": {"id": "f", "over": ["x", "y"], "maxWidth": 1, "body": {"task": {"id": "a"}}}}})
@example({"flow": {"foreach": {"id": "f", "over": ["x", "y"], "maxWidth": 0, "body": {"task": {"id": "a"}}}}})
@example({"version": True, "flow": {"task": {"id": "a"}}})
@example({"$schema": 1, "flow": {"task": {"id": "a"}}})
@example({"workers": {"a b": {"command": "x"}}, "flow": {"task": {"id": "a"}}})
def test_the_checker_accepts_what_the_schema_accepts(document: Any) -> None:
    errors = [p for p in problems_of(document) if p.severity == "error"]
    structural = [
        p
        for p in errors
        if p.code not in BEYOND_THE_SCHEMA and not _is_written_duration(p, document) and not _is_list_past_its_width(p)
    ]
    assert (not structural) == VALIDATOR.is_valid(document), [str(p) for p in errors]


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(plan_documents(rich=True))
def test_valid_documents_load_and_fit_the_schema(document: Any) -> None:
    plan, warnings = plan_from_data(document)
    assert all(w.severity == "warning" for w in warnings)
    assert VALIDATOR.is_valid(document)
    assert VALIDATOR.is_valid(plan_data(plan))


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(plan_documents(rich=True))
def test_a_printed_plan_loads_as_the_same_plan(document: Any) -> None:
    plan, _ = plan_from_data(document, "x.yaml")
    text = print_plan(plan)
    again, _ = load_plan_text(text, "y.yaml")
    assert same_plan(plan, again), text
    assert print_plan(again) == text
    from_json, _ = load_plan_text(json_text(plan_data(plan)), "y.json")
    assert same_plan(plan, from_json)


@settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(plan_documents(max_nodes=20))
def test_nodes_are_in_pre_order_and_know_their_place(document: Any) -> None:
    plan, _ = plan_from_data(document)
    assert [n.index for n in plan.nodes] == list(range(len(plan.nodes)))
    for node in plan.nodes:
        assert all(plan.nodes[c].parent == node.index for c in node.children)
        below = [m.index for m in plan.nodes if node.index in [a.index for a in plan.ancestors(m.index)]]
        assert below == list(range(node.index + 1, node.end))
        value: Any = document
        for step in re.findall(r"[^.\[\]]+", plan.path(node.index)):
            value = value[int(step)] if isinstance(value, list) else value[step]
        assert isinstance(value, list) or value.get("id", node.id) == node.id


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(max_size=60))
def test_any_text_gives_a_plan_or_problems(text: str) -> None:
    _only_problems(text, "x.yaml")
    _only_problems(text, "x.json")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.binary(max_size=60))
def test_any_bytes_give_a_plan_or_problems(data: bytes) -> None:
    _only_problems(data, "x.yaml")


@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(broken_documents(), st.booleans(), st.data())
def test_a_damaged_plan_gives_a_plan_or_problems(document: Any, as_yaml: bool, data: st.DataObject) -> None:
    text = _as_yaml(document) if as_yaml else json_text(document)
    for _ in range(data.draw(st.integers(0, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = start + data.draw(st.integers(0, 5))
        text = text[:start] + data.draw(st.sampled_from(JUNK_TEXT)) + text[end:]
    _only_problems(text, "x.yaml")
    _only_problems(text, "x.json")


JUNK_TEXT = (
    *(
        "",
        "\n",
        "\t",
        " ",
        ":",
        ": ",
        "- ",
        "{",
        "}",
        "[",
        "]",
        ",",
        '"',
        "'",
        "#",
        " #",
        "&a ",
        "*a",
        "<<: ",
        "!!",
        "!x ",
    ),
    *(
        "|\n",
        ">",
        "? ",
        "%",
        "@",
        "`",
        "\x00",
        "\ufeff",
        "---\n",
        "...",
        "//",
        "/*",
        "\\",
        "\r",
        "\x85",
        "1e999",
        "0o9",
    ),
)


def _as_yaml(document: Any) -> str:
    """In block style where the document is a plan, in flow style where it is none."""
    try:
        return print_plan(plan_from_data(document)[0])
    except InputError:
        return flow_text(document)


def _only_problems(data: str | bytes, file: str) -> None:
    try:
        plan, warnings = load_plan_text(data, file)
    except InputError as error:
        assert error.problems
        places = [(p.where.line, p.where.column) for p in error.problems]
        assert places == sorted(places)
        assert all(p.code.startswith("PETRI_") and p.message and p.where.line for p in error.problems)
    else:
        assert plan.nodes
        assert all(w.severity == "warning" for w in warnings)


@settings(max_examples=300, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(DATA)
def test_data_written_as_yaml_or_json_reads_back_the_same(data: Any) -> None:
    for text in (f"x: {flow_text(data)}", f"- {flow_text(data)}", f"x:\n  - {flow_text(data)}"):
        root = plain(read_document(text, "x.yaml"))
        got = root[0] if isinstance(root, list) else root["x"]
        assert same_data(got[0] if text.startswith("x:\n") else got, data), text
    wrapped = json_text({"x": data})
    assert same_data(plain(read_document(wrapped, "x.json"))["x"], data)
    assert same_data(json.loads(wrapped)["x"], data)
    assert same_data(plain(from_data(data)), data)


@settings(max_examples=500, deadline=None, derandomize=True)
@given(
    st.text(alphabet=st.sampled_from("ab1 \n\t:#-'\"\\{}[],&*!|>%@`~.?=_\x85\u2028é😀\x7f"), max_size=12) | st.text()
)
def test_any_string_reads_back_the_same(text: str) -> None:
    assert plain(read_document(f"x: {scalar_text(text)}\ny: [{scalar_text(text)}]", "x.yaml")) == {
        "x": text,
        "y": [text],
    }
    if lines := literal_lines(text):
        block = "\n".join(f"  {line}" if line else "" for line in lines[1:])
        assert plain(read_document(f"x: {lines[0]}\n{block}\ny: 1\n", "x.yaml")) == {"x": text, "y": 1}


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.floats(0, 1e9, exclude_min=True) | st.integers(1, 10**12).map(lambda n: n / 1000))
def test_a_written_duration_reads_back_as_the_same_number(seconds: float) -> None:
    text = format_duration(seconds)
    assert (parse_duration(text) if text[-1].isalpha() else float(text)) == seconds
