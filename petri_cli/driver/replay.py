"""History played again on another net: where do the tokens stand when all that was done is done?

Control that fired is fired again, where the net has it and it can; decisions are taken as they were taken; what was
never decided stays undecided. A piece of work needs its turn to come: control moves on as far as it can by itself, and
guards around the work are taken.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Iterable, Iterator, Sequence

from petri_cli.driver.control import control_actions
from petri_cli.driver.deciders import Scripted
from petri_cli.driver.history import Done, History
from petri_cli.engine.actions import ActionContext
from petri_cli.engine.events import TokensByPlace
from petri_cli.engine.firings import Firing
from petri_cli.engine.tokens import NAME_SEPARATOR, PARENT_NAME, UNSTAMPED, Token
from petri_cli.net.model import Input, PlaceOut, Transition, leaves
from petri_cli.plan.lower import Lowered, acquire_id
from petri_cli.plan.model import Foreach, Guard, Plan, PlanNode, Task
from petri_cli.session.events import Holding
from petri_cli.session.state import RESOURCE

DECISIONS = (("t.choice.", ".decide"), ("t.loop.", ".decide"), ("t.foreach.", ".discover"))

ByName = dict[str, deque[Token]]


class Replay:
    """The execution net of ``plan`` at its initial marking, with tokens dated ``now``.

    After :meth:`play`: ``holdings`` are what blocks hold, ``done`` is the work that was played again (transition →
    threads).
    """

    def __init__(self, plan: Plan, lowered: Lowered, history: History, now: int) -> None:
        self.plan = plan
        self.now = now
        self.holdings: dict[tuple[str, str], Holding] = {}
        self.done: dict[str, list[str]] = {}
        self._transitions = {t.id: t for t in lowered.net.transitions}
        self._origin = lowered.origin
        self._writes = {
            t.id: frozenset(leaf.place for leaf in leaves(t.output) if isinstance(leaf, PlaceOut))
            for t in lowered.net.transitions
        }
        self._takers: dict[str, list[Transition]] = {}
        for t in lowered.net.transitions:
            for place in (*(i.place for i in t.inputs), *t.inhibitors):
                self._takers.setdefault(place, []).append(t)
        self._actions = control_actions(plan, lowered, Scripted(), self)
        self._quotas = {RESOURCE + r.id for r in plan.resources if r.per is not None}
        self._due = dict(history.due)
        self._decided: dict[tuple[str, str], deque[Done]] = {}
        for step in history.steps:
            if _decides(step.transition):
                self._decided.setdefault((step.transition, step.thread), deque()).append(step)
        self._marking: dict[str, ByName] = {}
        self._restless: deque[tuple[str, str]] = deque()
        for place, n in lowered.net.initial.items():
            self._put(place, [Token(None, now)] * n)

    @property
    def marking(self) -> dict[str, list[Token]]:
        """The tokens of every place that holds some."""
        return {p: [t for queue in names.values() for t in queue] for p, names in self._marking.items() if names}

    # As the clock of control actions, and as their host

    def after(self, seconds: float, place: str, tokens: Sequence[Token]) -> None:
        """A delay that was over is over again, one that was not goes on. Quotas count their timers at the end."""
        for token in tokens:
            key = place, token.name
            if place.startswith(RESOURCE):
                self._put(place, [token])
            elif self._due.get(key, 0):
                self._due[key] -= 1
                self._put(place, [token])

    def fresh_name(self, firing: Firing) -> str:
        raise NotImplementedError("control makes no names")

    def log(self, firing: Firing, level: str, message: str) -> None:
        """It was said when it happened."""

    def sleep(self, seconds: float) -> Awaitable[None]:
        raise NotImplementedError("control does not wait")

    # The replay

    def play(self, step: Done) -> bool:
        """Do ``step`` again. False: it is work, and its turn cannot come."""
        self.settle()
        t = self._transitions.get(step.transition)
        if t is None or not step.work:
            if t is not None and not _decides(t.id) and self._can(t, step.thread):
                self._fire(t, step.thread, step.at)
            return not step.work
        if not self.reach(t.id, step.thread, step.at):
            return False
        if _decides(t.id):  # the discovery of a foreach
            self._settle_decision(t, step.thread)
        else:
            self._fire(t, step.thread, step.at)
        self.done.setdefault(t.id, []).append(step.thread)
        return True

    def reach(self, tid: str, thread: str, at: int) -> bool:
        """Bring the turn of ``tid``: take the guards around it, outermost first. Whether its token is there."""
        self.settle()
        t = self._transitions.get(tid)
        if t is None:
            return False
        if self._can(t, thread):
            return True
        around = list(self.plan.ancestors(self._origin[tid].node))
        for k in range(len(around) - 1, -1, -1):
            guard = around[k]
            if isinstance(guard, Guard):
                name = _outer(thread, sum(isinstance(n, Foreach) for n in around[k + 1 :]))
                acquire = self._transitions[acquire_id(guard)]
                if self._can(acquire, name):
                    self._fire(acquire, name, at)
                    self.settle()
        return self._can(t, thread)

    def take(self, tid: str, thread: str) -> TokensByPlace:
        """Take out of the marking what work on ``tid`` reserves."""
        return self._consume(self._transitions[tid], thread)

    def take_units(self, place: str, n: int) -> bool:
        """Take ``n`` units of a resource out of the marking, if they are there."""
        queue = self._marking.get(place, {}).get("", ())
        if len(queue) < n:
            return False
        for _ in range(n):
            self._pop(place, "")
        return True

    def settle(self) -> None:
        """Fire what fires by itself: control that is no guard's beginning, and decisions that were taken before."""
        while self._restless:
            place, name = self._restless.popleft()
            for t in self._takers.get(place, ()):
                if t.id.endswith(".acquire") or isinstance(self._node(t), Task):
                    continue
                while self._can(t, name):
                    if not _decides(t.id):
                        self._fire(t, name, self.now)
                    elif not self._settle_decision(t, name):
                        break

    def _settle_decision(self, t: Transition, thread: str) -> bool:
        """Decide as was decided. False where it was not, or where that way is no longer there."""
        taken = self._decided.get((t.id, thread))
        if not taken:
            return False
        own = f"p.{t.id[2:].rpartition('.')[0]}."
        outward = [p for p in self._writes[t.id] if not p.startswith(own)]
        ways = {p: (p if p in self._writes[t.id] else next(iter(outward), None)) for p in taken[0].produced}
        if None in ways.values():
            return False
        for place, tokens in taken.popleft().produced.items():
            self._put(ways[place] or place, tokens)
        self._consume(t, thread)
        return True

    def _node(self, t: Transition) -> PlanNode | None:
        index = self._origin[t.id].node
        return self.plan.nodes[index] if index >= 0 else None

    # Tokens

    def _fire(self, t: Transition, thread: str, at: int) -> None:
        consumed = self._consume(t, thread)
        ctx = ActionContext(Firing(0, 0, t.id, at, consumed, {}, {}), self._writes[t.id], self)
        self._actions[t.id](ctx)
        for place, values in ctx.outputs.items():
            self._put(place, values)
        head, _, part = t.id.rpartition(".")
        if part == "acquire":
            node = self._node(t)
            units = {p: len(ts) for p, ts in consumed.items() if p.startswith(RESOURCE) and p not in self._quotas}
            if units and isinstance(node, Guard):
                self.holdings[head, thread] = Holding(t.id, thread, at, units)
        elif part == "release":
            self.holdings.pop((head, thread), None)

    def _put(self, place: str, values: Iterable[object]) -> None:
        for value in values:
            token = value if isinstance(value, Token) else Token(value, UNSTAMPED)
            if token.created_at == UNSTAMPED:
                token = Token(token.value, self.now, token.name)
            self._marking.setdefault(place, {}).setdefault(token.name, deque()).append(token)
            self._restless.append((place, token.name))

    def _pop(self, place: str, name: str) -> Token:
        names = self._marking[place]
        token = names[name].popleft()
        if not names[name]:
            del names[name]
        self._restless.append((place, name))
        return token

    def _can(self, t: Transition, thread: str) -> bool:
        for arc, name in _wants(t, thread):
            if len(self._marking.get(arc.place, {}).get(name, ())) < arc.count:
                return False
        return not any(thread in self._marking.get(p, {}) for p in t.inhibitors)

    def _consume(self, t: Transition, thread: str) -> dict[str, tuple[Token, ...]]:
        return {
            arc.place: tuple(self._pop(arc.place, name) for _ in range(arc.count)) for arc, name in _wants(t, thread)
        }


def _wants(t: Transition, thread: str) -> Iterator[tuple[Input, str]]:
    """Each input of ``t`` and the name of the tokens it takes when ``t`` fires for ``thread``: units have none, and
    the end of an item takes a token of its parent."""
    keys = dict(t.match.keys) if t.match else {}
    by_parent = keys.get(t.inputs[0].place) == PARENT_NAME
    for n, arc in enumerate(t.inputs):
        if arc.place.startswith(RESOURCE):
            yield arc, ""
        else:
            yield arc, thread.rpartition(NAME_SEPARATOR)[0] if n and by_parent else thread


def _decides(tid: str) -> bool:
    return any(tid.startswith(head) and tid.endswith(tail) for head, tail in DECISIONS)


def _outer(thread: str, items: int) -> str:
    """The thread that ``thread`` is in ``items`` foreach blocks deep."""
    return NAME_SEPARATOR.join(thread.split(NAME_SEPARATOR)[:items]) if items else ""
