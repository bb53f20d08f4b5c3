"""A PNML file as a model for conformance: which of its transitions stand for an activity.

PNML has no word for silent transitions. Process tools mark them ``<toolspecific activity="$invisible$">``, and have the
activity as the name; a transition without any name goes by its id.
"""

from __future__ import annotations

from collections.abc import Collection
from pyexpat import ParserCreate

from petri_cli.errors import Problem
from petri_cli.formats.pnml_read import read_pnml
from petri_cli.mining.model import LabelledNet, labels_of

INVISIBLE = "$invisible$"


def read_labelled_pnml(
    data: bytes, file: str = "", activities: Collection[str] = frozenset()
) -> tuple[LabelledNet, tuple[Problem, ...]]:
    """The net and its labels, and warnings. activities: of the log. Raises InputError as :func:`read_pnml` does."""
    net, warnings = read_pnml(data, file)
    silent = _silent(data)
    labels = {tid: label for tid, label in labels_of(net, activities).items() if tid not in silent}
    return LabelledNet(net, labels), warnings


def _silent(data: bytes) -> set[str]:
    """Ids of transitions that are marked as invisible. The document has been read before, so it is well-formed."""
    found: set[str] = set()
    current = [""]

    def start(tag: str, attributes: dict[str, str]) -> None:
        name = tag.rpartition(" ")[2]
        if name == "transition":
            current[0] = attributes.get("id", "")
        elif name == "toolspecific" and attributes.get("activity") == INVISIBLE:
            found.add(current[0])

    parser = ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = start
    parser.Parse(data, True)
    return found
