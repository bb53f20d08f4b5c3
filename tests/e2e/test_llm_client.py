"""How a model is asked, over real HTTP: good answers, bad ones, none."""

from __future__ import annotations

import json
from typing import Any

import pytest

from petri_cli.errors import PetriError
from petri_cli.llm.answers import plan_in
from petri_cli.llm.client import MAX_ANSWER, Answer, OpenAIClient
from petri_cli.llm.settings import Settings
from tests.llm_server import Model, Says, model

pytest.importorskip("openai", reason="the extra llm is not installed")
pytestmark = pytest.mark.slow  # the SDK takes seconds to import

ASKED = ({"role": "user", "content": "hello"},)


def client(known: Model, **more: str) -> OpenAIClient:
    return OpenAIClient(Settings.of(known.environment(**more)))


def ask(*script: Says, schema: Any = None, **more: str) -> tuple[Answer, Model]:
    with model(*script) as known:
        return client(known, **more).ask(ASKED, schema), known


def test_an_answer_comes_with_what_it_cost() -> None:
    answer, known = ask(Says("fine"), PETRI_LLM_PRICE="2/10")
    assert (answer.text, answer.trouble) == ("fine", "")
    assert answer.spent() == {
        "name": "a-model-2026", "inputTokens": 900, "outputTokens": 300, "cost": 0.0048,
        "seconds": answer.spent()["seconds"],
    }  # fmt: skip
    assert known.asked[0]["model"] == "a-model"
    assert known.keys == ["Bearer a-key-of-the-tests"]


def test_what_the_server_says_it_cost_counts() -> None:
    usage = {"prompt_tokens": 1, "completion_tokens": 2, "cost": 0.25}
    assert ask(Says("x", usage=usage), PETRI_LLM_PRICE="2/10")[0].cost == 0.25
    assert ask(Says("x"))[0].cost is None


def test_the_schema_is_sent_and_left_out_where_the_server_has_no_use_for_it() -> None:
    schema = {"type": "object"}
    _, known = ask(Says("{}"), schema=schema)
    assert known.asked[0]["response_format"]["json_schema"]["schema"] == schema
    answer, known = ask(Says(status=400), Says("{}"), schema=schema)
    assert answer.text == "{}"
    assert ["response_format" in a for a in known.asked] == [True, False]


@pytest.mark.parametrize(
    ("says", "trouble"),
    [
        (Says("half", finish="length"), "the answer was cut off after 300 tokens"),
        (Says(None, refusal="I would rather not"), "the model refused: I would rather not"),
        (Says(" \n"), "the model gave an empty answer"),
        (Says(None), "the model gave an empty answer"),
        (Says("x" * (MAX_ANSWER + 1)), "the answer has 1,000,001 characters; at most 1,000,000 are read"),
    ],
    ids=["truncated", "refused", "blank", "nothing", "too long"],
)
def test_an_answer_of_no_use_says_why_and_what_it_cost(says: Says, trouble: str) -> None:
    answer, _ = ask(says)
    assert (answer.text, answer.trouble) == ("", trouble)
    assert answer.output_tokens == 300


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_busy_or_broken_for_a_moment_is_asked_again(status: int) -> None:
    answer, known = ask(Says(status=status), Says(status=status), Says("at last"))
    assert answer.text == "at last"
    assert len(known.asked) == 3


@pytest.mark.parametrize(
    ("says", "why", "asked"),
    [
        (Says(status=429), "it answered 429", 3),
        (Says(status=500), "it answered 500", 3),
        (Says(status=401), "it answered 401", 1),
        (Says("x" * 1000, cut=40), "no connection", 3),
        (Says(body=b"<html>"), "", 1),
        (Says(body=b"[]"), "", 1),
    ],
    ids=["busy", "broken", "no key", "cut", "no JSON", "another JSON"],
)
def test_a_server_that_gives_no_answer_is_named(says: Says, why: str, asked: int) -> None:
    with model(says) as known:
        try:
            answer = client(known).ask(ASKED)
        except PetriError as error:
            assert error.code == "PETRI_LLM_FAILED"
            assert why in error.message
            assert "a-key-of-the-tests" not in str(error)
        else:
            assert not why
            assert answer.trouble
        assert len(known.asked) == asked


