"""Each demand of the checker, missed by a little: a good certificate with one thing changed, and what is said then."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from petri_cli.certificate.claim import Unproved
from petri_cli.certificate.document import Certificate, check, digest_of, read_certificate
from petri_cli.certificate.guards import guard_net
from petri_cli.certificate.parts import parts_of
from petri_cli.cli import certifying
from petri_cli.cli.inputs import Source
from petri_cli.errors import PetriError
from petri_cli.evidence.nets import every_evidence_of_net
from petri_cli.evidence.plans import deadlock_of_plan, proof_of_plan
from petri_cli.net.model import (
    Cardinality,
    ForwardOut,
    Input,
    Net,
    Place,
    PlaceOut,
    Property,
    TimeoutOut,
    Timing,
    Transition,
)
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.model import Plan
from petri_cli.render.page import Page
from petri_cli.soundness.nets import judge_net
from petri_cli.soundness.result import Budget
from tests.strategies.short_nets import short_net

GONE = object()


def edited(evidence: Any, path: str, value: Any) -> Any:
    """A copy of ``evidence`` with ``value`` at ``path``, GONE to leave it out, a list's «+» to append."""
    copied = copy.deepcopy(evidence)
    *way, last = path.split("/")
    holder = copied
    for step in way:
        holder = holder[int(step) if isinstance(holder, list) else step]
    if last == "+":
        holder.append(value)
    elif value is GONE:
        del holder[int(last) if isinstance(holder, list) else last]
    else:
        holder[int(last) if isinstance(holder, list) else last] = value
    return copied


def looked_at(verdict: str, kind: str, evidence: Any, subject: Net | Plan) -> str:
    return check(Certificate(verdict, kind, digest_of(b""), "f", "0", evidence), subject, b"").shown


def refused(verdict: str, kind: str, evidence: Any, subject: Net | Plan, message: str) -> None:
    with pytest.raises(Unproved) as raised:
        looked_at(verdict, kind, evidence, subject)
    assert message in str(raised.value)


# Lists of markings

FORK = short_net("a: i r -> p q; b: p -> s; x: p -> s; c: q -> u; d: s u -> o r", i=1, r=1)
BY_KIND = dict(reversed(list(every_evidence_of_net(FORK, judge_net(FORK)))))


def test_what_is_changed_below_is_good_as_it_is() -> None:
    assert {kind: looked_at("SOUND", kind, evidence, FORK) for kind, evidence in BY_KIND.items()} == {
        "states": "6 markings, which no step leaves",
        "stubborn": "5 markings with a stubborn set each",
        "linear": "no solution of the state equation is stuck or ends improperly; 5 transitions fired",
    }


@pytest.mark.parametrize(
    ("kind", "path", "value", "message"),
    [
        ("states", "places", GONE, "`places` is missing"),
        ("states", "places", "ir", "the places is no list"),
        ("states", "places", [1], "a place is no text"),
        ("states", "markings/1/1", True, "an entry of a marking is no whole number from 0 on"),
        ("states", "places", ["i"], "names a place that is not listed"),
        ("states", "markings/1", [1], "a place without a number"),
        ("states", "markings/5", GONE, "the initial marking is not listed"),
        ("states", "markings/3", GONE, "leads out of the markings listed"),
        ("states", "markings/+", [0, 1, 1, 1], "a marking is listed twice"),
        ("states", "markings/0", [6, 1], "the final marking is not the first"),
        ("states", "markings/1", [1, 1, 6, 1], "listed twice"),
        ("states", "markings/+", [4, 1], "no step leads from marking 6 to an earlier one"),
        ("stubborn", "sets/+", [], "not as many stubborn sets as markings"),
        ("stubborn", "sets/1", [9], "names an action that is not there"),
        ("stubborn", "sets/1", [], "nothing in its set is enabled"),
        ("stubborn", "sets/2", [1], "lacks a rival"),
        ("stubborn", "sets/2", [3], "lacks who could enable"),
        ("stubborn", "markings/2", GONE, "not as many stubborn sets"),
    ],
)
def test_a_list_of_markings_with_a_fault_shows_nothing(kind: str, path: str, value: Any, message: str) -> None:
    refused("SOUND", kind, edited(BY_KIND[kind], path, value), FORK, message)


