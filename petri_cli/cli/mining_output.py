"""Where ``petri mine -o`` writes the model, and as what: the ending says."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from petri_cli.cli.endings import FORMATS, ending_of, form_of
from petri_cli.cli.overwriting import refuse_inputs, refuse_overwriting
from petri_cli.errors import PetriError, Position
from petri_cli.mining.model import net_to_write

if TYPE_CHECKING:
    from petri_cli.api import ExportFormat
    from petri_cli.cli.mining import Asked
    from petri_cli.cli.overwriting import Kind
    from petri_cli.render.mining import Graph
    from petri_cli.render.mining_json import Mined

_DRAWINGS = ("dot", "mermaid", "svg")
_NETS = ("pnml", "json", *_DRAWINGS)

_NO_MODEL = "with --diff no model is looked for: leave out one of the two"
_NO_PLAN = "a plan is what the inductive miner finds: --algorithm inductive"
_NO_GRAPH = "a directly-follows graph is written as .dot, .mmd or .svg; --format json prints it"


def check_output(path: str, asked: Asked, spare: Sequence[str | None], *, force: bool = False) -> None:
    """Refuse what can be seen to fail before a log is read, which may take long. spare: files that must not be written
    over. Raises PetriError ``PETRI_CANNOT_WRITE``, and ``PETRI_FILE_EXISTS`` unless ``force``."""
    refuse_inputs(path, spare)
    graph = asked.algorithm == "dfg"
    if asked.diff is not None and asked.model is None:
        raise _cannot(path, _NO_MODEL)
    if graph and FORMATS.get(ending_of(path)) not in _DRAWINGS:
        raise _cannot(path, _NO_GRAPH)
    form = _form(path, graph=graph)
    if form == "yaml" and (asked.algorithm == "alpha" or asked.model is not None):
        raise _cannot(path, _NO_PLAN)
    kind: Kind = "plan" if form == "yaml" else "drawing" if form in _DRAWINGS else "net"
    refuse_overwriting(path, kind, force=force)
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

    if mined.graph is not None:
        return _text_of_graph(mined.graph, _form(path, graph=True))
    if mined.found is None:
        raise _cannot(path, "the log has no case, so there is no model")
    form = _form(path, graph=False)
    if form != "yaml":
        return export(net_to_write(mined.found.model), cast("ExportFormat", form))
    if mined.found.text:
        return mined.found.text
    raise _cannot(path, _NO_PLAN)


def _form(path: str, *, graph: bool) -> str:
    return form_of(path, None, _DRAWINGS if graph else ("yaml", *_NETS), "dot" if graph else "json", option="")


def _text_of_graph(graph: Graph, form: str) -> str:
    from petri_cli.formats.dfg_draw import write_dfg_dot, write_dfg_mermaid, write_dfg_svg

    write = {"dot": write_dfg_dot, "mermaid": write_dfg_mermaid, "svg": write_dfg_svg}[form]
    return write(graph.follows, graph.times, graph.took)


def _cannot(path: str, hint: str) -> PetriError:
    return PetriError("PETRI_CANNOT_WRITE", f"there is no such model for `{path}`", hint=hint)
