"""Where ``petri mine -o`` writes the model, and as what: the ending says."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from petri_cli.errors import PetriError, Position
from petri_cli.mining.model import net_to_write

if TYPE_CHECKING:
    from petri_cli.cli.mining import Asked
    from petri_cli.render.mining import Graph
    from petri_cli.render.mining_json import Mined

PLANS = (".yaml", ".yml")
_EXPORTS: Mapping[str, Any] = {
    ".pnml": "pnml", ".dot": "dot", ".mmd": "mermaid", ".mermaid": "mermaid", ".svg": "svg", ".json": "json",
}  # fmt: skip
_DRAWINGS = ("dot", "mermaid", "svg")

_NO_MODEL = "with --diff no model is looked for: leave out one of the two"
_NO_PLAN = "a plan is what the inductive miner finds: --algorithm inductive"
_NO_GRAPH = "a directly-follows graph is written as .dot, .mmd or .svg; --format json prints it"


def check_output(path: str, asked: Asked, spare: Sequence[str | None]) -> None:
    """Refuse what can be seen to fail before a log is read, which may take long. Raises PetriError
    ``PETRI_CANNOT_WRITE``."""
    ending = Path(path).suffix.lower()
    if asked.diff is not None and asked.model is None:
        raise _cannot(path, _NO_MODEL)
    if asked.algorithm == "dfg" and _EXPORTS.get(ending) not in _DRAWINGS:
        raise _cannot(path, _NO_GRAPH)
    if ending in PLANS and (asked.algorithm == "alpha" or asked.model is not None):
        raise _cannot(path, _NO_PLAN)
    if ending not in (*PLANS, *_EXPORTS):
        raise _cannot(path, f"the ending says what to write: .yaml (a plan), {', '.join(_EXPORTS)}")
    if any(p is not None and os.path.realpath(p) == os.path.realpath(path) for p in spare):
        raise PetriError("PETRI_CANNOT_WRITE", "this would write over an input", where=Position(path))
    if not Path(path).parent.is_dir():
        raise PetriError("PETRI_CANNOT_WRITE", "there is no such folder", where=Position(path))


def write_model(mined: Mined, path: str, spare: Sequence[str | None]) -> None:
    """Write the model as the ending of ``path`` says. Raises PetriError ``PETRI_CANNOT_WRITE``."""
    from petri_cli.cli.streams import Output

    text = _text_of(mined, path)
    with Output(path, spare=spare) as out:
        out.write(text)


def _text_of(mined: Mined, path: str) -> str:
    from petri_cli.api import export

    ending = Path(path).suffix.lower()
    if mined.graph is not None:
        return _text_of_graph(mined.graph, _EXPORTS[ending])
    if mined.found is None:
        raise _cannot(path, "the log has no case, so there is no model")
    if ending in _EXPORTS:
        return export(net_to_write(mined.found.model), _EXPORTS[ending])
    if mined.found.text:
        return mined.found.text
    raise _cannot(path, _NO_PLAN)


def _text_of_graph(graph: Graph, form: str) -> str:
    from petri_cli.formats.dfg_draw import write_dfg_dot, write_dfg_mermaid, write_dfg_svg

    write = {"dot": write_dfg_dot, "mermaid": write_dfg_mermaid, "svg": write_dfg_svg}[form]
    return write(graph.follows, graph.times, graph.took)


def _cannot(path: str, hint: str) -> PetriError:
    return PetriError("PETRI_CANNOT_WRITE", f"there is no such model for `{path}`", hint=hint)