def test_the_end_beside_other_tokens_is_improper_even_where_it_can_be_mended() -> None:
    net = replace(short_net("a: i -> o p; c: p ->", i=1), final={"o": 1})
    evidence = {"places": ["i", "o", "p"], "markings": [[1, 1], [1, 1, 2, 1], [0, 1]]}
    refused("SOUND", "states", evidence, net, "marking 1 has the end marked, and more")


STEP = {"places": ["i", "o", "r"], "markings": [[1, 1, 2, 1], [0, 1, 2, 1]], "sets": [[], [0]]}


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (replace(short_net("a: i -> o", i=1), final={"o": 1}), "nets that end with a token on a sink"),
        (short_net("a: i -> o; b: r -> r", {"b": {"reads": ("o",)}}, i=1, r=1), "the final marking is not dead"),
        (short_net("a: i r -> p o; b: p -> r", i=1, r=1), "gives to resources only"),
        (short_net("a: i -> o", {"a": {"resets": ("o",)}}, i=1), "has an inhibitor, reset or draining arc"),
    ],
)
def test_the_theorem_on_the_reduced_state_space_has_premises(net: Net, message: str) -> None:
    evidence = STEP if "r" in net.initial else {**STEP, "markings": [[1, 1], [0, 1]]}
    refused("SOUND", "stubborn", evidence, net, message)


# The state equation


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("ranking/weights/0", [0, -4], "a weight is negative"),
        ("ranking/weights/0", [0], "a pair is no pair"),
        ("ranking/weights/0", [0, 1.5], "a weight is no whole number"),
        ("ranking/weights/0", [0, 3], "action 0 does not lower the weighted sum"),
        ("ranking/weights/+", [0, 4], "a place has two weights"),
        ("ranking/actions/+", 5, "the ranking names an action that is not there"),
        ("ranking/actions/4", GONE, "an action is taken to be stuck that need not be"),
        ("stuck/goal/0", ["place", 5, 1, 0], "is not what is asked"),
        ("stuck/differs", [["place", 1, 1, 0]], "the difference is not the one that is asked about"),
        ("stuck/stuck/4", GONE, "action 4 need not be disabled"),
        ("stuck/nodes/5/cases/0", GONE, "a way to disable action 4 is missing"),
        ("stuck/nodes/6/cases/0/1", 6, "a node has a child that does not come before it"),
        ("stuck/nodes/6/split", "whole", "the cases leave a whole number out"),
        ("stuck/nodes/6/split", "differs", "a way to differ is missing"),
        ("stuck/nodes/6/split", "luck", "a split of an unknown kind"),
        ("stuck/nodes/0/leaf/0/0", ["place", 5, 1, 0], "is not known"),
        ("stuck/nodes/0/leaf/0/0", ["place", 9, 1, 0], "is about nothing"),
        ("stuck/nodes/0/leaf/0/0", ["luck", 6, 1, 0], "a literal is of an unknown kind"),
        ("stuck/nodes/0/leaf/3", GONE, "a column of a leaf has a negative sum"),
        ("stuck/nodes/0/leaf/0/1", 0, "a multiplier is no whole number from 1 on"),
        ("stuck/nodes/0/leaf", [], "do not contradict each other"),
        ("stuck/rows", [{"weights": [[9, 1]], "literal": ["row", 0, -1, 1], "reason": "trap"}], "that is not there"),
        ("proper/1", GONE, "a proof of proper completion is missing"),
        ("proper/+", {}, "a proof of proper completion is missing, or one too many"),
        ("proper/0/goal/1/3", 3, "is not what is asked"),
        ("proper/0/rows/0/weights/0", [0, 2], "is not what is asked"),
        ("proper/0/goal/1/1", 1, "there is no such row"),
        ("proper/1/nodes/2/cases/1", GONE, "a way to differ is missing"),
        ("runs/1", GONE, "no run fires `x`"),
        ("runs/0/0/transition", "b", "step 1: `b` is not enabled"),
        ("runs/0/0/transition", "z", "step 1: there is no transition `z`"),
        ("runs/0/0/outcome", 1, "step 1: `a` has no such outcome"),
    ],
)
def test_linear_evidence_with_a_fault_shows_nothing(path: str, value: Any, message: str) -> None:
    refused("SOUND", "linear", edited(BY_KIND["linear"], path, value), FORK, message)


