"""Commands in messages say which session and which store they mean, where that is not plain."""

from __future__ import annotations

import pytest

from petri_cli.render.pasting import HERE, Paste

NAMED = Paste("two", named=True)
ALONE = Paste("two")
STORED = Paste("two", named=True, store="my ci.db")


@pytest.mark.parametrize(
    ("paste", "words", "said"),
    [
        (ALONE, ("claim", "ext"), "petri claim ext"),
        (NAMED, ("claim", "ext"), "petri claim ext --session two"),
        (STORED, ("approve", "c8"), "petri approve c8 --session two --store 'my ci.db'"),
        (NAMED, ("status",), "petri status two"),
        (NAMED, ("status", "--all"), "petri status two --all"),
        (ALONE, ("plan", "FILE"), "petri plan FILE --session two"),
        (NAMED, ("run",), "petri run --session two"),
        (NAMED, ("run", "--keep-going"), "petri run --keep-going --session two"),
        (STORED, ("run", "FILE"), "petri run FILE --store 'my ci.db'"),
        (STORED, ("create",), "petri create --store 'my ci.db'"),
        (NAMED, ("claim", "two words; rm"), "petri claim 'two words; rm' --session two"),
        (HERE, ("run",), "petri run"),
        (HERE, ("plan", "FILE"), "petri plan FILE"),
    ],
)
def test_a_command_names_what_is_not_plain(paste: Paste, words: tuple[str, ...], said: str) -> None:
    assert paste(*words) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("petri run FILE opens another one", "petri run FILE --store 'my ci.db' opens another one"),
        (
            "go on where the log ends (petri run)",
            "go on where the log ends (petri run --session two --store 'my ci.db')",
        ),
        ("look (`petri status`), and", "look (`petri status two --store 'my ci.db'`), and"),
        ("commit one: petri plan FILE", "commit one: petri plan FILE --session two --store 'my ci.db'"),
        ("petri plan FILE --session one", "petri plan FILE --session one --store 'my ci.db'"),
        ("petri run --take-over", "petri run --take-over --session two --store 'my ci.db'"),
        ("petri analyze shows it; petri doctors", "petri analyze shows it; petri doctors"),
    ],
)
def test_the_commands_in_a_text_are_completed(text: str, said: str) -> None:
    assert STORED.in_text(text) == said
    assert HERE.in_text(text) == text
