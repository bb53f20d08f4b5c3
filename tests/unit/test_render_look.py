"""Width, colour, signs: how a stream is drawn on."""

from __future__ import annotations

import io

import pytest

from petri_cli.render.look import KEEP, Look, can_draw, columns, crop, cut, length, visible, wants_colour, wrap


class Stream(io.StringIO):
    """A stream with an encoding."""

    def __init__(self, encoding: str) -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding


@pytest.mark.parametrize(
    ("environ", "terminal", "wanted"),
    [
        ({}, True, True),
        ({}, False, False),
        ({"NO_COLOR": "1"}, True, False),
        ({"NO_COLOR": ""}, True, True),
        ({"FORCE_COLOR": "1"}, False, True),
        ({"FORCE_COLOR": "0"}, False, False),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ({"TERM": "dumb"}, True, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, True),
    ],
)
def test_colour_is_asked_of_the_environment_and_then_of_the_terminal(
    environ: dict[str, str], terminal: bool, wanted: bool
) -> None:
    assert wants_colour("auto", environ, terminal=terminal) is wanted
    assert wants_colour("always", environ, terminal=terminal)
    assert not wants_colour("never", environ, terminal=terminal)


@pytest.mark.parametrize(
    ("encoding", "environ", "can"),
    [
        ("utf-8", {}, True),
        ("utf-8", {"LANG": "C.UTF-8"}, True),
        ("utf-8", {"LANG": "C"}, False),
        ("utf-8", {"LC_ALL": "POSIX", "LANG": "en_GB.UTF-8"}, False),
        ("utf-8", {"LC_ALL": "C", "PYTHONUTF8": "1"}, True),
        ("ascii", {}, False),
        ("latin-1", {"LANG": "en_GB.ISO-8859-1"}, False),
        ("no-such-encoding", {}, False),
    ],
)
def test_signs_are_drawn_where_the_encoding_and_the_locale_have_them(
    encoding: str, environ: dict[str, str], can: bool
) -> None:
    assert can_draw(Stream(encoding), environ) is can


def test_without_colour_no_escape_code_is_written() -> None:
    line = [("bad", "✗ UNSOUND"), ("", "  "), ("strong", "a.yaml"), ("", "   ")]
    assert Look().paint(line) == "✗ UNSOUND  a.yaml"
    assert Look(signs=False).paint(line) == "x UNSOUND  a.yaml"
    assert Look(colour=True).paint(line) == "\x1b[1;31m✗ UNSOUND\x1b[0m  \x1b[1ma.yaml\x1b[0m"


def test_a_name_cannot_steer_the_terminal() -> None:
    assert visible("w\x1b[2J\u202e1") == r"w\x1b[2J\u202e1"
    assert "\x1b" not in Look().paint([("", "evil\x1b]0;title\x07")])


def test_wrapping_keeps_styles_words_and_kept_blanks() -> None:
    lines = wrap([("strong", "alpha beta"), ("", " gamma"), ("dim", f"delta{KEEP}x")], 14, "", "  ")
    assert ["".join(t for _, t in line) for line in lines] == ["alpha beta", f"  gammadelta{KEEP}x"]
    assert all(length(line) <= 14 for line in lines)


def test_a_word_that_is_too_long_stays_whole() -> None:
    path = "a/very/long/path/to/a/file.petri.yaml:10:20"
    lines = wrap([("", f"see {path} there")], 20)
    assert [("".join(t for _, t in line)) for line in lines] == ["see", path, "there"]


def test_wide_characters_take_two_columns() -> None:
    assert columns("数据库") == 6
    assert columns("e\u0301") == 1
    assert columns("\u0928\u0941") == 1
    assert columns("\u2714\ufe0f") == 1
    assert crop("数据库连接", 6) == "数据…"
    assert crop("short", 6) == "short"


def test_a_row_of_a_terminal_is_cut_as_it_is_painted() -> None:
    line = [("", "ab"), ("dim", "数\x1b据库"), ("", "cd")]
    assert [length(cut(line, n)) for n in (0, 1, 2, 4, 5, 99)] == [0, 1, 2, 3, 5, 14]
    assert Look().paint(cut(line, 99)) == "ab数\\x1b据库cd"
    assert Look().paint(cut(line, 9)) == "ab数\\x1b…"