def test_a_ranking_holds_of_what_an_arc_may_take_beyond_its_need_too() -> None:
    late = TimeoutOut(5.0, ForwardOut("p", "q"))
    net = Net(
        "n", tuple(map(Place, "pq")), (Transition("t", (Input("p", Cardinality.ALL),), late),), {"p": 2}, {"q": 2}
    )
    evidence = {"ranking": {"weights": [[0, 1], [1, 2]], "actions": []}, "stuck": {}, "proper": [], "runs": []}
    refused("SOUND", "linear", evidence, net, "loss 3 raises the weighted sum")


def test_a_proof_that_is_too_long_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri_cli.certificate.linear.MOST_WORK", 10)
    refused("SOUND", "linear", BY_KIND["linear"], FORK, "the proof is longer than what is checked")


def test_a_part_that_is_too_large_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    good = evidence_of(GATED, "plan-parts")
    monkeypatch.setattr("petri_cli.certificate.guards.MOST_STEPS", 3)
    refused("SOUND", "plan-parts", good, GATED, "the net of flow.parallel is too large")


TRAP = {"weights": [[0, 1], [1, 1]], "literal": ["row", 0, -1, 1], "reason": "trap"}


@pytest.mark.parametrize(
    ("row", "initial", "resets", "message"),
    [
        (TRAP, 1, (), ""),
        ({**TRAP, "weights": [[0, 1], [1, 2]]}, 1, (), "a trap claims that it is marked, no more"),
        ({**TRAP, "literal": ["row", 0, -1, 2]}, 1, (), "is not known"),
        ({**TRAP, "reason": "goal"}, 1, (), "is not known"),
        (TRAP, 0, (), "a trap is empty at the start"),
        (TRAP, 1, ("p",), "the places of a row are no trap"),
    ],
)
def test_a_trap_is_looked_at_before_it_is_believed(row: Any, initial: int, resets: Any, message: str) -> None:
    """p and q hand a token on; w is never reached, for that takes both places empty."""
    move = {"inputs": (Input("p"),), "output": PlaceOut("q")}
    back = {"inputs": (Input("q"),), "output": PlaceOut("p")}
    steps = (
        Transition("go", **move),
        Transition("come", **back),
        Transition("wipe", (Input("w"),), None, (), (), resets),
    )
    bound = Property("full", "terminatesAtSink", ("p", "q"))
    net = Net("t", tuple(map(Place, "pqw")), steps, {"p": initial, "w": 1}, properties=(bound,))
    leaf = [[["place", 0, 1, 0], 1], [["place", 1, 1, 0], 1], [["row", 0, -1, 1], 1]]
    refutation = {
        "goal": [["place", 0, 1, 0], ["place", 1, 1, 0]],
        "differs": [],
        "stuck": [],
        "rows": [row],
        "lemmas": [],
        "nodes": [{"leaf": leaf}],
        "proof": 0,
    }
    evidence = {"proofs": [{"of": [0], "refutations": [refutation]}]}
    if not message:
        # with the trap itself the sum is 0 >= 1
        assert looked_at("SOUND", "properties", evidence, net) == "no reachable marking violates `full`"
    else:
        refused("SOUND", "properties", evidence, net, message)


# The rank theorem

RING = short_net("a: i -> p; b: p -> o; x: p -> o", i=1)
RANK = dict(every_evidence_of_net(RING, judge_net(RING)))["free-choice"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("invariant/0", 0, "a weight is no whole number from 1 on"),
        ("invariant/0", 2, "changes the invariant"),
        ("invariant/0", GONE, "does not weigh every place"),
        ("rates/0", 5, "do not come back to where they began"),
        ("rates/0", GONE, "not a rate for every transition"),
        ("pivots/0", GONE, "the rank is to be 2"),
        ("pivots/0", [9, 0], "a pivot is in no row"),
        ("pivots/0", [0], "a pair is no pair"),
        ("kernel/0/0", [0], "an entry is no pair"),
        ("pivots/0/1", 2, "a pivot is zero"),
        ("kernel/0", GONE, "the kernel is to have 2 vectors"),
        ("kernel/0/0/0", 9, "names a transition that is not there"),
        ("kernel/0/+", RANK["kernel"][0][0], "two entries for a transition"),
        ("kernel/0/0/1", 7, "a vector is no solution"),
    ],
)
def test_evidence_by_the_rank_theorem_with_a_fault_shows_nothing(path: str, value: Any, message: str) -> None:
    evidence = edited(RANK, path, value)
    if path == "pivots/0/1":
        evidence["pivots"] = [[0, 2], evidence["pivots"][1]]
    refused("SOUND", "free-choice", evidence, RING, message)


