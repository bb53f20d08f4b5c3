"""From drafts to the finished tree: ids where none were written, the ends of subtrees."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from petri_cli.errors import Position
from petri_cli.plan.load_walk import Draft
from petri_cli.plan.model import PlanNode
from petri_cli.plan.words import PATTERNS

PREFIX = {"guard": "g", "parallel": "", "choice": ""}
"""What generated ids of a kind begin with."""


def build_nodes(drafts: Sequence[Draft], file: str) -> tuple[PlanNode, ...]:
    """The nodes of a flow without errors, in pre-order."""
    for kind, prefix in PREFIX.items():
        _number([d for d in drafts if d.kind == kind], prefix)
    ends = _ends(drafts)
    return tuple(_node(draft, end, file) for draft, end in zip(drafts, ends, strict=True))


def _number(drafts: Sequence[Draft], prefix: str) -> None:
    """Give ids to those of one kind that have none: their ordinal among all of the kind, in pre-order.

    So naming one does not rename the others. Where a written id occupies that name, the next number that nobody has
    (nor will get as its ordinal) is taken.
    """
    taken = {d.id for d in drafts if d.id is not None}
    late: list[tuple[int, Draft]] = []
    for ordinal, draft in enumerate(drafts, 1):
        if draft.id is None:
            name = f"{prefix}{ordinal}"
            if name in taken:
                late.append((ordinal, draft))
            else:
                draft.id = name
    taken |= {d.id for d in drafts if d.id is not None}
    number = 0
    for ordinal, draft in late:
        number = max(number, ordinal)
        while (name := f"{prefix}{number}") in taken:
            number += 1
        draft.id = name
        taken.add(name)


def _ends(drafts: Sequence[Draft]) -> list[int]:
    """One past the last descendant of each, children before parents."""
    ends = [0] * len(drafts)
    for draft in reversed(drafts):
        ends[draft.index] = ends[draft.children[-1]] if draft.children else draft.index + 1
    return ends


def _node(draft: Draft, end: int, file: str) -> PlanNode:
    key = draft.key
    where = Position(file, key.line, key.column)
    make: Any = PATTERNS[draft.kind]
    node: PlanNode = make(draft.index, draft.parent, tuple(draft.children), end, where, draft.id or "", **draft.values)
    return node
