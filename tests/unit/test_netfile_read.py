"""Reading net files: every way to write a thing, and what each mistake is told as."""

from __future__ import annotations

import pytest

from petri_cli.document import from_data, read_document
from petri_cli.errors import InputError
from petri_cli.formats.netfile import parse_net
from petri_cli.net.model import (
    IMMEDIATE,
    AndOut,
    Cardinality,
    ForwardOut,
    Input,
    Match,
    Net,
    Output,
    Place,
    PlaceOut,
    TimeoutOut,
    Timing,
    Transition,
    XorOut,
)

HEAD = "kind: net\nplaces: [a, b, c, lock]\n"


def net_of(text: str) -> Net:
    """The net of a file that must load without a warning."""
    net, warnings = parse_net(read_document(text, "n.yaml"))
    assert warnings == ()
    return net


def transition(text: str) -> Transition:
    """The transition with the one-line body ``text``."""
    (t,) = net_of(f"{HEAD}transitions:\n  - {{id: t, {text}}}\n").transitions
    return t


def refused(text: str) -> list[str]:
    """``line:column code path`` of every problem."""
    with pytest.raises(InputError) as caught:
        parse_net(read_document(text, "n.yaml"))
    return [f"{p.where.line}:{p.where.column} {p.code} {p.where.path}".strip() for p in caught.value.problems]


def refused_body(text: str) -> list[tuple[str, str]]:
    """(code, message with its hint) of every problem of a one-line transition."""
    with pytest.raises(InputError) as caught:
        parse_net(read_document(f"{HEAD}transitions:\n  - {{id: t, {text}}}\n", "n.yaml"))
    return [(p.code, f"{p.message} ({p.hint})" if p.hint else p.message) for p in caught.value.problems]


class TestTheWholeFile:
    def test_a_net_with_everything(self) -> None:
        net = net_of(
            """\
kind: net
version: 1
id: mailbox
name: Mailbox
places:
  - start
  - {id: inbox, name: In tray, tokens: 2, environment: true}
  - {id: mail, tokens: [{from: ann}, two]}
  - {id: done, tokens: 0}
transitions:
  - id: read
    name: Read a letter
    inputs: {inbox: one, mail: 2}
    inhibitors: start
    output: done
    priority: -1
final: {done: 1, start: 0}
properties: [placeBound:inbox<=2]
"""
        )
        assert net.id == "mailbox"
        assert net.name == "Mailbox"
        assert net.places == (Place("start"), Place("inbox", "In tray", True), Place("mail"), Place("done"))
        assert net.initial == {"inbox": 2, "mail": 2}
        assert net.values == {"mail": ({"from": "ann"}, "two")}
        assert net.final == {"done": 1}
        assert net.transitions == (
            Transition(
                "read",
                (Input("inbox"), Input("mail", Cardinality.EXACTLY, 2)),
                PlaceOut("done"),
                inhibitors=("start",),
                priority=-1,
                name="Read a letter",
            ),
        )
        assert [p.id for p in net.properties] == ["placeBound:inbox<=2"]

    def test_the_least_that_is_a_net(self) -> None:
        assert net_of("kind: net\nplaces: []") == Net("n", (), ())

    def test_json_and_data_are_read_the_same(self) -> None:
        data = {"kind": "net", "places": ["a"], "transitions": [{"id": "t", "inputs": ["a"]}]}
        assert parse_net(from_data(data, "n.json"))[0] == net_of(
            "kind: net\nplaces: [a]\ntransitions: [{id: t, inputs: a}]"
        )

    @pytest.mark.parametrize(("file", "net_id"), [("dir/mail.petri.yaml", "mail"), ("x.yml", "x"), ("", "net")])
    def test_a_net_without_id_is_called_like_its_file(self, file: str, net_id: str) -> None:
        assert parse_net(read_document("kind: net\nplaces: []", file))[0].id == net_id
        assert parse_net(read_document("kind: net\nplaces: []"), "other.yaml")[0].id == "other"

    def test_no_final_marking_is_not_an_empty_one(self) -> None:
        assert net_of("kind: net\nplaces: []").final is None
        assert net_of("kind: net\nplaces: []\nfinal: {}").final == {}

    def test_words_of_yaml_are_names(self) -> None:
        assert net_of("kind: net\nplaces: [on, no, 1:30, y]").place_ids() == ("on", "no", "1:30", "y")


