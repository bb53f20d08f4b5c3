"""SARIF 2.1.0 (OASIS, 2020), the format of code scanning: one result a finding, its run as a code flow.

What is sound is listed under ``artifacts`` alone: several readers of SARIF show every result as something to look at.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from petri_cli.api import Analysis
from petri_cli.errors import NOWHERE, Position, Problem
from petri_cli.net.firing import Step
from petri_cli.plan.model import Plan
from petri_cli.render.concise import remedy, where_of
from petri_cli.render.look import visible
from petri_cli.render.origins import Origins
from petri_cli.render.page import Page
from petri_cli.render.phrase import amount, listed
from petri_cli.render.tally import Tally, say_summary
from petri_cli.soundness.result import Counterexample, Result, Verdict, Wait
from petri_cli.version import __version__

if TYPE_CHECKING:
    from petri_cli.soundness.fixes import Fix

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
MAX_STEPS = 1_000
"""Steps of a code flow; of a longer run these are the last ones."""
FINGERPRINT = "petri/codeAndPath/v1"

Json = dict[str, Any]


def report(analyses: Iterable[Analysis], page: Page) -> None:
    """Write one SARIF document, once every file is judged; what is wrong with a file is said as a complaint as well."""
    tally = Tally()
    results: list[Json] = []
    artifacts: list[Json] = []
    faults: list[Json] = []
    for a in analyses:
        tally.add(a, 1)
        page.errors(a.problems)
        artifacts.append({"location": _artifact(a.file), "roles": ["analysisTarget"], **_answer(a)})
        for p in a.problems:
            results.append(_problem(p, a.file))
            if p.code == "PETRI_INTERNAL_FAULT":
                faults.append({"level": "error", "message": _message(p.message), "locations": _locations(p.where)})
        if a.result is not None:
            results += _verdict(a, a.result)
            results += [] if page.quiet else [_problem(p, a.file) for p in a.warnings]
    codes = sorted({r["ruleId"] for r in results})
    for r in results:
        r["ruleIndex"] = codes.index(r["ruleId"])
    invocation: Json = {"executionSuccessful": not faults}
    if faults:
        invocation["toolExecutionNotifications"] = faults
    run = {
        "tool": {"driver": {"name": "petri", "version": __version__, "rules": [_rule(code) for code in codes]}},
        "invocations": [invocation],
        "artifacts": artifacts,
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    document = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    page.write(json.dumps(document, indent=2, ensure_ascii=False) + "\n")
    say_summary(tally, page)


def _answer(a: Analysis) -> Json:
    if a.result is None:
        return {}
    r = a.result
    return {"properties": {"verdict": r.verdict.value, "evidence": r.evidence, "assumptions": list(r.assumptions)}}


# rules


def _rule(code: str) -> Json:
    """The page of a code, as the rule that a finding breaks."""
    from petri_cli.data import read
    from petri_cli.render.code_page import first_sentence

    try:
        text = read("codes", code)
    except KeyError:
        return {"id": code}
    _, _, rest = text.partition("\n")
    paragraph = " ".join(rest.strip().split("\n\n")[0].split())
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in code.removeprefix("PETRI_").split("_")),
        "shortDescription": {"text": first_sentence(text)},
        "fullDescription": {"text": paragraph},
        "help": {"text": rest.strip(), "markdown": rest.strip()},
        "properties": {"tags": ["petri-net", "soundness" if "_UNSOUND_" in code else "plan"]},
    }


# results


def _problem(p: Problem, file: str) -> Json:
    where = p.where if p.where.file else Position(file, p.where.line, p.where.column, p.where.path)
    hint = f" ({p.hint})" if p.hint else ""
    result = _result(p.code, p.severity, p.message + hint, where)
    if p.related:
        result["relatedLocations"] = [{"id": k, **_location(r)} for k, r in enumerate(p.related, 1)]
    return result


def _verdict(a: Analysis, r: Result) -> Iterator[Json]:
    if r.verdict is Verdict.SOUND:
        return
    if r.counterexample is None:
        hint = f" ({remedy(r)})" if remedy(r) else ""
        level = "warning" if r.verdict is Verdict.UNKNOWN else "error"
        yield _result(r.code, level, r.message + hint, Position(a.file))
        return
    cx = r.counterexample
    fixes = a.fixes.found if a.fixes is not None else ()
    text = "\n".join([cx.sentence, r.message, *_ways_out(fixes)])
    result = _result(r.code, "error", text, where_of(a))
    others = [w for w in cx.waits if w.where.line and w.where != where_of(a)]
    if others:
        result["relatedLocations"] = [
            {"id": k, **_location(w.where), "message": _message(_waiting(w))} for k, w in enumerate(others, 1)
        ]
    flow = _flow(a, cx)
    if flow:
        result["codeFlows"] = [{"message": _message(cx.sentence), "threadFlows": [{"locations": flow}]}]
    if fixes:
        result["fixes"] = [_fix(f) for f in fixes]
    yield result


def _ways_out(fixes: Sequence[Fix]) -> list[str]:
    if not fixes:
        return []
    return ["Ways out, each proved to make the plan SOUND:", *(f"- {f.kind}: {f.description}" for f in fixes)]


def _result(code: str, level: str, text: str, where: Position) -> Json:
    mark = sha256("\0".join((code, where.file, where.path)).encode(errors="surrogatepass")).hexdigest()
    return {
        "ruleId": code,
        "ruleIndex": 0,
        "level": level,
        "message": _message(text),
        "locations": _locations(where),
        "partialFingerprints": {FINGERPRINT: mark[:32]},
    }


def _flow(a: Analysis, cx: Counterexample) -> list[Json]:
    """A location a step of the run, one a step of its pump, and one a branch that waits in the end."""
    origins = Origins(a.subject) if isinstance(a.subject, Plan) else None
    steps = [*cx.run, *cx.pump]
    first = max(0, len(steps) - MAX_STEPS)
    flow = [
        _flow_location(_told(cx, k, step), _where(a, origins, step), k + 1, step.transition)
        for k, step in enumerate(steps[first:], first)
    ]
    for wait in cx.waits[: max(0, MAX_STEPS - len(flow))]:
        where = wait.where if wait.where.line else Position(a.file)
        last = _flow_location(_waiting(wait), where, len(steps) + 1, wait.transition)
        flow.append({**last, "importance": "essential"})
    return flow


def _where(a: Analysis, origins: Origins | None, step: Step) -> Position:
    where = NOWHERE if origins is None else origins.where(step.transition)
    return where if where.line else Position(a.file)


def _told(cx: Counterexample, k: int, step: Step) -> str:
    """The step in the words of the plan, else by its name."""
    text = cx.told[k] if k < len(cx.told) else step.transition
    return f"again and again: {text}" if k >= len(cx.run) else text


def _waiting(w: Wait) -> str:
    held = f", held by {listed(list(w.holders), 'and', limit=8)}" if w.holders else ""
    return f"{w.who} waits for {amount(w.resource, w.needs)}{held}"


def _flow_location(text: str, where: Position, order: int, transition: str) -> Json:
    logical = [{"fullyQualifiedName": visible(transition), "kind": "transition"}]
    location = {**_location(where), "logicalLocations": logical, "message": _message(text)}
    return {"location": location, "executionOrder": order}


def _fix(fix: Fix) -> Json:
    """The edits as replacements: a viewer can make them."""
    replacements = [
        {
            "deletedRegion": {
                "startLine": e.where.line,
                "startColumn": e.where.column,
                "endLine": e.end[0],
                "endColumn": e.end[1],
            },
            "insertedContent": {"text": e.replacement},
        }
        for e in fix.edits
    ]
    change = {"artifactLocation": _artifact(fix.edits[0].where.file), "replacements": replacements}
    return {"description": _message(f"{fix.kind}: {fix.description}"), "artifactChanges": [change]}


# places


def _locations(where: Position) -> list[Json]:
    return [_location(where)] if where.file else []


def _location(where: Position) -> Json:
    physical: Json = {"artifactLocation": _artifact(where.file)}
    if where.line:
        physical["region"] = {"startLine": where.line, "startColumn": max(1, where.column)}
    location: Json = {"physicalLocation": physical}
    if where.path:
        location["logicalLocations"] = [{"fullyQualifiedName": visible(where.path)}]
    return location


def _artifact(file: str) -> Json:
    """A file as a URI: relative to the root of the sources, or an absolute one."""
    path = quote(file.encode(errors="surrogateescape"), safe="/")
    if file.startswith("/"):
        return {"uri": f"file://{path}"}
    return {"uri": path, "uriBaseId": "%SRCROOT%"}


def _message(text: str) -> Json:
    return {"text": _escaped("\n".join(visible(line) for line in text.split("\n")))}


def _escaped(text: str) -> str:
    """Braces stand for placeholders in a message (§3.11.5), unless they are doubled."""
    return text.replace("{", "{{").replace("}", "}}")
