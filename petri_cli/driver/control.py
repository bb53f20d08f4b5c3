"""The execution net of a plan, bound to actions: control transitions move tokens and keep their names right.

A split gives each branch a token of the same thread; a join, which the net matches by name, gives one back. Discover
gives n items a token each, and its parent n tokens in ``open`` and one in ``gathering``; the end of an item takes one
from ``open``, and the gather, which the net holds back until none is left, goes on with the parent's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any, Protocol, assert_never

from petri_cli.driver.deciders import Decider
from petri_cli.driver.naming import titled
from petri_cli.driver.threads import Thread
from petri_cli.engine.actions import Action, ActionContext
from petri_cli.engine.tokens import UNSTAMPED, Token
from petri_cli.net.model import PlaceOut, Transition, leaves
from petri_cli.plan.lower import Lowered, due_place, resource_place
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Parallel, Plan, Seq, Task

Perform = Callable[[Task, Thread, ActionContext], object]
"""Does one task for one thread; may be ``async``. What it returns is not looked at, what it raises fails the task."""


class LoopExhausted(Exception):
    """A loop had all its rounds, and its ``until`` is still false."""


class TooManyItems(Exception):
    """A foreach found more items than its ``maxWidth``; none is left out in silence."""


class Alarm(Protocol):
    """Time, as a plan's control meets it: tokens from outside, put into an environment place when it is time."""

    def after(self, seconds: float, place: str, tokens: Sequence[Token]) -> None:
        """Inject ``tokens`` into ``place`` once ``seconds`` have passed."""


def control_actions(
    plan: Plan, lowered: Lowered, decider: Decider, alarm: Alarm, perform: Perform | None = None
) -> dict[str, Action]:
    """An action for each transition of ``lowered``, the execution net of ``plan``.

    perform: called for each task (None: a task only lets its token pass). The places of :func:`alarm_places` must be
    environment places of the executor. The same actions run in real and in simulated time.
    """
    binding = _Binding(plan, decider, alarm, perform)
    return {t.id: binding.action(t, lowered.origin[t.id].node) for t in lowered.net.transitions}


def alarm_places(plan: Plan) -> tuple[str, ...]:
    """The places that tokens come to from outside: quotas, and the ends of delays."""
    quotas = [resource_place(r.id) for r in plan.resources if r.per is not None]
    return (*quotas, *[due_place(n) for n in plan.nodes if isinstance(n, Loop) and n.delay])


class _Binding:
    def __init__(self, plan: Plan, decider: Decider, alarm: Alarm, perform: Perform | None) -> None:
        self.plan = plan
        self.decider = decider
        self.alarm = alarm
        self.perform = perform
        self.quotas = {r.id: r.per for r in plan.resources if r.per is not None}

    def action(self, t: Transition, index: int) -> Action:
        """What ``t`` does, which comes from node ``index`` of the plan."""
        entry = t.inputs[0].place
        outputs = {leaf.place: leaf.count for leaf in leaves(t.output) if isinstance(leaf, PlaceOut)}
        node = self.plan.nodes[index] if index >= 0 else None
        part = t.id.rpartition(".")[2]
        match node:
            case Task():
                if self.perform is not None:
                    return partial(_task, node, self.perform, entry, next(iter(outputs)))
            case Choice():
                if part == "decide":
                    return partial(_choose, node, self.decider, entry, tuple(outputs))
            case Loop():
                return self._loop(node, part, entry, tuple(outputs))
            case Foreach():
                if part == "discover":
                    return partial(_discover, node, self.decider, entry, tuple(outputs))
                if part == "item":
                    return _nothing
            case Guard():
                return self._guard(node, part, entry, outputs)
            case Parallel() | Seq() | None:
                pass
            case other:
                assert_never(other)
        return partial(_pass_on, entry, tuple(outputs))

    def _loop(self, node: Loop, part: str, entry: str, ways: tuple[str, ...]) -> Action:
        match part:
            case "enter":
                return partial(_move, Thread.entering, entry, ways[0])
            case "wait":
                return partial(_wait, node.delay or 0.0, due_place(node), self.alarm, entry, ways[0])
            case "again":
                return partial(_move, Thread.again, entry, ways[0])
            case "exit":
                return partial(_move, Thread.leaving, entry, ways[0])
            case _:
                return partial(_loop_decision, node, self.decider, entry, ways)

    def _guard(self, node: Guard, part: str, entry: str, outputs: Mapping[str, int]) -> Action:
        lasting = {resource_place(r): k for r, k in node.units if r not in self.quotas}
        (onward,) = [p for p in outputs if p not in lasting]
        if part == "release":
            return partial(_release, entry, onward, {p: (None,) * k for p, k in lasting.items()})
        passing = [(self.quotas[r], resource_place(r), k) for r, k in node.units if r in self.quotas]
        return partial(_acquire, entry, onward, passing, self.alarm)


