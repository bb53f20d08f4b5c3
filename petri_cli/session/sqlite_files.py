"""The database of a store: its tables, how it is opened for writing and for reading, and what is refused.

A writer keeps a write-ahead log (WAL), synced at every commit, or a rollback journal where several hosts may share the
file. SQLite itself never checkpoints (``wal_autocheckpoint=0``): versions 3.7.0 to 3.51.2 can corrupt a WAL database
when one connection commits while another one checkpoints, so both are done under the sidecar lock.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from petri_cli.errors import PetriError
from petri_cli.session.filesystem import make_private
from petri_cli.session.sqlite_errors import os_error_code, said_plainly, store_error

APPLICATION = 0x50455452
"""``PETR``, in the header of the file: tells a store from another program's database."""
VERSION = 1
"""Of the tables (``PRAGMA user_version``)."""

TABLES = (
    # The rows are stored in the order of the log, and found by (session, seq) alone: no second tree for a row id.
    "CREATE TABLE events (session TEXT NOT NULL, seq INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,"
    " payload TEXT NOT NULL, PRIMARY KEY (session, seq)) WITHOUT ROWID",
    "CREATE INDEX opened ON events (at, session) WHERE seq = 1",
    # States are large, and large rows are better off in a table with row ids.
    "CREATE TABLE snapshots (session TEXT NOT NULL, seq INTEGER NOT NULL, payload TEXT NOT NULL,"
    " PRIMARY KEY (session, seq))",
)

Journal = Literal["wal", "delete"]


@dataclass(slots=True)
class Opened:
    """A connection, the file it is on, and the journal mode that was read back."""

    db: sqlite3.Connection
    file: tuple[int, int]
    journal: str
    fleeting: bool = False
    """To be closed after one look: it would not see what others write."""
    log: tuple[int, int] | None = None
    """The write-ahead log that it writes to, once there is one. SQLite keeps it as long as a connection is open."""


def file_of(path: Path) -> tuple[int, int] | None:
    """(device, inode), None when there is no file. The file itself is never opened: to close it would drop the locks
    that SQLite holds on it in this process (sqlite.org/howtocorrupt.html, 2.2)."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    except OSError as e:
        raise store_error("PETRI_STORE_NO_ACCESS", path, e.strerror or str(e)) from None
    if not stat.S_ISREG(found.st_mode):
        raise store_error("PETRI_STORE_NO_ACCESS", path, "not a file")
    return found.st_dev, found.st_ino


def connect(path: Path, mode: str, timeout: float) -> sqlite3.Connection:
    """A connection without transactions of its own making. timeout: seconds that SQLite waits for locks."""
    uri = f"{path.absolute().as_uri()}?{mode}"
    return sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)


def open_writer(path: Path, wanted: Journal, timeout: float) -> Opened:
    """Open for writing, under the sidecar lock; an empty or missing file becomes a store.

    Raises PetriError ``PETRI_STORE_NEWER``, ``PETRI_STORE_FOREIGN``, ``PETRI_STORE_CORRUPT``, ``PETRI_STORE_FULL``, ….
    """
    if file_of(path) is None:
        _make(path)
    with said_plainly(path):
        db = connect(path, "mode=rw", timeout)
    try:
        with said_plainly(path):
            new = not is_store(db, path)
            journal = _set_journal(db, wanted)
            # Where a rollback journal is removed, its folder must be synced, too, or the commit may be undone.
            db.execute(f"PRAGMA synchronous={'FULL' if journal == 'wal' else 'EXTRA'}")
            for pragma in ("wal_autocheckpoint=0", "fullfsync=1", "checkpoint_fullfsync=1", "trusted_schema=0"):
                db.execute(f"PRAGMA {pragma}").fetchall()
            if new:
                _make_tables(db)
        file = file_of(path)
        if file is None:
            raise store_error("PETRI_STORE_IO", path, "the file vanished while it was opened")
    except BaseException:
        db.close()
        raise
    return Opened(db, file, journal, log=log_of(path))


def _make(path: Path) -> None:
    """An empty file that only its user may read and write. SQLite gives what it puts beside it the same mode."""
    try:
        os.close(make_private(path, os.O_RDWR))
    except OSError as e:
        raise store_error(os_error_code(e), path, e.strerror or str(e)) from None


def open_reader(path: Path, timeout: float) -> Opened | None:
    """Open for reading, without any lock of ours; None when there is no store (yet)."""
    file = file_of(path)
    if file is None:
        return None
    try:
        return _open_reader(path, "mode=ro", timeout, file)
    except PetriError as e:
        if not _cannot_make_files(e.__cause__) or any(beside(path, s).exists() for s in ("-wal", "-journal")):
            raise
    # A WAL database in a folder that may not be written to: without a log it is whole as it lies there.
    return _open_reader(path, "mode=ro&immutable=1", timeout, file, fleeting=True)


def _cannot_make_files(error: BaseException | None) -> bool:
    """Whether a reader failed because it wanted to make the files that go with a write-ahead log."""
    codes = sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY_DIRECTORY
    return isinstance(error, sqlite3.Error) and error.sqlite_errorcode in codes


def _open_reader(
    path: Path, mode: str, timeout: float, file: tuple[int, int], *, fleeting: bool = False
) -> Opened | None:
    with said_plainly(path):
        db = connect(path, mode, timeout)
    try:
        with said_plainly(path):
            if is_store(db, path):
                db.execute("SELECT 1 FROM events LIMIT 1").fetchall()
                return Opened(db, file, db.execute("PRAGMA journal_mode").fetchone()[0], fleeting)
    except BaseException:
        db.close()
        raise
    db.close()
    return None


def is_store(db: sqlite3.Connection, path: Path) -> bool:
    """Whether the database has a store's tables; False for one that is empty.

    Raises PetriError ``PETRI_STORE_NEWER`` for tables of a later version, ``PETRI_STORE_FOREIGN`` for somebody else's.
    """
    application = db.execute("PRAGMA application_id").fetchone()[0]
    version = db.execute("PRAGMA user_version").fetchone()[0]
    if application == APPLICATION:
        if version > VERSION:
            message = f"{path} was written by a newer petri (tables of version {version}; this one knows {VERSION})"
            raise PetriError("PETRI_STORE_NEWER", message, hint="upgrade petri, or name another store")
        return True
    if application or version or db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        raise store_error("PETRI_STORE_FOREIGN", path, "a database, but of another program")
    if not db.execute("PRAGMA page_count").fetchone()[0] and path.stat().st_size:
        # SQLite takes what is shorter than a page for an empty database, and would write over it.
        raise store_error("PETRI_STORE_FOREIGN", path, "not a database")
    return False


def _set_journal(db: sqlite3.Connection, wanted: Journal) -> str:
    """The mode that the database is in afterwards. It stays what it was while others use the database."""
    try:
        mode: str = db.execute(f"PRAGMA journal_mode={wanted}").fetchone()[0]
    except sqlite3.OperationalError as e:
        if e.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        mode = db.execute("PRAGMA journal_mode").fetchone()[0]
    return mode.lower()


def _make_tables(db: sqlite3.Connection) -> None:
    """All or nothing: a process that dies in here leaves an empty database."""
    db.execute("BEGIN IMMEDIATE")
    try:
        for statement in TABLES:
            db.execute(statement)
        db.execute(f"PRAGMA application_id={APPLICATION}")
        db.execute(f"PRAGMA user_version={VERSION}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def log_size(path: Path) -> int:
    """Bytes of the write-ahead log."""
    try:
        return beside(path, "-wal").stat().st_size
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
