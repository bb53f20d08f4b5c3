"""A run in real time, shown while it runs: what is in flight and since when, resources, tokens."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from petri_cli.engine.events import (
    ActionTimedOut,
    Event,
    TokenAdded,
    TokenRemoved,
    TransitionCompleted,
    TransitionFailed,
    TransitionStarted,
)
from petri_cli.net.model import Net
from petri_cli.render.run_lines import seconds

MAX_ROWS = 12
PER_SECOND = 8


class LiveRun:
    """Follows the events of one run (``append``) and draws them on the terminal until the block is left.

    ``console`` is a ``rich.console.Console``. It is redrawn from a thread of its own, which sees copies.
    """

    def __init__(self, net: Net, console: Any) -> None:
        from rich.live import Live

        self._resources = {p: n for p, n in net.initial.items() if p.startswith("r.")}
        self._tokens: Counter[str] = Counter({p: n for p, n in net.initial.items() if n})
        self._running: dict[int, tuple[str, float]] = {}
        self._done = 0
        self._failed = 0
        self._began = time.monotonic()
        self._live = Live(
            console=console,
            get_renderable=self._draw,
            refresh_per_second=PER_SECOND,
            transient=True,
            redirect_stdout=False,
        )

    def append(self, event: Event) -> None:
        """Take note of ``event``."""
        match event:
            case TransitionStarted():
                self._running[event.firing] = event.transition, time.monotonic()
            case TransitionCompleted():
                self._running.pop(event.firing, None)
                self._done += 1
            case TransitionFailed() | ActionTimedOut():
                self._running.pop(event.firing, None)
                self._failed += 1
            case TokenRemoved():
                self._tokens[event.place] -= 1
            case TokenAdded():
                self._tokens[event.place] += 1
            case _:
                pass

    def _draw(self) -> Any:
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        now = time.monotonic()
        running = list(self._running.copy().values())
        head = Text(f"{seconds(round(now - self._began, 1))}  {self._done:,} done", style="bold")
        head.append(f", {self._failed:,} failed" if self._failed else "", style="red")
        head.append(f", {len(running):,} in flight", style="dim")
        lanes = Table.grid(padding=(0, 2))
        for name, since in running[:MAX_ROWS]:
            lanes.add_row(
                Text("▶", style="green"),
                Text(name, no_wrap=True, overflow="ellipsis"),
                Text(seconds(round(now - since, 1)), style="dim"),
            )
        if len(running) > MAX_ROWS:
            lanes.add_row("", Text(f"{len(running) - MAX_ROWS} more", style="dim"))
        return Group(head, lanes, *self._places(self._tokens.copy()))

    def _places(self, tokens: Mapping[str, int]) -> list[Any]:
        from rich.text import Text

        lines = []
        if self._resources:
            free = ", ".join(
                f"{p[2:]} {tokens.get(p, 0)}/{n} free" for p, n in list(self._resources.items())[:MAX_ROWS]
            )
            lines.append(Text(free, style="cyan", no_wrap=True, overflow="ellipsis"))
        marked = [f"{p} {n}" for p, n in sorted(tokens.items()) if n > 0 and p not in self._resources]
        lines.append(Text(", ".join(marked[: 2 * MAX_ROWS]), style="dim", no_wrap=True, overflow="ellipsis"))
        return lines

    def __enter__(self) -> LiveRun:
        self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self._live.stop()
