"""Documents as nodes: values by the core schema, positions, aliases, and what is refused."""

from __future__ import annotations

import gc
import math
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml

from petri_cli.document import (
    ListNode,
    MapNode,
    Node,
    ScalarNode,
    collector_paused,
    describe,
    from_data,
    plain,
    position,
    read_bytes,
    read_document,
    scan_document,
    shorten,
)
from petri_cli.errors import InputError, PetriError


def read(text: str | bytes, file: str = "f.yaml", **options: Any) -> Any:
    return plain(read_document(text, file, **options))


def codes(text: str | bytes, file: str = "f.yaml", **options: Any) -> list[str]:
    with pytest.raises(InputError) as caught:
        read_document(text, file, **options)
    return [p.code for p in caught.value.problems]


def at(root: Node, *steps: str | int) -> Node:
    for step in steps:
        if isinstance(step, int):
            assert isinstance(root, ListNode)
            root = root.items[step]
        else:
            assert isinstance(root, MapNode)
            found = root.find(step)
            assert found is not None
            root = found
    return root


CORE_SCHEMA = {
    **dict.fromkeys(["null", "Null", "NULL", "~", ""], None),
    **dict.fromkeys(["true", "True", "TRUE"], True),
    **dict.fromkeys(["false", "False", "FALSE"], False),
    "0": 0,
    "-1": -1,
    "+12": 12,
    "012": 12,
    "0o14": 12,
    "0x1F": 31,
    "1.": 1.0,
    ".5": 0.5,
    "-1.5e3": -1500.0,
    "1e3": 1000.0,
    ".inf": math.inf,
    "-.INF": -math.inf,
    "+.Inf": math.inf,
    **{
        s: s for s in ("on", "off", "yes", "No", "y", "n", "tRUE", "nULL", "1:30", "190:20:30", "1_000", "0b101", "08x")
    },
    **{
        s: s
        for s in ("2024-01-01", "2024-01-01T00:00:00Z", "0o9", "0xG", "1e", ".", "+", "-x", "=", "inf", "nan", "1.2.3")
    },
}


@pytest.mark.parametrize("text", CORE_SCHEMA)
def test_plain_scalars_follow_the_core_schema(text: str) -> None:
    """After pyyaml#855: ``on`` became True."""
    for document in (f"x: {text}", f"x: [{text}]") if text else ("x: ",):
        value = read(document)["x"]
        value = value[0] if isinstance(value, list) else value
        assert type(value) is type(CORE_SCHEMA[text])
        assert value == CORE_SCHEMA[text]


def test_not_a_number_is_read_as_such() -> None:
    assert math.isnan(read("x: .nan")["x"])


@pytest.mark.parametrize("text", ["12", "true", "~", "on", ".inf"])
def test_quoted_scalars_are_text(text: str) -> None:
    assert read(f"x: '{text}'\ny: \"{text}\"\nz: !!str {text}\n? {text}x\n: 1") == {
        "x": text,
        "y": text,
        "z": text,
        f"{text}x": 1,
    }


def test_tags_of_the_core_schema_are_honoured() -> None:
    text = "a: !!int 012\nb: !!float 3\nc: !!null ''\nd: !!bool true\ne: !!map {x: 1}\nf: !!seq [1]\ng: ! 12"
    assert read(text) == {"a": 12, "b": 3.0, "c": None, "d": True, "e": {"x": 1}, "f": [1], "g": "12"}


def test_positions_are_one_based_and_paths_read_like_a_person_writes_them() -> None:
    root = read_document("flow:\n  parallel:\n    - guard: {resource: db}\n", "plan.yaml")
    where = position(at(root, "flow", "parallel", 0, "guard", "resource"))
    assert (where.file, where.line, where.column) == ("plan.yaml", 3, 25)
    assert where.path == "flow.parallel[0].guard.resource"
    guard = at(root, "flow", "parallel", 0)
    assert isinstance(guard, MapNode)
    key = guard.entries[0][0]
    assert (key.line, key.column, position(key).path) == (3, 7, "flow.parallel[0].guard")
    assert position(root).path == ""


@pytest.mark.parametrize("text", ['{"é": 1,\r\n\t"a": [ 2,\n {"b":"ü"}]}', '﻿{"é": 1,\r\n "a": [ 2,\n {"b":"ü"}]}'])
def test_json_and_yaml_agree_on_positions(text: str) -> None:
    if "\t" in text:
        text = text.replace("\t", " ")
    places = []
    for json in (True, False):
        root = read_document(text, "x", json=json)
        node = at(root, "a", 1, "b")
        places.append([(n.line, n.column) for n in (root, at(root, "é"), at(root, "a"), at(root, "a", 1), node)])
    assert places[0] == places[1]
    assert places[0][-1] == (3, 7)


