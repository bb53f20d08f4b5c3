"""Certificates of random nets and plans: they are valid, and whatever is changed in one, a wrong verdict never is."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import pytest
from jsonschema import Draft7Validator

from petri_cli.certificate.claim import Unproved
from petri_cli.certificate.document import Certificate, check, digest_of, read_certificate
from petri_cli.certificate.question import question_of
from petri_cli.data import folder
from petri_cli.errors import PetriError
from petri_cli.evidence.nets import evidence_of_net
from petri_cli.evidence.plans import deadlock_of_plan, evidence_of_plan, proof_of_plan
from petri_cli.net.model import Net
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Plan
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Budget, Verdict
from petri_cli.soundness.shape import target_of
from tests.oracle.soundness import truth
from tests.oracle.statespace import TooBig
from tests.strategies.contended_plans import contended_plan, gated_plan, items_plan
from tests.strategies.grown_nets import grown_net
from tests.strategies.plain_nets import process_net, wild_workflow_net
from tests.strategies.workflow_nets import workflow_net

NETS: dict[str, Callable[[Random], Net]] = {
    "grown": grown_net,
    "grown, special arcs": lambda rng: grown_net(rng, special=True),
    "blocks": workflow_net,
    "wild": wild_workflow_net,
    "processes": process_net,
}


SCHEMA = Draft7Validator(json.loads((folder("schemas") / "certificate.schema.json").read_text(encoding="utf-8")))


def well_formed(verdict: Verdict, written: tuple[str, dict[str, Any]], subject: Net | Plan) -> str:
    """Check a certificate as it was written, and its form; what it shows."""
    document = Certificate(verdict.value, written[0], digest_of(b""), "f", "0", written[1]).to_bytes()
    SCHEMA.validate(json.loads(document))
    return certified(verdict, written, subject)


def certified(verdict: Verdict, written: tuple[str, dict[str, Any]], subject: Net | Plan) -> str:
    """Check a certificate that was written to bytes and read again; what it shows."""
    data = b"about this"
    certificate = Certificate(verdict.value, written[0], digest_of(data), "f", "0", written[1])
    checked = check(read_certificate(certificate.to_bytes(packed=True)), subject, data)
    assert checked.verdict == verdict.value
    return checked.kind


def _of_net(generator: str, seed: int) -> str:
    net = NETS[generator](Random(seed))  # noqa: S311
    try:
        target = target_of(net)
    except PetriError:
        with pytest.raises(Unproved):
            question_of(net)
        return "no workflow net"
    question = question_of(net)
    assert (dict(question.final), dict(question.end)) == (dict(target.final), dict(target.end))
    assert question.resources == set(target.resources)
    result = judge_net(net, Budget(2_000))
    written = evidence_of_net(net, result)
    if written is None:
        return "none"
    return well_formed(result.verdict, written, net)


@pytest.mark.parametrize("generator", NETS)
def test_what_is_written_of_a_net_is_valid(generator: str) -> None:
    seen = Counter(_of_net(generator, seed) for seed in range(40))
    assert seen["run"] > 2, seen


@pytest.mark.slow
@pytest.mark.parametrize("generator", NETS)
def test_what_is_written_of_many_nets_is_valid(generator: str) -> None:
    seen = Counter(_of_net(generator, seed) for seed in range(1_000, 1_360))
    assert seen["run"] > 20, seen


PLANS: dict[str, Callable[[Random], Any]] = {
    "contended": lambda rng: contended_plan(rng, 4),
    "fanning out": lambda rng: contended_plan(rng, 4, fan_out=True),
    "gated": gated_plan,
    "with items": items_plan,
}


def _of_plan(generator: str, seed: int) -> str:
    plan, _ = plan_from_data(PLANS[generator](Random(seed)))  # noqa: S311
    result = judge_plan(plan, Budget(5_000))
    written = evidence_of_plan(plan, result)
    if result.verdict is Verdict.UNSOUND:
        _refuses_every_proof(plan)
    standstill = deadlock_of_plan(plan)
    if standstill is not None and result.verdict is not Verdict.UNKNOWN:
        assert well_formed(Verdict.UNSOUND, standstill, plan) == "plan-deadlock"
        assert result.verdict is Verdict.UNSOUND, (generator, seed)
    if result.verdict is Verdict.UNKNOWN:
        return "UNKNOWN"
    return "none" if written is None else well_formed(result.verdict, written, plan)


def _refuses_every_proof(plan: Plan) -> None:
    """Of a plan that is not sound the provers find no proof that the checker takes, though they try."""
    for kind in ("plan-waits", "plan-parts"):
        written = proof_of_plan(plan, kind)
        if written is not None:
            with pytest.raises(Unproved):
                certified(Verdict.SOUND, written, plan)


@pytest.mark.slow
@pytest.mark.parametrize("generator", PLANS)
def test_what_is_written_of_a_plan_is_valid(generator: str) -> None:
    seen = Counter(_of_plan(generator, seed) for seed in range(40))
    assert seen["none"] == 0, seen
    assert min(seen["plan-waits"] + seen["plan-parts"], seen["plan-request"] + seen["plan-run"]) > 2, seen


@pytest.mark.slow
@pytest.mark.parametrize("generator", PLANS)
def test_what_is_written_of_many_plans_is_valid(generator: str) -> None:
    seen = Counter(_of_plan(generator, seed) for seed in range(1_000, 1_300))
    assert seen["none"] == 0 and seen["plan-run"] > 0, seen


def changed(value: Any, rng: Random) -> Any:
    """``value`` with something in it changed: a number, an item left out, doubled or swapped, a whole part replaced."""
    value = copy.deepcopy(value)
    holders: list[Any] = []
    todo = [value]
    while todo:
        part = todo.pop()
        if part and isinstance(part, dict | list):
            holders.append(part)
            todo += part.values() if isinstance(part, dict) else part
    if not holders:
        return value
    holder = rng.choice(holders)
    key = rng.choice(list(holder) if isinstance(holder, dict) else range(len(holder)))
    match rng.randrange(5):
        case 0 if type(holder[key]) is int:
            holder[key] += rng.choice((-1, 1, 1, 2))
        case 1:
            del holder[key]
        case 2 if isinstance(holder, list):
            holder.insert(rng.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
        case 3 if isinstance(holder, list):
            other = rng.randrange(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        case _:
            holder[key] = rng.choice([None, 0, 1, -1, "", "x", [], [[]], {}, True, 1.5])
    return value


def _refuses(net: Net, verdict: Verdict, kind: str, evidence: Any) -> bool:
    try:
        return not certified(verdict, (kind, evidence), net)
    except Unproved:
        return True


def _attacked(generator: str, seed: int) -> str:
    """No evidence, however it came about, shows the opposite of what is true."""
    rng = Random(seed)  # noqa: S311
    net = NETS[generator](rng)
    try:
        target = target_of(net)
        right = truth(target.net, target.final, target.sink, 60)
    except (PetriError, TooBig):
        return "passed over"
    result = judge_net(net, Budget(2_000))
    written = evidence_of_net(net, result)
    if written is None:
        return "none"
    evidence = written[1]
    wrong = Verdict.UNSOUND if right.sound else Verdict.SOUND
    for _ in range(12):
        evidence = changed(evidence, rng) if rng.random() < 0.7 else changed(written[1], rng)
        for claimed in ("run", "states", "stubborn"):
            assert _refuses(net, wrong, claimed, evidence), (generator, seed, claimed, json.dumps(evidence))
    return result.verdict.value


def _as_states(net: Net) -> dict[str, Any]:
    """All markings that can be reached, those nearest to the end first: what a liar would list."""
    question = question_of(net)
    markings, number = [dict(question.initial)], {frozenset(question.initial.items())}
    for marking in markings:  # grows while it is read
        for _, after in question.successors(marking):
            if frozenset(after.items()) not in number and len(markings) < 80:
                number.add(frozenset(after.items()))
                markings.append(after)
    final = dict(question.final)
    ordered = [final, *reversed([m for m in markings if m != final])]
    places = sorted({p for m in ordered for p in m})
    rows = [[x for p, n in sorted(m.items()) for x in (places.index(p), n)] for m in ordered]
    actions = sum(1 for _ in net.transitions)
    return {"places": places, "markings": rows, "sets": [list(range(actions)) for _ in rows]}


def _lied_about(generator: str, seed: int) -> str:
    rng = Random(seed)  # noqa: S311
    net = NETS[generator](rng)
    try:
        target = target_of(net)
        right = truth(target.net, target.final, target.sink, 60)
    except (PetriError, TooBig):
        return "passed over"
    if right.sound:
        return "sound"
    lie = _as_states(net)
    for _ in range(15):
        for claimed in ("states", "stubborn"):
            assert _refuses(net, Verdict.SOUND, claimed, lie), (generator, seed, claimed, json.dumps(lie))
        lie = changed(lie, rng)
    return "refused"


@pytest.mark.slow
@pytest.mark.parametrize("generator", NETS)
def test_no_changed_certificate_shows_what_is_false(generator: str) -> None:
    seen = Counter(_attacked(generator, seed) for seed in range(150))
    assert min(seen["SOUND"], seen["UNSOUND"]) > 1, seen


@pytest.mark.parametrize("generator", NETS)
def test_a_list_of_the_markings_of_an_unsound_net_shows_nothing(generator: str) -> None:
    seen = Counter(_lied_about(generator, seed) for seed in range(20))
    assert seen["refused"] > 1, seen


@pytest.mark.slow
@pytest.mark.parametrize("generator", NETS)
def test_no_list_of_the_markings_of_many_unsound_nets_shows_anything(generator: str) -> None:
    seen = Counter(_lied_about(generator, seed) for seed in range(20, 150))
    assert seen["refused"] > 10, seen


def test_markings_that_nothing_leads_to_make_no_transition_alive() -> None:
    from tests.strategies.short_nets import short_net

    net = short_net("a: i -> o; never: x -> o", i=1)
    net = Net(net.id, net.places, net.transitions, net.initial, {"o": 1})
    evidence = {"places": ["i", "o", "x"], "markings": [[1, 1], [0, 1], [2, 1]]}
    with pytest.raises(Unproved, match="`never` is enabled in no marking that is reached"):
        certified(Verdict.SOUND, ("states", evidence), net)


@pytest.mark.parametrize(
    "data",
    [b"", b"[]", b"{}", b"\x1f\x8b", b"\xff", b"[" * 100_000, b'{"format": "petri-certificate/1"}', b"null", b'"x"'],
)
def test_what_is_no_certificate_is_refused(data: bytes) -> None:
    with pytest.raises(Unproved):
        read_certificate(data)