def test_a_row_has_one_pivot_and_each_vector_of_the_kernel_an_entry_of_its_own() -> None:
    twice = edited(RANK, "pivots/1", RANK["pivots"][0])
    refused("SOUND", "free-choice", twice, RING, "a row has two pivots")
    same = edited(RANK, "kernel/1", RANK["kernel"][0])
    refused("SOUND", "free-choice", same, RING, "not seen to be independent")


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (short_net("a: i r -> p r; b: p -> o", i=1, r=1), "the end is not told by the whole final marking"),
        (short_net("a: i -> 2*p; b: p -> o", i=1), "`a` has a weight"),
        (short_net("a: i -> p; b: 2*p -> o", i=1), "`b` has a weight"),
        (short_net("a: i -> p; b: p -> o", {"b": {"reads": ("i",)}}, i=1), "has a weight, or an arc that is not plain"),
        (short_net("a: i -> p; b: p -> o", {"b": {"inputs": (Input("p", Cardinality.ALL),)}}, i=1), "is not plain"),
        (replace(short_net("a: i -> o", i=2), final={"o": 2}), "holds more than one token"),
        (replace(short_net("a: i -> o; c: p ->", i=1), final={"o": 1}), "takes or puts nothing"),
        (replace(short_net("a: i -> p q; b: p -> o; c: p q -> o", i=1), final={"o": 1}), "and not all of their inputs"),
        (replace(short_net("a: i -> o; c: p -> p", i=1), final={"o": 1}), "the net is not connected"),
    ],
)
def test_the_rank_theorem_has_premises(net: Net, message: str) -> None:
    refused("SOUND", "free-choice", RANK, net, message)


def test_an_elimination_that_costs_too_much_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("petri_cli.certificate.rank.MOST_WORK", -1)
    refused("SOUND", "free-choice", RANK, RING, "an order that costs too much")


def test_a_siphon_without_a_token_is_seen() -> None:
    evidence = {
        "invariant": [1, 1, 1, 1, 1],
        "rates": [1, 1, 1],
        "pivots": [[0, 0], [1, 2]],
        "kernel": [[[0, 1], [1, 1], [2, 1]]],
    }
    net = replace(short_net("t: i x -> p y; u: p y -> o x", i=1), final={"o": 1})
    refused("SOUND", "free-choice", evidence, net, "a siphon has no token")


# Runs

GROWING = short_net("a: i -> s; g: s -> s p; k: p s -> s; e: s -> o", i=1)


def pumped(*pump: str) -> Any:
    run, more = ([{"transition": t, "outcome": 0} for t in names] for names in ("a", pump))
    return {"shows": "unbounded", "run": run, "pump": more}


@pytest.mark.parametrize(
    ("net", "evidence", "message"),
    [
        (FORK, {"shows": "deadlock", "run": []}, "something is enabled where the run ends"),
        (FORK, {"shows": "improperCompletion", "run": []}, "the end is not marked where the run ends"),
        (FORK, {"shows": "luck", "run": []}, "a run cannot show `luck`"),
        (FORK, {"shows": "deadTransition", "run": [], "transition": "z"}, "there is no transition `z`"),
        (GROWING, pumped("g", "k"), "the pump adds nothing"),
        (GROWING, pumped("e"), "the pump takes more than it gives"),
        (
            short_net("a: i -> s; g: s -> s p; k: p s -> s; e: s -> o", {"e": {"inhibitors": ("p",)}}, i=1),
            pumped("g"),
            "an arc under which more tokens may allow less",
        ),
        (replace(GROWING, final={}), pumped("g"), "the final marking is empty"),
    ],
)
def test_a_run_that_shows_less_than_it_says_shows_nothing(net: Net, evidence: Any, message: str) -> None:
    assert looked_at("UNSOUND", "run", pumped("g"), GROWING) == "tokens grow without bound"
    refused("UNSOUND", "run", evidence, net, message)


DONE = {
    "run": [{"transition": t, "outcome": 0} for t in "abcd"],
}