def test_a_very_deep_path_is_cut_at_the_front() -> None:
    node = from_data({"x": 1})
    for _ in range(300):
        node = from_data([plain(node)])
    while isinstance(node, ListNode):
        node = node.items[0]
    assert position(at(node, "x")).path == "…" + "[0]" * 199 + ".x"


def test_duplicate_keys_name_both_lines() -> None:
    """After pyyaml#165: the second of two equal keys won."""
    root, problems = scan_document("a: 1\nb: 2\na: 3\n", "f.yaml")
    assert [(p.code, p.where.line, p.related[0].line) for p in problems] == [("PETRI_DUPLICATE_KEY", 3, 1)]
    assert "line 1" in problems[0].message
    assert "line 3" in problems[0].message
    assert root is not None
    assert plain(root) == {"a": 1, "b": 2}


def test_keys_that_differ_in_quotes_alone_are_equal() -> None:
    assert codes("a: 1\n'a': 2") == ["PETRI_DUPLICATE_KEY"]
    assert codes('{"a": 1, "\\u0061": 2}', "f.json") == ["PETRI_DUPLICATE_KEY"]


def test_aliases_share_what_they_stand_for() -> None:
    root = read_document("a: &x {k: [1, 2]}\nb: *x\nc: [*x]\nd: &y text\n*y : 1\n")
    assert plain(root) == {"a": {"k": [1, 2]}, "b": {"k": [1, 2]}, "c": [{"k": [1, 2]}], "d": "text", "text": 1}
    first, again = at(root, "a"), at(root, "b")
    assert isinstance(first, MapNode)
    assert isinstance(again, MapNode)
    assert first.entries is again.entries
    assert (position(again).line, position(again).path) == (2, "b")
    assert plain(root)["b"] is not None


def test_the_latest_anchor_of_a_name_counts() -> None:
    assert read("[&a 1, *a, &a 2, *a, &b [&b 3, *b], *b]") == [1, 1, 2, 2, [3, 3], 3]


def test_merge_keys_give_what_the_map_does_not_have() -> None:
    text = "a: &a {x: 1, y: 2}\nb: &b {y: 3, z: 4}\nc: {y: 0, <<: *a}\nd: {<<: [*a, *b]}\ne: {'<<': 1}\nf: {<<: {q: 1}}"
    assert read(text) | {"a": 0, "b": 0} == {
        "a": 0,
        "b": 0,
        "c": {"y": 0, "x": 1},
        "d": {"x": 1, "y": 2, "z": 4},
        "e": {"<<": 1},
        "f": {"q": 1},
    }
    assert codes("a: &a {x: 1}\nb: {<<: *a, <<: *a}") == ["PETRI_DUPLICATE_KEY"]


def test_an_alias_bomb_is_refused_before_it_unfolds() -> None:
    """After lionagi#2300: an alias bomb expanded."""
    lines = ["a0: &a0 [x, x]"] + [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]" for n in range(1, 60)]
    assert codes("\n".join(lines)) == ["PETRI_YAML_ALIAS"]
    merging = ["a0: &a0 {k0: 1}"] + [
        f"a{n}: &a{n} {{<<: *a{n - 1}, k{n}: [*a{n - 1}, *a{n - 1}]}}" for n in range(1, 60)
    ]
    assert codes("\n".join(merging)) == ["PETRI_YAML_ALIAS"]


def test_an_alias_inside_its_own_value_is_refused() -> None:
    assert codes("a: &a [1, {b: *a}]") == ["PETRI_YAML_ALIAS"]


def test_many_honest_aliases_are_fine() -> None:
    text = "base: &b {retries: 3, env: [a, b]}\nsteps:\n" + "".join(f"- {{<<: *b, id: t{n}}}\n" for n in range(5000))
    assert len(read(text)["steps"]) == 5000


