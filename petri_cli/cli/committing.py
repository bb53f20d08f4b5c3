"""From a file to a revision of a session: judged as ``petri analyze`` judges, refused as it shows a refusal."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import cast

from petri_cli.api import Analysis, analyze_data
from petri_cli.cli.exit import Exit
from petri_cli.cli.judging import exit_code
from petri_cli.cli.streams import say
from petri_cli.driver.commit import Committed, Document, commit
from petri_cli.driver.visits import driven
from petri_cli.driver.workability import workability
from petri_cli.errors import PetriError, Position, Problem
from petri_cli.net.model import Net
from petri_cli.plan.model import Plan
from petri_cli.render.page import Page
from petri_cli.render.pasting import Paste
from petri_cli.render.phrase import listed, many
from petri_cli.render.reporters import reporter
from petri_cli.session.store import EventStore
from petri_cli.soundness.result import Budget, Verdict

LOOKED_BACK = 8
"""Sessions of a plan's name that are asked whether they are unfinished, the latest first."""


@dataclass(frozen=True, slots=True)
class Terms:
    """On what terms a plan is committed (see :func:`petri_cli.driver.commit.commit`)."""

    budget: Budget
    accept_unknown: bool = False
    expect_revision: int | None = None
    revoke: bool = False
    alone: bool = False
    take_over: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether there is a new revision, and the exit code where there is none."""

    exit: Exit
    committed: Committed | None = None


def commit_file(
    document: Document,
    store: EventStore,
    session: str | None,
    terms: Terms,
    page: Page,
    loaded: tuple[Plan | Net, tuple[Problem, ...]] | None = None,
    url: str | None = None,
) -> Outcome:
    """Commit the plan in ``document``; without a ``session`` one is opened, called like the plan.

    loaded: what was read in it before; url: the store, as it was given. Raises PetriError for a plan that cannot be
    read, or does not fit the session.
    """
    from petri_cli.soundness.fixes import KINDS

    ways = () if page.quiet else KINDS  # as petri analyze shows a refusal
    data, name = document.text.encode(), document.file
    analysis = analyze_data(data, name, budget=terms.budget, fixes=ways, loaded=loaded)
    if analysis.kind == "net":
        hint = "petri run executes a net as it is, without a session"
        where = Position(document.file)
        raise PetriError("PETRI_NOT_A_PLAN", "a session works on a plan, this is a net", where=where, hint=hint)
    result = analysis.result
    accepted = result is not None and result.verdict is Verdict.UNKNOWN and terms.accept_unknown
    if result is None or not (result.sound or accepted):
        _refuse(analysis, page)
        return Outcome(exit_code(analysis))
    done = commit(
        store,
        session,
        document,
        cast(Plan, analysis.subject),
        result,
        accept_unknown=terms.accept_unknown,
        expect_revision=terms.expect_revision,
        revoke=terms.revoke,
        alone=terms.alone,
        take_over=terms.take_over,
    )
    if not page.quiet:
        page.errors(result.warnings)
        page.line(_said(done, result.evidence if result.sound else "UNKNOWN, accepted"))
        if session is None and terms.alone:
            _tell_of_unfinished(store, url, done.session, document)
    return Outcome(Exit.OK, done)


def _tell_of_unfinished(store: EventStore, url: str | None, opened: str, document: Document) -> None:
    """Say so where the same plan was begun before, under the same name, and nobody goes on with it."""
    alike = re.compile(re.escape(re.sub(r"-\d+$", "", opened)) + r"(-\d+)?")
    others = [s for s in store.sessions() if s != opened and alike.fullmatch(s)]
    for other in reversed(others[-LOOKED_BACK:]):
        state = store.state(other)
        same = state.plan is not None and state.plan.hash == document.hash
        if same and state.ended in (None, "suspended") and not driven(state):
            paste = Paste(other, named=True, store=url or "")
            say(f"{other} is unfinished: {paste('run')} goes on with it")
            return


def _refuse(analysis: Analysis, page: Page) -> None:
    """The verdict first, then what else a run would refuse the plan for: who mends it, mends all of it."""
    reporter("text")([analysis], page)
    if analysis.result is None or not isinstance(analysis.subject, Plan):
        return
    told = {(p.code, p.where.line, p.where.column) for p in analysis.result.warnings}
    problems = [p if p.where.file else p.in_file(analysis.file) for p in workability(analysis.subject)]
    page.errors(p for p in problems if (p.code, p.where.line, p.where.column) not in told)


def _said(done: Committed, evidence: str) -> list[tuple[str, str]]:
    if done.unchanged:
        return [("good", "✓ "), ("strong", done.session), ("", f"  unchanged, revision {done.revision}")]
    more = [f"{many(done.kept, 'piece')} of work kept"] if done.kept else []
    more += [f"{many(done.moved, 'claim')} go on"] if done.moved else []
    more += [f"{listed(list(done.again))} not kept, since what they do is another thing now"] if done.again else []
    more += [f"{listed(list(done.revoked))} taken back"] if done.revoked else []
    tail = f": {', '.join(more)}" if more else ""
    return [
        ("good", "✓ "),
        ("strong", done.session),
        ("", f"  revision {done.revision}"),
        ("dim", f"  by {evidence}" if evidence != "UNKNOWN, accepted" else f"  {evidence}"),
        ("", tail),
    ]
