"""Expressions: what they mean, and what is said of those that mean nothing."""

from __future__ import annotations

from typing import Any

import pytest

from petri_cli.errors import PetriError
from petri_cli.plan.expression import (
    Missing,
    Reference,
    evaluate,
    follow,
    holds,
    parse,
    references,
    same,
    written,
)
from petri_cli.plan.expression_parse import MAX_DEPTH, MAX_LENGTH
from petri_cli.plan.expression_tokens import parse_path
from petri_cli.plan.words import is_expression

RESULTS: dict[str, Any] = {
    "tests": {"ok": True, "failed": 3, "sub-field": [1, {"a b": 2}], "name": "unit", "none": None},
    "poll": {"state": "done"},
    "say": "hello",
    "list": ["a", "b"],
    "not": {"x": 7},
    "huge": 10**300,
}


def lookup(reference: Reference) -> Any:
    if reference.head not in RESULTS:
        raise Missing(f"no result of {reference.head}")
    return follow(RESULTS[reference.head], reference)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("${tests.ok}", True),
        ("${ tests.ok }", True),
        ('${poll.state} == "done"', True),
        ("${poll.state == 'done'}", True),
        ("${poll.state} != 'done'", False),
        ("${tests.failed} >= 3 and ${tests.failed} < 4", True),
        ("${tests.failed > 2 or nothing.here}", True),
        ("not ${tests.ok} or ${tests.failed} == 3.0", True),
        ("${tests.ok} == 1", False),
        ("${tests.none} == null", True),
        ('${tests.sub-field[1]["a b"]} + 1', 3),
        ("${tests.sub-field[-1]['a b']}", 2),
        ("${tests['name']}", "unit"),
        ("len(${list}) * 2 - 1", 3),
        ("1 + 2 * 3 - 4 / 2", 5.0),
        ("(1 + 2) * -3 % 5", 1),
        ("10 - 3 - 2", 5),
        ("'a' + \"b\"", "ab"),
        ("${poll.state} in ['done', 'failed']", True),
        ("${poll.state} not in ['done', 'failed']", False),
        ("'ell' in ${say}", True),
        ("'ok' in ${tests}", True),
        ("contains(${list}, 'b') and startswith(${say}, 'he') and endswith(${say}, 'lo')", True),
        ("exists(${tests.ok})", True),
        ("exists(${tests.none})", True),
        ("exists(${tests.nope})", False),
        ("exists(${nobody})", False),
        ("default(${nobody.at.home}, 4)", 4),
        ("default(${tests.failed}, 4)", 3),
        ("${default(nobody, [])}", []),
        ("[1, [2], 'x', true]", [1, [2], "x", True]),
        ("${not.x} + ${not['x']}", 14),
        ("${not not.x == 7}", False),
        ("'it\\'s \\u0041\\n'", "it's A\n"),
        ("1 == true", False),
        ("[1, true] == [1.0, true]", True),
        ("'1' == 1", False),
        ("'a' < 'b'", True),
    ],
)
def test_an_expression_has_a_value(text: str, value: Any) -> None:
    found = evaluate(parse(text), lookup)
    assert (type(found), found) == (type(value), value)


def test_and_and_or_look_no_further_than_they_need() -> None:
    assert holds(parse("false and ${nobody} or true or ${nobody}"), lookup) is True
    assert holds(parse("${tests.ok} or 1"), lookup) is True


@pytest.mark.parametrize(
    ("text", "column", "said", "hint"),
    [
        ("", 1, "a value is expected, found the end", ""),
        ("1 +", 4, "a value is expected, found the end", ""),
        ("1 + * 2", 5, "a value is expected, found `*`", ""),
        ("(1", 1, "`(` is never closed", "add `)`"),
        ("${tests", 1, "`${` is never closed", "add `}`"),
        ("1)", 2, "`)` closes nothing", "nothing is open"),
        ("(1]", 3, "`]` closes nothing", "`)` is expected before it"),
        ("tests.ok", 1, "`tests.ok` stands alone", "write ${tests.ok} for a result, or 'tests.ok' for a text"),
        ("${tests}.ok", 9, "`.` means nothing here", "write the whole path in the braces: ${task.field}"),
        ("1 < 2 < 3", 7, "comparisons do not chain", "join them with `and`"),
        ("${a.b} = 3", 8, "`=` means nothing here", "write == to compare"),
        ("true && false", 6, "`&` means nothing here", "write `and`"),
        ("!true", 1, "`!` means nothing here", "write `not`"),
        ("lenn('x')", 1, "there is no function `lenn`", "did you mean `len`?"),
        ("len('x', 'y')", 1, "len takes 1 argument, not 2", ""),
        ("len()", 1, "len takes 1 argument, not 0", ""),
        ("exists(1)", 1, "exists takes a path first", "write exists(${task.field}…)"),
        ("'abc", 1, "this text has no end", "add '"),
        ("3abc", 1, "`3a` is no number", "put text in quotes"),
        ("1e999", 1, "this number is too large", ""),
        ("9" * 301, 1, "this number is too large", ""),
        ("'\\ud800'", 1, "this text holds half a surrogate pair, which is no character", ""),
        ("1 2", 3, "an operator is expected, found `2`", ""),
        ("1 not 2", 3, "an operator is expected, found `not`", ""),
        ("1 + not true", 5, "`not` comes after an operator that binds closer", "put it in parentheses"),
        ("[1,]", 4, "a value is expected, found `]`", ""),
        ("()", 2, "a value is expected, found `)`", ""),
        ("1, 2", 2, "`,` means nothing here", ""),
        ("${a ${b} }", 5, "`${` stands within `${…}`", "paths stand bare between the braces"),
        ("$HOME", 1, "`$` stands alone", "write ${task.field}"),
        ("é", 1, "`é` means nothing here", ""),
        ("(" * 150 + "-" * 150 + "1" + ")" * 150, 201, f"an expression nests at most {MAX_DEPTH} levels deep", ""),
        ("1" + " + 1" * 150, 399, f"an expression nests at most {MAX_DEPTH} levels deep", ""),
        ("1" * (MAX_LENGTH + 1), 1, "an expression has at most 10,000 characters, this one 10,001", ""),
    ],
)
def test_what_is_no_expression_is_told_with_its_place(text: str, column: int, said: str, hint: str) -> None:
    with pytest.raises(PetriError) as caught:
        parse(text)
    found = caught.value
    assert (found.code, found.message) == ("PETRI_BAD_EXPRESSION", f"{said} (character {column})")
    assert (found.where.column, found.hint) == (column, hint)


