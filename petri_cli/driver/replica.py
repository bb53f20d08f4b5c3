"""A session at work: the state that its log folds to, and the scheduler that stands where that state stands.

Both move together, one event at a time: what the scheduler does becomes an event, and that event is folded. A claim is
a firing that has begun; ``Verified`` is its completion, ``Refused``, ``Lapsed`` and ``Revoked`` return what it took.
Nothing here waits, and nothing is written: whoever owns a replica appends the events that :meth:`Replica.take` gives,
in the same ``writing`` block in which they came about.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from typing import Any

from petri_cli.driver.capture import load_result
from petri_cli.driver.commands import Job
from petri_cli.driver.control import control_actions
from petri_cli.driver.course import Course
from petri_cli.driver.decisions import ByResults
from petri_cli.driver.found import Unfit, items_found
from petri_cli.driver.masking import masked_event, redactor_of
from petri_cli.driver.pieces import Piece
from petri_cli.driver.results import Results
from petri_cli.driver.retry import retry_delay
from petri_cli.driver.threads import Thread
from petri_cli.engine.actions import ActionContext
from petri_cli.engine.checkpoint import Checkpoint
from petri_cli.engine.events import TokensByPlace
from petri_cli.engine.firings import RETURNED, Completion, Failed, Firing, in_flight_firing
from petri_cli.engine.scheduler import Scheduler
from petri_cli.engine.tokens import Token, as_tokens, stamped, to_ticks
from petri_cli.errors import PetriError
from petri_cli.plan.model import Foreach
from petri_cli.session import events as ev
from petri_cli.session.fold import apply
from petri_cli.session.state import Claim, State
from petri_cli.session.store import Entry

Arriving = Iterable[tuple[str, Token]]
"""(place, token) from outside."""

MOVES_NOTHING = (
    ev.Heartbeat,
    ev.Reported,
    ev.ReportRefused,
    ev.Approved,
    ev.Noted,
    ev.WorkStarted,
    ev.DriverStarted,
    ev.DriverEnded,
)


class Replica:
    """The state of a session and its scheduler. ``state`` is changed in place and belongs to the replica.

    check: compare both after every event (for tests). Raises PetriError ``PETRI_NO_PLAN`` when none was committed.
    """

    def __init__(self, session: str, state: State, *, check: bool = False) -> None:
        self.session = session
        self.state = state
        self._check = check
        self.pending: list[ev.SessionEvent] = []
        """Events that are not written yet."""
        self._now = state.at
        self._timers: list[ev.Timer] = []
        self._notes: list[str] = []
        self._firing: dict[str, int] = {}
        """Claim → its firing."""
        self._found: Sequence[Any] = ()
        self._rebuild()

    def _rebuild(self) -> None:
        """A scheduler that stands where the log does."""
        state = self.state
        if state.plan is None:
            hint = "commit one: petri plan FILE"
            raise PetriError("PETRI_NO_PLAN", f"no plan was committed to the session {self.session}", hint=hint)
        self.course = Course.of(state.plan.text, state.plan.file, state.plan.format)
        plan, lowered = self.course.plan, self.course.lowered
        self._redactor = redactor_of(state)
        self._known = Results(plan, state.results, state.widths, load_result, state.in_files)
        decider = ByResults(plan, self._known, lambda foreach, thread: self._found, self._notes.append)
        self._actions = control_actions(plan, lowered, decider, self)
        in_flight = []
        self._firing = {}
        for n, claim in enumerate(state.claims.values(), 1):
            self._firing[claim.id] = n
            in_flight.append(in_flight_firing(n, claim.transition, claim.consumed, started_at=claim.at))
        marking = {p: tuple(tokens) for p, tokens in state.marking.items()}
        point = Checkpoint(now=self._now, marking=marking, in_flight=tuple(in_flight))
        self.scheduler = Scheduler.restore(self.course.compiled, point, events=False)
        self.scheduler.hold(self.course.pieces)
        if state.failed or state.final:
            self.scheduler.stop()

    # The log

    def follow(self, entries: Iterable[Entry], now: int) -> None:
        """Take in what others committed."""
        self._now = now
        moved = False
        for entry in entries:
            event = entry.event
            apply(self.state, event)
            if isinstance(event, MOVES_NOTHING) or moved:
                continue
            moved = not (isinstance(event, ev.Claimed) and self._begin(event.claim, event.transition, event.thread))
        if moved:
            self._rebuild()
        self.verify_marking()

    def emit(self, event: ev.SessionEvent) -> None:
        """Fold an event that is to be written, without what this process knows to be secret, whoever said it first."""
        if self._redactor.knows:
            event = masked_event(event, self._redactor)
        apply(self.state, event)
        self.pending.append(event)

    def take(self) -> list[ev.SessionEvent]:
        """The events since the last call, to be appended."""
        events, self.pending = self.pending, []
        return events

    def verify_marking(self) -> None:
        """Raises AssertionError when scheduler and log disagree (asked for by ``check``)."""
        if self._check:
            folded = {p: tuple(tokens) for p, tokens in self.state.marking.items()}
            if folded != self.scheduler.marking():
                raise AssertionError(f"the log says {folded}, the scheduler {self.scheduler.marking()}")
            if {*self._firing} != {*self.state.claims} or len(self.scheduler.in_flight) != len(self._firing):
                raise AssertionError("the claims of the log are not the firings in flight")

    # Control

    def settle(self, now: int, completions: Iterable[tuple[int, Completion]] = (), injections: Arriving = ()) -> None:
        """Fire control until it comes to rest, after what is given."""
        self._now = now
        while firings := self.scheduler.cycle(now, completions, injections):
            injections = ()
            completions = [(firing.id, self._control(firing)) for firing in firings]
        self.verify_marking()

    def _control(self, firing: Firing) -> Completion:
        try:
            produced = self._act(firing)
        except Exception as error:
            code = error.code if isinstance(error, PetriError) else type(error).__name__
            hint = f" ({error.hint})" if isinstance(error, PetriError) and error.hint else ""
            message = f"{error.message}{hint}" if isinstance(error, PetriError) else str(error)
            self.emit(ev.FiringFailed(self._now, firing.transition, firing.consumed, code, message))
            self.scheduler.stop()
            return Failed(code, message)
        timers, note = tuple(self._timers), "; ".join(self._notes)
        self.emit(ev.Fired(self._now, firing.transition, firing.consumed, produced, timers, note))
        return dict(produced)

    def _act(self, firing: Firing) -> TokensByPlace:
        self._timers.clear()
        self._notes.clear()
        places = self.course.compiled.transitions[firing.ordinal].rule.places
        ctx = ActionContext(firing, places, self)
        ctx.add_returned(self._actions[firing.transition](ctx))
        outputs = {p: as_tokens(list(values), self._now) for p, values in ctx.outputs.items() if values}
        return {p: tuple(map(self._as_logged, tokens)) for p, tokens in outputs.items()}

    def _as_logged(self, token: Token) -> Token:
        """``token`` as a reader of the log will see it: a tuple has become a list, a key a string, a secret ``***``."""
        if token.value is None:
            return token
        value = json.loads(json.dumps(token.value))
        return Token(self._redactor.value(value) if self._redactor.knows else value, token.created_at, token.name)

    # What control asks of its surroundings (Host and Alarm)

    def after(self, seconds: float, place: str, tokens: Sequence[Token]) -> None:
        number = f"{self.state.seq + 1}.{len(self._timers) + 1}"
        self._timers.append(ev.Timer(number, self._now + to_ticks(seconds), place, tuple(tokens)))

    def log(self, firing: Firing, level: str, message: str) -> None:
        self._notes.append(message)

    def fresh_name(self, firing: Firing) -> str:
        return self.scheduler.fresh_name(firing.transition)

    def sleep(self, seconds: float) -> Awaitable[None]:
        raise NotImplementedError("control fires at once")

    # Work

    def piece(self, claim: Claim) -> Piece:
        return self.course.pieces[claim.transition]

    def job(self, claim: Claim) -> Job:
        """What is to be done for a claim."""
        (tokens,) = claim.consumed.values()
        thread = Thread.of(tokens[0])
        piece = self.piece(claim)
        lookup = self._known.at(piece.node, thread)
        return Job(self.course.plan, piece.node, self.session, claim.id, claim.attempt, thread, lookup)

    def claim(
        self, now: int, piece: Piece, token: Token, *, worker: str = "", driver: str = "", lease: int | None = None
    ) -> Claim:
        """Begin the work that ``token`` stands for, which waits in the entry of ``piece``."""
        thread = Thread.of(token)
        work = piece.transition, thread.name, thread.rounds
        known = self.state.attempts.get(work)
        attempt = 1 if known is None else known.begun + 1
        claim = f"c{self.state.claims_made + 1}"
        term = piece.lease if lease is None else lease
        self.emit(
            ev.Claimed(
                now,
                claim,
                piece.transition,
                piece.key,
                {piece.entry: (token,)},
                attempt,
                term,
                now + term,
                thread.name,
                thread.rounds,
                worker,
                driver,
            )
        )
        if not self._begin(claim, piece.transition, thread.name):
            raise AssertionError(f"{piece.transition} is not enabled for {thread.name!r}")
        self.verify_marking()
        return self.state.claims[claim]

    def _begin(self, claim: str, transition: str, thread: str) -> bool:
        if transition not in self.course.pieces:
            return False
        firing = self.scheduler.claim(self._now, transition, thread)
        if firing is not None:
            self._firing[claim] = firing.id
        return firing is not None

    def verified(self, now: int, claim: Claim, verifier: str, evidence: Mapping[str, Any]) -> None:
        """The verifier passed it: its tokens go on, unless the result cannot be what was asked for."""
        self._now = now
        firing = self.scheduler.in_flight[self._firing[claim.id]]
        try:
            produced = self._passed(claim, firing)
        except Unfit as why:
            self.refused(now, claim, str(why), verifier, evidence)
            return
        self.emit(ev.Verified(now, claim.id, produced, verifier, evidence))
        self._over(claim, dict(produced))

    def _passed(self, claim: Claim, firing: Firing) -> TokensByPlace:
        node = self.piece(claim).node
        if not isinstance(node, Foreach):
            return self._act(firing)
        self._found = items_found(node, claim.report)
        try:
            return self._act(firing)
        finally:
            self._found = ()

    def refused(
        self, now: int, claim: Claim, reason: str, verifier: str = "", evidence: Mapping[str, Any] | None = None
    ) -> None:
        """The verifier did not pass it: one attempt is burnt."""
        self.emit(ev.Refused(now, claim.id, reason, verifier, self._retry_at(now, claim), evidence or {}))
        self._over(claim, RETURNED)

    def lapsed(self, now: int, claim: Claim, reason: str) -> None:
        """Nobody holds it any more: one attempt is burnt."""
        self.emit(ev.Lapsed(now, claim.id, reason, self._retry_at(now, claim)))
        self._over(claim, RETURNED)

    def revoked(self, now: int, claim: Claim, reason: str) -> None:
        """It is taken back; no attempt is burnt."""
        self.emit(ev.Revoked(now, claim.id, reason))
        self._over(claim, RETURNED)

    def injected(self, now: int, place: str, tokens: Sequence[Token], *, timer: str = "", by: str = "") -> None:
        """Tokens come from outside."""
        dated = tuple(stamped(t, now) for t in tokens)
        self.emit(ev.Injected(now, place, dated, timer, by))
        self.settle(now, (), [(place, t) for t in dated])

    def _over(self, claim: Claim, completion: Completion) -> None:
        self.settle(self.state.at, [(self._firing.pop(claim.id), completion)])

    def _retry_at(self, now: int, claim: Claim) -> int | None:
        """When the next attempt may be made; None: at once, or never."""
        piece, begun = self.piece(claim), self.state.attempts[claim.work].begun
        delay = to_ticks(retry_delay(piece.retry, begun + 1, claim.id))
        return now + delay if delay and begun < piece.attempts else None
