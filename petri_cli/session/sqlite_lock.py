"""The lock beside a database, held over every commit and every checkpoint.

It is an advisory lock of the kernel (flock(2)) on ``<database>.lock``. It goes with the process that holds it, however
that ends, so there is never a stale one; the file may stay, and means nothing by itself. What the file says is for
people: who took the lock last.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from petri_cli.errors import PetriError
from petri_cli.session.clock import wall_clock
from petri_cli.session.filesystem import make_private
from petri_cli.session.identity import this_process
from petri_cli.session.sqlite_errors import os_error_code

SIZE = 512
"""Bytes of the record in the file, filled up with blanks: a new one covers the old one in one write."""
SAY_AFTER = 2.0
"""Seconds of waiting after which it is said who is waited for."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who took a lock last, as the file says: it may have let go of it since. since: ticks."""

    pid: int
    host: str
    boot_id: str
    start_time: int
    since: int

    def __str__(self) -> str:
        when = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(self.since / 1_000_000))
        return f"process {self.pid} on {self.host} since {when}"


class SidecarLock:
    """One process's hold on ``<database>.lock``. Not for two threads at a time; the store sees to that."""

    def __init__(self, path: Path, timeout: float, waiting: Callable[[str], None], like: Path | None = None) -> None:
        """timeout: seconds to wait at most; waiting: told, once in a wait, whom a long one waits for; like: the file
        whose readers and writers may use the lock, too; without one, nobody else may."""
        self.path = path
        self._like = like
        self._timeout = timeout
        self._waiting = waiting
        self._fd: int | None = None
        _LOCKS.add(self)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Raises PetriError ``PETRI_STORE_BUSY``, ``PETRI_STORE_NO_ACCESS``, ``PETRI_STORE_IO``."""
        fd, process = self._acquire(), os.getpid()
        try:
            self._sign(fd)
            yield
        finally:
            if os.getpid() == process:
                # Let go by name: a process that was forked meanwhile may still have the file open.
                with contextlib.suppress(OSError):
                    fcntl.flock(fd, fcntl.LOCK_UN)

    def holder(self) -> Holder | None:
        """Who signed last; None when nobody did, or it cannot be read."""
        try:
            said = json.loads(self.path.read_bytes()[:SIZE])
            return Holder(said["pid"], said["host"], said["bootId"], said["startTime"], said["since"])
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def close(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    def _acquire(self) -> int:
        begun = time.monotonic()
        while True:
            fd = self._open() if self._fd is None else self._fd
            self._fd = fd
            if not self._try(fd):
                self._wait(fd, begun)
            if self._is_still_the_file(fd):
                return fd
            self.close()  # somebody removed the file: the lock on it keeps nobody out any more

    def _wait(self, fd: int, begun: float) -> None:
        """Until the lock is had. Raises PetriError ``PETRI_STORE_BUSY``; the lock is not had whenever this raises."""
        waiter = _Waiter(fd)
        try:
            end = begun + self._timeout
            if not waiter.done(min(end, begun + SAY_AFTER)) and time.monotonic() < end:
                self._waiting(self._who())
            if not waiter.done(end):
                raise self._busy()
        except BaseException:
            self._fd = None
            waiter.give_up()
            raise
        if waiter.error is not None:
            raise self._cannot_lock(waiter.error)

    def _open(self) -> int:
        try:
            return make_private(self.path, os.O_RDWR | os.O_CLOEXEC, self._like)
        except OSError as e:
            hint = "a writer needs a lock file beside the database: look at the folder's permissions and space"
            raise PetriError(os_error_code(e), f"{self.path}: {e.strerror}", hint=hint) from None

    def _try(self, fd: int) -> bool:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as e:
            raise self._cannot_lock(e) from None
        return True

    def _cannot_lock(self, error: OSError) -> PetriError:
        hint = "put the store on a file system that can lock files"
        return PetriError("PETRI_STORE_IO", f"{self.path} cannot be locked: {error.strerror}", hint=hint)

    def _is_still_the_file(self, fd: int) -> bool:
        ours = os.fstat(fd)
        try:
            theirs = self.path.stat()
        except FileNotFoundError:
            return False
        return (ours.st_dev, ours.st_ino) == (theirs.st_dev, theirs.st_ino)

    def _sign(self, fd: int) -> None:
        me = this_process()
        said = {"pid": me.pid, "startTime": me.start_time, "bootId": me.boot_id, "host": me.host, "since": wall_clock()}
        with contextlib.suppress(OSError):  # only people read it
            os.pwrite(fd, json.dumps(said).encode()[: SIZE - 1].ljust(SIZE - 1) + b"\n", 0)

    def _who(self) -> str:
        holder = self.holder()
        return "an unknown process" if holder is None else str(holder)

    def _busy(self) -> PetriError:
        message = f"{self.path} is held by {self._who()}; waited {self._timeout:g} s"
        hint = "one writer at a time: wait for it, or end that process; its lock goes with it"
        return PetriError("PETRI_STORE_BUSY", message, hint=hint)


class _Waiter:
    """Waits for the lock on an open file in a thread of its own.

    The kernel wakes those who wait in turn; who would look again and again instead is passed by whoever has just let go
    and comes back. And only a thread that waits can be left behind when it takes too long.
    """

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._ended = threading.Event()
        self._mutex = threading.Lock()
        self._given_up = False
        self.error: OSError | None = None
        try:
            threading.Thread(target=self._run, name="petri-lock", daemon=True).start()
        except RuntimeError:  # no thread can be started while the interpreter shuts down
            self._run()

    def _run(self) -> None:
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX)
        except OSError as e:
            self.error = e
        with self._mutex:
            self._ended.set()
            if self._given_up:
                os.close(self._fd)

    def done(self, end: float) -> bool:
        """Whether the waiting has ended, at monotonic time ``end`` at the latest."""
        return self._ended.wait(max(0.0, end - time.monotonic()))

    def give_up(self) -> None:
        """The file is closed, now or when it is locked: either way the lock is free."""
        with self._mutex:
            self._given_up = True
            if self._ended.is_set():
                os.close(self._fd)


_LOCKS: weakref.WeakSet[SidecarLock] = weakref.WeakSet()


def _after_fork() -> None:
    """A child has its parent's open files. Closing its copy keeps the parent's lock, and does not keep it too long."""
    for lock in _LOCKS:
        lock.close()


os.register_at_fork(after_in_child=_after_fork)
