"""Execution scenarios from files: ``python -m tests.scenarios DIR`` runs a folder of them and names what differs.

A scenario describes a net, what its actions do, a script for the host, and what must come out. It runs on the virtual
clock; one that says ``clock: real`` runs on asyncio, and on the virtual clock as well.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from petri_cli.engine import ActionContext, AsyncExecutor, MemoryStore, Result, Token, VirtualExecutor
from petri_cli.engine.events import Event
from petri_cli.engine.outputs import output_rule
from petri_cli.engine.virtual_executor import Suspension
from petri_cli.errors import PetriError
from petri_cli.net.builder import at_least, both, deadline, delayed, either, every, exact, exactly, forward, one
from petri_cli.net.builder import timeout as timeout_of
from petri_cli.net.builder import window as window_of
from petri_cli.net.model import IMMEDIATE, Input, Match, Net, Output, Place, PlaceOut, Timing, Transition, leaves

TICKS_PER_MS = 1000
REAL_TIME_LIMIT = 10.0
"""Seconds after which a scenario on the real clock counts as hung."""

KEYS = {"id", "spec", "trap", "clock", "options", "net", "marking", "script", "expect"}


class Unreadable(Exception):
    """The scenario says something that this adapter does not know; nothing is skipped in silence."""


# The net


def input_of(place: str, kind: str) -> Input:
    match str(kind).split():
        case ["one"]:
            return one(place)
        case ["all"]:
            return every(place)
        case ["exactly", k]:
            return exactly(int(k), place)
        case ["at_least", k]:
            return at_least(int(k), place)
    raise Unreadable(f"input {kind!r}")


def output_of(out: Any) -> Output:
    match out:
        case str():
            return PlaceOut(out)
        case {"and": children}:
            return both(*map(output_of, children))
        case {"xor": children}:
            return either(*map(output_of, children))
        case {"timeout": {"after_ms": after, "child": child}}:
            return timeout_of(after / 1000, output_of(child))
        case {"forward": {"from": source, "to": target}}:
            return forward(source, target)
    raise Unreadable(f"output {out!r}")


def timing_of(timing: Any) -> Timing:
    match timing:
        case "immediate":
            return IMMEDIATE
        case {"delayed": after}:
            return delayed(after / 1000)
        case {"deadline": by}:
            return deadline(by / 1000)
        case {"window": [lo, hi]}:
            return window_of(lo / 1000, hi / 1000)
        case {"exact": at}:
            return exact(at / 1000)
    raise Unreadable(f"timing {timing!r}")


def transition_of(data: dict[str, Any]) -> Transition:
    known = {"name", "priority", "in", "read", "inhibit", "reset", "out", "timing", "match", "action"}
    if set(data) - known:
        raise Unreadable(f"transition keys {sorted(set(data) - known)}")
    arcs = data.get("in", {})
    pairs = [pair for arc in (arcs if isinstance(arcs, list) else [arcs]) for pair in arc.items()]
    keys = tuple(data.get("match", {}).items())
    return Transition(
        data["name"],
        tuple(input_of(p, kind) for p, kind in pairs),
        output_of(data["out"]) if "out" in data else None,
        tuple(data.get("inhibit", [])),
        tuple(data.get("read", [])),
        tuple(data.get("reset", [])),
        timing_of(data.get("timing", "immediate")),
        data.get("priority", 0),
        Match(keys) if keys else None,
    )


def net_of(scenario: dict[str, Any]) -> Net:
    data = scenario["net"]
    transitions = [transition_of(t) for t in data["transitions"]]
    environment = data.get("environment", [])
    named = dict.fromkeys([*data.get("places", []), *environment])
    for t in transitions:
        outs = [leaf.place if isinstance(leaf, PlaceOut) else leaf.target for leaf in leaves(t.output)]
        named.update(dict.fromkeys([*(i.place for i in t.inputs), *t.reads, *t.inhibitors, *t.resets, *outs]))
    return Net(scenario["id"], tuple(Place(p, environment=p in environment) for p in named), tuple(transitions))


def tokens_of(given: list[Any]) -> list[object]:
    """Values as they are; ``{value, at}`` as a token made ``at`` milliseconds."""
    return [
        Token(v["value"], v["at"] * TICKS_PER_MS) if isinstance(v, dict) and set(v) == {"value", "at"} else v
        for v in given
    ]


# The actions


@dataclass
class Gate:
    """Opened once by the script; actions wait for it, on either clock."""

    is_open: bool = False
    waiting: list[Callable[[], None]] = field(default_factory=list)

    def open(self) -> None:
        self.is_open = True
        waiting, self.waiting = self.waiting, []
        for resume in waiting:
            resume()

    def wait(self, virtual: bool) -> Awaitable[None]:
        if virtual:
            return _maybe(self)
        future = asyncio.get_running_loop().create_future()
        if self.is_open:
            future.set_result(None)
        else:
            self.waiting.append(lambda: None if future.done() else future.set_result(None))
        return future


class _maybe:
    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    def __await__(self) -> Generator[Any, None, None]:
        if not self.gate.is_open:
            yield from Suspension(self.gate.waiting.append).__await__()


@dataclass
class Observed:
    """What happened in one run."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    minted: list[str] = field(default_factory=list)
    returns: list[Any] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    result: Result | None = None
    cpu: float = 0.0


