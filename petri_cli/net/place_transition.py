"""The place/transition view of a net: every outcome a transition of its own, every arc a weight.

The untimed behaviour on counts is the same, step by step: transition ``t`` with outcome k of n fires in the view as
``t#k`` (``t`` itself when n = 1). So any checker of P/T nets can be asked the same question.
"""

from __future__ import annotations

from dataclasses import replace

from petri_cli.errors import PetriError
from petri_cli.net.firing import Step
from petri_cli.net.model import (
    AndOut,
    Cardinality,
    ForwardOut,
    Input,
    Net,
    Output,
    PlaceOut,
    Transition,
)
from petri_cli.net.outcomes import outcomes


def pt_view(net: Net) -> Net:
    """``net`` as a place/transition net. Read arcs become an arc each way, an outcome a transition.

    Timing and priority stay as they are: they belong to the transition, not to the arcs. Raises PetriError
    ``PETRI_NOT_PT_NET`` for what weights cannot say: ``all`` and ``atLeast`` inputs, inhibitor and reset arcs, name
    matching.
    """
    transitions = [
        replace(t, id=pt_id(t, Step(t.id, k)), inputs=_inputs(t), output=output, reads=())
        for t in net.transitions
        for k, output in enumerate(_outputs(t))
    ]
    return replace(net, transitions=tuple(transitions))


def pt_id(t: Transition, step: Step) -> str:
    """The id in the view of what ``step`` fires."""
    return t.id if len(outcomes(t.output)) == 1 else f"{t.id}#{step.outcome + 1}"


def _inputs(t: Transition) -> tuple[Input, ...]:
    lacking = [
        (any(i.drains for i in t.inputs), "an `all` or `atLeast` input"),
        (bool(t.inhibitors), "an inhibitor arc"),
        (bool(t.resets), "a reset arc"),
        (t.match is not None, "a name match"),
    ]
    beyond = ", ".join(what for has, what in lacking if has)
    if beyond:
        raise PetriError(
            "PETRI_NOT_PT_NET",
            f"transition `{t.id}` has {beyond}, which place/transition nets cannot express",
            hint="export the net as JSON, YAML, DOT or Mermaid",
        )
    taken = {i.place for i in t.inputs}
    return (*t.inputs, *(Input(p, Cardinality.ONE) for p in dict.fromkeys(t.reads) if p not in taken))


def _outputs(t: Transition) -> list[Output | None]:
    """For each outcome what it puts, tokens that were only read included."""
    consumed = {i.place: i.count for i in t.inputs}
    returned = [p for p in dict.fromkeys(t.reads) if p not in consumed]
    outputs: list[Output | None] = []
    for outcome in outcomes(t.output):
        put: dict[str, int] = {}
        for leaf in outcome.leaves:
            match leaf:
                case PlaceOut(place, count):
                    put[place] = put.get(place, 0) + count
                case ForwardOut(source, target):
                    put[target] = put.get(target, 0) + consumed[source]
        for p in returned:
            put[p] = put.get(p, 0) + 1
        leaves = tuple(PlaceOut(p, k) for p, k in put.items())
        outputs.append(leaves[0] if len(leaves) == 1 else AndOut(leaves) if leaves else None)
    return outputs
