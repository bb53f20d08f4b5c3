"""``petri plan``: commit a plan as the next revision of a session, if it is sound."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.options import Colour, StdinName
from petri_cli.cli.store import SessionId, StoreUrl


def plan(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A plan; - is standard input.")],
    session: SessionId = None,
    store: StoreUrl = None,
    objective: Annotated[
        str | None,
        typer.Option("--from-objective", metavar="TEXT", help="Let a model write FILE, or change it, behind the gate."),
    ] = None,
    tries: Annotated[
        int, typer.Option(min=1, metavar="N", help="Drafts that a model may write until one is sound.")
    ] = 3,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Accept what the model wrote without being asked.")] = False,
    expect_revision: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Refuse unless the session is at revision N (0: none yet).")
    ] = None,
    accept_unknown: Annotated[
        bool, typer.Option("--accept-unknown", help="Commit a plan that could not be decided; it is recorded as such.")
    ] = False,
    revoke: Annotated[
        bool, typer.Option("--revoke", help="Take back what is being worked on, where it is in the way.")
    ] = False,
    max_states: Annotated[
        int, typer.Option(min=1, metavar="N", help="States to explore before the answer is UNKNOWN.")
    ] = 1_000_000,
    timeout: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="Time before the answer is UNKNOWN.")] = 30,
    max_memory: Annotated[
        int, typer.Option(min=1, metavar="MB", help="Memory for the states of a search before the answer is UNKNOWN.")
    ] = 2_000,
    stdin_filename: StdinName = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only what went wrong.")] = False,
    color: Colour = "auto",
) -> int:
    """Commit a plan as the next revision of a session, behind the gate.

    An unsound plan is refused as petri analyze shows it, and nothing is written. Without --session one is opened that
    is called like the plan. Work that is done stays done where its task is unchanged; what does not fit is named.

    With --from-objective a model writes the plan: the gate answers it until the plan is sound. What it would change is
    shown, and written to FILE and committed when you accept it. PETRI_LLM_BASE_URL, PETRI_LLM_MODEL and
    PETRI_LLM_API_KEY say which model.
    """
    from petri_cli.cli.committing import Terms, commit_file
    from petri_cli.cli.inputs import one_source, read_source
    from petri_cli.cli.store import opened, pastable, refuse_session
    from petri_cli.cli.streams import Output, page_on
    from petri_cli.driver.commit import Document
    from petri_cli.render.pasting import Paste
    from petri_cli.soundness.result import Budget

    refuse_session(file, store, "plan")
    budget = Budget(max_states, timeout, max_memory * 1_000_000)
    if objective is not None:
        from petri_cli.cli.drafting import write_draft

        ended = write_draft(file, objective, budget, tries=tries, accepted=yes)
        if ended is not None:
            return ended
    source = one_source(file, stdin_filename)
    document = Document.of(read_source(source), source.name)
    terms = Terms(budget, accept_unknown, expect_revision, revoke)
    paste = Paste(session or "", session is not None, store or "")
    with opened(store, create=True) as sessions, pastable(lambda: paste), Output(later=True) as out:
        outcome = commit_file(document, sessions, session, terms, page_on(out, color, verbosity=-quiet))
        if (done := outcome.committed) is not None:
            out.done = f"{done.session} is at revision {done.revision} all the same"
        return out.ended(outcome.exit)
