"""``petri verify``: adjudicate what was reported, where no driver runs to do it."""

from __future__ import annotations

from typing import Annotated

import typer

from petri_cli.cli.exit import Exit
from petri_cli.cli.store import SessionId, StoreUrl


def verify(
    claim: Annotated[
        str | None, typer.Argument(metavar="[CLAIM]", help="Which report; all there are where not said.")
    ] = None,
    session: SessionId = None,
    store: StoreUrl = None,
) -> int:
    """Run the verifiers of what was reported, and move the session on by what they say.

    Where a driver runs the session, it does so itself. Exit code 1 when some work was refused.
    """
    import asyncio

    from petri_cli.cli.store import chosen, work_folder
    from petri_cli.cli.streams import Output, say
    from petri_cli.driver import external
    from petri_cli.driver.local import local_judge
    from petri_cli.driver.status import status_of
    from petri_cli.render.look import visible
    from petri_cli.session.clock import wall_clock
    from petri_cli.session.events import Verified

    with chosen(store, session) as at, Output(later=True) as out:
        sessions, which = at.store, at.session
        out.done = f"what was judged stands: {at.paste('status')}"

        async def adjudicate() -> bool:
            passed, verdicts = True, []
            async with local_judge(sessions, which, work_folder(store)) as judge:
                verdicts = await external.verify(sessions, which, judge, claim=claim)
                for verdict in verdicts:
                    passed = passed and isinstance(verdict, Verified)
                    why = "" if isinstance(verdict, Verified) else f": {verdict.reason}"
                    word = "passed" if isinstance(verdict, Verified) else "refused"
                    out.write(visible(f"{verdict.claim} {word} by {verdict.verifier or 'its verifier'}{why}") + "\n")
            if not verdicts:
                asked = [
                    r.claim.id for r in status_of(which, sessions.state(which), now=wall_clock()).claims if r.human
                ]
                people = f": {at.paste('approve', asked[0])} is a person's word that is waited for" if asked else ""
                say(f"petri: nothing that was reported in {which} can be judged now{people}")
            return passed

        return out.ended(Exit.OK if asyncio.run(adjudicate()) else Exit.UNSOUND)
