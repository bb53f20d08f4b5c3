"""Actions: what a context offers and refuses, built-in ones, and what is refused when actions are bound."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from petri_cli.engine import (
    ActionContext,
    MemoryStore,
    Token,
    UndeclaredPlace,
    VirtualExecutor,
    blocking,
    fork,
    passthrough,
    produce,
    transform,
)
from petri_cli.errors import PetriError
from petri_cli.net.builder import NetBuilder, both, either, every, exactly, forward, timeout
from petri_cli.net.model import AndOut, Input, Net, Place, PlaceOut, Transition


def outcome(net: Net, action: Any, marking: Any = None) -> tuple[dict[str, list[object]], list[tuple[str, str]]]:
    """The final marking, and (type, message) of the failures."""
    store = MemoryStore()
    result = VirtualExecutor(net, {"t": action}, marking, store=store).run()
    return result.values, [(e.error, e.message) for e in store.events if e.type == "TransitionFailed"]


NET = (
    NetBuilder("net")
    .transition("t", ["a", exactly(2, "b")], both("x", "y"), reads="r")
    .marking(a=["a1"], b=["b1", "b2"], r=["r1", "r2"])
    .build()
)


def test_a_context_shows_what_was_consumed_and_read() -> None:
    seen: dict[str, Any] = {}

    def look(ctx: ActionContext) -> dict[str, int]:
        seen.update(a=ctx.input("a"), b=ctx.input("b"), bs=ctx.inputs("b"), r=ctx.read("r"))
        seen.update(token=ctx.input_token("a"), tokens=list(ctx.input_tokens("b")), read=ctx.read_token("r"))
        seen.update(transition=ctx.transition, firing=ctx.firing)
        return {"x": 1, "y": 2}

    assert outcome(NET, look)[1] == []
    assert seen == {
        "a": "a1",
        "b": "b1",
        "bs": ["b1", "b2"],
        "r": "r1",
        "token": Token("a1", 0),
        "tokens": [Token("b1", 0), Token("b2", 0)],
        "read": Token("r1", 0),
        "transition": "t",
        "firing": 1,
    }


@pytest.mark.parametrize(
    "ask",
    [
        lambda ctx: ctx.input("r"),
        lambda ctx: ctx.inputs("x"),
        lambda ctx: ctx.input_token("nowhere"),
        lambda ctx: ctx.read("a"),
        lambda ctx: ctx.output("a", 1),
        lambda ctx: ctx.output("nowhere", 1),
        lambda ctx: {"nowhere": 1},
    ],
)
def test_a_place_that_is_no_such_arc_is_refused(ask: Callable[[ActionContext], object]) -> None:
    values, failures = outcome(NET, ask)
    assert [error for error, _ in failures] == ["UndeclaredPlace"]
    assert "x" not in values and "y" not in values


def test_an_action_that_catches_the_refusal_can_go_on() -> None:
    def careful(ctx: ActionContext) -> dict[str, int]:
        with pytest.raises(UndeclaredPlace):
            ctx.output("nowhere", 1)
        return {"x": 1, "y": 2}

    assert outcome(NET, careful)[1] == []


def test_an_action_that_ends_in_time_may_itself_choose_the_branch_of_the_time_out() -> None:
    late = both("late", forward("p", "retry"))
    net = NetBuilder("net").transition("t", "p", either("ok", timeout(1, late))).marking(p=1).build()
    assert outcome(net, lambda ctx: {"late": 1, "retry": [2, 3]}) == ({"late": [1], "retry": [2, 3]}, [])
    assert [error for error, _ in outcome(net, lambda ctx: {"late": 1})[1]] == ["OutputViolation"]


def test_outputs_may_be_put_and_returned_and_a_list_is_one_token_an_element() -> None:
    def act(ctx: ActionContext) -> dict[str, object]:
        ctx.output("x", 1)
        ctx.output("x", 2, 3)
        ctx.output("x", 4)
        return {"x": [5, 6], "y": [[7, 8]]}

    assert outcome(NET, act)[0] == {"r": ["r1", "r2"], "x": [1, 2, 3, 4, 5, 6], "y": [[7, 8]]}


def test_an_output_may_carry_a_name_or_be_a_token() -> None:
    def act(ctx: ActionContext) -> None:
        ctx.output("x", 1, 2, name="each[1]")
        ctx.output("y", Token("v", 7, "n"), ctx.input_token("a"))

    result = VirtualExecutor(NET, {"t": act}, start=5).run()
    assert result.marking["x"] == (Token(1, 5, "each[1]"), Token(2, 5, "each[1]"))
    assert result.marking["y"] == (Token("v", 7, "n"), Token("a1", 5))


def test_an_empty_output_counts_for_nothing() -> None:
    def act(ctx: ActionContext) -> dict[str, object]:
        ctx.output("x")
        return {"y": []}

    [(error, message)] = outcome(NET, act)[1]
    assert error == "OutputViolation"
    assert message == "the action produced nothing, but the transition declares: 'x' and 'y'"


@pytest.mark.parametrize("returned", [1, "x", ["x"], ("x", 1)])
def test_an_action_returns_none_or_a_dict(returned: object) -> None:
    assert [error for error, _ in outcome(NET, lambda ctx: returned)[1]] == ["TypeError"]


def test_a_transition_that_declares_no_output_produces_nothing() -> None:
    net = NetBuilder("net").place("q").transition("t", "p").marking(p=1).build()
    assert outcome(net, lambda ctx: None) == ({}, [])
    assert [error for error, _ in outcome(net, lambda ctx: {"q": 1})[1]] == ["UndeclaredPlace"]


def test_minted_names_count_up_for_each_transition() -> None:
    net = NetBuilder("net").transition("t", "p", "x").transition("u", "q", "y").build()

    def mint(place: str) -> Callable[[ActionContext], None]:
        return lambda ctx: ctx.output(place, ctx.fresh_name(), ctx.fresh_name())

    result = VirtualExecutor(net, {"t": mint("x"), "u": mint("y")}, {"p": 2, "q": 1}).run()
    assert result.values == {"x": ["t#1", "t#2", "t#3", "t#4"], "y": ["u#1", "u#2"]}


# Built-in actions


def test_passthrough_takes_and_produces_nothing() -> None:
    net = NetBuilder("net").transition("t", "p").marking(p=2).build()
    assert VirtualExecutor(net).run().counts == {}
    assert outcome(net, passthrough()) == ({}, [])


def test_fork_copies_value_and_name_to_every_output_as_often_as_it_says() -> None:
    output = AndOut((PlaceOut("x"), PlaceOut("y", 3)))
    net = Net("net", (Place("p"), Place("x"), Place("y")), (Transition("t", (Input("p"),), output),))
    result = VirtualExecutor(net, {"t": fork()}, {"p": [Token("v", 0, "each[2]")]}, start=9).run()
    assert result.marking == {"x": (Token("v", 9, "each[2]"),), "y": (Token("v", 9, "each[2]"),) * 3}


def test_transform_applies_a_function_and_fails_with_it() -> None:
    net = NetBuilder("net").transition("t", "p", "q").marking(p=[2, 0]).build()
    assert outcome(net, transform(lambda v: 10 // v)) == (
        {"q": [5]},
        [("ZeroDivisionError", "integer division or modulo by zero")],
    )


def test_one_of_several_inputs_can_be_named() -> None:
    net = NetBuilder("net").transition("t", ["p", "q"], "x").marking(p=["p1"], q=["q1"]).build()
    assert outcome(net, fork("q"))[0] == {"x": ["q1"]}
    assert outcome(net, transform(str.upper, "p"))[0] == {"x": ["P1"]}


def test_produce_gives_the_same_values_each_time() -> None:
    net = NetBuilder("net").transition("t", "p", both("x", "y")).marking(p=2).build()
    assert outcome(net, produce({"x": [1, 2], "y": ["a"]}))[0] == {"x": [1, 2, 1, 2], "y": ["a", "a"]}


def test_a_net_may_describe_its_built_in_actions() -> None:
    arcs = {"p": Input("p"), "q": Input("q")}
    net = Net(
        "net",
        tuple(map(Place, "pqxyz")),
        (
            Transition("copy", (arcs["p"],), PlaceOut("x"), action={"fork": None}),
            Transition("copy q", (arcs["q"], Input("z")), PlaceOut("y"), action={"fork": "q"}),
            Transition("make", (Input("y"),), PlaceOut("z"), action={"produce": {"z": (1, 2)}}),
            Transition("take", (Input("x"),), action={"passthrough": None}),
        ),
        {"p": 1, "q": 1, "z": 1},
    )
    assert VirtualExecutor(net).run().values == {"z": [1, 2]}


# Refusals


@pytest.mark.parametrize(
    ("net", "actions", "message"),
    [
        (NetBuilder("n").transition("t", "p", "q"), {}, "declares the output 'q', but no action is bound"),
        (NetBuilder("n").transition("t", "p", "q"), {"t": passthrough()}, "declares the output 'q'"),
        (NetBuilder("n").transition("t", ["a", "b"], "q"), {"t": fork()}, "fork needs one input, but .* has 2"),
        (NetBuilder("n").transition("t", output="q"), {"t": fork()}, "has none"),
        (NetBuilder("n").transition("t", ["a"], "q"), {"t": fork("b")}, "'b', which is not an input"),
        (NetBuilder("n").transition("t", "p", either("a", "b")), {"t": fork()}, "never allows"),
        (NetBuilder("n").transition("t", "p"), {"t": produce({"q": [1]})}, "never allows"),
        (NetBuilder("n").transition("t", "p", both("a", "b")), {"t": produce({"a": [1]})}, "never allows"),
        (NetBuilder("n").transition("send", "p"), {"snd": passthrough()}, "did you mean 'send'"),
    ],
)
def test_an_action_that_could_never_do_its_job_is_refused(net: NetBuilder, actions: Any, message: str) -> None:
    with pytest.raises(PetriError, match=message) as refused:
        VirtualExecutor(net.build(), actions)
    assert refused.value.code == "PETRI_BAD_BINDING"


def test_an_async_action_cannot_be_blocking() -> None:
    @blocking
    async def confused(ctx: ActionContext) -> None:
        pass

    with pytest.raises(PetriError, match="asynchronous"):
        VirtualExecutor(NetBuilder("n").transition("t", "p").build(), {"t": confused})


def test_an_environment_place_that_the_net_lacks_is_refused() -> None:
    with pytest.raises(PetriError, match="did you mean 'inbox'"):
        VirtualExecutor(NetBuilder("n").transition("t", "inbox").build(), environment=["inbx"])


def test_fork_on_a_draining_input_copies_the_oldest() -> None:
    net = NetBuilder("net").transition("t", every("p"), "q").marking(p=["a", "b"]).build()
    assert outcome(net, fork())[0] == {"q": ["a"]}
