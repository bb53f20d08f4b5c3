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
from petri_cli.session.sqlite_wal import log_of

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
        folder = stat.S_ISDIR(found.st_mode)
        hint = f"name a file in it, such as {path / 'petri.db'}" if folder else "name another file"
        what = "this is a folder, and a store is a file" if folder else "not a file"
        raise store_error("PETRI_STORE_NO_ACCESS", path, what, hint)
    return found.st_dev, found.st_ino


def check_place(path: Path) -> None:
    """What is to be known of ``path`` before anything is made beside it.

    Raises PetriError ``PETRI_STORE_NO_ACCESS`` where it is no file, or may not be written to, ``PETRI_STORE_EMPTIED``.
    """
    if file_of(path) is not None and not os.access(path, os.W_OK):
        raise store_error("PETRI_STORE_NO_ACCESS", path, "it may not be written to")
    check_kept(path)
    for suffix in (".lock", "-wal", "-shm"):
        _let_write(path, beside(path, suffix))


def check_kept(path: Path) -> None:
    """Raises PetriError ``PETRI_STORE_EMPTIED`` where the store was, and is not.

    A store is made whole, so a database without a byte that has been at work was cut. SQLite would take it for a new
    one, and throw away the log beside it. Somebody may be making the store: so the database is looked at last.
    """
    if _size(path):
        return
    logs = [p.name for p in (beside(path, "-wal"), beside(path, "-journal")) if _size(p)]
    lock, work = beside(path, ".lock"), work_beside(path)
    traces = [*logs, *([lock.name] if _size(lock) else []), *([f"{work.name}/"] if _has_entries(work) else [])]
    size = _size(path)
    if size is None and logs:
        what = f"it is missing, and what was written to it last is in {logs[0]}"
    elif size == 0 and traces:
        what = f"it is empty, and was a store: {', '.join(traces)} {'lies' if len(traces) == 1 else 'lie'} beside it"
    else:
        return
    raise store_error("PETRI_STORE_EMPTIED", path, what)


def _size(path: Path) -> int | None:
    try:
        return path.stat().st_size
    except OSError:
        return None


def _has_entries(folder: Path) -> bool:
    try:
        return any(folder.iterdir())
    except OSError:
        return False


def _let_write(path: Path, file: Path) -> None:
    """A file beside the database that was made while that was read-only is ours to write to when that is."""
    try:
        found = file.stat()
    except OSError:
        return
    mode = stat.S_IMODE(found.st_mode)
    if found.st_uid == os.geteuid() and not mode & stat.S_IWUSR:
        with contextlib.suppress(OSError):
            file.chmod(mode | stat.S_IMODE(path.stat().st_mode) & 0o666)
    if not os.access(file, os.R_OK | os.W_OK):
        hint = "let it have the owner and the mode of the database, or remove it while nobody uses the store"
        raise store_error("PETRI_STORE_NO_ACCESS", file, "it may not be written to, as the database may", hint)


def work_beside(path: Path) -> Path:
    """The folder with the output of tasks, for each store its own: ids of sessions are a store's own, too."""
    return path.with_name("work") if path.name == "petri.db" else beside(path, ".work")


def connect(path: Path, mode: str, timeout: float) -> sqlite3.Connection:
    """A connection without transactions of its own making. timeout: seconds that SQLite waits for locks."""
    uri = f"{path.absolute().as_uri()}?{mode}"
    return sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)


def open_writer(path: Path, wanted: Journal, timeout: float) -> Opened:
    """Open for writing, under the sidecar lock; an empty or missing file becomes a store.

    Raises PetriError ``PETRI_STORE_NEWER``, ``PETRI_STORE_FOREIGN``, ``PETRI_STORE_CORRUPT``, ``PETRI_STORE_FULL``, ….
    """
    if file_of(path) is None:
        _make(path, timeout)
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


def _make(path: Path, timeout: float) -> None:
    """A store that only its user may read and write. SQLite gives what it puts beside it the same mode.

    It is there as a whole or not at all, so that an empty file is known for one that was emptied.
    """
    draft = beside(path, ".new")
    try:
        try:
            for left in (draft, beside(draft, "-journal")):  # by one who died in here
                left.unlink(missing_ok=True)
            os.close(make_private(draft, os.O_RDWR))
            with said_plainly(path), contextlib.closing(connect(draft, "mode=rw", timeout)) as db:
                db.execute("PRAGMA synchronous=FULL")
                _make_tables(db)
            draft.replace(path)
        except BaseException:
            draft.unlink(missing_ok=True)
            raise
    except OSError as e:
        raise store_error(os_error_code(e), path, e.strerror or str(e)) from None


def open_reader(path: Path, timeout: float) -> Opened | None:
    """Open for reading, without any lock of ours; None when there is no store (yet)."""
    file = file_of(path)
    check_kept(path)
    if file is None:
        return None
    if not _writable_by_anybody(path) and not any(beside(path, s).exists() for s in ("-wal", "-journal")):
        # SQLite would make a log and its index, as read-only as the database, in the way of whoever writes later.
        return _open_reader(path, "mode=ro&immutable=1", timeout, file, fleeting=True)
    try:
        return _open_reader(path, "mode=ro", timeout, file)
    except PetriError as e:
        if not _cannot_make_files(e.__cause__) or any(beside(path, s).exists() for s in ("-wal", "-journal")):
            raise
    # A WAL database in a folder that may not be written to: without a log it is whole as it lies there.
    return _open_reader(path, "mode=ro&immutable=1", timeout, file, fleeting=True)


def _writable_by_anybody(path: Path) -> bool:
    try:
        return bool(path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH))
    except OSError:
        return True


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
    """Also of what has no name, as ``.`` and ``/``: that is refused when it is opened, in words."""
    return Path(f"{path}{suffix}")
