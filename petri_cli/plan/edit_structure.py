"""A plan's file with a change of its structure: edited as text, read again, and held against what was meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from petri_cli.errors import InputError, PetriError, Position
from petri_cli.plan.edit_blocks import text_edits
from petri_cli.plan.edit_changes import Change, same_but_for_ids, with_changes
from petri_cli.plan.edit_text import Sheet, TextEdit, applied, joined
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.model import Plan


@dataclass(frozen=True, slots=True)
class Edited:
    """A document after an edit. ``plan`` was read from ``data``; ``edits`` lead from the text before to the one after;
    ``places`` are the (line, column) where each begins and ends, from 1."""

    data: bytes
    plan: Plan
    edits: tuple[TextEdit, ...]
    places: tuple[tuple[tuple[int, int], tuple[int, int]], ...]


def edit_structure(data: bytes, file: str, plan: Plan, changes: Sequence[Change], sheet: Sheet | None = None) -> Edited:
    """``data``, which holds ``plan``, with the changes made. sheet: its text, where it is known already.

    Raises PetriError PETRI_CANNOT_EDIT where something is written so that an edit would change more than was meant.
    """
    sheet = sheet or Sheet(data, file)
    try:
        made = text_edits(sheet, plan, changes)
        new = sheet.encoded(applied(sheet.text, made))
    except ValueError:
        raise _cannot(file) from None
    try:
        after = load_plan_text(new, file)[0]
    except InputError:
        raise _cannot(file) from None
    if not same_but_for_ids(with_changes(plan, changes), after):
        raise _cannot(file)
    edits = joined(sheet, made)
    return Edited(new, after, edits, tuple((_place(sheet, e.start), _place(sheet, e.end)) for e in edits))


def _place(sheet: Sheet, offset: int) -> tuple[int, int]:
    return sheet.line(offset) + 1, sheet.column(offset) + 1


def _cannot(file: str) -> PetriError:
    message = "the plan is written in a way that an edit would change more of it than was meant"
    return PetriError("PETRI_CANNOT_EDIT", message, where=Position(file), hint="change the file by hand")
