"""``petri mine``: find a model in an event log, and see how well it tells what happened."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from petri_cli.cli.options import Colour
from petri_cli.cli.store import StoreUrl

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
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the model: .yaml (a plan), .pnml, .dot, .mmd, .svg."
        ),
    ] = None,
    coverage: Annotated[
        float, typer.Option(min=1, max=100, metavar="PERCENT", help="Of the cases, by the most frequent variants.")
    ] = 100,
    model: Annotated[
        str | None, typer.Option("--model", "-m", metavar="FILE", help="Set this plan or net beside the log instead.")
    ] = None,
    case: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the case.")] = None,
    activity: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the activity.")] = None,
    timestamp: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the time.")] = None,
    resource: Annotated[str | None, typer.Option(metavar="COLUMN", help="Column of the resource.")] = None,
    classifier: Annotated[str | None, typer.Option(metavar="KEYS", help="What an activity is, in XES.")] = None,
    encoding: Annotated[str | None, typer.Option(metavar="NAME", help="Of text, where it is not UTF-8.")] = None,
    time_format: Annotated[str | None, typer.Option(metavar="FORMAT", help="Of times, as strptime has it.")] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a log with a bad event, instead of counting.")
    ] = False,
    timeout: Annotated[float, typer.Option(min=0, metavar="SECONDS", help="For each part of the conformance.")] = 60,
    fail_under: Annotated[
        float | None, typer.Option(min=0, max=1, metavar="FITNESS", help="Exit 1 when the fitness is below.")
    ] = None,
    store: StoreUrl = None,
    form: Annotated[Format, typer.Option("--format", "-f", help="How to report.")] = "text",
    everything: Annotated[bool, typer.Option("--all", "-a", help="Every variant and edge.")] = False,
    color: Colour = "auto",
) -> int:
    """Find a model in an event log, let the gate judge it, and align the log with it.

    A log says what happened; the model, what the miner makes of it; the fitness, how much of the log the model tells.
    """
    from petri_cli.cli import mining
    from petri_cli.cli.streams import Output, page_on
    from petri_cli.formats.log_options import Columns, LogOptions
    from petri_cli.soundness.result import Budget

    columns = Columns(case, activity, timestamp, None, resource)
    options = LogOptions(columns, classifier, encoding, time_format, strict)
    with Output() as out:
        page = page_on(out, color, verbosity=0)
        name, read, session = mining.source_of(log, store, options)
        page.errors(read.problems)
        found = None
        if model is not None:
            found = mining.given(model)
        elif algorithm != "dfg":
            chosen = algorithm if algorithm != "auto" else "alpha" if session else "inductive"
            found = mining.discover(read, chosen, coverage)
        result = None if found is None else mining.judge(found, Budget(200_000, timeout))
        fit = None if found is None else mining.fit_of(read, found.model, timeout)
        mined = mining.Mined(name, read, found, result, fit)
        if form == "json":
            page.write(mining.mined_json(mined))
        else:
            mining.show(mined, page, everything=everything, graph=algorithm == "dfg")
        if output is not None and found is not None:
            mining.write_model(found, output, [log])
    return mining.exit_of(mined, fail_under)
