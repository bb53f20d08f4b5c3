"""What a transition does, in the words of the plan that it came from.

The names that lowering gives (``t.guard.g1.acquire[2]``) say what a step is; what it takes is read off its arcs. A
transition of a net file is called by its own name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from petri_cli.net.model import Net, PlaceOut, Transition, leaves
from petri_cli.render.phrase import amount, many

_BLOCK = r"t\.(par|choice|loop|foreach|guard)\.(.+)\.([a-z]+|\d+)((?:\[\d+\])*)"
_RESOURCE = "r."


@dataclass(frozen=True, slots=True)
class Deed:
    """One step as a person reads it.

    ``kind``: ``take`` and ``give`` (the text wants a subject: «takes A»), ``task``, ``split``, ``control`` or ``net``
    (the text is a sentence of its own).
    """

    kind: str
    text: str
    ways: int = 1
    """Branches that a split starts."""


class Words:
    """Deeds of the transitions of one net."""

    def __init__(self, net: Net, *, plan: bool) -> None:
        self._by_id: Mapping[str, Transition] = {t.id: t for t in net.transitions}
        self._plan = plan

    def deed(self, tid: str) -> Deed:
        """What the transition ``tid`` does."""
        t = self._by_id.get(tid)
        if t is None or not self._plan:
            return Deed("net", t.name if t is not None and t.name and t.name != tid else tid)
        block = re.fullmatch(_BLOCK, tid)
        if block is None:
            return Deed("task", f"{tid.removeprefix('t.')} is done")
        kind, name, verb, _ = block.groups()
        return self._block(t, kind, name, verb)

    def _block(self, t: Transition, kind: str, name: str, verb: str) -> Deed:
        match kind, verb:
            case "guard", "acquire":
                units = [(i.place, i.count) for i in t.inputs if i.place.startswith(_RESOURCE)]
                return Deed("take", f"takes {_amounts(units)}")
            case "guard", _:
                units = [(p.place, p.count) for p in _places(t) if p.place.startswith(_RESOURCE)]
                return Deed("give", f"gives back {_amounts(units)}") if units else Deed("control", f"{name} is left")
            case "par", "split":
                ways = len(_places(t))
                return Deed("split", f"{ways} branches start", ways)
            case "foreach", "discover":
                ways = len(_places(t))
                return Deed("split", f"{name} starts {many(ways, 'item')}", ways)
            case "par" | "foreach", _:
                return Deed("control", "the branches meet" if kind == "par" else f"{name} is gathered")
            case "choice", _:
                return Deed("control", f"branch {verb} is chosen")
            case "loop", "enter":
                return Deed("control", f"{name} begins")
            case "loop", "again":
                return Deed("control", f"{name} goes round again")
            case _:
                return Deed("control", f"{name} is left")


def _places(t: Transition) -> list[PlaceOut]:
    return [leaf for leaf in leaves(t.output) if isinstance(leaf, PlaceOut)]


def _amounts(units: list[tuple[str, int]]) -> str:
    return " and ".join(amount(place.removeprefix(_RESOURCE), k) for place, k in units)
