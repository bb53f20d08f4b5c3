"""Certificates of unsoundness: a run, and what is wrong where it ends."""

from __future__ import annotations

from typing import Any

from petri_cli.certificate.claim import demand, field, listed, named, whole
from petri_cli.certificate.question import Question, frozen
from petri_cli.certificate.spaces import closed_markings
from petri_cli.net.firing import enabled, fire
from petri_cli.net.model import Marking
from petri_cli.net.outcomes import outcomes


def check_run(question: Question, evidence: Any) -> str:
    """What the run shows, in words: ``deadlock``, ``improperCompletion``, ``unbounded``, ``cannotComplete`` or
    ``deadTransition``. Raises Unproved."""
    start: Marking = question.initial
    end = _played(question, start, listed(field(evidence, "run"), "the run"))
    match named(field(evidence, "shows"), "what the run shows"):
        case "deadlock":
            demand(question.is_dead(end), "something is enabled where the run ends")
            demand(frozen(end) != frozen(question.final), "the run ends in the final marking")
            return "a dead marking is reached that is not the final one"
        case "improperCompletion":
            demand(question.has_ended(end), "the end is not marked where the run ends")
            demand(frozen(end) != frozen(question.final), "the run ends in the final marking")
            return "the end is marked beside other tokens"
        case "unbounded":
            _check_pump(question, end, listed(field(evidence, "pump"), "the pump"))
            return "tokens grow without bound"
        case "cannotComplete":
            markings = closed_markings(question, end, field(evidence, "closed"))
            demand(frozen(question.final) not in markings, "the final marking can be reached from there")
            return "a marking is reached from which the final one can not be reached"
        case "deadTransition":
            name = named(field(evidence, "transition"), "the transition")
            demand(name in question.transitions, f"there is no transition `{name}`")
            everywhere = closed_markings(question, start, field(evidence, "closed"))
            never = not any(enabled(question.transitions[name], dict(m)) for m in everywhere)
            demand(never, f"`{name}` is enabled in a reachable marking")
            return f"`{name}` can never fire"
        case other:
            demand(False, f"a run cannot show `{other}`")
            raise AssertionError


def _played(question: Question, marking: Marking, steps: Any) -> Marking:
    for number, step in enumerate(steps, 1):
        name, outcome = named(field(step, "transition"), "a transition"), whole(field(step, "outcome"), "an outcome")
        demand(name in question.transitions, f"step {number}: there is no transition `{name}`")
        t = question.transitions[name]
        demand(outcome < len(outcomes(t.output)), f"step {number}: `{name}` has no such outcome")
        demand(enabled(t, marking), f"step {number}: `{name}` is not enabled")
        marking = fire(t, marking, outcome)
    return marking


def _check_pump(question: Question, marking: Marking, pump: Any) -> None:
    """What can be fired once and leaves more tokens everywhere can be fired for ever, where firing is monotone; a sound
    net has only so many markings."""
    for t in question.net.transitions:
        plain = not t.inhibitors and not t.resets and not any(i.drains for i in t.inputs)
        demand(plain, f"`{t.id}` has an arc under which more tokens may allow less")
    demand(bool(question.end), "the final marking is empty, and a net that grows may still empty itself")
    after = _played(question, marking, pump)
    demand(all(after.get(p, 0) >= n for p, n in marking.items()), "the pump takes more than it gives")
    demand(frozen(after) != frozen(marking), "the pump adds nothing")
