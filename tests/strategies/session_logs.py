"""Logs that fit: made by a small model of a session at work, which keeps its own account of tokens, units and claims.

The model is a net of two guards around work, one of them over a quota, with work in a loop that waits, a failing
control transition, outside events, new revisions and all ends. It knows nothing of the fold.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

from petri_cli.engine.tokens import Token
from petri_cli.session import events as ev
from petri_cli.session.plan_text import plan_hash

UNITS = {"r.slots": 3, "r.calls": 2}
PROCESS = ev.Process(4711, 99, "boot", "host", 4711, "ns")


@dataclass
class Held:
    """A claim: its work, where its token came from, how far it is."""

    name: str
    thread: str
    rounds: tuple[int, ...]
    token: Token
    stage: str = "claimed"
    approved: bool | None = None


@dataclass
class Model:
    rng: random.Random
    at: int = 1_000
    events: list[ev.SessionEvent] = field(default_factory=list)
    places: dict[str, list[Token]] = field(default_factory=dict)
    claims: dict[str, Held] = field(default_factory=dict)
    begun: dict[tuple[str, tuple[int, ...]], int] = field(default_factory=dict)
    timers: dict[str, ev.Timer] = field(default_factory=dict)
    blocks: dict[tuple[str, str], ev.Holding] = field(default_factory=dict)
    driver: str = ""
    revision: int = 0
    number: int = 0
    over: bool = False
    repairs: int = 0
    waiting_repair: str = ""
    repair_holds: bool = False

    def say(self, kind: Callable[..., ev.SessionEvent], *values: Any, **more: Any) -> None:
        self.at += self.rng.choice((0, 0, 1, 1_000))
        self.events.append(kind(self.at, *values, **more))

    def next(self) -> int:
        self.number += 1
        return self.number

    def value(self) -> Any:
        return self.rng.choice((None, 1, -2.5, "ä", True, [1, {"a": None}], {"rounds": [1, 2], "": ""}))

    # Moves: each says whether it was possible.

    def begin(self) -> None:
        self.say(ev.SessionCreated, "demo", self.rng.choice(("", "show it")), "0.1")
        self.revise()

    def revise(self) -> bool:
        """A new revision: threads that wait go on, or new ones come; everything else is moved as it is."""
        self.revision += 1
        self.waiting_repair, self.repair_holds = "", False
        kept: dict[str, list[Token]] = dict(self.places)
        if self.revision == 1:
            kept = {r: [Token(None, self.at)] * n for r, n in UNITS.items()}
        kept["p.start"] = [Token(self.value(), self.at, f"{self.revision}/{k}") for k in range(self.rng.randint(1, 4))]
        self.places = {p: ts for p, ts in kept.items() if ts}
        changed = ("t.work", "t.gone") if self.rng.random() < 0.5 and not self.claims else ()
        if changed:
            self.begun.clear()
        marking = {p: tuple(t) for p, t in self.places.items()}
        self.say(
            ev.RevisionCommitted, self.revision, "yaml", "flow: …\n", plan_hash("flow: …\n"), marking,
            kept={"work": [c.thread for c in self.claims.values()] + [""]},
            moved={c.name: {"p.body": (c.token,)} for c in self.claims.values()},
            changed=changed, holdings=tuple(self.blocks.values()), timers=tuple(self.timers.values()),
            evidence=self.rng.choice(({}, {"by": "safe"})), accepted_unknown=self.rng.random() < 0.2,
        )  # fmt: skip
        return True

    def drive(self) -> bool:
        if self.driver:
            self.say(ev.DriverEnded, self.driver, self.rng.choice(("ended", "died")))
            self.driver = ""
        else:
            self.driver = f"d{self.next()}"
            self.say(ev.DriverStarted, self.driver, PROCESS, self.rng.choice(("", "me")))
        return True

    def acquire(self) -> bool:
        guard, resource = self.rng.choice((("lock", "r.slots"), ("rate", "r.calls")))
        waiting, free = self.places.get("p.start", []), self.places.get(resource, [])
        n = self.rng.randint(1, UNITS[resource])
        if not waiting or len(free) < n:
            return False
        token = waiting.pop(self.rng.randrange(len(waiting)) if self.rng.random() < 0.3 else 0)
        units, self.places[resource] = free[:n], free[n:]
        timers: tuple[ev.Timer, ...] = ()
        if guard == "rate":
            timers = (ev.Timer(f"{self.next()}.1", self.at + 60, resource, (Token(),) * n),)
            self.timers.update((t.id, t) for t in timers)
        body = Token(token.value, token.created_at + 1, token.name)
        self.places.setdefault("p.body", []).append(body)
        consumed = {"p.start": (token,), resource: tuple(units)}
        name = f"t.guard.{guard}.acquire"
        self.say(ev.Fired, name, consumed, {"p.body": (body,)}, timers, self.rng.choice(("", "look")))
        if guard == "lock":
            held = ev.Holding(name, token.name, self.at, {resource: n})
            self.blocks["t.guard.lock", token.name] = held
        return True

    def release(self) -> bool:
        done = self.places.get("p.done", [])
        if not done:
            return False
        token = done.pop(0)
        held = self.blocks.pop(("t.guard.lock", token.name), None)
        guard = "rate" if held is None else "lock"
        back = {} if held is None else {p: (Token(None, self.at),) * n for p, n in held.units.items()}
        end = Token(None, self.at, token.name)
        self.say(ev.Fired, f"t.guard.{guard}.release", {"p.done": (token,)}, {"p.end": (end,), **back})
        self.places.setdefault("p.end", []).append(end)
        for place, units in back.items():
            self.places.setdefault(place, []).extend(units)
        return True

    def wait(self) -> bool:
        """A loop's delay: a token goes, another one comes with time."""
        body = self.places.get("p.body", [])
        if not body:
            return False
        token = body.pop(0)
        back = Token({"rounds": [self.next()]}, self.at, token.name)
        timer = ev.Timer(f"{self.next()}.1", self.at + 5, "p.body", (back,))
        self.timers[timer.id] = timer
        self.say(ev.Fired, "t.loop.again.wait", {"p.body": (token,)}, {}, (timer,))
        return True

    def discover(self) -> bool:
        """A foreach finds its items."""
        waiting = self.places.get("p.start", [])
        if not waiting:
            return False
        token = waiting.pop(0)
        items = tuple(Token(k, self.at, f"{token.name}/{k}") for k in range(self.rng.randrange(3)))
        self.say(ev.Fired, "t.foreach.each.discover", {"p.start": (token,)}, {"p.foreach.each.body": items})
        self.places.setdefault("p.foreach.each.body", []).extend(items)
        return True

    def fail(self) -> bool:
        ends = self.places.get("p.end", [])
        if not ends:
            return False
        self.say(ev.FiringFailed, "t.loop.again.exit", {"p.end": (ends.pop(0),)}, "ValueError", "no")
        return True

    def claim(self) -> bool:
        body = self.places.get("p.body", [])
        if not body:
            return False
        token = body.pop(self.rng.randrange(len(body)))
        rounds = tuple(token.value["rounds"]) if isinstance(token.value, dict) else ()
        held = Held(f"c{self.next()}", token.name, rounds, token)
        self.claims[held.name] = held
        attempt = self.begun.get((held.thread, rounds), 0) + 1
        self.begun[held.thread, rounds] = attempt
        consumed = {"p.body": (token,)}
        self.say(
            ev.Claimed, held.name, "t.work", "work", consumed, attempt, 60, self.at + 60, held.thread, rounds,
            self.rng.choice(("", "shell")), self.driver,
        )  # fmt: skip
        return True

    def work(self) -> bool:
        """One step of one claim."""
        if not self.claims:
            return False
        held = self.rng.choice(list(self.claims.values()))
        match self.rng.randrange(7), held.stage:
            case 0, _:
                self.say(ev.Heartbeat, held.name, self.at + 90)
            case 1, _:
                self.end(held, ev.Revoked, "taken back")
                key = held.thread, held.rounds
                self.begun[key] -= 1
            case 2, "claimed":
                held.stage = "started"
                self.say(ev.WorkStarted, held.name, PROCESS)
            case 2 | 3, "claimed" | "started":
                held.stage = "reported"
                file = {"output": {"path": "o", "size": 5, "sha256": "00"}} if self.rng.random() < 0.3 else {}
                output = None if file else self.value()
                self.say(ev.Reported, held.name, output, self.rng.choice((None, 0, -9)), file, "", "w")
            case 4, "claimed" | "started":
                self.end(held, ev.Lapsed, "its lease ended", self.rng.choice((None, self.at + 7)))
            case 4, "reported":
                held.approved = self.rng.random() < 0.7
                self.say(ev.Approved, held.name, held.approved, "boss", "hm")
            case 5, "reported":
                self.end(held, ev.Refused, "no", "exit-code", None, {"status": 1})
            case 6, "reported" if held.approved is not False:
                del self.claims[held.name]
                self.begun.pop((held.thread, held.rounds), None)
                done = Token(held.token.value, self.at, held.thread)
                self.say(ev.Verified, held.name, {"p.done": (done,)}, "exit-code")
                self.places.setdefault("p.done", []).append(done)
            case _:
                return False
        return True

    def end(self, held: Held, kind: Callable[..., ev.SessionEvent], *values: Any) -> None:
        """The token of a claim goes back to where it was."""
        del self.claims[held.name]
        self.places.setdefault("p.body", []).insert(0, held.token)
        self.say(kind, held.name, *values)

    def due(self) -> bool:
        if not self.timers:
            return False
        timer = self.timers.pop(self.rng.choice(list(self.timers)))
        self.say(ev.Injected, timer.place, timer.tokens, timer.id)
        self.places.setdefault(timer.place, []).extend(timer.tokens)
        return True

    def tell(self) -> bool:
        match self.rng.randrange(3):
            case 0:
                self.say(ev.Noted, "warning", "the clock jumped")
            case 1:
                self.say(ev.ReportRefused, "c0", "it has lapsed", self.value(), "w")
            case _:
                token = Token(self.value(), self.at, self.rng.choice(("", "1/0")))
                self.say(ev.Injected, "p.event", (token,), by="somebody")
                self.places.setdefault("p.event", []).append(token)
        return True

    def repair(self) -> bool:
        """One is proposed, or the one that waits is decided on."""
        if not self.revision:
            return False
        if self.waiting_repair:
            accepted = self.rng.random() < 0.3
            self.say(ev.RepairDecided, self.waiting_repair, accepted, "so it was said", self.rng.choice(("", "me")))
            self.repair_holds = accepted
            self.waiting_repair = ""
        elif not self.repair_holds:
            self.repairs += 1
            self.waiting_repair = f"r{self.repairs}"
            died = {"state": "deadlocked", "why": "`work` had all its attempts", "missing": [], "deadlockExample": {}}
            change = {"kind": "maxAttempts", "target": "t.work", "current": 1, "suggested": 2}
            plan = ("flow: …\n", "yaml", "plan.yaml", (change,), "SOUND", "structure", "", {"before": 1.0})
            self.say(
                ev.RepairProposed, self.waiting_repair, self.revision, "adaptive", died, *plan, {"name": "a model"}
            )
        else:
            return False
        return True

    def rest(self) -> bool:
        missing = self.rng.choice(((), ("`work` had all its attempts",)))
        self.say(ev.Ended, self.rng.choice(("failed", "deadlocked", "suspended")), "so it is", missing)
        return True

    def finish(self) -> None:
        if self.rng.random() < 0.5 and not self.claims:
            self.say(ev.Ended, "completed")
        else:
            for held in list(self.claims.values()):
                self.end(held, ev.Revoked, "the session was cancelled")
            units: dict[str, int] = {}
            for holding in self.blocks.values():
                for place, n in holding.units.items():
                    units[place] = units.get(place, 0) + n
            for timer in self.timers.values():
                if timer.place in UNITS:
                    units[timer.place] = units.get(timer.place, 0) + len(timer.tokens)
            back = {place: (Token(None, self.at),) * n for place, n in units.items()}
            self.say(ev.Ended, "cancelled", "enough", (), back, "me")
        self.say(ev.ReportRefused, "c0", "the session is over")
        if self.driver:
            self.say(ev.DriverEnded, self.driver)
        self.say(ev.Noted, "info", "a late word")


MOVES = (
    *[Model.acquire] * 4, *[Model.release] * 4, Model.wait, Model.discover, Model.fail, *[Model.claim] * 4,
    *[Model.work] * 12,
    *[Model.due] * 2, Model.tell, Model.drive, Model.rest, Model.revise,
    Model.repair,
)  # fmt: skip


def session_log(seed: int, length: int, *, final: bool = True) -> list[ev.SessionEvent]:
    """A log of some ``length`` events; final: with an end after which nothing happens."""
    model = Model(random.Random(seed))  # noqa: S311 (a test)
    model.begin()
    while len(model.events) < length:
        model.rng.choice(MOVES)(model)
    if final:
        model.finish()
    return model.events


session_logs = st.builds(session_log, st.integers(0, 2**32), st.integers(2, 120), final=st.booleans())
