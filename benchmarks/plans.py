"""Plans of 10 to 100,000 tasks with ordered guards; a 300-task plan with one inversion somewhere."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from benchmarks.table import arguments, best_of, cpu_of, print_table
from petri_cli.document.collector import collector_paused
from petri_cli.plan.load import load_plan_text
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Result

LOCKS = 8


def ordered_plan(tasks: int, *, inverted: int | None = None, flat: bool = False) -> str:
    """Blocks of ten branches in sequence (one block of all when ``flat``), each branch one or two locks in ascending
    order around a task; branch ``inverted`` takes a pair the wrong way round that its neighbours take the right way."""
    lines = ["resources:", *(f"- {{id: r{i}, capacity: 1}}" for i in range(LOCKS)), "flow:", "  seq:"]
    size = tasks if flat else 10
    for start in range(0, tasks, size):
        lines.append("  - parallel:")
        for k in range(start, min(tasks, start + size)):
            low = (k * 7) % (LOCKS - 1)
            high = low + 1 + k % (LOCKS - 1 - low)
            outer, inner = low, high
            if k == inverted:
                before = ((k - 1) * 7) % (LOCKS - 1)
                outer, inner = before + 1 + (k - 1) % (LOCKS - 1 - before), before
            task = f'{{task: {{id: t{k}, run: "echo {k}"}}}}'
            lines.append(f"    - guard: {{resource: r{outer}, body: {{guard: {{resource: r{inner}, body: {task}}}}}}}")
    return "\n".join(lines) + "\n"


def judged(text: str) -> Result:
    plan, _ = load_plan_text(text, "bench.yaml")
    with collector_paused():
        return judge_plan(plan)


def scaling() -> None:
    """Each size in a process of its own: what an earlier one left of the heap slows a later one down by half."""
    head = ("tasks", "verdict", "load, ms", "gate, ms", "µs a task")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), max_tasks_per_child=1) as alone:
        rows = list(alone.map(_size, (10, 100, 1_000, 10_000, 100_000)))
    print_table("Plans with ordered guards, in-process (two guards a task)", head, rows)


def _size(tasks: int) -> tuple[str, ...]:
    text = ordered_plan(tasks)
    times = 1 if tasks >= 100_000 else 5
    load = best_of(times, lambda: load_plan_text(text, "bench.yaml"))
    plan, _ = load_plan_text(text, "bench.yaml")
    with collector_paused():
        gate = best_of(times, lambda: judge_plan(plan))
    result = judge_plan(plan)
    return (
        f"{tasks:,}",
        f"{result.verdict.value} {result.evidence}",
        f"{load * 1e3:,.1f}",
        f"{gate * 1e3:,.1f}",
        f"{(load + gate) / tasks * 1e6:,.1f}",
    )


def inversion() -> None:
    rows = []
    for name, text in (
        ("300 tasks in blocks of 10, one inversion", ordered_plan(300, inverted=146)),
        ("300 tasks side by side, one inversion", ordered_plan(300, inverted=146, flat=True)),
    ):
        result = judged(text)
        spent = best_of(3, lambda text=text: judged(text))  # type: ignore[misc]
        found = result.counterexample
        steps = len(found.run) if found else 0
        rows.append((name, result.verdict.value, f"{spent * 1e3:.1f}", str(steps), f"{result.stats['states']:,}"))
    print_table("A refusal, in-process, loading included", ("plan", "verdict", "ms", "steps", "states"), rows)


def whole_process() -> None:
    rows = []
    petri = str(Path(sys.executable).with_name("petri"))
    with tempfile.TemporaryDirectory() as folder:
        for tasks in (10, 1_000, 10_000):
            path = Path(folder) / f"{tasks}.petri.yaml"
            path.write_text(ordered_plan(tasks))
            code = subprocess.run([petri, "analyze", str(path)], capture_output=True).returncode
            [spent] = cpu_of([[petri, "analyze", str(path)]], 3)
            rows.append((f"{tasks:,}", str(code), f"{spent * 1e3:,.0f}"))
    print_table("`petri analyze`, the whole process", ("tasks", "exit", "CPU, ms"), rows)


def main() -> None:
    scaling()
    inversion()
    whole_process()


if __name__ == "__main__":
    arguments(__doc__).parse_args()
    main()