class TestInputs:
    @pytest.mark.parametrize(
        ("written", "inputs"),
        [
            ("a", (Input("a"),)),
            ("[a, lock]", (Input("a"), Input("lock"))),
            ("[]", ()),
            ("{}", ()),
            ("{a: one}", (Input("a"),)),
            ("{a: 1}", (Input("a"),)),
            ("{a: 2}", (Input("a", Cardinality.EXACTLY, 2),)),
            ("{a: 2.0}", (Input("a", Cardinality.EXACTLY, 2),)),
            ("{a: {exactly: 1}}", (Input("a", Cardinality.EXACTLY, 1),)),
            ("{a: all, b: {atLeast: 3}}", (Input("a", Cardinality.ALL), Input("b", Cardinality.AT_LEAST, 3))),
        ],
    )
    def test_every_form(self, written: str, inputs: tuple[Input, ...]) -> None:
        assert transition(f"inputs: {written}").inputs == inputs

    @pytest.mark.parametrize(
        ("written", "code", "message"),
        [
            ("{a: some}", "PETRI_BAD_VALUE", 'got the string "some"'),
            ("{a: 0}", "PETRI_OUT_OF_RANGE", "the input from `a` must be at least 1, got 0"),
            ("{a: 1.5}", "PETRI_WRONG_TYPE", "must be an integer, got the number 1.5"),
            ("{a: true}", "PETRI_WRONG_TYPE", "got true"),
            ("{a: [1]}", "PETRI_WRONG_TYPE", "got a list"),
            ("{a: {exactly: 0}}", "PETRI_OUT_OF_RANGE", "exactly of `a` must be at least 1, got 0"),
            ("{a: {atleast: 2}}", "PETRI_UNKNOWN_KEY", "(did you mean `atLeast`?)"),
            ("{a: {exactly: 1, atLeast: 1}}", "PETRI_BAD_VALUE", "found `exactly` and `atLeast`"),
            ('{a: {exactly: "2"}}', "PETRI_WRONG_TYPE", "(remove the quotes)"),
            (
                "{lok: one}",
                "PETRI_UNKNOWN_PLACE",
                "inputs names the place `lok`, which is not declared (did you mean `lock`?)",
            ),
            ("[a, a]", "PETRI_DUPLICATE_NAME", "inputs names `a` twice"),
            ("[1]", "PETRI_WRONG_TYPE", "must be text, got the number 1 (put it in quotes)"),
            ('""', "PETRI_BAD_VALUE", "inputs is empty"),
            ("3", "PETRI_WRONG_TYPE", "must be text, got the number 3"),
        ],
    )
    def test_every_mistake(self, written: str, code: str, message: str) -> None:
        ((found, told),) = refused_body(f"inputs: {written}")
        assert found == code
        assert message in told

    def test_other_arcs(self) -> None:
        t = transition("inhibitors: [a, b], reads: c, resets: [lock]")
        assert (t.inhibitors, t.reads, t.resets) == (("a", "b"), ("c",), ("lock",))

    def test_one_place_under_two_keys_of_a_map_is_told_by_the_reader_of_documents(self) -> None:
        with pytest.raises(InputError) as caught:
            transition("inputs: {a: one, a: 2}")
        assert caught.value.code == "PETRI_DUPLICATE_KEY"


