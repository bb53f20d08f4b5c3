"""Ids of sessions: the name that was asked for, or the next free one like it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import count

from petri_cli.errors import PetriError

_ID = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]{0,98}[A-Za-z0-9_])?")
"""An id is a folder's name, too (``.petri/work/<id>``): nothing that climbs, hides or breaks a shell word."""


def free_id(name: str, taken: Callable[[str], bool]) -> str:
    """``name``, or ``name-2``, ``name-3``, …: the first not taken. Raises PetriError ``PETRI_BAD_SESSION_ID``."""
    if not _ID.fullmatch(name):
        message = f"a session cannot be called {name[:60]!r}"
        hint = "letters, digits, _, - and . between them, at most 100 characters"
        raise PetriError("PETRI_BAD_SESSION_ID", message, hint=hint)
    if not taken(name):
        return name
    return next(other for k in count(2) if not taken(other := f"{name}-{k}"))


def id_like(name: str) -> str:
    """The name of a plan as an id: what an id cannot have becomes ``-``."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", name)[:90].strip("-.") or "session"


def folder_name(session: str) -> str:
    """Of the folder for what a session's work wrote: another one for another id, also where names that differ in case
    alone are the same. Capital letters are told behind ``~``, as the bits of a number, the first letter's the lowest.
    """
    capitals = sum(1 << k for k, letter in enumerate(session) if letter != letter.lower())
    return f"{session}~{capitals:x}" if capitals else session


def unknown_session(session: str, known: Sequence[str]) -> PetriError:
    more = [f"and {len(known) - 5:,} before"] if len(known) > 5 else []
    shown = ", ".join([*known[-5:], *more]) if known else "none yet: `petri create` opens one"
    return PetriError("PETRI_UNKNOWN_SESSION", f"there is no session {session}", hint=f"sessions: {shown}")
