"""Printing tables, measuring CPU."""

from __future__ import annotations

import argparse
import os
import platform
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path


def arguments(what: str | None) -> argparse.ArgumentParser:
    """What a benchmark takes: nothing yet, and ``--help`` that says ``what`` it is."""
    return argparse.ArgumentParser(description=what, formatter_class=argparse.RawDescriptionHelpFormatter)


def machine() -> str:
    """What was measured on."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    load = os.getloadavg()[0]
    return f"{model}, {os.cpu_count()} cores, CPython {platform.python_version()}, load {load:.1f}"


def print_table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print(f"\n### {title}\n")
    widths = [max(len(str(r[i])) for r in [head, *rows]) for i in range(len(head))]
    for k, row in enumerate([head, *rows]):
        print("| " + " | ".join(str(c).ljust(w) for c, w in zip(row, widths, strict=True)) + " |")
        if k == 0:
            print("|" + "|".join("-" * (w + 2) for w in widths) + "|")


def best_of(times: int, run: Callable[[], object]) -> float:
    """Seconds of CPU of the quickest of several runs."""
    best = float("inf")
    for _ in range(times):
        before = time.process_time()
        run()
        best = min(best, time.process_time() - before)
    return best


def cpu_of(commands: Sequence[Sequence[str]], times: int = 9) -> list[float]:
    """Seconds of CPU of whole processes, the least of several runs that take turns."""

    def spent() -> float:
        usage = resource.getrusage(resource.RUSAGE_CHILDREN)
        return usage.ru_utime + usage.ru_stime

    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    best = [float("inf")] * len(commands)
    for _ in range(times):
        for k, command in enumerate(commands):
            before = spent()
            subprocess.run(command, capture_output=True, env=environment)
            best[k] = min(best[k], spent() - before)
    return best
