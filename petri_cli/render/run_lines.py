"""A run as it happens, a line an event: for a log, a pipe, or whoever likes to read along."""

from __future__ import annotations

from collections.abc import Mapping

from petri_cli.driver.threads import items_of
from petri_cli.engine.events import (
    ActionTimedOut,
    Event,
    ExecutionStarted,
    LogMessage,
    TransitionCompleted,
    TransitionFailed,
    TransitionStarted,
    TransitionTimedOut,
)
from petri_cli.engine.tokens import to_seconds
from petri_cli.net.model import Net
from petri_cli.plan.duration import format_duration
from petri_cli.plan.lower import Lowered, suffix
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Plan, Task
from petri_cli.render.look import Line
from petri_cli.render.phrase import many
from petri_cli.render.words import Words


def seconds(value: float) -> str:
    """``2.5s`` to the millisecond, ``1h30m`` to the second."""
    rounded = round(value, 3)
    return f"{rounded:g}s" if rounded < 60 else format_duration(float(round(value)))


class Narrator:
    """Tells the events of one run; what a reader cannot see (enabling, single tokens, silent steps) is left out.

    plan and lowered: where the net is the execution net of a plan, told in the plan's words; ``slow`` transitions have
    their beginning told, too.
    """

    def __init__(
        self, net: Net, *, plan: Plan | None = None, lowered: Lowered | None = None, slow: frozenset[str] = frozenset()
    ) -> None:
        self._plan = plan
        self._lowered = lowered
        self._slow = slow
        self._words = Words(net, plan=plan is not None)
        self._entry = {t.id: t.inputs[0].place for t in net.transitions if t.inputs}
        self._names: dict[int, str] = {}
        self._start = 0

    def tell(self, event: Event) -> Line | None:
        """The line for ``event``, if it gets one."""
        match event:
            case ExecutionStarted():
                self._start = event.time
                return None
            case TransitionStarted():
                self._names[event.firing] = self._name(event)
                begun = self._begun(event)
                return self._line(event.time, [("", begun)]) if begun else None
            case TransitionCompleted():
                done = self._done(event, self._names.pop(event.firing, ""))
                return self._line(event.time, done) if done else None
            case TransitionFailed():
                self._names.pop(event.firing, None)
                text: Line = [("bad", f"{event.transition} failed"), ("", f": {event.error}: {event.message}")]
                return self._line(event.time, text)
            case ActionTimedOut():
                self._names.pop(event.firing, None)
                after = seconds(to_seconds(event.after))
                return self._line(event.time, [("doubt", f"{event.transition} is given up after {after}")])
            case TransitionTimedOut():
                return self._line(event.time, [("doubt", f"{event.transition} has missed its deadline")])
            case LogMessage():
                who = f"{event.transition}: " if event.transition else ""
                return self._line(event.time, [("dim", f"{who}{event.message}")])
            case _:
                return None

    def _line(self, time: int, text: Line) -> Line:
        return [("dim", f"{to_seconds(time - self._start):10.3f}  "), *text]

    def _name(self, event: TransitionStarted) -> str:
        entry = self._entry.get(event.transition)
        tokens = event.consumed.get(entry, ()) if entry else ()
        return tokens[0].name if tokens else ""

    def _begun(self, event: TransitionStarted) -> str:
        if self._lowered is None or self._plan is None:
            return f"{self._words.deed(event.transition).text} begins" if event.transition in self._slow else ""
        node = self._node(event.transition)
        return f"{node.id}{self._items(self._names[event.firing])} begins" if isinstance(node, Task) else ""

    def _done(self, event: TransitionCompleted, name: str) -> Line:
        if self._lowered is None or self._plan is None:
            produced = ", ".join(f"{p} × {len(ts)}" if len(ts) > 1 else p for p, ts in event.produced.items())
            return [("", self._words.deed(event.transition).text), ("dim", f" → {produced}" if produced else "")]
        return self._plan_step(event, self._items(name))

    def _plan_step(self, event: TransitionCompleted, items: str) -> Line:
        node, part = self._node(event.transition), event.transition.rpartition(".")[2]
        match node, part:
            case Task(), _:
                took = seconds(to_seconds(event.duration))
                return [("good", f"{node.id}{items} is done"), ("dim", f" ({took})")]
            case Guard(), "release" if len(event.produced) == 1:
                return []  # the units of a quota come back by themselves
            case Guard(), _:
                return [("dim", f"guard {node.id}{items} {self._words.deed(event.transition).text}")]
            case Foreach(), "discover":
                width = len(event.produced.get(f"p.foreach.{node.id}.body", ()))
                return [("dim", f"{node.id}{items} has {many(width, 'item')}")]
            case Foreach(), "gather":
                return [("dim", f"{node.id}{items} is gathered")]
            case Choice(), _ if part.isdecimal():
                branch = node.branches[int(part) - 1]
                called = f" ({branch.name})" if branch.name else ""
                return [("dim", f"choice {node.id}{items} takes branch {part}{called}")]
            case Loop(), "again":
                return [("dim", f"{node.id}{items} begins round {self._round(event.produced)}")]
            case Loop(), "wait":
                return [("dim", f"{node.id}{items} waits {seconds(node.delay or 0)}")]
            case _:
                return []

    def _round(self, produced: Mapping[str, object]) -> int:
        (tokens,) = produced.values()
        value = tokens[0].value  # type: ignore[index]
        return int(value["rounds"][-1])

    def _node(self, transition: str) -> object:
        if self._lowered is None or self._plan is None:
            return None
        index = self._lowered.origin[transition].node
        return self._plan.nodes[index] if index >= 0 else None

    def _items(self, name: str) -> str:
        return suffix(items_of(name))
