"""A plan in simulated time: what happens when, for given durations, widths and chances. Nothing is started.

Not simulated: failing attempts (and so time-outs, retries, verification), and what the results of tasks would decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count

from petri_cli.driver.control import alarm_places, control_actions
from petri_cli.driver.deciders import Decider, Seeded
from petri_cli.driver.limit import MAX_FIRINGS, FiringLimit
from petri_cli.driver.outcome import Outcome, outcome
from petri_cli.driver.readback import Fired, firings
from petri_cli.driver.units import check_units
from petri_cli.engine.events import Event, TransitionFailed
from petri_cli.engine.executor import Result
from petri_cli.engine.stores import MemoryStore
from petri_cli.engine.tokens import Token, to_seconds, to_ticks
from petri_cli.engine.virtual_executor import Duration, VirtualExecutor
from petri_cli.errors import PetriError
from petri_cli.formats.nearest import did_you_mean
from petri_cli.plan.lower import Items, Lowered, lower_execution
from petri_cli.plan.model import Foreach, Plan, Task

TASK_SECONDS = 1.0
"""How long a task takes of which nothing is said."""


MAX_WIDTH = 100_000
"""Items of a foreach that a simulation bears."""


@dataclass(frozen=True, slots=True)
class TaskRun:
    """One task for one item, from start to end, in seconds since the start of the run."""

    task: str
    items: Items
    began: float
    ended: float


@dataclass(frozen=True, slots=True)
class Simulation:
    """What came of a simulated run.

    seconds: when the last step ended; result: the final marking; tasks: in the
    order in which they ended; events: all of them; failures: (transition, error, message).
    """

    plan: Plan
    lowered: Lowered
    outcome: Outcome
    seconds: float
    result: Result
    tasks: tuple[TaskRun, ...]
    events: tuple[Event, ...]
    failures: tuple[tuple[str, str, str], ...] = ()


def simulate(
    plan: Plan,
    *,
    seed: int = 0,
    widths: Mapping[str, int] | None = None,
    durations: Mapping[str, Duration] | None = None,
    max_concurrency: int | None = None,
    max_firings: int = MAX_FIRINGS,
    decider: Decider | None = None,
    store: MemoryStore | None = None,
) -> Simulation:
    """Run ``plan`` to its end in simulated time; the same arguments give the same run.

    widths: foreach id → number of items; durations: task id → seconds, or how to sample them (``TASK_SECONDS`` where
    nothing is said); max_concurrency: most firings in flight;
    max_firings: when so many have begun, nothing new starts; decider: who decides instead of chance; store: takes the
    events as they happen, for whoever follows it.

    Raises PetriError ``PETRI_UNKNOWN_FOREACH`` and ``PETRI_UNKNOWN_TASK`` for names that the plan lacks,
    ``PETRI_OUT_OF_RANGE`` for a width above ``MAX_WIDTH``, ``PETRI_TOO_MANY_UNITS``.
    """
    _check_names(plan, widths or {}, durations or {})
    check_units(plan)
    lowered = lower_execution(plan)
    alarms = _Alarms()
    actions = control_actions(plan, lowered, decider or Seeded(seed, widths or {}), alarms)
    store = store or MemoryStore()
    executor = VirtualExecutor(
        lowered.net,
        actions,
        durations=_durations(plan, durations or {}),
        seed=seed,
        environment=alarm_places(plan),
        store=store,
        max_concurrency=max_concurrency,
    )
    store.subscribe(FiringLimit(max_firings, executor.close))
    result = alarms.run(executor)
    fired = tuple(firings(lowered, store.events))
    failures = tuple((e.transition, e.error, e.message) for e in store.events if isinstance(e, TransitionFailed))
    tasks = tuple(_task_runs(plan, lowered, fired))
    ended = max((f.ended for f in fired), default=0)
    return Simulation(
        plan, lowered, outcome(lowered.net, result), to_seconds(ended), result, tasks, tuple(store.events), failures
    )


class _Alarms:
    """Tokens that are due at some time, and the run that waits for them."""

    def __init__(self) -> None:
        self._due: list[tuple[int, int, str, Sequence[Token]]] = []
        self._executor: VirtualExecutor | None = None
        self._number = count()

    def after(self, seconds: float, place: str, tokens: Sequence[Token]) -> None:
        now = 0 if self._executor is None else self._executor.now()
        heappush(self._due, (now + to_ticks(seconds), next(self._number), place, tokens))

    def run(self, executor: VirtualExecutor) -> Result:
        """Run ``executor`` until nothing happens any more, in it or here."""
        self._executor = executor
        executor.settle()
        while not executor.closed and (at := self._next_time(executor)) is not None:
            executor.advance(to_seconds(at - executor.now()))
            while self._due and self._due[0][0] <= executor.now():
                _, _, place, tokens = heappop(self._due)
                for token in tokens:
                    executor.inject(place, token)
            executor.settle()
        return executor.run()

    def _next_time(self, executor: VirtualExecutor) -> int | None:
        at = executor.next_time()
        if not self._due:
            return at
        return self._due[0][0] if at is None else min(at, self._due[0][0])


def _durations(plan: Plan, given: Mapping[str, Duration]) -> dict[str, Duration]:
    """transition → duration; a task that is not to start before a time waits for it as a part of its firing."""
    return {f"t.{t.id}": _delayed(given.get(t.id, TASK_SECONDS), _delay(t)) for t in plan.tasks()}


def _delay(task: Task) -> float:
    timing = task.settings.get("timing")
    return sum(timing.values()) if isinstance(timing, Mapping) else 0.0


def _delayed(duration: Duration, delay: float) -> Duration:
    if not delay:
        return duration
    return (lambda rng: delay + duration(rng)) if callable(duration) else delay + duration


def _task_runs(plan: Plan, lowered: Lowered, fired: Iterable[Fired]) -> Iterator[TaskRun]:
    for f in fired:
        origin = lowered.origin[f.transition].node
        task = plan.nodes[origin] if origin >= 0 else None
        if isinstance(task, Task):
            yield TaskRun(task.id, f.items, to_seconds(f.began), to_seconds(f.ended))


def _check_names(plan: Plan, widths: Mapping[str, int], durations: Mapping[str, Duration]) -> None:
    loops = [n.id for n in plan.nodes if isinstance(n, Foreach)]
    for given, known, code, what in (
        (widths, loops, "PETRI_UNKNOWN_FOREACH", "foreach"),
        (durations, [t.id for t in plan.tasks()], "PETRI_UNKNOWN_TASK", "task"),
    ):
        for name in given:
            if name not in set(known):
                raise PetriError(code, f"there is no {what} `{name}`", hint=did_you_mean(name, known))
    for name, n in widths.items():
        if n > MAX_WIDTH:
            raise PetriError("PETRI_OUT_OF_RANGE", f"the width of `{name}` must be at most {MAX_WIDTH:,}, got {n}")
