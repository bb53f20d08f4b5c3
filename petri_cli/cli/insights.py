"""``petri insights``: what the log of a session suggests to change in its plan."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.options import Colour
from petri_cli.cli.store import StoreUrl

if TYPE_CHECKING:
    from petri_cli.driver.insights import Insights
    from petri_cli.render.page import Page
    from petri_cli.session.store import EventStore

Format = Literal["text", "json"]


def insights(
    session: Annotated[
        str | None, typer.Argument(metavar="[SESSION]", help="Which session; the only live one where not said.")
    ] = None,
    store: StoreUrl = None,
    every: Annotated[
        bool, typer.Option("--all-sessions", help="Look at every session of the store for tasks of the same names.")
    ] = False,
    apply: Annotated[
        bool, typer.Option("--apply", help="Commit what is suggested and reversible as a revision, behind the gate.")
    ] = False,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to report.")] = "text",
    color: Colour = "auto",
) -> int:
    """Adaptations, each backed by counted observations: attempts, capacities, time-outs; what never happened.

    Structure is never changed: what no run ever did, or what holds up all of them, is reported and left to people.
    """
    from petri_cli.cli.store import opened, session_of
    from petri_cli.cli.streams import Output, page_on
    from petri_cli.driver.insights import insights as look_into
    from petri_cli.render.insights import draw_insights, insights_json

    with opened(store) as sessions, Output() as out:
        which = session_of(sessions, session)
        revision = sessions.state(which).revision  # before the plan is read: what is committed later is not undone
        found = look_into(sessions, which, sessions.sessions() if every else None)
        page = page_on(out, color, verbosity=0)
        if form == "json":
            page.write(insights_json(found))
        else:
            page.lines(draw_insights(found, page.look, applied=apply))
        if apply and any(a.reversible for a in found.adaptations):
            return _apply(sessions, which, found, revision, page if form == "text" else None)
    return Exit.OK


def _apply(sessions: EventStore, which: str, found: Insights, revision: int, page: Page | None) -> int:
    from petri_cli.cli.committing import Named, Terms, commit_file
    from petri_cli.cli.streams import Output, page_on
    from petri_cli.driver.insights import applied
    from petri_cli.soundness.result import Budget

    document = Named(found.file, applied(found, found.adaptations).encode())
    terms = Terms(Budget(), expect_revision=revision)
    with Output(os.devnull) as nowhere:
        shown = page or page_on(nowhere, "never", verbosity=-1)
        return commit_file(document, sessions, which, terms, shown).exit
