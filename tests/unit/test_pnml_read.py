"""Reading PNML: what the standard says, what other tools write, and what is refused."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from petri_cli.errors import InputError, PetriError
from petri_cli.formats.pnml import read_pnml
from petri_cli.net.model import AndOut, Cardinality, Input, Net, Place, PlaceOut, Transition

NS = 'xmlns="http://www.pnml.org/version-2009/grammar/pnml"'
PTNET = 'type="http://www.pnml.org/version-2009/grammar/ptnet"'


def pnml(body: str, after: str = "") -> bytes:
    return f'<pnml {NS}>\n<net id="n" {PTNET}><page id="g">\n{body}\n</page>{after}</net></pnml>'.encode()


def clean(body: str, after: str = "") -> Net:
    """The net of a file that must load without a warning."""
    net, warnings = read_pnml(pnml(body, after), "n.pnml")
    assert warnings == ()
    return net


def tolerated(data: bytes) -> tuple[Net, list[str]]:
    net, warnings = read_pnml(data, "n.pnml")
    assert all(w.severity == "warning" for w in warnings)
    return net, [f"{w.code}: {w.message}" for w in warnings]


def refused(data: bytes) -> list[str]:
    """``line:column code`` of every problem."""
    with pytest.raises(InputError) as caught:
        read_pnml(data, "n.pnml")
    assert all(p.where.file == "n.pnml" for p in caught.value.problems)
    return [f"{p.where.line}:{p.where.column} {p.code}" for p in caught.value.problems]


SMALL = """<place id="a"><name><text>Start</text></name><initialMarking><text>3</text></initialMarking></place>
<place id="b"/><transition id="t"><name><text>Work</text></name></transition>
<arc id="x" source="a" target="t"><inscription><text>2</text></inscription></arc>
<arc id="y" source="t" target="b"/>"""


class TestTheStandard:
    def test_places_transitions_weights_markings_and_names(self) -> None:
        assert clean(SMALL) == Net(
            "n",
            (Place("a", "Start"), Place("b")),
            (Transition("t", (Input("a", Cardinality.EXACTLY, 2),), PlaceOut("b"), name="Work"),),
            initial={"a": 3},
        )

    def test_several_output_arcs_are_an_and(self) -> None:
        net = clean(
            '<place id="a"/><place id="b"/><transition id="t"/><arc source="t" target="b"/><arc source="t" target="a"/>'
        )
        assert net.transitions[0].output == AndOut((PlaceOut("b"), PlaceOut("a")))

    def test_nested_pages_are_one_net(self) -> None:
        net = clean(f'<page id="p1"><page id="p2">{SMALL}</page></page><page id="p3"><place id="c"/></page>')
        assert net.place_ids() == ("a", "b", "c")

    def test_references_stand_for_what_they_refer_to_in_the_end(self) -> None:
        net = clean(
            SMALL
            + """<page id="p"><referencePlace id="r1" ref="r2"/><referencePlace id="r2" ref="b"/>
            <referenceTransition id="rt" ref="u"/><transition id="u"/><arc id="z" source="r1" target="rt"/></page>"""
        )
        assert net.place_ids() == ("a", "b")
        assert net.transition("u").inputs == (Input("b"),)

    def test_elements_may_stand_in_any_order(self) -> None:
        lines = SMALL.splitlines()
        assert clean("\n".join([*lines[2:], *lines[:2]])).transition("t") == clean(SMALL).transition("t")

    def test_the_prefix_of_the_namespace_does_not_matter(self) -> None:
        text = pnml(SMALL).decode().replace(NS, NS.replace("xmlns", "xmlns:p"))
        prefixed = text.replace("</", "</p:").replace("<", "<p:").replace("<p:/p:", "</p:")
        assert read_pnml(prefixed.encode(), "n.pnml") == (clean(SMALL), ())

    def test_tool_specific_parts_and_graphics_are_ignored(self) -> None:
        extra = (
            '<toolspecific tool="x" version="1"><place id="a"/><net/><initialMarking><text>9</text></initialMarking>'
        )
        net = clean(SMALL.replace('<place id="b"/>', f'<place id="b">{extra}</toolspecific><graphics/></place>'))
        assert net == clean(SMALL)

    def test_elements_of_a_foreign_namespace_are_passed_over(self) -> None:
        foreign = '<place xmlns="http://example.org/other" id="c"/>'
        net, warnings = tolerated(pnml(SMALL + foreign))
        assert net == clean(SMALL)
        assert warnings == [
            "PETRI_PNML_NOT_READ: not part of a place/transition net, and not read: `<http://example.org/other place>`"
        ]

    def test_comments_and_character_data_sections_are_text(self) -> None:
        text = SMALL.replace("<text>3</text>", "<text>1<!-- x -->2</text>").replace("Work", "<![CDATA[a<b & c]]>")
        net = clean(text)
        assert net.initial == {"a": 12}
        assert net.transition("t").name == "a<b & c"

    def test_the_name_of_a_page_is_not_that_of_the_net(self) -> None:
        net = clean(f"<name><text>page</text></name>{SMALL}", "<name><text>The net</text></name>")
        assert net.name == "The net"

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "iso-8859-1", "windows-1252"])
    def test_encodings(self, encoding: str) -> None:
        text = f'<?xml version="1.0" encoding="{encoding}"?>' + pnml(SMALL.replace("Work", "é")).decode()
        net, _ = read_pnml(text.encode(encoding), "n.pnml")
        assert net.transition("t").name == "é"

    def test_a_byte_order_mark_is_no_text(self) -> None:
        assert read_pnml(b"\xef\xbb\xbf" + pnml(SMALL), "n.pnml")[0] == clean(SMALL)

    def test_a_net_without_id_is_called_like_its_file(self) -> None:
        assert read_pnml(pnml(SMALL).replace(b'id="n"', b'id=""'), "dir/mailbox.pnml")[0].id == "mailbox"


class TestFinalMarkings:
    BODY = "<finalmarkings><marking>{}</marking></finalmarkings>"

    def test_the_form_of_process_mining_tools(self) -> None:
        listed = '<place idref="a"><text>0</text></place><place idref="b"><text>2</text></place>'
        assert clean(SMALL, self.BODY.format(listed)).final == {"b": 2}

    def test_a_file_without_one_has_none(self) -> None:
        assert clean(SMALL).final is None

    def test_several_equal_ones_are_one(self) -> None:
        one = '<marking><place idref="b"><text>1</text></place></marking>'
        assert clean(SMALL, f"<finalmarkings>{one}{one}</finalmarkings>").final == {"b": 1}

    def test_several_different_ones_are_refused(self) -> None:
        a, b = (f'<marking><place idref="{p}"><text>1</text></place></marking>\n' for p in "ab")
        assert refused(pnml(SMALL, f"<finalmarkings>{a}{b}</finalmarkings>")) == ["8:1 PETRI_PNML_UNSUPPORTED"]

    def test_an_empty_one_is_taken_at_its_word_with_a_warning(self) -> None:
        net, warnings = tolerated(pnml(SMALL, self.BODY.format("")))
        assert net.final == {}
        assert "the final marking is empty" in warnings[0]

    def test_it_names_places_only(self) -> None:
        named = '<place idref="t"><text>1</text></place><place idref="zz"><text>1</text></place>'
        assert refused(pnml(SMALL, self.BODY.format(named))) == [
            "7:32 PETRI_PNML_UNKNOWN_ID",
            "7:71 PETRI_PNML_UNKNOWN_ID",
        ]


class TestOtherTools:
    def test_neither_namespace_nor_page_nor_type(self) -> None:
        net, warnings = tolerated(f'<pnml><net id="n">{SMALL}</net></pnml>'.encode())
        assert net == clean(SMALL)
        assert warnings == [
            "PETRI_PNML_LENIENT: read as a place/transition net, though not quite ISO 15909-2: "
            "the net has no type; no namespace; no page"
        ]

    def test_value_for_text_and_named_default_tokens(self) -> None:
        text = SMALL.replace("<text>3</text>", "<value>Default,3</value>").replace("text>", "value>")
        net, warnings = tolerated(pnml(text))
        assert net == clean(SMALL)
        assert "`<value>` where `<text>` is meant; `Default,n` where `n` is meant" in warnings[0]

    def test_text_without_an_element_around_it(self) -> None:
        text = SMALL.replace("<text>3</text>", " 3 ")
        net, warnings = tolerated(pnml(text))
        assert net.initial == {"a": 3}
        assert "without `<text>` around it" in warnings[0]

    def test_tokens_of_several_kinds_are_refused(self) -> None:
        text = SMALL.replace("<text>3", "<text>Red,3").replace("<text>2", "<text>Blue,2")
        assert refused(pnml(text)) == ["2:1 PETRI_PNML_NET_TYPE"]

    def test_an_unknown_net_type_is_read_as_a_place_transition_net(self) -> None:
        net, warnings = tolerated(pnml(SMALL).replace(b"grammar/ptnet", b"grammar/mynet"))
        assert net == clean(SMALL)
        assert "the net type `http://www.pnml.org/version-2009/grammar/mynet` is not known" in warnings[0]

    @pytest.mark.parametrize("kind", ["symmetricnet", "highlevelnet", "hlpn", "pt-hlpng", "ColouredNet"])
    def test_high_level_nets_are_refused_by_their_type(self, kind: str) -> None:
        assert refused(pnml("").replace(b"grammar/ptnet", kind.encode())) == ["2:1 PETRI_PNML_NET_TYPE"]

    @pytest.mark.parametrize("element", ["hlinitialMarking", "condition", "declaration", "hlinscription"])
    def test_high_level_nets_are_refused_by_their_elements(self, element: str) -> None:
        assert refused(pnml(f'<place id="a"><{element}/></place>')) == ["3:15 PETRI_PNML_NET_TYPE"]

    @pytest.mark.parametrize(
        "label", ['<type value="{}"/>', "<arctype><text>{}</text></arctype>", "<type><text>{}</text></type>"]
    )
    @pytest.mark.parametrize(("word", "field"), [("inhibitor", "inhibitors"), ("reset", "resets"), ("test", "reads")])
    def test_typed_arcs(self, label: str, word: str, field: str) -> None:
        net = clean(SMALL + f'<arc id="z" source="b" target="t">{label.format(word)}</arc>')
        assert getattr(net.transition("t"), field) == ("b",)
        assert net.transition("t").inputs == clean(SMALL).transition("t").inputs

    def test_typed_arcs_as_an_attribute_and_normal_ones(self) -> None:
        net = clean(
            SMALL.replace('target="b"/>', 'target="b"><type value="normal"/></arc>')
            + '<arc id="z" source="b" target="t" type="Read"/>'
        )
        assert net.transition("t").reads == ("b",)
        assert net.transition("t").output == PlaceOut("b")

    def test_other_arc_types_are_refused(self) -> None:
        assert refused(pnml(SMALL + '\n<arc id="z" source="b" target="t"><type value="stopwatch"/></arc>')) == [
            "7:35 PETRI_PNML_UNSUPPORTED"
        ]

    def test_a_place_capacity_of_zero_is_none_and_any_other_is_refused(self) -> None:
        capacity = '<place id="c"><capacity><text>{}</text></capacity></place>'
        assert clean(SMALL + capacity.format(0)).place_ids() == ("a", "b", "c")
        assert refused(pnml(capacity.format(2))) == ["3:15 PETRI_PNML_UNSUPPORTED"]

    def test_a_marking_or_a_weight_in_an_attribute_is_refused_not_overlooked(self) -> None:
        text = '<place id="a" initialMarking="1"/><transition id="t"/>\n<arc id="x" source="a" target="t" weight="2"/>'
        assert refused(pnml(text)) == ["3:1 PETRI_PNML_UNSUPPORTED", "4:1 PETRI_PNML_UNSUPPORTED"]

    def test_a_sub_process_net_is_refused_not_overlooked(self) -> None:
        assert refused(pnml(SMALL + '<page id="t"><net><place id="c"/></net></page>')) == [
            "6:49 PETRI_PNML_UNSUPPORTED"
        ]

    def test_what_is_not_read_is_listed_once(self) -> None:
        text = '<transition id="u"><rate/><priority/></transition><transition id="v"><rate/></transition>'
        _, warnings = tolerated(pnml(SMALL + text))
        assert warnings == [
            "PETRI_PNML_NOT_READ: not part of a place/transition net, and not read: `<rate>`, `<priority>`"
        ]

    def test_a_weight_that_only_the_arcs_name_tells_is_pointed_at(self) -> None:
        _, warnings = tolerated(
            pnml(
                SMALL.replace(
                    'id="y" source="t" target="b"/>', 'id="y" source="t" target="b"><name><text>2</text></name></arc>'
                )
            )
        )
        assert warnings == ["PETRI_PNML_LENIENT: arc `y` is named `2` and has no `<inscription>`: its weight is 1"]

    def test_equal_arcs_add_up_with_a_warning(self) -> None:
        net, warnings = tolerated(pnml(SMALL + '<arc id="z" source="a" target="t"/>'))
        assert net.transition("t").inputs == (Input("a", Cardinality.EXACTLY, 3),)
        assert warnings == ["PETRI_PNML_DUPLICATE_ARC: a second normal arc from `a` to `t`: their weights add up to 3"]

    def test_equal_inhibitor_arcs_count_as_one(self) -> None:
        arc = '<arc source="b" target="t"><type value="inhibitor"/></arc>'
        net, warnings = tolerated(pnml(SMALL + arc + arc))
        assert net.transition("t").inhibitors == ("b",)
        assert "they count as one" in warnings[0]


class TestRefused:
    @pytest.mark.parametrize("text", ["-1", "two", "1.0", "1e2", "9" * 30, "٣", "1 2"])
    def test_bad_markings(self, text: str) -> None:
        assert refused(pnml(f'<place id="a"><initialMarking><text>{text}</text></initialMarking></place>')) == [
            "3:15 PETRI_PNML_NUMBER"
        ]

    @pytest.mark.parametrize("text", ["0", "-2", "x", "1/2"])
    def test_bad_weights(self, text: str) -> None:
        assert refused(pnml(SMALL.replace("<text>2<", f"<text>{text}<"))) == ["5:35 PETRI_PNML_NUMBER"]

    def test_two_markings_of_one_place(self) -> None:
        label = "<initialMarking><text>1</text></initialMarking>"
        assert refused(pnml(f'<place id="a">{label}\n{label}</place>')) == ["4:1 PETRI_PNML_NUMBER"]

    def test_arcs_that_do_not_join_a_place_and_a_transition(self) -> None:
        arcs = '\n<arc source="a" target="b"/>\n<arc source="t" target="t"/>\n<arc source="a"/>\n<arc target="a"/>'
        assert refused(pnml(SMALL + arcs)) == [f"{n}:1 PETRI_PNML_ARC" for n in (7, 8, 9, 10)]

    def test_special_arcs_with_a_weight_or_the_wrong_way_round(self) -> None:
        kind = '<type value="inhibitor"/>'
        arcs = (
            f'\n<arc source="t" target="b">{kind}</arc>'
            f'\n<arc source="b" target="t">{kind}<inscription><text>2</text></inscription></arc>'
        )
        assert refused(pnml(SMALL + arcs)) == ["7:1 PETRI_PNML_ARC", "8:1 PETRI_PNML_UNSUPPORTED"]

    def test_unknown_ids_come_with_the_nearest_known_one(self) -> None:
        data = pnml(SMALL.replace('id="b"', 'id="letterbox"') + '\n<arc id="z" source="leterbox" target="t"/>')
        with pytest.raises(InputError) as caught:
            read_pnml(data, "n.pnml")
        assert [(str(p.where), p.code, p.hint) for p in caught.value.problems] == [
            ("n.pnml:6:1", "PETRI_PNML_UNKNOWN_ID", "known: a, letterbox, t"),
            ("n.pnml:7:1", "PETRI_PNML_UNKNOWN_ID", "did you mean `letterbox`?"),
        ]

    def test_ids_used_twice_name_both_lines(self) -> None:
        data = pnml(SMALL + '\n<transition id="a"/>')
        with pytest.raises(InputError) as caught:
            read_pnml(data, "n.pnml")
        (problem,) = caught.value.problems
        assert (problem.code, problem.where.line, [r.line for r in problem.related]) == (
            "PETRI_PNML_DUPLICATE_ID",
            7,
            [3],
        )

    def test_missing_ids(self) -> None:
        assert refused(pnml('<place/>\n<transition id=""/>')) == [
            "3:1 PETRI_PNML_MISSING_ID",
            "4:1 PETRI_PNML_MISSING_ID",
        ]

    @pytest.mark.parametrize(
        "references",
        [
            '<referencePlace id="r" ref="r"/>',
            '<referencePlace id="r" ref="s"/><referencePlace id="s" ref="r"/>',
            '<referencePlace id="r" ref="t"/>',
            '<referenceTransition id="r" ref="a"/>',
            '<referencePlace id="r" ref="rt"/><referenceTransition id="rt" ref="t"/>',
        ],
    )
    def test_references_that_lead_nowhere(self, references: str) -> None:
        found = refused(pnml(SMALL + "\n" + references))
        assert found
        assert all(f.endswith("PETRI_PNML_REFERENCE") for f in found)

    def test_a_reference_to_an_unknown_id(self) -> None:
        assert refused(pnml(SMALL + '\n<referencePlace id="r" ref="zz"/><arc source="r" target="t"/>')) == [
            "7:1 PETRI_PNML_UNKNOWN_ID"
        ]

    def test_several_nets_in_one_file(self) -> None:
        data = f'<pnml {NS}><net id="n" {PTNET}/>\n<net id="m" {PTNET}><place/></net></pnml>'.encode()
        assert refused(data) == ["2:1 PETRI_PNML_SEVERAL_NETS"]

    @pytest.mark.parametrize("data", [b"<pnml/>", b"<net/>", b"<html><pnml/></html>", b"<pnml><page/></pnml>"])
    def test_documents_that_are_no_pnml(self, data: bytes) -> None:
        assert refused(data)[0] == "1:1 PETRI_NOT_PNML"

    @pytest.mark.parametrize(
        "data", [b"", b" ", b"<pnml>", b"<pnml></net>", b"<pnml>&x;</pnml>", b"\xff", b"<p:pnml/>"]
    )
    def test_broken_xml(self, data: bytes) -> None:
        assert refused(data)[0].endswith("PETRI_BAD_XML")

    def test_problems_before_the_point_where_the_xml_breaks_are_told_too(self) -> None:
        assert refused(pnml("<place/>")[:-20]) == ["3:1 PETRI_PNML_MISSING_ID", "4:1 PETRI_BAD_XML"]

    @pytest.mark.parametrize("encoding", ["klingon", "shift_jis", "utf-7", "rot13", "hex", "idna"])
    def test_encodings_that_cannot_be_read(self, encoding: str) -> None:
        data = f'<?xml version="1.0" encoding="{encoding}"?>'.encode() + pnml(SMALL)
        (found,) = refused(data)
        assert found.split()[1] in ("PETRI_XML_ENCODING", "PETRI_BAD_XML")

    def test_all_problems_are_told_at_once_in_order(self) -> None:
        text = '<place id="a"><initialMarking><text>x</text></initialMarking></place>\n<place/>\n<arc target="a"/>'
        assert [f.split()[0] for f in refused(pnml(text))] == ["3:15", "4:1", "5:1"]


class TestSafety:
    BOMB = '<!DOCTYPE pnml [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>\n<pnml><net id="&b;"/></pnml>'

    @pytest.mark.parametrize(
        "prolog",
        [
            BOMB,
            '<!DOCTYPE pnml SYSTEM "http://localhost:1/evil.dtd"><pnml/>',
            '<!DOCTYPE pnml [<!ENTITY x SYSTEM "file:///etc/passwd">]><pnml>&x;</pnml>',
            '<!DOCTYPE pnml [<!ENTITY % p SYSTEM "file:///etc/passwd"> %p;]><pnml/>',
        ],
    )
    def test_document_type_declarations_are_refused_where_they_begin(self, prolog: str) -> None:
        assert refused(prolog.encode()) == ["1:1 PETRI_XML_DTD"]

    def test_five_thousand_nested_pages(self) -> None:
        depth = 5_000
        opened = "".join(f'<page id="p{n}">' for n in range(depth))
        assert clean(opened + SMALL + "</page>" * depth).place_ids() == ("a", "b")

    def test_a_chain_of_five_thousand_references(self) -> None:
        chain = "".join(f'<referencePlace id="r{n}" ref="r{n + 1}"/>' for n in range(5_000))
        net = clean(
            f'{SMALL}{chain}<referencePlace id="r5000" ref="b"/><transition id="u"/><arc source="r0" target="u"/>'
        )
        assert net.transition("u").inputs == (Input("b"),)

    def test_deep_nesting_in_what_is_ignored(self) -> None:
        assert clean(SMALL + "<toolspecific>" + "<x>" * 50_000 + "</x>" * 50_000 + "</toolspecific>") == clean(SMALL)

    def test_a_file_over_the_limit_is_not_parsed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("petri_cli.formats.pnml_scan.MAX_BYTES", 100)
        assert refused(pnml(SMALL)) == ["0:0 PETRI_TOO_LARGE"]

    def test_work_is_linear_in_the_size_of_the_file(self) -> None:
        def seconds(n: int) -> float:
            nodes = "".join(f'<place id="p{k}"/><transition id="t{k}"/>' for k in range(n))
            arcs = "".join(f'<arc id="a{k}" source="p{k}" target="t{k}"/>' for k in range(n))
            data = pnml(nodes + arcs)
            runs = []
            for _ in range(3):
                start = time.process_time()
                read_pnml(data, "n.pnml")
                runs.append(time.process_time() - start)
            return min(runs)

        assert seconds(8_000) < 8 * 3 * max(seconds(1_000), 0.002)


DATA = os.environ.get("PETRI_TEST_DATA", "")
FILES = sorted(Path(DATA, "nets", "workflow").glob("*/*.pnml")) if DATA else []


@pytest.mark.skipif(not FILES, reason="PETRI_TEST_DATA names no folder with nets/workflow/*/*.pnml")
def test_every_net_at_hand_loads_or_gets_a_precise_message() -> None:
    refusals: dict[str, list[str]] = {}
    for file in FILES:
        try:
            net, _ = read_pnml(file.read_bytes(), file.name)
            assert net.places
            assert net.transitions
        except PetriError as error:
            refusals[file.name] = [p.code for p in error.problems] if isinstance(error, InputError) else [error.code]
            assert error.where.line
    assert refusals == {"Subprocesses.pnml": ["PETRI_PNML_UNSUPPORTED"]}