@pytest.mark.parametrize(
    ("text", "column", "said", "hint"),
    [
        ("${nobody.x}", 1, "no result of nobody", ""),
        ("${tests.okk}", 1, "${tests} has no field `okk`", "did you mean `ok`?"),
        ("1 == ${poll.q}", 6, "${poll} has no field `q`", "it has state"),
        ("${say.x}", 1, '${say} is the text "hello", which has no fields such as `x`', ""),
        ("${say[0]}", 1, '${say} is the text "hello", not a list', ""),
        ("${list[2]}", 1, "${list} has 2 elements, there is no [2]", "the first one is [0]"),
        ("1 < 'a'", 3, '< takes two numbers or two texts, not the number 1 and the text "a"', ""),
        ("true < 2", 6, "< takes two numbers or two texts, not true and the number 2", ""),
        ("'a' + 1", 5, '+ takes two numbers or two texts, not the text "a" and the number 1', ""),
        ("'a' * 3", 5, '* takes two numbers, not the text "a" and the number 3', ""),
        ("-true", 2, "- takes a number, this is true", ""),
        ("true and 'yes'", 10, 'and, or, not take true and false, this is the text "yes"', "compare it: == …"),
        ("null or true", 1, "and, or, not take true and false, this is null", "compare it: == …"),
        ("not 0", 5, "and, or, not take true and false, this is the number 0", "compare it: == …"),
        ("1 / 0", 3, "/ by 0", ""),
        ("1 % 0.0", 3, "% by 0", ""),
        ("1e308 * 10", 7, "the result of * is too large for a number", ""),
        ("${huge} * ${huge}", 9, "the result of * is too large for a number", ""),
        ("1 in 2", 3, "nothing is in the number 2", "it takes a list, a text or a map"),
        ("1 in 'a1'", 3, "only texts are in a text, this is the number 1", ""),
        ("len(3)", 1, "len takes a list, a text or a map, this is the number 3", ""),
        ("startswith('a', 1)", 1, 'startswith takes two texts, not the text "a" and the number 1', ""),
        ("exists(${tests}) == ${nobody}", 21, "no result of nobody", ""),
    ],
)
def test_an_expression_that_fails_says_where_and_why(text: str, column: int, said: str, hint: str) -> None:
    with pytest.raises(PetriError) as caught:
        evaluate(parse(text), lookup)
    found = caught.value
    assert (found.code, found.message) == ("PETRI_EXPRESSION_FAILED", f"{said} (character {column})")
    assert (found.where.column, found.hint) == (column, hint)


@pytest.mark.parametrize("text", ["1", "'true'", "null", "${list}", "${tests.failed}"])
def test_only_true_and_false_are_conditions(text: str) -> None:
    with pytest.raises(PetriError, match="PETRI_EXPRESSION_FAILED a condition is true or false, this one is"):
        holds(parse(text), lookup)


def test_texts_do_not_grow_without_bound() -> None:
    with pytest.raises(PetriError, match="more than 1,000,000 characters"):
        evaluate(parse("${t} + ${t}"), lambda _: "x" * 600_000)


def test_the_paths_of_an_expression_come_in_order() -> None:
    found = references(parse("exists(${a}) and [${b.x}, ${item[0]}] == ${loop.round} or -${a} > 0"))
    assert [str(r) for r in found] == ["${a}", "${b.x}", "${item[0]}", "${loop.round}", "${a}"]


def test_a_long_chain_of_and_is_not_deep() -> None:
    text = " and ".join(["${tests.ok}"] * 600)
    assert holds(parse(text), lookup) is True
    assert written(parse(text)) == text
    assert written(parse("(true or false) or (true or (false and true and true))")) == (
        "true or false or true or false and true and true"
    )


def test_prose_is_told_from_an_expression() -> None:
    assert is_expression("${survey.packages}")
    assert not is_expression("packages needing migration")


def test_a_bare_path() -> None:
    assert parse_path("item.a-b[0]['x y']") == Reference("item", ("a-b", 0, "x y"))
    with pytest.raises(PetriError, match="PETRI_BAD_EXPRESSION"):
        parse_path("item..a")


def test_deep_results_are_compared_without_recursion() -> None:
    def nest(inner: Any) -> Any:
        for _ in range(5_000):
            inner = [inner]
        return inner

    assert same(nest(1), nest(1.0))
    assert not same(nest(1), nest(True))
    assert not same({"a": [1]}, {"a": [1], "b": 2})
