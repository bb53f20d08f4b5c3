"""``petri mine``: a log read, a model found in it, judged by the gate, and set beside the log again."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from petri_cli.api import analyze
from petri_cli.cli.exit import Exit
from petri_cli.cli.inputs import one_source, read_source
from petri_cli.errors import PetriError
from petri_cli.formats.log_options import LogOptions
from petri_cli.mining.alignments import align
from petri_cli.mining.alpha import alpha
from petri_cli.mining.deviations import deviations, place_deviations
from petri_cli.mining.dfg import directly_follows
from petri_cli.mining.log import Log
from petri_cli.mining.model import LabelledNet
from petri_cli.mining.precision import precision
from petri_cli.mining.token_replay import token_replay
from petri_cli.render.mining import Fit, draw_fit, draw_graph, draw_log, draw_model
from petri_cli.render.page import Page
from petri_cli.soundness.result import Budget, Result

Algorithm = Literal["alpha", "inductive", "dfg"]
SCHEMA = "petri.mining/1"


@dataclass(frozen=True, slots=True)
class Found:
    """A model. rows: what it is, in words; notes: where the miner is blind on this log; text: of the plan, if any."""

    title: str
    model: LabelledNet
    rows: Sequence[str]
    notes: Sequence[str] = ()
    text: str = ""


@dataclass(frozen=True, slots=True)
class Mined:
    """All of it, to be told."""

    name: str
    log: Log
    found: Found | None
    result: Result | None
    fit: Fit | None


def read(path: str, options: LogOptions) -> Log:
    """The log in a file. Raises PetriError."""
    from petri_cli.formats.logs import read_log

    source = one_source(path)
    if source.path is None:
        return read_log(read_source(source), options, name=source.name)
    return read_log(Path(source.path), options)


def discover(log: Log, algorithm: Algorithm, coverage: float) -> Found:
    """The model that ``algorithm`` finds."""
    if algorithm == "alpha":
        net = alpha(log)
        names = net.activities
        rows = [f"{_set(a, names)} → {_set(b, names)}" for a, b in net.pairs]
        size = f"{len(net.model.net.places)} places, {len(net.model.net.transitions)} transitions"
        return Found(f"Found by alpha  {size}", net.model, rows, net.warnings())
    from petri_cli.mining.discover import inductive_model

    tree, model, text = inductive_model(log, coverage)
    return Found("Found by the inductive miner", model, [str(tree)], (), text)


def _set(activities: Sequence[int], names: Sequence[str]) -> str:
    told = ", ".join(names[a] for a in activities)
    return told if len(activities) == 1 else f"{{{told}}}"


def judge(found: Found, budget: Budget) -> Result:
    """The gate's word on a model."""
    return analyze(found.model.net, budget=budget)


def fit_of(log: Log, model: LabelledNet, seconds: float) -> Fit:
    """Conformance, at most about ``seconds`` for each of its parts."""

    def until() -> Any:
        end = time.monotonic() + seconds
        return lambda: time.monotonic() > end

    aligned = align(log, model, deadline=until())
    replay = token_replay(log, model, deadline=until())
    value = precision(aligned).value if aligned.exact else None
    return Fit(aligned, replay, value, deviations(aligned), place_deviations(replay))


def show(mined: Mined, page: Page, *, everything: bool, graph: bool) -> None:
    """The whole page for a person."""
    page.lines(draw_log(mined.name, mined.log, page.look, everything=everything))
    if graph:
        page.lines(draw_graph(directly_follows(mined.log), page.look, everything=everything))
    if mined.found is not None and mined.result is not None:
        page.lines(draw_model(mined.found.title, mined.found.rows, mined.found.notes, mined.result, page.look))
    if mined.fit is not None:
        page.lines(draw_fit(mined.fit, mined.log, page.look))


def mined_data(mined: Mined) -> Mapping[str, Any]:
    """As in ``schemas/mining.schema.json``."""
    log = mined.log
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "log": mined.name,
        "cases": log.n_cases,
        "events": log.n_events,
        "activities": list(log.activities),
        "variants": [
            {"trace": log.named(log.variants[k]), "cases": log.counts[k]}
            for k in sorted(range(len(log.variants)), key=lambda k: (-log.counts[k], k))
        ],
        "dropped": dict(log.dropped),
        "model": None,
        "fit": None,
    }
    if mined.found is not None and mined.result is not None:
        net = mined.found.model.net
        data["model"] = {
            "title": mined.found.title.split("  ")[0],
            "places": len(net.places),
            "transitions": len(net.transitions),
            "verdict": mined.result.verdict.value,
            "warnings": list(mined.found.notes),
            "plan": mined.found.text or None,
        }
    if mined.fit is not None:
        data["fit"] = fit_data(mined.fit)
    return data


