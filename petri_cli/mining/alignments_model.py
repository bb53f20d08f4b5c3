"""A log and a net made ready for a search: labels as numbers, and traces without what the net lacks."""

from __future__ import annotations

from dataclasses import dataclass

from petri_cli.mining.log import Log, Trace
from petri_cli.mining.model import LabelledNet
from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.start import start_of
from petri_cli.soundness.shape import target_of


@dataclass(frozen=True, slots=True)
class Labels:
    """The activities of a net as numbers. of_action: action → label, None for silent; of_activity: activity of the log
    → label, None where the net lacks it."""

    names: tuple[str, ...]
    of_action: tuple[int | None, ...]
    of_activity: tuple[int | None, ...]

    def known(self, trace: Trace) -> Trace:
        """The events that the net has an activity for, as labels."""
        of_activity = self.of_activity
        return tuple([label for a in trace if (label := of_activity[a]) is not None])


@dataclass(frozen=True, slots=True)
class Prepared:
    """traces: the distinct traces of labels; trace_of: variant → index of its trace; unknown: activities of the log
    that the net lacks → events."""

    compiled: CompiledNet
    labels: Labels
    traces: tuple[Trace, ...]
    trace_of: tuple[int, ...]
    unknown: dict[str, int]


def prepare(log: Log, model: LabelledNet) -> Prepared:
    """The net from its start to its end: the final marking, or one token on its sink.

    Raises PetriError ``PETRI_NOT_WORKFLOW_NET`` where it has neither.
    """
    compiled = compile_net(target_of(start_of(model.net).net).net)
    code: dict[str, int] = {}
    of_action: list[int | None] = []
    for action in compiled.actions:
        label = model.labels.get(action.step.transition)
        of_action.append(None if label is None else code.setdefault(label, len(code)))
    labels = Labels(tuple(code), tuple(of_action), tuple(code.get(name) for name in log.activities))
    traces: dict[Trace, int] = {}
    trace_of = tuple([traces.setdefault(labels.known(v), len(traces)) for v in log.variants])
    lacking: dict[str, int] = {}
    for trace, n in log:
        for a in trace:
            if labels.of_activity[a] is None:
                lacking[log.activities[a]] = lacking.get(log.activities[a], 0) + n
    return Prepared(compiled, labels, tuple(traces), trace_of, dict(sorted(lacking.items())))
