"""A process that has read the code of the command, and forks for each call: a real process that need not start.

Each call has a process, a folder, an environment, streams, and an end of its own. What the calls share is what an
interpreter does first: it starts, and it imports. What that costs and loads is looked at in ``test_cli_startup``.

The server, ``python -m tests.e2e.prepared DESCRIPTOR``, ends with the tests, for it reads from a socket of theirs. A
request is a line of JSON beside four descriptors: the three streams, and a pipe for the answer, which is a line with
the number of the process, and when that has ended a line with its status.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import NoReturn

import petri_cli

LARGEST = 1 << 18
"""Bytes that are read of a request at once."""
FIRST = ("asyncio", "sqlite3", "rich.console", "rich.table")
LARGE = {"polars", "oxidd", "numpy", "jsonschema", "openai"}
"""What no call shall find imported that did not ask for it."""


class Prepared:
    """The server, seen from the tests."""

    def __init__(self, environment: Mapping[str, str], program: Path, root: Path) -> None:
        self.environment = dict(environment)
        self._program = str(program)
        self._alone = threading.Lock()
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._server = subprocess.Popen(
                [sys.executable, "-m", __name__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()], cwd=root, env=self.environment,
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            )  # fmt: skip

    def call(
        self, arguments: Sequence[str], cwd: Path, data: bytes, environment: Mapping[str, str], timeout: float
    ) -> subprocess.CompletedProcess[bytes]:
        """As ``subprocess.run``, which captures the output."""
        command = [self._program, *arguments]
        request = json.dumps({"command": command, "cwd": str(cwd), "env": dict(environment), "umask": _umask()})
        (theirs_in, ours_in), (out, theirs_out), (err, theirs_err) = os.pipe(), os.pipe(), os.pipe()
        answer, theirs_answer = os.pipe()
        theirs = [theirs_in, theirs_out, theirs_err, theirs_answer]
        with ThreadPoolExecutor(4) as threads, os.fdopen(answer) as answers:
            with self._alone:
                socket.send_fds(self._socket, [f"{request}\n".encode()], theirs)
                for descriptor in theirs:
                    os.close(descriptor)
                process = self._number(answers.readline())
            written = threads.submit(_write, ours_in, data)
            ended = threads.submit(answers.readline)
            shown = [threads.submit(_read, descriptor) for descriptor in (out, err)]
            end = time.monotonic() + timeout
            try:
                written.result(end - time.monotonic())
                status = int(ended.result(end - time.monotonic()))
                texts = [text.result(end - time.monotonic()) for text in shown]
            except TimeoutError:
                os.kill(process, signal.SIGKILL)
                raise subprocess.TimeoutExpired(command, timeout) from None
        return subprocess.CompletedProcess(command, os.waitstatus_to_exitcode(status), *texts)

    def close(self) -> None:
        """Say that no call will follow."""
        self._socket.close()

    def ended(self, timeout: float) -> int:
        """The exit code of the server, when it has ended."""
        self._server.communicate(timeout=timeout)
        return self._server.returncode

    def _number(self, line: str) -> int:
        assert line, f"the server ended: {self._server.communicate()[1].decode()}"
        return int(line)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(descriptor: int, data: bytes) -> None:
    with suppress(BrokenPipeError), os.fdopen(descriptor, "wb") as pipe:
        pipe.write(data)


def _read(descriptor: int) -> bytes:
    with os.fdopen(descriptor, "rb") as pipe:
        return pipe.read()


# The server


def prepare() -> None:
    """Import what the commands are made of."""
    for module in pkgutil.walk_packages(petri_cli.__path__, "petri_cli."):
        if not module.name.endswith("__main__"):
            with suppress(Exception):  # what is wrong with it is told by the calls that need it
                import_module(module.name)
    for name in FIRST:
        import_module(name)
    for name in [m for m in sys.modules if m.partition(".")[0] == "tests"]:
        del sys.modules[name]
    gc.collect()
    gc.freeze()  # no call looks for what is garbage in here, nor copies it


def _serve(requests: socket.socket) -> None:
    """Answer requests to the last; returns in the process of a call, which then is that of the command."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        line, descriptors, _, _ = socket.recv_fds(requests, LARGEST, 4)
        if not line:
            os._exit(0)
        while not line.endswith(b"\n"):
            more = requests.recv(LARGEST)
            if not more:  # who asked has gone in the middle of it
                os._exit(0)
            line += more
        if os.fork() == 0:
            break
        for descriptor in descriptors:
            os.close(descriptor)
    requests.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    *streams, answer = descriptors
    process = os.fork()
    if process:
        _wait(process, streams, answer)
    os.close(answer)
    for target, descriptor in enumerate(streams):
        os.dup2(descriptor, target)
        os.close(descriptor)
    _become(**json.loads(line))


def _become(command: list[str], cwd: str, env: dict[str, str], umask: int) -> None:
    """Take over what a process has from those that start it."""
    os.umask(umask)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    time.tzset()
    sys.argv = command
    sys.path[0] = os.path.dirname(command[0])  # noqa: PTH120


def _wait(process: int, streams: list[int], answer: int) -> NoReturn:
    for descriptor in streams:
        os.close(descriptor)
    os.write(answer, f"{process}\n".encode())
    os.write(answer, f"{os.waitpid(process, 0)[1]}\n".encode())
    os._exit(0)


if __name__ == "__main__":
    prepare()
    _serve(socket.socket(fileno=int(sys.argv[1])))
    from petri_cli.cli.main import main

    sys.exit(main())
