"""``petri mine``: find a model in an event log, and see how well it tells what happened."""

from typing import Annotated, Literal

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.options import (
    AllSessions,
    ByItem,
    Colour,
    Force,
    LogActivity,
    LogCase,
    LogLifecycle,
    LogOutcome,
    LogResource,
    LogStart,
    LogSuccess,
    LogTimestamp,
    StoreUrl,
)

Format = Literal["text", "json"]
Algorithm = Literal["auto", "alpha", "inductive", "dfg"]


def mine(
    log: Annotated[
        str | None,
        typer.Argument(metavar="[LOG]", help="XES, CSV, JSON lines or Parquet, also .gz; or a session; the live one."),
    ] = None,
    algorithm: Annotated[
        Algorithm, typer.Option("--algorithm", help="auto: alpha for sessions, inductive for other logs.")
    ] = "auto",
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write the model: .yaml (a plan), .pnml, .dot, .svg, …"),
    ] = None,
    coverage: Annotated[
        float, typer.Option(min=1, max=100, metavar="PERCENT", help="Of the cases, by the most frequent variants.")
    ] = 100,
    model: Annotated[
        str | None, typer.Option("--model", "-m", metavar="FILE", help="Align the log with this plan or net instead.")
    ] = None,
    diff: Annotated[
        str | None, typer.Option("--diff", metavar="PLAN", help="What was planned against what happens.")
    ] = None,
    chart: Annotated[bool, typer.Option("--chart", help="A dotted chart: time, cases, a dot an event.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", "-a", help="Every variant, edge and deviation, with all of its cases.")
    ] = False,
    guards: Annotated[
        bool, typer.Option("--guards/--no-guards", help="Put the capacities that the log shows into the plan.")
    ] = True,
    fail_under: Annotated[
        float | None, typer.Option(min=0, max=1, metavar="FITNESS", help="Exit 1 when the fitness is below.")
    ] = None,
    skip_unknown: Annotated[
        bool, typer.Option("--skip-unknown", help="Token replay passes over what the model lacks, as in publications.")
    ] = False,
    case: LogCase = None,
    activity: LogActivity = None,
    timestamp: LogTimestamp = None,
    start: LogStart = None,
    resource: LogResource = None,
    outcome: LogOutcome = None,
    success: LogSuccess = None,
    classifier: Annotated[str | None, typer.Option(metavar="KEYS", help="What an activity is, in XES.")] = None,
    lifecycle: LogLifecycle = "events",
    encoding: Annotated[str | None, typer.Option(metavar="NAME", help="Of text, where it is not UTF-8.")] = None,
    time_format: Annotated[str | None, typer.Option(metavar="FORMAT", help="Of times, as strptime has it.")] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a log with a bad event, instead of counting.")
    ] = False,
    width: Annotated[
        list[str] | None,
        typer.Option(
            "--width", "-w", metavar="ID=N", help="Items of the foreach ID of --model; else as each case shows."
        ),
    ] = None,
    timeout: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="For each part of the conformance.")] = 60,
    store: StoreUrl = None,
    every: AllSessions = False,
    by_item: ByItem = False,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to report.")] = "text",
    color: Colour = "auto",
    force: Force = False,
) -> int:
    """Find a model in an event log, let the gate judge it, and align the log with it.

    A log says what happened; the model, what the miner makes of it; the fitness, how much of the log the model tells.
    The columns of a table are guessed from its header, and shown; a guess that is wrong is overridden by an option.
    """
    from petri_cli.cli import mining
    from petri_cli.cli.mining_output import check_output, write_model
    from petri_cli.cli.options import widths
    from petri_cli.cli.store import store_path
    from petri_cli.cli.streams import Output, page_on
    from petri_cli.formats.log_options import Columns, LogOptions

    columns = Columns(case, activity, timestamp, start, resource, outcome=outcome)
    options = LogOptions(columns, classifier, encoding, time_format, strict, lifecycle=lifecycle)
    asked = mining.Asked(
        algorithm, coverage, model, diff, widths(width), timeout, skip_unknown, everything, every, by_item,
        mining.successes(success), guards, success is not None,
    )  # fmt: skip
    if model is not None and algorithm != "auto":
        raise typer.BadParameter("a model is given by --model, or found by --algorithm", param_hint="--model")
    if every and log is not None:
        raise typer.BadParameter("it takes all of them: leave out the name", param_hint="--all-sessions")
    if fail_under is not None and algorithm == "dfg":
        raise typer.BadParameter("a directly-follows graph has no fitness", param_hint="--fail-under")
    if width and model is None:
        raise typer.BadParameter("it is about a foreach of the plan that --model names", param_hint="--width")
    if diff is not None and model is None and (algorithm != "auto" or fail_under is not None or skip_unknown):
        said = "with --diff no model is looked for, and nothing is aligned"
        raise typer.BadParameter(said, param_hint="--algorithm, --fail-under, --skip-unknown")
    if (coverage != 100 or not guards) and (model or diff or algorithm in ("alpha", "dfg")):
        raise typer.BadParameter("it is about what the inductive miner finds", param_hint="--coverage, --no-guards")
    if skip_unknown and algorithm == "dfg":
        raise typer.BadParameter("nothing is replayed on a directly-follows graph", param_hint="--skip-unknown")
    if chart and form == "json":
        raise typer.BadParameter("a chart is for people; JSON has the figures", param_hint="--chart")
    inputs = [log, model, diff]
    if output is not None:
        check_output(output, asked, [*inputs, str(store_path(store))], force=force)
    with Output() as out:
        page = page_on(out, color, verbosity=0)
        mined = mining.mine_log(log, store, options, asked, page)
        if form == "json":
            page.write(mining.as_json(mined))
        else:
            mining.show(mined, page, everything=everything, chart=chart)
        if output is not None:
            write_model(mined, output, inputs)
    return Exit.UNSOUND if mining.below(mined, fail_under) else Exit.OK
