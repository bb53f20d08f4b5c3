"""All executors tell the same story of a net whose actions take no time: they cannot differ in order."""

from __future__ import annotations

import asyncio
import random
from dataclasses import replace
from typing import Any

from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from petri_cli.engine import ActionContext, AsyncExecutor, MemoryStore, VirtualExecutor, event_to_json
from petri_cli.engine.outputs import output_rule
from petri_cli.net.model import IMMEDIATE, AndOut, Net, Output, TimeoutOut, Transition, XorOut
from tests.strategies.busy_nets import busy_net

TIMES = ("time", "duration", "createdAt")
ENOUGH = 60
"""Firings after which actions produce nothing any more, so that every net comes to an end."""


def action(t: Transition, chance: random.Random) -> Any:
    """Fails now and then, produces what is declared otherwise, now and then something else."""
    ways = sorted(sorted(w) for w in output_rule(t).explanations)

    def act(ctx: ActionContext) -> dict[str, object]:
        if chance.random() < 0.1:
            raise ValueError("by chance")
        if ctx.firing > ENOUGH:
            return {}
        places = chance.choice(ways)
        if chance.random() < 0.1:
            places = places[1:]
        ctx.log(f"{ctx.transition} produces {places}")
        return {p: {"id": chance.choice(["A", "B", 1])} for p in places}

    return act


def patient(output: Output) -> Output:
    """``output`` with time-outs that no machine is slow enough to run into."""
    match output:
        case TimeoutOut():
            return replace(output, after=3600.0)
        case AndOut(children) | XorOut(children):
            return replace(output, children=tuple(patient(child) for child in children))
        case _:
            return output


def without_times(data: Any) -> Any:
    """Events as data; times are another clock's affair."""
    match data:
        case dict():
            return {k: without_times(v) for k, v in data.items() if k not in TIMES}
        case list():
            return [without_times(v) for v in data]
        case _:
            return data


def story(kind: type[AsyncExecutor] | type[VirtualExecutor], net: Net, seed: int, cap: int | None) -> list[Any]:
    store, chance = MemoryStore(), random.Random(seed)  # noqa: S311
    executor = kind(net, {t.id: action(t, chance) for t in net.transitions}, store=store, max_concurrency=cap)
    result = executor.run()
    if not isinstance(executor, VirtualExecutor):
        asyncio.run(result)  # type: ignore[arg-type]
    return [without_times(event_to_json(e)) for e in store.events]


@settings(deadline=None, derandomize=True, max_examples=80)
@given(st.integers(0, 2**32), st.sampled_from([None, None, 1, 2]))
def test_real_and_simulated_time_tell_the_same_story(seed: int, cap: int | None) -> None:
    net = busy_net(seed)
    assume(all(t.inputs for t in net.transitions))  # one without inputs would fire for ever
    transitions = tuple(  # matches go by age
        replace(t, timing=IMMEDIATE, match=None, output=t.output and patient(t.output)) for t in net.transitions
    )
    net = replace(net, transitions=transitions, initial={p: 5 * n for p, n in net.initial.items()})
    told = story(VirtualExecutor, net, seed, cap)
    assert told == story(AsyncExecutor, net, seed, cap)
    event(f"firings: {min(sum(e['type'] == 'TransitionStarted' for e in told), 60) // 20 * 20}+")
