"""Checking the expressions of a plan: each one parses, and speaks of tasks that there are."""

from __future__ import annotations

from collections.abc import Collection

from petri_cli.document.fields import did_you_mean
from petri_cli.errors import PetriError
from petri_cli.plan.load_fields import PlanFields
from petri_cli.plan.words import is_expression


def check_expressions(fields: PlanFields, tasks: Collection[str] | None) -> None:
    """Note what is wrong with the texts of ``when``, ``until`` and ``over`` that hold ``${``; others are prose.

    tasks: the ids of all tasks; None where some could not be read, so that nobody knows which there are.
    """
    uses = [(what, node) for what, node in fields.expression_uses if is_expression(str(node.value))]
    if not uses:
        return
    # Only imported where it is needed: most plans are read without it.
    from petri_cli.plan.expression import parse, references
    from petri_cli.plan.expression_tree import ITEM, LOOP

    known = (*sorted(tasks), ITEM, LOOP) if tasks is not None else ()
    names = frozenset(known)
    for what, node in uses:
        try:
            found = references(parse(str(node.value)))
        except PetriError as error:
            fields.note(error.code, f"{what}: {error.message}", node, error.hint)
            continue
        for head in dict.fromkeys(reference.head for reference in found):
            if tasks is not None and head not in names:
                message = f"{what} reads the result of `{head}`, and there is no such task"
                fields.note("PETRI_UNKNOWN_TASK", message, node, did_you_mean(head, known))
