"""No certificate shows what is false: certificates of one net or plan, changed or as they are, about another one.

Every kind is written for what is sound (or not); then the net or plan is changed, and the evidence as well. Whatever
the checker takes is compared with brute force.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from petri_cli.certificate.claim import Unproved
from petri_cli.errors import PetriError
from petri_cli.evidence.listing import Written
from petri_cli.evidence.nets import every_evidence_of_net
from petri_cli.evidence.plans import evidence_of_plan, proof_of_plan
from petri_cli.evidence.properties import evidence_of_properties
from petri_cli.net.model import Input, Net, PlaceOut, Property, Transition, leaves
from petri_cli.net.rules import check_net
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Plan
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Budget, Verdict
from petri_cli.soundness.shape import target_of
from tests.oracle import plans as meaning
from tests.oracle.soundness import truth, violating
from tests.oracle.statespace import TooBig, explore
from tests.property.test_certificates import NETS, PLANS, certified, changed, well_formed
from tests.strategies.free_choice_nets import free_choice_net


def sound_free_choice_net(rng: Random) -> Net:
    """One of the few that are sound, or whichever comes after some tries."""
    return next((net for net in (free_choice_net(rng) for _ in range(60)) if right_about(net)), free_choice_net(rng))


ALL_NETS = {**NETS, "free choice": sound_free_choice_net}


def is_shown(verdict: Verdict, written: Written, subject: Net | Plan) -> bool:
    try:
        certified(verdict, written, subject)
    except Unproved:
        return False
    return True


def another_net(net: Net, rng: Random) -> Net | None:
    """``net`` with a transition less, or an arc, a token or the end in another place; None where that is no net."""
    places = [p.id for p in net.places]
    k = rng.randrange(len(net.transitions))
    t, p = net.transitions[k], rng.choice(places)
    more: dict[str, Any] = {}
    match rng.randrange(8):
        case 0:
            transitions = net.transitions[:k] + net.transitions[k + 1 :]
            return _legal(replace(net, transitions=transitions))
        case 1:
            return _legal(replace(net, initial={**net.initial, p: net.initial.get(p, 0) + 1}))
        case 2 if net.final is not None:
            return _legal(replace(net, final={**net.final, p: 1}))
        case 3 if len(t.inputs) > 1:
            more = {"inputs": t.inputs[1:]}
        case 4:
            more = {"inputs": (*t.inputs, Input(p))}
        case 5:
            more = {"output": _elsewhere(t, p)}
        case 6:
            more = {rng.choice(["reads", "inhibitors", "resets"]): (p,)}
        case _:
            more = {"output": None}
    return _legal(replace(net, transitions=(*net.transitions[:k], replace(t, **more), *net.transitions[k + 1 :])))


def _elsewhere(t: Transition, p: str) -> PlaceOut | None:
    return PlaceOut(p, 1 + len(list(leaves(t.output))) % 2)


def _legal(net: Net) -> Net | None:
    try:
        check_net(net)
        target_of(net)
    except PetriError:
        return None
    return net


def right_about(net: Net) -> bool | None:
    """Whether ``net`` is sound, by brute force; None where that takes too long."""
    try:
        target = target_of(net)
        return truth(target.net, target.final, target.sink, 80).sound
    except (PetriError, TooBig):
        return None


def attack_net(generator: str, seed: int, seen: Counter[str]) -> None:
    rng = Random(seed)  # noqa: S311
    net = ALL_NETS[generator](rng)
    sound = right_about(net)
    if sound is None:
        return
    every = list(every_evidence_of_net(net, judge_net(net, Budget(2_000))))
    verdict = Verdict.SOUND if sound else Verdict.UNSOUND
    for written in every:
        assert well_formed(verdict, written, net) == written[0]
        seen[f"{verdict.value} {written[0]}"] += 1
    for _ in range(8):
        other = another_net(net, rng)
        wrong = None if other is None else right_about(other)
        if other is None or wrong is None:
            continue
        for kind, evidence in every:
            tries = [evidence, *(changed(evidence, rng) for _ in range(2))]
            if wrong is not sound:
                seen["changed verdict"] += 1
            for attempt in tries:
                assert wrong is sound or not is_shown(verdict, (kind, attempt), other), (generator, seed, kind, attempt)


@pytest.mark.slow
@pytest.mark.parametrize("generator", ALL_NETS)
def test_a_certificate_of_another_net_shows_nothing_false(generator: str) -> None:
    seen = Counter[str]()
    for seed in range(12):
        attack_net(generator, seed, seen)
    assert seen["changed verdict"] > 5, seen


@pytest.mark.slow
@pytest.mark.parametrize("generator", ALL_NETS)
def test_no_certificate_of_many_other_nets_shows_anything_false(generator: str) -> None:
    seen = Counter[str]()
    for seed in range(1_000, 1_100):
        attack_net(generator, seed, seen)
    assert seen["changed verdict"] > 40, seen


@pytest.mark.slow
def test_every_kind_about_nets_is_written_and_attacked() -> None:
    seen = Counter[str]()
    for generator, seeds in (("blocks", range(30)), ("processes", range(40)), ("free choice", range(6))):
        for seed in seeds:
            attack_net(generator, seed, seen)
    kinds = ("SOUND states", "SOUND stubborn", "SOUND linear", "SOUND free-choice", "UNSOUND run")
    assert all(seen[kind] > 3 for kind in kinds), seen


def another_plan(document: dict[str, Any], rng: Random) -> Plan | None:
    """The plan with another capacity, another resource in a guard, or two branches exchanged for one."""
    document = copy.deepcopy(document)
    names = [r["id"] for r in document["resources"]]
    guards = [node["guard"] for node in _nodes(document["flow"]) if "guard" in node]
    match rng.randrange(3):
        case 0:
            rng.choice(document["resources"])["capacity"] = rng.choice([1, 2, 3])
        case 1 if guards:
            rng.choice(guards)["resource"] = rng.choice(names)
        case _ if guards:
            rng.choice(guards)["units"] = rng.choice([1, 2])
    try:
        return plan_from_data(document)[0]
    except PetriError:
        return None


def _nodes(flow: Any) -> Iterator[dict[str, Any]]:
    todo = [flow]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            yield part
            todo += part.values()
        elif isinstance(part, list):
            todo += part


def stays_sound(plan: Plan) -> bool:
    """Whether brute force finds nothing wrong with ``plan`` at small widths."""
    found = [meaning.truth(plan, width, rounds=1, cap=1_500) for width in (1, 2)]
    return all(f is None or f.sound for f in found)


def attack_plan(generator: str, seed: int, seen: Counter[str]) -> None:
    rng = Random(seed)  # noqa: S311
    document = PLANS[generator](rng)
    plan, _ = plan_from_data(document)
    result = judge_plan(plan, Budget(5_000))
    if result.verdict is Verdict.UNSOUND:
        attack_refusal(document, evidence_of_plan(plan, result), rng)
        return
    proofs = [w for kind in ("plan-waits", "plan-parts") if (w := proof_of_plan(plan, kind)) is not None]
    for proof in proofs:
        seen[well_formed(Verdict.SOUND, proof, plan)] += 1
    for _ in range(4):
        other = another_plan(document, rng)
        if other is None:
            continue
        for kind, evidence in proofs:
            for attempt in (evidence, changed(evidence, rng), changed(changed(evidence, rng), rng)):
                if is_shown(Verdict.SOUND, (kind, attempt), other):
                    assert stays_sound(other), (generator, seed, kind, attempt)
                    seen["taken"] += 1
                else:
                    seen["refused"] += 1


def attack_refusal(document: dict[str, Any], written: Written | None, rng: Random) -> None:
    for _ in range(3):
        other = another_plan(document, rng)
        if written is not None and other is not None:
            for attempt in (written[1], changed(written[1], rng)):
                if is_shown(Verdict.UNSOUND, (written[0], attempt), other):
                    assert judge_plan(other, Budget(5_000)).verdict is not Verdict.SOUND


@pytest.mark.slow
@pytest.mark.parametrize("generator", PLANS)
def test_a_certificate_of_another_plan_shows_nothing_false(generator: str) -> None:
    seen = Counter[str]()
    for seed in range(60):
        attack_plan(generator, seed, seen)
        if seen["plan-waits"] + seen["plan-parts"] > 3:
            break
    assert seen["refused"] + seen["taken"] > 0, seen


@pytest.mark.slow
@pytest.mark.parametrize("generator", PLANS)
def test_no_certificate_of_many_other_plans_shows_anything_false(generator: str) -> None:
    seen = Counter[str]()
    for seed in range(1_000, 1_100):
        attack_plan(generator, seed, seen)
    assert min(seen["refused"], seen["plan-parts"]) > 3, seen


def some_property(net: Net, rng: Random) -> Property:
    kind = rng.choice(
        ["deadlockFree", "placeBound", "mutualExclusion", "unreachable", "terminatesAtSink", "quiescentCount"]
    )
    places = [p.id for p in net.places]
    chosen = rng.sample(places, min(len(places), 1 if kind == "placeBound" else rng.choice([1, 2, 2])))
    least = rng.choice([0, 0, 1]) if kind == "quiescentCount" else 0
    most = rng.choice([1, 2]) if kind in ("placeBound", "quiescentCount") else None
    return Property("p", kind, tuple(chosen), least, most)


def attack_property(generator: str, seed: int, seen: Counter[str]) -> None:
    rng = Random(seed)  # noqa: S311
    net = ALL_NETS[generator](rng)
    net = replace(net, properties=(some_property(net, rng),))
    result = judge_net(net, Budget(2_000))
    for few in (500, 0):
        written = evidence_of_properties(net, net.properties, result, few=few)
        if written is None:
            seen["none"] += result.verdict is not Verdict.UNKNOWN
            continue
        well_formed(result.verdict, written, net)
        proofs = written[1].get("proofs", [{}])
        seen.update({f"{result.verdict.value} {how}" for proof in proofs for how in proof.keys() - {"of"}})
        _attack_property(net, result.verdict, written, rng, seen)


def _attack_property(net: Net, verdict: Verdict, written: Written, rng: Random, seen: Counter[str]) -> None:
    for _ in range(4):
        other = another_net(replace(net, properties=()), rng) or net
        other = replace(other, properties=(rng.choice([net.properties[0], some_property(net, rng)]),))
        try:
            holds = not violating(other, explore(other, 80), other.properties[0])
        except TooBig:
            continue
        for attempt in (written[1], changed(written[1], rng)):
            if is_shown(verdict, (written[0], attempt), other):
                assert holds == (verdict is Verdict.SOUND), (other, written[0], attempt)
                seen["taken"] += 1
            else:
                seen["refused"] += 1


@pytest.mark.slow
@pytest.mark.parametrize("generator", ALL_NETS)
def test_a_certificate_of_another_property_shows_nothing_false(generator: str) -> None:
    seen = Counter[str]()
    for seed in range(12):
        attack_property(generator, seed, seen)
    assert min(seen["refused"], seen["taken"]) > 5 and not seen["none"], seen


@pytest.mark.slow
@pytest.mark.parametrize("generator", ALL_NETS)
def test_no_certificate_of_many_other_properties_shows_anything_false(generator: str) -> None:
    seen = Counter[str]()
    for seed in range(1_000, 1_100):
        attack_property(generator, seed, seen)
    assert min(seen["refused"], seen["taken"], seen["SOUND refutations"], seen["SOUND closed"]) > 5, seen


JUNK: list[Any] = [None, -1, 0, 10**9, "", "x", [], [[]], [1, 2, 3], {}, {"x": []}, True, 1.5]


def with_junk(value: Any, most: int = 120) -> Iterator[Any]:
    """``value`` with junk in one place after the other, the outermost first; put back in between."""
    todo: list[tuple[Any, Any]] = [(value, key) for key in value]
    for holder, key in todo:  # grows while it is read
        part = holder[key]
        if isinstance(part, dict | list) and len(todo) < most:
            todo += [(part, k) for k in (part if isinstance(part, dict) else range(min(len(part), 3)))]
    for holder, key in todo:
        kept = holder[key]
        for junk in JUNK:
            holder[key] = junk
            yield value
        holder[key] = kept


def samples() -> Iterator[tuple[str, Verdict, Written, Net | Plan]]:
    """A certificate of each kind and of each way to fill one, as (kind, verdict, certificate, subject)."""
    for generator, seeds in (("blocks", 12), ("wild", 40), ("processes", 12), ("grown, special arcs", 25)):
        for seed in range(seeds):
            net = ALL_NETS[generator](Random(seed))  # noqa: S311
            sound = right_about(net)
            if sound is not None:
                result = judge_net(net, Budget(2_000))
                for written in every_evidence_of_net(net, result):
                    yield written[0], result.verdict, written, net
            asked = replace(net, properties=(some_property(net, Random(seed)),))  # noqa: S311
            answer = judge_net(asked, Budget(2_000))
            shown = evidence_of_properties(asked, asked.properties, answer, few=0)
            if shown is not None:
                yield shown[0], answer.verdict, shown, asked
    for generator in PLANS:
        for seed in range(30):
            plan, _ = plan_from_data(PLANS[generator](Random(seed)))  # noqa: S311
            verdict = judge_plan(plan, Budget(5_000))
            found = evidence_of_plan(plan, verdict)
            if found is not None:
                yield found[0], verdict.verdict, found, plan


@pytest.mark.slow
def test_what_is_malformed_is_refused_whatever_it_is() -> None:
    forms: dict[str, set[frozenset[str]]] = {}
    tried = Counter[str]()
    for kind, verdict, (_, evidence), subject in samples():
        form = frozenset(_fields(evidence))
        if form in forms.setdefault(kind, set()) or len(forms[kind]) > 3:
            continue
        forms[kind].add(form)
        for attempt in with_junk(copy.deepcopy(evidence)):
            tried[kind] += 1
            is_shown(verdict, (kind, attempt), subject)  # or Unproved; nothing else is raised
    assert len(tried) == 11, tried


def _fields(evidence: Any) -> set[str]:
    return {key for node in _nodes(evidence) for key in node}
