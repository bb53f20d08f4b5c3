"""``petri analyze``: judge plans and nets; nothing is started, and nothing written but with ``--fix``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from petri_cli.cli.options import Colour, Force, StdinName
from petri_cli.render.reporters import Format

if TYPE_CHECKING:
    from petri_cli.soundness.fixes import FixKind

Kind = Literal["order", "capacity", "wrap", "width"]
KINDS: tuple[Kind, ...] = ("order", "capacity", "wrap", "width")
TOLD_WITH_FIXES = ("text", "json", "sarif", "junit", "html")
"""Formats in which the ways out are shown, and looked for."""


def analyze(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE]...", help="Plans, nets, or folders to search; - is standard input."),
    ] = None,
    form: Annotated[
        Format | None,
        typer.Option("--format", "-f", help="How to report; where not said, by the ending of -o, else text."),
    ] = None,
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
    max_memory: Annotated[
        int, typer.Option(min=1, metavar="MB", help="Memory for the states of a search before the answer is UNKNOWN.")
    ] = 2_000,
    fix: Annotated[
        bool, typer.Option("--fix", help="Edit each unsound plan by its cheapest verified fix, and judge it again.")
    ] = False,
    fix_kind: Annotated[
        Kind | None, typer.Option("--fix-kind", help="Consider fixes of this kind alone; for --fix and --diff.")
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Show the edit of --fix as a unified diff; nothing is written.")
    ] = False,
    certificate: Annotated[
        str | None,
        typer.Option("--certificate", metavar="FILE", help="Write to FILE what shows the verdict, for --recheck."),
    ] = None,
    recheck: Annotated[
        str | None,
        typer.Option("--recheck", metavar="FILE", help="Check the certificate in FILE again, and search nothing."),
    ] = None,
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
    force: Force = False,
    color: Colour = "auto",
) -> int:
    """Judge plans and nets: SOUND, UNSOUND with the state it would have died in, or UNKNOWN.

    Without a FILE the current folder is searched. Folders are searched for *.petri.yaml, *.petri.yml, *.petri.json
    and *.pnml. Several files come sorted by name, end with one summary line, and exit with the worst code: 70 before
    2 before 1 before 3 before 0.

    With --fix the report and the exit code are about the files as they are afterwards; of standard input, - alone, the
    plan goes to standard output, edited or not, and the report to standard error. With --diff they are about the files
    as they are, and only the diff is on standard output.
    """
    from petri_cli.cli.exit import Exit
    from petri_cli.cli.inputs import STDIN, sources
    from petri_cli.cli.judging import Judging
    from petri_cli.cli.streams import Output, page_on
    from petri_cli.render.reporters import format_of, reporter
    from petri_cli.soundness.result import Budget

    if fix_kind is not None and not (fix or diff):
        raise typer.BadParameter("it chooses what --fix or --diff does, and needs one of them", param_hint="--fix-kind")
    if diff and form not in (None, "text"):
        raise typer.BadParameter("with --diff the diff is the report; leave one of them out", param_hint="--format")
    form = form or ("text" if diff else format_of(output))
    if stdin_filename and STDIN not in (files or ()):
        raise typer.BadParameter(
            "it is about standard input, which is read where FILE is -", param_hint="--stdin-filename"
        )
    found, problems = sources(files or (), stdin_filename)
    if output is not None or certificate is not None:
        from petri_cli.cli.overwriting import refuse_inputs, refuse_overwriting

        for path in (output, certificate):
            refuse_inputs(path, [s.path for s in found])
        refuse_overwriting(output, "report", force=force)
        refuse_overwriting(certificate, "certificate", force=force)
    if certificate is not None or recheck is not None:
        from petri_cli.cli.certifying import recheck_file, write_certificate

        option = "--certificate" if recheck is None else "--recheck"
        if certificate is not None and recheck is not None:
            raise typer.BadParameter("to write and to check are two calls", param_hint="--recheck")
        if fix or diff:
            raise typer.BadParameter("it is about a file as it is", param_hint=option)
        if problems or len(found) != 1:
            raise typer.BadParameter("it is about one file: name that", param_hint=option)
        with Output(output, spare=[found[0].path, certificate, recheck]) as out:
            page = page_on(out, color, verbosity=verbose - quiet)
            if recheck is not None:
                code = recheck_file(found[0], recheck, page, properties or ())
            else:
                budget = Budget(max_states, timeout, max_memory * 1_000_000)
                code = write_certificate(found[0], certificate or "", budget, reporter(form), page, properties or ())
        return Exit.OK if exit_zero and code in (Exit.UNSOUND, Exit.UNKNOWN) else code
    kinds: tuple[FixKind, ...] = KINDS if fix_kind is None else (fix_kind,)
    fixes = kinds if fix or diff or form in TOLD_WITH_FIXES else ()
    judging = Judging(found, problems, Budget(max_states, timeout, max_memory * 1_000_000), properties or (), fixes)
    if fix or diff:
        from petri_cli.cli.fixing import edit

        if fix and not diff and STDIN in (files or ()) and (len(found) > 1 or problems):
            raise typer.BadParameter("with --fix, standard input goes to standard output: give - alone", param_hint="-")
        edit(judging, kinds, form, output, color, verbosity=verbose - quiet, show=diff)
        return judging.exit(zero=exit_zero)
    with Output(output, spare=[s.path for s in found]) as out:
        reporter(form)(judging, page_on(out, color, verbosity=verbose - quiet))
    return judging.exit(zero=exit_zero)
