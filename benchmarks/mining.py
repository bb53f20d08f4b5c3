"""What it costs to read an event log: ``python -m benchmarks.mining [--quick] [--folder F]`` prints the table.

The logs are made up (:mod:`benchmarks.mining_generator`), and each is read in a process of its own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks.mining_generator import write
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


def main(quick: bool = False, folder: Path | None = None) -> None:
    with tempfile.TemporaryDirectory(prefix="petri-bench-", dir=folder) as there:
        read_rates(Path(there), [100_000] if quick else [1_000_000, 10_000_000], 1 if quick else 3)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a hundred thousand events only")
    parser.add_argument("--folder", type=Path, help="where to write the logs")
    asked = parser.parse_args()
    print(machine())
    main(asked.quick, asked.folder)
