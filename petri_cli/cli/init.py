"""``petri init``: a commented plan to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from petri_cli.cli.exit import Exit

SCHEMA = "plan.schema.json"
"""Where a new plan looks for its schema: beside itself, so that it works without a network."""

_SCHEMA_IN_TREE = "../schemas/plan.schema.json"


def _templates(incomplete: str) -> list[str]:
    from petri_cli.data import names

    return [n for n in names("samples") if n.startswith(incomplete)]


def init(
    file: Annotated[
        str, typer.Argument(metavar="[FILE]", help="Where to write; - is standard output.")
    ] = "plan.petri.yaml",
    template: Annotated[
        str, typer.Option("--template", "-t", metavar="NAME", help="Which sample.", autocompletion=_templates)
    ] = "starter",
    every: Annotated[bool, typer.Option("--list", help="List the templates, each with what it shows.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over a file that is there.")] = False,
) -> int:
    """Write a commented plan to start from; a file that is there already is left alone."""
    from petri_cli.cli.inputs import ENDINGS
    from petri_cli.cli.streams import Output, say
    from petri_cli.data import names, read
    from petri_cli.errors import PetriError

    known = names("samples")
    if every:
        from petri_cli.render.listing import listing

        with Output() as out:
            out.write(listing({n: _about(read("samples", n)) for n in known}, out.stream))
        return Exit.OK
    if template not in known:
        from petri_cli.formats.nearest import did_you_mean

        hint = did_you_mean(template, known) or "petri init --list shows all of them"
        raise PetriError("PETRI_UNKNOWN_TEMPLATE", f"there is no template {template}", hint=hint)
    with Output(None if file == "-" else file, keep=not force) as out:
        out.write(read("samples", template).replace(_SCHEMA_IN_TREE, SCHEMA, 1))
    if file != "-":
        beside = Path(file).with_name(SCHEMA).as_posix()
        say(f"wrote {file}; next: petri analyze {file}")
        if not file.endswith(ENDINGS):
            say(f"warning: petri analyze on a folder will not find it: it looks for names in {', '.join(ENDINGS)}")
        say(f"so that your editor completes and checks it: petri schema plan > {beside}")
    return Exit.OK


def _about(text: str) -> str:
    """The first line of comment that is meant for people."""
    comments = (line[1:].strip() for line in text.splitlines() if line.startswith("#"))
    return next((c for c in comments if c and not c.startswith("yaml-language-server")), "")
