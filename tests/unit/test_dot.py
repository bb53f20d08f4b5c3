"""Nets as DOT graphs."""

from __future__ import annotations

from petri_cli.formats.dot import write_dot
from petri_cli.net.model import (
    AndOut,
    Cardinality,
    ForwardOut,
    Input,
    Match,
    Net,
    Place,
    PlaceOut,
    TimeoutOut,
    Timing,
    Transition,
    XorOut,
)

EVERYTHING = Net(
    "mailbox",
    (
        Place("start"),
        Place("inbox", "In tray"),
        Place("mail", environment=True),
        Place("r.lock"),
        Place("bin"),
        Place("done"),
    ),
    (
        Transition(
            "read",
            (
                Input("inbox"),
                Input("mail", Cardinality.EXACTLY, 2),
                Input("bin", Cardinality.ALL),
                Input("start", Cardinality.AT_LEAST, 3),
                Input("r.lock"),
            ),
            XorOut(
                (
                    PlaceOut("done"),
                    AndOut((PlaceOut("bin"), PlaceOut("r.lock", 2))),
                    TimeoutOut(0.05, ForwardOut("mail", "mail")),
                )
            ),
            inhibitors=("done",),
            reads=("bin",),
            resets=("start",),
            timing=Timing("window", 1.0, 60.0),
            priority=3,
            match=Match((("mail", "from"), ("inbox", None))),
            name="Read a letter that came from far away and beyond",
        ),
        Transition("stop", (Input("start"),), AndOut((PlaceOut("done"), AndOut((PlaceOut("bin", 3),))))),
    ),
    initial={"inbox": 4, "mail": 5, "r.lock": 1},
    final={"done": 2},
    name="The mailbox",
)


def test_every_kind_of_arc_and_place() -> None:
    assert (
        write_dot(EVERYTHING)
        == r"""digraph "The mailbox" {
  rankdir=LR;
  node [fontname="sans-serif", fontsize=11];
  edge [fontname="sans-serif", fontsize=10];
  p0 [label="start", shape=ellipse, tooltip="start"];
  p1 [label="In tray\ninbox\n●●●●", shape=ellipse, tooltip="inbox"];
  p2 [label="mail\n5 ●", shape=ellipse, style="dashed", tooltip="mail"];
  p4 [label="bin", shape=ellipse, tooltip="bin"];
  p5 [label="done\nends with 2", shape=ellipse, peripheries=2, tooltip="done"];
  t0 [label="Read a letter that came from far\naway and beyond\nread\n[1s, 1m]\npriority 3\nmatch mail by from, inbox", shape=box, tooltip="read"];
  x0 [label="xor", shape=diamond, fontsize=9, height=0.3, width=0.5];
  x1 [label="and", shape=box, fontsize=9, height=0.2, width=0.3, style=rounded];
  t1 [label="stop", shape=box, tooltip="stop"];
  subgraph cluster_resources {
    label="resources"; style="rounded,dashed"; color="gray50"; fontname="sans-serif"; fontsize=11;
    p3 [label="r.lock\n●", shape=ellipse, fillcolor="gray92", style="filled", tooltip="r.lock"];
  }
  p1 -> t0;
  p2 -> t0 [label="2"];
  p4 -> t0 [label="all"];
  p0 -> t0 [label="all, ≥ 3"];
  p3 -> t0 [constraint=false, color="gray50"];
  p4 -> t0 [style=dotted, arrowhead=none];
  p5 -> t0 [arrowhead=odot];
  p0 -> t0 [arrowhead=crow];
  t0 -> x0;
  x0 -> p5;
  x0 -> x1;
  x1 -> p4;
  x1 -> p3 [label="2", constraint=false, color="gray50"];
  x0 -> p2 [label="after 50ms: forwards mail", style=dashed];
  p0 -> t1;
  t1 -> p5;
  t1 -> p4 [label="3"];
}
"""  # noqa: E501 - a label is one line
    )


def test_what_graphviz_reads_as_syntax_is_escaped() -> None:
    net = Net('a "net"', (Place('q"'), Place("back\\nslash"), Place("&lt;b&gt;"), Place("nul\x00line\n")), ())
    lines = write_dot(net).splitlines()
    assert lines[0] == r'digraph "a \"net\"" {'
    assert [line.partition("label=")[2].partition(", shape")[0] for line in lines[4:8]] == [
        r'"q\""',
        r'"back\\nslash"',
        '"&amp;lt;b&amp;gt;"',
        '"nul\ufffdline"',
    ]


def test_no_resources_no_box() -> None:
    assert "cluster" not in write_dot(Net("n", (Place("a"),), ()))


def test_places_that_only_a_marking_names_are_drawn() -> None:
    assert '"stray\\n●"' in write_dot(Net("n", (), (), initial={"stray": 1}))


def test_deep_output_trees_are_drawn() -> None:
    output: AndOut | XorOut = AndOut((PlaceOut("a"),))
    for _ in range(3_000):
        output = XorOut((output, PlaceOut("a")))
    assert write_dot(Net("n", (Place("a"),), (Transition("t", (), output),))).count("diamond") == 3_000
