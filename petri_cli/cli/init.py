"""``petri init``: a commented plan to start from."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from petri_cli.cli.exit import Exit

TEMPLATES = ("starter", "migration", "release-train", "agent-team", "etl", "net")
"""What is meant to be changed and used; the other samples show something, some of them how not to do it."""
NET = "nets/bounded-buffer"
"""The sample that is called ``net`` here."""
_SCHEMA = re.compile(r"(?<=\$schema=)[./]*/schemas/(?=(plan|net)\.schema\.json)")


def templates() -> list[str]:
    """The names of all samples, those to start from first."""
    from petri_cli.data import names

    return [*TEMPLATES, *(n for n in names("samples") if n not in TEMPLATES)]


def template_text(name: str) -> tuple[str, str]:
    """A sample, and the name of its schema, which it looks for beside itself: so it works without a network."""
    from petri_cli.data import path_of

    text = path_of("samples", NET if name == "net" else name).read_text(encoding="utf-8")
    schema = _SCHEMA.search(text)
    return _SCHEMA.sub("", text, count=1), schema[1] if schema else "plan"


def _templates(incomplete: str) -> list[str]:
    return [n for n in templates() if n.startswith(incomplete)]


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
    from petri_cli.errors import PetriError

    known = templates()
    if every:
        from petri_cli.render.listing import listing

        with Output() as out:
            out.write(listing({n: _about(template_text(n)[0]) for n in known}, out.stream))
        return Exit.OK
    if template not in known:
        from petri_cli.formats.nearest import did_you_mean

        hint = did_you_mean(template, known) or "petri init --list shows all of them"
        raise PetriError("PETRI_UNKNOWN_TEMPLATE", f"there is no template {template}", hint=hint)
    text, schema = template_text(template)
    with Output(None if file == "-" else file, keep=not force) as out:
        out.write(text)
    if file != "-":
        beside = Path(file).with_name(f"{schema}.schema.json").as_posix()
        say(f"wrote {file}; next: petri analyze {file}")
        if not file.endswith(ENDINGS):
            say(f"warning: petri analyze on a folder will not find it: it looks for names in {', '.join(ENDINGS)}")
        say(f"so that your editor completes and checks it: petri schema {schema} > {beside}")
    return Exit.OK


def _about(text: str) -> str:
    """The first line of comment that is meant for people."""
    comments = (line[1:].strip() for line in text.splitlines() if line.startswith("#"))
    return next((c for c in comments if c and not c.startswith("yaml-language-server")), "")