class TestOutputs:
    @pytest.mark.parametrize(
        ("written", "output"),
        [
            ("a", PlaceOut("a")),
            ("{place: a}", PlaceOut("a")),
            ("{place: a, count: 3}", PlaceOut("a", 3)),
            ("[a]", AndOut((PlaceOut("a"),))),
            ("[a, {place: b, count: 2}]", AndOut((PlaceOut("a"), PlaceOut("b", 2)))),
            ("{and: [a, b]}", AndOut((PlaceOut("a"), PlaceOut("b")))),
            ("{xor: [a, [b, c]]}", XorOut((PlaceOut("a"), AndOut((PlaceOut("b"), PlaceOut("c")))))),
            ("[a, {xor: [b, c]}]", AndOut((PlaceOut("a"), XorOut((PlaceOut("b"), PlaceOut("c")))))),
            ("{timeout: {after: 50ms, child: a}}", TimeoutOut(0.05, PlaceOut("a"))),
            (
                "{timeout: {after: 90, child: {forwardInput: {from: lock, to: a}}}}",
                TimeoutOut(90.0, ForwardOut("lock", "a")),
            ),
        ],
    )
    def test_every_form(self, written: str, output: Output) -> None:
        assert transition(f"inputs: lock, output: {written}").output == output

    def test_no_output_declares_nothing(self) -> None:
        assert transition("inputs: a").output is None

    @pytest.mark.parametrize(
        ("written", "code", "message"),
        [
            ("d", "PETRI_UNKNOWN_PLACE", "the output names the place `d`, which is not declared"),
            ("[]", "PETRI_BAD_VALUE", "`and` needs at least one item"),
            ("{and: []}", "PETRI_BAD_VALUE", "`and` needs at least one item"),
            ("{xor: [a]}", "PETRI_BAD_VALUE", "`xor` needs at least 2 items"),
            ("{xor: a}", "PETRI_WRONG_TYPE", "`xor` must be a list, got the string"),
            ("{}", "PETRI_BAD_VALUE", "an output has exactly one of the keys"),
            ("{and: [a], xor: [a, b]}", "PETRI_BAD_VALUE", "an output has exactly one of the keys"),
            ("{and: [a], count: 2}", "PETRI_BAD_VALUE", "(`count` goes with `place`)"),
            ("{place: a, count: 0}", "PETRI_OUT_OF_RANGE", "count must be at least 1, got 0"),
            ("{or: [a, b]}", "PETRI_UNKNOWN_KEY", "(did you mean `xor`?)"),
            ("{timeout: {after: soon, child: a}}", "PETRI_BAD_DURATION", 'after "soon" is no duration'),
            ("{timeout: {after: 0, child: a}}", "PETRI_OUT_OF_RANGE", "after must be above 0"),
            ("{timeout: {after: 1s}}", "PETRI_MISSING_KEY", "a timeout needs the key `child`"),
            ("{forwardInput: {from: lock, to: a}}", "PETRI_BAD_NET", "outside a timeout"),
            ("{timeout: {after: 1s, child: {forwardInput: {from: b, to: a}}}}", "PETRI_BAD_NET", "not an input"),
            ("[a, [b, a]]", "PETRI_BAD_NET", "names a place twice"),
            ("7", "PETRI_WRONG_TYPE", "the output must be text, got the number 7"),
        ],
    )
    def test_every_mistake(self, written: str, code: str, message: str) -> None:
        ((found, told),) = refused_body(f"inputs: lock, output: {written}")
        assert found == code
        assert message in told

    def test_rules_of_the_model_are_told_at_the_key_that_breaks_them(self) -> None:
        text = HEAD + "transitions:\n  - id: t\n    inputs: a\n    output: [a, a]\n"
        assert refused(text) == ["6:13 PETRI_BAD_NET transitions[0].output"]

    def test_too_many_combinations_are_refused(self) -> None:
        choices = ", ".join(f"{{xor: [p{n}, q{n}]}}" for n in range(13))
        places = ", ".join(f"p{n}, q{n}" for n in range(13))
        text = f"kind: net\nplaces: [{places}]\ntransitions:\n  - id: t\n    output: [{choices}]\n"
        assert refused(text) == ["5:13 PETRI_BAD_NET transitions[0].output"]

    def test_deep_trees_are_refused_not_followed_into_a_crash(self) -> None:
        data = '{"kind": "net", "places": ["a"], "transitions": [{"id": "t", "output": %s"a"%s}]}'
        assert parse_net(read_document(data % ("[" * 100, "]" * 100)))[0].transitions
        with pytest.raises(InputError) as caught:
            parse_net(read_document(data % ("[" * 5_000, "]" * 5_000)))
        assert caught.value.code == "PETRI_TOO_DEEP"


