"""What time brings about in a session: timers, leases that end, attempts that take too long, signs of life."""

from __future__ import annotations

from petri_cli.driver.replica import Replica
from petri_cli.driver.watch import Watch
from petri_cli.engine.tokens import to_seconds
from petri_cli.session.events import Heartbeat
from petri_cli.session.state import Claim


def come_due(replica: Replica, now: int, watch: Watch, driver: str = "") -> None:
    """Write down what is due. driver: whose own claims get their heartbeats, as it lives.

    Claims of other drivers are left alone: whoever takes over from a dead one makes an end of its processes first.
    Nothing lapses once it was reported; the worker has done its part.
    """
    for timer in list(replica.state.timers.values()):
        if watch.remaining(("timer", timer.id), timer.due, now) == 0:
            replica.injected(now, timer.place, timer.tokens, timer=timer.id)
    for claim in list(replica.state.claims.values()):
        if claim.stage == "reported":
            continue
        if not claim.driver:
            _pulled(replica, now, watch, claim)
        elif claim.driver == driver:
            third = claim.lease // 3
            if watch.remaining(("beat", claim.id), claim.expires - 2 * third, now, third) == 0:
                replica.emit(Heartbeat(now, claim.id, now + claim.lease))


def _pulled(replica: Replica, now: int, watch: Watch, claim: Claim) -> None:
    timeout = replica.piece(claim).timeout
    if watch.remaining(("lease", claim.id), claim.expires, now, claim.lease) == 0:
        replica.lapsed(now, claim, f"its lease ended: nothing was heard of {claim.worker or 'its worker'}")
    elif watch.remaining(("timeout", claim.id), claim.at + timeout, now, timeout) == 0:
        replica.lapsed(now, claim, f"timed out after {to_seconds(timeout):g} s")