@pytest.mark.parametrize(
    ("data", "code"),
    [
        ("", "PETRI_EMPTY_DOCUMENT"),
        ("# nothing\n", "PETRI_EMPTY_DOCUMENT"),
        ("---\n...\n", "PETRI_EMPTY_DOCUMENT"),
        ("a: 1\n---\nb: 2\n", "PETRI_SEVERAL_DOCUMENTS"),
        ("a: 1\n---\n", "PETRI_SEVERAL_DOCUMENTS"),
        (b"a: \xff", "PETRI_NOT_UTF8"),
        ("a: \x00", "PETRI_CONTROL_CHARACTER"),
        ("a: \ud800", "PETRI_CONTROL_CHARACTER"),
        ("a: !!python/object:os.system x", "PETRI_YAML_TAG"),
        ("a: !!binary aGk=", "PETRI_YAML_TAG"),
        ("? {a: 1}\n: 2", "PETRI_BAD_KEY"),
        ("{1: 2}", "PETRI_BAD_KEY"),
        ("a:\n\tb: 1", "PETRI_YAML_TAB"),
        ("a: 'x", "PETRI_YAML_SYNTAX"),
        ("x: " + "[" * 2000 + "x" + "]" * 2000, "PETRI_TOO_DEEP"),
        ("\n".join(" " * n + "a:" for n in range(2000)), "PETRI_TOO_DEEP"),
        ("- " * 5000 + "x", "PETRI_TOO_DEEP"),
        (f"a: {'9' * 5000}", "PETRI_BAD_NUMBER"),
        (f"a: 0x{'f' * 5000}", "PETRI_BAD_NUMBER"),
    ],
)
def test_what_is_refused(data: str | bytes, code: str) -> None:
    if yaml.__with_libyaml__ or code != "PETRI_TOO_DEEP":
        assert codes(data) == [code]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "PETRI_EMPTY_DOCUMENT"),
        (" \n ", "PETRI_EMPTY_DOCUMENT"),
        ('{"a": 1} {"b": 2}', "PETRI_SEVERAL_DOCUMENTS"),
        ('{"a": 1} x', "PETRI_JSON_SYNTAX"),
        ('{"a": 1,}', "PETRI_JSON_SYNTAX"),
        ("[1,]", "PETRI_JSON_SYNTAX"),
        ("[1,,2]", "PETRI_JSON_SYNTAX"),
        ("[1 2]", "PETRI_JSON_SYNTAX"),
        ('{"a" 1}', "PETRI_JSON_SYNTAX"),
        ('{"a"}', "PETRI_JSON_SYNTAX"),
        ("{a: 1}", "PETRI_JSON_SYNTAX"),
        ("{'a': 1}", "PETRI_JSON_SYNTAX"),
        ("[1", "PETRI_JSON_SYNTAX"),
        ('["a', "PETRI_JSON_SYNTAX"),
        ('["a\nb"]', "PETRI_JSON_SYNTAX"),
        ('["a\tb"]', "PETRI_JSON_SYNTAX"),
        ('["\\x41"]', "PETRI_JSON_SYNTAX"),
        ('["\\u12"]', "PETRI_JSON_SYNTAX"),
        ('["\\ud800"]', "PETRI_JSON_SYNTAX"),
        ('["\\', "PETRI_JSON_SYNTAX"),
        ("[01]", "PETRI_JSON_SYNTAX"),
        ("[+1]", "PETRI_JSON_SYNTAX"),
        ("[.5]", "PETRI_JSON_SYNTAX"),
        ("[1.]", "PETRI_JSON_SYNTAX"),
        ("[True]", "PETRI_JSON_SYNTAX"),
        ("[None]", "PETRI_JSON_SYNTAX"),
        ("[NaN]", "PETRI_BAD_NUMBER"),
        ("[-Infinity]", "PETRI_BAD_NUMBER"),
        (f"[{'1' * 5000}]", "PETRI_BAD_NUMBER"),
        ("// x\n[]", "PETRI_JSON_COMMENT"),
        ("[] # x", "PETRI_JSON_COMMENT"),
        ('{"a": /* x */ 1}', "PETRI_JSON_COMMENT"),
        ("]", "PETRI_JSON_SYNTAX"),
        ("\x07[]", "PETRI_CONTROL_CHARACTER"),
    ],
)
def test_what_is_no_json(text: str, code: str) -> None:
    assert codes(text, "f.json") == [code]


def test_json_values() -> None:
    text = (
        ' {"a": [1, -0, 2.5, 1e2, 1E-2, true, false, null, "\\u00e9\\n\\"\\ud83d\\ude00"], "b": {}, "c": [], "": ""}\n'
    )
    value = read(text, "f.json")
    assert value == {"a": [1, 0, 2.5, 100.0, 0.01, True, False, None, 'é\n"😀'], "b": {}, "c": [], "": ""}
    assert type(value["a"][3]) is float


