"""What a session waits for, and what a person may do about it: a line each."""

from __future__ import annotations

from dataclasses import replace

from petri_cli.driver.status import ClaimRow, Status
from petri_cli.engine.tokens import to_seconds
from petri_cli.plan.lower import resource_place
from petri_cli.render.look import KEEP
from petri_cli.render.pasting import Paste
from petri_cli.render.phrase import listed
from petri_cli.render.run_lines import seconds
from petri_cli.session.state import RESOURCE

MOST = 3
"""Names in a line; what is more is counted."""


def waits(s: Status, paste: Paste | None = None) -> list[str]:
    """People and workers first; time only where nothing else is going on here. paste: how commands are written."""
    paste = replace(paste or Paste(s.session), blank=KEEP)
    if s.state.ended not in (None, "suspended") or s.plan is None:
        return []
    offered = [r.task for r in s.tasks if r.pull and r.ready]
    people = [r for r in s.claims if for_a_person(r)]
    elsewhere = [r for r in s.claims if not r.claim.driver and r.claim.stage != "reported"]
    lines = []
    if len(offered) == 1:
        lines.append(f"waits for a worker: {paste('claim', offered[0])}")
    elif offered:
        lines.append(f"waits for workers ({listed(offered, limit=MOST)}): {paste('claim')}")
    for r in elsewhere[:MOST]:
        lines.append(f"waits for {r.claim.worker or 'a worker'}: {r.task}, then {paste('report', r.claim.id)}")
    if people:
        first, *others = [r.claim.id for r in people]
        more = f", and {listed(others, limit=MOST)}" if others else ""
        lines.append(f"waits for a person: {paste('approve', first)} (or --reject){more}")
    judged = any(r.claim.stage == "reported" and not for_a_person(r) for r in s.claims)
    if judged and (s.state.driver is None or s.alive is False):
        lines.append(f"waits for a verdict: {paste('verify')}")
    due = goes_on_at(s)
    if due is not None and due > s.now:
        lines.append(f"goes on in {seconds(round(to_seconds(due - s.now), 1))}")
    return lines


def goes_on_at(s: Status) -> int | None:
    """When time brings the session on, in store time; None: it does not wait for time, or nobody is there to go on."""
    busy = any(not for_a_person(r) and (r.claim.driver or r.claim.stage == "reported") for r in s.claims)
    if busy or s.state.driver is None or s.alive is False or any(r.ready and not r.pull for r in s.tasks):
        return None
    wanted = {resource_place(r.id) for r in s.resources if r.wanted}
    timers = s.state.timers.values()
    due = [t.due for t in timers if not t.place.startswith(RESOURCE) or t.place in wanted]
    for r in s.work:
        waits = max(r.retry_in or 0, r.due_in or 0)
        if waits and not r.blocked:
            due.append(s.now + waits)
    return min(due, default=None)


def for_a_person(row: ClaimRow) -> bool:
    """Whether a person's word on the claim is all that is missing."""
    return row.human and row.claim.stage == "reported" and row.claim.approval is None
