"""petri, pm4py and r4pm side by side: ``python -m benchmarks.mining_peers --python PEER [--folder LOGS] [--full]``.

PEER is the interpreter of an environment of its own with pm4py and r4pm (``benchmarks/peers`` says how to make it).
Without a folder, made-up logs of 100,000 events, with ``--full`` of one and ten million; else the logs ``NAME.xes.gz``
of the folder, each with ``nets/NAME.imf.pnml``. All three read the same files and align with the same net; their costs
are compared. CPU seconds, the least of ``--times`` runs that take turns (of one, for ten million events); who is not
done with a stage after ``--patience`` of them is ended. The rows of a log are printed when it is done.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.conformance import ALIASES
from benchmarks.mining_generator import write
from benchmarks.mining_model import write_model
from benchmarks.table import machine, print_table

PEERS = Path(__file__).parent / "peers"
STAGES = ("read", "inductive", "replay", "align")
ROWS = {
    "read": "read",
    "inductive": "inductive",
    "replay": "token replay",
    "align": "alignments, costs",
    "moves": "alignments, written down",
    "all": "file to alignments",
}
"""Stage → what it is called. The peers write their alignments down whenever they look for costs."""

HEAD = ["log", "stage", "petri", "pm4py", "ratio", "r4pm", "ratio", "peak MB: petri", "pm4py", "r4pm"]


@dataclass(slots=True)
class Tool:
    """What one tool took. spent: stage → seconds of CPU (None: no answer in time, or none at all); peak: MB."""

    command: list[str]
    stages: Sequence[str]
    spent: dict[str, float | None] = field(default_factory=dict)
    told: dict[str, dict[str, object]] = field(default_factory=dict)
    peak: int = 0

    def run(self, log: Path, net: Path, patience: float) -> None:
        """One run of all stages that have not failed yet; what keeps one from ending costs another reading."""
        waiting = [s for s in self.stages if s == "read" or self.spent.get(s, 0.0) is not None]
        while waiting:
            done = [self._note(line) for line in self._lines(log, net, waiting[1:], patience)]
            if done == waiting:
                return
            failed = next(s for s in waiting if s not in done)
            self.spent[failed] = None
            waiting = [] if failed == "read" else ["read", *waiting[waiting.index(failed) + 1 :]]
            if len(waiting) == 1:
                return

    def _note(self, line: str) -> str:
        told = json.loads(line)
        stage, cpu = str(told["stage"]), float(told["cpu"])
        if told.get("failed"):
            self.spent[stage] = None
        else:
            known = self.spent.get(stage)
            self.spent[stage] = cpu if known is None else min(known, cpu)
        self.told[stage] = told
        self.peak = max(self.peak, int(told["peak"]))
        return stage

    def _lines(self, log: Path, net: Path, stages: Sequence[str], patience: float) -> Iterator[str]:
        """What the script prints, as long as each line comes in time."""
        command = [*self.command, str(log), str(net), *stages]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            assert process.stdout is not None
            begun = _cpu(process.pid)
            while True:
                ready, _, _ = select.select([process.stdout], [], [], 1.0)
                if not ready:
                    if _cpu(process.pid) - begun > patience:
                        process.kill()
                    continue
                line = process.stdout.readline()
                if not line:
                    return
                if line.startswith("{"):
                    yield line
                    begun = _cpu(process.pid)


def _cpu(pid: int) -> float:
    """Seconds of CPU that a process has used; where the system does not tell, those of the clock."""
    try:
        cells = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return time.monotonic()
    return (int(cells[11]) + int(cells[12])) / os.sysconf("SC_CLK_TCK")


def compare(name: str, log: Path, net: Path, python: str, times: int, patience: float) -> list[list[str]]:
    """A row for each stage, and one from file to alignments."""
    petri = Tool([sys.executable, "-m", "benchmarks.mining_stages"], (*STAGES, "moves"))
    pm4py = Tool([python, str(PEERS / "pm4py_stages.py")], STAGES)
    r4pm = Tool([python, str(PEERS / "r4pm_stages.py")], ("read", "align"))
    for _ in range(times):
        for tool in (petri, pm4py, r4pm):
            tool.run(log, net, patience)
    costs = {str(t.told["align"]["cost"]) for t in (petri, pm4py, r4pm) if t.spent.get("align") is not None}
    if len(costs) > 1:
        print(f"{name}: the tools find different costs: {', '.join(sorted(costs))}")
    rows = []
    for stage, title in ROWS.items():
        cells = [name, title, _shown(petri, stage, patience)]
        for tool in (pm4py, r4pm):
            there = stage not in STAGES or stage in tool.stages
            cells += [_shown(tool, stage, patience), _ratio(petri, tool, stage, patience)] if there else ["-", "-"]
        peaks = [str(t.peak) for t in (petri, pm4py, r4pm)] if stage == "all" else ["", "", ""]
        rows.append([*cells, *peaks])
    return rows


def _seconds(tool: Tool, stage: str) -> float | None:
    aligned = tool.spent.get("moves" if "moves" in tool.stages else "align")
    if stage == "moves":
        return aligned
    if stage != "all":
        return tool.spent.get(stage)
    read = tool.spent.get("read")
    return None if read is None or aligned is None else read + aligned


def _shown(tool: Tool, stage: str, patience: float) -> str:
    seconds = _seconds(tool, stage)
    if seconds is None:
        failed = tool.told.get("align", {}).get("failed")
        return f"{failed} failed" if failed else f"> {patience:.0f}"
    return f"{seconds:.3f}" if seconds < 10 else f"{seconds:.1f}"


def _ratio(petri: Tool, other: Tool, stage: str, patience: float) -> str:
    mine, there = _seconds(petri, stage), _seconds(other, stage)
    if not mine or (there is None and other.told.get("align", {}).get("failed")):
        return "-"
    return f"> {patience / mine:.0f}" if there is None else f"{there / mine:.1f}"


def main(python: str, folder: Path | None, full: bool, times: int, patience: float) -> None:
    def told(name: str, log: Path, net: Path, times: int = times) -> None:
        print_table(f"{name}, CPU seconds", HEAD, compare(name, log, net, python, times, patience))
        sys.stdout.flush()

    if folder is not None:
        for net in sorted((folder / "nets").glob("*.imf.pnml")):
            name = net.name.removesuffix(".imf.pnml")
            told(name, folder / f"{ALIASES.get(name, name)}.xes.gz", net)
        return
    with tempfile.TemporaryDirectory(prefix="petri-bench-") as there:
        net = Path(there, "model.pnml")
        write_model(net)
        for events in (1_000_000, 10_000_000) if full else (100_000,):
            log = Path(there, f"{events}.csv")
            write(log, events)
            told(f"{events:,} events", log, net, times if events < 5_000_000 else 1)
            log.unlink()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", required=True, help="interpreter with pm4py and r4pm")
    parser.add_argument("--folder", type=Path, help="real logs instead of made-up ones")
    parser.add_argument("--full", action="store_true", help="one and ten million events")
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--patience", type=float, default=120.0)
    asked = parser.parse_args()
    print(machine())
    main(asked.python, asked.folder, asked.full, asked.times, asked.patience)
