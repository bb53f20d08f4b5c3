"""Made-up event logs of any size: ``python -m benchmarks.mining_generator --events 1000000 -o log.csv``.

A claims process of 17 activities with three choices, two parallel parts (one inside the other), a loop and two steps
that may be skipped. Of a hundred cases two are noisy: an event is lost, doubled, moved or replaced. The same seed gives
the same bytes. Formats by ending: .csv, .xes (either with .gz), .parquet (needs Polars).
"""

from __future__ import annotations

import argparse
import gzip
import io
import random
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TextIO

ACTIVITIES = (
    "register", "check online", "check by phone", "check on site", "assess damage", "take photos", "ask expert",
    "verify policy", "compute", "decide", "ask for papers", "receive papers", "approve", "reject", "pay", "notify",
    "archive",
)  # fmt: skip
NOISY = 0.02
BEGIN = datetime(2024, 1, 1, 8, tzinfo=UTC)

Case = tuple[str, list[str], list[datetime]]
"""Id, activities, and when each ended."""


def cases(events: int, seed: int = 1) -> Iterator[Case]:
    """Whole cases, until there are at least so many events."""
    rng = random.Random(seed)  # noqa: S311 (no secret)
    made = number = 0
    while made < events:
        number += 1
        trace = _trace(rng)
        if rng.random() < NOISY:
            _disturb(trace, rng)
        at = BEGIN + timedelta(seconds=37 * number)
        times = []
        for _ in trace:
            at += timedelta(seconds=rng.randrange(1, 7_200))
            times.append(at)
        made += len(trace)
        yield f"case {number}", trace, times


def _trace(rng: random.Random) -> list[str]:
    assessing = _woven(rng, ["take photos"] if rng.random() < 0.6 else [], ["ask expert"])
    trace = ["register", rng.choice(ACTIVITIES[1:4])]
    trace += _woven(rng, ["assess damage", *assessing], ["verify policy"])
    trace += ["compute", "decide"]
    while rng.random() < 0.2:
        trace += ["ask for papers", "receive papers", "decide"]
    trace += ["approve", "pay"] if rng.random() < 0.7 else ["reject"]
    if rng.random() < 0.8:
        trace.append("notify")
    trace.append("archive")
    return trace


def _woven(rng: random.Random, left: list[str], right: list[str]) -> list[str]:
    """Both, each in its order, one between the other by chance."""
    slots = [0] * len(left) + [1] * len(right)
    rng.shuffle(slots)
    sides = [iter(left), iter(right)]
    return [next(sides[slot]) for slot in slots]


def _disturb(trace: list[str], rng: random.Random) -> None:
    k, other = rng.randrange(len(trace)), rng.randrange(len(trace))
    match rng.randrange(4):
        case 0:
            del trace[k]
        case 1:
            trace.insert(k, trace[k])
        case 2:
            trace.insert(other, trace.pop(k))
        case _:
            trace[k] = rng.choice(ACTIVITIES)


@contextmanager
def _text(path: Path) -> Iterator[TextIO]:
    if path.suffix != ".gz":
        with path.open("w", encoding="utf-8", newline="") as text:
            yield text
        return
    with (
        path.open("wb") as file,
        gzip.GzipFile("", "wb", 6, file, mtime=0) as packed,
        io.TextIOWrapper(packed, "utf-8", newline="") as text,
    ):
        yield text


def write_csv(path: Path, events: int, seed: int = 1) -> None:
    with _text(path) as text:
        text.write("case_id,activity,timestamp\n")
        for case, trace, times in cases(events, seed):
            rows = [f"{case},{name},{at.isoformat()}\n" for name, at in zip(trace, times, strict=True)]
            text.write("".join(rows))


def write_xes(path: Path, events: int, seed: int = 1) -> None:
    with _text(path) as text:
        text.write('<?xml version="1.0" encoding="UTF-8"?>\n<log xes.version="1849.2016" xes.features="">\n')
        for case, trace, times in cases(events, seed):
            rows = [
                f'\t\t<event>\n\t\t\t<string key="concept:name" value="{name}"/>\n'
                f'\t\t\t<date key="time:timestamp" value="{at.isoformat(timespec="milliseconds")}"/>\n\t\t</event>\n'
                for name, at in zip(trace, times, strict=True)
            ]
            text.write(f'\t<trace>\n\t\t<string key="concept:name" value="{case}"/>\n{"".join(rows)}\t</trace>\n')
        text.write("</log>\n")


def write_parquet(path: Path, events: int, seed: int = 1) -> None:
    import polars

    table = path.with_suffix(".csv.part")
    write_csv(table, events, seed)
    time = polars.col("timestamp").str.to_datetime("%Y-%m-%dT%H:%M:%S%:z", time_unit="us")
    polars.scan_csv(table, infer_schema=False).with_columns(time).sink_parquet(path)
    table.unlink()


def write(path: Path, events: int, seed: int = 1) -> None:
    """Write a log in the format that the ending says."""
    name = path.name.removesuffix(".gz")
    if name.endswith(".xes"):
        write_xes(path, events, seed)
    elif name.endswith(".parquet"):
        write_parquet(path, events, seed)
    else:
        write_csv(path, events, seed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--output", "-o", type=Path, required=True)
    asked = parser.parse_args()
    write(asked.output, asked.events, asked.seed)
