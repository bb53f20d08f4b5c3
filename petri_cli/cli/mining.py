"""``petri mine``: a log read, a model found in it, judged by the gate, and set beside the log again."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import typer

from petri_cli.cli.inputs import STDIN, STDIN_NAME, one_source, read_source
from petri_cli.cli.mining_models import find, given, given_plan
from petri_cli.cli.mining_progress import Watch
from petri_cli.cli.options import refuse_of_session
from petri_cli.cli.session_logs import is_file, is_session, log_of_sessions, names_session, neither
from petri_cli.errors import PetriError
from petri_cli.formats.log_options import LogOptions
from petri_cli.mining.alignments_groups import align_groups, precision_groups, replay_groups
from petri_cli.mining.case_widths import Group
from petri_cli.mining.deviations import deviations, place_deviations
from petri_cli.mining.dfg import directly_follows
from petri_cli.mining.diff import EXAMPLES, difference
from petri_cli.mining.follow_times import activity_times, follow_times
from petri_cli.mining.guards import GuardProposal, guard_proposals
from petri_cli.mining.log import Log
from petri_cli.mining.retries import SUCCESS, Outcome, RetryAdvice, count_outcomes, outcomes_of, retry_advice, runs_of
from petri_cli.mining.simplicity import simplicity
from petri_cli.mining.token_replay import OutOfTimeError
from petri_cli.render.mining import Fit, Found, Graph, draw_fit, draw_graph, draw_log, draw_model
from petri_cli.render.mining_advice import draw_advice, draw_difference
from petri_cli.render.mining_json import Mined, mined_json
from petri_cli.render.mining_traces import draw_traces
from petri_cli.render.page import Page
from petri_cli.render.phrase import many
from petri_cli.soundness.result import Budget

Chosen = Literal["auto", "alpha", "inductive", "dfg"]

MAX_PROBLEMS = 5
"""Bad events that are told one by one; all are counted."""
MAX_EVENTS = 1_000_000
"""Larger logs are not searched for capacities and retries, event by event."""
NO_RUN = ("PETRI_NO_COMPLETE_RUN", "PETRI_NOT_WORKFLOW_NET")
MAX_STATES = 200_000
"""Of the gate: a mined net that needs more is answered with UNKNOWN."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is wanted of a log. coverage: percent; model, diff: files; seconds: for each part of the conformance;
    everything: with all cases of each finding; every: all sessions of the store; by_item: items are cases;
    success: outcomes, in lower case; guards: for plans."""

    algorithm: Chosen
    coverage: float
    model: str | None
    diff: str | None
    widths: Mapping[str, int]
    seconds: float
    skip_unknown: bool
    everything: bool = False
    every: bool = False
    by_item: bool = False
    success: frozenset[str] = SUCCESS
    guards: bool = True
    success_told: bool = False


def successes(told: str | None) -> frozenset[str]:
    """What ``--success ok,passed`` says."""
    return SUCCESS if told is None else frozenset(part.strip().lower() for part in told.split(","))


def mine_log(log: str | None, store: str | None, options: LogOptions, asked: Asked, page: Page) -> Mined:
    """Everything that is asked about the log, which is a file or a session. Raises PetriError."""
    plan = None if asked.diff is None else given_plan(asked.diff)
    with Watch() as watch:
        watch.doing("reading")
        name, read, session = source_of(log, store, options, asked, watch.events)
        watch.clear()
        complain(read, page)
        algorithm = asked.algorithm
        if algorithm == "auto":
            algorithm = "alpha" if session else "inductive"
            if session and asked.coverage != 100:
                said = "sessions are mined by alpha, which has no coverage: --algorithm inductive has"
                raise typer.BadParameter(said, param_hint="--coverage")
        guards: Sequence[GuardProposal] = ()
        retries: Sequence[RetryAdvice] = ()
        outcomes = outcomes_in(read, options, asked.success, told=asked.success_told)
        if asked.model is None and plan is None and not session and read.n_events <= MAX_EVENTS:
            watch.doing("looking for capacities")
            guards = guard_proposals(read)
            retries = _retries(read, outcomes, asked.success)
        found, graph, fit = None, None, None
        examples = max(EXAMPLES, read.n_cases) if asked.everything else EXAMPLES
        budget = Budget(MAX_STATES, asked.seconds)
        if asked.model is not None:
            found = given(asked.model, read, asked.widths, budget)
        elif plan is None and algorithm == "dfg":
            graph = _graph(read)
        elif plan is None and algorithm != "dfg":
            watch.doing("looking for a model")
            held = guards if asked.guards else ()
            found = find(read, algorithm, asked.coverage, budget, held) if read.n_cases else None
        if found is not None:
            watch.doing(f"aligning {len(read.variants):,} variants")
            try:
                fit = fit_of(read, found, asked.seconds, skip_unknown=asked.skip_unknown, examples=examples)
            except PetriError as error:
                if asked.model is not None or error.code not in NO_RUN:
                    raise  # what a miner finds may have no complete run: that is told, and is nobody's mistake
                found = replace(found, notes=[*found.notes, f"no fitness: {error.message}"])
        told = None if plan is None else difference(read, plan, examples=examples)
    return Mined(
        name, read, found, fit, graph, told, asked.diff or "", guards, retries, outcomes, asked.everything,
        _note(read) if session else "",
    )  # fmt: skip


def _note(log: Log) -> str:
    """That a session is a case for each revision under which work was done, where one has several."""
    revisions: dict[str, set[str]] = {}
    for case in log.cases:
        session, _, revision = case.rpartition("@")
        revisions.setdefault(session, set()).add(revision.partition("/")[0])
    revised = sum(len(found) > 1 for found in revisions.values())
    if not revised:
        return ""
    who = f"{revised:,} of {many(len(revisions), 'session')}" if len(revisions) > 1 else "the session"
    return f"{who} went on under another revision of its plan: each revision's work is a case of its own"


def _graph(log: Log) -> Graph:
    """Of activities in the order of their names, whichever case came first."""
    follows = directly_follows(log).by_name()
    number = {name: k for k, name in enumerate(follows.activities)}
    code = [number[name] for name in log.activities]
    times = {(code[a], code[b]): spread for (a, b), spread in follow_times(log).items()}
    return Graph(follows, times, {code[a]: spread for a, spread in activity_times(log).items()})


def _retries(log: Log, outcomes: Sequence[Outcome], success: frozenset[str]) -> Sequence[RetryAdvice]:
    """Retry limits that a foreign log suggests (of sessions petri insights knows them). Nothing is known where a start
    and a complete are two events, and where no outcome is a success."""
    doubled = any(p.code == "PETRI_LOG_LIFECYCLE" for p in log.problems)
    if doubled or (outcomes and not any(o.success for o in outcomes)):
        return []
    return retry_advice(runs_of(log, outcomes_of(log) if outcomes else None, success))


def outcomes_in(log: Log, options: LogOptions, success: frozenset[str], *, told: bool = False) -> Sequence[Outcome]:
    """How events went. What was only guessed by its name, and holds no success, is something else. Raises BadParameter
    where the successes are ``told``, and nothing has an outcome."""
    found = count_outcomes(log, success)
    if told and not found:
        raise typer.BadParameter("the log tells no outcomes: --outcome names their column", param_hint="--success")
    return found if options.columns.outcome is not None or any(o.success for o in found) else []


def source_of(
    log: str | None, store: str | None, options: LogOptions, asked: Asked, progress: Callable[[int], None]
) -> tuple[str, Log, bool]:
    """(name, log, whether it is a session's): the file that ``log`` names, else the session of that name."""
    if log is not None and is_file(log) and not asked.by_item and not names_session(log, store):
        return STDIN_NAME if log == STDIN else log, read_file(log, options, progress), False
    if log is not None and not is_session(log, store):
        if is_file(log):
            raise typer.BadParameter(f"items are of sessions, and {log} is a file", param_hint="--by-item")
        raise neither(log, store)
    refuse_of_session(_of_files(options, asked))
    return *log_of_sessions(log, store, every=asked.every, by_item=asked.by_item), True


def _of_files(options: LogOptions, asked: Asked) -> list[str]:
    """The options that say how a file is read, of those that were given."""
    told = [f"--{role}" for role in options.columns.named()]
    for name in ("classifier", "encoding", "time_format", "strict"):
        if getattr(options, name):
            told.append(f"--{name.replace('_', '-')}")
    told += ["--lifecycle"] * (options.lifecycle != "events")
    return told + ["--success"] * asked.success_told


def read_file(path: str, options: LogOptions, progress: Callable[[int], None]) -> Log:
    """The log in a file. Raises PetriError."""
    from petri_cli.formats.logs import read_log

    source = one_source(path)
    if source.path is None:
        return read_log(read_source(source), options, name=source.name, progress=progress)
    return read_log(Path(source.path), options, name=source.name, progress=progress)


def complain(log: Log, page: Page) -> None:
    """What was wrong with the log: the first problems one by one, all of them counted."""
    page.errors(log.problems[:MAX_PROBLEMS])
    rest = Counter(p.code for p in log.problems[MAX_PROBLEMS:])
    for code, n in rest.items():
        page.error_lines([[("dim", f"and {n:,} more of {code} (--strict refuses such a log)")]])


def fit_of(log: Log, found: Found, seconds: float, *, skip_unknown: bool = False, examples: int = EXAMPLES) -> Fit:
    """Conformance, at most about ``seconds`` for each of its parts. examples: cases that each deviation names."""

    def until(parts: int = 1) -> Callable[[], bool]:
        end = time.monotonic() + parts * seconds
        return lambda: time.monotonic() > end

    groups = found.groups or (Group((), found.model, tuple(range(len(log.variants)))),)
    aligned = align_groups(log, groups, deadline=until())
    replay = None
    with suppress(OutOfTimeError):
        replay = replay_groups(log, groups, skip_unknown=skip_unknown, deadline=until(), play_deadline=until(2))
    value = precision_groups(aligned, until()).value if aligned.exact else None
    return Fit(
        aligned,
        replay,
        value,
        simplicity(found.model.net),
        deviations(aligned, examples=examples),
        () if replay is None else place_deviations(replay, examples=examples),
    )


def show(mined: Mined, page: Page, *, everything: bool, chart: bool) -> None:
    """The whole page for a person."""
    look = page.look
    page.lines(draw_log(mined.name, mined.log, look, everything=everything, note=mined.note))
    if chart:
        from petri_cli.render.mining_chart import draw_chart

        page.lines(draw_chart(mined.log, look))
    if mined.graph is not None:
        page.lines(draw_graph(mined.graph, look, everything=everything))
    if mined.found is not None:
        page.lines(draw_model(mined.found, look, everything=everything))
    if mined.fit is not None:
        page.lines(draw_fit(mined.fit, mined.log, look, everything=everything))
        page.lines(draw_traces(mined.fit.aligned, look, everything=everything))
    page.lines(draw_advice(mined.guards, mined.retries, look, outcomes=mined.outcomes, everything=everything))
    if mined.difference is not None:
        page.lines(draw_difference(mined.plan, mined.difference, look, everything=everything))


def as_json(mined: Mined) -> str:
    """As in ``schemas/mining.schema.json``."""
    return mined_json(mined)


def below(mined: Mined, limit: float | None) -> bool:
    """Whether the fitness is, or may be, below ``limit``."""
    if limit is None or mined.found is None:
        return False
    return mined.fit is None or mined.fit.aligned.fitness()[0] < limit
