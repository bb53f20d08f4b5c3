"""How well a plan tells what was done in a session that goes on: its work, played again in order on the plan's net."""

from __future__ import annotations

from dataclasses import dataclass

from petri_cli.driver.carry import carry
from petri_cli.driver.commit import plan_of
from petri_cli.driver.history import history, result_key
from petri_cli.driver.replay import Replay
from petri_cli.errors import PetriError
from petri_cli.plan.lower import lower_execution
from petri_cli.plan.model import Plan
from petri_cli.session.state import State
from petri_cli.session.store import EventStore


@dataclass(frozen=True, slots=True)
class Retold:
    """done: pieces of work that passed; played: those of them whose turn could have come under the plan, in the same
    order; misfit: why the plan cannot take the place of the one there is, empty when it can."""

    done: int
    played: int
    misfit: str = ""

    @property
    def fitness(self) -> float:
        """1 where nothing was done yet."""
        return self.played / self.done if self.done else 1.0


def retold(store: EventStore, session: str, state: State, plan: Plan) -> Retold:
    """What was done in ``session``, whose state is ``state``, as ``plan`` tells it."""
    events = [entry.event for entry in store.read(session, 0, state.seq)]
    lowered = lower_execution(plan)
    past = history(events, plan_of, plan)
    replay = Replay(plan, lowered, past, state.at)
    work = [step for step in past.steps if step.work]
    played = sum([replay.play(step) and step.work for step in past.steps])
    done = len(work) + sum(len(state.results.get(result_key(t), ())) for t in past.changed)
    try:
        carry(events, state, plan_of, plan, lowered, state.at)
    except PetriError as error:
        return Retold(done, played, str(error.problem))
    return Retold(done, played)
