"""A plan from an objective: a model drafts it, the gate answers, the model mends it, until it is sound."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from petri_cli.api import Analysis, analyze_data
from petri_cli.data import read
from petri_cli.driver.commit import Document
from petri_cli.driver.redact import Redactor, masks_more
from petri_cli.driver.workability import workability
from petri_cli.llm.answers import plan_in
from petri_cli.llm.client import Answer, Client
from petri_cli.llm.prompts import prompt
from petri_cli.llm.repairing import NO_PLAN, TRIES
from petri_cli.llm.telling import question, report_on
from petri_cli.plan.model import Plan
from petri_cli.soundness.result import Budget


@dataclass(frozen=True, slots=True)
class Try:
    """One answer: its plan, if it holds one, and why that will not do; empty where it will."""

    document: Document | None
    against: str
    answer: Answer
    report: Mapping[str, Any] | None = None


@dataclass(slots=True)
class Draft:
    """document: the plan that the gate let through, None where there was none in all the tries."""

    document: Document | None = None
    analysis: Analysis | None = None
    tries: list[Try] = field(default_factory=list)


def draft(
    client: Client,
    objective: str,
    *,
    name: str = "plan",
    before: str = "",
    tries: int = TRIES,
    budget: Budget | None = None,
    told: Callable[[Try], None] = lambda _: None,
) -> Draft:
    """Ask for a plan until one is sound and can be worked on.

    before: a plan that is to be changed; told: hears of each try. Raises PetriError ``PETRI_LLM_FAILED``.
    """
    found = Draft()
    schema = json.loads(read("schemas", "plan"))
    while found.document is None and len(found.tries) < tries:
        facts: dict[str, Any] = {"objective": objective}
        if before:
            facts["plan"] = before
        facts["rejected"] = [_told_back(t) for t in found.tries]
        answer = client.ask(question(prompt("draft").text, facts, Redactor()), schema)
        this, analysis = _judged(answer, name, budget, before)
        found.tries.append(this)
        told(this)
        if not this.against:
            found.document, found.analysis = this.document, analysis
    return found


def _judged(answer: Answer, name: str, budget: Budget | None, before: str) -> tuple[Try, Analysis | None]:
    document = None if answer.trouble else plan_in(answer.text, name)
    if document is None:
        return Try(None, answer.trouble or NO_PLAN, answer), None
    if masks_more(before, document.text):
        against = "it holds *** where the plan has something else: what is secret was not shown"
        return Try(None, against, answer), None
    analysis = analyze_data(document.text.encode(), document.file, budget=budget)
    return Try(document, _against(analysis), answer, report_on(analysis)), analysis


def _against(analysis: Analysis) -> str:
    if analysis.kind == "net":
        return "PETRI_NOT_A_PLAN: a plan is wanted, this is a net"
    if analysis.result is None:
        return "\n".join(map(str, analysis.problems))
    if not analysis.result.sound:
        return analysis.result.message or f"the gate says {analysis.result.verdict.value}"
    problems = workability(analysis.subject) if isinstance(analysis.subject, Plan) else []
    return "\n".join(map(str, problems))


def _told_back(t: Try) -> dict[str, Any]:
    """What the model is told of a plan that will not do: the plan, why, and the analysis report as it is."""
    plan = {} if t.document is None else {"plan": t.document.text}
    report = {} if t.report is None else {"report": t.report}
    return {**plan, "why": t.against, **report}
