"""``petri report``: what a worker declares of a claim. It moves nothing."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.store import SessionId, StoreUrl


def report(
    claim: Annotated[str, typer.Argument(metavar="CLAIM", help="The claim, as petri claim printed it.")],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="The result: JSON, or else text; - is standard input."),
    ] = None,
    error: Annotated[str, typer.Option("--error", metavar="TEXT", help="It did not work out, and why.")] = "",
    session: SessionId = None,
    store: StoreUrl = None,
    worker: Annotated[str, typer.Option("--worker", metavar="NAME", help="Who you are, to be checked.")] = "",
) -> int:
    """Report on a claim. The verifier of the task decides whether it counts; the report alone moves nothing.

    Exit code 4 when the claim is over: the report is written down, and refused.
    """
    from petri_cli.cli.inputs import one_source, read_source
    from petri_cli.cli.secrets import warn_of_unset_secrets
    from petri_cli.cli.store import chosen, work_folder
    from petri_cli.document.source import MAX_BYTES, too_large
    from petri_cli.driver import external
    from petri_cli.driver.capture import result_of
    from petri_cli.errors import PetriError, Position

    said = None
    if output is not None:
        source = one_source(output)
        data = read_source(source)
        if len(data) > MAX_BYTES:
            raise PetriError(
                *too_large(MAX_BYTES), where=Position(source.name), hint="report where it is, not what it is"
            )
        said = result_of(data)
    with chosen(store, session) as at:
        warn_of_unset_secrets(at)
        folder = work_folder(store)
        external.report(at.store, at.session, claim, output=said, error=error, worker=worker, folder=folder)
    return Exit.OK
