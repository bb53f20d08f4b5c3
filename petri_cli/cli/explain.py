"""``petri explain``: what a code means, with an example and the way out."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.options import Colour


def _codes(incomplete: str) -> list[str]:
    from petri_cli.data import names

    return [c for c in names("codes") if c.startswith(incomplete.upper())]


def explain(
    code: Annotated[
        str, typer.Argument(metavar="[CODE]", help="A code; PETRI_ may be left out.", autocompletion=_codes)
    ] = "",
    every: Annotated[bool, typer.Option("--list", help="List all codes, each with what it is about.")] = False,
    color: Colour = "auto",
) -> int:
    """Say what a code means, with an example that provokes it and the way out."""
    from petri_cli.cli.streams import Output
    from petri_cli.data import names, read
    from petri_cli.errors import PetriError
    from petri_cli.render.code_page import first_sentence, page

    known = names("codes")
    with Output() as out:
        if every:
            from petri_cli.render.listing import listing

            out.write(listing({name: first_sentence(read("codes", name)) for name in known}, out.stream))
            return Exit.OK
        if not code:
            raise typer.BadParameter("say which code, or --list", param_hint="CODE")
        name = code.strip().upper().replace("-", "_")
        name = name if name.startswith("PETRI_") else f"PETRI_{name}"
        if name not in known:
            from petri_cli.formats.nearest import did_you_mean

            hint = did_you_mean(name, known) or "petri explain --list shows all of them"
            raise PetriError("PETRI_UNKNOWN_CODE", f"there is no code {name}", hint=hint)
        out.write(page(read("codes", name), sys.stdout, color))
    return Exit.OK
