"""Repair: a session that is dead gets a plan with which it can go on, behind the same gate as every plan.

Cheapest first. A proposal is a document; whoever makes it has no say in what becomes of it. It is judged by the gate,
then by history: what was done must have been possible under it, and sessions that came to their end must fit it as well
as they fit the plan before. Each step is in the log, whatever comes of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from petri_cli.driver.commit import Committed, Document, commit, plan_of
from petri_cli.driver.conformance import conformance, past_of
from petri_cli.driver.ending import Outcome
from petri_cli.driver.masking import redactor_of
from petri_cli.driver.redact import masks_more
from petri_cli.driver.retelling import Retold, retold
from petri_cli.driver.settings import setting
from petri_cli.driver.takeover import why_dead
from petri_cli.driver.workability import workability
from petri_cli.errors import InputError, PetriError, Problem
from petri_cli.plan.load import load_plan_text
from petri_cli.plan.model import Plan
from petri_cli.session import events as ev
from petri_cli.session.fold import caught_up, fold
from petri_cli.session.identity import alive
from petri_cli.session.state import Repair, State
from petri_cli.session.store import EventStore
from petri_cli.soundness.plans import judge_plan
from petri_cli.soundness.result import Budget, Verdict

RepairKind = Literal["adaptive", "llm"]
DEAD = frozenset(("deadlocked", "failed"))
MOST = 3
"""Repairs that a session may have, unless it is said otherwise."""
SLACK = 1e-9
"""Fitness is a mean of ratios: what differs by less is equal."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A plan that is to take the place of the one there is. document: None where none came about, and then ``message``
    says why; changes: the single numbers that change, where that is all, each with its observation; model: what a model
    was asked, and what that cost."""

    kind: RepairKind
    document: Document | None
    changes: tuple[Mapping[str, Any], ...] = ()
    message: str = ""
    model: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dead:
    """What a proposer is told. report: what died, as the log keeps it; rejected: why earlier proposals of this repair
    were not accepted, verbatim, the latest last."""

    session: str
    state: State
    report: Mapping[str, Any]
    rejected: tuple[str, ...] = ()


class Proposer:
    """Proposes plans, for as long as it has an idea. tries: proposals in a row that may be turned down."""

    kind: RepairKind
    tries: int = 1

    def propose(self, store: EventStore, dead: Dead) -> Proposal | None:
        """The next proposal, or None: nothing that it knows of would help. Raises nothing that a session can cause."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Terms:
    """proposers: cheapest first; approve: a person has the last word; most: repairs that a session may have."""

    proposers: Sequence[Proposer] = ()
    approve: bool = False
    most: int = MOST
    budget: Budget = field(default_factory=Budget)


def repair(store: EventStore, session: str, outcome: Outcome, terms: Terms) -> Repair | None:
    """Propose until something is accepted, or nothing is left to propose; what was accepted, or waits for a person.

    None: the session stays dead. What was accepted is committed by :func:`commit_accepted`. Raises PetriError: what the
    store cannot do, ``PETRI_REVISION_CONFLICT`` when somebody else was at the session meanwhile.
    """
    if outcome.state not in DEAD:
        return None
    for proposer in terms.proposers:
        rejected: list[str] = []
        for _ in range(proposer.tries):
            state = store.state(session)
            if state.repair is not None or state.final or spent(state, terms):
                return state.repair
            if _turned_down(state, proposer.kind):
                break
            dead = Dead(session, state, report_of(state, outcome), tuple(rejected))
            proposal = proposer.propose(store, dead)
            if proposal is None:
                break
            found = _put_forward(store, dead, proposal, terms)
            if found is None or found.accepted is not False:
                return found
            rejected.append(found.why)
    return None


def _turned_down(state: State, kind: RepairKind) -> bool:
    """Whether to propose again would only bring back what was rejected: by a person, or numbers from the same log."""
    of_this = [r for r in state.repairs.values() if (r.kind, r.revision, r.accepted) == (kind, state.revision, False)]
    return any(r.by or kind == "adaptive" for r in of_this)


