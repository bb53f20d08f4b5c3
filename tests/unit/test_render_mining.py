"""What was mined, as a person sees it: numbers, outlines, charts."""

from __future__ import annotations

from array import array
from dataclasses import replace

import pytest

from petri_cli.mining.inductive import inductive
from petri_cli.mining.log import Log, Times, log_of
from petri_cli.mining.tree import Op, TreeBuilder
from petri_cli.render.look import KEEP, Look, length
from petri_cli.render.mining import draw_log, rounded
from petri_cli.render.mining_chart import draw_chart
from petri_cli.render.process_tree import outline
from tests.textbook_logs import FULL, L7, L8, L11, letters

HOUR = 3_600_000_000


def timed(log: Log, step: int = HOUR) -> Log:
    """An event every ``step`` ticks, case after case."""
    return replace(log, times=Times(array("q", range(0, step * log.n_events, step))))


def text(log: Log, look: Look) -> str:
    return "\n".join(look.paint(line) for line in draw_chart(log, look))


@pytest.mark.parametrize(
    ("value", "told"), [(1.0, "1.000000"), (0.99999999, "0.999999"), (0.5, "0.500000"), (0.9999994, "0.999999")]
)
def test_only_what_is_perfect_reads_as_one(value: float, told: str) -> None:
    assert rounded(value, 6) == told


@pytest.mark.parametrize(
    ("words", "lines"),
    [
        (L7, ["seq", "├ a", "├ b, any number of times", "╰ c"]),
        (L8, ["seq", "├ a", "├ b again after c", "╰ d"]),
        (L11, ["seq", "├ a", "├ maybe b", "╰ c"]),
        ("abc", ["a → b → c"]),
        (
            FULL,
            ["seq", "├ a", "├ loop", "│ ├ seq", "│ │ ├ parallel", "│ │ │ ├ b or c", "│ │ │ ╰ d", "│ │ ╰ e",
             "│ ╰ again after f", "╰ g or h"],
        ),
    ],
)  # fmt: skip
def test_a_tree_is_outlined_with_small_blocks_on_one_line(words: str, lines: list[str]) -> None:
    assert [line.replace(KEEP, " ") for line in outline(inductive(letters(words)))] == lines


def test_a_tree_of_any_depth_is_outlined() -> None:
    builder = TreeBuilder()
    node = builder.leaf("a")
    for k in range(5_000):
        node = builder.inner(Op.SEQ if k % 2 else Op.AND, [node, builder.leaf("b")])
    assert len(outline(builder.tree(node))) > 5_000


@pytest.mark.parametrize("width", [40, 80, 110])
@pytest.mark.parametrize("words", ["abc^3", FULL])
def test_charts_and_variants_keep_to_the_width(width: int, words: str) -> None:
    log, look = timed(letters(words)), Look(width, prose=width)
    for line in [*draw_chart(log, look), *draw_log("log.csv", log, look)]:
        assert length(line) <= width


def test_few_cases_have_a_row_each_and_many_share_rows() -> None:
    few = text(timed(letters("abc^3")), Look())
    assert [line.split()[0] for line in few.splitlines()[2:5]] == ["1", "2", "3"]
    assert "2h" in few
    many = text(timed(letters(FULL)), Look())
    assert len(many.splitlines()) < 20
    assert any("\u2800" < c <= "\u28ff" for c in many)


def test_a_chart_in_ascii_has_no_other_signs() -> None:
    for words in ("abc^3", FULL):
        assert text(timed(letters(words)), Look(signs=False)).isascii()


def test_a_log_without_times_has_no_chart_and_says_so() -> None:
    assert "no times" in text(letters(L11), Look())
    assert "no times" in text(log_of([]), Look())


def test_times_beyond_the_calendar_are_drawn_in_seconds() -> None:
    log = replace(letters("ab"), times=Times(array("q", [0, 2**62])))
    assert " s" in text(log, Look())