def test_flow_style_that_is_no_json_is_read_as_yaml() -> None:
    assert read("{a: 1, b: [x, 'y'], }") == {"a": 1, "b": ["x", "y"]}
    assert read('{"a": 1, # why\n "b": 2}') == {"a": 1, "b": 2}
    assert codes('{"a": 1, // why\n "b": 2}') == ["PETRI_JSON_COMMENT"]


def test_of_two_readers_that_fail_the_one_that_came_further_is_told() -> None:
    assert codes('{"a": [1, 2}') == ["PETRI_JSON_SYNTAX"]
    assert codes("{a: [1, 2}") == ["PETRI_YAML_SYNTAX"]
    assert codes('{"a":' * 1500 + "1," + "}" * 1500) == ["PETRI_JSON_SYNTAX"]
    if yaml.__with_libyaml__:
        assert codes("{a: " * 1500 + "1" + "}" * 1500) == ["PETRI_JSON_SYNTAX", "PETRI_TOO_DEEP"]


@pytest.mark.parametrize("file", ["f.json", "f.yaml"])
def test_json_may_nest_as_deep_as_it_likes(file: str) -> None:
    depth = 20_000
    node = read_document('{"a":[' * depth + "1" + "]}" * depth, file)
    levels = 0
    while not isinstance(node, ScalarNode):
        node = at(node, "a", 0)
        levels += 1
    assert levels == depth


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfa: \xc3\xa9",
        "\ufeffa: é",
        "a: é".encode("utf-16"),
        b"\xfe\xff" + "a: é".encode("utf-16-be"),
    ],
)
def test_a_byte_order_mark_says_how_to_read(data: bytes | str) -> None:
    root = read_document(data)
    assert plain(root) == {"a": "é"}
    assert (position(root).line, position(root).column) == (1, 1)


def test_the_first_byte_that_is_not_utf8_is_named() -> None:
    with pytest.raises(InputError) as caught:
        read_document("größe: 1\nname: ".encode() + b"caf\xe9", "f.yaml")
    assert (
        str(caught.value) == "f.yaml:2:10 PETRI_NOT_UTF8 byte 0xE9 at offset 20 is not UTF-8 (save the file as UTF-8)"
    )


def test_documents_over_the_limit_are_refused() -> None:
    assert codes("a: 1", max_bytes=3) == ["PETRI_TOO_LARGE"]
    assert codes(b"a: 1", max_bytes=3) == ["PETRI_TOO_LARGE"]
    assert read("a: 1", max_bytes=4) == {"a": 1}


def test_all_problems_are_reported_sorted_by_position() -> None:
    text = "a: !x 1\nb: 1\n1: 2\nb: *nowhere\n"
    with pytest.raises(InputError) as caught:
        read_document(text, "f.yaml")
    found = [(p.where.line, p.code) for p in caught.value.problems]
    assert found == [(1, "PETRI_YAML_TAG"), (3, "PETRI_BAD_KEY"), (4, "PETRI_YAML_ALIAS")]


def test_a_tab_names_the_other_lines_that_begin_with_one() -> None:
    with pytest.raises(InputError) as caught:
        read_document("a:\n\tb: 1\n\tc: 2\n  d: |\n    x\n", "f.yaml")
    (problem,) = caught.value.problems
    assert (problem.where.line, [r.line for r in problem.related]) == (2, [3])


def test_a_file_is_read_up_to_the_limit(tmp_path: Any) -> None:
    file = tmp_path / "f.yaml"
    file.write_bytes(b"a: 1\n")
    assert read_bytes(file) == b"a: 1\n"
    for path, limit, code in (
        (file, 4, "PETRI_TOO_LARGE"),
        (tmp_path, 9, "PETRI_UNREADABLE_FILE"),
        (tmp_path / "x", 9, "PETRI_UNREADABLE_FILE"),
        ("\0", 9, "PETRI_UNREADABLE_FILE"),
    ):
        with pytest.raises(PetriError) as caught:
            read_bytes(path, limit)
        assert caught.value.code == code
        assert caught.value.where.file == str(path)


def test_data_becomes_the_same_nodes_without_lines() -> None:
    data = {"a": [1, 2.5, None, True, "on", ("x",)], "b": {"c": {}}}
    root = from_data(data, "api")
    assert plain(root) == {"a": [1, 2.5, None, True, "on", ["x"]], "b": {"c": {}}}
    where = position(at(root, "a", 4))
    assert (where.file, where.line, where.column, where.path) == ("api", 0, 0, "a[4]")


