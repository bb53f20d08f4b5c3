"""Whatever a name is made of, what is written is read as the same; so is the net of a plan as the model that it is."""

from __future__ import annotations

from random import Random
from typing import Literal
from xml.etree import ElementTree

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from petri_cli.api import export, export_plan, load_data
from petri_cli.cli import mining_models
from petri_cli.formats.dfg_draw import write_dfg_svg
from petri_cli.mining.alignments import align
from petri_cli.mining.dfg import directly_follows
from petri_cli.mining.inductive import inductive
from petri_cli.mining.log import Log, log_of
from petri_cli.mining.model import LabelledNet, net_to_write
from petri_cli.mining.plan_model import activity_of, plan_model
from petri_cli.mining.raise_plan import plan_of, plan_text
from petri_cli.mining.tree_net import tree_net
from petri_cli.net.model import Input, Net, Place, PlaceOut, Transition
from petri_cli.plan.model import Plan
from petri_cli.soundness.result import Budget
from tests.process_trees import random_tree

Form = Literal["json", "yaml", "pnml"]
FORMS: tuple[Form, ...] = ("json", "yaml", "pnml")

NASTY = [
    " ", "  a", "a ", "\t", "\n", "a\nb", "\r", "a\rb", "\x00", "a\x01b", "\x0b", "\x1f", "\x7f",
    "\x80", "\x85", "\x9f", "\u2028", "\u2029", "\ufeff", "\ufeffa", "\ufffe", "\uffff", "\ufffd",
    "\xa0a", "\u3000", "\u200b", "😀", "tau", "tau3", "tau.x", "t.par.1.split", "t.skip", "t.a",
    "skip", "null", "~", "true", "1", "- a", "a: b", "#a", "a #b", "'", '"', "&amp;", "<a>", "]]>",
    "\\", "\\u0041", "%", "@", "`", "{a}", "[a]", "*a", "&a", "!a", "|", ">", "a:", "? a", "=",
    "<<", "NO", "1e3", "0x1f", "2026-01-01",
]  # fmt: skip
NAMES = st.one_of(st.sampled_from(NASTY), st.text(min_size=1, max_size=6))


def one_step(place: str, step: str, whole: str) -> Net:
    arcs = (Input("i"),), PlaceOut("o")
    return Net(
        "n", (Place("i", place), Place("o")), (Transition("x", *arcs, name=step),), {"i": 1}, {"o": 1}, name=whole
    )


@pytest.mark.parametrize("form", FORMS)
@given(place=NAMES, step=NAMES, whole=NAMES)
@settings(deadline=None, derandomize=True, max_examples=150)
def test_names_of_a_net_are_read_as_they_were_written(form: Form, place: str, step: str, whole: str) -> None:
    back, warnings = load_data(export(one_step(place, step, whole), form).encode(), f"net.{form}")
    assert isinstance(back, Net)
    assert warnings == ()
    told = (back.places[0].name or "i", back.transitions[0].name or "x", back.name or "n")
    assert told == (place, step, whole)


@pytest.mark.parametrize("name", NASTY)
@pytest.mark.parametrize("form", FORMS)
def test_each_nasty_name_is_kept(form: Form, name: str) -> None:
    back, _ = load_data(export(one_step(name, name, name), form).encode(), f"net.{form}")
    assert isinstance(back, Net)
    assert (back.places[0].name, back.transitions[0].name, back.name) == (name, name, name)
    ElementTree.fromstring(export(one_step(name, name, name), "svg"))  # noqa: S314 - our own


@given(ids=st.lists(NAMES, min_size=3, max_size=3, unique=True))
@settings(deadline=None, derandomize=True, max_examples=100)
def test_a_pnml_id_that_had_to_be_replaced_is_kept_as_the_name(ids: list[str]) -> None:
    a, b, t = ids
    net = Net("n", (Place(a), Place(b)), (Transition(t, (Input(a),), PlaceOut(b)),), {a: 1}, {b: 1})
    back, _ = load_data(export(net, "pnml").encode(), "net.pnml")
    assert isinstance(back, Net)
    assert [p.name or p.id for p in back.places] + [x.name or x.id for x in back.transitions] == ids


def given_model(text: str, name: str, log: Log, tmp: pytest.TempPathFactory) -> LabelledNet:
    """As ``--model`` reads a file."""
    path = tmp.mktemp("given", numbered=True) / name
    path.write_text(text, encoding="utf-8", newline="")
    return mining_models.given(str(path), log, {}, Budget()).model


def costs(log: Log, model: LabelledNet) -> tuple[int, ...]:
    return align(log, model).lower


@pytest.mark.parametrize("form", FORMS)
@given(names=st.lists(NAMES, min_size=1, max_size=4, unique=True), seed=st.integers(0, 10**6))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_a_mined_net_is_read_as_the_same_model(
    form: Form, tmp_path_factory: pytest.TempPathFactory, names: list[str], seed: int
) -> None:
    rng = Random(seed)  # noqa: S311
    log = log_of([rng.choices(names, k=rng.randint(1, 4)) for _ in range(4)])
    others = log_of([rng.choices(names, k=rng.randint(0, 4)) for _ in range(4)])
    model = tree_net(inductive(log))
    back = given_model(export(net_to_write(model), form), f"net.{form}", log, tmp_path_factory)
    assert sorted(back.labels.values()) == sorted(model.labels.values())
    assert costs(log, back) == (0,) * len(log.variants)
    assert costs(others, back) == costs(others, model)


