"""Checking the choices of a plan: that there is a branch to take, whatever the results are."""

from __future__ import annotations

from collections.abc import Iterable

from petri_cli.errors import PetriError
from petri_cli.plan.load_fields import PlanFields
from petri_cli.plan.load_walk import Draft
from petri_cli.plan.model import Branch


def check_choices(fields: PlanFields, drafts: Iterable[Draft]) -> None:
    """Warn of choices all of whose branches have a condition, unless it is plain that one of these always holds.

    Conditions in prose are for whoever reads them; where there is one, nothing can be said.
    """
    for draft in drafts:
        branches: tuple[Branch, ...] = draft.values.get("branches", ()) if draft.kind == "choice" else ()
        conditions = [b.when for b in branches if b.when is not None]
        if conditions and len(conditions) == len(branches) and _may_all_fail(conditions):
            which = "its condition does not hold" if len(conditions) == 1 else "none of its conditions holds"
            message = f"a run comes to a stop at this choice when {which}"
            fields.note("PETRI_NO_BRANCH", message, draft.key, "add a branch without `when`", severity="warning")


def _may_all_fail(conditions: list[str]) -> bool:
    # Only imported where it is needed: most plans are read without it.
    from petri_cli.plan.coverage import one_always_holds
    from petri_cli.plan.expression import parse

    try:
        return not one_always_holds([parse(text) for text in conditions])
    except PetriError:  # prose, or a mistake that was told where it stands
        return False
