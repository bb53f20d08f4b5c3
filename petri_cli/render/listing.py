"""Names, each with what it is about, in two columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TextIO

from petri_cli.render.look import KEEP, Line, Look, columns, look_at, wrap

_GAP = "  "
_NARROWEST_TEXT = 30


def listing(about: Mapping[str, str], stream: TextIO | None) -> str:
    """What to print: a terminal gets lines of its width, everything else one line a name."""
    look = Look() if stream is None else look_at(stream, "never")
    return "".join(f"{look.paint(line)}\n" for line in draw_listing(about, look))


def draw_listing(about: Mapping[str, str], look: Look) -> list[Line]:
    """name → what it is about; the text goes below its name where there is too little room beside it."""
    widest = max(map(columns, about), default=0)
    beside = look.prose - widest - len(_GAP) >= _NARROWEST_TEXT
    lines: list[Line] = []
    for name, text in about.items():
        if beside:
            filled = name + KEEP * (widest - columns(name) + len(_GAP) - 1)
            lines += wrap([("", f"{filled} {text}")], look.prose, "", " " * (widest + len(_GAP)))
        else:
            lines += [[("", name)], *wrap([("", text)], look.prose, _GAP * 2)]
    return lines
