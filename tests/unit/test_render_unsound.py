"""The drawings of a deadlock: lanes, circle, marks. Whole pages are in tests/golden/reports."""

from __future__ import annotations

from dataclasses import replace

import pytest

from petri_cli.api import Analysis
from petri_cli.errors import NOWHERE
from petri_cli.net.firing import Step
from petri_cli.render.circle import circle, draw_circle
from petri_cli.render.lanes import draw_lanes
from petri_cli.render.look import Look
from petri_cli.render.page import Page
from petri_cli.render.reporters import reporter
from petri_cli.render.words import Words
from petri_cli.soundness.result import Condition, Counterexample, Held, Lane, Wait
from tests.unit.render_cases import fan_out, inversion, net, sound, transition, unknown


def example(analysis: Analysis) -> Counterexample:
    assert analysis.result is not None and analysis.result.counterexample is not None
    return analysis.result.counterexample


def lanes(cx: Counterexample, *, whole: bool = False, width: int = 80) -> list[str]:
    look = Look(width)
    return [look.paint(line) for line in draw_lanes(cx, Words(cx.net, plan=True), look, whole=whole, indent=0)]


def wait(who: str, wants: str, holds: list[str], held_by: list[str]) -> Wait:
    held = tuple(Held(r, 1, f"g.{r}", 1, NOWHERE) for r in holds)
    return Wait(who, f"p.{who}", f"t.{who}", "g", wants, 1, 0, held, NOWHERE, tuple(held_by))


def drawn_circle(waits: list[Wait], width: int = 80) -> list[str]:
    look = Look(width)
    return [look.paint(line) for line in draw_circle(waits, {}, look, indent=0)]


def written(analysis: Analysis, width: int = 80, verbosity: int = 0) -> list[str]:
    out: list[str] = []
    reporter("text")([analysis], Page(out.append, Look(width), verbosity))
    return "".join(out).splitlines()


def test_two_branches_part_move_and_stop() -> None:
    assert lanes(example(inversion())) == [
        "1  ├──╮   2 branches start",
        "2  ●  │   w1 takes A",
        "3  │  ●   w2 takes B",
        "   ✗  │   w1 waits for B, held by w2",
        "      ✗   w2 waits for A, held by w1",
    ]


def test_branches_that_wait_for_the_same_stop_in_one_row() -> None:
    drawn = lanes(example(fan_out()), width=100)
    assert drawn[0] == "1  ├──┬──┬──╮   sample starts 4 items"
    assert drawn[-1] == "   ✗  ✗  ✗  ✗   align[1] to align[4] each wait for worker, held by one another"


def test_more_branches_than_fit_are_counted() -> None:
    drawn = lanes(example(fan_out(width=12)))
    assert "align[9] to align[12] wait as well" in drawn[-1]
    assert all(len(line) <= 80 for line in drawn)


def test_a_long_run_is_told_in_part_and_what_is_held_is_never_left_out() -> None:
    tasks = [transition(f"t.task{k}", f"p.{k}", f"p.{k + 1}") for k in range(20)]
    split = transition("t.par.1.split", "p.start", "p.x p.y")
    take = [transition("t.guard.g1.acquire", "p.x r.A", "p.0"), transition("t.guard.g2.acquire", "p.y r.B", "p.hold")]
    n = net("long", [split, take[0], *tasks, take[1]], {"p.start": 1, "r.A": 1, "r.B": 1}, {})
    ids = [t.id for t in n.transitions]
    waits = (
        replace(wait("w1", "B", ["A"], ["w2"]), place="p.20", holds=(Held("A", 1, "g1", 2, NOWHERE),)),
        replace(wait("w2", "A", ["B"], ["w1"]), place="p.hold", holds=(Held("B", 1, "g2", 23, NOWHERE),)),
    )
    own = (Lane("w1", tuple((k, ids[k - 1]) for k in range(2, 23))), Lane("w2", ((23, ids[22]),)))
    cx = Counterexample("deadlock", n, tuple(Step(t) for t in ids), {}, "", waits=waits, lanes=own)
    assert lanes(cx)[:4] == [
        "   1  ├──╮   2 branches start",
        "   2  ●  │   w1 takes A",
        "3–22  ┊  │   20 steps, task0, task1, task2 and 17 more done",
        "  23  │  ●   w2 takes B",
    ]
    assert len(lanes(cx, whole=True)) == len(cx.run) + 2


