"""``petri insights``: how well a plan tells what its sessions did, and what their logs suggest to change in it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.options import (
    Colour,
    LogActivity,
    LogCase,
    LogLifecycle,
    LogOutcome,
    LogResource,
    LogStart,
    LogSuccess,
    LogTimestamp,
    refuse_of_session,
)
from petri_cli.cli.store import StoreUrl

if TYPE_CHECKING:
    from petri_cli.cli.store import Chosen
    from petri_cli.driver.insights import Candidate, Insights
    from petri_cli.render.page import Page
    from petri_cli.session.store import EventStore

Format = Literal["text", "json", "html"]


def insights(
    session: Annotated[
        str | None,
        typer.Argument(metavar="[SESSION|LOG]", help="Which session, the only live one where not said; or a log."),
    ] = None,
    store: StoreUrl = None,
    every: Annotated[
        bool, typer.Option("--all-sessions", help="Look at every session of the store for tasks of the same names.")
    ] = False,
    apply: Annotated[
        bool, typer.Option("--apply", help="Commit what is suggested and reversible as a revision, behind the gate.")
    ] = False,
    candidate: Annotated[
        str | None,
        typer.Option(
            "--candidate", metavar="PLAN", help="Score another plan against the same history; of a log, a plan."
        ),
    ] = None,
    change: Annotated[
        list[str] | None,
        typer.Option(
            "--what-if", metavar="RESOURCE=N", help="Simulate the plan with another capacity; may be repeated."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the chances of --what-if.")] = 0,
    timeout: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="For each of the parts.")] = 30,
    case: LogCase = None,
    activity: LogActivity = None,
    timestamp: LogTimestamp = None,
    start: LogStart = None,
    resource: LogResource = None,
    outcome: LogOutcome = None,
    success: LogSuccess = None,
    lifecycle: LogLifecycle = "events",
    form: Annotated[Format, typer.Option("--format", "-f", help="How to report.")] = "text",
    color: Colour = "auto",
) -> int:
    """Conformance, and adaptations, each backed by counts: attempts, capacities, time-outs; what never happened.

    Structure is never changed: what no run ever did, or what holds up all of them, is reported and left to people.

    --what-if plays the plan in simulated time, with the durations, widths and branches of history, and with both
    capacities in turn; what differs is told with an interval that holds 95 % of the runs.

    Of a log that other programs wrote, --candidate names the plan; --case and the like name its columns.
    """
    if session is not None:
        from petri_cli.cli.session_logs import is_file, names_session

        if is_file(session) and not names_session(session, store):
            from petri_cli.cli.insights_log import LogAsked, insights_of_log

            if apply or every:
                said = f"{session} is a log: it has no session to commit to, and no others"
                raise typer.BadParameter(said, param_hint="--apply, --all-sessions")
            named = (case, activity, timestamp, start, resource, outcome)
            return insights_of_log(
                session, LogAsked(candidate, named, success, lifecycle, change, timeout), form, color
            )
    about = {
        "--case": case, "--activity": activity, "--timestamp": timestamp, "--start": start, "--resource": resource,
        "--outcome": outcome, "--success": success, "--lifecycle": None if lifecycle == "events" else lifecycle,
    }  # fmt: skip
    refuse_of_session([option for option, value in about.items() if value is not None])
    from petri_cli.cli.options import capacities
    from petri_cli.cli.store import chosen
    from petri_cli.cli.streams import Output, page_on
    from petri_cli.driver.insights import insights as look_into
    from petri_cli.render.insights import draw_insights, insights_json

    changes = capacities(change)
    with chosen(store, session, how="") as at, Output() as out:
        sessions, which = at.store, at.session
        revision = sessions.state(which).revision  # before the plan is read: what is committed later is not undone
        found = look_into(sessions, which, sessions.sessions() if every else None, deadline=until(timeout))
        other = None if candidate is None else _candidate(candidate, found, timeout)
        if changes:
            from petri_cli.driver.what_if import simulate_change

            seconds = {name: of.seconds for name, of in found.evidence.tasks.items()}
            played = simulate_change(found.plan, changes, seconds, found.past, seed=seed, deadline=until(timeout))
            found = replace(found, what_if=played)
        page = page_on(out, color, verbosity=0)
        if form == "json":
            page.write(insights_json(found, other, at.paste))
        elif form == "html":
            page.write(_page(at, found, other))
        else:
            page.lines(draw_insights(found, page.look, candidate=other, applied=apply, paste=at.paste))
        if apply and any(a.reversible for a in found.adaptations):
            code = _apply(sessions, which, found, revision, page if form == "text" else None)
            out.done = f"the plan is changed all the same: {at.paste('status')}" if code == Exit.OK else ""
            return code
    return Exit.OK if other is None or other.result.sound else Exit.UNSOUND


def _page(at: Chosen, found: Insights, other: Candidate | None) -> str:
    """The page of the session, with what was found."""
    from petri_cli.cli.watching import Looking
    from petri_cli.render.html.session import insights_part
    from petri_cli.render.page import Page

    looking = Looking(at, Page(lambda _: None))
    return looking.html(looking.status(), insights_part(found, other))


def until(seconds: float) -> Callable[[], bool]:
    """Whether so many seconds have passed since."""
    end = time.monotonic() + seconds
    return lambda: time.monotonic() > end


def _candidate(path: str, found: Insights, seconds: float) -> Candidate:
    """The plan in a file: the gate's word on it, and how well it tells the same history. Raises PetriError."""
    from petri_cli.api import analyze
    from petri_cli.cli.mining_models import given_plan
    from petri_cli.driver.conformance import conformance
    from petri_cli.driver.insights import Candidate
    from petri_cli.soundness.result import Budget

    plan = given_plan(path)
    result = analyze(plan, budget=Budget(seconds=seconds))
    return Candidate(path, plan, result, conformance(plan, found.past, deadline=until(seconds)))


def _apply(sessions: EventStore, which: str, found: Insights, revision: int, page: Page | None) -> int:
    from petri_cli.cli.committing import Terms, commit_file
    from petri_cli.cli.streams import Output, page_on
    from petri_cli.driver.commit import Document
    from petri_cli.driver.insights import applied
    from petri_cli.soundness.result import Budget

    document = Document(applied(found, found.adaptations), found.file)
    terms = Terms(Budget(), expect_revision=revision)
    with Output(os.devnull) as nowhere:
        shown = page or page_on(nowhere, "never", verbosity=-1)
        return commit_file(document, sessions, which, terms, shown).exit
