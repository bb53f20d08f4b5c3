"""``petri status``: where a session stands, now or at any point of its log."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from petri_cli.cli.options import Colour, SessionNamed
from petri_cli.cli.store import StoreUrl

Format = Literal["text", "json", "html"]


def status(
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="[SESSION]", help="Which session; $PETRI_SESSION, else the only live one, else the latest."
        ),
    ] = None,
    named: SessionNamed = None,
    store: StoreUrl = None,
    at: Annotated[
        str | None, typer.Option("--at", metavar="SEQ|TIME", help="As it was after event SEQ, or at a time (ISO 8601).")
    ] = None,
    replay: Annotated[
        bool,
        typer.Option(
            "--replay", help="Step through the log with keys; a line a step where there is no terminal; from --at."
        ),
    ] = False,
    watch: Annotated[bool, typer.Option("--watch", "-w", help="Keep looking, until it is over or Ctrl-C.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", "-a", help="Every step there was, and no section cut short.")
    ] = False,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to report.")] = "text",
    exit_code: Annotated[
        bool,
        typer.Option("--exit-code", help="0 completed, 1 failed, cancelled or deadlocked, 5 anything that may go on."),
    ] = False,
    color: Colour = "auto",
) -> int:
    """Where a session stands: what is done, who is at work, who holds what, what is next, and every step there was.

    Nothing is written and nothing is locked. The state is folded from the log; --at folds only its beginning.
    """
    from petri_cli.cli.options import one_session
    from petri_cli.cli.store import chosen
    from petri_cli.cli.streams import Output, page_on
    from petri_cli.cli.watching import Looking, replay_keys, watch_changes

    asked = {"--at": at is not None, "--replay": replay, "--watch": watch}
    if watch and (at is not None or replay):
        raise typer.BadParameter("one of them at a time", param_hint=" and ".join(k for k, v in asked.items() if v))
    if replay and form == "json":
        raise typer.BadParameter("it is for people; --all --format json has every event", param_hint="--replay")
    if form == "html" and (watch or replay):
        raise typer.BadParameter("a page shows one moment: leave it out, or say --at", param_hint="--watch, --replay")
    with chosen(store, one_session(session, named), latest=True) as session_at, Output() as out:
        looking = Looking(session_at, page_on(out, color, verbosity=0), form, everything)
        if replay:
            return replay_keys(looking, out, looking.seq_of(at))
        if watch:
            return watch_changes(looking, out, exit_code=exit_code)
        return looking.show(looking.seq_of(at), exit_code=exit_code)
