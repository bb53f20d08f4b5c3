"""A reduced net as a question that any prover can be asked, with what it takes to bring the answer back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from petri_cli.net.compiled import CompiledNet
from petri_cli.net.firing import Step
from petri_cli.net.model import AndOut, Cardinality, ForwardOut, Input, Net, Output, Place, PlaceOut, Transition
from petri_cli.soundness.reductions.expansion import Expansion, actions_of, written_out
from petri_cli.soundness.reductions.reduce import LATE_RULES, RULES, Rule, reduce
from petri_cli.soundness.reductions.working import WorkingNet
from petri_cli.soundness.shape import Target


@dataclass(frozen=True, slots=True)
class Reduction:
    """What became of the soundness of a net: ``target`` is sound iff the original is, condition by condition.

    expansion: reduced transition id → the actions of the original that it stands for; dropped: those of transitions
    that were left out because another one, or the marking, shows that they are as alive as the rest;
    removed: how many places and transitions there are less.
    """

    target: Target
    expansion: Mapping[str, Expansion]
    dropped: tuple[Expansion, ...]
    removed: int

    @property
    def is_trivial(self) -> bool:
        """Whether what is left is one transition that moves the only token from the start to the end: a sound net."""
        net, final = self.target.net, self.target.final
        if len(net.places) != 2 or len(net.transitions) != 1 or list(final.values()) != [1]:
            return False
        (t,) = net.transitions
        (end,) = final
        return (
            [i.count for i in t.inputs] == [1]
            and dict(net.initial) == {t.inputs[0].place: 1}
            and t == Transition(t.id, (Input(t.inputs[0].place),), PlaceOut(end))
            and t.inputs[0].place != end
        )

    def run(self, steps: Iterable[Step]) -> list[int] | None:
        """The run of the original, as action indices, that a run of the reduced net stands for; None when it is too
        long to be written out."""
        return written_out(self.expansion[s.transition] for s in steps)

    def surely_dead(self, dead: Iterable[str]) -> tuple[set[int], bool]:
        """The actions that are dead when the reduced transitions ``dead`` are and the option to complete holds, and
        whether no others are.

        An action that occurs in no step that fires is dead: agglomeration keeps every way to fire it, but for a step
        put off for ever, after which the end would be out of reach. One of a transition that was dropped may yet fire.
        """
        gone = set(dead)
        alive = actions_of(e for tid, e in self.expansion.items() if tid not in gone)
        suspects = actions_of(self.expansion[tid] for tid in gone) - alive
        doubtful = actions_of(self.dropped) - alive
        return suspects - doubtful, not doubtful


def reduce_net(
    target: Target,
    compiled: CompiledNet,
    rules: Sequence[Rule] = RULES,
    late: Sequence[Rule] = LATE_RULES,
    *,
    parallel_transitions: bool = True,
) -> Reduction:
    """``target`` reduced as far as the rules go. compiled: the net of ``target``."""
    net = WorkingNet(target, compiled)
    reduce(net, rules, late, parallel_transitions=parallel_transitions)
    places = [p for p, there in enumerate(net.places) if there]
    transitions = [t for t, there in enumerate(net.transitions) if there]
    ids = compiled.places
    final = {ids[p]: net.final[p] for p in places if net.final[p]}
    small = Net(
        compiled.net.id,
        tuple(Place(ids[p]) for p in places),
        tuple(_transition(net, t) for t in transitions),
        {ids[p]: net.initial[p] for p in places if net.initial[p]},
        final,
    )
    resources = tuple(r for r in target.resources if net.places[compiled.index[r]])
    return Reduction(
        Target(small, final, target.sink, resources),
        {_name(t): net.expansion[t] for t in transitions},
        tuple(net.dropped),
        len(net.places) - len(places) + len(net.transitions) - len(transitions),
    )


def _name(t: int) -> str:
    return f"step{t}"


def _transition(net: WorkingNet, t: int) -> Transition:
    ids = net.compiled.places
    outputs: list[Output] = [PlaceOut(ids[p], k) for p, k in net.puts[t].items()]
    inputs = net.takes[t].items()
    if not net.special[t]:
        return Transition(_name(t), tuple(_input(ids[p], k) for p, k in inputs), _tree(outputs))
    action = net.compiled.actions[t]
    outputs += [ForwardOut(ids[source], ids[to]) for source, to in action.forwards if source in action.drained]
    arcs = [Input(ids[p], Cardinality.AT_LEAST, k) if p in action.drained else _input(ids[p], k) for p, k in inputs]
    inhibitors, reads, resets = (
        tuple(ids[p] for p in side) for side in (action.inhibitors, action.reads, action.resets)
    )
    return Transition(_name(t), tuple(arcs), _tree(outputs), inhibitors, reads, resets)


def _input(place: str, count: int) -> Input:
    return Input(place) if count == 1 else Input(place, Cardinality.EXACTLY, count)


def _tree(outputs: list[Output]) -> Output | None:
    if len(outputs) > 1:
        return AndOut(tuple(outputs))
    return outputs[0] if outputs else None
