"""``petri run``: execute a plan in a session, a net as it is, or play either in simulated time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from petri_cli.cli.options import Colour, StdinName, Widths
from petri_cli.cli.store import SessionId, StoreUrl

if TYPE_CHECKING:
    from petri_cli.errors import Problem
    from petri_cli.net.model import Net
    from petri_cli.plan.model import Plan

    Loaded = tuple[Plan | Net, tuple[Problem, ...]]

Format = Literal["text", "json", "jsonl"]
Repairs = Literal["off", "adaptive", "llm", "both"]


def run(
    file: Annotated[
        str | None,
        typer.Argument(metavar="[FILE]", help="A plan or net, - is standard input; without one, a session goes on."),
    ] = None,
    session: SessionId = None,
    store: StoreUrl = None,
    keep_going: Annotated[
        bool, typer.Option("--keep-going", "-k", help="When a task is out of attempts, go on with all others.")
    ] = False,
    wait: Annotated[
        bool, typer.Option("--wait/--no-wait", help="Wait for people, pull workers and delays, or rest meanwhile.")
    ] = True,
    take_over: Annotated[
        bool,
        typer.Option("--take-over", help="Its driver is dead, though that cannot be seen from here: on another host."),
    ] = False,
    repair: Annotated[
        Repairs,
        typer.Option("--repair", help="When the session is dead: change numbers its log speaks for; ask a model."),
    ] = "off",
    approve_repairs: Annotated[
        bool, typer.Option("--approve-repairs", help="Wait for petri approve before a repair is committed.")
    ] = False,
    max_repairs: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Repairs that the session may have; 3 unless said.")
    ] = None,
    worker: Annotated[str, typer.Option(metavar="NAME", help="What claims say of who does the work.")] = "",
    expect_revision: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Refuse FILE unless the session is at revision N.")
    ] = None,
    accept_unknown: Annotated[
        bool, typer.Option("--accept-unknown", help="Run a plan that could not be decided; it is recorded as such.")
    ] = False,
    simulate: Annotated[
        bool, typer.Option("--simulate", "-s", help="In simulated time: nothing is started, tasks only take time.")
    ] = False,
    seed: Annotated[
        int | None, typer.Option(metavar="N", help="Chances of a simulation: choices, loops, durations; 0 unless said.")
    ] = None,
    durations: Annotated[
        str | None,
        typer.Option(
            "--durations", "-d", metavar="FILE", help="How long tasks take: id → duration (1s where not said)."
        ),
    ] = None,
    width: Widths = None,
    max_concurrency: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Most work at once, besides what the plan's resources allow.")
    ] = None,
    max_firings: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Firings after which a simulation is stopped; 100,000 unless said."),
    ] = None,
    form: Annotated[
        Format,
        typer.Option(
            "--format", "-f", help="How to report; jsonl is the events, json of a session petri.status/1 in the end."
        ),
    ] = "text",
    events: Annotated[
        str | None,
        typer.Option(
            "--events", "-e", metavar="FILE", help="Of a net or a simulation: write the events to FILE, one a line."
        ),
    ] = None,
    stdin_filename: StdinName = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Only how it ended.")] = False,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Every event, on a terminal too.")] = False,
    color: Colour = "auto",
) -> int:
    """Execute a plan in a session, a net as it is, or play either in simulated time.

    A plan is committed to a session first, behind the gate (see petri plan); without FILE the session goes on where its
    log ends. Ends with 0 when the run is completed (or at rest, for a net without a final marking), 1 when it failed or
    is deadlocked, 3 when a plan is undecided or a simulation was stopped, 4 when somebody else drives the session, 5
    when it rests and may go on. The first Ctrl-C lets what runs end and starts nothing new; the second one ends what
    runs.

    With --simulate no program is started and no file is written but those asked for. An unsound plan is simulated,
    with a warning.
    """
    from petri_cli.api import load_data
    from petri_cli.cli.inputs import one_source, read_source
    from petri_cli.cli.options import widths
    from petri_cli.cli.running import Game, Running, play_net, run_net, simulate_plan
    from petri_cli.cli.store import refuse_session
    from petri_cli.driver.limit import MAX_FIRINGS
    from petri_cli.net.start import start_of
    from petri_cli.plan.model import Plan

    if simulate and (file is None or session is not None):
        raise typer.BadParameter("a simulation plays a FILE, without a session", param_hint="--simulate")
    for_simulations = {"--seed": seed, "--durations": durations, "--width": width, "--max-firings": max_firings}
    for option, value in for_simulations.items():
        if value not in (None, []) and not simulate:
            raise typer.BadParameter("only a simulation has a use for it: add --simulate", param_hint=option)
    if file == durations == "-":
        raise typer.BadParameter("standard input can be read only once", param_hint="--durations")
    verbosity = verbose - quiet

    def in_session(name: str = "", data: bytes | None = None, loaded: Loaded | None = None) -> int:
        from petri_cli.cli.committing import Terms
        from petri_cli.cli.mending import terms_of
        from petri_cli.cli.run_session import Call, run_session
        from petri_cli.driver.commit import Document
        from petri_cli.soundness.result import Budget

        if events is not None:
            raise typer.BadParameter(
                "a session keeps its events itself; --format jsonl shows them", param_hint="--events"
            )
        document = None if data is None else Document.of(data, name)
        terms = Terms(Budget(), accept_unknown, expect_revision, alone=True, take_over=take_over)
        how = (form, color, verbosity, max_concurrency, worker, keep_going, wait, take_over, loaded)
        repairs = terms_of(repair, approve=approve_repairs, most=max_repairs)
        return run_session(Call(document, session, store, terms, *how, repairs))

    if file is None:
        return in_session()
    refuse_session(file, store, "run")
    source = one_source(file, stdin_filename)
    data = read_source(source)
    subject, warnings = load_data(data, source.name)
    wide = widths(width or [])
    if isinstance(subject, Plan) and not simulate:
        return in_session(source.name, data, (subject, warnings))
    game = Game(seed or 0, wide, durations, max_firings or MAX_FIRINGS)
    with Running(source, form, events, color, verbosity, max_concurrency, later=not simulate) as running:
        running.warn(warnings)
        if isinstance(subject, Plan):
            return simulate_plan(subject, running, game)
        start = start_of(subject)
        running.warn(p.in_file(source.name) for p in start.warnings)
        subject = start.net
        return play_net(subject, running, game) if simulate else run_net(subject, running)
