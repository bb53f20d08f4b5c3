"""What a page says of one analysed file: the verdict, the run on the drawn net, who waits for whom, the ways out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from petri_cli.api import EXPORT_WIDTH, Analysis, check_widths
from petri_cli.errors import PetriError, Problem
from petri_cli.net.firing import replay
from petri_cli.net.model import Net
from petri_cli.plan.lower import Lowered, lower_workflow
from petri_cli.plan.model import Foreach, Plan
from petri_cli.render.concise import remedy
from petri_cli.render.html.document import document
from petri_cli.render.html.drawing import draw_net, draw_plan, steps_data
from petri_cli.render.page import Page
from petri_cli.render.tally import Tally, say_summary
from petri_cli.soundness.result import Counterexample, Result, Wait
from petri_cli.version import __version__

MOST = 60_000
"""Places and transitions of a plan that are put into a page: some ten megabytes."""
AROUND = 2
"""Lines of the file shown before and after one that a finding is about."""

Json = dict[str, Any]


def report(analyses: Iterable[Analysis], page: Page) -> None:
    """Write one page about all files, once each is judged; what is wrong with a file is said as a complaint as well."""
    tally = Tally()
    files: list[Json] = []
    texts: list[str] = []
    for a in analyses:
        tally.add(a, 1)
        page.errors(a.problems)
        files.append(file_data(a))
        texts.append(_text(a))
    data = {"kind": "analysis", "version": __version__, "files": files}
    title = f"{files[0]['file']}: {files[0]['verdict'] or 'not judged'}" if len(files) == 1 else f"{len(files)} files"
    page.write(document(f"{title} · petri", data, "\n".join(texts)))
    say_summary(tally, page)


def page_of_net(subject: Plan | Net, widths: dict[str, int], file: str) -> str:
    """A page that draws ``subject`` and says nothing about it. Raises PetriError ``PETRI_UNKNOWN_FOREACH`` and
    ``PETRI_NET_TOO_LARGE``."""
    check_widths(subject, widths)
    if isinstance(subject, Plan):
        lowered = lower_workflow(subject, widths, default_width=EXPORT_WIDTH, most=MOST)
        drawing, name = draw_plan(subject, lowered), subject.name or file
        note = _widths(subject, lowered)
    else:
        from petri_cli.net.start import start_of

        drawing, name, note = draw_net(start_of(subject).net), subject.name or subject.id, ""
    data = {"kind": "net", "version": __version__, "name": name, "file": file, "drawing": drawing, "note": note}
    return document(f"{name} · petri", data, f"{name}: {len(drawing['transitions'])} transitions")


def file_data(a: Analysis) -> Json:
    """One file as the script reads it."""
    r = a.result
    data: Json = {
        "file": a.file,
        "kind": a.kind,
        "verdict": r.verdict.value if r is not None else "",
        "problems": [_problem(p) for p in a.problems],
        "warnings": [_problem(p) for p in a.warnings],
    }
    if r is None:
        return data | {"lines": _excerpt(a, [p.where.line for p in a.problems])}
    data |= {
        "evidence": r.evidence,
        "scope": a.scope,
        "code": r.code,
        "message": r.message,
        "remedy": remedy(r),
        "assumptions": list(r.assumptions),
        "detail": list(r.detail),
        "conditions": [{"name": c.name, "holds": c.holds, "detail": c.detail} for c in r.conditions],
        "figures": {k: v for k, v in sorted(r.stats.items()) if k != "seconds"},
    }
    cx = r.counterexample
    if cx is not None:
        marks = [*(w.where.line for w in cx.waits), *(h.where.line for w in cx.waits for h in w.holds)]
        data |= {
            "sentence": cx.sentence,
            "end": cx.kind,
            "shortest": cx.shortest,
            "waits": [_wait(w) for w in cx.waits],
            "lines": _excerpt(a, marks),
        }
    if a.fixes is not None:
        data["fixes"] = [
            {
                "kind": f.kind,
                "text": f.description,
                "evidence": f.evidence,
                "lines": sorted({e.where.line for e in f.edits}),
            }
            for f in a.fixes.found
        ]
        data["notes"] = [n.message for n in a.fixes.notes]
    return data | _drawn(a, r)


def _drawn(a: Analysis, r: Result) -> Json:
    """The drawing, with the run on it; of a plan that is too large to be drawn whole, what the run touches."""
    cx = r.counterexample
    if isinstance(a.subject, Plan):
        lowered = _lowered(a.subject, cx)
        if lowered is not None:
            run = (*cx.run, *cx.pump) if cx is not None else ()
            try:
                steps = steps_data(lowered.net, run, cx.told if cx is not None else ())
            except ValueError:  # the run is of another net than this one
                steps = None
            if steps is not None:
                note = _widths(a.subject, lowered)
                return {"drawing": draw_plan(a.subject, lowered), "steps": steps, "note": note, **_pump(cx)}
    net = cx.net if cx is not None else a.subject
    if not isinstance(net, Net):
        return {"note": "The plan is too large to be drawn."}
    run = (*cx.run, *cx.pump) if cx is not None else ()
    if cx is None:
        from petri_cli.net.start import start_of

        net = start_of(net).net
    return {
        "drawing": draw_net(net, run),
        "steps": steps_data(net, run, cx.told if cx else ()),
        "note": "",
        **_pump(cx),
    }


def _pump(cx: Counterexample | None) -> Json:
    """From which step on the run can be repeated for ever, where it can."""
    return {"again": len(cx.run) + 1} if cx is not None and cx.pump else {}


def _lowered(plan: Plan, cx: Counterexample | None) -> Lowered | None:
    widths, default = (dict(cx.widths), 1) if cx is not None else ({}, EXPORT_WIDTH)
    for width in dict.fromkeys((default, 1)):
        try:
            lowered = lower_workflow(plan, widths, default_width=width, most=MOST)
        except PetriError:
            continue
        if cx is None:
            return lowered
        same = {p: n for p, n in lowered.net.initial.items() if n} == replay(cx.net, ())[0]
        return lowered if same else None
    return None


def _widths(plan: Plan, lowered: Lowered) -> str:
    """How wide each foreach is drawn."""
    open_ = [n for n in plan.nodes if isinstance(n, Foreach) and n.items is None and n.id in lowered.widths]
    if not open_:
        return ""
    return "Drawn with " + ", ".join(f"{lowered.widths[n.id]} × {n.id}" for n in open_) + "."


def _wait(w: Wait) -> Json:
    return {
        "who": w.who,
        "resource": w.resource,
        "needs": w.needs,
        "free": w.free,
        "holders": list(w.holders),
        "transition": w.transition,
        "place": w.place,
        "line": w.where.line,
        "holds": [{"resource": h.resource, "units": h.units, "step": h.step, "line": h.where.line} for h in w.holds],
    }


def _problem(p: Problem) -> Json:
    return {"code": p.code, "text": p.message, "hint": p.hint, "line": p.where.line, "column": p.where.column}


def _excerpt(a: Analysis, marks: Iterable[int]) -> list[Json]:
    """The lines that findings are about, and those around them."""
    marked = {n for n in marks if 0 < n <= len(a.source)}
    shown = sorted({k for n in marked for k in range(n - AROUND, n + AROUND + 1) if 0 < k <= len(a.source)})
    return [{"n": k, "text": a.source[k - 1].rstrip("\r\n")[:400], **({"marked": True} if k in marked else {})} for k in
            shown[:200]]  # fmt: skip


def _text(a: Analysis) -> str:
    """What ``--format text`` says, for a browser without scripts."""
    from petri_cli.render.text import report as tell

    lines: list[str] = []
    tell([a], Page(lines.append, complain=lines.append))
    return "".join(lines)