class Actions:
    """The actions of a scenario: interpreters of their steps."""

    def __init__(self, scenario: dict[str, Any], net: Net, observed: Observed, gates: dict[str, Gate]) -> None:
        self.observed = observed
        self.gates = gates
        self.spend: Callable[[float], object] = time.sleep
        self.virtual = False
        self.by_transition: dict[str, Callable[[ActionContext], object]] = {}
        for data, t in zip(scenario["net"]["transitions"], net.transitions, strict=True):
            self.add(t, data.get("action", "auto"))

    def add(self, t: Transition, action: Any) -> None:
        match action:
            case "none":
                pass
            case "auto":
                self.by_transition[t.id] = self.auto(t)
            case list():
                self.by_transition[t.id] = lambda ctx: self.run(t, ctx, action)
            case {"mode": "async", "steps": list(steps)}:
                self.by_transition[t.id] = lambda ctx: self.run_async(t, ctx, steps)
            case _:
                raise Unreadable(f"action {action!r}")

    def seen(self, t: Transition, ctx: ActionContext) -> None:
        inputs = {i.place: ctx.inputs(i.place) for i in t.inputs}
        reads = {}
        for p in t.reads:
            with suppress(LookupError):
                reads[p] = [ctx.read(p)]
        self.observed.calls.append({"t": t.id, "in": inputs, "read": reads})

    def auto(self, t: Transition) -> Callable[[ActionContext], object]:
        places = sorted(output_rule(t).places)

        def act(ctx: ActionContext) -> None:
            self.seen(t, ctx)
            for place in places:
                ctx.output(place, ctx.input(t.inputs[0].place) if t.inputs else None)

        return act

    def run(self, t: Transition, ctx: ActionContext, steps: list[Any]) -> None:
        self.seen(t, ctx)
        name: list[str] = []
        for step in steps:
            self.step(t, ctx, step, name)

    async def run_async(self, t: Transition, ctx: ActionContext, steps: list[Any]) -> None:
        self.seen(t, ctx)
        name: list[str] = []
        for step in steps:
            match step:
                case {"sleep": ms}:
                    await ctx.sleep(ms / 1000)
                case {"await": gate}:
                    await self.gates.setdefault(gate, Gate()).wait(self.virtual)
                case _:
                    self.step(t, ctx, step, name)

    def step(self, t: Transition, ctx: ActionContext, step: Any, name: list[str]) -> None:
        match step:
            case {"emit": places}:
                for place, given in places.items():
                    ctx.output(place, *self.values(t, ctx, given, name))
            case {"mint": n}:
                name[:] = [ctx.fresh_name() for _ in range(n)]
                self.observed.minted.extend(name)
            case {"advance": ms}:
                self.spend(ms / 1000)
            case {"fail": text}:
                raise TimeoutError(text) if "timeout" in str(text).lower() else RuntimeError(text)
            case _:
                raise Unreadable(f"step {step!r}")

    def values(self, t: Transition, ctx: ActionContext, given: Any, name: list[str]) -> Iterator[Any]:
        for value in given if isinstance(given, list) else [given]:
            if not (isinstance(value, str) and value.startswith("$")):
                yield value
                continue
            match value.split(".", 1):
                case ["$first"]:
                    yield ctx.input(t.inputs[0].place)
                case ["$name"]:
                    yield {"id": name[-1]}
                case ["$in", place]:
                    yield ctx.input(place)
                case ["$ins", place]:
                    yield from ctx.inputs(place)
                case ["$read", place]:
                    yield ctx.read(place)
                case _:
                    raise Unreadable(f"value {value!r}")


