"""``petri export``: a plan or net in the language of other tools."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.api import ExportFormat
from petri_cli.cli.exit import Exit
from petri_cli.cli.options import StdinName, Widths


def export(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A plan or net; - is standard input.")],
    form: Annotated[ExportFormat, typer.Option("--format", "-f", help="What to write.")] = "json",
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to FILE instead of standard output.")
    ] = None,
    width: Widths = None,
    stdin_filename: StdinName = "",
) -> int:
    """Write the Petri net of a plan, or a net, as JSON, PNML, DOT or Mermaid.

    A plan is written as the workflow net that is judged: each foreach unfolded to its width, loops as cycles.
    """
    from petri_cli.api import export as export_net
    from petri_cli.api import load_data
    from petri_cli.cli.inputs import one_source, read_source
    from petri_cli.cli.options import widths
    from petri_cli.cli.streams import Output

    source = one_source(file, stdin_filename)
    text = export_net(load_data(read_source(source), source.name)[0], form, widths=widths(width))
    with Output(output, spare=[source.path]) as out:
        out.write(text)
    return Exit.OK
