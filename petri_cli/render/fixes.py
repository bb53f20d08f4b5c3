"""The ways out of an unsound plan: of each kind the cheapest, with the place that it changes."""

from __future__ import annotations

from petri_cli.render.look import KEEP, Line, Look, wrap
from petri_cli.soundness.fixes import KINDS, Fix, Fixes

INDENT = "  "
DEEPER = "    "
COLUMN = 10
MAX_PLACES = 3


def draw_fixes(fixes: Fixes, look: Look, *, whole: bool = False) -> list[Line]:
    """A heading, a line a fix, how to make it; what could not be edited. whole: all fixes, not the best of a kind."""
    lines: list[Line] = []
    if fixes.found:
        remark = (
            "with any of these edits the plan is SOUND" if len(fixes.found) > 1 else "with this edit the plan is SOUND"
        )
        lines.append([("", INDENT), ("strong", "Ways out"), ("dim", f"  {remark}")])
        shown = fixes.found if whole else [f for f in (fixes.best(kind) for kind in KINDS) if f is not None]
        for fix in sorted(shown, key=fixes.found.index):
            others = 0 if whole else sum(f.kind == fix.kind for f in fixes.found) - 1
            lines += _drawn(fix, others, look)
        which = "the first, --fix-kind another" if len(shown) > 1 else "the edit"
        lines += wrap([("dim", f"petri analyze --fix makes {which}; --diff shows it.")], look.width, DEEPER)
    for note in fixes.notes:
        place = f" ({note.where})" if note.where.line else ""
        if note.code == "PETRI_CANNOT_EDIT":
            text = f"Not offered: {note.message}{place}."
        else:
            text = f"{note.message[:1].upper()}{note.message[1:]}."
        lines += wrap([("dim", text)], look.width, DEEPER if fixes.found else INDENT)
    return lines


def _drawn(fix: Fix, others: int, look: Look) -> list[Line]:
    kind = f"{fix.kind}:".ljust(COLUMN).replace(" ", KEEP)
    more = f"; or {others} more of this kind" if others else ""
    text: Line = [("", f"{kind}{fix.description}"), ("dim", f"{more} ({_place(fix)})")]
    return wrap(text, look.width, DEEPER, DEEPER + " " * COLUMN)


def _place(fix: Fix) -> str:
    """``file:line``, and the lines of the edits that follow."""
    first, *more = (e.where for e in fix.edits)
    lines = [str(w.line) for w in more[:MAX_PLACES]] + (["…"] if len(more) > MAX_PLACES else [])
    return ", ".join([f"{first.file}:{first.line}", *lines])
