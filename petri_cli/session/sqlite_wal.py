"""The write-ahead log of a store: its file, how it is moved into the database, what there is to say of a journal."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from pathlib import Path

from petri_cli.errors import Position, Problem
from petri_cli.session.sqlite_errors import as_petri_error, store_error


def log_size(path: Path) -> int:
    """Bytes of the write-ahead log."""
    try:
        return Path(f"{path}-wal").stat().st_size
    except OSError:
        return 0


def log_of(path: Path) -> tuple[int, int] | None:
    """The write-ahead log as (device, inode); None when there is none."""
    try:
        found = os.stat(f"{path}-wal")  # noqa: PTH116 - asked at every commit: in a third of the time
    except OSError:
        return None
    return found.st_dev, found.st_ino


def is_moved(db: sqlite3.Connection) -> bool:
    """Move the write-ahead log into the database; whether all of it could be."""
    with contextlib.suppress(sqlite3.Error):
        busy, in_log, moved = db.execute("PRAGMA wal_checkpoint(FULL)").fetchone()
        return not busy and bool(in_log == moved)
    return False


def move(db: sqlite3.Connection, path: Path, timeout: float) -> Problem | None:
    """Move the log into the database and empty it, or as much as readers allow, who are not waited for.

    What was in the way, as a warning. timeout: seconds that ``db`` waits otherwise.
    """
    try:
        db.execute("PRAGMA busy_timeout=0")
        try:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        finally:
            db.execute(f"PRAGMA busy_timeout={int(timeout * 1000)}")
    except sqlite3.Error as e:
        problem = as_petri_error(e, path)
        message = f"what is in {path}-wal could not be moved into the database: {problem.message}"
        return warning("PETRI_STORE_NOT_MOVED", message, problem.hint)
    return None


def journal_said(path: Path, kind: str | None, journal: str) -> Problem | None:
    """What there is to warn of a journal. kind: of the network file system that the store lies on, None: a local one.

    Raises PetriError ``PETRI_STORE_BUSY`` for a write-ahead log on a network file system, which does not work.
    """
    if kind is not None and journal == "wal":
        what = f"others use it with a write-ahead log, which does not work on a network file system ({kind})"
        raise store_error("PETRI_STORE_BUSY", path, what)
    if kind is not None:
        message = f"{path} lies on a network file system ({kind}): a rollback journal is kept, which is slower"
        return warning("PETRI_STORE_NETWORK", message, "put it on a local disk; several machines need PostgreSQL")
    if journal != "wal":
        message = f"{path} could not get a write-ahead log; its journal is {journal}"
        return warning("PETRI_STORE_JOURNAL", message, "readers and writers wait for each other")
    return None


def warning(code: str, message: str, hint: str) -> Problem:
    """Of something about a store that is not as it should be, and stops nobody."""
    return Problem(code, message, Position(), hint, "warning")
