"""``petri claim``: take a piece of work that waits for whoever comes."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.options import lease_option
from petri_cli.cli.store import SessionId, StoreUrl


def claim(
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="Which task; whatever is next where not said.")
    ] = None,
    session: SessionId = None,
    store: StoreUrl = None,
    worker: Annotated[str | None, typer.Option("--worker", metavar="NAME", help="Who you are; your user name.")] = None,
    lease: Annotated[float | None, lease_option("How long without a heartbeat; as the plan says.")] = None,
    json: Annotated[bool, typer.Option("--json", help="All there is to know of the work, for programs.")] = False,
) -> int:
    """Claim work: a task of the plan without a body, whose turn has come. Exit code 5 when there is none now.

    Do it before the lease ends, or renew it (petri heartbeat CLAIM). Then say what came of it (petri report CLAIM).
    Where the claim cannot be printed, it is taken back.
    """
    from petri_cli.cli.store import chosen, user
    from petri_cli.cli.streams import Output, say
    from petri_cli.driver import external
    from petri_cli.driver.clocks import clock_trouble
    from petri_cli.driver.giving_back import give_back
    from petri_cli.engine.tokens import to_seconds, to_ticks
    from petri_cli.errors import PetriError
    from petri_cli.session.clock import wall_clock

    with chosen(store, session) as at, Output() as out:
        sessions, which = at.store, at.session
        taken = external.claim(sessions, which, user(worker), task=task, lease=lease)
        if taken is None:
            say(f"petri: nothing in {which} waits for a worker now")
            return Exit.WAITING
        begun = taken.expires - to_ticks(taken.lease)
        if trouble := clock_trouble(begun - wall_clock()):
            say(f"petri: {trouble}")
        if json:
            import json as text

            expires = to_seconds(taken.expires)
            data = {**taken.task, "claim": taken.claim, "lease": taken.lease, "expires": expires}
            told = text.dumps(data, indent=2, ensure_ascii=False)
        else:
            told = f"{taken.claim}  {taken.task['task']}, attempt {taken.attempt}, {taken.lease:g} s"
        out.done = f"the claim {taken.claim} is taken back"
        try:
            out.write(f"{told}\n")
            out.flush()
        except PetriError:
            give_back(sessions, which, taken.claim, why="it could not be printed: no worker knows of it")
            raise
    return Exit.OK
