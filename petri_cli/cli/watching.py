"""Looking at a session: once, again whenever it changes, or step by step through its log."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from select import select
from typing import Any

from petri_cli.cli.exit import Exit
from petri_cli.cli.store import Chosen
from petri_cli.cli.streams import Output
from petri_cli.driver.masking import shown_log
from petri_cli.driver.status import Phase, Status, status_of
from petri_cli.engine.tokens import to_ticks
from petri_cli.errors import PetriError
from petri_cli.render.look import Line, crop, cut, fitted
from petri_cli.render.page import Page
from petri_cli.render.session_lines import SessionNarrator
from petri_cli.render.status import draw_status, draw_steps
from petri_cli.render.status_json import status_json
from petri_cli.session.clock import wall_clock
from petri_cli.session.identity import alive
from petri_cli.session.state import State
from petri_cli.session.store import Entry, EventStore

LATEST = 12
"""Steps that are shown of a log where not all are asked for."""
PAGE_STEPS = 1_000
"""Steps on a page."""
LOOKED_BACK = 300
"""Events that are read to find them: not each one is a step that a person wants to see."""
DIGITS = 18
"""Of the number of an event; no log has more, and Python refuses to read some thousands of them."""
EVERY = 0.2
"""Seconds between two looks at a session that is watched; only whether anything changed is asked so often."""
STEPS = 4
"""Of the latest steps, that are shown on however small a screen."""
REDRAW = 1.0
"""Seconds after which it is drawn again though nothing changed: leases and waits go on."""

EXIT: dict[Phase, Exit] = {
    "completed": Exit.OK,
    "failed": Exit.UNSOUND,
    "deadlocked": Exit.UNSOUND,
    "cancelled": Exit.UNSOUND,
    "running": Exit.WAITING,
    "waiting": Exit.WAITING,
    "suspended": Exit.WAITING,
}


@dataclass(frozen=True, slots=True)
class Looking:
    """One session, as it is looked at: where it is shown, in what form, and whether nothing is left out."""

    at: Chosen
    page: Page
    form: str = "text"
    everything: bool = False

    @property
    def store(self) -> EventStore:
        return self.at.store

    @property
    def session(self) -> str:
        return self.at.session

    def seq_of(self, at: str | None) -> int | None:
        """The number of the event that ``--at`` means: a number, or a time. Raises PetriError ``PETRI_BAD_TIME``."""
        if at is None:
            return None
        if at.isdecimal():
            last = self.store.last(self.session)
            if len(at) > DIGITS or not 1 <= int(at) <= last:
                message = f"the log of `{self.session}` has the events 1 to {last}, not {crop(at, DIGITS)}"
                raise PetriError("PETRI_BAD_TIME", message)
            return int(at)
        try:
            when = datetime.fromisoformat(at).astimezone().timestamp()
        except (ValueError, OverflowError):
            hint = "written 120, or 2026-03-01T14:03:07"
            raise PetriError("PETRI_BAD_TIME", f"{at!r} is no event's number and no time", hint=hint) from None
        seq = self.store.seq_at(self.session, to_ticks(when))
        if not seq:
            raise PetriError("PETRI_BAD_TIME", f"session `{self.session}` was opened after {at}")
        return seq

    def status(self, upto: int | None = None) -> Status:
        """The status after event ``upto`` (None: now). Of the past, nobody is asked whether the driver is alive."""
        state = self.store.state(self.session, upto)
        if upto is not None:
            return status_of(self.session, state, now=state.at, alive=state.driver is not None or None)
        known = None if state.driver is None else alive(state.driver.process)
        return status_of(self.session, state, now=wall_clock(), alive=known)

    def show(self, upto: int | None = None, *, exit_code: bool = False) -> Exit:
        """Write the status once."""
        status = self.status(upto)
        if self.form == "json":
            self.page.write(self.json(status))
        elif self.form == "html":
            self.page.write(self.html(status))
        else:
            self.page.lines(self.drawn(status))
        return EXIT[status.phase] if exit_code else Exit.OK

    def json(self, status: Status) -> str:
        history = list(shown_log(self.store, self.session, 0, status.state.seq)) if self.everything else None
        return status_json(status, history)

    def html(self, status: Status, found: dict[str, Any] | None = None) -> str:
        """The page; found: of insights, what it says beside the status."""
        from petri_cli.render.html.session import status_page

        events = [e.event for e in shown_log(self.store, self.session, 0, status.state.seq)]
        steps = replace(self, everything=True).history(status.state)[-PAGE_STEPS:]
        return status_page(status, events, steps, self.drawn(status), found)

    def drawn(self, status: Status, rows: int | None = None) -> list[Line]:
        """The page. rows: so many lines there are at most; the latest steps are on it in any case."""
        look, history, paste = fitted(self.page.look, sys.stdout), self.history(status.state), self.at.paste
        if rows is None:
            return draw_status(status, look, history=history, everything=self.everything, paste=paste)
        head = draw_status(status, look, everything=self.everything, paste=paste)
        steps = draw_steps(history, look)
        title, lines = steps[:2], steps[2:]
        lines = lines[-max(STEPS, rows - len(head) - len(title)) :]
        while len(lines) > 1 and lines[0][1][0] != "dim":  # the rest of a step whose time is not on the page
            del lines[0]
        if len(head) + len(title) + len(lines) > rows:
            head = [*head[: max(0, rows - len(title) - len(lines) - 1)], [("dim", "  …")]]
        return [*head, *title, *lines][:rows]

    def history(self, state: State) -> list[Line]:
        """The steps up to ``state``: all of them, or the latest."""
        first = 0 if self.everything else max(0, state.seq - LOOKED_BACK)
        narrator = SessionNarrator(self.store.state(self.session, first) if first else None)
        told = (narrator.tell(e.event) for e in shown_log(self.store, self.session, first, state.seq))
        lines = [line for line in told if line is not None]
        return lines if self.everything else lines[-LATEST:]


def watch_changes(looking: Looking, out: Output, *, exit_code: bool) -> Exit:
    """Show the status again whenever it changes, until the session is over (or Ctrl-C, or the reader has gone).

    out: what the page writes to; whoever reads it gets each status at once.
    """
    whole = looking.form == "text" and out.stream is not None and out.stream.isatty()
    with _screen(looking.page, out, whole=whole) as draw:
        while True:
            mark = looking.store.changed()
            status = looking.status()
            if looking.form == "json":
                looking.page.write(looking.json(status))
            else:
                draw(looking.drawn(status, rows() if whole else None))
            out.flush()
            if status.state.ended is not None or out.stream is None:
                return EXIT[status.phase] if exit_code else Exit.OK
            until, size = time.monotonic() + REDRAW, _size() if whole else None
            while looking.store.changed() == mark and (not whole or (time.monotonic() < until and size == _size())):
                time.sleep(EVERY)


def _size() -> os.terminal_size:
    """Of the terminal, which may be given another one at any time."""
    return os.get_terminal_size()


def rows() -> int:
    """Lines that a page may have on this terminal."""
    return _size().lines - 1


@contextmanager
def _screen(page: Page, out: Output, *, whole: bool) -> Iterator[Callable[[list[Line]], None]]:
    """Draws pages over one another on a terminal, and below one another elsewhere."""
    if not whole:
        yield page.lines
        return

    def draw(lines: list[Line]) -> None:
        width, height = _size()
        text = "\n".join("\x1b[2K" + page.look.paint(cut(line, width)) for line in lines[: height - 1])
        page.write(f"\x1b[H{text}\x1b[J\n")
        out.flush()

    page.write("\x1b[?1049h\x1b[?25l")
    last: list[list[Line]] = []

    def remember(lines: list[Line]) -> None:
        last[:] = [lines]
        draw(lines)

    try:
        yield remember
    finally:
        page.write("\x1b[?25h\x1b[?1049l")
        for lines in last:
            page.lines(lines)


def replay_keys(looking: Looking, out: Output, first: int | None = None) -> Exit:
    """Step through the log: with keys on a terminal, else a line a step. first: the event to begin with."""
    if sys.stdin is None or not (sys.stdin.isatty() and sys.stdout.isatty()):
        after = 0 if first is None else first - 1
        narrator = SessionNarrator(looking.store.state(looking.session, after) if after else None, verbose=True)
        for entry in shown_log(looking.store, looking.session, after):
            looking.page.line(_numbered(entry, narrator))
        return Exit.OK
    return _step_through(looking, out, first)


def _numbered(entry: Entry, narrator: SessionNarrator) -> Line:
    told = narrator.tell(entry.event)
    return [("dim", f"{entry.seq:>6}  "), *(told or [("dim", entry.event.type)])]


_KEYS = {
    "\x1b[C": 1, " ": 1, "l": 1, "j": 1, "\x1b[B": 1, "\x1b[D": -1, "h": -1, "k": -1, "\x1b[A": -1,
    "\x1b[6~": 20, "\x1b[5~": -20, "\x1b[H": -(10**9), "\x1b[F": 10**9,
    "\x1b[1~": -(10**9), "\x1b[4~": 10**9, "\x1bOH": -(10**9), "\x1bOF": 10**9, "g": -(10**9), "G": 10**9,
}  # fmt: skip


def keys_of(typed: str) -> list[str]:
    """What was typed, key by key: a key that is held down comes many at a time."""
    return re.findall(r"\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Za-z]|(?s:.)", typed)


def _step_through(looking: Looking, out: Output, first: int | None) -> Exit:
    import termios
    import tty

    last = looking.store.last(looking.session)
    at = last if first is None else first
    before = termios.tcgetattr(sys.stdin)
    with _screen(looking.page, out, whole=True) as draw:
        try:
            tty.setcbreak(sys.stdin)
            while True:
                draw([_ruler(at, last), *looking.drawn(looking.status(at), rows() - 1)])
                size = _size()
                while not select([sys.stdin], [], [], EVERY)[0] and size == _size():
                    pass
                if size != _size():
                    continue
                typed = os.read(sys.stdin.fileno(), 1024).decode("utf-8", "replace")
                for key in keys_of(typed):
                    if key in ("q", "\x1b", "\x04"):
                        return Exit.OK
                    at = min(last, max(1, at + _KEYS.get(key, 0)))
                if not typed:  # the terminal has gone
                    return Exit.OK
        finally:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


def _ruler(at: int, last: int) -> Line:
    return [("strong", f"event {at:,} of {last:,}"), ("dim", "   ← → step · PgUp PgDn 20 · Home End · q leaves")]
