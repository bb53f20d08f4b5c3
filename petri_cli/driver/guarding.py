"""The guardian of a driver's programs: a process that ends them should the driver be killed (:mod:`.guardian`)."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress

from petri_cli.driver.guardian import __file__ as _GUARDIAN
from petri_cli.session.events import Process


class Guard:
    """The driver's end of it. driver: the token that its programs carry; grace: seconds between TERM and KILL."""

    def __init__(self, driver: str, grace: float) -> None:
        self._driver = driver
        self._grace = grace
        self._guardian: subprocess.Popen[bytes] | None = None

    def stand(self, running: Iterable[Process]) -> None:
        """Start the guardian, unless it runs. One that was killed is replaced, and told all that there is."""
        if self._guardian is not None and self._guardian.poll() is None:
            return
        if self._guardian is not None and self._guardian.stdin is not None:
            with suppress(OSError):
                self._guardian.stdin.close()
        self._guardian = _new_guardian(self._driver, self._grace)
        for process in running:
            self.watch(process)

    def watch(self, process: Process) -> None:
        self._tell(f"+{process.pid} {process.start_time}\n")

    def forget(self, process: Process) -> None:
        self._tell(f"-{process.pid}\n")

    async def leave(self) -> None:
        """Nothing is left to guard."""
        guardian, self._guardian = self._guardian, None
        if guardian is not None and guardian.stdin is not None:
            with suppress(OSError):
                guardian.stdin.write(b"q\n")
            guardian.stdin.close()
            await asyncio.to_thread(guardian.wait)

    def _tell(self, line: str) -> None:
        if self._guardian is None or self._guardian.stdin is None:
            return
        with suppress(OSError):  # it is gone: the next program brings another one
            self._guardian.stdin.write(line.encode())


_DEAF_TO = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP)


def _new_guardian(driver: str, grace: float) -> subprocess.Popen[bytes]:
    """It is deaf from its first moment on: it inherits that these signals are blocked.

    It carries no token of an outer driver, which would end it before it has done its work.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _DEAF_TO)
    try:
        return subprocess.Popen(  # noqa: S603 - our own file
            [sys.executable, "-I", "-S", _GUARDIAN, driver, str(grace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            env={},
            start_new_session=True,
        )
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