def test_a_run_to_the_end_shows_no_fault() -> None:
    for shows in ("deadlock", "improperCompletion"):
        refused("UNSOUND", "run", {**DONE, "shows": shows}, FORK, "the run ends in the final marking")
    all_markings = {k: BY_KIND["states"][k] for k in ("places", "markings")}
    listed = {"shows": "cannotComplete", "run": [], "closed": all_markings}
    refused("UNSOUND", "run", listed, FORK, "the final marking can be reached from there")
    cut = {**listed, "closed": {**all_markings, "markings": all_markings["markings"][1:]}}
    refused("UNSOUND", "run", cut, FORK, "`d` leads out of the markings listed")
    never = {"shows": "deadTransition", "run": [], "transition": "a", "closed": all_markings}
    refused("UNSOUND", "run", never, FORK, "`a` is enabled in a reachable marking")
    reduced = {"shows": "deadTransition", "run": [], "transition": "a", "reduced": BY_KIND["stubborn"]}
    refused("UNSOUND", "run", reduced, FORK, "`a` is enabled in a reachable marking")


def test_a_list_with_stubborn_sets_need_not_have_a_final_marking_that_is_not_dead() -> None:
    net = replace(short_net("a: i -> p; b: p -> i; c: p -> q", i=1), final={"p": 1})
    closed = {"places": ["i", "q"], "markings": [[0, 1], [1, 1]], "sets": [[0], []]}
    evidence = {"shows": "cannotComplete", "run": [], "closed": closed}
    refused("UNSOUND", "run", evidence, net, "the final marking is not dead")
    start = {"shows": "cannotComplete", "run": [], "closed": {**closed, "markings": [[1, 1]], "sets": [[]]}}
    refused("UNSOUND", "run", start, replace(net, final={"q": 1}), "the marking to begin with is not listed")
    out = {"shows": "cannotComplete", "run": [], "closed": {**closed, "markings": [[0, 1]], "sets": [[0]]}}
    refused("UNSOUND", "run", out, replace(net, final={"q": 1}), "leads out of the markings listed")


# Plans


def plan(flow: Any, **capacities: int) -> Plan:
    resources = [{"id": r, "capacity": n} for r, n in capacities.items()]
    return plan_from_data({"name": "p", "resources": resources, "flow": flow})[0]


def held(resources: str, units: int = 1) -> Any:
    """Guards in one another on resources with one-letter names, around a task."""
    body: Any = {"task": {"id": f"t{resources}{units}"}}
    for r in reversed(resources):
        body = {"guard": {"resource": r, "units": units, "body": body}}
    return body


GATED = plan({"parallel": [held("gab"), held("gba")]}, g=1, a=1, b=1)
ORDERED = plan({"parallel": [held("ab"), held("bc"), held("ac")]}, a=1, b=1, c=1)


def evidence_of(of: Plan, kind: str) -> Any:
    written = proof_of_plan(of, kind)
    assert written is not None
    return written[1]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("order", ["a", "a", "b", "c"], "a resource stands in the order twice"),
        ("order", ["a", "b"], "`c` can make a guard wait, and has no place"),
        ("order", ["b", "a", "c"], "takes a resource out of the order"),
    ],
)
def test_an_order_with_a_fault_shows_nothing(path: str, value: Any, message: str) -> None:
    good = evidence_of(ORDERED, "plan-waits")
    assert (
        looked_at("SOUND", "plan-waits", good, ORDERED) == "3 resources that can make somebody wait, taken in one order"
    )
    refused("SOUND", "plan-waits", edited(good, path, value), ORDERED, message)


def test_a_lock_inside_itself_is_in_no_order() -> None:
    twice = plan({"parallel": [held("aa"), held("a")]}, a=2)
    refused("SOUND", "plan-waits", {"order": ["a"]}, twice, "a guard lies inside another one on the same resource")