def trunk_case() -> Counterexample:
    """Three steps before the branches part, and two of a branch that does not wait."""
    n = net(
        "trunk",
        [
            transition("t.a", "p.start", "p.1"),
            transition("t.b", "p.1", "p.2"),
            transition("t.par.1.split", "p.2", "p.x p.y p.z"),
            transition("t.guard.g1.acquire", "p.x r.A", "p.hold1"),
            transition("t.other1", "p.z", "p.z1"),
            transition("t.other2", "p.z1", "p.z2"),
            transition("t.guard.g2.acquire", "p.y r.B", "p.hold2"),
        ],
        {"p.start": 1, "r.A": 1, "r.B": 1},
        {},
    )
    ids = [t.id for t in n.transitions]
    waits = (
        replace(wait("w1", "B", ["A"], ["w2"]), place="p.hold1", holds=(Held("A", 1, "g1", 4, NOWHERE),)),
        replace(wait("w2", "A", ["B"], ["w1"]), place="p.hold2", holds=(Held("B", 1, "g2", 7, NOWHERE),)),
    )
    other = Lane("", tuple((k, ids[k - 1]) for k in (1, 2, 3, 5, 6)))
    own = (Lane("w1", ((4, ids[3]),)), Lane("w2", ((7, ids[6]),)))
    return Counterexample("deadlock", n, tuple(Step(t) for t in ids), {}, "", waits=waits, lanes=(other, *own))


def test_trunk_and_other_branches_are_told_in_one_row_each() -> None:
    assert lanes(trunk_case()) == [
        "1–2  ┊      2 steps, a and b done",
        "  3  ├──╮   3 branches start",
        "  4  ●  │   w1 takes A",
        "5–6  ┊  ┊   2 steps, other1 and other2 done",
        "  7  │  ●   w2 takes B",
        "     ✗  │   w1 waits for B, held by w2",
        "        ✗   w2 waits for A, held by w1",
    ]
    assert lanes(trunk_case(), whole=True)[0] == "1  ●      a is done"


def test_steps_of_a_plan_are_told_in_its_words() -> None:
    """What takes the unit is the subject, though the branch is called by the task that waits in the end."""
    told = ("a is done", "b is done", "3 branches start (ship)", "build takes A", "other1 is done", "other2 is done")
    assert lanes(replace(trunk_case(), told=(*told, "test takes B"))) == [
        "1–2  ┊      2 steps, a and b done",
        "  3  ├──╮   3 branches start (ship)",
        "  4  ●  │   build takes A",
        "5–6  ┊  ┊   2 steps, other1 and other2 done",
        "  7  │  ●   test takes B",
        "     ✗  │   w1 waits for B, held by w2",
        "        ✗   w2 waits for A, held by w1",
    ]


def test_a_text_that_is_broken_has_the_branches_beside_it_all_the_way_down() -> None:
    drawn = lanes(example(inversion()), width=34)
    assert drawn[-4:] == [
        "   ✗  │   w1 waits for B, held by",
        "      │   w2",
        "      ✗   w2 waits for A, held by",
        "          w1",
    ]


def test_a_branch_appears_where_the_split_that_starts_it_is() -> None:
    """A nested split: the third column is born at step 3, beside a column that runs already."""
    n = net(
        "nested",
        [
            transition("t.par.1.split", "p.start", "p.x p.y"),
            transition("t.guard.g1.acquire", "p.x r.A", "p.in"),
            transition("t.par.2.split", "p.in", "p.u p.v"),
            transition("t.guard.g4.acquire", "p.y r.B", "p.hold"),
        ],
        {"p.start": 1, "r.A": 1, "r.B": 1},
        {},
    )
    ids = [t.id for t in n.transitions]
    held = (Held("A", 1, "g1", 2, NOWHERE),)
    waits = (
        replace(wait("u", "B", ["A"], ["r"]), place="p.u", holds=held),
        replace(wait("r", "A", ["B"], ["u", "v"]), place="p.hold", holds=(Held("B", 1, "g4", 4, NOWHERE),)),
        replace(wait("v", "B", ["A"], ["r"]), place="p.v", holds=held),
    )
    own = (Lane("u", ((2, ids[1]), (3, ids[2]))), Lane("r", ((4, ids[3]),)), Lane("v", ()))
    trunk = Lane("", ((1, ids[0]),))
    cx = Counterexample("deadlock", n, tuple(Step(t) for t in ids), {}, "", waits=waits, lanes=(trunk, *own))
    assert lanes(cx)[:4] == [
        "1  ├──╮      2 branches start",
        "2  ●  │      u takes A",
        "3  ├──│──╮   2 branches start",
        "4  │  ●  │   r takes B",
    ]


def test_units_that_are_held_no_longer_are_nobodys() -> None:
    """What a branch took and gave back, or what others took, is told without a subject."""
    cx = trunk_case()
    cx = replace(cx, waits=(replace(cx.waits[0], holds=()), cx.waits[1]))
    assert "4  ●  │   A is taken" in [line.strip() for line in lanes(cx)]


