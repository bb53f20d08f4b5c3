"""``petri insights LOG --candidate PLAN``: a plan set beside a log that other programs wrote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import typer

from petri_cli.api import analyze
from petri_cli.cli.exit import Exit
from petri_cli.cli.insights import until
from petri_cli.cli.mining import complain, outcomes_in, read_file, successes
from petri_cli.cli.mining_models import given_plan
from petri_cli.cli.mining_progress import Watch
from petri_cli.cli.streams import Output, page_on
from petri_cli.driver.insights import Candidate
from petri_cli.driver.log_insights import log_insights
from petri_cli.formats.log_options import Columns, LogOptions
from petri_cli.render.insights import draw_insights, insights_json
from petri_cli.render.look import ColourMode
from petri_cli.soundness.result import Budget


@dataclass(frozen=True, slots=True)
class LogAsked:
    """What is wanted of a log. plan: a file; columns: those of case, activity, times and so on, as in ``Columns``."""

    plan: str | None
    columns: tuple[str | None, str | None, str | None, str | None, str | None, str | None]
    success: str | None
    lifecycle: Literal["events", "pairs"]
    changes: Sequence[str] | None
    seconds: float


def insights_of_log(path: str, asked: LogAsked, form: str, color: ColourMode) -> int:
    """Read the log, set the plan beside it, tell what that suggests. Raises PetriError."""
    if asked.plan is None:
        said = f"{path} is a log, and a log has no plan: name one (petri mine looks for one)"
        raise typer.BadParameter(said, param_hint="--candidate")
    plan = given_plan(asked.plan)
    if asked.changes:
        said = "it plays one run of the plan, and what a log shows are many at a time"
        raise typer.BadParameter(said, param_hint="--what-if")
    case, activity, timestamp, start, resource, outcome = asked.columns
    columns = Columns(case, activity, timestamp, start, resource, outcome=outcome)
    options = LogOptions(columns, lifecycle=asked.lifecycle)
    with Output() as out:
        page = page_on(out, color, verbosity=0)
        with Watch() as watch:
            watch.doing("reading")
            log = read_file(path, options, watch.events)
            watch.clear()
            complain(log, page)
            watch.doing("looking into it")
            success = successes(asked.success)
            told = bool(outcomes_in(log, options, success, told=asked.success is not None))
            found = log_insights(
                path,
                log,
                plan,
                asked.plan,
                success=success if told else None,
                told=_words(asked),
                deadline=until(asked.seconds),
            )
        result = analyze(plan, budget=Budget(seconds=asked.seconds))
        conformance = found.conformance
        other = None
        if not result.sound and conformance is not None:
            other = Candidate(asked.plan, plan, result, conformance)
        if form == "json":
            page.write(insights_json(found, other))
        elif form == "html":
            from petri_cli.render.html.session import insights_page

            page.write(insights_page(found, other, draw_insights(found, page.look, candidate=other)))
        else:
            page.lines(draw_insights(found, page.look, candidate=other))
    return Exit.OK if result.sound else Exit.UNSOUND


def _words(asked: LogAsked) -> list[str]:
    """The options with which ``petri mine`` reads the log in the same way."""
    names = ("--case", "--activity", "--timestamp", "--start", "--resource", "--outcome")
    given = [(name, value) for name, value in zip(names, asked.columns, strict=True) if value is not None]
    given += [("--success", asked.success)] if asked.success is not None else []
    given += [("--lifecycle", asked.lifecycle)] if asked.lifecycle != "events" else []
    return [word for pair in given for word in pair]
