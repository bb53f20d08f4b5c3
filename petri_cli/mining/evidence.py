"""What the logs of sessions say about a plan, counted: how often work was tried, who waited for what, how long it took.

Only what is the same task or resource in the plan at hand counts. Every count can be traced: the sessions behind it are
kept with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from petri_cli.engine.events import TokensByPlace
from petri_cli.plan.lower import END, lower_execution
from petri_cli.plan.model import Guard, Plan
from petri_cli.session.events import (
    Approved,
    Claimed,
    Fired,
    Lapsed,
    Refused,
    Reported,
    RevisionCommitted,
    SessionEvent,
    Verified,
)
from petri_cli.session.fold import apply
from petri_cli.session.fold_tokens import thread_of
from petri_cli.session.state import State, Work


@dataclass(slots=True)
class Streak:
    """The attempts at one piece of work (one task, item and round) of a session, in order.

    passed: False when it never was, though it may yet be (a censored observation); exhausted: it had all the attempts
    that its plan allowed then; rejected: attempts that a person did not let pass, which are among those burnt.
    """

    session: str
    work: Work
    burnt: int = 0
    passed: bool = False
    exhausted: bool = False
    rejected: int = 0


@dataclass(slots=True)
class TaskEvidence:
    """Of one task. seconds: how long verified attempts took, from claim to report; lapses: leases that ended."""

    task: str
    streaks: list[Streak] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    lapses: int = 0
    allowed: list[int] = field(default_factory=list)
    """Attempts that each revision allowed, oldest first."""

    @property
    def passed(self) -> list[Streak]:
        return [s for s in self.streaks if s.passed]

    @property
    def exhausted(self) -> list[Streak]:
        """Those that ran out by themselves: where a person said no, another attempt is that person's to ask for."""
        return [s for s in self.streaks if s.exhausted and not s.passed and not s.rejected]

    @property
    def rejected(self) -> list[Streak]:
        return [s for s in self.streaks if s.exhausted and not s.passed and s.rejected]

    @property
    def worst(self) -> int:
        """The longest streak of attempts that were burnt, but not by a person, whatever came of it."""
        return max((s.burnt - s.rejected for s in self.streaks), default=0)


@dataclass(slots=True)
class ResourceEvidence:
    """Of one resource. starved: acquisitions, (session, guard's transition, thread), whose turn had come while it was
    short; waited: seconds that they waited for it, all together; busiest: most units ever taken at one time."""

    resource: str
    starved: list[tuple[str, str, str]] = field(default_factory=list)
    waited: float = 0.0
    busiest: int = 0
    acquisitions: int = 0


@dataclass(slots=True)
class Evidence:
    """sessions: all that were looked at; completed: those that came to their end under the plan's tasks; makespans: of
    those, in seconds; fired: transition → completed sessions in which it fired at least once."""

    sessions: list[str] = field(default_factory=list)
    completed: list[str] = field(default_factory=list)
    makespans: list[float] = field(default_factory=list)
    tasks: dict[str, TaskEvidence] = field(default_factory=dict)
    resources: dict[str, ResourceEvidence] = field(default_factory=dict)
    fired: dict[str, int] = field(default_factory=dict)


Session = tuple[str, Iterable[SessionEvent]]


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a revision allows: task → attempts, resource → capacity."""

    attempts: Mapping[str, int]
    capacities: Mapping[str, int]


NumbersOf = Callable[[RevisionCommitted], Numbers]


def gather(plan: Plan, sessions: Iterable[Session], numbers: NumbersOf) -> Evidence:
    """Everything that the logs say about ``plan``.

    Who waited for a resource counts while there were as many units of it as the plan has now, or more.
    """
    evidence = Evidence(
        tasks={t.id: TaskEvidence(t.id) for t in plan.tasks()},
        resources={r.id: ResourceEvidence(r.id) for r in plan.resources},
    )
    gates = _gates(plan)
    for name, events in sessions:
        _Reader(evidence, name, plan, gates, numbers).read(events)
    return evidence


@dataclass(frozen=True, slots=True)
class _Gate:
    """A guard's beginning on the execution net: where its turn shows, and what it asks for."""

    transition: str
    entry: str
    units: tuple[tuple[str, int], ...]


def _gates(plan: Plan) -> list[_Gate]:
    lowered = lower_execution(plan)
    gates = []
    for t in lowered.net.transitions:
        index = lowered.origin[t.id].node
        node = plan.nodes[index] if index >= 0 else None
        if isinstance(node, Guard) and t.id.endswith(".acquire"):
            gates.append(_Gate(t.id, t.inputs[0].place, node.units))
    return gates


