"""The standard streams of a program: pipes, read into captures and filled from memory without waiting for anybody."""

from __future__ import annotations

import asyncio
import os
from contextlib import suppress
from functools import partial

from petri_cli.driver.capture import Capture


class Pipes:
    """The standard streams of a program: (reading end, writing end)."""

    def __init__(self, *, empty: bool = False) -> None:
        self._open: list[int] = []
        self.stdin = self.stdout = self.stderr = (-1, -1)
        if empty:
            return
        try:
            self.stdin, self.stdout, self.stderr = (self._pipe() for _ in range(3))
        except OSError:
            self.close()
            raise

    def _pipe(self) -> tuple[int, int]:
        ends = os.pipe()
        self._open += ends
        return ends

    def close_theirs(self) -> None:
        for fd in (self.stdin[0], self.stdout[1], self.stderr[1]):
            self._open.remove(fd)
            os.close(fd)

    def close(self) -> None:
        while self._open:
            os.close(self._open.pop())


NO_PIPES = Pipes(empty=True)


async def pour(fd: int, capture: Capture) -> None:
    """From a pipe into a capture, to its end."""
    reader = asyncio.StreamReader()
    file = os.fdopen(fd, "rb", buffering=0)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        partial(asyncio.StreamReaderProtocol, reader), file
    )
    try:
        while chunk := await reader.read(65_536):
            capture.feed(chunk)
    finally:
        transport.close()


async def fill(fd: int, data: bytes) -> None:
    """All of ``data`` into a pipe, then its end. Who does not read it does not have to."""
    loop = asyncio.get_running_loop()
    file = os.fdopen(fd, "wb", buffering=0)
    transport, protocol = await loop.connect_write_pipe(
        lambda: asyncio.StreamReaderProtocol(asyncio.StreamReader()), file
    )
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    try:
        with suppress(OSError):
            writer.write(data)
            await writer.drain()
            writer.close()
            await writer.wait_closed()
    finally:
        if transport.get_write_buffer_size() or not transport.is_closing():
            transport.abort()
