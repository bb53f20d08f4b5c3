"""The items that the discovery of a foreach came back with, where they were only described in prose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from petri_cli.driver.capture import load_result
from petri_cli.driver.naming import titled
from petri_cli.errors import PetriError
from petri_cli.plan.expression import described
from petri_cli.plan.model import Foreach
from petri_cli.session.events import Reported


class Unfit(Exception):
    """A result that cannot be what was asked for, whatever the verifier says."""


def items_found(node: Foreach, report: Reported | None) -> Sequence[Any]:
    """The list that was reported. Raises Unfit unless it is one, and no longer than ``maxWidth``."""
    items = None if report is None else report.output
    if items is None and report is not None and "output" in report.files:
        try:
            items = load_result(report.files["output"])
        except PetriError as error:
            raise Unfit(error.message) from None
    if not isinstance(items, (list, tuple)):
        what = "nothing" if items is None else described(items)
        raise Unfit(f"{titled(node)}: the items must be a list, not {what}")
    if node.max_width is not None and len(items) > node.max_width:
        raise Unfit(f"{titled(node)} found {len(items)} items; maxWidth is {node.max_width}")
    return items