class _Reader:
    """Reads the log of one session. State is looked at between two moments, when control has come to rest."""

    def __init__(self, evidence: Evidence, name: str, plan: Plan, gates: Sequence[_Gate], numbers: NumbersOf) -> None:
        self.evidence = evidence
        self.numbers = numbers
        self.allowed = Numbers({}, {})
        self.name = name
        self.state = State()
        self.gates = {g.entry: g for g in gates}
        self.by_transition = {g.transition: g for g in gates}
        self.capacity = {r.id: r.capacity for r in plan.resources}
        self.streaks: dict[Work, Streak] = {}
        self.claims: dict[str, Claimed] = {}
        self.reported: dict[str, int] = {}
        self.rejected: set[str] = set()
        self.waiting: dict[tuple[str, str], tuple[int, tuple[str, ...]]] = {}
        """(gate, thread) → since when it waits, and for which resources."""
        self.came: dict[tuple[str, str], _Gate] = {}
        """Whose turn has come, and of whom it was not yet seen whether they wait."""

    def read(self, events: Iterable[SessionEvent]) -> None:
        self.evidence.sessions.append(self.name)
        for event in events:
            if event.at > self.state.at and self.state.revision:
                self._look()
            if isinstance(event, (Refused, Lapsed)):
                self._burnt(event)
            apply(self.state, event)
            self._follow(event)
        if self.state.revision and self.state.ended is None:
            self._look()
        self._end()

    def _follow(self, event: SessionEvent) -> None:
        match event:
            case Claimed():
                self.claims[event.claim] = event
                if event.task in self.evidence.tasks:
                    work = (event.transition, event.thread, tuple(event.rounds))
                    self.streaks.setdefault(work, Streak(self.name, work))
            case Reported():
                self.reported[event.claim] = event.at
            case Approved() if not event.approved:
                self.rejected.add(event.claim)
            case Verified():
                self._turns(event.produced)
                claim = self.claims.pop(event.claim)
                task = self.evidence.tasks.get(claim.task)
                if task is not None:
                    streak = self.streaks.pop((claim.transition, claim.thread, tuple(claim.rounds)))
                    streak.passed = True
                    task.streaks.append(streak)
                    task.seconds.append((self.reported.pop(event.claim, event.at) - claim.at) / 1e6)
            case Fired():
                gate = self.by_transition.get(event.transition)
                if gate is not None:
                    self._acquired(gate, event)
                self._turns(event.produced)
            case RevisionCommitted():
                self.waiting.clear()
                self.came.clear()
                self._turns(event.marking)
                self.allowed = self.numbers(event)
                for name, attempts in self.allowed.attempts.items():
                    if name in self.evidence.tasks:
                        self.evidence.tasks[name].allowed.append(attempts)
            case _:
                pass

    def _burnt(self, event: Refused | Lapsed) -> None:
        claim = self.claims.pop(event.claim)
        task = self.evidence.tasks.get(claim.task)
        if task is None:
            return
        streak = self.streaks[claim.transition, claim.thread, tuple(claim.rounds)]
        streak.burnt += 1
        streak.rejected += event.claim in self.rejected
        task.lapses += isinstance(event, Lapsed)

    # Resources

    def _look(self) -> None:
        """At rest: of those whose turn has come since the last look, who waits, and for which resources."""
        came, self.came = self.came, {}
        for (transition, thread), gate in came.items():
            short = tuple(r for r, k in gate.units if self.state.free(r) < k and self._counts(r))
            if not short:
                self.came[transition, thread] = gate
                continue
            self.waiting[transition, thread] = self.state.at, short
            for r in short:
                self.evidence.resources[r].starved.append((self.name, transition, thread))

    def _turns(self, tokens: TokensByPlace) -> None:
        """Take note of tokens that have come before a guard."""
        for place in self.gates.keys() & tokens.keys():
            gate = self.gates[place]
            for token in tokens[place]:
                self.came[gate.transition, token.name] = gate

    def _counts(self, resource: str) -> bool:
        return self.allowed.capacities.get(resource, 0) >= self.capacity[resource]

    def _acquired(self, gate: _Gate, event: Fired) -> None:
        thread = thread_of(event.consumed)
        self.came.pop((gate.transition, thread), None)
        since = self.waiting.pop((gate.transition, thread), None)
        for r, _ in gate.units:
            found = self.evidence.resources.get(r)
            if found is not None:
                found.acquisitions += 1
                taken = self.allowed.capacities.get(r, 0) - self.state.free(r)
                found.busiest = max(found.busiest, taken)
        if since is not None:
            for r in since[1]:
                self.evidence.resources[r].waited += (event.at - since[0]) / 1e6

    def _end(self) -> None:
        state = self.state
        for work, streak in self.streaks.items():
            tries = state.attempts.get(work)
            name = work[0].removeprefix("t.")
            streak.exhausted = tries is not None and tries.burnt >= self.allowed.attempts.get(name, 1)
            self.evidence.tasks[name].streaks.append(streak)
        if state.ended == "completed" and END in state.marking:
            self.evidence.completed.append(self.name)
            self.evidence.makespans.append((state.at - state.created_at) / 1e6)
            for transition in state.fired:
                self.evidence.fired[transition] = self.evidence.fired.get(transition, 0) + 1
