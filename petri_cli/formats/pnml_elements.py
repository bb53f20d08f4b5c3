"""The elements of a PNML file as written, before anybody asks whether they make a net.

Source: ISO/IEC 15909-2:2011, clauses 7.1 (core model) and 7.3 (place/transition nets).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

Where = tuple[int, int]
"""Line and column, 1-based."""


@dataclass(slots=True)
class RawNode:
    """A place, transition or reference (``ref`` is what it stands for)."""

    kind: str
    id: str
    where: Where
    name: str = ""
    tokens: int = 0
    ref: str | None = None
    exact: str | None = None
    """The name to the letter, where petri wrote it so (``EXACT``)."""


@dataclass(slots=True)
class RawArc:
    """An arc as written; ``kind`` is ``normal``, ``inhibitor``, ``reset`` or ``read``."""

    id: str
    source: str
    target: str
    where: Where
    weight: int = 1
    kind: str = "normal"
    name: str = ""
    inscribed: bool = False
    """The weight is written, not assumed."""


@dataclass(slots=True)
class FinalMarking:
    where: Where
    tokens: list[tuple[str, int, Where]] = field(default_factory=list)
    """(id of a place, tokens, position)."""


@dataclass(slots=True)
class RawNet:
    """What the file holds: one net, in document order."""

    id: str = ""
    type: str | None = None
    where: Where = (1, 1)
    name: str = ""
    exact: str | None = None
    nodes: list[RawNode] = field(default_factory=list)
    arcs: list[RawArc] = field(default_factory=list)
    final: list[FinalMarking] = field(default_factory=list)
    namespace: str = ""
    nets: int = 0
    pages: int = 0
    lenient: dict[str, Where] = field(default_factory=dict)
    """Departures from the standard, each with its first position."""
    unread: dict[str, Where] = field(default_factory=dict)
    """Elements that no place/transition net has and that were passed over, each with its first position."""
    colours: set[str] = field(default_factory=set)


NAMESPACE = "http://www.pnml.org/version-2009/grammar/pnml"

EXACT = "petri"
"""The tool of ``<toolspecific tool="petri" version="1" name="…"/>``: the name as a JSON string, where blanks around it
or characters that XML cannot hold would be lost in a label."""

_NODES = {
    "place": "place",
    "transition": "transition",
    "arc": "arc",
    "page": "page",
    "referencePlace": "reference",
    "referenceTransition": "reference",
}
CHILDREN: Mapping[str, Mapping[str, str]] = {
    "document": {"pnml": "pnml"},
    "pnml": {"net": "net"},
    "net": {**_NODES, "name": "label", "finalmarkings": "finalmarkings"},
    "page": _NODES,
    "place": {"name": "label", "initialMarking": "label", "capacity": "label"},
    "transition": {"name": "label"},
    "reference": {"name": "label"},
    "arc": {"name": "label", "inscription": "label", "type": "label", "arctype": "label"},
    "label": {"text": "text", "value": "text"},
    "finalmarkings": {"marking": "marking"},
    "marking": {"place": "label"},
    "text": {},
}
"""For each state of the reader, the elements it knows with the state inside them; all others are passed over."""

HIGH_LEVEL = {"hlinitialMarking", "hlinscription", "condition", "declaration", "structure"}
"""Elements that only nets with structured tokens have."""

HIGH_LEVEL_HINT = "only place/transition nets are read; unfold the net in its tool first"