def test_a_circle_of_two_is_one_line() -> None:
    waits = [wait("w1", "B", ["A"], ["w2"]), wait("w2", "A", ["B"], ["w1"])]
    assert drawn_circle(waits) == [
        "╭→ w1 ─holds→ A ─wanted by→ w2 ─holds→ B ─wanted by─╮",
        "╰───────────────────────────────────────────────────╯",
    ]


def test_a_circle_that_is_too_wide_has_a_row_a_participant() -> None:
    waits = [wait("w1", "B", ["A"], ["w2"]), wait("long_name", "A", ["B"], ["w1"])]
    waits[0] = replace(waits[0], holders=("long_name",))
    assert drawn_circle(waits, 50) == [
        "╭→ w1        ─holds→ A ─wanted by→ long_name",
        "│  long_name ─holds→ B ─wanted by→ w1 ─╮",
        "╰──────────────────────────────────────╯",
    ]


LONG = {
    "run_integration_tests_core": "production_deploy_lock",
    "run_migration_of_the_web_database": "staging_database_lock",
    "publish_documentation_to_the_site": "integration_test_runner",
}


def long_circle() -> list[Wait]:
    who, held = list(LONG), list(LONG.values())
    return [wait(name, held[k - 2], [held[k]], [who[k - 2]]) for k, name in enumerate(who)]


def test_a_circle_of_long_names_is_broken_before_the_arrows() -> None:
    assert drawn_circle(long_circle(), 76) == [
        "╭→ run_integration_tests_core ─holds→ production_deploy_lock",
        "│    ─wanted by→ publish_documentation_to_the_site",
        "│    ─holds→ integration_test_runner",
        "│    ─wanted by→ run_migration_of_the_web_database",
        "│    ─holds→ staging_database_lock ─wanted by─╮",
        "╰─────────────────────────────────────────────╯",
    ]


@pytest.mark.parametrize("width", [40, 56, 60, 76, 80, 110])
def test_a_circle_is_never_wider_than_its_room_nor_broken_in_a_name(width: int) -> None:
    names = [*LONG, *LONG.values()]
    pool = [wait(name, "pool", ["pool"], list(LONG)) for name in LONG]
    for waits in (long_circle(), pool):
        drawn = drawn_circle(waits, width)
        assert all(len(line) <= width for line in drawn)
        words = [word for line in drawn for word in line.replace(",", " ").split() if "_" in word]
        assert words and all(word in names for word in words)


def test_a_name_that_is_wider_than_the_circle_is_cut() -> None:
    who = ["a" * 50, "b"]
    drawn = drawn_circle([wait(who[0], "B", ["A"], ["b"]), wait("b", "A", ["B"], [who[0]])], 30)
    assert drawn[:3] == ["╭→ " + "a" * 24 + "…", "│    ─holds→ A ─wanted by→ b", "│    ─holds→ B ─wanted by─╮"]


def test_the_middle_of_a_large_circle_is_counted() -> None:
    waits = [wait(f"w{k}", f"r{(k + 1) % 30}", [f"r{k}"], [f"w{(k + 1) % 30}"]) for k in range(30)]
    drawn = drawn_circle(waits)
    assert len(drawn) == 7
    assert "… 25 more …" in drawn[4]


def test_a_pool_is_a_group_that_waits_for_itself() -> None:
    who = ["a", "b", "c"]
    waits = [wait(w, "pool", ["pool"], who) for w in who]
    one_each = [replace(w, holds=(Held("pool", 1, "g.pool", k, NOWHERE),)) for k, w in enumerate(waits, 1)]
    assert drawn_circle(one_each) == [
        "╭→ a, b and c ─hold→ pool ─wanted by─╮",
        "╰────────────────────────────────────╯",
    ]


def test_a_unit_that_was_taken_around_several_is_held_together() -> None:
    who = ["a", "b"]
    assert drawn_circle([wait(w, "lock", ["lock"], who) for w in who])[0] == (
        "╭→ a and b ─together hold→ lock ─wanted by─╮"
    )


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ((2,), "w1 holds lock since step 2"),
        ((2, 2), "w1 and w2 together hold lock since step 2"),
        ((2, 3), "w1 and w2 each hold lock"),
        ((2, 2, 3), "w1 and w2 together hold lock since step 2; w3 holds lock since step 3"),
        ((2, 2, 3, 4, 5), "w1, w2 and 3 more hold lock, those of one item together"),
    ],
)
def test_a_marked_guard_says_who_holds_its_units_together(steps: tuple[int, ...], told: str) -> None:
    analysis = inversion()
    assert analysis.result is not None
    where = example(analysis).waits[0].holds[0].where
    held = [Held("lock", 1, "g1", n, where) for n in steps]
    waits = tuple(replace(wait(f"w{k}", "A", [], []), holds=(h,)) for k, h in enumerate(held, 1))
    cx = replace(example(analysis), waits=waits, lanes=())
    page = written(replace(analysis, result=replace(analysis.result, counterexample=cx)), width=110)
    assert [line for line in page if line.endswith(f"^ {told}")]


