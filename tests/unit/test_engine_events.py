"""Events: immutable, told apart by type, the same as JSON and back, and valid against the published schema."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.engine import MemoryStore, Token, VirtualExecutor, event_from_json, event_to_json, fork
from petri_cli.engine.events import EVENT_TYPES, LogMessage, TokenAdded, TransitionEnabled, TransitionTimedOut
from petri_cli.net.builder import NetBuilder, delayed, either, every, forward, timeout, window
from tests.property.test_engine_reference import Pair
from tests.strategies.busy_nets import busy_net

SCHEMA: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "schemas" / "event.schema.json").read_text(encoding="utf-8")
)
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def check(event: Any) -> None:
    """The event is valid JSON by the schema, and can be read back."""
    data = json.loads(json.dumps(event_to_json(event)))
    VALIDATOR.validate(data)
    assert event_to_json(event_from_json(data)) == data


@settings(deadline=None, derandomize=True, max_examples=40)
@given(st.integers(0, 2**32))
def test_every_event_of_a_run_is_valid_and_can_be_read_back(seed: int) -> None:
    pair = Pair(busy_net(seed), random.Random(seed))  # noqa: S311
    step = pair.fast.step

    def checked(*told: Any) -> Any:
        result = step(*told)
        for event in result.events:
            check(event)
        return result

    pair.fast.step = checked  # type: ignore[method-assign]
    pair.drive(10)


def test_every_type_of_event_occurs_and_is_valid() -> None:
    async def endless(ctx: Any) -> None:
        ctx.log("waiting", "DEBUG")
        await ctx.sleep(3600)

    def boom(ctx: Any) -> None:
        raise ValueError("boom")

    def busy(ctx: Any) -> None:
        executor.spend(5)

    net = (
        NetBuilder("net")
        .transition("late", every("p"), either("ok", timeout(1, forward("p", "again"))), timing=delayed(20))
        .transition("bad", "again")
        .transition("T", "timer", "fired", timing=delayed(9))
        .transition("refresh", ["timer", "tick"], "timer", timing=delayed(8))
        .transition("busy", "b", priority=9)
        .transition("missed", "m", timing=window(1, 2))
        .marking(p=2, timer=1, tick=1, b=1, m=1)
        .build()
    )
    store = MemoryStore()
    actions = {"late": endless, "bad": boom, "T": fork(), "refresh": lambda ctx: {"timer": 1}, "busy": busy}
    executor = VirtualExecutor(net, actions, store=store)
    executor.run()
    for event in store.events:
        check(event)
    assert {e.type for e in store.events} == set(EVENT_TYPES)
    assert set(SCHEMA["properties"]["type"]["enum"]) == set(EVENT_TYPES)


def test_the_schema_refuses_what_is_no_event() -> None:
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    good = event_to_json(TokenAdded(1, "p", Token("v", 1)))
    assert VALIDATOR.is_valid(good)
    for bad in (
        {**good, "type": "TokenEaten"},
        {**good, "time": -1},
        {**good, "colour": "red"},
        {k: v for k, v in good.items() if k != "token"},
        {**good, "token": {"value": 1}},
    ):
        assert not VALIDATOR.is_valid(bad)


def test_two_types_of_event_are_never_equal() -> None:
    assert TransitionEnabled(1, "t") != TransitionTimedOut(1, "t")
    assert TransitionEnabled(1, "t") == TransitionEnabled(1, "t")


def test_an_event_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        LogMessage(1, "INFO", "m").level = "WARN"  # type: ignore[misc]


def test_what_is_absent_is_left_out_of_the_json() -> None:
    assert event_to_json(TokenAdded(5, "p", Token(None, 5))) == {
        "type": "TokenAdded",
        "time": 5,
        "place": "p",
        "token": {"value": None, "createdAt": 5},
    }
    front = TokenAdded(5, "p", Token(1, 2, "each[1]"), "t", 3, front=True)
    assert event_to_json(front) == {
        "type": "TokenAdded",
        "time": 5,
        "place": "p",
        "token": {"value": 1, "createdAt": 2, "name": "each[1]"},
        "transition": "t",
        "firing": 3,
        "front": True,
    }
