"""Reasons in few words: alike ones once, a traceback by what it comes to."""

from __future__ import annotations

from petri_cli.render.reasons import alike, brief

TRACE = """\
exit status 1: Traceback (most recent call last):
  File "/app/run.py", line 9, in <module>
    main()
  File "/app/mod.py", line 3, in main
    raise ValueError("oh no")
ValueError: oh no"""


def test_a_traceback_is_told_by_its_error_and_its_place() -> None:
    assert brief(TRACE) == "exit status 1: ValueError: oh no (mod.py, line 3)"


def test_what_is_no_traceback_stays_as_it_is() -> None:
    for text in ("", "exit status 3: no luck", "Traceback (most recent call last):", 'File "a", line 3'):
        assert brief(text) == text


def test_sentences_that_differ_in_the_item_are_one() -> None:
    many = [f"task bad (item {n}) has had its one attempt: no" for n in (10, 2, 1)]
    assert alike(many) == ["task bad (items 1, 2 and 10) has had its one attempt: no"]
    others = ["task a (item 1) x", "guard g waits", "task a (item 1) y"]
    assert alike(others) == others
    assert alike([f"task a (item {n})" for n in range(9)]) == ["task a (items 0, 1, 2, 3 and 5 more)"]