@given(names=st.lists(NAMES, min_size=1, max_size=4, unique=True), seed=st.integers(0, 10**6))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_a_mined_plan_is_read_as_the_same_model(names: list[str], seed: int) -> None:
    rng = Random(seed)  # noqa: S311
    log = log_of([rng.choices(names, k=rng.randint(1, 4)) for _ in range(4)])
    tree = inductive(log)
    plan, _ = load_data(plan_text(tree, log).encode(), "mined.petri.yaml")
    assert isinstance(plan, Plan)
    for again in (plan, *(load_data(export_plan(plan, to).encode(), f"p.petri.{to}")[0] for to in ("yaml", "json"))):
        assert isinstance(again, Plan)
        assert costs(log, plan_model(again, {}, frozenset(log.activities))) == (0,) * len(log.variants)


@pytest.mark.parametrize("form", FORMS)
@given(seed=st.integers(0, 10**6))
@settings(deadline=None, derandomize=True, max_examples=40)
def test_the_net_of_a_plan_has_its_activities_and_is_silent_elsewhere(
    form: Form, tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    rng = Random(seed)  # noqa: S311
    plan = plan_of(random_tree(rng, rng.randint(1, 6), silent=0.25, clear_loops=False))
    tasks = [t.name or t.id for t in plan.tasks() if activity_of(t, ()) is not None]
    log = log_of([rng.choices([*tasks, "other"], k=rng.randint(0, 5)) for _ in range(4)])
    model = plan_model(plan, {}, frozenset(log.activities))
    back = given_model(export(plan, form), f"net.{form}", log, tmp_path_factory)
    for name in log.activities:
        assert list(back.labels.values()).count(name) == list(model.labels.values()).count(name)
    assert len(back.labels) == len(model.labels)
    assert costs(log, back) == costs(log, model)


EVERYTHING = """\
resources: [{id: r, capacity: 2}]
flow:
  seq:
    - task: {id: a, name: Begin}
    - parallel: [{task: {id: b}}, {guard: {resource: r, body: {task: {id: c, name: "check it"}}}}]
    - choice: [{task: {id: d}}, {task: {id: skip, run: "true"}}]
    - loop: {id: l, body: {task: {id: e}}}
    - foreach: {id: f, over: jq ., body: {foreach: {id: g, over: "[x, y]", body: {task: {id: h}}}}}
    - task: {id: tau1}
"""


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", ["ids", "names"])
def test_every_construct_of_a_plan_and_a_log_of_ids_or_of_names(
    form: Form, names: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plan, _ = load_data(EVERYTHING.encode(), "plan.petri.yaml")
    assert isinstance(plan, Plan)
    a, c = ("a", "c") if names == "ids" else ("Begin", "check it")
    log = log_of([[a, "b", c, "d", "e", "e", "h", "h", "h", "h", "tau1"], [a, c, "b", "h", "e", "h", "h", "h", "tau1"]])
    back = given_model(export(plan, form), f"net.{form}", log, tmp_path_factory)
    assert costs(log, back) == costs(log, plan_model(plan, {"f": 2, "g": 2}, frozenset(log.activities))) == (0, 2)
    assert sorted(set(back.labels.values())) == sorted({a, "b", c, "d", "e", "h", "tau1"})


def test_a_net_of_another_tool_has_names_and_says_itself_what_is_silent(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    net = """<pnml><net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="p">
      <place id="i"><initialMarking><text>1</text></initialMarking></place><place id="m"/><place id="o"/>
      <transition id="n1"><name><text>pay</text></name></transition>
      <transition id="n2"><name><text>skip_2</text></name>
        <toolspecific tool="ProM" version="6.4" activity="$invisible$" localNodeID="1a"/></transition>
      <transition id="t.n3"><name><text>ship</text></name></transition>
      <arc id="a1" source="i" target="n1"/><arc id="a2" source="n1" target="m"/>
      <arc id="a3" source="m" target="n2"/><arc id="a4" source="n2" target="o"/>
      <arc id="a5" source="m" target="t.n3"/><arc id="a6" source="t.n3" target="o"/>
    </page></net></pnml>"""
    log = log_of([["pay"], ["pay", "ship"]])
    model = given_model(net, "net.pnml", log, tmp_path_factory)
    assert model.labels == {"n1": "pay", "t.n3": "ship"}
    assert costs(log, model) == (0, 0)


@given(names=st.lists(NAMES, min_size=1, max_size=4, unique=True))
@example(names=["\x00", "\ufffe"])
@settings(deadline=None, derandomize=True, max_examples=60)
def test_a_drawing_of_any_names_is_well_formed(names: list[str]) -> None:
    follows = directly_follows(log_of([names]))
    ElementTree.fromstring(write_dfg_svg(follows, {}))  # noqa: S314 - our own
