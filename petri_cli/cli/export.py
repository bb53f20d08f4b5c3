"""``petri export``: a plan or net in the language of other tools, or the event log of a session."""

from __future__ import annotations

from typing import Annotated, Literal, cast, get_args

import typer

from petri_cli.api import ExportFormat
from petri_cli.cli.exit import Exit
from petri_cli.cli.options import AllSessions, ByItem, StdinName, StoreUrl, Widths

LogFormat = Literal["xes", "csv", "jsonl"]
Format = Literal[ExportFormat, LogFormat]


def export(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE|SESSION]", help="A plan or net, - is standard input; or a session.")
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", "-f", help="What to write. Unless said json; yaml with --plan; xes of a session."),
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Write the plan itself, not its net.")] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to FILE instead of standard output.")
    ] = None,
    width: Widths = None,
    store: StoreUrl = None,
    every: AllSessions = False,
    by_item: ByItem = False,
    stdin_filename: StdinName = "",
) -> int:
    """Write the net of a plan, or a net, as JSON, YAML, PNML, DOT, Mermaid or SVG; a session as XES, CSV or JSON lines.

    A plan is written as the workflow net that is judged: each foreach unfolded to its width, loops as cycles. JSON and
    YAML are net files, which petri reads again.

    With --plan the plan itself is written in its normal form: the same plan for petri, without comments and anchors.

    A session is written as an event log: an event is work that was verified. The ending of -o says the format where
    --format does not, and what ends in .gz is packed. Without a name it is the live session.
    """
    if form in get_args(LogFormat) or every or by_item or (file is not None and _is_session(file, store)):
        if plan or width:
            raise typer.BadParameter("the log of a session has neither", param_hint="--plan, --width")
        if form in get_args(ExportFormat):
            said = f"a session is written as xes, csv or jsonl; {form} is for plans and nets"
            raise typer.BadParameter(said, param_hint="--format")
        return _export_log(file, cast("LogFormat | None", form), output, store, every=every, by_item=by_item)
    if file is None:
        raise typer.BadParameter("name a plan or a net, or say --format xes for the live session", param_hint="FILE")
    return _export_net(file, cast("ExportFormat | None", form), output, width, stdin_filename, plan=plan, store=store)


def _is_session(name: str, store: str | None) -> bool:
    """Whether it is no file, and a session."""
    from petri_cli.cli.session_logs import is_file, is_session

    return not is_file(name) and is_session(name, store)


def _export_log(
    name: str | None, form: LogFormat | None, output: str | None, store: str | None, *, every: bool, by_item: bool
) -> int:
    from petri_cli.cli.session_logs import form_of, is_file, is_session, log_of_sessions, neither, write_session_log
    from petri_cli.cli.store import store_path

    if every and name is not None:
        raise typer.BadParameter("it takes all of them: leave out the name", param_hint="--all-sessions")
    if name is not None and not is_session(name, store):
        if is_file(name):
            raise typer.BadParameter(f"a log is written of a session, and {name} is a file", param_hint="FILE")
        raise neither(name, store)
    _, log = log_of_sessions(name, store, every=every, by_item=by_item)
    write_session_log(log, form or form_of(output), output, [str(store_path(store))])
    return Exit.OK


def _export_net(
    file: str,
    form: ExportFormat | None,
    output: str | None,
    width: list[str] | None,
    stdin_filename: str,
    *,
    plan: bool,
    store: str | None,
) -> int:
    from petri_cli.api import export as export_net
    from petri_cli.api import export_plan, load_data, not_a_plan
    from petri_cli.cli.inputs import one_source, read_source
    from petri_cli.cli.options import widths
    from petri_cli.cli.session_logs import is_file, neither
    from petri_cli.cli.streams import Output, say
    from petri_cli.net.start import start_of
    from petri_cli.plan.model import Plan
    from petri_cli.render.page import one_line

    if plan and form not in (None, "yaml", "json"):
        raise typer.BadParameter(f"a plan is written as yaml or json; {form} is for its net", param_hint="--format")
    if plan and width:
        raise typer.BadParameter("it is about the net of a plan, not about the plan itself", param_hint="--width")
    if file and not is_file(file):
        raise neither(file, store)
    source = one_source(file, stdin_filename)
    subject, _ = load_data(read_source(source), source.name)
    if not isinstance(subject, Plan):
        for warning in start_of(subject).warnings:
            say(one_line(warning.in_file(source.name)))
    if not plan:
        text = export_net(subject, form or "json", widths=widths(width))
    elif isinstance(subject, Plan):
        text = export_plan(subject, "json" if form == "json" else "yaml")
    else:
        raise not_a_plan(source.name)
    with Output(output, spare=[source.path]) as out:
        out.write(text)
    return Exit.OK