class TestTime:
    @pytest.mark.parametrize(
        ("written", "timing"),
        [
            ("immediate", IMMEDIATE),
            ("{deadline: 5s}", Timing("deadline", 0.0, 5.0)),
            ("{delayed: 100ms}", Timing("delayed", 0.1)),
            ("{delayed: 0}", Timing("delayed", 0.0)),
            ("{window: [1s, 1m30s]}", Timing("window", 1.0, 90.0)),
            ("{window: [2, 2]}", Timing("window", 2.0, 2.0)),
            ("{exact: 1h}", Timing("exact", 3600.0)),
        ],
    )
    def test_every_form(self, written: str, timing: Timing) -> None:
        assert transition(f"timing: {written}").timing == timing

    @pytest.mark.parametrize(
        ("written", "code", "message"),
        [
            ("later", "PETRI_BAD_VALUE", 'timing is immediate, got "later"'),
            ("{}", "PETRI_BAD_VALUE", "exactly one of the keys deadline, delayed, window, exact"),
            ("{deadline: 0s}", "PETRI_OUT_OF_RANGE", "deadline must be above 0"),
            ("{deadline: -1}", "PETRI_OUT_OF_RANGE", "deadline must be above 0"),
            ("{delay: 1s}", "PETRI_UNKNOWN_KEY", "did you mean `delayed`?"),
            ("{window: [1s]}", "PETRI_BAD_VALUE", "window needs two durations, got 1"),
            ("{window: 1s}", "PETRI_WRONG_TYPE", "window must be a list"),
            ("{window: [2s, 1s]}", "PETRI_BAD_NET", "the window ends before it begins"),
            ("{exact: [1s]}", "PETRI_WRONG_TYPE", "exact must be a duration, got a list"),
            ("5s", "PETRI_BAD_VALUE", 'timing is immediate, got "5s"'),
        ],
    )
    def test_every_mistake(self, written: str, code: str, message: str) -> None:
        ((found, told),) = refused_body(f"timing: {written}")
        assert found == code
        assert message in told


class TestMatchesAndActions:
    @pytest.mark.parametrize(
        ("written", "keys"),
        [
            ("[a, b]", (("a", None), ("b", None))),
            ("a", (("a", None),)),
            ("{a: order, b: null}", (("a", "order"), ("b", None))),
        ],
    )
    def test_every_match(self, written: str, keys: tuple[tuple[str, str | None], ...]) -> None:
        assert transition(f"inputs: [a, b], match: {written}").match == Match(keys)

    def test_an_inhibitor_may_be_correlated(self) -> None:
        t = transition("inputs: a, inhibitors: [b], match: {a: order, b: order}")
        assert t.match == Match((("a", "order"), ("b", "order")))

    @pytest.mark.parametrize(
        ("written", "code", "message"),
        [
            ("c", "PETRI_BAD_NET", "matches on `c`, which is not an input of it"),
            ("[]", "PETRI_BAD_VALUE", "match needs at least one item"),
            ("{}", "PETRI_BAD_VALUE", "match needs at least one place"),
            ("{a: 3}", "PETRI_WRONG_TYPE", "a field of match must be text"),
        ],
    )
    def test_every_mistake_in_a_match(self, written: str, code: str, message: str) -> None:
        ((found, told),) = refused_body(f"inputs: a, match: {written}")
        assert found == code
        assert message in told

    def test_a_match_on_an_inhibitor_alone_is_refused(self) -> None:
        ((code, message),) = refused_body("inhibitors: a, match: a")
        assert code == "PETRI_BAD_NET"
        assert "`t`" in message

    @pytest.mark.parametrize(
        ("written", "action"),
        [
            ("fork", {"fork": None}),
            ("{fork: a}", {"fork": "a"}),
            ("{shell: make test}", {"shell": "make test"}),
            ("{shell: [make, test, '']}", {"shell": ("make", "test", "")}),
            ("{python: 'billing:charge'}", {"python": "billing:charge"}),
            ("{transform: 'a.b:c.d'}", {"transform": "a.b:c.d"}),
            ("{produce: {b: 1, c: [x, null], a: [[1]]}}", {"produce": {"b": (1,), "c": ("x", None), "a": ([1],)}}),
        ],
    )
    def test_every_action(self, written: str, action: dict[str, object]) -> None:
        assert transition(f"inputs: a, output: b, action: {written}").action == action

    def test_passthrough_is_for_transitions_that_declare_no_output(self) -> None:
        assert transition("inputs: a, action: passthrough").action == {"passthrough": None}
        ((code, message),) = refused_body("inputs: a, output: b, action: passthrough")
        assert code == "PETRI_BAD_NET"
        assert "transition `t` declares an output" in message

    @pytest.mark.parametrize(
        ("written", "code", "message"),
        [
            ("sleep", "PETRI_BAD_VALUE", "action is passthrough or fork"),
            ("{shel: x}", "PETRI_UNKNOWN_KEY", "did you mean `shell`?"),
            ("{shell: {a: b}}", "PETRI_WRONG_TYPE", "shell must be text"),
            ("{shell: []}", "PETRI_BAD_VALUE", "shell is an empty list"),
            ("{shell: [' ', a]}", "PETRI_BAD_VALUE", "a word of shell is empty"),
            ("{shell: [a, 1]}", "PETRI_WRONG_TYPE", "a word of shell must be text"),
            ("{python: billing}", "PETRI_BAD_VALUE", "python is `module:function`"),
            ("{fork: b}", "PETRI_BAD_NET", "is to copy the place `b`, which is not an input of it"),
            ("{produce: [b]}", "PETRI_WRONG_TYPE", "produce must be a map"),
            ("{produce: {z: 1}}", "PETRI_UNKNOWN_PLACE", "produce names the place `z`"),
            ("{produce: {b: .nan}}", "PETRI_BAD_NUMBER", "which JSON cannot carry"),
        ],
    )
    def test_every_mistake_in_an_action(self, written: str, code: str, message: str) -> None:
        ((found, told),) = refused_body(f"inputs: a, output: b, action: {written}")
        assert found == code
        assert message in told


