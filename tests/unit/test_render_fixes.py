"""The ways out as a person reads them, and a diff as ``patch`` does."""

from __future__ import annotations

from petri_cli.errors import Position, Problem
from petri_cli.render.diff import diff
from petri_cli.render.fixes import draw_fixes
from petri_cli.render.look import Look
from petri_cli.soundness.fixes import Edit, Fix, Fixes


def fix(kind: str, cost: int, *lines: int) -> Fix:
    edits = tuple(Edit(Position("p.yaml", n, 3), (n, 4), "x") for n in lines)
    return Fix(kind, cost, f"{kind} it", edits, "lock-order", b"")


def drawn(fixes: Fixes, width: int = 80, *, whole: bool = False) -> list[str]:
    look = Look(width)
    return [look.paint(line) for line in draw_fixes(fixes, look, whole=whole)]


def test_of_each_kind_the_cheapest_is_shown_with_its_places() -> None:
    fixes = Fixes((fix("order", 1, 4), fix("wrap", 15, 1, 2, 3, 7, 8), fix("capacity", 21, 2), fix("capacity", 21, 3)))
    assert drawn(fixes) == [
        "  Ways out  with any of these edits the plan is SOUND",
        "    order:    order it (p.yaml:4)",
        "    wrap:     wrap it (p.yaml:1, 2, 3, 7, …)",
        "    capacity: capacity it; or 1 more of this kind (p.yaml:2)",
        "    petri analyze --fix makes the first, --fix-kind another; --diff shows it.",
    ]
    assert len(drawn(fixes, whole=True)) == 6
    assert max(map(len, drawn(fixes, 60))) <= 60


def test_one_fix_is_one_edit() -> None:
    assert drawn(Fixes((fix("width", 40, 9),))) == [
        "  Ways out  with this edit the plan is SOUND",
        "    width:    width it (p.yaml:9)",
        "    petri analyze --fix makes the edit; --diff shows it.",
    ]


def test_what_could_not_be_edited_is_said_and_where() -> None:
    note = Problem("PETRI_CANNOT_EDIT", "raise a: it comes out of an alias", Position("p.yaml", 3, 7))
    budget = Problem("PETRI_UNKNOWN", "not every fix was tried within the budget", Position("p.yaml"))
    assert drawn(Fixes((), (note, budget)), 200) == [
        "  Not offered: raise a: it comes out of an alias (p.yaml:3:7).",
        "  Not every fix was tried within the budget.",
    ]
    beside = drawn(Fixes((fix("order", 1, 4),), (budget,)))
    assert beside[-2].endswith("--diff shows it.")
    assert beside[-1] == "    Not every fix was tried within the budget.", "a better one may be left"
    assert drawn(Fixes()) == []


def test_a_diff_keeps_line_ends_and_says_where_there_is_none() -> None:
    assert diff("a\r\nb\u2028c", "a\r\nd\u2028c", "p.yaml") == (
        "--- p.yaml\n+++ p.yaml\n@@ -1,2 +1,2 @@\n a\r\n"
        "-b\u2028c\n\\ No newline at end of file\n+d\u2028c\n\\ No newline at end of file\n"
    )
    assert diff("a\n", "a\n", "p.yaml") == ""