def test_data_that_no_document_holds_is_refused_at_once() -> None:
    with pytest.raises(InputError) as caught:
        from_data({"a": object(), 1: 2, "b": [{3}], "c": b"x", "d": "\ud800"})
    assert [p.where.path for p in caught.value.problems] == ["", "a", "b[0]", "c", "d"]
    assert {p.code for p in caught.value.problems} == {"PETRI_BAD_DATA"}


def test_data_that_contains_itself_is_refused() -> None:
    loop: dict[str, Any] = {"a": []}
    loop["a"].append(loop)
    with pytest.raises(InputError, match="contains itself"):
        from_data(loop)


def test_data_that_shares_its_parts_is_fine() -> None:
    part = {"x": 1}
    assert plain(from_data([part, [part, part]])) == [{"x": 1}, [{"x": 1}, {"x": 1}]]


def test_deep_data_takes_no_recursion() -> None:
    data: Any = 1
    for _ in range(20_000):
        data = [data]
    node = from_data(data)
    again = plain(node)
    levels = 0
    while isinstance(again, list):
        again, levels = again[0], levels + 1
    assert levels == 20_000


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("3", "the number 3"),
        ("'3'", 'the string "3"'),
        ("", "nothing"),
        ("~", "null"),
        ("True", "True"),
        (".nan", ".nan"),
        ("{}", "an empty map"),
        ("{a: 1}", "a map"),
        ("[]", "an empty list"),
        ("[1]", "a list"),
        ("a\n b", 'the string "a b"'),
        ("a" * 99, f'the string "{"a" * 39}…"'),
    ],
)
def test_messages_describe_what_was_found(text: str, said: str) -> None:
    assert describe(at(read_document(f"x: {text}"), "x")) == said


def test_long_text_is_shortened_to_one_line() -> None:
    assert shorten("a\n  b") == "a b"
    assert len(shorten("x" * 1000)) == 40


def test_the_parser_in_python_reads_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where PyYAML was built without libyaml."""
    text = "a: &x [on, 012, 'q']\nb: {<<: {c: *x}}\nd: |\n  t\n"
    with_c = read_document(text)
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    in_python = read_document(text)
    assert plain(with_c) == plain(in_python) == {"a": ["on", 12, "q"], "b": {"c": ["on", 12, "q"]}, "d": "t\n"}
    assert position(at(with_c, "b", "c", 1)) == position(at(in_python, "b", "c", 1))
    assert codes("a:\n\tb: 1") == ["PETRI_YAML_TAB"]
    assert codes("a: [1") == ["PETRI_YAML_SYNTAX"]


def test_json_is_read_without_a_yaml_parser() -> None:
    program = """
        import sys
        from petri_cli.plan.load import load_plan_text
        load_plan_text('{"flow": {"task": {"id": "a"}}}', "x.yaml")
        print(sorted({"yaml", "jsonschema", "rich", "typer", "difflib"} & set(sys.modules)))
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_slips_are_told_alike_by_both_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [
        p.read_text()
        for p in (Path(__file__).parents[1] / "golden" / "plan_errors").glob("*-*.yaml")
        if p.name.startswith(("colon-missing", "indent-", "brace-", "bracket-", "dollar-", "merge-conflict"))
    ]
    assert len(texts) > 15
    with_libyaml = [messages(text) for text in texts]
    monkeypatch.setattr(yaml, "__with_libyaml__", False)
    assert [messages(text) for text in texts] == with_libyaml


def messages(text: str) -> list[str]:
    _, problems = scan_document(text, "f.yaml")
    return [str(p) for p in problems]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: |\n  x\n  y z\n c: 1\n", "4:2 line 4 is indented deeper than line 1, which already has a value"),
        ("a: one\n  two\n  three: 1\n", "3:3 line 3 is indented deeper than line 1, which already has a value"),
        ("- id: x\n  of y\n  c: 1\n", "2:3 line 2 has no `:`"),
        ("\ufeffa\r\n  b: 1\r\n", "1:1 line 1 has no `:`"),
        ("a: b: c\n", "1:5 a `:` cannot stand here"),
        ("a:b\nc: d\n", "1:1 line 1 has no space after its `:`"),
    ],
)
def test_the_line_that_is_to_blame(text: str, line: str) -> None:
    _, (problem,) = scan_document(text, "f.yaml")
    assert f"{problem.where.line}:{problem.where.column} {problem.message}" == line


