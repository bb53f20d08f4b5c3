"""What events are made of besides tokens: timers, processes, what a guard holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from petri_cli.engine.tokens import Token


@dataclass(frozen=True, slots=True)
class Timer:
    """Tokens that come to a place from outside at a time: a quota's units, the end of a loop's delay."""

    id: str
    due: int
    place: str
    tokens: tuple[Token, ...]


@dataclass(frozen=True, slots=True)
class Process:
    """A process that can be told from another one with the same number: where, which boot, started when.

    start_time: as the system counts it (clock ticks since boot on Linux); group: its process group, 0 for none;
    namespace: of its number, "" where there is only one (see :mod:`petri_cli.session.identity`).
    """

    pid: int
    start_time: int
    boot_id: str
    host: str
    group: int = 0
    namespace: str = ""


@dataclass(frozen=True, slots=True)
class Holding:
    """Units of resources (by place) that a guard's block holds for a thread; transition: the one that took them."""

    transition: str
    thread: str
    since: int
    units: Mapping[str, int]
