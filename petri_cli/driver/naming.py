"""What a node of the plan is called where something is said of it: its kind, its id, and where it stands."""

from __future__ import annotations

from petri_cli.errors import PetriError
from petri_cli.plan.model import PlanNode


def titled(node: PlanNode) -> str:
    """``choice ship (release.petri.yaml:12:7)``; without the place where the plan has no lines."""
    place = f" ({node.where})" if node.where.line else ""
    return f"{type(node).__name__.lower()} {node.id}{place}"


def said_of(node: PlanNode, what: str, error: PetriError) -> PetriError:
    """``error``, which came up in a part of ``node``, with whose it is. what: the part, such as ```until` `…```."""
    return PetriError(error.code, f"{titled(node)}: {what}: {error.message}", where=node.where, hint=error.hint)


def said_at(node: PlanNode, error: PetriError) -> str:
    """What is wrong with the work of ``node``, with the hint, and with the place for what its plan has to be mended."""
    hint = f" ({error.hint})" if error.hint else ""
    place = f" ({node.where})" if error.code == "PETRI_EXPRESSION_FAILED" and node.where.line else ""
    return f"{error.message}{place}{hint}"
