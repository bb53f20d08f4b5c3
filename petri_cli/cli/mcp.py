"""``petri mcp``: the same tools for agents, over the Model Context Protocol."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.store import StoreUrl


def mcp(
    folder: Annotated[
        str, typer.Argument(metavar="[FOLDER]", help="Where the agent works: files outside it are not read.")
    ] = ".",
    store: StoreUrl = None,
) -> int:
    """Serve tools, resources and a prompt to an agent, on standard input and output, until it goes.

    Tools judge plans, open sessions, commit plans, look at sessions, claim work and report on it. None of them starts a
    program: a session is driven by petri run. Needs the extra mcp.
    """
    from importlib import import_module
    from importlib.util import find_spec
    from pathlib import Path

    from petri_cli.errors import PetriError, Position

    if find_spec("mcp") is None:
        hint = "pip install 'petri-cli[mcp]'"
        raise PetriError("PETRI_NO_MCP", "the package `mcp` is not installed", hint=hint)
    where = Path(folder)
    if not where.is_dir():
        raise PetriError("PETRI_UNREADABLE_FILE", "there is no such folder", where=Position(folder))
    # by name: what serves agents knows the command line, not the other way round
    server = import_module("petri_cli.mcp.server")
    workspace = import_module("petri_cli.mcp.workspace")
    server.serve(workspace.Workspace(where.resolve(), store))
    return Exit.OK
