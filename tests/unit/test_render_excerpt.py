"""Source lines with carets."""

from __future__ import annotations

from typing import SupportsIndex

from petri_cli.errors import Position
from petri_cli.render.excerpt import Mark, excerpt
from petri_cli.render.look import Look


def drawn(source: str, *marks: Mark, width: int = 80) -> list[str]:
    look = Look(width)
    return [look.paint(line) for line in excerpt(source.split("\n"), marks, look, indent=0)]


def mark(line: int, column: int, label: str = "", *, named: bool = False) -> Mark:
    return Mark(Position("p.yaml", line, column), [("", label)] if label else [], named=named)


def test_the_token_at_the_position_is_underlined() -> None:
    assert drawn('a:\n  resource: "my lock"', mark(2, 13, "here")) == [
        '2 │ resource: "my lock"',
        "  │           ^^^^^^^^^ here",
    ]


def test_all_words_of_a_plain_value_are_underlined_and_nothing_behind_it() -> None:
    assert drawn("{timeout: 30 sec , run: a}", mark(1, 11))[1] == "  │           ^^^^^^"
    assert drawn("when: is it ok  # perhaps", mark(1, 7))[1] == "  │       ^^^^^^^^"
    assert drawn("id: a", mark(1, 1))[1] == "  │ ^^"
    assert drawn("<place id='p'>", mark(1, 1))[1] == "  │ ^^^^^^"


def test_shared_indentation_is_cut_and_lines_come_in_order() -> None:
    assert drawn("x\n    a: 1\n      b: 2", mark(3, 10, "second"), mark(2, 8, "first")) == [
        "2 │ a: 1",
        "  │    ^ first",
        "3 │   b: 2",
        "  │      ^ second",
    ]


def test_two_marks_on_one_line_share_it() -> None:
    assert drawn("{a: 1, b: 2}", mark(1, 2, "one"), mark(1, 8, "two")) == [
        "1 │ {a: 1, b: 2}",
        "  │  ^ one",
        "  │        ^ two",
    ]


def test_a_long_line_is_cut_around_the_mark() -> None:
    lines = drawn("x" * 200 + " here " + "y" * 200, mark(1, 202, "found"), width=60)
    assert lines[0].startswith("1 │ …xx") and lines[0].endswith("y…")
    start = lines[1].index("^")
    assert lines[0][start : start + 4] == "here"
    assert all(len(line) <= 60 for line in lines)


def test_a_position_past_the_end_or_outside_the_file_is_harmless() -> None:
    assert drawn("ab", mark(1, 99, "end")) == ["1 │ ab", "  │   ^ end"]
    assert drawn("ab", mark(7, 1, "nowhere"), mark(0, 0)) == []
    assert drawn("", mark(1, 1)) == ["1 │", "  │ ^"]


def test_positions_stand_at_the_right_where_all_of_them_fit_else_above() -> None:
    beside = drawn("a: 1\nb: 2", mark(1, 1, "first", named=True), mark(2, 1, "second", named=True), width=40)
    assert beside[0] == "1 │ a: 1" + " " * 22 + "p.yaml:1:1"
    above = drawn("a: " + "1" * 30 + "\nb: 2", mark(1, 1, "f", named=True), mark(2, 1, "s", named=True), width=40)
    assert [line for line in above if "p.yaml" in line] == ["p.yaml:1:1", "p.yaml:2:1"]


def test_positions_above_a_line_are_broken_where_they_are_too_long() -> None:
    def above(file: str, *columns: int) -> list[str]:
        marks = [Mark(Position(file, 1, column), [], named=True) for column in columns]
        return [line for line in drawn("{a: 1, b: 2, c: 3}", *marks, width=24) if "│" not in line]

    assert above("plans/abc.yaml", 2, 8, 14) == ["plans/abc.yaml:1:2 and", ":8 and :14"]
    assert above("plans/of/mine/abc.yaml", 2) == ["plans/of/mine/", "abc.yaml:1:2"]
    assert above("a" * 30, 2) == ["a" * 24, "aaaaaa:1:2"]
    assert above("计划" * 8, 2) == ["计划" * 6, "计划计划:1:2"]


def test_carets_stand_below_wide_characters_and_tabs() -> None:
    assert drawn("\t数据: x", mark(1, 6, "here")) == ["1 │ 数据: x", "  │       ^ here"]


class _Long(str):
    """A line of which only short pieces may be looked at: each mark on it costs the same, however long it is."""

    def __getitem__(self, key: SupportsIndex | slice) -> str:
        piece = super().__getitem__(key)
        assert len(piece) < 2_000
        return piece

    def _whole(self, *_: object) -> str:
        raise AssertionError("the whole line was looked at")

    strip = lstrip = rstrip = replace = expandtabs = isascii = __iter__ = _whole  # type: ignore[assignment]


def test_a_mark_on_a_line_of_any_length_costs_the_same() -> None:
    look = Look(40)
    line = _Long("  " + '{"loop": {"id": "l"}}, ' * 100_000)
    for column in (3, 50_000, 1_000_000, len(line) - 3):
        source, carets = (look.paint(part) for part in excerpt([line], [mark(1, column)], look, indent=0))
        assert len(source) <= 40 and source.startswith("1 │ ")
        at = carets.index("^")
        assert source[at] == line[column - 1]


def test_a_cut_line_shows_what_stands_around_the_mark() -> None:
    text = "".join(f'{{"k{n}": {n}}}, ' for n in range(1000))
    column = text.index('"k500"') + 1
    assert drawn(text, mark(1, column), width=40) == [
        '1 │ …{"k499": 499}, {"k500": 500}, {"k5…',
        "  │                  ^^^^^^",
    ]
