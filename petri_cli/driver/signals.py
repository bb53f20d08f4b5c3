"""Signals, heard in an event loop for as long as something wants to hear them."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress


def to_end() -> tuple[signal.Signals, ...]:
    """Signals that end a run at once. Those that this process was started deaf to (``nohup``) are left alone."""
    quiet = (signal.SIGHUP, signal.SIGQUIT)
    return (signal.SIGTERM, *(s for s in quiet if signal.getsignal(s) is not signal.SIG_IGN))


@contextmanager
def handling(loop: asyncio.AbstractEventLoop, handlers: Mapping[signal.Signals, Callable[[], None]]) -> Iterator[None]:
    """Call these in ``loop`` when signals come; where that cannot be (not the main thread), they go unheard."""
    heard = []
    for number, handler in handlers.items():
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, handler)
            heard.append(number)
    try:
        yield
    finally:
        for number in heard:
            loop.remove_signal_handler(number)