class TestMistakes:
    def test_all_are_told_at_once_in_order_with_their_paths(self) -> None:
        text = """\
kind: net
plces: []
places:
  - {id: a, tokens: -1}
  - a
  - {name: nameless}
transitions:
  - {id: t, inputs: {b: one}, output: {xor: [a]}}
  - {inputs: a}
final: {a: x}
"""
        assert refused(text) == [
            "2:1 PETRI_UNKNOWN_KEY plces",
            "4:21 PETRI_OUT_OF_RANGE places[0].tokens",
            "5:5 PETRI_DUPLICATE_ID places[1]",
            "6:5 PETRI_MISSING_KEY places[2]",
            "8:22 PETRI_UNKNOWN_PLACE transitions[0].inputs.b",
            "8:45 PETRI_BAD_VALUE transitions[0].output.xor",
            "9:5 PETRI_MISSING_KEY transitions[1]",
            "10:12 PETRI_WRONG_TYPE final.a",
        ]

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("[]", ["1:1 PETRI_WRONG_TYPE"]),
            ("places: []", ["1:1 PETRI_MISSING_KEY"]),
            ("kind: plan\nplaces: []", ["1:7 PETRI_BAD_VALUE kind"]),
            ("kind: net", ["1:1 PETRI_MISSING_KEY"]),
            ("kind: net\nplaces: a", ["2:9 PETRI_WRONG_TYPE places"]),
            ("kind: net\nplaces: [1]", ["2:10 PETRI_WRONG_TYPE places[0]"]),
            ("kind: net\nplaces: ['']", ["2:10 PETRI_BAD_VALUE places[0]"]),
            ("kind: net\nplaces: []\nversion: 2", ["3:10 PETRI_BAD_VALUE version"]),
            ("kind: net\nplaces: [{id: a, environment: maybe}]", ["2:31 PETRI_WRONG_TYPE places[0].environment"]),
            ("kind: net\nplaces: []\ntransitions: {}", ["3:14 PETRI_WRONG_TYPE transitions"]),
            ("kind: net\nplaces: []\nfinal: []", ["3:8 PETRI_WRONG_TYPE final"]),
            ("kind: net\nplaces: []\nid: ''", ["3:5 PETRI_BAD_VALUE id"]),
        ],
    )
    def test_the_parts_of_a_file(self, text: str, found: list[str]) -> None:
        assert refused(text) == found

    def test_places_that_could_not_be_read_make_no_unknown_places(self) -> None:
        assert refused("kind: net\nplaces: oops\ntransitions: [{id: t, inputs: a}]") == ["2:9 PETRI_WRONG_TYPE places"]

    def test_two_transitions_of_one_id_are_told_with_the_first(self) -> None:
        with pytest.raises(InputError) as caught:
            parse_net(read_document(HEAD + "transitions:\n  - id: t\n  - id: t\n"))
        (problem,) = caught.value.problems
        assert (problem.code, problem.where.line, problem.related[0].line) == ("PETRI_DUPLICATE_ID", 5, 4)

    def test_an_input_that_must_be_empty_too_is_a_warning(self) -> None:
        net, warnings = parse_net(read_document(HEAD + "transitions:\n  - {id: t, inputs: a, inhibitors: [b, a]}\n"))
        assert net.transitions
        assert [(w.code, w.severity, w.where.path) for w in warnings] == [
            ("PETRI_NEVER_ENABLED", "warning", "transitions[0].inhibitors")
        ]

    def test_token_values_must_fit_into_json(self) -> None:
        assert refused("kind: net\nplaces: [{id: a, tokens: [.inf]}]") == ["2:27 PETRI_BAD_NUMBER places[0].tokens[0]"]
