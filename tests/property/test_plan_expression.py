"""Any text is an expression or a PetriError; printing and parsing undo each other; values are Python's, with types."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.errors import PetriError
from petri_cli.plan.expression import Expression, Missing, Reference, evaluate, parse, written
from petri_cli.plan.expression_tree import (
    COMPARISONS,
    FUNCTIONS,
    ON_PATHS,
    Binary,
    Call,
    Junction,
    Listing,
    Literal,
    Unary,
)

SETTINGS = settings(deadline=None, derandomize=True, max_examples=300)

DATA: dict[str, Any] = {
    "a": 3,
    "b": True,
    "c": "text",
    "d": [1, "x", None, True, 1.5],
    "e": {"f": {"g-h": [2]}, "x": "te"},
    "z": 0,
}

SIGNS = ["${", "}", "(", ")", "[", "]", ",", " ", ".", "$", "'", '"', "\\", "==", "<", "-", "+", "*", "/"]
WORDS = ["a", "item.x", "${a.b}", "and", "or", "not", "in", "true", "null", "1", "2.5", "1e9", "'x'", "é"]
FRAGMENTS = st.sampled_from([*SIGNS, *WORDS, "len(", "exists(", "default("])
TEXTS = st.one_of(st.text(max_size=40), st.lists(FRAGMENTS, max_size=14).map("".join))


@SETTINGS
@given(TEXTS)
def test_any_text_parses_or_is_refused_with_a_place_in_it(text: str) -> None:
    try:
        found = parse(text)
    except PetriError as error:
        assert error.code == "PETRI_BAD_EXPRESSION"
        assert 1 <= error.where.column <= len(text) + 1
        return
    assert parse(written(found)) == found


def lookup(reference: Reference) -> Any:
    value = DATA.get(reference.head)
    for step in reference.steps:
        try:
            value = value[step]  # type: ignore[index]
        except (LookupError, TypeError):
            raise Missing(f"no {reference}") from None
    return value


PLACES: list[tuple[str, tuple[str | int, ...]]] = [
    *[(head, ()) for head in DATA],
    ("d", (1,)),
    ("d", (-1,)),
    ("e", ("f", "g-h", 0)),
    ("e", ("nope",)),
    ("e", ("odd 'key\"",)),
]
PATHS = st.sampled_from([Reference(head, steps) for head, steps in PLACES])
LITERALS = st.one_of(
    st.integers(0, 5),
    st.sampled_from([0.0, 0.5, 2.0, 1e-3]),
    st.sampled_from(["", "te", "x", 'a"\\\n']),
    st.booleans(),
    st.none(),
).map(Literal)


def junction(operator: str, items: list[Expression]) -> Expression:
    """As a parser makes it: junctions of the same kind merge."""
    flat: list[Expression] = []
    for item in items:
        flat += item.items if isinstance(item, Junction) and item.operator == operator else [item]
    return Junction(operator, tuple(flat))


def larger(inner: st.SearchStrategy[Expression]) -> st.SearchStrategy[Expression]:
    binary = st.sampled_from([*COMPARISONS, "+", "-", "*", "/", "%"])
    two = st.sampled_from([f for f, n in FUNCTIONS.items() if n == 2 and f not in ON_PATHS])
    return st.one_of(
        st.builds(Unary, st.sampled_from(["not", "-"]), inner),
        st.builds(Binary, binary, inner, inner),
        st.builds(junction, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=3)),
        st.lists(inner, max_size=3).map(lambda items: Listing(tuple(items))),
        st.builds(lambda f, a, b: Call(f, (a, b)), two, inner, inner),
        inner.map(lambda a: Call("len", (a,))),
        PATHS.map(lambda path: Call("exists", (path,))),
        st.builds(lambda path, a: Call("default", (path, a)), PATHS, inner),
    )


EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(st.one_of(LITERALS, PATHS), larger, max_leaves=12)


@SETTINGS
@given(EXPRESSIONS)
def test_what_is_written_parses_to_the_same(expression: Expression) -> None:
    assert parse(written(expression)) == expression


class Failed(Exception):
    pass


def wanted(condition: bool) -> None:
    if not condition:
        raise Failed


def number(value: Any) -> bool:
    return type(value) in (int, float)


def equal(a: Any, b: Any) -> bool:
    """JSON equality, by writing the types down beside the values."""

    def typed(v: Any) -> Any:
        if isinstance(v, list):
            return ["list", *map(typed, v)]
        if isinstance(v, dict):
            return ("map", {k: typed(x) for k, x in v.items()})
        return ("number", v) if number(v) else (type(v).__name__, v)

    return bool(typed(a) == typed(b))


def meaning(e: Expression) -> Any:
    """The value by plain recursion over the tree and Python's own operators."""
    match e:
        case Literal():
            return e.value
        case Reference():
            try:
                return lookup(e)
            except Missing:
                raise Failed from None
        case Listing():
            return [meaning(item) for item in e.items]
        case Junction():
            for item in e.items:
                value = meaning(item)
                wanted(isinstance(value, bool))
                if value == (e.operator == "or"):
                    return value
            return e.operator == "and"
        case Unary():
            value = meaning(e.operand)
            wanted(isinstance(value, bool) if e.operator == "not" else number(value))
            return not value if e.operator == "not" else -value
        case Call(function="exists"):
            try:
                meaning(e.arguments[0])
            except Failed:
                return False
            return True
        case Call(function="default"):
            try:
                return meaning(e.arguments[0])
            except Failed:
                return meaning(e.arguments[1])
        case Call(function="len"):
            value = meaning(e.arguments[0])
            wanted(isinstance(value, str | list | dict))
            return len(value)
        case Call():
            whole, part = map(meaning, e.arguments)
            if e.function == "contains":
                return within(part, whole)
            wanted(isinstance(whole, str) and isinstance(part, str))
            return getattr(whole, e.function)(part)
        case Binary():
            return combined(e.operator, meaning(e.left), meaning(e.right))


def within(part: Any, whole: Any) -> bool:
    if isinstance(whole, list):
        return any(equal(part, x) for x in whole)
    wanted(isinstance(whole, str | dict) and isinstance(part, str))
    return part in whole


def combined(operator: str, a: Any, b: Any) -> Any:
    match operator:
        case "==":
            return equal(a, b)
        case "!=":
            return not equal(a, b)
        case "in":
            return within(a, b)
        case "not in":
            return not within(a, b)
    texts = isinstance(a, str) and isinstance(b, str)
    wanted((number(a) and number(b)) or (texts and operator in ("<", "<=", ">", ">=", "+")))
    try:
        value = eval(f"a {operator} b", {"a": a, "b": b})  # noqa: S307 - the oracle
    except ZeroDivisionError:
        raise Failed from None
    wanted(not isinstance(value, float) or math.isfinite(value))
    return value


@settings(SETTINGS, max_examples=1_000)
@given(EXPRESSIONS)
def test_a_value_is_what_python_says_it_is(expression: Expression) -> None:
    try:
        value = meaning(expression)
    except Failed:
        try:
            found = evaluate(expression, lookup)
        except PetriError as error:
            assert error.code == "PETRI_EXPRESSION_FAILED"
        else:
            raise AssertionError(f"{written(expression)} gave {found!r}")
        return
    found = evaluate(expression, lookup)
    assert (type(found), found) == (type(value), value)