def test_holders_outside_the_circle_are_named() -> None:
    waits = [
        wait("w1", "B", ["A"], ["w2"]),
        wait("w2", "A", ["B"], ["w1", "w3"]),
        wait("w3", "C", ["A", "D"], ["w4"]),
        wait("w4", "D", ["C"], ["w3"]),
    ]
    assert drawn_circle(waits)[-1] == "w3 holds A too, and wants C"


def test_a_wait_for_what_nobody_holds_is_no_circle() -> None:
    assert circle([wait("w", "pool", [], [])]) == ()
    assert drawn_circle([wait("w", "pool", [], [])]) == []


@pytest.mark.parametrize("analysis", [inversion(), fan_out(), sound(), unknown()], ids=lambda a: a.file)
@pytest.mark.parametrize("width", [40, 80, 110])
def test_any_width_can_be_drawn_on(analysis: Analysis, width: int) -> None:
    out: list[str] = []
    reporter("text")([analysis], Page(out.append, Look(width, prose=width), 1))
    assert analysis.file in "".join(out)


def test_of_many_names_in_a_condition_some_are_told() -> None:
    analysis = inversion()
    assert analysis.result is not None
    for n, told in ((5, "t1, t2, t3, t4, t5"), (6, "t1, t2, t3, t4, t5 and 1 more"), (30, "t5 and 25 more")):
        dead = Condition("noDeadTransitions", False, ", ".join(f"t{k}" for k in range(1, n + 1)))
        page = written(replace(analysis, result=replace(analysis.result, conditions=(dead,))), verbosity=1)
        assert [line for line in page if line.startswith("  ✗ noDead") and line.endswith(told)]


def test_a_sentence_in_a_condition_is_told_whole() -> None:
    analysis = unknown()
    assert analysis.result is not None
    said = "a, b, c, d, e, f and 3 more can never fire"
    dead = replace(analysis.result, conditions=(Condition("noDeadTransitions", False, said),))
    assert f"  ✗ noDeadTransitions  {said}" in written(replace(analysis, result=dead), verbosity=1)


@pytest.mark.parametrize(
    ("evidence", "told"),
    [
        ("exhaustive: 16,142 states", "exhaustive search of 16,142 states"),
        ("stubborn sets: 1 state", "search of 1 state with stubborn sets"),
        ("lock-order: 3 independent parts", "lock-order in each of 3 independent parts"),
        ("no-waiting", "no-waiting"),
    ],
)
def test_evidence_is_told_in_words(evidence: str, told: str) -> None:
    analysis = sound()
    assert analysis.result is not None
    page = written(replace(analysis, result=replace(analysis.result, evidence=evidence, detail=())))
    assert page[0].startswith(f"✓ SOUND  ordered.petri.yaml  by {told}, for every")


def test_states_are_not_counted_where_none_was_looked_at() -> None:
    analysis = sound()
    assert analysis.result is not None
    for states, told in ((0, "  tasks 3"), (2, "  tasks 3, states 2")):
        stats = {"tasks": 3, "states": states}
        assert told in written(replace(analysis, result=replace(analysis.result, stats=stats)), verbosity=1)


def test_quiet_says_nothing_about_what_is_sound() -> None:
    out: list[str] = []
    reporter("text")([sound()], Page(out.append, verbosity=-1))
    assert out == []


def test_assumptions_come_once_and_the_summary_last() -> None:
    out: list[str] = []
    reporter("text")([sound("a"), sound("b"), unknown("c")], Page(out.append))
    lines = "".join(out).splitlines()
    assert sum("assumes" in line for line in lines) == 1
    assert lines[-1] == "3 files: 2 sound, 1 unknown"


def test_the_sentence_comes_first_and_the_message_with_its_counts_last() -> None:
    analysis = inversion()
    assert analysis.result is not None
    for verbosity in (0, 1):
        page = written(analysis, verbosity=verbosity)
        assert page[1] == f"  {example(analysis).sentence}"
        assert page[-2:] == [f"  {analysis.result.message}", "  More: petri explain PETRI_UNSOUND_PLAN"]
        assert page[-5:-3] == [
            "  The state it stops in  tokens by place, as in JSON",
            "    p.guard.g1.body: 1, p.guard.g3.body: 1",
        ]
