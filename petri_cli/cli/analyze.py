"""``petri analyze``: judge plans and nets; nothing is written, nothing is started."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.options import Colour, StdinName
from petri_cli.render.reporters import Format


def analyze(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Plans, nets, or folders to search; - is standard input."),
    ] = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to report.")] = "text",
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the report to FILE.")
    ] = None,
    properties: Annotated[
        list[str] | None,
        typer.Option(
            "--property", "-p", metavar="PROPERTY", help="Ask this of nets, instead of soundness; may be repeated."
        ),
    ] = None,
    max_states: Annotated[
        int, typer.Option(min=1, metavar="N", help="States to explore before the answer is UNKNOWN.")
    ] = 1_000_000,
    timeout: Annotated[
        float, typer.Option(min=0, metavar="SECONDS", help="Time for one file before the answer is UNKNOWN.")
    ] = 30,
    stdin_filename: StdinName = "",
    exit_zero: Annotated[
        bool, typer.Option("--exit-zero", help="Exit 0 for UNSOUND and UNKNOWN; wrong input still exits 2.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Only what is not SOUND; no warnings, no summary.")
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Every step of a run, the conditions, and the figures.")
    ] = False,
    color: Colour = "auto",
) -> int:
    """Judge plans and nets: SOUND, UNSOUND with the state it would have died in, or UNKNOWN.

    Without a FILE the current folder is searched. Folders are searched for *.petri.yaml, *.petri.yml, *.petri.json
    and *.pnml. Several files come sorted by name, end with one summary line, and exit with the worst code: 70 before
    2 before 1 before 3 before 0.
    """
    from petri_cli.cli.inputs import STDIN, sources
    from petri_cli.cli.judging import Judging
    from petri_cli.cli.streams import Output, page_on
    from petri_cli.render.reporters import reporter
    from petri_cli.soundness.result import Budget

    if stdin_filename and STDIN not in (files or ()):
        raise typer.BadParameter(
            "it is about standard input, which is read where FILE is -", param_hint="--stdin-filename"
        )
    found, problems = sources(files or (), stdin_filename)
    judging = Judging(found, problems, Budget(max_states, timeout), properties or ())
    with Output(output, spare=[s.path for s in found]) as out:
        reporter(form)(judging, page_on(out, color, verbosity=verbose - quiet))
    return judging.exit(zero=exit_zero)