def spent(state: State, terms: Terms) -> bool:
    """Whether the session has had all its repairs: those that led to a revision, or were to."""
    return sum(r.accepted is not False for r in state.repairs.values()) >= terms.most


def report_of(state: State, outcome: Outcome) -> dict[str, Any]:
    """What died, in the words of an analysis report: ``deadlockExample`` is the marking that it died in."""
    return {
        "state": outcome.state,
        "why": outcome.why,
        "missing": list(outcome.missing),
        "deadlockExample": {place: len(tokens) for place, tokens in sorted(state.marking.items())},
    }


def commit_accepted(store: EventStore, session: str, *, take_over: bool = False) -> Committed | None:
    """Make the accepted repair of a session its next revision; None where there is none. Raises as ``commit``."""
    state = store.state(session)
    accepted = state.repair
    if accepted is None or not accepted.accepted:
        return None
    (entry,) = store.read(session, accepted.seq - 1, accepted.seq)
    if not isinstance(entry.event, ev.RepairProposed) or entry.event.text is None:
        message = f"event {accepted.seq} is not the proposal of repair {accepted.id}"
        raise PetriError("PETRI_BAD_LOG", message)
    document = Document(entry.event.text, entry.event.file)
    plan, _ = load_plan_text(document.text, document.file)
    return commit(
        store, session, document, plan, judge_plan(plan),
        expect_revision=accepted.revision, alone=True, take_over=take_over, by=f"repair {accepted.id}",
    )  # fmt: skip


def decide(store: EventStore, session: str, name: str, *, accepted: bool, by: str = "", why: str = "") -> None:
    """A person's word on a repair. The run that waits for it goes on, or the next one does.

    Raises PetriError ``PETRI_NO_APPROVAL`` when nobody asks for it.
    """
    with store.writing(session) as writing:
        state = caught_up(store.state(session), writing)
        if why_not := _no_decision(state, name):
            raise PetriError("PETRI_NO_APPROVAL", why_not, hint=f"petri status {session} says where the session stands")
        said = redactor_of(state).text
        writing.append([ev.RepairDecided(writing.now(), name, accepted, said(why), said(by) or "somebody")])


def _no_decision(state: State, name: str) -> str:
    known = state.repairs.get(name)
    if known is None:
        return f"there is no repair {name}"
    if known.accepted is not None:
        by = f" by {known.by}" if known.by else ""
        return f"repair {name} was {'accepted' if known.accepted else 'rejected'}{by} already"
    if known.revision != state.revision:
        return f"repair {name} is of revision {known.revision}, and the plan is at revision {state.revision}"
    return f"the session is {state.ended}" if state.final else ""


# The judgement


@dataclass(frozen=True, slots=True)
class _Judged:
    """against: why the proposal cannot be accepted; empty when it can."""

    verdict: str = ""
    evidence: str = ""
    against: str = ""
    fitness: Mapping[str, Any] = field(default_factory=dict)


def _put_forward(store: EventStore, dead: Dead, proposal: Proposal, terms: Terms) -> Repair | None:
    """Judge a proposal, and write down both. None when somebody else was at the session meanwhile."""
    session, before = dead.session, dead.state.seq
    judged = _judge(store, dead, proposal, terms.budget, approve=terms.approve)
    accepted = None if terms.approve and not judged.against else not judged.against
    document = proposal.document
    said = redactor_of(dead.state)
    with store.writing(session) as writing:
        state = caught_up(store.state(session), writing)
        if state.driver is not None:
            why_dead(session, state, writing.now(), alive)
        if state.seq != before:
            return None
        name = f"r{len(state.repairs) + 1}"
        now = writing.now()
        text, form, file = (None, "yaml", "") if document is None else (document.text, document.format, document.file)
        proposed = ev.RepairProposed(
            now, name, state.revision, proposal.kind, dead.report, text, form, file, proposal.changes,
            judged.verdict, judged.evidence, said.text(judged.against), judged.fitness, proposal.model,
        )  # fmt: skip
        events: list[ev.SessionEvent] = [proposed]
        if accepted is not None:
            why = said.text(judged.against) or "sound, and what was done fits it"
            events.append(ev.RepairDecided(now, name, accepted, why))
        fold(events, state)
        writing.append(events)
    return state.repairs[name]


