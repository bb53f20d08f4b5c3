"""What is said where the search was cut: intervals that hold, and as narrow as what is known makes them."""

from __future__ import annotations

from random import Random

import pytest

from petri_cli.errors import PetriError
from petri_cli.mining.alignments import align
from petri_cli.mining.alignments_any_run import some_run
from petri_cli.mining.alignments_model import prepare
from petri_cli.mining.deviations import deviations
from petri_cli.mining.log import log_of
from petri_cli.mining.model import LabelledNet
from petri_cli.net.model import AndOut, Input, Net, Place, PlaceOut, Transition
from petri_cli.render.look import Look
from petri_cli.render.mining import Fit, draw_fit
from petri_cli.soundness.packed import with_room
from tests.strategies.models import any_model


def tangle(width: int) -> LabelledNet:
    """Branches that wait for their neighbours: no blocks, and two states a branch."""
    names = [f"a{k}" for k in range(width)]
    places = [Place("i"), Place("o")]
    steps = [Transition("split", (Input("i"),), AndOut(tuple(PlaceOut(f"p{k}") for k in range(width))))]
    for k in range(width):
        places += [Place(f"p{k}"), Place(f"q{k}"), Place(f"r{k}")]
        steps.append(Transition(f"t{k}", (Input(f"p{k}"),), AndOut((PlaceOut(f"q{k}"), PlaceOut(f"r{k}")))))
    ends = [Input(f"{x}{k}") for k in range(width) for x in "qr" if (x, k) != ("r", 0)]
    late = Transition("late", (Input("r0"), Input("q0")), AndOut((PlaceOut("q0"), PlaceOut("z"))))
    steps += [late, Transition("join", (*ends, Input("z")), PlaceOut("o"))]
    labels = {f"t{k}": names[k] for k in range(width)}
    return LabelledNet(Net("n", (*places, Place("z")), tuple(steps), {"i": 1}, {"o": 1}), labels)


def test_a_cut_search_bounds_the_cost_by_any_complete_run_and_says_less_than_one_where_no_case_fits() -> None:
    log = log_of([["x"] * 7, ["a0", "y"]])
    aligned = align(log, tangle(30), max_states=10)
    assert aligned.cut and aligned.shortest is None
    assert aligned.lower == (7, 1)
    assert aligned.upper == (37, 32)
    assert aligned.cost() == (8, 69)
    low, high = aligned.fitness()
    assert low == 0
    assert high == pytest.approx(1 - (7 / 37 + 1 / 32) / 2)
    assert aligned.fitting_cases() == (0, 0)
    told = "".join(
        text
        for line in draw_fit(Fit(aligned, None, None, 1.0, deviations(aligned), ()), log, Look())
        for _, text in line
    )
    assert "0 of 2 cases fit; alignments cost 8 to 69" in " ".join(told.split())


def test_a_net_with_no_end_of_markings_is_told_without_a_figure_that_nobody_knows() -> None:
    # no walk comes to this end: it takes as many b as a, and the walk alternates with a third
    steps = (
        Transition("a", (Input("s"),), AndOut((PlaceOut("s"), PlaceOut("n")))),
        Transition("c", (Input("s"), Input("n")), AndOut((PlaceOut("s"), PlaceOut("m")))),
        Transition("b", (Input("s"), Input("m"), ), PlaceOut("e")),
    )  # fmt: skip
    net = Net("n", tuple(Place(p) for p in "snme"), steps, {"s": 1}, {"e": 1, "n": 90_001})
    model = LabelledNet(net, {t.id: t.id for t in steps})
    aligned = align(log_of([["z"], ["a"]]), model, max_states=50)
    assert aligned.cost() == (1, None)
    assert aligned.fitness_of(0)[1] < 1
    assert aligned.fitness()[1] < 1
    told = "".join(
        text for line in draw_fit(Fit(aligned, None, None, 1.0, (), ()), aligned.log, Look()) for _, text in line
    )
    assert "0 to 1 of 2 cases fit; alignments cost at least 1" in " ".join(told.split())


@pytest.mark.slow
def test_some_run_is_no_shorter_than_the_shortest_and_a_cut_interval_holds_the_exact_figures() -> None:
    found = 0
    for seed in range(150):
        rng = Random(seed)  # noqa: S311
        model = any_model(rng)
        log = log_of([rng.choices("abcx", k=rng.randint(0, 5)) for _ in range(3)])
        try:
            exact = align(log, model, max_states=20_000)
        except PetriError:  # no run at all: nothing to compare
            continue
        if exact.cut or exact.shortest is None:
            continue
        prepared = prepare(log, model)
        run = with_room(prepared.compiled, lambda packed: some_run(packed, prepared.labels.of_action))  # noqa: B023
        assert run is None or run >= exact.shortest
        found += run is not None
        cut = align(log, model, max_states=rng.randint(1, 6))
        for k, cost in enumerate(exact.lower):
            high = cut.upper[k]
            assert cut.lower[k] <= cost and (high is None or cost <= high)
            low_fit, high_fit = cut.fitness_of(k)
            assert low_fit <= exact.fitness_of(k)[0] <= high_fit
    assert found > 20
