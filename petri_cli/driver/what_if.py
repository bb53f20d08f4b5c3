"""A plan in simulated time as history would have it: its durations, its widths, the branches that it took.

Not simulated: attempts that fail. So makespans are those of runs in which everything succeeds at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from petri_cli.driver.conformance import PastCase
from petri_cli.driver.deciders import DEFAULT_WIDTH, Seeded
from petri_cli.driver.simulate import Simulation, simulate
from petri_cli.driver.threads import Thread
from petri_cli.engine.events import TransitionStarted
from petri_cli.errors import PetriError
from petri_cli.formats.nearest import did_you_mean
from petri_cli.mining.what_if import RUNS, Played, Sampler, WhatIf, what_if
from petri_cli.plan.model import Choice, Foreach, Guard, Loop, Plan
from petri_cli.plan.workflow_net import foreach_width
from petri_cli.soundness.timer import Deadline, never


@dataclass(frozen=True, slots=True)
class AsBefore(Seeded):
    """Decides by chance, each way as likely as it was in ``fired`` (control transition → how often, by all sessions).

    What was never decided before is decided as by :class:`Seeded`.
    """

    fired: Mapping[str, int] = field(default_factory=dict)

    def branch(self, choice: Choice, thread: Thread) -> int:
        counts = [self.fired.get(f"t.choice.{choice.id}.{k}", 0) for k in range(1, len(choice.children) + 1)]
        if not any(counts):
            return Seeded.branch(self, choice, thread)
        left = self._chance("choice", choice.id, thread) * sum(counts)
        for k, n in enumerate(counts, 1):
            left -= n
            if left < 0:
                return k
        return max(k for k, n in enumerate(counts, 1) if n)

    def again(self, loop: Loop, thread: Thread) -> bool:
        again, left = (self.fired.get(f"t.loop.{loop.id}.{way}", 0) for way in ("again", "exit"))
        if not (again or left):
            return Seeded.again(self, loop, thread)
        if loop.max_iterations is not None and thread.rounds[-1] >= loop.max_iterations:
            return False
        return self._chance("loop", loop.id, thread) < again / (again + left)


def simulate_change(
    plan: Plan,
    changes: Mapping[str, int],
    observed: Mapping[str, Sequence[float]],
    past: Iterable[PastCase],
    *,
    runs: int = RUNS,
    seed: int = 0,
    deadline: Deadline = never,
) -> WhatIf:
    """What ``changes`` (resource → capacity) would do to ``plan``.

    observed: task → seconds that it took. More units than steps could hold at once are played as that many, which is
    the same. Raises PetriError ``PETRI_UNKNOWN_RESOURCE``, ``PETRI_TOO_MANY_UNITS``.
    """
    capacities = plan.capacities()
    for name in changes:
        if name not in capacities:
            hint = did_you_mean(name, list(capacities)) if capacities else "the plan has no resources"
            raise PetriError("PETRI_UNKNOWN_RESOURCE", f"there is no resource `{name}`", hint=hint)
    past = list(past)
    widths, fired = _middle_widths(plan, past), _fired(past)
    useful = useful_units(plan, widths)

    def play(caps: Mapping[str, int], number: int, durations: Mapping[str, Sampler]) -> Played:
        resources = tuple(replace(r, capacity=min(caps[r.id], useful.get(r.id, caps[r.id]))) for r in plan.resources)
        run = simulate(
            replace(plan, resources=resources),
            seed=number,
            durations=durations,
            decider=AsBefore(number, widths, fired=fired),
        )
        return played(run)

    return what_if(play, capacities, changes, observed, runs=runs, seed=seed, deadline=deadline)


def useful_units(plan: Plan, widths: Mapping[str, int]) -> dict[str, int]:
    """Resource → units above which another one changes nothing in a run whose foreachs have these widths.

    A thread is in one place at a time, so a guard's block has at most as many threads in it at once as the foreachs
    around it have items together, the product of their widths; however often a loop comes back, it comes as the same
    thread. Each holds the guard's units. Let U be the sum of that over the guards of the resource. Where there are U
    units or more, whoever asks for k finds that the others hold at most U − k: k are free, and nobody ever waits. So
    all numbers from U on give the same run. It does not hold of a quota, whose units are out after the block, too: that
    one is left out.
    """
    useful = {r.id: 0 for r in plan.resources if r.per is None}
    threads = [1] * len(plan.nodes)
    for node in plan.nodes:  # parents before children
        around = threads[node.parent] if node.parent >= 0 else 1
        threads[node.index] = around * _width(node, widths) if isinstance(node, Foreach) else around
        if isinstance(node, Guard):
            for name, units in node.units:
                if name in useful:
                    useful[name] += units * around
    return {name: max(1, units) for name, units in useful.items()}


def _width(node: Foreach, widths: Mapping[str, int]) -> int:
    if node.items is None and node.id in widths:
        return widths[node.id]
    return foreach_width(node, widths, DEFAULT_WIDTH)


def _middle_widths(plan: Plan, past: Sequence[PastCase]) -> dict[str, int]:
    """The median width of each foreach that discovers its items, over the cases that ended."""
    found: dict[str, list[int]] = {n.id: [] for n in plan.nodes if isinstance(n, Foreach) and n.items is None}
    for case in past:
        for loop, n in case.widths:
            if loop in found:
                found[loop].append(n)
    return {loop: sorted(ns)[len(ns) // 2] for loop, ns in found.items() if ns}


def _fired(past: Iterable[PastCase]) -> dict[str, int]:
    total: dict[str, int] = {}
    for case in past:
        for transition, n in case.fired.items():
            total[transition] = total.get(transition, 0) + n
    return total


def played(run: Simulation) -> Played:
    """Who held what for how long, and who waited, in a simulated run.

    An acquisition waits from when its token came to the guard until it begins; where it asks for several resources, it
    waits for each of them.
    """
    guards = {f"t.guard.{g.id}.acquire": (g, True) for g in run.plan.guards()}
    guards |= {f"t.guard.{g.id}.release": (g, False) for g in run.plan.guards()}
    entry = {t.id: t.inputs[0].place for t in run.lowered.net.transitions if t.id in guards}
    held: dict[tuple[str, str], int] = {}
    used: dict[str, float] = {}
    queued: dict[str, float] = {}
    waits: dict[str, int] = {}
    for event in run.events:
        if not isinstance(event, TransitionStarted) or event.transition not in guards:
            continue
        guard, begins = guards[event.transition]
        token = event.consumed[entry[event.transition]][0]
        if begins:
            held[guard.id, token.name] = event.time
            waited = event.time - token.created_at
            for r, _ in guard.units if waited > 0 else ():
                queued[r] = queued.get(r, 0.0) + waited / 1e6
                waits[r] = waits.get(r, 0) + 1
        else:
            _release(guard, event.time - held.pop((guard.id, token.name)), used)
    return Played(run.seconds, run.outcome == "completed", used, queued, waits)


def _release(guard: Guard, ticks: int, used: dict[str, float]) -> None:
    for r, k in guard.units:
        used[r] = used.get(r, 0.0) + k * ticks / 1e6