def _judge(store: EventStore, dead: Dead, proposal: Proposal, budget: Budget, *, approve: bool) -> _Judged:
    document, revision = proposal.document, dead.state.plan
    if document is None or revision is None:
        return _Judged(against=proposal.message or "no plan came about")
    if document.text == revision.text:
        return _Judged(against="it is the plan that is there already")
    try:
        plan, _ = load_plan_text(document.text, document.file)
    except InputError as error:
        return _Judged(against=_listed(error.problems))
    result = judge_plan(plan, budget)
    verdict, evidence = result.verdict.value, result.evidence
    if result.verdict is not Verdict.SOUND:
        return _Judged(verdict, evidence, result.message or f"the gate says {verdict}")
    if problems := workability(plan):
        return _Judged(verdict, evidence, _listed(problems))
    old = plan_of(revision.text, revision.format, revision.file)
    if against := _weakened(revision.text, document.text, old, plan, dead.state, asked=approve):
        return _Judged(verdict, evidence, against)
    fitness, against = _against_history(store, dead.session, dead.state, old, plan)
    return _Judged(verdict, evidence, against, fitness)


def _weakened(before: str, after: str, old: Plan, new: Plan, state: State, *, asked: bool) -> str:
    """Why a proposal loosens what protects the run; empty where it does not. asked: a person has the last word."""
    if masks_more(before, after):
        return "it holds *** where the plan has something else: what is secret was not shown, and cannot be written"
    gone = sorted(set(old.settings.get("secrets") or ()) - set(new.settings.get("secrets") or ()))
    if gone:
        return f"it no longer names the secrets {', '.join(gone)}: their values would be written down from now on"
    verified = {t.id: setting(new, t, "verify") for t in new.tasks()}
    lost = [
        t.id for t in old.tasks()
        if (wanted := setting(old, t, "verify")) not in (None, "exit-code")
        and verified.get(t.id) != wanted and not state.results.get(t.id)
    ]  # fmt: skip
    if lost and not asked:
        return f"{', '.join(lost)} would no longer be verified as before: a person has to agree (--approve-repairs)"
    return ""


def _against_history(store: EventStore, session: str, state: State, old: Plan, new: Plan) -> tuple[dict[str, Any], str]:
    """How both plans tell what was done, here and in sessions of the same plan that came to their end."""
    before, after = (retold(store, session, state, plan) for plan in (old, new))
    fitness: dict[str, Any] = {"before": before.fitness, "after": after.fitness, "done": before.done}
    if after.misfit:
        return fitness, after.misfit
    if after.fitness < before.fitness - SLACK:
        return fitness, _worse("what was done here", before, after)
    past = [c for c in past_of(store, _alike(store, old)) if c.ended]
    if past:
        one, other = conformance(old, past), conformance(new, past)
        fitness |= {"cases": len(past), "casesBefore": one.fitness[0], "casesAfter": other.fitness[0]}
        if other.fitness[0] < one.fitness[0] - SLACK:
            return fitness, (
                f"{len(past)} earlier run(s) fit it worse than the plan there is: {other.fitness[0]:.3f}, "
                f"before {one.fitness[0]:.3f}"
            )
    return fitness, ""


def _worse(what: str, before: Retold, after: Retold) -> str:
    return f"{what} fits it worse than the plan there is: {after.fitness:.3f}, before {before.fitness:.3f}"


def _alike(store: EventStore, plan: Plan) -> list[str]:
    """Sessions that came to their end under a plan of the same name."""
    found = []
    for name in store.sessions():
        revision = store.state(name).plan
        if revision is not None and plan_of(revision.text, revision.format, revision.file).name == plan.name:
            found.append(name)
    return found


def _listed(problems: Sequence[Problem]) -> str:
    return "\n".join(map(str, problems))
