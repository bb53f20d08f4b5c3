"""The driver of a session: claim, execute, report, verify, until nothing is left to do or nothing more can be done.

A step is one commit. It takes in what others wrote, turns what happened here into events, lets control fire, and
claims what can be begun; only after the commit does anything act on it. Between steps the driver waits: for its own
work, for something to be due, for somebody else's commit.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice

from petri_cli.driver import standing
from petri_cli.driver.clocks import Drift
from petri_cli.driver.crew import Crew, Judge, Judged, Message, Perform
from petri_cli.driver.docket import Docket
from petri_cli.driver.due import come_due, look_ahead
from petri_cli.driver.ear import Ear
from petri_cli.driver.ending import Outcome, conclude
from petri_cli.driver.followers import Followers
from petri_cli.driver.mail import read_mail
from petri_cli.driver.masking import masked
from petri_cli.driver.options import Observer, Options
from petri_cli.driver.patience import patiently
from petri_cli.driver.replica import Replica
from petri_cli.driver.signals import handling, to_end
from petri_cli.driver.snapshots import Kept, keep
from petri_cli.driver.strain import Strain, felt
from petri_cli.driver.takeover import abandon, end_left, let_go, orphans, report_on, take, take_back
from petri_cli.driver.verify import LATER
from petri_cli.driver.watch import SteadyWatch
from petri_cli.engine.tokens import to_seconds, to_ticks
from petri_cli.errors import PetriError
from petri_cli.session import events as ev
from petri_cli.session.identity import this_process
from petri_cli.session.state import Claim
from petri_cli.session.store import Entry, EventStore

__all__ = ["Observer", "Options", "SessionDriver"]


class SessionDriver:
    """Drives one session to its end, or to where it must rest. Runs once.

    perform, judge: who does local work and who verifies it. Observers hear of every step once it is committed.
    :meth:`interrupt` and :meth:`close` may be called by signal handlers and from within the loop.
    """

    def __init__(
        self,
        store: EventStore,
        session: str,
        perform: Perform,
        judge: Judge,
        options: Options | None = None,
        observers: Sequence[Observer] = (),
    ) -> None:
        self.store, self.session = store, session
        self.options = options or Options()
        self._followers = Followers(observers)
        self.signal: signal.Signals | None = None
        """What interrupted the run."""
        self.draining = self.closing = False
        self._process, self._id = self.options.process or this_process(), ""
        self._ear, self._closed = Ear(store, session, self.options.poll), asyncio.Event()
        self._crew = Crew(perform, judge, self._ear.rung.set)
        self._strain, self._drift = Strain(self.options.max_concurrency), Drift()
        self._docket, self._held = Docket(), False
        self._outcome: Outcome | None = None
        self._torn: int | None = None
        """Up to which event the replica was right, when a step of it was not committed."""
        self._kept: Kept | None = None

    # From outside

    def drain(self) -> None:
        """Begin nothing new; end when what runs here has ended."""
        self.draining = True
        self._ear.rung.set()

    def close(self) -> None:
        """End what runs here, and end."""
        self.draining = self.closing = True
        self._ear.rung.set()
        self._closed.set()

    def interrupt(self) -> None:
        """Ctrl-C: once drains, twice closes."""
        self.signal = signal.SIGINT
        if self.draining:
            self.close()
        else:
            self.drain()

    def terminate(self, number: signal.Signals = signal.SIGTERM) -> None:
        """What runs is ended at once, and may be begun again later."""
        self.signal = number
        self.close()

    # The loop

    async def run(self) -> Outcome:
        """Drive. Raises PetriError: ``PETRI_SESSION_BUSY``, ``PETRI_SESSION_ENDED``, ``PETRI_NO_PLAN``, and what the
        store cannot do; the session then is as its log says, and nothing of it runs here any more."""
        loop = asyncio.get_running_loop()
        self._watch = SteadyWatch(lambda: to_ticks(loop.time()))
        self._replica = Replica(self.session, self.store.state(self.session), check=self.options.check)
        handlers: dict[signal.Signals, Callable[[], None]] = {s: partial(self.terminate, s) for s in to_end()}
        handlers[signal.SIGINT] = self.interrupt
        with handling(loop, handlers if self.options.signals else {}):
            try:
                await self._take_over()
                while self._outcome is None:
                    await patiently(self._step, self._closed)
                    if self._outcome is None:
                        await self._wait()
            except asyncio.CancelledError:
                self.close()
                if self._outcome is None:
                    await self._step()
                raise
            finally:
                await self._crew.close()
                if self._id and self._outcome is None:
                    abandon(self.store, self.session, self._id)
        return self._outcome

    async def _take_over(self) -> None:
        """Become the driver, and make an end of what an earlier one, which is dead, left running."""
        with self._writing() as now:
            me, o = (self._process, self._worker()), self.options
            self._id, dead = take(self._replica, now, *me, o.alive, take_over=o.take_over)
        left = orphans(self._replica.state, self._id)
        await end_left(left, dead)
        if left:
            with self._writing() as now:
                for claim in orphans(self._replica.state, self._id):
                    if claim.stage == "claimed":  # no process of it was ever told to go
                        self._replica.revoked(now, claim, "its driver died before it began")
                    else:
                        self._replica.lapsed(now, claim, standing.DIED)

    async def _wait(self) -> None:
        """Until something happened here, something is due, or somebody wrote."""
        now, soonest, room = asyncio.get_running_loop().time(), self._watch.soonest(), self._strain.until
        due = [] if soonest is None else [now + to_seconds(soonest)]
        if room is not None and self._held:  # it may have passed since: nothing was begun all the same
            due.append(room)
        await self._ear.listen(min(due, default=None), self._replica.state.seq)

    @contextmanager
    def _writing(self) -> Iterator[int]:
        """One commit: what others wrote is taken in first, the replica's events are appended last."""
        replica = self._replica
        before = replica.state.seq
        with self.store.writing(self.session) as w:
            entries = w.tail(before)
            now = w.now()
            replica.follow(entries, now)
            start = replica.state.seq
            yield now
            events = replica.take()
            if events:
                w.append(events)
        entries = [*entries, *(Entry(start + n, e) for n, e in enumerate(events, 1))]
        with suppress(PetriError):  # it is committed, whatever becomes of a snapshot
            self._kept = keep(self.store, self.session, replica.state, self._kept)
        if entries:
            self._followers.tell(entries, replica.state)

    @contextmanager
    def _all_or_nothing(self) -> Iterator[list[Message]]:
        """The mail of a step. Where the step is not committed, nobody has read it, and nothing has moved here."""
        crew, before = self._crew, self._replica.state.seq
        drift, complaints = self._drift.known, list(self._followers.complaints)
        mail, crew.mail = crew.mail, []
        try:
            yield mail
        except BaseException:
            crew.mail[:0] = mail
            self._drift.known, self._followers.complaints = drift, complaints
            self._torn = before
            raise

    async def _step(self) -> None:
        self._ear.rung.clear()
        self._held = False
        if self._torn is not None:
            state = self.store.state(self.session, self._torn)
            self._replica, self._torn = Replica(self.session, state, check=self.options.check), None
        replica, crew = self._replica, self._crew
        if self.closing:
            await crew.close()
        self._watch.turn()
        going: list[asyncio.Future[None]] = []
        claimed: list[Claim] = []
        with self._all_or_nothing() as mail, self._writing() as now:
            state = replica.state
            if state.driver is None or state.driver.id != self._id:
                await self._dethroned()
            elif not state.final:
                self._note(now)
                going = read_mail(replica, self._feel(mail, now), now, self._worker())
                come_due(replica, now, self._watch, self._id)
                replica.settle(now)
                if self.closing:
                    take_back(replica, now, self._id)
                claimed = self._claim(now)
                look_ahead(replica, now, self._watch, self._id)
            busy = crew.busy + len(claimed) + len(self._to_judge()) > 0 or self._held_up()
            outcome = conclude(
                replica,
                now,
                self._watch,
                self.options,
                busy=busy,
                draining=self.draining,
                interrupted=self.signal,
            )
            if outcome is not None:
                let_go(replica, now, self._id, outcome, closed=self.closing, drained=self.draining)
        self._outcome = outcome
        for go in going:
            if not go.done():
                go.set_result(None)
        for claim in claimed:
            crew.work(replica.job(claim), to_seconds(replica.piece(claim).timeout))
        await self._give_up()
        if self._outcome is None:
            self._begin_to_judge()

    async def _dethroned(self) -> None:
        """Another driver thought this one dead, and took the session."""
        await self._crew.close()
        raise PetriError("PETRI_SESSION_BUSY", f"the session {self.session} was taken over by another driver")

    # Parts of a step

    def _claim(self, now: int) -> list[Claim]:
        """Begin what may begin."""
        replica, options = self._replica, self.options
        if self.draining or replica.state.failed or (not options.keep_going and standing.exhausted(replica)):
            return []
        free = self._room()
        if free:  # what was done is judged first
            free = max(0, free - len(self._to_judge()))
        ready = standing.claimable(replica, now, self._watch, lambda piece: piece.local)
        chosen = list(islice(ready, free))
        worker = self._worker() if chosen else ""
        return [replica.claim(now, p, t, worker=worker or p.worker, driver=self._id) for p, t in chosen]

    def _worker(self) -> str:
        """What the log calls whoever does the work: as was said, but for what the plan calls secret."""
        return masked(self._replica.state, self.options.worker)

    def _room(self) -> int | None:
        """How much more may begin here; None: as much as there is."""
        now = asyncio.get_running_loop().time()
        self._held = self._held or self._strain.waits(now)
        return self._strain.room(self._crew.busy, now)

    def _feel(self, mail: Sequence[Message], now: int) -> list[Message]:
        """``mail`` as it is to be read, after the strain has learned from it what room there is on this machine."""
        mail, warning = felt(self._strain, mail, self._crew.claims, asyncio.get_running_loop().time())
        if warning:
            self._replica.emit(ev.Noted(now, "warning", warning))
        for message in mail:
            if isinstance(message, Judged) and message.verdict.verifier == LATER:
                self._docket.again(message.claim)
        return mail

    def _held_up(self) -> bool:
        """Whether something is to begin here as soon as there is room."""
        self._held = self._held or self._strain.waits(asyncio.get_running_loop().time())
        return self._held and not self.draining

    def _note(self, now: int) -> None:
        """What somebody should know: a clock that jumped, an observer that failed."""
        steady = to_ticks(asyncio.get_running_loop().time())
        clocks = self._drift.said(self.options.wall(), steady, self._replica.state.at)
        for message in (*self._followers.said(), *clocks):
            self._replica.emit(ev.Noted(now, "warning", message))

    async def _give_up(self) -> None:
        """End what goes on here for claims that are no more."""
        gone = [claim for claim in self._crew.claims if claim not in self._replica.state.claims]
        if gone:
            await asyncio.gather(*map(self._crew.give_up, gone))

    def _to_judge(self) -> list[Claim]:
        return [] if self.closing else self._docket.waiting(self._replica.state, self._crew.claims)

    def _begin_to_judge(self) -> None:
        for claim in islice(self._to_judge(), self._room()):  # the others' turn comes when something ends
            self._docket.begun(claim)
            self._crew.judge(self._replica.job(claim), report_on(claim))
