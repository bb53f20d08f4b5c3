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
from petri_cli.driver.clocks import JUMP, clock_trouble
from petri_cli.driver.crew import Begun, Crew, Finished, Judge, Judged, Message, NotBegun, Perform
from petri_cli.driver.due import come_due, look_ahead
from petri_cli.driver.ending import Outcome, conclude
from petri_cli.driver.mail import read_mail
from petri_cli.driver.masking import masked
from petri_cli.driver.options import Observer, Options
from petri_cli.driver.process import Ended
from petri_cli.driver.replica import Replica
from petri_cli.driver.signals import handling, to_end
from petri_cli.driver.snapshots import Kept, keep
from petri_cli.driver.strain import Strain
from petri_cli.driver.takeover import abandon, end_left, let_go, orphans, report_on, take
from petri_cli.driver.verify import LATER
from petri_cli.driver.watch import SteadyWatch
from petri_cli.engine.tokens import to_seconds, to_ticks
from petri_cli.errors import PetriError
from petri_cli.session import events as ev
from petri_cli.session.identity import this_process
from petri_cli.session.state import Claim
from petri_cli.session.store import Entry, EventStore

__all__ = ["Observer", "Options", "SessionDriver"]

PATIENCE = (1.0, 2.0, 4.0, 8.0, 15.0)
"""Seconds between the attempts at a commit while the store has no room, or no turn for us."""
PASSING = ("PETRI_STORE_FULL", "PETRI_STORE_BUSY")
"""What a store says that may be over in a moment, and that it has written nothing."""


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
        self.store = store
        self.session = session
        self.options = options or Options()
        self._observers = list(observers)
        self.signal: signal.Signals | None = None
        """What interrupted the run."""
        self.draining = False
        self.closing = False
        self._process = self.options.process or this_process()
        self._id = ""
        self._rung = asyncio.Event()
        self._closed = asyncio.Event()
        self._crew = Crew(perform, judge, self._rung.set)
        self._strain = Strain(self.options.max_concurrency)
        self._judged: dict[str, bool | None] = {}
        """Claim → what a person had said of it when it was last given to the judge."""
        self._outcome: Outcome | None = None
        self._seen = -1
        self._torn: int | None = None
        """Up to which event the replica was right, when a step of it was not committed."""
        self._drift: int | None = None
        self._kept: Kept | None = None
        self._complaints: list[str] = []

    # From outside

    def drain(self) -> None:
        """Begin nothing new; end when what runs here has ended."""
        self.draining = True
        self._rung.set()

    def close(self) -> None:
        """End what runs here, and end."""
        self.draining = self.closing = True
        self._rung.set()
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
                    await self._patient_step()
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
            options, worker = self.options, self._worker()
            taken = take(self._replica, now, self._process, worker, options.alive, take_over=options.take_over)
            self._id, dead = taken
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
        loop = asyncio.get_running_loop()
        soonest = self._watch.soonest()
        until = None if soonest is None else loop.time() + to_seconds(soonest)
        if self._strain.until is not None and self._strain.waits(loop.time()):
            until = self._strain.until if until is None else min(until, self._strain.until)
        while not self._rung.is_set():
            pause = self.options.poll if until is None else min(self.options.poll, until - loop.time())
            with suppress(TimeoutError):
                await asyncio.wait_for(self._rung.wait(), max(0.0, pause))
            if until is not None and loop.time() >= until:
                break
            if (changed := self.store.changed()) != self._seen:
                self._seen = changed
                if self.store.last(self.session) != self._replica.state.seq:
                    break

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
            self._tell(entries)

    def _tell(self, entries: Sequence[Entry]) -> None:
        """An observer that fails is not asked to follow any longer; the work goes on."""
        for observer in list(self._observers):
            try:
                observer.committed(entries, self._replica.state)
            except Exception as error:
                self._observers.remove(observer)
                self._complaints.append(f"nobody follows any more: {type(error).__name__}: {error}")

    async def _patient_step(self) -> None:
        """A step, tried again for some time where the store may soon have room for it. What runs here goes on."""
        for pause in PATIENCE:
            try:
                await self._step()
            except PetriError as error:
                if error.code not in PASSING or self.closing:
                    raise
            else:
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._closed.wait(), pause)
        await self._step()

    @contextmanager
    def _all_or_nothing(self) -> Iterator[list[Message]]:
        """The mail of a step. Where the step is not committed, nobody has read it, and nothing has moved here."""
        crew, before = self._crew, self._replica.state.seq
        drift, complaints = self._drift, list(self._complaints)
        mail, crew.mail = crew.mail, []
        try:
            yield mail
        except BaseException:
            crew.mail[:0] = mail
            self._drift, self._complaints = drift, complaints
            self._torn = before
            raise

    async def _step(self) -> None:
        self._rung.clear()
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
                    self._take_back(now)
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
        stopped = self.draining or replica.state.failed or (not options.keep_going and standing.exhausted(replica))
        if stopped:
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
        return self._strain.room(self._crew.busy, asyncio.get_running_loop().time())

    def _feel(self, mail: Sequence[Message], now: int) -> list[Message]:
        """What ``mail`` tells of the room on this machine; and the mail. What can never begin has failed."""
        strain = self._strain
        for message in mail:
            if isinstance(message, Begun):
                strain.begun()
            elif isinstance(message, Finished):
                strain.ended()
        later = [m for m in mail if isinstance(m, Judged) and m.verdict.verifier == LATER]
        turned_away = {m.claim: m.why for m in mail if isinstance(m, NotBegun)}
        turned_away |= {m.claim: m.verdict.reason for m in later}
        if turned_away:
            if strain.limit is None:
                why = next(iter(turned_away.values()))
                self._replica.emit(ev.Noted(now, "warning", f"{why}: what there is no room for is begun later"))
            busy = len({*self._crew.claims} - turned_away.keys())
            strain.full(busy, asyncio.get_running_loop().time())
        for message in later:
            self._judged.pop(message.claim, None)
        if not strain.hopeless:
            return list(mail)
        return [Finished(m.claim, Ended(None, error=m.why)) if isinstance(m, NotBegun) else m for m in mail]

    def _held_up(self) -> bool:
        """Whether something is to begin here as soon as there is room."""
        return not self.draining and self._strain.waits(asyncio.get_running_loop().time())

    def _take_back(self, now: int) -> None:
        """What was ended here, by us, is to be begun again some other time."""
        for claim in list(self._replica.state.claims.values()):
            if claim.driver == self._id and claim.stage != "reported":
                self._replica.revoked(now, claim, "its driver was interrupted")

    def _note(self, now: int) -> None:
        """What somebody should know: a clock that jumped, an observer that failed."""
        for complaint in self._complaints:
            self._replica.emit(ev.Noted(now, "warning", complaint))
        self._complaints.clear()
        drift = self.options.wall() - to_ticks(asyncio.get_running_loop().time())
        if self._drift is not None and abs(drift - self._drift) > JUMP:
            seconds = to_seconds(drift - self._drift)
            way = "ahead" if seconds > 0 else "back"
            message = f"the clock jumped {abs(seconds):.0f} s {way}; leases and delays go by a clock that does not"
            self._replica.emit(ev.Noted(now, "warning", message))
            self._drift = drift
        elif self._drift is None:
            self._drift = drift
            if trouble := clock_trouble(self._replica.state.at - self.options.wall()):
                self._replica.emit(ev.Noted(now, "warning", trouble))

    async def _give_up(self) -> None:
        """End what goes on here for claims that are no more."""
        gone = [claim for claim in self._crew.claims if claim not in self._replica.state.claims]
        if gone:
            await asyncio.gather(*map(self._crew.give_up, gone))

    def _to_judge(self) -> list[Claim]:
        """Reports that nobody has verified, and those on which a person has spoken since."""
        running = set(self._crew.claims)
        return [
            c
            for c in self._replica.state.claims.values()
            if c.stage == "reported"
            and c.id not in running
            and not self.closing
            and self._judged.get(c.id, "never") != c.approval
        ]

    def _begin_to_judge(self) -> None:
        for claim in islice(self._to_judge(), self._room()):  # the others' turn comes when something ends
            self._judged[claim.id] = claim.approval
            self._crew.judge(self._replica.job(claim), report_on(claim))
