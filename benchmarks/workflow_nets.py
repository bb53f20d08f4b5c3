"""The gate on workflow nets: industrial ones, if they are at hand, and families that grow past any enumeration.

``PETRI_TEST_DATA=… python -m benchmarks.workflow_nets`` reads ``nets/workflow/ibm`` in that folder. Times are those of
one call of the gate; reading is counted for files, building is not for families.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import time
from collections import Counter
from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.queues import Queue
from pathlib import Path

from benchmarks import families
from benchmarks.table import arguments, machine, print_table
from petri_cli.formats.pnml import read_pnml
from petri_cli.plan.load import plan_from_data
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Budget, Result

BUDGET = Budget(max_states=5_000_000, seconds=60)


def industrial(folder: Path) -> None:
    """Every net with its published verdict: how many were decided, by what, and how long it took."""
    expected = json.loads((folder / "expected.json").read_text())
    wall: list[float] = []
    spent: list[float] = []
    answers: Counter[str] = Counter()
    provers: Counter[str] = Counter()
    for file in sorted(folder.glob("*.pnml")):
        best, least = 1e9, 1e9
        for _ in range(3):
            began, used = time.perf_counter(), time.process_time()
            result = judge_net(read_pnml(file.read_bytes(), file.name)[0], BUDGET, clock=time.monotonic)
            best, least = min(best, time.perf_counter() - began), min(least, time.process_time() - used)
        wall.append(best)
        spent.append(least)
        right = result.verdict.value == expected[file.name]["verdict"]
        answers["undecided" if result.verdict.value == "UNKNOWN" else "right" if right else "WRONG"] += 1
        provers[f"{result.verdict.value} by {result.tried[-1].prover}"] += 1
    rows = [
        (name, *(f"{1000 * x:.1f}" for x in (statistics.median(t), sorted(t)[int(0.95 * len(t))], max(t))))
        for name, t in (("wall", wall), ("CPU", spent))
    ]
    print_table(f"{len(wall)} industrial workflow nets, file included, ms", ("", "median", "95 %", "slowest"), rows)
    print(f"\n{', '.join(f'{n} {what}' for what, n in answers.most_common())};", end=" ")
    print(", ".join(f"{n} {what}" for what, n in provers.most_common()))


def _net(name: str) -> Result:
    net = next(net for net, _ in families.nets() if net.id == name)
    return judge_net(net, BUDGET, clock=time.monotonic)


def _plan(name: str) -> Result:
    plan, _ = plan_from_data(PLANS[name]())
    return judge_plan(plan, BUDGET, clock=time.monotonic)


PLANS: dict[str, Callable[[], families.Plan]] = {
    **{f"12 branches, 8 locks, order {k}": (lambda k=k: families.random_locks(k)) for k in range(3)},  # type: ignore[misc]
    "1,000 guards, harmless cycles": families.harmless_cycle,
    "1,000 guards, one cycle in a gate": families.one_big_cycle,
}


def _measured(judge: Callable[[str], Result], name: str, queue: Queue[tuple[str, str, float, float]]) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.perf_counter()
    result = judge(name)
    spent = time.perf_counter() - began
    more = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    prover = result.tried[-1].prover if result.tried else result.evidence
    queue.put((result.verdict.value, prover, spent, more / 1024))


def growing() -> None:
    """Each family in a process of its own, so that its memory can be told."""
    context = get_context("spawn")
    rows = []
    asked: list[tuple[Callable[[str], Result], str, bool | None]] = [(_net, n.id, s) for n, s in families.nets()]
    asked += [(_plan, name, None) for name in PLANS]
    for judge, name, sound in asked:
        queue = context.Queue()
        process = context.Process(target=_measured, args=(judge, name, queue))
        process.start()
        verdict, prover, spent, more = queue.get()
        process.join()
        wrong = sound is not None and verdict != ("SOUND" if sound else "UNSOUND")
        rows.append((name, verdict + (" (WRONG)" if wrong else ""), prover, f"{1000 * spent:,.0f}", f"{more:,.0f}"))
    print_table("Families, ms and MB on top of an idle interpreter", ("", "verdict", "decided by", "ms", "MB"), rows)


def main() -> None:
    data = os.environ.get("PETRI_TEST_DATA")
    if data is not None:
        industrial(Path(data) / "nets" / "workflow" / "ibm")
    growing()


if __name__ == "__main__":
    arguments(__doc__).parse_args()
    print(machine())
    main()
