"""``petri run``: execute a net, or a plan in simulated time."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

Format = Literal["text", "json", "jsonl"]
Colour = Literal["auto", "always", "never"]


def run(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A plan or net; - is standard input.")],
    simulate: Annotated[
        bool, typer.Option("--simulate", "-s", help="In simulated time: nothing is started, tasks only take time.")
    ] = False,
    seed: Annotated[int, typer.Option(metavar="N", help="Chances of a simulation: choices, loops, durations.")] = 0,
    durations: Annotated[
        str | None,
        typer.Option(
            "--durations", "-d", metavar="FILE", help="How long tasks take: id → duration (1s where not said)."
        ),
    ] = None,
    width: Annotated[
        list[str] | None,
        typer.Option(
            "--width", "-w", metavar="ID=N", help="Items of the foreach ID (2 where not said); may be repeated."
        ),
    ] = None,
    max_concurrency: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Most actions in flight; unlimited unless said.")
    ] = None,
    max_firings: Annotated[
        int, typer.Option(min=1, metavar="N", help="Firings after which a simulation is stopped.")
    ] = 100_000,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to report; jsonl is the events.")] = "text",
    events: Annotated[
        str | None, typer.Option("--events", "-e", metavar="FILE", help="Write the events to FILE, one a line.")
    ] = None,
    stdin_filename: Annotated[
        str, typer.Option(metavar="NAME", help="What to call standard input; the ending says what it is.")
    ] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only how it ended.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every event, on a terminal too.")] = False,
    color: Annotated[Colour, typer.Option(help="Colour: auto asks the terminal, NO_COLOR and FORCE_COLOR.")] = "auto",
) -> int:
    """Execute a net file, or play a plan or net in simulated time.

    Ends with 0 when the run is completed (or at rest, for a net without a final marking), 1 when it failed or is
    deadlocked, 3 when a simulation was stopped. The first Ctrl-C lets what runs end and starts nothing new; the second
    one ends what runs.

    With --simulate no program is started and no file is written but those asked for. An unsound plan is simulated,
    with a warning.
    """
    from petri_cli.api import load_data
    from petri_cli.cli.inputs import one_source, read_source
    from petri_cli.cli.options import widths
    from petri_cli.cli.running import Game, Running, play_net, run_net, run_plan
    from petri_cli.plan.model import Plan

    source = one_source(file, stdin_filename)
    subject, warnings = load_data(read_source(source), source.name)
    wide = widths(width or [])
    game = Game(seed, wide, durations, max_firings) if simulate else None
    with Running(source, form, events, color, verbose - quiet, max_concurrency) as running:
        running.warn(warnings)
        if isinstance(subject, Plan):
            return run_plan(subject, running, game)
        return run_net(subject, running) if game is None else play_net(subject, running, game)
