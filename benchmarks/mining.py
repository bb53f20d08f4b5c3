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

BY = {"plain": "standard library", "fast": "Polars"}


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
    read = min((_stages(str(path), "-", f"--{way}")["read"] for _ in range(times)), key=lambda told: told["cpu"])
    return [
        f"{read['events']:,}",
        ending,
        BY[way],
        f"{read['variants']:,}",
        f"{read['wall']:.2f}",
        f"{read['cpu']:.2f}",
        f"{1e6 * read['cpu'] / read['events']:.2f}",
        f"{read['peak']:,}",
    ]


def file_to_alignments(folder: Path, sizes: list[int], times: int = 3) -> None:
    """Against the net of the process that made the log: what each stage takes, one after the other in one process."""
    rows = []
    model = folder / "model.pnml"
    write_model(model)
    stages = ["inductive", "replay", "align", "moves", "precision"]
    for events in sizes:
        path = folder / f"{events}.csv"
        write(path, events)
        for way in BY:
            if way == "fast" and find_spec("polars") is None:
                continue
            runs = [_stages(str(path), str(model), *stages, f"--{way}") for _ in range(times)]
            best = {stage: min(run[stage]["cpu"] for run in runs) for stage in ("read", *stages)}
            wall = min(run["read"]["wall"] + run["align"]["wall"] for run in runs)
            read, align = runs[0]["read"], runs[0]["align"]
            rows.append(
                [
                    f"{read['events']:,}",
                    BY[way],
                    f"{read['variants']:,}",
                    f"{align['cost']:,}",
                    *[f"{best[stage]:.2f}" for stage in ("read", *stages)],
                    f"{best['read'] + best['align']:.2f}",
                    f"{wall:.2f}",
                    f"{align['peak']:,}",
                ]
            )
        path.unlink()
    head = ["events", "by", "variants", "cost", "read", *stages, "read + align", "of the clock", "MB"]
    print_table("From the file to alignments, seconds of CPU", head, rows)


def _stages(*told: str) -> dict[str, dict[str, float]]:
    """What :mod:`benchmarks.mining_stages` says, by stage."""
    command = [sys.executable, "-m", "benchmarks.mining_stages", *told]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return {stage["stage"]: stage for stage in map(json.loads, lines)}


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
