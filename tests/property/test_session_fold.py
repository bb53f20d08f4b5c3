"""Of any log: what is folded from it, with snapshots and without, through text and without."""

from __future__ import annotations

from dataclasses import fields
from typing import get_args

from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.session.events import EVENT_TYPES, SessionEvent
from petri_cli.session.fold import apply, fold
from petri_cli.session.memory import MemoryEventStore
from petri_cli.session.payload import decode, encode
from petri_cli.session.snapshot import state_from_text, state_to_text
from petri_cli.session.state import State
from tests.strategies.session_logs import UNITS, session_log, session_logs

many = settings(max_examples=60, deadline=None, derandomize=True)


@many
@given(session_logs)
def test_in_every_prefix_what_is_held_and_what_is_free_is_the_capacity(log: list[SessionEvent]) -> None:
    state = State()
    for event in log:
        apply(state, event)
        if state.revision:
            assert {r: state.held(r[2:]) + state.free(r[2:]) for r in UNITS} == UNITS
        assert all(state.marking.values()), "no empty places"
    assert state.seq == len(log) and state.at == log[-1].at


@many
@given(session_logs)
def test_an_event_comes_back_from_its_line(log: list[SessionEvent]) -> None:
    for event in log:
        assert decode(encode(event)) == event
        assert encode(decode(encode(event))) == encode(event)


@many
@given(session_logs, st.data())
def test_a_state_comes_back_from_its_text_and_folds_on(log: list[SessionEvent], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(log)))
    before = fold(log[:cut])
    kept = state_from_text(state_to_text(before), cut)
    assert kept == before
    assert [*kept.claims] == [*before.claims] and [*kept.timers] == [*before.timers], "in the same order"
    assert fold(log[cut:], kept) == fold(log)


@settings(max_examples=20, deadline=None, derandomize=True)
@given(session_logs, st.data())
def test_a_store_with_any_snapshots_has_the_states_of_the_log(log: list[SessionEvent], data: st.DataObject) -> None:
    store = MemoryEventStore(clock=lambda: 0)
    store.create("demo")
    store.append("demo", 1, log[1:])
    whole = store.state("demo")
    asked = data.draw(st.lists(st.integers(1, len(log)), min_size=1, max_size=8))
    states = [store.state("demo", upto) for upto in asked]
    for cut in data.draw(st.lists(st.integers(1, len(log)), max_size=5)):
        store.snapshot("demo", store.state("demo", cut))
    assert [store.state("demo", upto) for upto in asked] == states
    assert store.state("demo") == whole


def test_the_logs_of_the_model_have_every_event_in_them() -> None:
    seen: set[type] = set()
    ends: set[str | None] = set()
    for seed in range(60):
        log = session_log(seed, 80)
        seen.update(type(e) for e in log)
        state = State()
        for event in log:
            apply(state, event)
            ends.add(state.ended)
    assert seen == set(EVENT_TYPES.values()) == set(get_args(SessionEvent))
    assert ends == {None, "completed", "cancelled", "failed", "deadlocked", "suspended"}


def test_every_field_of_a_state_is_in_its_text() -> None:
    """And takes part in the comparisons above: the model's logs fill them all."""
    empty = State()
    filled = {
        f.name
        for seed in range(40)
        for state in [fold(session_log(seed, 50, final=False))]
        for f in fields(State)
        if getattr(state, f.name) != getattr(empty, f.name)
    }
    assert filled == {f.name for f in fields(State)}
