"""``petri export``: a plan or net in the language of other tools."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.api import ExportFormat
from petri_cli.cli.exit import Exit
from petri_cli.cli.options import StdinName, Widths


def export(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A plan or net; - is standard input.")],
    form: Annotated[
        ExportFormat | None, typer.Option("--format", "-f", help="What to write; json unless said, yaml with --plan.")
    ] = None,
    plan: Annotated[bool, typer.Option("--plan", help="Write the plan itself, not its net.")] = False,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to FILE instead of standard output.")
    ] = None,
    width: Widths = None,
    stdin_filename: StdinName = "",
) -> int:
    """Write the Petri net of a plan, or a net, as JSON, YAML, PNML, DOT, Mermaid or SVG.

    A plan is written as the workflow net that is judged: each foreach unfolded to its width, loops as cycles. JSON and
    YAML are net files, which petri reads again.

    With --plan the plan itself is written in its normal form: the same plan for petri, without comments and anchors.
    """
    from petri_cli.api import export as export_net
    from petri_cli.api import export_plan, load_data, not_a_plan
    from petri_cli.cli.inputs import one_source, read_source
    from petri_cli.cli.options import widths
    from petri_cli.cli.streams import Output, say
    from petri_cli.net.start import start_of
    from petri_cli.plan.model import Plan
    from petri_cli.render.page import one_line

    if plan and form not in (None, "yaml", "json"):
        raise typer.BadParameter(f"a plan is written as yaml or json; {form} is for its net", param_hint="--format")
    if plan and width:
        raise typer.BadParameter("it is about the net of a plan, not about the plan itself", param_hint="--width")
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
