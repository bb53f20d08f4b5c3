"""``petri run`` of a plan: commit it, if it is sound, and drive its session; or go on with a session there is."""

from __future__ import annotations

import asyncio
import os
import resource
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from petri_cli.cli.committing import Terms, commit_file
from petri_cli.cli.exit import Exit
from petri_cli.cli.inputs import current_folder
from petri_cli.cli.mending import Mending
from petri_cli.cli.secrets import warn_of_unset_secrets
from petri_cli.cli.store import SESSION, Chosen, opened, pastable, session_of, work_folder
from petri_cli.cli.streams import Output, page_aside, page_on, say
from petri_cli.cli.watching import EXIT
from petri_cli.driver.commit import Document
from petri_cli.driver.ending import Outcome
from petri_cli.driver.masking import shown_log
from petri_cli.driver.repair import Terms as RepairTerms
from petri_cli.driver.session_driver import Observer, Options, SessionDriver
from petri_cli.driver.status import Status, status_of
from petri_cli.engine.tokens import TICKS_PER_SECOND
from petri_cli.errors import Problem
from petri_cli.net.model import Net
from petri_cli.plan.model import Plan
from petri_cli.render.look import ColourMode, Line, Look, fitted
from petri_cli.render.page import Page
from petri_cli.render.pasting import Paste
from petri_cli.render.session_lines import SessionNarrator
from petri_cli.render.session_live import SHARE, LiveSession
from petri_cli.render.session_waits import goes_on_at, waits
from petri_cli.render.status import draw_at_work, draw_end
from petri_cli.render.status_json import entry_line, status_json
from petri_cli.session.clock import wall_clock
from petri_cli.session.state import State
from petri_cli.session.store import Entry, EventStore

FILES, FILES_EACH = 64, 8
"""Files that a driver has open by itself, and for each program: three pipes, its output, and what starting it takes."""

DRAINING = "no more is begun; Ctrl-C again ends what runs"


@dataclass(frozen=True, slots=True)
class Call:
    """What ``petri run`` was asked for. document: a plan to commit first; loaded: what was read in it; form:
    ``text``, ``json`` or ``jsonl``."""

    document: Document | None
    session: str | None
    store: str | None
    terms: Terms
    form: str = "text"
    colour: ColourMode = "auto"
    verbosity: int = 0
    max_concurrency: int | None = None
    worker: str = ""
    keep_going: bool = False
    wait: bool = True
    take_over: bool = False
    loaded: tuple[Plan | Net, tuple[Problem, ...]] | None = None
    repairs: RepairTerms | None = None


def run_session(call: Call) -> Exit:
    """Commit the plan, if one is given, and drive the session to its end or to where it rests."""
    current_folder()  # where work runs: without one nothing is committed
    asked = Paste(call.session or "", call.session is not None, call.store or "")
    with (
        opened(call.store, create=call.document is not None) as store,
        pastable(lambda: asked),
        Output(later=True) as out,
    ):
        page = page_on(out, call.colour, verbosity=call.verbosity)
        if call.document is None:
            session = session_of(store, call.session)
            seen = store.last(session)
        else:
            seen = store.last(call.session) if call.session is not None else 0
            told = page if call.form == "text" else page_aside(call.colour, verbosity=-1)
            outcome = commit_file(call.document, store, call.session, call.terms, told, call.loaded, call.store)
            if outcome.committed is None:
                return out.ended(outcome.exit)
            session = outcome.committed.session
        said = call.session is not None or bool(os.environ.get(SESSION))
        at = Chosen(store, session, call.store, said=said)
        with pastable(lambda: at.paste):
            return out.ended(_Run(call, at, seen, page, out).run())


