"""``petri export``: a plan or net in the language of other tools, or the event log of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

import typer

from petri_cli.api import ExportFormat, PlanFormat
from petri_cli.cli.exit import Exit
from petri_cli.cli.options import AllSessions, ByItem, Force, StdinName, StoreUrl, Widths

if TYPE_CHECKING:
    from petri_cli.cli.overwriting import Kind

LogFormat = Literal["xes", "csv", "jsonl"]
Drawn = Literal[ExportFormat, "html"]
Format = Literal[ExportFormat, "html", LogFormat]

_KINDS: dict[str, Kind] = {"dot": "drawing", "mermaid": "drawing", "svg": "drawing", "html": "report"}


def export(
    file: Annotated[
        str | None, typer.Argument(metavar="[FILE|SESSION]", help="A plan or net, - is standard input; or a session.")
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", "-f", help="What to write, where -o does not say: json; yaml with --plan; xes."),
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
    force: Force = False,
) -> int:
    """Write the net of a plan, or a net, as JSON, YAML, PNML, DOT, Mermaid, SVG or HTML; a session as XES, CSV, JSONL.

    A plan is written as the workflow net that is judged: each foreach unfolded to its width, loops as cycles. JSON and
    YAML are net files, which petri reads again. HTML is one page to look around in, with blocks that fold.

    With --plan the plan itself is written in its normal form: the same plan for petri, without comments and anchors.

    A session is written as an event log: an event is work that was verified. Without a name it is the live session.

    The ending of -o says the format where --format does not; a log in a file that ends in .gz is packed. A file of
    another kind is not written over.
    """
    if _of_session(file, form, output, store) or every or by_item:
        if plan or width:
            raise typer.BadParameter("the log of a session has neither", param_hint="--plan, --width")
        if form in (*get_args(ExportFormat), "html"):
            hint = "petri status --format html" if form == "html" else f"{form} is for plans and nets"
            said = f"a session is written as xes, csv or jsonl; {hint}"
            raise typer.BadParameter(said, param_hint="--format")
        return _export_log(
            file, cast("LogFormat | None", form), output, store, every=every, by_item=by_item, force=force
        )
    if file is None:
        raise typer.BadParameter("name a plan or a net", param_hint="FILE")
    return _export_net(
        file, cast("Drawn | None", form), output, width, stdin_filename, plan=plan, store=store, force=force
    )


def _of_session(file: str | None, form: Format | None, output: str | None, store: str | None) -> bool:
    """Whether a session is meant: by its name, or, where there is no name, by what is to be written."""
    from petri_cli.cli.endings import FORMATS, ending_of
    from petri_cli.cli.session_logs import names_session
    from petri_cli.cli.store import store_path

    if form in get_args(LogFormat):
        return True
    if file is not None:
        return names_session(file, store)
    if form is not None:
        return False
    meant = None if output is None else FORMATS.get(ending_of(output, packed=True))
    return meant in get_args(LogFormat) or (meant is None and store_path(store).exists())


def _export_log(
    name: str | None,
    form: LogFormat | None,
    output: str | None,
    store: str | None,
    *,
    every: bool,
    by_item: bool,
    force: bool,
) -> int:
    from petri_cli.cli.endings import form_of
    from petri_cli.cli.overwriting import refuse_inputs, refuse_overwriting
    from petri_cli.cli.session_logs import is_file, is_session, log_of_sessions, neither, write_session_log
    from petri_cli.cli.store import store_path

    if every and name is not None:
        raise typer.BadParameter("it takes all of them: leave out the name", param_hint="--all-sessions")
    if name is not None and not is_session(name, store):
        if is_file(name):
            raise typer.BadParameter(f"a log is written of a session, and {name} is a file", param_hint="FILE")
        raise neither(name, store)
    spare = [str(store_path(store))]
    refuse_inputs(output, spare)
    written = cast("LogFormat", form_of(output, form, get_args(LogFormat), "xes", packed=True))
    refuse_overwriting(output, "log", force=force)
    _, log = log_of_sessions(name, store, every=every, by_item=by_item)
    write_session_log(log, written, output, spare)
    return Exit.OK


def _export_net(
    file: str,
    form: Drawn | None,
    output: str | None,
    width: list[str] | None,
    stdin_filename: str,
    *,
    plan: bool,
    store: str | None,
    force: bool,
) -> int:
    from petri_cli.api import export as export_net
    from petri_cli.api import export_plan, load_data, not_a_plan
    from petri_cli.cli.endings import form_of
    from petri_cli.cli.inputs import one_source, read_source
    from petri_cli.cli.options import widths
    from petri_cli.cli.overwriting import refuse_inputs, refuse_overwriting
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
    refuse_inputs(output, [source.path])
    known = ("yaml", "json") if plan else (*get_args(ExportFormat), "html")
    written = form_of(output, form, known, "yaml" if plan else "json")
    kind: Kind = "plan" if plan else _KINDS.get(written, "net")
    refuse_overwriting(output, kind, force=force)
    subject, _ = load_data(read_source(source), source.name)
    if not isinstance(subject, Plan):
        for warning in start_of(subject).warnings:
            say(one_line(warning.in_file(source.name)))
    if written == "html":
        from petri_cli.render.html.verdict import page_of_net

        text = page_of_net(subject, widths(width), source.name)
    elif not plan:
        text = export_net(subject, cast("ExportFormat", written), widths=widths(width))
    elif isinstance(subject, Plan):
        text = export_plan(subject, cast("PlanFormat", written))
    else:
        raise not_a_plan(source.name)
    with Output(output, spare=[source.path]) as out:
        out.write(text)
    return Exit.OK
