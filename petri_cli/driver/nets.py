"""A net file, run: in real time with the actions that it names, or in simulated time with none of them."""

from __future__ import annotations

import asyncio
import random
import signal
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from inspect import iscoroutinefunction
from typing import Any

from petri_cli.driver.limit import MAX_FIRINGS, FiringLimit
from petri_cli.driver.programs import function, shell
from petri_cli.driver.signals import to_end
from petri_cli.driver.units import check_tokens
from petri_cli.engine.actions import Action, ActionContext, blocking
from petri_cli.engine.async_executor import AsyncExecutor
from petri_cli.engine.binding import Actions, BuiltIn, described_built_in, transform
from petri_cli.engine.executor import Result
from petri_cli.engine.outputs import OutputRule, output_rule
from petri_cli.engine.stores import EventStore, MemoryStore
from petri_cli.engine.tokens import UNSTAMPED, Token
from petri_cli.engine.virtual_executor import Duration, VirtualExecutor
from petri_cli.net.model import Net, Transition


def net_actions(net: Net) -> Actions:
    """The actions that a net describes, ready to be called; modules are imported.

    Raises PetriError ``PETRI_BAD_BINDING`` for a function that there is not.
    """
    found: dict[str, Action | BuiltIn] = {}
    for t in net.transitions:
        match dict(t.action or {}):
            case {"shell": str() | (list() | tuple()) as command}:
                found[t.id] = shell(t, command)
            case {"python": str(name)}:
                found[t.id] = in_thread(function(name, t))
            case {"transform": str(name)}:
                found[t.id] = transform(function(name, t), t.inputs[0].place if t.inputs else None)
    return found


def in_thread(called: Callable[..., Any]) -> Action:
    """``called``, not to keep the run from everything else: who writes a net cannot know how long it will take."""
    if iscoroutinefunction(called):
        return called

    def call(ctx: ActionContext) -> object:
        return called(ctx)

    return blocking(call)


class Run:
    """One run of a net in real time, which Ctrl-C ends: once, and nothing new starts; twice, and what runs is ended.

    say: called with a line for whoever pressed the keys. Raises PetriError ``PETRI_TOO_MANY_UNITS``.
    """

    def __init__(
        self, net: Net, *, store: EventStore, say: Callable[[str], None], max_concurrency: int | None = None
    ) -> None:
        check_tokens(net, map(output_rule, net.transitions))
        self._say = say
        self.executor = AsyncExecutor(net, net_actions(net), store=store, max_concurrency=max_concurrency)
        self.executor.drain()  # nobody feeds the environment: at rest the run is over
        self.signal: signal.Signals | None = None
        """What ended the run before its time."""

    def run(self) -> Result:
        """Run to the end."""
        return asyncio.run(self._run())

    async def _run(self) -> Result:
        loop = asyncio.get_running_loop()
        with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread, or no signals here
            loop.add_signal_handler(signal.SIGINT, self.interrupt)
            for number in to_end():
                loop.add_signal_handler(number, self.terminate, number)
        return await self.executor.run()

    def interrupt(self) -> None:
        """Start nothing new; when called again, end what runs."""
        if self.signal is None:
            self.signal = signal.SIGINT
            self.executor.close()
            self._say("petri: interrupted; what runs may end, nothing new starts (Ctrl-C again ends what runs)")
        else:
            self.executor.cancel()
            self._say("petri: ending what runs")

    def terminate(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End what runs."""
        self.signal = number
        self.executor.cancel()


def simulate_net(
    net: Net,
    *,
    seed: int = 0,
    max_firings: int = MAX_FIRINGS,
    durations: Mapping[str, Duration] | None = None,
    store: MemoryStore | None = None,
    max_concurrency: int | None = None,
) -> Result:
    """Play ``net`` in simulated time. No program and no function is called: a token that is passed on keeps its value,
    a choice in an output is made by chance (a time-out is none), and a transition of which nothing is said takes no
    time. Once ``max_firings`` have begun, nothing new starts. Raises PetriError ``PETRI_TOO_MANY_UNITS``.
    """
    check_tokens(net, map(output_rule, net.transitions))
    actions: dict[str, Action | BuiltIn] = {}
    for t in net.transitions:
        if described_built_in(t.action or {}) is None:
            chances = random.Random(f"{seed}:choice:{t.id}")  # noqa: S311
            actions[t.id] = partial(_play, t, output_rule(t), chances)
    store = store or MemoryStore()
    executor = VirtualExecutor(
        net, actions, durations=durations, seed=seed, store=store, max_concurrency=max_concurrency
    )
    store.subscribe(FiringLimit(max_firings, executor.close))
    return executor.run()


def _play(t: Transition, rule: OutputRule, chances: random.Random, ctx: ActionContext) -> None:
    ways = [rule.usual] if rule.conforms(rule.usual) else sorted(map(sorted, rule.explanations))
    given = ctx.input_token(t.inputs[0].place) if t.inputs else Token()
    for place in chances.choice(ways):
        ctx.output(place, *[Token(given.value, UNSTAMPED, given.name)] * rule.copies[place])
