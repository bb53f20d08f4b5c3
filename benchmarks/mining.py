"""What it costs to read an event log, and to get from the file to exact alignments: ``python -m benchmarks.mining``.

The logs are made up (:mod:`benchmarks.mining_generator`), and each is read in a process of its own. 200,000 events;
with ``--full`` one and ten million, the least of three runs. Other tools: :mod:`benchmarks.mining_peers`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks.mining_generator import write
from benchmarks.mining_model import write_model
from benchmarks.table import machine, print_table

READ = """
import resource, sys, time
from petri_cli.formats.logs import LogOptions, read_log
begun = time.perf_counter()
log = read_log(sys.argv[1], LogOptions(fast=sys.argv[2] == "fast"))
spent = time.perf_counter() - begun
used = resource.getrusage(resource.RUSAGE_SELF)
print(log.n_events, log.n_cases, len(log.variants), spent, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""
"""Events, cases, variants; seconds, seconds of CPU (with the start of Python), memory in KiB."""


def read_rates(folder: Path, sizes: list[int], times: int = 3) -> None:
    rows = []
    for events in sizes:
        for ending in ("csv", "xes", "xes.gz", "parquet"):
            if ending == "parquet" and find_spec("polars") is None:
                continue
            path = folder / f"{events}.{ending}"
            write(path, events)
            for way in ["fast"] if ending == "parquet" else ["plain", "fast"] if ending == "csv" else ["plain"]:
                if way == "fast" and find_spec("polars") is None:
                    continue
                rows.append(_row(path, ending, way, times))
            path.unlink()
    print_table(
        "Reading a log to variants", ["events", "", "by", "variants", "s", "s of CPU", "µs of CPU an event", "MB"], rows
    )


def _row(path: Path, ending: str, way: str, times: int) -> list[str]:
    command = [sys.executable, "-c", READ, str(path), way]
    said = [subprocess.run(command, capture_output=True, text=True, check=True).stdout.split() for _ in range(times)]
    events, _, variants, seconds, cpu, memory = min(said, key=lambda s: float(s[4]))
    by = "Polars" if way == "fast" else "standard library"
    each = 1e6 * float(cpu) / int(events)
    return [
        f"{int(events):,}", ending, by, f"{int(variants):,}", f"{float(seconds):.1f}", f"{float(cpu):.1f}",
        f"{each:.1f}",
        f"{int(memory) / 1024:.0f}",
    ]  # fmt: skip


def file_to_alignments(folder: Path, sizes: list[int], times: int = 3) -> None:
    """Against the net of the process that made the log: what each stage takes, one after the other in one process."""
    rows = []
    model = folder / "model.pnml"
    write_model(model)
    stages = ["inductive", "replay", "align", "moves", "precision"]
    for events in sizes:
        path = folder / f"{events}.csv"
        write(path, events)
        for way in ["--plain", "fast"]:
            if way == "fast" and find_spec("polars") is None:
                continue
            command = [sys.executable, "-m", "benchmarks.mining_stages", str(path), str(model), *stages]
            runs = [_stages([*command, way] if way == "--plain" else command) for _ in range(times)]
            best = {stage: min(float(run[stage]["cpu"]) for run in runs) for stage in ("read", *stages)}
            wall = min(float(run["read"]["wall"]) + float(run["align"]["wall"]) for run in runs)
            read, align = runs[0]["read"], runs[0]["align"]
            rows.append(
                [
                    f"{int(read['events']):,}",
                    "Polars" if way == "fast" else "standard library",
                    f"{int(read['variants']):,}",
                    f"{int(align['cost']):,}",
                    *[f"{best[stage]:.2f}" for stage in ("read", *stages)],
                    f"{best['read'] + best['align']:.2f}",
                    f"{wall:.2f}",
                    str(max(int(run["align"]["peak"]) for run in runs)),
                ]
            )
        path.unlink()
    head = ["events", "by", "variants", "cost", "read", *stages, "read + align", "of the clock", "MB"]
    print_table("From the file to alignments, seconds of CPU", head, rows)


def _stages(command: list[str]) -> dict[str, dict[str, float]]:
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {told["stage"]: told for told in map(json.loads, lines)}


def main(full: bool = False, folder: Path | None = None) -> None:
    sizes, times = ([1_000_000, 10_000_000], 3) if full else ([200_000], 1)
    with tempfile.TemporaryDirectory(prefix="petri-bench-", dir=folder) as there:
        read_rates(Path(there), sizes, times)
        file_to_alignments(Path(there), sizes, times)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="one and ten million events")
    parser.add_argument("--folder", type=Path, help="where to write the logs")
    asked = parser.parse_args()
    print(machine())
    main(asked.full, asked.folder)