# Running


def options_of(scenario: dict[str, Any]) -> dict[str, Any]:
    options = dict(scenario.get("options", {}))
    known = {}
    if "deadline_tolerance_ms" in options:
        known["tolerance"] = options.pop("deadline_tolerance_ms") / 1000
    if "max_concurrency" in options:
        known["max_concurrency"] = options.pop("max_concurrency")
    if options:
        raise Unreadable(f"options {sorted(options)}")
    return known


def tokens_in(step_value: dict[str, list[Any]]) -> list[tuple[str, Any]]:
    return [(place, value) for place, values in step_value.items() for value in tokens_of(values)]


def run_virtual(scenario: dict[str, Any]) -> Observed:
    net, observed, gates = net_of(scenario), Observed(), dict[str, Gate]()
    actions, store = Actions(scenario, net, observed, gates), MemoryStore()
    marking = {p: tokens_of(v) for p, v in scenario.get("marking", {}).items()}
    executor = VirtualExecutor(net, actions.by_transition, marking, store=store, **options_of(scenario))
    actions.spend, actions.virtual = executor.spend, True
    injections: list[Any] = []
    for step in scenario.get("script", []):
        match step:
            case "settle":
                executor.settle()
            case {"advance": ms} | {"wait": ms}:
                executor.advance(ms / 1000)
            case {"inject": tokens}:
                injections += [executor.inject(place, value) for place, value in tokens_in(tokens)]
                executor.settle()
            case {"inject_now": tokens}:
                injections += [executor.inject(place, value) for place, value in tokens_in(tokens)]
            case "drain":
                executor.run()
            case "close":
                executor.close()
                executor.run()
            case {"close": "now"}:
                executor.close()
            case {"open": gate}:
                gates.setdefault(gate, Gate()).open()
                executor.settle()
            case _:
                raise Unreadable(f"script step {step!r}")
    observed.result = executor.run()
    observed.returns = [i.result(0) for i in injections]
    observed.events = store.events
    return observed


async def run_real(scenario: dict[str, Any]) -> Observed:
    net, observed, gates = net_of(scenario), Observed(), dict[str, Gate]()
    actions, store = Actions(scenario, net, observed, gates), MemoryStore()
    marking = {p: tokens_of(v) for p, v in scenario.get("marking", {}).items()}
    executor = AsyncExecutor(net, actions.by_transition, marking, store=store, **options_of(scenario))
    running = asyncio.create_task(executor.run())
    injections: list[Any] = []
    for step in scenario.get("script", []):
        match step:
            case "settle":
                await executor.settled()
            case {"advance": ms} | {"wait": ms}:
                await asyncio.sleep(ms / 1000)
            case {"inject": tokens}:
                for place, value in tokens_in(tokens):
                    injections.append(executor.inject(place, value))
                    await injections[-1]
            case {"inject_now": tokens}:
                injections += [executor.inject(place, value) for place, value in tokens_in(tokens)]
            case "drain":
                executor.drain()
                await running
            case "close":
                executor.close()
                await running
            case {"close": "now"}:
                executor.close()
            case {"open": gate}:
                gates.setdefault(gate, Gate()).open()
            case _:
                raise Unreadable(f"script step {step!r}")
    executor.drain()
    observed.result = await running
    observed.returns = [await i for i in injections]
    observed.events = store.events
    return observed


# Judging