def test_a_request_must_fit() -> None:
    big = plan({"parallel": [held("a", 2), held("b")]}, a=1, b=1)
    refused("SOUND", "plan-waits", {"order": ["a", "b"]}, big, "asks for 2 of `a`, which has 1")
    assert looked_at("UNSOUND", "plan-request", {"guard": "g1"}, big)
    refused("UNSOUND", "plan-request", {"guard": "g2"}, big, "no guard `g2` asks for more than can be free")
    beside = [held("a", 2), held("b"), {"guard": {"resource": "b", "body": {"task": {"id": "u"}}}}]
    inside = plan({"guard": {"resource": "a", "body": {"parallel": beside}}}, a=2, b=1)
    assert looked_at("UNSOUND", "plan-request", {"guard": "g2"}, inside)
    refused("SOUND", "plan-parts", {"parts": []}, inside, "asks for 2 of `a`")
    within = plan({"guard": {"resource": "a", "body": held("a", 2)}}, a=2)
    assert looked_at("UNSOUND", "plan-request", {"guard": "g2"}, within)
    refused("SOUND", "plan-parts", {"parts": []}, within, "asks for 2 of `a`, and 1 are left")
    each = {"foreach": {"id": "f", "over": [], "body": held("a", 2)}}
    refused("UNSOUND", "plan-request", {"guard": "g1"}, plan(each, a=1), "no guard `g1` asks for more")
    assert looked_at("SOUND", "plan-waits", {"order": []}, plan(each, a=1))


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("parts", [], "the plan has 1 parts"),
        ("parts/0/order/0", ["g", "a"], "stands in the order twice"),
        ("parts/0/by", "C", "a matter of statement D"),
        ("parts/0/proofs", [], "is not shown harmless"),
        ("parts/0/proofs/0/kept", ["a", "b"], "a dead marking is listed that is not final"),
        ("parts/0/proofs/0/kept", ["a"], "asks for one of these resources while holding another"),
        ("parts/0/proofs/0/kept", ["a", "z"], "a resource is kept for which nobody"),
        ("parts/0/proofs/0/markings/0", [], "the marking to begin with is not listed"),
        ("parts/0/proofs/0/markings/3", GONE, "leads out of the markings listed"),
    ],
)
def test_evidence_of_parts_with_a_fault_shows_nothing(path: str, value: Any, message: str) -> None:
    good = evidence_of(GATED, "plan-parts")
    assert "1 cycle of locks harmless" in looked_at("SOUND", "plan-parts", good, GATED)
    evidence = edited(good, path, value)
    if value == ["a", "b"]:
        evidence = edited(evidence_of_inversion(), "parts/0/proofs/0/kept", ["a", "b"])
    elif path.endswith("markings/3"):
        evidence["parts"][0]["proofs"][0]["sets"].pop(3)
    refused("SOUND", "plan-parts", evidence, GATED, message)


def evidence_of_inversion() -> Any:
    """All markings of the net over a and b, the dead one among them, as somebody would list them who hopes."""
    from tests.oracle.statespace import explore

    [part] = parts_of(GATED)
    net = guard_net(part, frozenset("ab"))
    markings = [dict(m) for m in explore(net).successors]
    places = [p.id for p in net.places]
    rows = [[x for p, n in m.items() for x in (places.index(p), n)] for m in markings]
    sets = [list(range(len(net.transitions))) for _ in rows]
    proof = {"kept": ["a", "b"], "places": places, "markings": rows, "sets": sets}
    return {"parts": [{"at": "", "by": "D", "order": [["g"], ["a", "b"]], "proofs": [proof]}]}


def test_a_deadlock_that_the_equation_does_not_exclude_is_not_excluded() -> None:
    good = evidence_of(GATED, "plan-parts")
    nothing = {"goal": [], "differs": [], "stuck": [], "rows": [], "lemmas": [], "nodes": [{"leaf": []}], "proof": 0}
    stuck = edited(good, "parts/0/proofs/0", {"kept": ["a", "b", "g"], "stuck": nothing})
    refused("SOUND", "plan-parts", stuck, GATED, "do not contradict each other")


def test_a_standstill_of_a_part_is_one() -> None:
    knot = plan({"parallel": [held("ab"), held("ba")]}, a=1, b=1)
    written = deadlock_of_plan(knot)
    assert written is not None
    good = written[1]
    assert (
        looked_at("UNSOUND", "plan-deadlock", good, knot)
        == "flow.parallel comes to a standstill, with tasks left to do"
    )
    for path, value, message in (
        ("part", 1, "there is no such part"),
        ("run/1/step", "take", "there is no step `take`"),
        ("run/1/times", 2, "is not enabled 2 times in a row"),
        ("run/1/times", 0, "how often is no whole number from 1 on"),
        ("run/2", GONE, "something is enabled where the run ends"),
    ):
        refused("UNSOUND", "plan-deadlock", edited(good, path, value), knot, message)
    begun, *_ = good["run"]
    names = [
        "2: take g3",
        "4: take g4",
        "5: give g4",
        "3: give g3",
        "6: take g1",
        "8: take g2",
        "9: give g2",
        "7: give g1",
    ]
    ended = {
        "part": 0,
        "run": [begun, *({"step": s, "times": 1} for s in names), {"step": "1: join 1 parallel", "times": 1}],
    }
    refused("UNSOUND", "plan-deadlock", ended, knot, "the run ends in the final marking")
    each = {"foreach": {"id": "f", "over": ["x", "y", "z"], "body": held("aa")}}
    refused("UNSOUND", "plan-deadlock", {"part": 0, "run": []}, plan(each, a=2), "more items than are looked at")


