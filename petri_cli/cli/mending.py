"""A run that mends its session: what is dead gets a repair, and goes on, for as long as there is one to be had."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from petri_cli.cli.run import Repairs
from petri_cli.cli.store import Chosen
from petri_cli.cli.streams import say
from petri_cli.driver.ear import Ear
from petri_cli.driver.ending import Outcome
from petri_cli.driver.repair import DEAD, MOST, Proposer, Terms, commit_accepted, repair, spent

if TYPE_CHECKING:
    from petri_cli.llm.client import Client

POLL = 0.1
"""Seconds between two looks at whether a person has decided."""


def terms_of(kinds: Repairs, *, approve: bool = False, most: int | None = None) -> Terms | None:
    """On what terms a run mends its session; None: not at all."""
    if kinds == "off":
        return None
    proposers: list[Proposer] = []
    if kinds in ("adaptive", "both"):
        from petri_cli.driver.repair_adaptive import Adaptive

        proposers.append(Adaptive())
    if kinds in ("llm", "both"):
        from petri_cli.llm.repairing import Model

        proposers.append(Model(model_client()))
    return Terms(proposers, approve, MOST if most is None else most)


def model_client() -> Client:
    """Raises PetriError ``PETRI_LLM_SETTING``, ``PETRI_LLM_MISSING``."""
    from petri_cli.llm.client import OpenAIClient
    from petri_cli.llm.settings import Settings

    return OpenAIClient(Settings.of(os.environ))


class Mending:
    """told: called after each change of the log. terms None: only what was accepted before is committed."""

    def __init__(self, at: Chosen, terms: Terms | None, told: Callable[[], None], *, wait: bool) -> None:
        self.store, self.session, self.terms, self.told, self.wait = at.store, at.session, terms, told, wait
        self.paste = replace(at.paste, named=True)

    def before(self, *, take_over: bool = False) -> None:
        """What was proposed in an earlier run is decided and committed first."""
        if self.store.state(self.session).repair is not None and self._decided():
            self._commit(take_over=take_over)

    def after(self, outcome: Outcome) -> bool:
        """Whether the session was mended, so that it goes on."""
        if self.terms is None or outcome.state not in DEAD or outcome.signal is not None:
            return False
        while True:
            found = repair(self.store, self.session, outcome, self.terms)
            self.told()
            if found is None:
                self._say_if_spent()
                return False
            if found.accepted or self._decided():
                return self._commit()
            if self.store.state(self.session).repair is not None:  # nobody has decided, and nobody waits for it
                return False

    def _decided(self) -> bool:
        """Whether the repair that there is has been accepted; waits for a person's word, if the run waits at all."""
        waiting = self.store.state(self.session).repair
        if waiting is not None and waiting.accepted is None:
            say(f"repair {waiting.id} waits for a person: {self.paste('approve', waiting.id)} (or --reject)")
            if not self.wait:
                return False
            asyncio.run(self._word())
            self.told()
        found = self.store.state(self.session).repair
        return found is not None and found.accepted is True

    async def _word(self) -> None:
        ear = Ear(self.store, self.session, POLL)
        while True:
            state = self.store.state(self.session)
            if state.repair is None or state.repair.accepted is not None:
                return
            await ear.listen(None, state.seq)

    def _commit(self, *, take_over: bool = False) -> bool:
        done = commit_accepted(self.store, self.session, take_over=take_over)
        self.told()
        return done is not None

    def _say_if_spent(self) -> None:
        state = self.store.state(self.session)
        if self.terms is not None and spent(state, self.terms):
            n = self.terms.most
            say(f"the session had its {n} repair{'s' if n != 1 else ''}; --max-repairs allows more")
