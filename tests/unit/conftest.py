"""Fixtures of the unit tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.sessions import OpenPlay, Play


@pytest.fixture
def open_play() -> Iterator[OpenPlay]:
    """Makes a session in memory and in made-up time."""
    made: list[Play] = []

    def make(*args: Any, **settings: Any) -> Play:
        made.append(Play(*args, **settings))
        return made[-1]

    yield make
    for play in made:
        play.close()
