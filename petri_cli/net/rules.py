"""The rules of the model: what a net must keep to so that it can be fired and compiled."""

from __future__ import annotations

import math
from typing import assert_never

from petri_cli.net.model import (
    AndOut,
    BrokenRule,
    Cardinality,
    ForwardOut,
    Net,
    Output,
    PlaceOut,
    TimeoutOut,
    Transition,
    XorOut,
    leaves,
)
from petri_cli.net.outcomes import outcomes

TIMINGS = ("immediate", "deadline", "delayed", "window", "exact")


def check_net(net: Net) -> None:
    """Refuse a net that breaks a rule of the model (arcs to unknown places are such a rule here; the engine keeps
    tokens on undeclared places, but an arc always names a declared one).

    Raises :class:`BrokenRule` (``PETRI_BAD_NET``) naming the first offending transition.
    """
    declared = {p.id for p in net.places}
    if len(declared) != len(net.places):
        raise BrokenRule("two places have one id", hint="ids are unique within a net")
    seen: set[str] = set()
    for t in net.transitions:
        if t.id in seen:
            raise BrokenRule(f"two transitions are called `{t.id}`", hint="ids are unique within a net")
        seen.add(t.id)
        _check_inputs(t)
        _check_places(t, declared)
        _check_match(t)
        _check_timing(t)
        if t.output is not None:
            _check_output(t, t.output)
            _check_outcomes(t, t.output)


def _check_inputs(t: Transition) -> None:
    places = [i.place for i in t.inputs]
    if len(set(places)) != len(places):
        raise BrokenRule(f"transition `{t.id}` has two input arcs on one place", "inputs", hint="use exactly: n")
    for i in t.inputs:
        if i.count < 1:
            message = f"transition `{t.id}` needs {i.count} tokens of `{i.place}`; at least 1 is meant"
            raise BrokenRule(message, "inputs")
        if i.count != 1 and i.kind in (Cardinality.ONE, Cardinality.ALL):
            message = f"transition `{t.id}` counts {i.count} on a `{i.kind.value}` input"
            raise BrokenRule(message, "inputs", hint="that is `exactly` or `atLeast`")


def _check_places(t: Transition, declared: set[str]) -> None:
    named = [*(i.place for i in t.inputs), *t.inhibitors, *t.reads, *t.resets]
    named += [leaf.place if isinstance(leaf, PlaceOut) else leaf.target for leaf in leaves(t.output)]
    for p in named:
        if p not in declared:
            raise BrokenRule(f"transition `{t.id}` names the place `{p}`, which the net does not declare")


def _check_match(t: Transition) -> None:
    if t.match is None:
        return
    inputs = {i.place for i in t.inputs}
    keyed = [p for p, _ in t.match.keys]
    for p in keyed:
        if p not in inputs and p not in t.inhibitors:
            message = f"transition `{t.id}` matches on `{p}`, which is not an input of it"
            raise BrokenRule(message, "match", hint="match names inputs and inhibitors of the transition")
    if len(set(keyed)) != len(keyed):
        raise BrokenRule(f"transition `{t.id}` matches twice on one place", "match")
    if not set(keyed) & inputs:
        raise BrokenRule(f"transition `{t.id}` matches on no input; a name comes from an input", "match")


def _check_timing(t: Transition) -> None:
    kind, earliest, latest = t.timing.kind, t.timing.earliest, t.timing.latest
    if not (0 <= earliest < math.inf) or (latest is not None and not (earliest <= latest < math.inf)):
        raise BrokenRule(f"transition `{t.id}` has an empty firing interval [{earliest}, {latest}]", "timing")
    if kind not in TIMINGS:
        raise BrokenRule(f"transition `{t.id}` has a timing of the unknown kind `{kind}`", "timing")
    if t.timing.hard and latest is None:
        raise BrokenRule(f"transition `{t.id}` has a {kind} without an end", "timing")
    if kind == "deadline" and latest == 0:
        raise BrokenRule(f"transition `{t.id}` has a deadline of 0 s; it must be above 0", "timing")


def _check_output(t: Transition, root: Output) -> None:
    inputs = {i.place for i in t.inputs}
    stack: list[tuple[Output, bool]] = [(root, False)]
    while stack:
        node, in_timeout = stack.pop()
        wrong = hint = ""
        match node:
            case PlaceOut(place, count):
                if count < 1:
                    wrong = f"puts {count} tokens into `{place}`; at least 1 is meant"
            case ForwardOut(source, _):
                if not in_timeout:
                    wrong, hint = f"forwards `{source}` outside a timeout", "put it under `timeout`"
                elif source not in inputs:
                    wrong = f"forwards `{source}`, which is not an input of it"
            case AndOut(children):
                if not children:
                    wrong = "has an `and` output without children"
                stack.extend((c, in_timeout) for c in children)
            case XorOut(children):
                if len(children) < 2:
                    wrong = "has a `xor` output with fewer than two children"
                stack.extend((c, in_timeout) for c in children)
            case TimeoutOut(after, child):
                if not (0 < after < math.inf):
                    wrong = f"has a timeout of {after} s; it must be above 0"
                stack.append((child, True))
            case other:
                assert_never(other)
        if wrong:
            raise BrokenRule(f"transition `{t.id}` {wrong}", "output", hint=hint)


def _check_outcomes(t: Transition, root: Output) -> None:
    for branch in outcomes(root):
        claimed = [leaf.place if isinstance(leaf, PlaceOut) else leaf.target for leaf in branch.leaves]
        if len(set(claimed)) != len(claimed):
            message = f"transition `{t.id}` names a place twice in one `and` branch of its output"
            raise BrokenRule(message, "output", hint="for two tokens, write {place: …, count: 2}")