class _Run:
    """seen: the last event that there was before this call."""

    def __init__(self, call: Call, at: Chosen, seen: int, page: Page, out: Output) -> None:
        self.call, self.at, self.seen, self.page, self.out = call, at, seen, page, out
        self.store, self.session = store, session = at.store, at.session
        terminal = out.stream is not None and out.stream.isatty() and os.environ.get("TERM") != "dumb"
        self.live: LiveSession | None = None
        if terminal and call.form == "text" and not page.quiet:
            self.live = LiveSession(self._drawn, lambda: fitted(page.look, sys.stdout), out.write, out.flush)
        self.heard = _Heard(store.last(session))
        self.observers = [self.heard, *self._observers()]

    def run(self) -> Exit:
        sys.path.insert(0, str(current_folder()))  # where `module:function` is looked for, as `python -m` does
        warn_of_unset_secrets(self.at)
        folder = work_folder(self.call.store)
        options = Options(
            max_concurrency=ceiling(self.call.max_concurrency),
            worker=self.call.worker,
            keep_going=self.call.keep_going,
            wait=self.call.wait,
            take_over=self.call.take_over,
            folder=folder,
        )
        mending = Mending(self.at, self.call.repairs, self._catch_up, wait=self.call.wait)
        mending.before(take_over=self.call.take_over)
        outcome = asyncio.run(self._drive(options))
        while mending.after(outcome):
            outcome = asyncio.run(self._drive(options))
        status = self._status(self.store.state(self.session))
        shows = replace(self.at.paste, named=True)("status", "--all")
        self.out.done = f"{self.session} is {status.phase} all the same; {shows} shows it"
        match self.call.form:
            case "text":
                self.page.lines(draw_end(status, self.page.look, self.at.paste))
            case "json":
                self.page.write(status_json(status))
            case _:
                pass
        return exit_of(outcome)

    async def _drive(self, options: Options) -> Outcome:
        from petri_cli.driver.local import local_work

        async with local_work(self.store, self.session, options) as (perform, judge):
            driver = _Attended(self.store, self.session, perform, judge, options, self.observers)
            if self.call.form == "text":
                driver.tell = self._tell
            drawing = None if self.live is None else asyncio.create_task(self.live.keep_drawing())
            try:
                return await driver.run()
            finally:
                if drawing is not None:
                    drawing.cancel()
                    await drawing

    def _catch_up(self) -> None:
        """Tell of what was written while nobody drove."""
        entries = list(shown_log(self.store, self.session, self.heard.seq))
        if entries:
            state = self.store.state(self.session)
            for observer in self.observers:
                observer.committed(entries, state)

    def _tell(self, text: str) -> None:
        if self.live is not None:
            self.live.line([("doubt", text)])
        else:
            self.out.flush()
            say(text)

    def _drawn(self, state: State, look: Look) -> list[Line]:
        return draw_at_work(self._status(state), look, self.at.paste)

    def _waits(self, state: State) -> tuple[Status, list[str]]:
        status = self._status(state)
        return status, waits(status, self.at.paste)

    def _status(self, state: State) -> Status:
        return status_of(self.session, state, now=wall_clock(), alive=state.driver is not None or None)

    def _observers(self) -> Sequence[Observer]:
        if self.call.form == "jsonl":
            return [_JsonLines(self.store, self.session, self.seen, self.page, self.out)]
        if self.call.form == "json" or self.page.quiet:
            return []
        lines = _Lines(self.store.state(self.session), self.page, self.out, self.live)
        if self.live is None:
            return [lines, _Waits(self._waits, self.page, self.out)]
        return [lines, self.live]


class _Attended(SessionDriver):
    """A driver that says what the first Ctrl-C did."""

    tell: Callable[[str], None] | None = None

    def interrupt(self) -> None:
        if self.tell is not None and not self.draining:
            self.tell(DRAINING)
        super().interrupt()


class _Heard:
    """Up to which event the others were told."""

    def __init__(self, seq: int) -> None:
        self.seq = seq

    def committed(self, entries: Sequence[Entry], state: State) -> None:
        self.seq = entries[-1].seq


class _Lines:
    """A line for each event that a person would miss; on a terminal, above what is drawn."""

    def __init__(self, before: State, page: Page, out: Output, live: LiveSession | None) -> None:
        self._narrator = SessionNarrator(before, verbose=page.verbose)
        self._seq = before.seq
        self._page, self._out, self._live = page, out, live

    def committed(self, entries: Sequence[Entry], state: State) -> None:
        for entry in entries:
            line = self._narrator.tell(entry.event) if entry.seq > self._seq else None
            if line is None:
                continue
            if self._live is not None:
                self._live.line(line)
            else:
                self._page.line(line)
        self._out.flush()


class _Waits:
    """A line for what the session waits for, where nothing is drawn that shows it: once, until it is something else."""

    def __init__(self, waits: Callable[[State], tuple[Status, list[str]]], page: Page, out: Output) -> None:
        self._waits = waits
        self._page, self._out = page, out
        self._told: set[str] = set()
        self._asked, self._took = 0.0, 0.0

    def committed(self, entries: Sequence[Entry], state: State) -> None:
        """With ten thousand items a look takes a while: while work goes on, it is not looked each time."""
        begun = time.monotonic()
        busy = any(c.driver and c.stage != "reported" for c in state.claims.values())
        if state.ended is not None or (busy and begun - self._asked < SHARE * self._took):
            return
        status, lines = self._waits(state)
        due = goes_on_at(status)
        told = {}
        for line in lines:
            timed = line.startswith("goes on") and due is not None
            if not timed or (due or 0) - status.now >= TICKS_PER_SECOND:
                told[f"at {due}" if timed else line] = line
        for key, line in told.items():
            if key not in self._told:
                self._page.line([("doubt", line)])
        self._told = set(told)
        self._asked, self._took = time.monotonic(), time.monotonic() - begun
        self._out.flush()


class _JsonLines:
    """The events as they are written, one a line; first those of this call that there were before it drove."""

    def __init__(self, store: EventStore, session: str, seen: int, page: Page, out: Output) -> None:
        self._store, self._session, self._seen = store, session, seen
        self._page, self._out = page, out

    def committed(self, entries: Sequence[Entry], state: State) -> None:
        earlier = shown_log(self._store, self._session, self._seen, entries[0].seq - 1)
        for entry in (*earlier, *entries):
            self._page.write(entry_line(entry))
        self._seen = entries[-1].seq
        self._out.flush()


def ceiling(asked: int | None) -> int | None:
    """How much may be done at once: as much as was asked for, and as this process may open files for."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return asked
    most = max(1, (files - FILES) // FILES_EACH)
    return most if asked is None else min(asked, most)


def exit_of(outcome: Outcome) -> Exit:
    """How the process ends. An interrupted run says by what."""
    if outcome.signal is not None and outcome.state == "suspended":
        return Exit(128 + outcome.signal)
    return EXIT[outcome.state]
