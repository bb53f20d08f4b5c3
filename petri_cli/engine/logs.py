"""What actions write to ``logging`` becomes an event of the firing that wrote it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock

from petri_cli.engine.firings import Firing

Tell = Callable[[Firing, str, str, str], None]
"""(firing, level, message, logger)"""


class Acting:
    """Which firing is acting in the present context (a task, a thread, or the executor's loop), and whom to tell."""

    __slots__ = ("firing", "tell")

    def __init__(self, tell: Tell, firing: Firing | None = None) -> None:
        self.tell = tell
        self.firing = firing


ACTING: ContextVar[Acting | None] = ContextVar("petri_acting", default=None)


class _Capture(logging.Handler):
    """Passes a record on to the firing in whose context it was made; others are none of our business."""

    def emit(self, record: logging.LogRecord) -> None:
        acting = ACTING.get()
        if acting is None or acting.firing is None:
            return
        try:
            acting.tell(acting.firing, record.levelname, record.getMessage(), record.name)
        except Exception:
            self.handleError(record)


_capture = _Capture()
_lock = Lock()
_runs = 0


@contextmanager
def captured(acting: Acting | None) -> Iterator[None]:
    """Listen to the root logger while the block runs (several runs may overlap) on behalf of ``acting``.

    None: nobody wants to know.
    """
    if acting is None:
        yield
        return
    global _runs  # one handler for all runs: a record is told once
    root = logging.getLogger()
    with _lock:
        if _runs == 0:
            root.addHandler(_capture)
        _runs += 1
    before = ACTING.set(acting)
    try:
        yield
    finally:
        ACTING.reset(before)
        with _lock:
            _runs -= 1
            if _runs == 0:
                root.removeHandler(_capture)
