"""Lists of names, each with what it is about."""

from __future__ import annotations

from petri_cli.render.listing import draw_listing
from petri_cli.render.look import Look

ABOUT = {"one": "the first of them all, told at some length", "eleven": "short"}


def drawn(width: int) -> list[str]:
    look = Look(width, prose=width)
    return [look.paint(line) for line in draw_listing(ABOUT, look)]


def test_texts_stand_beside_their_names_in_one_column() -> None:
    assert drawn(80) == ["one     the first of them all, told at some length", "eleven  short"]


def test_a_long_text_goes_on_below_itself() -> None:
    assert drawn(40) == [
        "one     the first of them all, told at",
        "        some length",
        "eleven  short",
    ]


def test_where_there_is_little_room_the_text_goes_below_its_name() -> None:
    assert drawn(30) == ["one", "    the first of them all,", "    told at some length", "eleven", "    short"]


def test_an_empty_list_is_empty() -> None:
    assert draw_listing({}, Look()) == []
