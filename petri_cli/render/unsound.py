"""UNSOUND: the state the plan would have died in, told so that nobody needs to know what a Petri net is.

In order: the one sentence; how it gets there, a lane a branch; the circle of waiting; the lines of the file; what would
help; and last, for those who look for it, the marking and the message with its counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from petri_cli.api import Analysis
from petri_cli.errors import Position
from petri_cli.render.circle import draw_circle
from petri_cli.render.excerpt import Mark, excerpt
from petri_cli.render.lanes import draw_lanes, styles_of
from petri_cli.render.look import KEEP, Line, Look, wrap
from petri_cli.render.page import Page
from petri_cli.render.phrase import amount, listed, many, together
from petri_cli.render.words import Words
from petri_cli.soundness.result import Counterexample, Result, Wait

INDENT = "  "
DEEPER = "    "
MAX_MARKS = 10
MAX_SHARES = 3


def draw_unsound(a: Analysis, r: Result, page: Page) -> list[Line]:
    """The whole block of one unsound file."""
    look = page.look
    cx = r.counterexample
    block: list[Line] = [[("bad", "✗ UNSOUND"), ("", "  "), ("strong", a.file)]]
    if cx is not None:
        block += wrap(_sentence(cx.sentence, styles_of(cx), look), look.prose, INDENT)
    block += _widths(r, look)
    if cx is not None:
        block += _counterexample(a, cx, page)
    if cx is None or not cx.waits or page.verbose:
        block += _conditions(r, look)
    block += _way_out(a, r, page)
    if page.verbose:
        from petri_cli.render.text import stats

        figures = stats(r, look)
        block += [[], *figures] if figures else []
    if cx is not None and cx.kind != "deadTransition":
        block += [[], *_state(cx, look)]
    return [
        *block,
        [],
        *wrap([("dim", r.message)], look.prose, INDENT),
        [("dim", f"{INDENT}More: petri explain {r.code}")],
    ]


def _counterexample(a: Analysis, cx: Counterexample, page: Page) -> list[Line]:
    look = page.look
    styles = styles_of(cx)
    block: list[Line] = []
    if cx.run:
        block += [[], _heading("How it gets there", _length_of(cx))]
        block += _run(a, cx, page)
    if cx.pump:
        from petri_cli.render.steps import list_steps

        block += [[], _heading("What can be repeated for ever", many(len(cx.pump), "step"))]
        block += list_steps(cx.pump, look, first=len(cx.run) + 1)
    drawn = draw_circle(cx.waits, styles, look)
    if drawn:
        block += [[], _heading("Who waits for whom"), *drawn]
    marks = _marks(cx.waits, styles)
    where = excerpt(a.source, marks if page.verbose else marks[:MAX_MARKS], look)
    if where:
        block += [[], _heading("Where"), *where]
        if len(marks) > MAX_MARKS and not page.verbose:
            block.append([("dim", f"{DEEPER}and {many(len(marks) - MAX_MARKS, 'guard')} more (--verbose shows all)")])
    return block


def _sentence(text: str, styles: Mapping[str, str], look: Look) -> Line:
    """The sentence with each participant in its colour; where there is none, the backticks stay."""
    parts = text.split("`")
    if not look.colour or len(parts) % 2 == 0:
        return [("strong", text)]
    return [(styles.get(part, "strong") if k % 2 else "strong", part) for k, part in enumerate(parts)]


def _heading(text: str, remark: str = "") -> Line:
    return [("", INDENT), ("strong", text), ("dim", f"  {remark}" if remark else "")]


def _length_of(cx: Counterexample) -> str:
    steps = many(len(cx.run), "step")
    if cx.shortest:
        return f"{steps}, no run is shorter"
    return f"{steps}, none of which can be left out" if cx.minimal else f"{steps}, some of which may be left out"


def _run(a: Analysis, cx: Counterexample, page: Page) -> list[Line]:
    if cx.waits:
        return draw_lanes(cx, Words(cx.net, plan=a.kind == "plan"), page.look, whole=page.verbose)
    from petri_cli.render.steps import draw_steps

    return draw_steps(cx.net, cx.run, page.look, whole=page.verbose)


def _marks(waits: Sequence[Wait], styles: Mapping[str, str]) -> list[Mark]:
    """Each guard of the deadlock once: where units were taken, where the next ones are waited for."""
    said: dict[Position, dict[str, list[tuple[str, int]]]] = {}
    for w in waits:
        for h in w.holds:
            said.setdefault(h.where, {}).setdefault(f"hold {amount(h.resource, h.units)}", []).append((w.who, h.step))
        said.setdefault(w.where, {}).setdefault(f"wait here for {amount(w.resource, w.needs)}", []).append((w.who, 0))
    marks = []
    for where, deeds in said.items():
        label: Line = []
        for what, who in deeds.items():
            label += [("", "; " if label else ""), *_said(what, who, styles)]
        first = next(iter(deeds.values()))[0][0]
        marks.append(Mark(where, label, styles.get(first, "strong"), named=True))
    return marks


def _said(what: str, who: list[tuple[str, int]], styles: Mapping[str, str]) -> Line:
    """``w1 holds A since step 2``, ``align[1] to align[4] each wait here for worker``.

    Units taken in one step are held by all who run below the guard: ``w1 and w2 together hold A since step 2``.
    """
    by_step: dict[int, list[str]] = {}
    for name, n in who:
        by_step.setdefault(n, []).append(name)
    names = [name for name, _ in who]
    if len(names) == 1 or (len(by_step) == 1 and 0 not in by_step):
        return _held_in_one(what, names, who[0][1], styles)
    if 0 in by_step or len(by_step) == len(who):
        return [("strong", together(names)), ("", f" each {what}")]
    if len(by_step) > MAX_SHARES:
        return [("strong", together(names)), ("", f" {what}, those of one item together")]
    shares = [_held_in_one(what, share, n, styles) for n, share in by_step.items()]
    return [span for k, share in enumerate(shares) for span in ([("", "; "), *share] if k else share)]


def _held_in_one(what: str, names: list[str], step: int, styles: Mapping[str, str]) -> Line:
    since = f" since step {step}" if step else ""
    if len(names) > 1:
        return [("strong", together(names)), ("", f" together {what}{since}")]
    verb, _, rest = what.partition(" ")
    return [(styles.get(names[0], "strong"), names[0]), ("", f" {verb}s {rest}{since}")]


def _state(cx: Counterexample, look: Look) -> list[Line]:
    """The marking, as it is in the machine-readable report."""
    end = "The state it stops in" if cx.kind == "deadlock" else "The state after that"
    tokens = [f"{place}:{KEEP}{n}" for place, n in sorted(cx.marking.items())]
    marking = wrap([("dim", ", ".join(tokens) or "no token is left anywhere")], look.width, DEEPER)
    return [_heading(end, "tokens by place, as in JSON"), *marking]


def _conditions(r: Result, look: Look) -> list[Line]:
    from petri_cli.render.text import conditions

    lines = conditions(r, look)
    return [[], *lines] if lines else []


def _widths(r: Result, look: Look) -> list[Line]:
    """From how many items on it can happen."""
    lines: list[Line] = []
    for fid, n in sorted(r.smallest_width.items()):
        fine = "" if n <= 1 else "one item is fine; " if n == 2 else f"up to {n - 1} items are fine; "
        now = "even one item is enough." if n <= 1 else f"from {n} on it can happen."
        lines += wrap([("strong", fid), ("", f": {fine}{now}")], look.width, INDENT)
    return lines


def _way_out(a: Analysis, r: Result, page: Page) -> list[Line]:
    """What would help: the edits that were verified, or which capacity would be enough; and what else is known."""
    look = page.look
    fixes: list[Line] = []
    if a.fixes is not None:
        from petri_cli.render.fixes import draw_fixes

        fixes = draw_fixes(a.fixes, look, whole=page.verbose)
    enough = [] if a.fixes is not None and a.fixes.best("capacity") is not None else _capacities(r, look)
    lines = [*enough, *(line for note in _notes(r) for line in wrap([("", note)], look.width, INDENT))]
    return [*([[], *fixes] if fixes else []), *([[], *lines] if lines else [])]


def _capacities(r: Result, look: Look) -> list[Line]:
    """Which capacity would be enough."""
    lines: list[Line] = []
    now = {} if r.counterexample is None else r.counterexample.net.initial
    enough: dict[tuple[int, int | None], list[str]] = {}
    for rid, k in sorted(r.smallest_capacity.items()):
        if k is not None:
            enough.setdefault((k, now.get(f"r.{rid}")), []).append(rid)
    for (k, before), rids in enough.items():
        text: Line = [("", f"Capacity {k} of "), ("strong", listed(rids, "or", limit=8)), ("", " would be enough")]
        lines += wrap([*text, ("dim", f" (now{KEEP}{before})." if before is not None else ".")], look.width, INDENT)
    return lines


def _notes(r: Result) -> list[str]:
    """What else is known, as sentences; resources of which no capacity suffices come together."""
    never = [rid for rid in sorted(r.smallest_capacity) if f"no larger capacity of {rid} alone suffices" in r.detail]
    others = [d for d in r.detail if d not in {f"no larger capacity of {rid} alone suffices" for rid in never}]
    notes = [f"No larger capacity of {listed(never, 'or', limit=8)} alone would be enough."] if never else []
    return notes + [f"{d[:1].upper()}{d[1:]}." for d in others]