@pytest.mark.parametrize(
    "body",
    [
        b'{"choices": 5}',
        b'{"choices": {"a": 1}}',
        b'{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], "usage": {"cost": NaN}}',
        b'{"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], "usage": {"cost": 1'
        + b"0" * 400
        + b"}}",
    ],
    ids=["a number", "a map", "not a number", "too large a number"],
)
def test_an_answer_of_another_form_is_an_answer_of_no_use(body: bytes) -> None:
    try:
        answer, _ = ask(Says(body=body))
    except PetriError as error:
        assert error.code == "PETRI_LLM_FAILED"
    else:
        assert answer.cost is None


def test_a_server_that_says_the_key_again_is_not_quoted() -> None:
    with model(Says(status=401, body=b'{"error": {"message": "wrong key: a-key-of-the-tests"}}')) as known:
        with pytest.raises(PetriError) as caught:
            client(known).ask(ASKED)
        assert "a-key-of-the-tests" not in str(caught.value)
        assert "***" in caught.value.message


@pytest.mark.parametrize("says", [Says(hang=True), Says(drip=True)], ids=["silent", "a byte now and then"])
def test_a_server_that_hangs_is_not_waited_for(says: Says) -> None:
    with model(says) as known, pytest.raises(PetriError, match=r"did not answer within 0\.5 s"):
        client(known, PETRI_LLM_TIMEOUT="0.5").ask(ASKED)


def test_nobody_listens() -> None:
    with model(Says()) as known:
        pass
    with pytest.raises(PetriError, match="PETRI_LLM_FAILED a-model at 127"):
        client(known).ask(ASKED)


# Settings and answers need no SDK


@pytest.mark.parametrize(
    ("environment", "why"),
    [
        ({}, "PETRI_LLM_BASE_URL and PETRI_LLM_MODEL not set"),
        ({"PETRI_LLM_BASE_URL": "http://x", "PETRI_LLM_MODEL": " "}, "PETRI_LLM_MODEL not set"),
        ({"PETRI_LLM_BASE_URL": "ftp://x", "PETRI_LLM_MODEL": "m"}, "begins with http"),
        ({"PETRI_LLM_BASE_URL": "http://x", "PETRI_LLM_MODEL": "m", "PETRI_LLM_TIMEOUT": "soon"}, "is seconds"),
        ({"PETRI_LLM_BASE_URL": "http://x", "PETRI_LLM_MODEL": "m", "PETRI_LLM_TIMEOUT": "0"}, "is seconds"),
        ({"PETRI_LLM_BASE_URL": "http://x", "PETRI_LLM_MODEL": "m", "PETRI_LLM_PRICE": "1"}, "read/written"),
        ({"PETRI_LLM_BASE_URL": "http://x", "PETRI_LLM_MODEL": "m", "PETRI_LLM_PRICE": "nan/1"}, "read/written"),
    ],
)
def test_settings_that_cannot_be_are_named(environment: dict[str, str], why: str) -> None:
    with pytest.raises(PetriError, match=why) as caught:
        Settings.of(environment)
    assert caught.value.code == "PETRI_LLM_SETTING"


PLAN = {"flow": {"task": {"id": "a", "run": "true"}}}


@pytest.mark.parametrize(
    "text",
    [
        json.dumps(PLAN),
        f"Here it is:\n```json\n{json.dumps(PLAN)}\n```\nGood luck!",
        f"```\n{json.dumps(PLAN, indent=2)}\n```",
        json.dumps({"plan": PLAN}),
    ],
)
def test_a_plan_is_found_in_an_answer(text: str) -> None:
    found = plan_in(text)
    assert found is not None
    assert found.file == "plan.json"
    assert json.loads(found.text) == PLAN


def test_a_plan_in_yaml_is_left_as_it_is() -> None:
    found = plan_in("```yaml\n# why\nflow:\n  task: {id: a, run: 'true'}\n```")
    assert found is not None
    assert (found.file, found.text.splitlines()[0]) == ("plan.yaml", "# why")


@pytest.mark.parametrize(
    "text",
    [
        "no",
        "[1]",
        "3",
        "null",
        '"flow:"',
        "{",
        "[" * 100_000,
        "```json\n{}\n```\n```json\n{}\n```",
        '{"flow": NaN}',
        '{"flow": "\\ud800"}',
        "```json\n" * 200_000,
    ],
)
def test_what_holds_no_plan_holds_none(text: str) -> None:
    assert plan_in(text) is None
