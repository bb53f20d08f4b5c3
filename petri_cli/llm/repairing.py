"""Repair by a model: a plan to take the place of one that died, asked for with the marking that it died in."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any

from petri_cli.api import analyze_data
from petri_cli.data import read
from petri_cli.driver.commit import Document
from petri_cli.driver.masking import redactor_of
from petri_cli.driver.repair import Dead, Proposal, Proposer, RepairKind
from petri_cli.driver.threads import called
from petri_cli.errors import PetriError
from petri_cli.llm.answers import plan_in
from petri_cli.llm.client import Client, Message
from petri_cli.llm.prompts import prompt
from petri_cli.llm.telling import question, report_on
from petri_cli.session.state import State
from petri_cli.session.store import EventStore

TRIES = 3
"""Proposals in a row that may be turned down."""
LONGEST = 2_000
"""Characters of a task's result that the model is shown."""
NO_PLAN = "the answer holds no plan: one JSON document is wanted, and nothing else"


class Model(Proposer):
    """What a model proposes. Where it cannot be reached, that is written down once, and it is not asked again."""

    kind: RepairKind = "llm"

    def __init__(self, client: Client, tries: int = TRIES) -> None:
        self.client, self.tries = client, tries
        self._silent = False
        self._last: Document | None = None
        """What it proposed last."""

    def propose(self, store: EventStore, dead: Dead) -> Proposal | None:
        plan = dead.state.plan
        if self._silent or plan is None:
            return None
        asked = prompt("repair")
        schema = json.loads(read("schemas", "plan"))
        try:
            answer = self.client.ask(messages(asked.text, dead, self._last), schema)
            self._last = None
        except PetriError as error:
            self._silent = True
            return Proposal("llm", None, message=str(error.problem), model={"prompt": asked.version})
        spent = {**answer.spent(), "prompt": asked.version}
        if answer.trouble:
            return Proposal("llm", None, message=answer.trouble, model=spent)
        name = PurePath(plan.file).name.removesuffix(".json").partition(".")[0] or "plan"
        self._last = document = plan_in(answer.text, name)
        return Proposal("llm", document, message="" if document is not None else NO_PLAN, model=spent)


def messages(system: str, dead: Dead, last: Document | None = None) -> Sequence[Message]:
    """What the model is told: how plans are written; all there is to know of this one: as data, without secrets."""
    facts = _facts(dead)
    if dead.rejected and last is not None:
        facts["report"] = report_on(analyze_data(last.text.encode(), last.file))
    return question(system, facts, redactor_of(dead.state))


def _facts(dead: Dead) -> dict[str, Any]:
    state = dead.state
    plan = state.plan
    return {
        "objective": state.objective,
        "plan": "" if plan is None else plan.text,
        "died": dict(dead.report),
        "done": _done(state),
        "failed": [
            {"task": called(transition.removeprefix("t."), thread), "attempts": a.burnt, "reason": a.reason}
            for (transition, thread, _), a in state.attempts.items()
        ],
        "rejected": list(dead.rejected),
    }


def _done(state: State) -> list[dict[str, Any]]:
    """Work that passed, with the beginning of its result."""
    found = []
    for task, threads in state.results.items():
        for thread, value in threads.items():
            text = json.dumps(value, ensure_ascii=False, default=str)
            short = value if len(text) <= LONGEST else f"{text[:LONGEST]}… ({len(text):,} characters)"
            found.append({"task": called(task, thread), "result": short})
    return found
