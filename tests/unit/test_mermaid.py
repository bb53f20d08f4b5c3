"""Nets as Mermaid flowcharts."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings

from petri_cli.formats.dot import write_dot
from petri_cli.formats.mermaid import write_mermaid
from petri_cli.net.model import Net, Place
from tests.strategies.nets import hostile_text, nets
from tests.unit.test_dot import EVERYTHING


def test_every_kind_of_arc_and_place() -> None:
    assert (
        write_mermaid(EVERYTHING)
        == """flowchart LR
  p0(("start"))
  p1(("In tray<br/>inbox<br/>●●●●"))
  p2(("mail<br/>5 ●"))
  p4(("bin"))
  p5((("done<br/>ends with 2")))
  t0["Read a letter that came from far away and beyond<br/>read<br/>#91;1s, 1m#93;<br/>priority 3<br/>match mail by from, inbox"]
  x0{"xor"}
  x1("and")
  t1["stop"]
  subgraph resources
    p3(["r.lock<br/>●"])
  end
  p1 --> t0
  p2 -->|"2"| t0
  p4 -->|"all"| t0
  p0 -->|"all, ≥ 3"| t0
  p3 --> t0
  p4 -.- t0
  p5 --o t0
  p0 --x t0
  t0 --> x0
  x0 --> p5
  x0 --> x1
  x1 --> p4
  x1 -->|"2"| p3
  x0 -.->|"after 50ms#58; forwards mail"| p2
  p0 --> t1
  t1 --> p5
  t1 -->|"3"| p4
  classDef outside stroke-dasharray: 4 3
  class p2 outside
  linkStyle 4,12 stroke:#999
"""  # noqa: E501 - a label is one line
    )


SAFE_LABEL = re.compile(r"(?:[\w .,\-/()+=●≥∞\ufffd]|<br/>|#\d+;)+")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(hostile_text())
def test_no_id_leaves_its_label(text: str) -> None:
    line = write_mermaid(Net("n", (Place(text),), ())).splitlines()[1]
    label = re.fullmatch(r'  p0\(\("(.*)"\)\)|    p0\(\["(.*)"\]\)', line)
    if text.startswith("r."):
        return
    assert label is not None
    assert SAFE_LABEL.fullmatch(label[1])


@pytest.mark.slow
@settings(max_examples=60, deadline=None, derandomize=True)
@given(nets(hostile=True, extras=True))
def test_hostile_nets_are_drawn_line_by_line_and_always_the_same(net: Net) -> None:
    for write in (write_dot, write_mermaid):
        text = write(net)
        assert text == write(net)
        assert text.isprintable() or set(text) - {"\n"} == {c for c in text if c.isprintable()}
    for line in write_dot(net).splitlines():
        assert len(re.findall(r'(?<!\\)(?:\\\\)*"', line)) % 2 == 0
