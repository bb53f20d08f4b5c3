"""The report for machines says all that is needed to replay what it claims."""

from __future__ import annotations

import json

import jsonschema

from petri_cli.api import Analysis, analyze
from petri_cli.data import folder
from petri_cli.net.firing import Step, replay
from petri_cli.net.model import AndOut, Input, Net, Place, PlaceOut, Transition, XorOut
from petri_cli.render.json_report import result_data


def test_a_pump_can_be_replayed_from_the_report() -> None:
    grow = XorOut((PlaceOut("a"), AndOut((PlaceOut("a"), PlaceOut("b")))))
    net = Net(
        "n",
        tuple(Place(p) for p in ("i", "a", "b", "c", "o")),
        (
            Transition("start", (Input("i"),), PlaceOut("a")),
            Transition("more", (Input("a"),), grow),
            Transition("stop", (Input("b"), Input("c")), PlaceOut("o")),
        ),
        initial={"i": 1},
        final={"o": 1},
    )
    data = result_data(Analysis("n.yaml", "net", analyze(net)))
    schema = json.loads((folder("schemas") / "report.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate({"schema": "petri.analysis/1", "version": "0", "results": [data]}, schema)
    shown = [c["counterexample"] for c in data["conditions"] if c.get("counterexample", {}).get("pump")]
    assert shown
    for cx in shown:
        assert (cx["pump"], cx["pumpOutcomes"]) == (["more"], [1])
        run = [Step(t, o) for t, o in zip(cx["run"], cx["outcomes"], strict=True)]
        pump = [Step(t, o) for t, o in zip(cx["pump"], cx["pumpOutcomes"], strict=True)]
        before, after = replay(net, run)[-1], replay(net, [*run, *pump])[-1]
        assert all(after.get(p, 0) >= n for p, n in before.items()) and after != before