def test_marks_of_a_conflict_inside_a_text_are_no_conflict() -> None:
    assert read("a: |\n  <<<<<<< HEAD\nb: 1\n") == {"a": "<<<<<<< HEAD\n", "b": 1}
    assert codes("a: |\n  <<<<<<< HEAD\nb: [\n") == ["PETRI_YAML_SYNTAX"]
    _, (problem,) = scan_document("a: |\n  <<<<<<< HEAD\nb: [\n", "f.yaml")
    assert "conflict" not in problem.message


@pytest.mark.parametrize(
    "text",
    [
        "x\n" * 50_000 + " a: 1\n",
        " " * 50_000 + "x\na: 1",
        "a: {" + "b, " * 50_000 + "${c}}",
        "- " * 400 + "a b\n" + " " * 900 + "c: d",
        "a: |\n" + "  x\n" * 50_000 + " b: 1\n",
    ],
)
def test_a_slip_in_a_large_document_is_found_in_linear_time(text: str) -> None:
    assert codes(text)


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n", "\x85", "\u2028", "\u2029"])
def test_a_forbidden_character_stands_on_the_line_that_the_reader_would_say(line_break: str) -> None:
    text = f"a: 1{line_break}b: 2{line_break}c: "
    with pytest.raises(InputError) as forbidden:
        read_document(text + "\x01", "f.yaml")
    with pytest.raises(InputError) as unknown_alias:
        read_document(text + "*x", "f.yaml")
    places = [(e.value.where.line, e.value.where.column) for e in (forbidden, unknown_alias)]
    assert places == [(3, 4), (3, 4)]


def test_a_line_separator_inside_a_string_of_json_ends_no_line() -> None:
    with pytest.raises(InputError) as forbidden:
        read_document('{"a": "\u2028",\n"b": \x01}', "f.json")
    with pytest.raises(InputError) as no_value:
        read_document('{"a": "\u2028",\n"b": ?}', "f.json")
    assert [(e.value.where.line, e.value.where.column) for e in (forbidden, no_value)] == [(2, 6), (2, 6)]


def test_what_is_made_while_the_collector_pauses_counts_as_old() -> None:
    with collector_paused():
        made = [[n] for n in range(10_000)]
    assert gc.isenabled()
    assert not {id(one) for one in made} & {id(one) for one in gc.get_objects(0)}


def test_objects_that_a_program_froze_stay_frozen() -> None:
    gc.freeze()
    try:
        frozen = gc.get_freeze_count()
        with collector_paused():
            pass
        assert gc.get_freeze_count() >= frozen - 100 > 0
    finally:
        gc.unfreeze()


def test_a_pipe_is_refused_even_when_it_takes_the_place_of_a_file_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("x", encoding="utf-8")
    looked_at = (tmp_path / "file").stat()
    monkeypatch.setattr(Path, "stat", lambda self: looked_at)
    with pytest.raises(PetriError, match="this is a named pipe; a file is wanted"):
        read_bytes(tmp_path / "pipe")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a: é".encode("utf-32"), "the file is saved as UTF-32"),
        (b"\x00\x00\xfe\xff" + "a: é".encode("utf-32-be"), "the file is saved as UTF-32"),
        ("flow: {task: {id: a}}".encode("utf-16-le"), "as in UTF-16 without a byte order mark"),
        ("flow: {task: {id: ä}}".encode("utf-16-be"), "as in UTF-16 without a byte order mark"),
        ("a: b".encode("utf-32-le"), "as in UTF-16 without a byte order mark"),
    ],
)
def test_an_encoding_that_is_not_read_is_one_problem(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_document(data, "f.yaml")
    [problem] = caught.value.problems
    assert (problem.code, problem.where.line, problem.hint) == ("PETRI_NOT_UTF8", 1, "save the file as UTF-8")
    assert message in problem.message


def test_a_single_nul_is_a_control_character() -> None:
    assert codes(b"a: b\x00c") == ["PETRI_CONTROL_CHARACTER"]


def test_brackets_that_never_close_in_a_yaml_file_are_no_mere_matter_of_json() -> None:
    assert codes("[" * 5000, "f.petri.yaml") == ["PETRI_TOO_DEEP", "PETRI_JSON_SYNTAX"]
    assert codes("[" * 5000, "f.petri.json") == ["PETRI_JSON_SYNTAX"]
    assert codes("[" * 5000, "<stdin>") == ["PETRI_JSON_SYNTAX"]
