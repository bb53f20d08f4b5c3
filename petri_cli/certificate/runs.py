"""Certificates of unsoundness: a run, and what is wrong where it ends."""

from __future__ import annotations

from typing import Any

from petri_cli.certificate.claim import demand, field, has, listed, named
from petri_cli.certificate.equation import equation_of
from petri_cli.certificate.linear import ask
from petri_cli.certificate.question import Question, frozen
from petri_cli.certificate.spaces import check_reduced, closed_markings, closed_under_stubborn_sets
from petri_cli.net.firing import enabled
from petri_cli.net.model import Marking


def check_run(question: Question, evidence: Any) -> str:
    """What the run shows, in words: ``deadlock``, ``improperCompletion``, ``unbounded``, ``cannotComplete`` or
    ``deadTransition``. Raises Unproved."""
    end = question.play(question.initial, field(evidence, "run"))
    match named(field(evidence, "shows"), "what the run shows"):
        case "deadlock":
            demand(question.is_dead(end), "something is enabled where the run ends")
            demand(frozen(end) != frozen(question.final), "the run ends in the final marking")
            return "a dead marking is reached that is not the final one"
        case "improperCompletion":
            demand(bool(question.end) and question.has_ended(end), "the end is not marked where the run ends")
            demand(frozen(end) != frozen(question.final), "the run ends in the final marking")
            return "the end is marked beside other tokens"
        case "unbounded":
            _check_pump(question, end, listed(field(evidence, "pump"), "the pump"))
            return "tokens grow without bound"
        case "cannotComplete":
            _check_doomed(question, end, evidence)
            return "a marking is reached from which the final one can not be reached"
        case "deadTransition":
            name = named(field(evidence, "transition"), "the transition")
            demand(name in question.transitions, f"there is no transition `{name}`")
            _check_never(question, name, evidence)
            return f"`{name}` can never fire"
        case other:
            demand(False, f"a run cannot show `{other}`")
            raise AssertionError


def _check_doomed(question: Question, start: Marking, evidence: Any) -> None:
    """From ``start`` the final marking is out of reach: it is in no closed list of markings, or no solution of the
    state equation. A list closed under stubborn sets has every dead marking (Valmari 1988)."""
    if has(evidence, "refutation"):
        equation = equation_of(question.net, start)
        final = {("place", i, side, question.final.get(p, 0)) for p, i in equation.index.items() for side in (1, -1)}
        ask(equation, evidence["refutation"], final)
        return
    data = field(evidence, "closed")
    if has(data, "sets"):
        demand(question.is_dead(question.final), "the final marking is not dead, and need not be in such a list")
        markings = {frozen(m) for m in closed_under_stubborn_sets(question, start, data)}
    else:
        markings = closed_markings(question, start, data)
    demand(frozen(question.final) not in markings, "the final marking can be reached from there")


def _check_never(question: Question, name: str, evidence: Any) -> None:
    """The transition is enabled in no reachable marking: in none of a closed list, in none of a reduced state space
    that decides soundness, or in no solution of the state equation."""
    if has(evidence, "refutation"):
        equation = equation_of(question.net, question.initial)
        disabled = equation.disabled[equation.transition.index(name)]
        ask(equation, evidence["refutation"], {(kind, p, -side, n + side) for kind, p, side, n in disabled})
    elif has(evidence, "reduced"):
        enabled_at = check_reduced(question, evidence["reduced"])[1]
        demand(not any(name in there for there in enabled_at), f"`{name}` is enabled in a reachable marking")
    else:
        everywhere = closed_markings(question, question.initial, field(evidence, "closed"))
        never = not any(enabled(question.transitions[name], dict(m)) for m in everywhere)
        demand(never, f"`{name}` is enabled in a reachable marking")


def _check_pump(question: Question, marking: Marking, pump: Any) -> None:
    """What can be fired once and leaves more tokens everywhere can be fired for ever, where firing is monotone; a sound
    net has only so many markings."""
    for t in question.net.transitions:
        plain = not t.inhibitors and not t.resets and not any(i.drains for i in t.inputs)
        demand(plain, f"`{t.id}` has an arc under which more tokens may allow less")
    demand(bool(question.end), "the final marking is empty, and a net that grows may still empty itself")
    after = question.play(marking, pump)
    demand(all(after.get(p, 0) >= n for p, n in marking.items()), "the pump takes more than it gives")
    demand(frozen(after) != frozen(marking), "the pump adds nothing")
