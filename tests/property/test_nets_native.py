"""The compiled core gives the same answers as the search in Python, state for state."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from petri_cli.errors import PetriError
from petri_cli.net.compiled import CompiledNet, compile_net
from petri_cli.net.model import Net
from petri_cli.plan.load import plan_from_data
from petri_cli.plan.lower import lower_workflow
from petri_cli.soundness.answers import unknown
from petri_cli.soundness.deadlock import find_deadlock
from petri_cli.soundness.explore import Window
from petri_cli.soundness.native import binding
from petri_cli.soundness.native.space import NativeSpace
from petri_cli.soundness.nets import judge_net, place_bounds
from petri_cli.soundness.packed import is_vector_addition
from petri_cli.soundness.result import Budget
from petri_cli.soundness.spaces import Space, with_space
from tests.bare.random_plans import random_plan
from tests.strategies.nets import nets
from tests.strategies.plain_nets import arbitrary_net, process_net, wild_workflow_net
from tests.strategies.short_nets import short_net
from tests.strategies.workflow_nets import workflow_net

pytestmark = pytest.mark.skipif(binding.core is None, reason="the compiled core was not built")
MODEST = settings(deadline=None, derandomize=True, max_examples=150)


@contextmanager
def in_python() -> Iterator[None]:
    """Without the compiled core."""
    core, binding.core = binding.core, None
    try:
        yield
    finally:
        binding.core = core


def _space(compiled: CompiledNet, limit: int, *, reduced: bool = False) -> Space:
    def search(space: Space) -> Space:
        space.advance(limit)
        return space

    return with_space(compiled, search, reduced=reduced)


def _windows(rng: Random, places: int) -> Iterator[Window]:
    for _ in range(6):
        chosen = tuple(rng.randrange(places) for _ in range(rng.randint(0, 3))) if places else ()
        least = rng.choice([0, 0, 1, 2])
        yield Window(chosen, least, rng.choice([None, 0, 1, 2, 1 << 70]), rng.random() < 0.5, rng.random() < 0.5)


def _is_same(compiled: CompiledNet, limit: int, rng: Random, *, reduced: bool = False) -> int:
    """Compare two spaces in all they say; how many states there are."""
    native = _space(compiled, limit, reduced=reduced)
    with in_python():
        plain = _space(compiled, limit, reduced=reduced)
    assert isinstance(native, NativeSpace) and not isinstance(plain, NativeSpace)
    assert (native.size, native.expanded, native.edges) == (plain.size, plain.expanded, plain.edges)
    assert (native.complete, native.fired, native.rests) == (plain.complete, plain.fired, plain.rests)
    for i in range(native.size):
        assert native.state(i) == plain.state(i)
        assert native.run_to(i) == plain.run_to(i)
        assert native.is_dead(i) == plain.is_dead(i)
        assert native.find(plain.state(i)) == i == plain.find(plain.state(i))
    for i in range(native.expanded):
        assert native.successors(i) == list(plain.successors(i))
    for goals in (rng.sample(range(native.size), min(native.size, n)) for n in (0, 1, 3)):
        assert native.backwards(goals) == plain.backwards(goals)
    start = rng.randrange(native.size)
    for window in _windows(rng, len(compiled.places)):
        assert native.outside(window, start) == plain.outside(window, start)
    low = tuple(n if rng.random() < 0.5 else 0 for n in native.state(rng.randrange(native.size)))
    assert native.beyond(low, start) == plain.beyond(low, start)
    assert native.pump(start) == plain.pump(start)
    assert native.most() == plain.most()
    elsewhere = tuple(n + rng.choice([0, 0, 1, 1 << 40, 1 << 80]) for n in compiled.initial)
    assert native.find(elsewhere) == plain.find(elsewhere)
    return native.size


def _searches_are_same(compiled: CompiledNet, most: int) -> None:
    for shortest in (True, False):
        native = find_deadlock(compiled, final=compiled.final, max_states=most, shortest=shortest)
        with in_python():
            plain = find_deadlock(compiled, final=compiled.final, max_states=most, shortest=shortest)
        assert native == plain


def _compare(net: Net, rng: Random, limit: int = 300) -> int:
    compiled = compile_net(net)
    states = _is_same(compiled, limit, rng)
    if all(is_vector_addition(a) for a in compiled.actions):
        _is_same(compiled, limit, rng, reduced=True)
        _searches_are_same(compiled, rng.choice([limit, 7]))
    return states


@pytest.mark.slow
@MODEST
@given(nets(max_tokens=4), st.integers(0, 2**32))
def test_nets_of_every_arc_kind_have_the_same_states(net: Net, seed: int) -> None:
    _compare(net, Random(seed), 120)  # noqa: S311


def compare_random_nets(seed: int) -> int:
    """Compare some nets, of every arc kind and of few; how many states they have."""
    rng = Random(seed)  # noqa: S311
    drawn = (
        workflow_net(rng, special=seed % 3 == 0, wrong=0.15),
        wild_workflow_net(rng),
        arbitrary_net(rng, reads=seed % 2 == 0),
    )
    return sum(_compare(net, rng, 200) for net in drawn)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_random_nets_have_the_same_states_and_the_same_stubborn_sets(part: int) -> None:
    assert sum(compare_random_nets(seed) for seed in range(part, 400, 4)) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_processes_over_counted_resources_have_the_same_states_and_deadlocks(part: int) -> None:
    assert sum(_compare(process_net(Random(seed)), Random(seed)) for seed in range(part, 120, 2)) > 1000  # noqa: S311


@pytest.mark.slow
def test_random_plans_have_the_same_states_and_deadlocks() -> None:
    for seed in range(40):
        plan, _ = plan_from_data(random_plan(seed))
        widths = {n.id: 2 for n in plan.nodes if n.id}
        _compare(lower_workflow(plan, widths).net, Random(seed), 250)  # noqa: S311


@pytest.mark.slow
def test_verdicts_conditions_runs_and_counts_are_the_same() -> None:
    budget = Budget(max_states=3_000)
    verdicts = set()
    for seed in range(250):
        rng = Random(seed)  # noqa: S311
        net = workflow_net(rng, special=seed % 3 == 0, wrong=0.15) if seed % 2 else wild_workflow_net(rng)
        try:
            result = judge_net(net, budget)
        except PetriError:
            continue
        with in_python():
            assert judge_net(net, budget) == result
        verdicts.add(result.verdict)
    assert len(verdicts) == 2


@pytest.mark.parametrize("bits", [1, 2, 3, 4, 7, 8, 15, 16, 31, 32, 61, 62, 63, 64])
def test_counts_around_the_width_of_any_field_are_the_same(bits: int) -> None:
    """A place comes to hold twice what an arc brings, which is near the limit of some field."""
    for k in ((1 << bits) - 1, 1 << bits, (1 << bits) + 1):
        net = short_net(f"a: s -> {k}*q; b: s -> q; c: {k}*q -> t; d: 2*q -> u", s=2)
        compiled = compile_net(net)
        wide = _space(compiled, 40)
        with in_python():
            plain = _space(compiled, 40)
        assert [wide.state(i) for i in range(wide.size)] == [plain.state(i) for i in range(plain.size)]
        assert wide.most() == plain.most() and wide.rests == plain.rests
        assert place_bounds(net, Budget(max_states=40)) is None or max(plain.most()) >= 1


def test_searching_in_small_slices_gives_the_same_space() -> None:
    asked = 0

    def in_time() -> bool:
        nonlocal asked
        asked += 1
        return asked % 3 == 0

    def slowly(space: Space) -> Space:
        assert isinstance(space, NativeSpace)
        space._slice = 1
        while not space.complete and space.size <= 500:
            space.advance(500, in_time)
        return space

    for seed in range(40):
        compiled = compile_net(workflow_net(Random(seed)))  # noqa: S311
        whole, slow = _space(compiled, 500), with_space(compiled, slowly)
        assert [whole.state(i) for i in range(whole.size)] == [slow.state(i) for i in range(slow.size)]
        assert whole.edges == slow.edges and whole.rests == slow.rests
    assert asked > 1000


def test_only_places_that_count_get_wider_fields() -> None:
    """Hundreds of places that hold a token at most, and a few that come to hold more: a bit each, but for the few."""
    lane = "; ".join(f"t{k}: p{k} -> p{k + 1}" for k in range(500))
    space = _space(compile_net(short_net(f"{lane}; fill: p500 -> 9*q; again: q -> r r2", p0=1)), 10_000)
    assert isinstance(space, NativeSpace)
    assert max(space.most()) == 9 and space.complete
    narrow = _space(compile_net(short_net(lane, p0=1)), 10_000)
    assert isinstance(narrow, NativeSpace)
    assert space.held < 1.5 * narrow.held


def _lanes(n: int, length: int) -> CompiledNet:
    """n independent branches of some steps each: length ** n markings."""
    text = "; ".join(f"t{b}.{k}: p{b}.{k} -> p{b}.{k + 1}" for b in range(n) for k in range(length - 1))
    return compile_net(short_net(text, None, **{f"p{b}.0": 1 for b in range(n)}))


@pytest.mark.parametrize("megabytes", [0, 1, 2, 4, 8])
def test_a_search_that_may_hold_no_more_ends_with_what_it_has(megabytes: int) -> None:
    space = _spaces_of(_lanes(4, 25), 1_000_000, megabytes << 20)
    if not isinstance(space, NativeSpace):
        assert megabytes == 0 and space.full
        return
    assert space.full == (not space.complete) and space.held <= megabytes << 20
    assert not space.complete and 0 < space.expanded < space.size < 25**4
    assert space.run_to(space.size - 1)
    goals = range(space.expanded, space.size)
    assert all(space.backwards(goals))
    assert space.held <= megabytes << 20


def any_memory_is_enough_or_refused(step: int) -> None:
    """Whatever is allowed, all is well: nothing is begun, or what is there is used."""
    compiled = compile_net(workflow_net(Random(3)))  # noqa: S311
    assert binding.core is not None
    told = binding.numbers(compiled)
    begun = 0
    for most in range(0, 200_000, step):
        for reduced in (False, True):
            try:
                core = binding.core.Space(told, array("q", [7] * len(compiled.places)), reduced, most)
            except MemoryError:
                assert not begun
                continue
            core.advance(1_000, 1_000)
            core.backwards(bytearray(core.size), 1_000, True)
            core.deep_deadlock(100, 1_000)
            assert core.held <= most
            begun += reduced
    assert begun


def test_any_amount_of_memory_is_enough_or_refused() -> None:
    any_memory_is_enough_or_refused(2_000)


def test_numbers_that_tell_no_net_are_refused() -> None:
    assert binding.core is not None
    told = binding.numbers(compile_net(short_net("a: i -> 2*p; b: p -> o", i=1)))
    floors = array("q", [1, 1, 1])
    for wrong in ([], [1, 1], [1, 1, 0], [1, 1, 64], [1, -1, 1]):
        with pytest.raises(ValueError, match="tell no net"):
            binding.core.Space(told, array("q", wrong), False, 1 << 20)
    for cut in range(len(told)):
        with pytest.raises(ValueError, match="tell no net"):
            binding.core.Space(told[:cut], floors, False, 1 << 20)
    rng = Random(1)  # noqa: S311
    for _ in range(2_000):
        broken = told[:]
        for _ in range(rng.randint(1, 3)):
            broken[rng.randrange(len(broken))] = rng.choice([-1, 0, 1, 2, 3, 5, 1 << 31, 1 << 62, -(1 << 62)])
        try:
            core = binding.core.Space(broken, floors, rng.random() < 0.5, 1 << 20)
        except (ValueError, OverflowError, MemoryError):
            continue
        core.advance(50, 50)


def _spaces_of(compiled: CompiledNet, limit: int, most_bytes: int) -> Space:
    def search(space: Space) -> Space:
        space.advance(limit)
        return space

    return with_space(compiled, search, most_bytes=most_bytes)


def test_a_search_that_outgrows_its_memory_says_so() -> None:
    budget = Budget(max_bytes=3_000_000)

    def message() -> str:
        space = _spaces_of(_lanes(4, 25), budget.max_states, budget.max_bytes)
        assert space.full and not space.complete
        return unknown(space, (), budget).message

    assert "undecided within 3 MB of memory" in message()
    with in_python():
        assert "undecided within 3 MB of memory" in message()


def test_a_large_space_is_exact_and_takes_some_tens_of_bytes_a_state() -> None:
    space = _space(_lanes(4, 25), 1_000_000)
    assert isinstance(space, NativeSpace)
    assert space.complete and space.size == 25**4  # so many that some share a slot and all that it says of their hash
    assert space.edges == 4 * 24 * 25**3
    assert space.held / space.size < 50


def test_a_search_that_is_interrupted_can_go_on() -> None:
    compiled = _lanes(4, 15)

    def interrupt() -> bool:
        raise KeyboardInterrupt

    def search(space: Space) -> Space:
        with pytest.raises(KeyboardInterrupt):
            space.advance(1_000_000, interrupt)
        assert 0 < space.expanded < space.size < 15**4
        assert space.advance(1_000_000)
        return space

    assert with_space(compiled, search).size == 15**4


def test_other_threads_run_meanwhile_and_may_not_touch_the_same_space() -> None:
    assert binding.core is not None
    core = binding.core.Space(binding.numbers(_lanes(5, 12)), array("q", [1] * 60), False, binding.MOST_BYTES)
    search = Thread(target=core.advance, args=(1_000_000, 1_000_000))
    refused = turns = 0
    search.start()
    while search.is_alive():
        turns += 1
        try:
            assert core.size in (1, 12**5)
        except RuntimeError:
            refused += 1
    search.join()
    assert core.size == 12**5 and turns and refused <= turns


@pytest.mark.parametrize("count", [0, 1, 31, 32, 33, 100])
def test_any_number_of_actions_may_be_enabled_at_once(count: int) -> None:
    text = "; ".join([f"t{k}: i -> o{k}" for k in range(count)] + ["x: y -> z"])
    assert _is_same(compile_net(short_net(text, i=1)), 1000, Random(count)) == count + 1  # noqa: S311
