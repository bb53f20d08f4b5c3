"""Evidence of the properties of a net, or against one, that a checker can follow."""

from __future__ import annotations

from collections.abc import Sequence

from petri_cli.evidence.listing import (
    MOST_STATES,
    Json,
    Written,
    all_states,
    explored,
    listed,
    reduced,
    steps,
    with_sets,
)
from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.model import Net, Property
from petri_cli.net.start import start_of
from petri_cli.soundness.abstraction import prove_abstractly
from petri_cli.soundness.explore import StateSpace
from petri_cli.soundness.linear.data import refutation_to_data
from petri_cli.soundness.linear.properties import judge_property
from petri_cli.soundness.packed import PackedNet, is_vector_addition, with_room
from petri_cli.soundness.properties import AT_REST
from petri_cli.soundness.result import Result, Verdict
from petri_cli.soundness.timer import Deadline, Timer

FEW_STATES = 500
"""Markings that are listed rather than argued about."""


def evidence_of_properties(
    net: Net, asked: Sequence[Property], result: Result, timer: Timer | None = None, few: int = FEW_STATES
) -> Written | None:
    """The evidence for what ``result`` says about ``asked``, which are all that it is about; None when there is none
    that a checker could follow, or it would be too long. few: markings that are listed at once."""
    timer = timer or Timer(None, 0)
    if result.verdict is Verdict.UNSOUND:
        for k, condition in enumerate(result.conditions):
            if condition.holds is False and condition.counterexample is not None:
                return "violation", {"of": k, "run": steps(condition.counterexample.run)}
        return None
    if result.verdict is not Verdict.SOUND:
        return None
    compiled = compile_net(start_of(net).net)
    everything = list(range(len(asked)))
    short = _all_markings(compiled, few, timer.half())
    if short is not None:
        return "properties", {"proofs": [{"of": everything, **short}]}
    proofs: list[Json] = []
    left = [k for k in everything if not _by_equation(compiled, asked[k], k, proofs, timer.share(0.2))]
    left = _by_dead_markings(compiled, asked, left, proofs, timer.half())
    left = _by_counting(compiled, asked, left, proofs, timer.half())
    if left:
        many = _all_markings(compiled, MOST_STATES, timer.expired)
        if many is None:
            return None
        proofs.append({"of": left, **many})
    return "properties", {"proofs": proofs}


def _all_markings(compiled: CompiledNet, limit: int, deadline: Deadline) -> Json | None:
    space = with_room(compiled, lambda packed: explored(StateSpace(packed), limit, deadline))
    return None if space is None else {"closed": listed(compiled, all_states(space))}


def _by_equation(compiled: CompiledNet, prop: Property, k: int, proofs: list[Json], deadline: Deadline) -> bool:
    """Whether the state equation proves ``prop``, with the proof appended."""
    found = judge_property(compiled, prop, lambda state: False, deadline)
    if not found.proofs:
        return False
    proofs.append({"of": [k], "refutations": [refutation_to_data(x) for x in found.proofs]})
    return True


def _by_dead_markings(
    compiled: CompiledNet, asked: Sequence[Property], left: list[int], proofs: list[Json], deadline: Deadline
) -> list[int]:
    """The properties of ``left`` that are not about dead markings alone; for the others these are listed."""
    rests = [k for k in left if asked[k].kind in AT_REST]
    if not rests or not all(is_vector_addition(a) and not a.hard for a in compiled.actions):
        return left

    def search(packed: PackedNet) -> Json | None:
        found = reduced(packed, MOST_STATES, deadline)
        return None if found is None else with_sets(packed, *found, range(len(found[0].markings)))

    data = with_room(compiled, search)
    if data is None:
        return left
    proofs.append({"of": rests, "closed": data})
    return [k for k in left if k not in rests]


def _by_counting(
    compiled: CompiledNet, asked: Sequence[Property], left: list[int], proofs: list[Json], deadline: Deadline
) -> list[int]:
    """The properties of ``left`` that counting up to a limit does not prove."""
    if not left:
        return left
    found = prove_abstractly(compiled, [asked[k] for k in left], MOST_STATES, deadline)
    proved = [left[i] for i in sorted(found.proved)]
    if proved:
        abstract = {"many": found.limit, **listed(compiled, sorted(found.markings))}
        proofs.append({"of": proved, "abstract": abstract})
    return [k for k in left if k not in proved]