def subject(event: Event) -> str | None:
    """The place of a token event, else the transition, else None."""
    place = getattr(event, "place", None)
    return place if place is not None else getattr(event, "transition", None)


def narrowed(call: dict[str, Any], wanted: dict[str, Any]) -> dict[str, Any]:
    """The part of ``call`` that ``wanted`` speaks of."""
    return {k: {p: call[k].get(p) for p in v} if isinstance(v, dict) else call[k] for k, v in wanted.items()}


def differences(expect: dict[str, Any], seen: Observed) -> Iterator[str]:
    """What came out otherwise than expected, one sentence each."""
    assert seen.result is not None
    result, events = seen.result, seen.events
    order = [e.transition for e in events if e.type == "TransitionStarted"]
    pairs = [(e.type, subject(e)) for e in events]
    final = result.values
    starts: dict[str, list[float]] = {}
    for e in events:
        if e.type == "TransitionStarted":
            starts.setdefault(e.transition, []).append((e.time - result.started_at) / TICKS_PER_MS)
    for key, wanted in expect.items():
        got: Any
        match key:
            case "order":
                got = order
            case "order_any":
                got, wanted = order, order if order in wanted else wanted
            case "at":
                got = {t: starts.get(t, []) for t in wanted}
            case "calls":
                named = {c["t"] for c in wanted}
                calls = [c for c in seen.calls if c["t"] in named]
                got = (
                    [narrowed(c, w) for c, w in zip(calls, wanted, strict=True)] if len(calls) == len(wanted) else calls
                )
            case "final":
                got = final
            case "final_sorted":
                got = {p: sorted(v, key=repr) for p, v in final.items()}
                wanted = {p: sorted(v, key=repr) for p, v in wanted.items()}
            case "reason":
                got = result.reason
            case "returns":
                got = seen.returns
            case "minted":
                got = seen.minted
            case "count":
                got = [[kind, name, pairs.count((kind, name))] for kind, name, _ in wanted]
            case "sum_count":
                got = [[kinds, name, sum(pairs.count((k, name)) for k in kinds)] for kinds, name, _ in wanted]
            case "event_seq":
                rest = iter(pairs)
                missing = [list(p) for p in wanted if tuple(p) not in rest]
                got, wanted = missing, []
            case "cpu_below_ms":
                got, wanted = (wanted, wanted) if seen.cpu * 1000 < wanted else (round(seen.cpu * 1000), wanted)
            case _:
                raise Unreadable(f"expectation {key!r}")
        if got != wanted:
            yield f"{key}: expected {wanted!r}, got {got!r}"


def judge(scenario: dict[str, Any]) -> list[str]:
    """Run one scenario on every clock that it is meant for; what differs."""
    if set(scenario) - KEYS:
        raise Unreadable(f"keys {sorted(set(scenario) - KEYS)}")
    expect = scenario["expect"]
    if expect.get("error") == "build":
        try:
            VirtualExecutor(net_of(scenario), Actions(scenario, net_of(scenario), Observed(), {}).by_transition)
        except PetriError:
            return []
        return ["expected a refusal when the net is built, got none"]
    runs: dict[str, Callable[[], Observed]] = {"virtual clock": lambda: run_virtual(scenario)}
    if scenario.get("clock") == "real":
        runs["real clock"] = lambda: asyncio.run(asyncio.wait_for(run_real(scenario), REAL_TIME_LIMIT))
    found = []
    for clock, run in runs.items():
        before = time.process_time()
        seen = run()
        seen.cpu = time.process_time() - before
        found += [f"{clock}: {difference}" for difference in differences(expect, seen)]
    return found


def read(path: Path) -> dict[str, Any]:
    scenario = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert isinstance(scenario, dict)
    return scenario


def main(folder: str) -> int:
    passed = failed = 0
    for path in sorted(Path(folder).glob("*.yaml")):
        try:
            found = judge(read(path))
        except Exception as e:
            found = [f"{type(e).__name__}: {e}"]
        passed, failed = passed + (not found), failed + bool(found)
        for difference in found:
            print(f"{path.stem}: {difference}")  # noqa: T201
    print(f"{passed} passed, {failed} failed")  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