def test_a_width_is_one_that_the_plan_allows() -> None:
    body = {"parallel": [held("ab"), held("ba")]}
    few = plan({"foreach": {"id": "f", "over": "items", "maxWidth": 2, "body": body}}, a=1, b=1)
    fixed = plan({"foreach": {"id": "f", "over": ["x"], "body": body}}, a=1, b=1)
    run = {"shows": "deadlock", "run": []}
    refused("UNSOUND", "plan-run", {**run, "widths": {}}, few, "the width of `f` is missing")
    refused("UNSOUND", "plan-run", {**run, "widths": {"f": 3}}, few, "`f` is never so wide")
    refused("UNSOUND", "plan-run", {**run, "widths": {"f": 2}}, fixed, "`f` has 1 items, not 2")
    refused("UNSOUND", "plan-run", {**run, "widths": []}, few, "the widths are no object")
    refused("UNSOUND", "plan-run", {"run": [], "shows": "unbounded", "widths": {"f": 1}}, few, "a run of a plan shows")
    refused("UNSOUND", "plan-run", {**run, "widths": {"f": 1}}, few, "something is enabled where the run ends")


# Properties

COUNT = short_net("g: i -> i p; e: p -> q; z: z -> z", i=1)
ASKED = (Property("few", "placeBound", ("q",), 0, 1), Property("never", "unreachable", ("z",)))


def abstract(many: int, *markings: list[int]) -> Any:
    return {"of": [1], "abstract": {"many": many, "places": ["i", "p", "q", "z"], "markings": list(markings)}}


EVERYTHING = [[0, 1, 1, p, 2, q] for p in (0, 1) for q in (0, 1)]


@pytest.mark.parametrize(
    ("proof", "message"),
    [
        (abstract(1, *EVERYTHING), ""),
        ({**abstract(1, *EVERYTHING), "of": [0, 1]}, "an abstract marking violates `few`"),
        ({**abstract(1, *EVERYTHING), "of": [2]}, "there is no such property"),
        ({**abstract(1, *EVERYTHING), "of": [0]}, "an abstract marking violates `few`"),
        (abstract(1, *EVERYTHING[1:]), "the marking to begin with is not listed"),
        (abstract(1, *EVERYTHING[:-1]), "leads out of the markings listed"),
        (abstract(1, *EVERYTHING, [1, 2]), "a marking counts further than is said"),
        (abstract(0, *EVERYTHING), "how many are many is no whole number from 1 on"),
        ({"of": [0, 1], "refutations": []}, "a refutation is about one property"),
        ({"of": [1], "refutations": []}, "can be violated in 1 ways"),
        ({"of": [1], "closed": {"places": [], "markings": []}}, "the marking to begin with is not listed"),
        ({"of": [1], "closed": {"places": [], "markings": [], "sets": []}}, "stubborn sets keep dead markings"),
    ],
)
def test_proofs_of_properties_have_premises(proof: Any, message: str) -> None:
    net = replace(COUNT, properties=ASKED[1:] if not message else ASKED)
    if message:
        refused("SOUND", "properties", {"proofs": [proof]}, net, message)
    else:
        assert looked_at("SOUND", "properties", {"proofs": [{**proof, "of": [0]}]}, net)
        refused("SOUND", "properties", {"proofs": []}, net, "nothing shows `never`")


def test_an_arc_that_needs_more_than_is_counted_is_seen() -> None:
    net = replace(short_net("g: i -> i p; e: 2*p -> z", i=1), properties=ASKED[1:])
    proof = {"of": [0], "abstract": {"many": 1, "places": ["i", "p"], "markings": [[0, 1], [0, 1, 1, 1]]}}
    refused("SOUND", "properties", {"proofs": [proof]}, net, "an arc needs more than is counted")


