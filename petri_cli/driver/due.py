"""What time brings about in a session: timers, leases that end, attempts that take too long, signs of life."""

from __future__ import annotations

from collections.abc import Hashable

from petri_cli.driver.replica import Replica
from petri_cli.driver.watch import Watch
from petri_cli.engine.tokens import to_seconds
from petri_cli.session.events import Heartbeat, Timer
from petri_cli.session.state import Claim

Time = tuple[Hashable, int, int | None]
"""What is due, when (store time), and how long that is at most."""


def come_due(replica: Replica, now: int, watch: Watch, driver: str = "") -> None:
    """Write down what is due. driver: whose own claims get their heartbeats, as it lives.

    Claims of other drivers are left alone: whoever takes over from a dead one makes an end of its processes first.
    Nothing lapses once it was reported; the worker has done its part.
    """
    for timer in list(replica.state.timers.values()):
        if watch.remaining(*_timer(timer), now) == 0:
            replica.injected(now, timer.place, timer.tokens, timer=timer.id)
    for claim in list(replica.state.claims.values()):
        if claim.stage == "reported":
            continue
        if claim.driver and claim.driver == driver:
            if watch.remaining(*_beat(claim), now) == 0:
                replica.emit(Heartbeat(now, claim.id, now + claim.lease))
        elif not claim.driver:
            if watch.remaining(*_lease(claim), now) == 0:
                replica.lapsed(now, claim, f"its lease ended: nothing was heard of {claim.worker or 'its worker'}")
            elif watch.remaining(*_timeout(replica, claim), now) == 0:
                seconds = to_seconds(replica.piece(claim).timeout)
                replica.lapsed(now, claim, f"timed out after {seconds:g} s")


def look_ahead(replica: Replica, now: int, watch: Watch, driver: str) -> None:
    """Ask ``watch`` for everything that is to come, so that it knows what comes first."""
    for timer in replica.state.timers.values():
        watch.remaining(*_timer(timer), now)
    for claim in replica.state.claims.values():
        if claim.stage != "reported" and claim.driver == driver:
            watch.remaining(*_beat(claim), now)
        elif claim.stage != "reported" and not claim.driver:
            watch.remaining(*_lease(claim), now)
            watch.remaining(*_timeout(replica, claim), now)


def _timer(timer: Timer) -> Time:
    return ("timer", timer.id), timer.due, None


def _beat(claim: Claim) -> Time:
    """A lease is renewed when a third of it is over."""
    third = claim.lease // 3
    return ("beat", claim.id), claim.expires - 2 * third, third


def _lease(claim: Claim) -> Time:
    return ("lease", claim.id), claim.expires, claim.lease


def _timeout(replica: Replica, claim: Claim) -> Time:
    timeout = replica.piece(claim).timeout
    return ("timeout", claim.id), claim.at + timeout, timeout
