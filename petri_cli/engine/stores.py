"""Where the events of a run are kept: in memory, nowhere, or in a file of one JSON object a line.

All have one shape (:class:`EventStore`): the scheduler calls ``append`` for each event in order, and whoever wants to
follow a run calls ``subscribe``. Stores are written from one thread, that of the executor.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Protocol, Self

from petri_cli.engine.events import Event, event_from_json
from petri_cli.engine.json_lines import event_line

Subscriber = Callable[[Event], object]


class EventStore(Protocol):
    """What an executor needs of a store. ``keeps`` False: no event is even made."""

    keeps: bool

    def append(self, event: Event, /) -> object: ...

    def flush(self) -> None:
        """Make sure that what was appended can be read by others; called when the run waits, and when it ends."""


class _Subscribers:
    """The followers of a store. One that throws is dropped, with a warning: it must not harm the run."""

    def __init__(self) -> None:
        self._all: list[Subscriber] = []

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, subscriber: Subscriber) -> Callable[[], None]:
        self._all = [*self._all, subscriber]

        def leave() -> None:
            self._all = [s for s in self._all if s is not subscriber]

        return leave

    def tell(self, event: Event) -> None:
        for subscriber in self._all:
            try:
                subscriber(event)
            except Exception:
                self._all = [s for s in self._all if s is not subscriber]
                logging.getLogger("petri_cli.engine").exception("an event subscriber threw and is dropped")


class MemoryStore:
    """Keeps every event in a list."""

    keeps = True

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._subscribers = _Subscribers()
        self.append: Callable[[Event], object] = self.events.append
        """The list's own method as long as nobody follows: a store that is called five times a firing must be fast."""

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber`` with every event from now on; the function that is returned ends that."""
        self.append = self._append_and_tell
        leave = self._subscribers.add(subscriber)

        def leave_alone() -> None:
            leave()
            if not self._subscribers:
                self.append = self.events.append

        return leave_alone

    def flush(self) -> None:
        pass

    def _append_and_tell(self, event: Event) -> None:
        self.events.append(event)
        self._subscribers.tell(event)


class NoStore:
    """Keeps nothing; the run makes no events."""

    keeps = False

    def append(self, event: Event, /) -> None:
        pass

    def flush(self) -> None:
        pass


class JsonlStore:
    """Appends one line of JSON an event to a file; a value that JSON cannot hold is written as its ``repr``."""

    keeps = True

    def __init__(self, path: str | Path) -> None:
        self._file: IO[str] = Path(path).open("a", encoding="utf-8", errors="backslashreplace")  # noqa: SIM115 - closed by close()
        self._subscribers = _Subscribers()

    def append(self, event: Event, /) -> None:
        self._file.write(event_line(event) + "\n")
        self._subscribers.tell(event)

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Call ``subscriber`` with every event from now on; the function that is returned ends that."""
        return self._subscribers.add(subscriber)

    def flush(self) -> None:
        if not self._file.closed:
            self._file.flush()

    def close(self) -> None:
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def read_events(path: str | Path) -> Iterator[Event]:
    """The events of a JSONL file, in order. A last line that was cut off (its writer died) is left out."""
    with Path(path).open(encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                yield event_from_json(json.loads(line))
