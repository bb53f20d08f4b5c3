"""Names out of logs, as a person sees them: no two different ones look the same, and none fills the screen."""

from __future__ import annotations

from petri_cli.render.look import crop, visible

LONGEST = 60
"""Columns of a name in a sentence or an outline."""


def shown(name: str) -> str:
    """``name`` with control characters written out; in quotes where blanks at its ends or in a row would be lost."""
    text = visible(name)
    return f'"{text}"' if text != text.strip() or "  " in text else text


def short(name: str, width: int = LONGEST) -> str:
    """:func:`shown`, cut to ``width`` columns."""
    return crop(shown(name), width)
