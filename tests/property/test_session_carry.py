"""A plan committed over work under way: the same plan changes nothing, an extended one goes on, a misfit is refused."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.driver.carry import Carried, carry
from petri_cli.engine.tokens import Token
from petri_cli.plan.lower import lower_execution
from petri_cli.session.events import RevisionCommitted, SessionEvent
from petri_cli.session.fold import fold
from petri_cli.session.plan_text import plan_hash
from petri_cli.session.state import State
from tests.strategies.contended_plans import Document, contended_plan
from tests.strategies.session_runs import chances, partly_done, read

drawn = settings(max_examples=150, deadline=None, derandomize=True)


def carried(events: Sequence[SessionEvent], document: Any) -> tuple[State, Carried]:
    plan = read(json.dumps(document))
    state = fold(events)
    return state, carry(events, state, read, plan, lower_execution(plan), 10**9)


def standing(marking: Mapping[str, Sequence[Token]]) -> Counter[tuple[str, str, str]]:
    """A marking without its dates."""
    return Counter((p, t.name, json.dumps(t.value, sort_keys=True)) for p, ts in marking.items() for t in ts)


def drawn_plan(rng: random.Random) -> Document:
    """A plan without quotas, whose simulated runs tell of no timers."""
    document = contended_plan(rng, rng.choice([2, 3, 4]))
    for resource in document["resources"]:
        resource.pop("per", None)
    return document


@drawn
@given(st.integers(0, 2**32))
def test_the_same_plan_committed_again_stands_where_it_stood(seed: int) -> None:
    rng = chances(seed)
    document = drawn_plan(rng)
    events = partly_done(document, rng)
    state, new = carried(events, document)
    assert standing(new.marking) == standing(state.marking)
    assert new.moved.keys() == state.claims.keys()
    assert {c: standing(ts) for c, ts in new.moved.items()} == {
        c: standing(claim.consumed) for c, claim in state.claims.items()
    }


@drawn
@given(st.integers(0, 2**32))
def test_units_that_are_free_and_held_are_all_that_there_are(seed: int) -> None:
    rng = chances(seed)
    document = drawn_plan(rng)
    events = partly_done(document, rng)
    state, new = carried(events, document)
    plan = read(json.dumps(document))
    again = fold([recommitted(document, new)], state)
    for resource in plan.resources:
        assert again.free(resource.id) + again.held(resource.id) == resource.capacity


def recommitted(document: Any, new: Carried) -> RevisionCommitted:
    text = json.dumps(document)
    return RevisionCommitted(
        10**9, 2, "json", text, plan_hash(text), new.marking, kept=new.kept, moved=new.moved, holdings=new.holdings
    )


@drawn
@given(st.integers(0, 2**32))
def test_a_second_revision_of_the_same_plan_stands_where_the_first_one_did(seed: int) -> None:
    rng = chances(seed)
    document = drawn_plan(rng)
    events = partly_done(document, rng)
    _, new = carried(events, document)
    _, newer = carried([*events, recommitted(document, new)], document)
    assert standing(newer.marking) == standing(new.marking)
    assert {t: sorted(threads) for t, threads in newer.kept.items()} == {t: sorted(ts) for t, ts in new.kept.items()}


@drawn
@given(st.integers(0, 2**32))
def test_a_step_behind_all_others_changes_nothing_before_it(seed: int) -> None:
    rng = chances(seed)
    document = drawn_plan(rng)
    events = partly_done(document, rng)
    longer = {**document, "flow": {"seq": [document["flow"], {"task": {"id": "last"}}]}}
    _, same = carried(events, document)
    _, new = carried(events, longer)
    assert new.kept == same.kept
    assert {len(ts) for p, ts in new.marking.items() if p == "p.end"} <= {0}
    assert sum(map(len, new.marking.values())) == sum(map(len, same.marking.values()))
