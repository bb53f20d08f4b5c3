"""How much runs at once, by the processes' own clocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.session_world import World

STAMPS = 'echo "$(date +%s%N) 1" >> stamps; sleep 0.15; echo "$(date +%s%N) -1" >> stamps'


def peak(folder: Path) -> int:
    """Most processes that were between their two stamps at one time."""
    stamps = sorted(tuple(map(int, line.split())) for line in (folder / "stamps").read_text().splitlines())
    running = most = 0
    for _, change in stamps:
        running += change
        most = max(most, running)
    return most


def slots(capacity: int, items: int = 6) -> dict[str, Any]:
    body = {"guard": {"resource": "slots", "body": {"task": {"id": "t", "run": STAMPS}}}}
    flow = {"foreach": {"id": "f", "over": list(range(items)), "body": body}}
    return {"resources": [{"id": "slots", "capacity": capacity}], "flow": flow}


@pytest.mark.parametrize("capacity", [1, 2, 3])
def test_the_peak_of_what_really_overlaps_is_the_capacity(tmp_path: Path, capacity: int) -> None:
    world = World(tmp_path, slots(capacity))
    assert world.run() == 0
    assert peak(tmp_path) == capacity
    world.check()


@pytest.mark.parametrize(("capacity", "most", "expected"), [(3, 1, 1), (3, 2, 2), (2, 5, 2)])
def test_max_concurrency_is_a_second_ceiling(tmp_path: Path, capacity: int, most: int, expected: int) -> None:
    world = World(tmp_path, slots(capacity))
    assert world.run(max_concurrency=most) == 0
    assert peak(tmp_path) == expected
    world.check()
