"""Net files as they are run: programs, and simulation without them."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

from petri_cli.driver import programs
from petri_cli.driver.durations import read_durations
from petri_cli.driver.nets import net_actions, simulate_net
from petri_cli.driver.outcome import outcome
from petri_cli.engine import AsyncExecutor, MemoryStore, Token, VirtualExecutor, produce, transform
from petri_cli.errors import InputError
from petri_cli.net.model import ForwardOut, Input, Net, Place, PlaceOut, TimeoutOut, Transition, XorOut


def net(*transitions: Transition, tokens: int = 1, **more: object) -> Net:
    names = ("a", "b", "c")
    return Net("n", tuple(Place(p) for p in names), transitions, initial={"a": tokens}, **more)  # type: ignore[arg-type]


def step(**settings: object) -> Transition:
    return Transition("t", (Input("a"),), PlaceOut("b"), **settings)  # type: ignore[arg-type]


def test_a_choice_is_made_by_chance_and_a_time_out_is_no_choice() -> None:
    choosing = Transition("t", (Input("a"),), XorOut((PlaceOut("b"), PlaceOut("c"))))
    found = simulate_net(net(choosing, tokens=40)).counts
    assert found["b"] + found["c"] == 40
    assert found["b"] > 8 and found["c"] > 8
    timed = Transition("t", (Input("a"),), XorOut((PlaceOut("b"), TimeoutOut(5, ForwardOut("a", "c")))))
    assert simulate_net(net(timed, tokens=40)).counts == {"b": 40}
    assert simulate_net(net(timed, tokens=4), durations={"t": 6}).counts == {"c": 4}


def test_what_a_built_in_action_produces_outside_a_time_out_is_enough() -> None:
    timed = Transition("t", (Input("a"),), XorOut((PlaceOut("b"), TimeoutOut(5, PlaceOut("c")))))
    assert VirtualExecutor(net(timed), {"t": transform(lambda value: 7)}).run().values == {"b": [7]}
    assert VirtualExecutor(net(timed), {"t": produce({"c": [1]})}).run().values == {"c": [1]}


def test_a_token_that_is_passed_on_keeps_its_value_and_name() -> None:
    result = simulate_net(Net("n", (Place("a"), Place("b")), (step(),), initial={"a": 1}, values={"a": ({"k": 1},)}))
    assert result.values == {"b": [{"k": 1}]}


def test_built_in_actions_are_simulated_as_they_are() -> None:
    assert simulate_net(net(step(action={"produce": {"b": (1, 2)}}))).values == {"b": [1, 2]}


def test_a_net_that_goes_round_for_ever_is_stopped() -> None:
    again = Transition("t", (Input("a"),), PlaceOut("a"))
    store = MemoryStore()
    result = simulate_net(net(again), max_firings=50, store=store)
    assert (result.reason, result.firings) == ("closed", 51)


@pytest.mark.parametrize(
    ("final", "action", "word"),
    [
        ({"b": 1}, None, "completed"),
        ({"c": 1}, None, "deadlocked"),
        (None, None, "quiescent"),
        (None, {"produce": {"nowhere": (1,)}}, "failed"),
    ],
)
def test_in_one_word(final: dict[str, int] | None, action: dict[str, object] | None, word: str) -> None:
    def wrong(ctx: object) -> None:
        raise RuntimeError

    n = net(step(), final=final)
    result = VirtualExecutor(n, {"t": wrong if action else transform(lambda v: v)}).run()
    assert outcome(n, result) == word


def test_a_failure_that_the_net_recovers_from_is_no_failure_of_the_run() -> None:
    def wrong(ctx: object) -> None:
        raise RuntimeError

    n = net(Transition("u", (Input("a"),)), Transition("t", (Input("a"),), PlaceOut("b")), tokens=2, final={"b": 1})
    result = VirtualExecutor(n, {"u": wrong, "t": transform(lambda v: v)}).run()
    assert (result.failures, outcome(n, result)) == (1, "completed")


def test_a_program_is_called_with_words_or_through_the_shell() -> None:
    for command in (["printf", "%s", "a b"], "printf '%s' 'a b'"):
        n = net(step(action={"shell": command}))
        assert asyncio.run(AsyncExecutor(n, net_actions(n)).run()).values == {"b": ["a b"]}


def test_tokens_of_a_name_come_back_from_a_program_with_it() -> None:
    n = net(step(action={"shell": "echo 1"}))
    result = asyncio.run(AsyncExecutor(n, net_actions(n), {"a": [Token(None, 0, "x")]}).run())
    assert [(t.value, t.name) for t in result.marking["b"]] == [(1, "x")]


def test_what_a_program_complains_of_becomes_a_message_of_its_firing() -> None:
    store = MemoryStore()
    n = net(step(action={"shell": "echo one >&2; echo two >&2"}))
    asyncio.run(AsyncExecutor(n, net_actions(n), store=store).run())
    said = [(e.transition, e.message) for e in store.events if e.type == "LogMessage"]  # type: ignore[union-attr]
    assert said == [("t", "one"), ("t", "two")]


def test_a_program_that_is_given_up_while_it_starts_is_ended_with_its_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """asyncio alone would end the program, but not what it had started by then."""
    real = programs._start
    pid = tmp_path / "pid"

    async def main() -> None:
        begun = asyncio.Event()

        async def slowly(command: str) -> object:
            process = await real(command)
            while not (pid.exists() and pid.read_text().strip()):
                await asyncio.sleep(0.01)
            begun.set()
            await asyncio.sleep(0.05)
            return process

        monkeypatch.setattr(programs, "_start", slowly)
        n = net(step(action={"shell": f"sleep 300 & echo $! > {pid}; trap '' TERM; wait; sleep 300"}))
        executor = AsyncExecutor(n, net_actions(n))
        running = asyncio.create_task(executor.run())
        await begun.wait()
        executor.cancel()
        await running

    asyncio.run(main())
    status = Path(f"/proc/{pid.read_text().strip()}/status")
    for _ in range(500):
        if not status.exists() or "\nState:\tZ" in status.read_text():
            return
        asyncio.run(asyncio.sleep(0.01))
    raise AssertionError("it is still there")


def test_durations_are_read_in_every_form() -> None:
    text = b"a: 2m\nb: 1.5\nc: [1s, 3s]\nd: {mean: 1m, sd: 10s}\n"
    read = read_durations(text, "d.yaml", ["a", "b", "c", "d", "e"])
    rng = random.Random(1)  # noqa: S311
    assert (read["a"], read["b"]) == (120, 1.5)
    c, d = read["c"], read["d"]
    assert callable(c) and callable(d)
    assert all(1 <= c(rng) <= 3 for _ in range(50))
    drawn = [d(rng) for _ in range(200)]
    assert all(x >= 0 for x in drawn) and 55 < sum(drawn) / 200 < 65


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (b"", "PETRI_EMPTY_DOCUMENT"),
        (b"- a\n", "PETRI_WRONG_TYPE"),
        (b"x: 1\n", "PETRI_UNKNOWN_TASK"),
        (b"a: soon\n", "PETRI_BAD_DURATION"),
        (b"a: -1\n", "PETRI_OUT_OF_RANGE"),
        (b"a: [1, 2, 3]\n", "PETRI_WRONG_TYPE"),
        (b"a: [3, 2]\n", "PETRI_BAD_VALUE"),
        (b"a: {mean: 1}\n", "PETRI_MISSING_KEY"),
        (b"a: {mean: 1, sd: 1, x: 1}\n", "PETRI_UNKNOWN_KEY"),
        (b"a: 1\na: 2\n", "PETRI_DUPLICATE_KEY"),
    ],
)
def test_what_is_wrong_with_durations_is_told(text: bytes, code: str) -> None:
    with pytest.raises(InputError) as caught:
        read_durations(text, "d.yaml", ["a"])
    assert [p.code for p in caught.value.problems] == [code]
    assert caught.value.problems[0].where.file == "d.yaml"
