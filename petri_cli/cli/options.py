"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Iterable

import typer


def widths(given: Iterable[str]) -> dict[str, int]:
    """What ``--width ID=N`` says. Raises BadParameter."""
    found: dict[str, int] = {}
    for text in given:
        name, equals, number = text.rpartition("=")
        if not (equals and name and number.isdecimal()):
            wanted = "the id of a foreach and how many items it gets, such as each_pkg=3"
            raise typer.BadParameter(f"{text!r} is not ID=N: {wanted}", param_hint="--width")
        found[name] = int(number)
    return found