def _nothing(ctx: ActionContext) -> None:
    """The end of an item only takes tokens."""


def _pass_on(entry: str, places: tuple[str, ...], ctx: ActionContext) -> None:
    token = _undated(ctx.input_token(entry))
    for place in places:
        ctx.output(place, token)


def _move(change: Callable[[Thread], Thread], entry: str, place: str, ctx: ActionContext) -> None:
    ctx.output(place, change(Thread.of(ctx.input_token(entry))).token())


def _task(task: Task, perform: Perform, entry: str, place: str, ctx: ActionContext) -> object:
    token = ctx.input_token(entry)
    done = perform(task, Thread.of(token), ctx)
    if isinstance(done, Coroutine):
        return _finish(done, place, token, ctx)
    ctx.output(place, _undated(token))
    return None


async def _finish(work: Coroutine[Any, Any, object], place: str, token: Token, ctx: ActionContext) -> None:
    await work
    ctx.output(place, _undated(token))


def _choose(node: Choice, decider: Decider, entry: str, ways: tuple[str, ...], ctx: ActionContext) -> None:
    token = ctx.input_token(entry)
    branch = decider.branch(node, Thread.of(token))
    if not 1 <= branch <= len(ways):
        raise ValueError(f"choice {node.id} has branches 1 to {len(ways)}, not {branch}")
    ctx.output(ways[branch - 1], _undated(token))


def _loop_decision(node: Loop, decider: Decider, entry: str, ways: tuple[str, ...], ctx: ActionContext) -> None:
    more, left = ways
    token = ctx.input_token(entry)
    thread = Thread.of(token)
    again = decider.again(node, thread)
    if again and node.max_iterations is not None and thread.rounds[-1] >= node.max_iterations:
        if node.until is not None and node.on_exhausted == "fail":
            raise LoopExhausted(f"{titled(node)}: `until` is still false after {node.max_iterations} rounds")
        again = False
        ctx.log(f"loop {node.id} is left: it had all its {node.max_iterations} rounds", "WARN")
    ctx.output(more if again else left, _undated(token))


def _wait(delay: float, due: str, alarm: Alarm, entry: str, place: str, ctx: ActionContext) -> None:
    token = ctx.input_token(entry)
    alarm.after(delay, due, [Token(None, UNSTAMPED, token.name)])
    ctx.output(place, _undated(token))


def _discover(node: Foreach, decider: Decider, entry: str, places: tuple[str, ...], ctx: ActionContext) -> None:
    body, open_, gathering, exit_ = places
    token = ctx.input_token(entry)
    thread = Thread.of(token)
    values: Sequence[object] = node.over if node.items is not None else decider.items(node, thread)
    if node.max_width is not None and len(values) > node.max_width:
        raise TooManyItems(f"{titled(node)} found {len(values)} items; maxWidth is {node.max_width}")
    parent = _undated(token)
    if not values:
        ctx.output(exit_, parent)
        return
    ctx.output(body, *[thread.child(n, item).token() for n, item in enumerate(values, 1)])
    ctx.output(open_, *[Token(None, UNSTAMPED, token.name)] * len(values))
    ctx.output(gathering, parent)


def _acquire(
    entry: str, place: str, passing: Sequence[tuple[float, str, int]], alarm: Alarm, ctx: ActionContext
) -> None:
    ctx.output(place, _undated(ctx.input_token(entry)))
    for per, quota, units in passing:
        alarm.after(per, quota, [Token(None, UNSTAMPED)] * units)


def _release(entry: str, place: str, back: Mapping[str, tuple[None, ...]], ctx: ActionContext) -> None:
    ctx.output(place, _undated(ctx.input_token(entry)))
    for resource, units in back.items():
        ctx.output(resource, *units)


def _undated(token: Token) -> Token:
    """``token`` as it leaves an action: dated when it is deposited."""
    return Token(token.value, UNSTAMPED, token.name)