def fit_data(fit: Fit) -> dict[str, Any]:
    low, high = fit.aligned.fitness()
    least, most = fit.aligned.cost()
    c = fit.replay.total
    return {
        "fitness": {"lower": low, "upper": high},
        "cost": {"lower": least, "upper": most},
        "fittingCases": list(fit.aligned.fitting_cases()),
        "replay": {
            "fitness": c.fitness, "missing": c.missing, "consumed": c.consumed, "remaining": c.remaining,
            "produced": c.produced,
        },
        "precision": fit.precision,
        "deviations": [
            {
                "activity": d.activity, "extra": d.extra, "skipped": d.skipped, "cases": d.cases,
                "examples": list(d.examples), "known": d.known,
            }
            for d in fit.deviations
        ],
        "places": [
            {
                "place": p.place, "missing": p.missing, "remaining": p.remaining, "cases": p.cases,
                "examples": list(p.examples),
            }
            for p in fit.places
        ],
    }  # fmt: skip


def mined_json(mined: Mined) -> str:
    """:func:`mined_data` as text."""
    return json.dumps(mined_data(mined), indent=2, ensure_ascii=False) + "\n"


def write_model(found: Found, path: str, spare: Sequence[str | None]) -> None:
    """Write the model as the ending of ``path`` says. Raises PetriError ``PETRI_CANNOT_WRITE``."""
    from petri_cli.api import export
    from petri_cli.cli.streams import Output

    ending = Path(path).suffix.lower()
    if ending in (".yaml", ".yml") and found.text:
        text = found.text
    elif ending in _EXPORTS:
        text = export(found.model.net, _EXPORTS[ending])
    else:
        known = ", ".join(_EXPORTS)
        message = f"it is not known what to write to `{path}`: the ending says it"
        raise PetriError("PETRI_CANNOT_WRITE", message, hint=f"one of {known}; .yaml is a plan, of the inductive miner")
    with Output(path, spare=spare) as out:
        out.write(text)


_EXPORTS: Mapping[str, Any] = {".pnml": "pnml", ".dot": "dot", ".mmd": "mermaid", ".svg": "svg", ".json": "json"}


def exit_of(mined: Mined, fail_under: float | None) -> Exit:
    """1 when the fitness is, or may be, below ``fail_under``."""
    if fail_under is None or mined.fit is None:
        return Exit.OK
    low, _ = mined.fit.aligned.fitness()
    return Exit.OK if low >= fail_under else Exit.UNSOUND


def source_of(log: str | None, store: str | None, options: LogOptions) -> tuple[str, Log, bool]:
    """(name, log, whether it is a session's): the file that ``log`` names, else the session of that name."""
    if log is not None and (log == "-" or Path(log).exists()):
        return log, read(log, options), False
    from petri_cli.cli.store import opened, session_of, store_path

    if log is not None and not store_path(store).exists():
        return log, read(log, options), False  # says that there is no such file
    from petri_cli.mining.session_log import session_log

    with opened(store) as sessions:
        name = session_of(sessions, log)
        return name, session_log(entry.event for entry in sessions.read(name)), True


def given(path: str) -> Found:
    """The model in a file: a plan, lowered with cyclic loops, or a net. Raises PetriError."""
    from petri_cli.api import load_data
    from petri_cli.formats.detect import kind_of
    from petri_cli.formats.pnml_labelled import read_labelled_pnml
    from petri_cli.plan.lower import lower_workflow
    from petri_cli.plan.model import Plan

    source = one_source(path)
    data = read_source(source)
    if kind_of(source.name, data) == "pnml":
        model, _ = read_labelled_pnml(data, source.name)
        return Found(f"The model  {source.name}", model, [])
    subject, _ = load_data(data, source.name)
    if isinstance(subject, Plan):
        lowered = lower_workflow(subject)
        labels = {f"t.{t.id}": t.id for t in subject.tasks()}
        return Found(f"The plan  {source.name}", LabelledNet(lowered.net, labels), [])
    return Found(
        f"The net  {source.name}", LabelledNet(subject, {t.id: t.name or t.id for t in subject.transitions}), []
    )