def test_what_takes_from_too_much_that_is_many_is_not_followed() -> None:
    net = replace(short_net("g: 9*a 9*b 9*c 9*d -> z", a=9, b=9, c=9, d=9), properties=ASKED[1:])
    full = [0, 9, 1, 9, 2, 9, 3, 9]
    proof = {"of": [0], "abstract": {"many": 9, "places": ["a", "b", "c", "d"], "markings": [full]}}
    refused("SOUND", "properties", {"proofs": [proof]}, net, "takes from too many places with many tokens")


def test_a_run_to_what_a_property_allows_violates_nothing() -> None:
    net = replace(COUNT, properties=ASKED)
    refused("UNSOUND", "violation", {"of": 1, "run": []}, net, "does not violate `never`")
    refused("UNSOUND", "run", {"shows": "deadlock", "run": []}, net, "no evidence `run` about properties of a net")


def test_a_certificate_is_about_these_bytes_this_verdict_and_this_kind() -> None:
    evidence = json.loads(json.dumps(BY_KIND["states"]))
    refused("UNSOUND", "states", evidence, FORK, "evidence `states` shows SOUND")
    refused("SOUND", "plan-waits", evidence, FORK, "there is no evidence `plan-waits` about the soundness of a net")
    with pytest.raises(Unproved, match="the format is not petri-certificate/1"):
        read_certificate(b'{"format": "petri-certificate/2"}')
    with pytest.raises(Unproved, match="about another document"):
        check(Certificate("SOUND", "states", digest_of(b"x"), "f", "0", evidence), FORK, b"")


def test_without_evidence_no_file_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "p.petri.yaml"
    file.write_text("name: p\nflow: {task: {id: t}}\n")
    monkeypatch.setattr(certifying, "evidence_of_plan", lambda *_: None)
    certificate = tmp_path / "c.json"
    with pytest.raises(PetriError, match="PETRI_NO_CERTIFICATE"):
        certifying.write_certificate(
            Source(str(file), str(file)), str(certificate), Budget(), lambda *_: None, Page(lambda _: None)
        )
    assert not certificate.exists()


@pytest.mark.parametrize(
    ("prop", "message"),
    [
        (Property("p", "unreachable", ("nowhere",)), "`p` makes no sense for this net"),
        (Property("p", "luck", ("q",)), "`p` makes no sense for this net"),
        (Property("p", "placeBound", ("p",)), "`p` bounds no single place"),
        (Property("p", "placeBound", ("p", "q"), 0, 1), "`p` bounds no single place"),
        (Property("p", "placeBound", ("o",), 0, 0), "a marking that is listed violates `p`"),
        (Property("p", "deadlockFree", ("p",)), "a marking that is listed violates `p`"),
    ],
)
def test_a_list_shows_a_property_that_makes_sense_and_that_nothing_in_it_violates(prop: Property, message: str) -> None:
    closed = {"places": ["i", "p", "o"], "markings": [[0, 1], [1, 1], [2, 1]]}
    net = replace(short_net("a: i -> p; b: p -> o", i=1), places=tuple(map(Place, ["i", "p", "o", "q"])))
    good = replace(net, properties=(Property("p", "deadlockFree", ("o",)),))
    assert looked_at("SOUND", "properties", {"proofs": [{"of": [0], "closed": closed}]}, good)
    bad = replace(net, properties=(prop,))
    refused("SOUND", "properties", {"proofs": [{"of": [0], "closed": closed}]}, bad, message)


def test_a_rest_that_is_not_dead_is_in_no_list_with_stubborn_sets() -> None:
    net = short_net("a: i -> p; b: p -> o", {"b": {"timing": Timing("deadline", 0.0, 1.0)}}, i=1)
    net = replace(net, properties=(Property("p", "deadlockFree", ("o",)),))
    closed = {"places": ["i", "p", "o"], "markings": [[0, 1], [1, 1], [2, 1]], "sets": [[0], [1], []]}
    refused("SOUND", "properties", {"proofs": [{"of": [0], "closed": closed}]}, net, "a rest need not be dead")


@pytest.mark.parametrize(
    ("net", "message"),
    [
        (short_net("a: i -> o; b: j -> o", i=1), "not one source and one sink"),
        (short_net("a: i -> o", i=2), "the source does not start with one token"),
        (replace(short_net("a: i -> o", i=1), initial={"i": 1, "x": 1}), "tokens lie on places that are not declared"),
    ],
)
def test_a_net_without_a_start_and_an_end_has_no_soundness(net: Net, message: str) -> None:
    refused("SOUND", "states", {"places": [], "markings": []}, net, message)
