"""``petri schema``: print a JSON Schema, for editors and for other programs."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.exit import Exit


def _schemas(incomplete: str) -> list[str]:
    from petri_cli.data import names

    return [n for n in names("schemas") if n.startswith(incomplete)]


def schema(
    name: Annotated[
        str, typer.Argument(metavar="[NAME]", help="Which one: plan, net, report …", autocompletion=_schemas)
    ] = "",
    every: Annotated[bool, typer.Option("--list", help="List the names of all schemas.")] = False,
) -> int:
    """Print the JSON Schema of plans, nets or reports."""
    from petri_cli.cli.streams import Output
    from petri_cli.data import names, read
    from petri_cli.errors import PetriError

    known = names("schemas")
    with Output() as out:
        if every:
            out.write("".join(f"{n}\n" for n in known))
        elif not name:
            raise typer.BadParameter(f"say which one: {', '.join(known)}", param_hint="NAME")
        elif name not in known:
            from petri_cli.formats.nearest import did_you_mean

            raise PetriError("PETRI_UNKNOWN_SCHEMA", f"there is no schema {name}", hint=did_you_mean(name, known))
        else:
            out.write(read("schemas", name))
    return Exit.OK
