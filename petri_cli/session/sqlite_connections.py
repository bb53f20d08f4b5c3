"""One process's connections to a store's database: transactions under the sidecar lock, reading without it.

Both connections are opened when they are first needed, by each process for itself: a child that was forked leaves its
parent's alone and opens its own.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from petri_cli.errors import PetriError, Problem
from petri_cli.session.filesystem import make_folder, sync_folder
from petri_cli.session.sqlite_errors import needs_recovery, os_error_code, said_plainly, store_error
from petri_cli.session.sqlite_files import Opened, beside, check_place, file_of, open_reader, open_writer
from petri_cli.session.sqlite_lock import SidecarLock
from petri_cli.session.sqlite_wal import is_moved, journal_said, log_of, log_size, move, warning

CHECKPOINT_BYTES = 4 << 20
"""Size of the write-ahead log at which it is moved into the database."""


class Connections:
    """network: the kind of network file system that a path lies on, None for a local one; warn: told of troubles."""

    def __init__(
        self, path: Path, timeout: float, network: Callable[[Path], str | None], warn: Callable[[Problem], None]
    ) -> None:
        self.path = path
        self._timeout = timeout
        self._network = network
        self._warn = warn
        self._sidecar = SidecarLock(beside(path, ".lock"), timeout, self._warn_of_waiting, path)
        self._closed = False
        self._begin()
        _ALL.add(self)

    def _begin(self) -> None:
        self._writer: Opened | None = None
        self._reader: Opened | None = None
        self._readers = 0
        self._checkpoint_at = CHECKPOINT_BYTES
        self._synced = False
        self._stale = False
        self._writing = threading.Lock()
        self._writing_thread: int | None = None
        self._reading = threading.RLock()

    def _check_open(self) -> None:
        if self._closed:
            raise ValueError("the store is closed")

    def abandon(self) -> None:
        """Forget what is open without closing it, not even when the interpreter ends.

        In a child after a fork it is the parent's, and to close it here may do harm there
        (sqlite.org/howtocorrupt.html, 2.6).
        """
        for opened in (self._writer, self._reader):
            if opened is not None:
                self._leave(opened)
        self._begin()

    @staticmethod
    def _leave(opened: Opened) -> None:
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(opened.db))

    # Writing

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """The one writer's transaction: committed and synced when the block ends, if it changed anything.

        An exception in it undoes everything. Raises PetriError ``PETRI_STORE_…``; RuntimeError when nested.
        """
        with self._alone(), self._locked():
            writer = self._open_writer()
            self._check_log(writer)
            db = writer.db
            before, process = db.total_changes, os.getpid()
            try:
                with said_plainly(self.path):
                    db.execute("BEGIN IMMEDIATE")
                yield db
                changed = db.total_changes != before
                with said_plainly(self.path):
                    db.execute("COMMIT" if changed else "ROLLBACK")
            except BaseException as e:
                if os.getpid() == process:  # a child that was forked in the block ends it, too
                    self._undo(db, e)
                raise
            if changed:
                self._committed(writer)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        """Of the threads of this process."""
        self._check_open()
        me = threading.get_ident()
        if self._writing_thread == me:
            raise RuntimeError("a call that writes inside of a block that writes: append to the block instead")
        writing = self._writing
        if not writing.acquire(timeout=self._timeout):
            raise store_error("PETRI_STORE_BUSY", self.path, "another thread of this process is writing")
        self._writing_thread = me
        try:
            yield
        finally:
            self._writing_thread = None
            writing.release()

    def _locked(self) -> AbstractContextManager[None]:
        """Of the processes. The lock file's folder is made where it is missing."""
        if self._writer is None:
            check_place(self.path)
            try:
                make_folder(self.path.parent)
            except OSError as e:
                raise store_error(os_error_code(e), self.path.parent, e.strerror or str(e)) from None
        return self._sidecar.held()

    def _open_writer(self) -> Opened:
        self._check_file(self._writer)
        if self._writer is None:
            kind = self._network(self.path)
            if self._reading.acquire(blocking=False):  # the journal cannot be changed while a reader is there
                self._close_reader()
                self._reading.release()
            self._writer = open_writer(self.path, "wal" if kind is None else "delete", self._timeout)
            self._warn_of_journal(kind, self._writer.journal)
        return self._writer

    def _warn_of_journal(self, kind: str | None, journal: str) -> None:
        try:
            problem = journal_said(self.path, kind, journal)
        except PetriError:
            self._close_writer()
            raise
        if problem is not None:
            self._warn(problem)

    def _undo(self, db: sqlite3.Connection, error: BaseException) -> None:
        with contextlib.suppress(sqlite3.Error):
            if db.in_transaction:
                db.execute("ROLLBACK")
        if isinstance(error.__cause__, sqlite3.Error):
            self._close_writer()  # after a fault of the disk a connection may hold what is not there

    def _committed(self, writer: Opened) -> None:
        """What follows a commit cannot take it back: a trouble here is only told, but for a log that is gone."""
        if writer.log is None:
            writer.log = log_of(self.path)
        else:
            self._check_log(writer)
        if not self._synced:
            self._synced = True
            with contextlib.suppress(OSError):
                sync_folder(self.path.parent)
        if writer.journal == "wal" and log_size(self.path) >= self._checkpoint_at:
            self._checkpoint(writer.db)
            self._checkpoint_at = log_size(self.path) + CHECKPOINT_BYTES

    def _checkpoint(self, db: sqlite3.Connection) -> None:
        if (problem := move(db, self.path, self._timeout)) is not None:
            self._warn(problem)

    def _check_log(self, writer: Opened) -> None:
        """Refuse to go on with a write-ahead log that was removed under us: nobody else sees what is written to it.

        Its file is open here as long as the connection is, so that what was committed can still be moved into the
        database; not where somebody has begun another log meanwhile, which it would run into.
        """
        if writer.journal != "wal" or writer.log is None:
            return
        log = log_of(self.path)
        if log == writer.log:
            return
        what, hint = f"{beside(self.path, '-wal')} was removed or replaced while it was in use", ""
        if log is None and is_moved(writer.db):
            what += "; what had been committed is saved, in the database"
            hint = "see who removes it; then go on where the log ends (petri run)"
            self._close_writer()
        else:
            self._leave(writer)
            self._writer = None
        self._stale = True
        raise store_error("PETRI_STORE_GONE", self.path, what, hint)

    def _close_writer(self) -> None:
        """Under the sidecar lock: the last connection to be closed moves the log."""
        if self._writer is not None:
            self._writer.db.close()
            self._writer = None

    # Reading

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection | None]:
        """A connection that only reads, for as long as the block lasts; None when there is no store."""
        self._check_open()
        with self._reading:
            if self._stale:
                self._close_reader()
                self._stale = False
            self._check_file(self._reader)
            if self._reader is None:
                self._reader = self._open_reader()
                self._readers += self._reader is not None
            try:
                yield None if self._reader is None else self._reader.db
            except PetriError as e:
                if isinstance(e.__cause__, sqlite3.Error):
                    self._close_reader()
                raise
            finally:
                if self._reader is not None and self._reader.fleeting:
                    self._close_reader()

    def _open_reader(self) -> Opened | None:
        try:
            return open_reader(self.path, self._timeout)
        except PetriError as e:
            if not needs_recovery(e.__cause__):
                raise
        # A writer died in a commit and left a journal, which only a writer can play back. It does so when it reads.
        with self._alone(), self._locked(), said_plainly(self.path):
            self._open_writer().db.execute("SELECT 1 FROM events LIMIT 1").fetchall()
        return open_reader(self.path, self._timeout)

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.db.close()
            self._reader = None

    def version(self) -> int:
        """Another number after any commit, by whichever connection but the reader's own, which makes none."""
        with self.reading() as db:
            if db is None or self._reader is None:
                return 0
            if self._reader.fleeting:
                return self.path.stat().st_mtime_ns
            with said_plainly(self.path):
                # A number of each connection's own (sqlite.org/pragma.html#pragma_data_version).
                version: int = db.execute("PRAGMA data_version").fetchone()[0]
            return self._readers << 32 | version

    # Both

    def _check_file(self, opened: Opened | None) -> None:
        """Refuse to go on with a file that is not there any more: what is written to it is lost."""
        if opened is None or file_of(self.path) == opened.file:
            return
        if opened is self._writer:
            self._close_writer()
        else:
            self._close_reader()
        raise store_error("PETRI_STORE_GONE", self.path, "the file was removed or replaced while it was in use")

    def close(self) -> None:
        """Close what this process opened; move the log into the database if no one else uses it."""
        if self._closed:
            return
        with self._reading:
            self._close_reader()
        try:
            if self._writer is None:
                return
            with self._alone(), self._locked():
                if self._writer.journal == "wal":
                    self._checkpoint(self._writer.db)
                self._close_writer()
        except PetriError:
            # Another process keeps the lock. What was committed is safe in the write-ahead log, where the next writer
            # finds it; the end of this process is no reason to touch the database without the lock.
            self.abandon()
        finally:
            self._sidecar.close()
            self._closed = True

    def _warn_of_waiting(self, holder: str) -> None:
        self._warn(warning("PETRI_STORE_WAITING", f"{self.path} is held by {holder}", "waiting for it to let go"))


_ALL: weakref.WeakSet[Connections] = weakref.WeakSet()


def _after_fork() -> None:
    for connections in _ALL:
        connections.abandon()


os.register_at_fork(after_in_child=_after_fork)
