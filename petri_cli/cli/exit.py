"""The exit codes: one enum, printed by ``petri --help``. They do not depend on ``--format``."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum


class Exit(IntEnum):
    """How a command ended."""

    OK = 0
    UNSOUND = 1
    WRONG = 2
    UNKNOWN = 3
    CONFLICT = 4
    WAITING = 5
    FAULT = 70
    HANGUP = 129
    INTERRUPTED = 130
    QUIT = 131
    TERMINATED = 143


MEANING: dict[Exit, str] = {
    Exit.OK: "sound, or done",
    Exit.UNSOUND: "unsound, or a run failed",
    Exit.WRONG: "the input or the call is wrong",
    Exit.UNKNOWN: "undecided within the budget; never 0",
    Exit.CONFLICT: "conflict: somebody else was first",
    Exit.WAITING: "waiting or suspended",
    Exit.FAULT: "internal fault: a bug of ours",
    Exit.HANGUP: "the terminal was closed",
    Exit.INTERRUPTED: "interrupted (Ctrl-C)",
    Exit.QUIT: "quit",
    Exit.TERMINATED: "terminated",
}

CONFLICTS = frozenset(
    {"PETRI_REVISION_CONFLICT", "PETRI_REVISION_MISFIT", "PETRI_SESSION_BUSY", "PETRI_CLAIM_ENDED", "PETRI_STORE_BUSY"}
)
"""Codes of errors that are nobody's mistake: somebody else was first, or is at it."""

_WORST_FIRST = (
    Exit.TERMINATED,
    Exit.HANGUP,
    Exit.QUIT,
    Exit.INTERRUPTED,
    Exit.FAULT,
    Exit.WRONG,
    Exit.UNSOUND,
    Exit.CONFLICT,
    Exit.UNKNOWN,
    Exit.WAITING,
    Exit.OK,
)


def worst(codes: Iterable[Exit]) -> Exit:
    """The code for several files: 130 > 70 > 2 > 1 > 3 > 0.

    Something that was not judged at all comes before a finding (nothing is known about it), and a finding before doubt.
    """
    return min(codes, key=_WORST_FIRST.index, default=Exit.OK)
