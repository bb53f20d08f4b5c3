"""Actions bound to the transitions of a net: the built-in ones, and what an executor must know to call the others."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import NamedTuple

from petri_cli.engine.actions import Action
from petri_cli.engine.compiled import EngineNet, EngineTransition
from petri_cli.engine.firings import NO_OUTPUTS, Firing, Produced
from petri_cli.engine.outputs import OutputRule
from petri_cli.engine.tokens import UNSTAMPED, Token
from petri_cli.errors import PetriError

Outputs = Mapping[str, Sequence[object]]


class Bound(NamedTuple):
    """The action of one transition, in one of three forms.

    at_once: a built-in action, a function of the firing; action: a callable on a context, called in the loop (what it
    returns may be a coroutine, to be awaited) or, if in_thread, in a thread of the pool. may_write: the places that it
    may output to; budget: ticks until its time-out.
    """

    action: Action | None
    may_write: frozenset[str]
    at_once: Callable[[Firing], Produced]
    in_thread: bool
    budget: int | None


@dataclass(frozen=True, slots=True)
class Target:
    """The transition that a built-in action is bound to: its id, its input places, its output rule."""

    transition: str
    inputs: tuple[str, ...]
    rule: OutputRule


class BuiltIn:
    """An action that knows its transition beforehand."""

    def bind(self, target: Target) -> Callable[[Firing], Produced]:
        """What it produces, as a function of the firing.

        Raises PetriError ``PETRI_BAD_BINDING`` when that could never satisfy the declared output.
        """
        raise NotImplementedError


class Passthrough(BuiltIn):
    """Takes its tokens and produces nothing."""

    def bind(self, target: Target) -> Callable[[Firing], Produced]:
        if target.rule.places:
            raise bad_binding(
                f"transition {target.transition!r} declares the output {_listed(target.rule.places)}, "
                "but no action is bound to it that could produce it",
                hint=f"bind an action to {target.transition!r}, or declare no output",
            )
        return lambda firing: NO_OUTPUTS


@dataclass(frozen=True, slots=True)
class Transform(BuiltIn):
    """Applies ``function`` to the value of one input and puts the result into every output place, name kept.

    source: the input, where there is more than one.
    """

    function: Callable[..., object] | None = None
    source: str | None = None
    word: str = "transform"

    def bind(self, target: Target) -> Callable[[Firing], Produced]:
        if self.source is not None and self.source not in target.inputs:
            raise bad_binding(f"{self.word} takes {self.source!r}, which is not an input of {target.transition!r}")
        if self.source is None and len(target.inputs) != 1:
            raise bad_binding(
                f"{self.word} needs one input, but transition {target.transition!r} has {_n(target.inputs)}"
            )
        _must_conform(self.word, target, target.rule.usual)
        source, function = self.source or target.inputs[0], self.function
        copies = [(p, target.rule.copies[p]) for p in sorted(target.rule.usual)]

        def run(firing: Firing) -> Produced:
            token = firing.consumed[source][0]
            value = token.value if function is None else function(token.value)
            carried = value if not token.name and not isinstance(value, Token) else Token(value, UNSTAMPED, token.name)
            return Produced({place: [carried] * k for place, k in copies})

        return run


@dataclass(frozen=True, slots=True)
class Produce(BuiltIn):
    """Puts the same values into the same places at every firing."""

    outputs: Outputs

    def bind(self, target: Target) -> Callable[[Firing], Produced]:
        outputs = {place: list(values) for place, values in self.outputs.items() if values}
        _must_conform("produce", target, frozenset(outputs))
        always = Produced(outputs)
        return lambda firing: always


def passthrough() -> BuiltIn:
    """Take the tokens, produce nothing: the action of a transition that has none bound."""
    return Passthrough()


def fork(source: str | None = None) -> BuiltIn:
    """Copy the (first) token of the one input, or of ``source``, to every output place."""
    return Transform(None, source, "fork")


def transform(function: Callable[..., object], source: str | None = None) -> BuiltIn:
    """Put ``function(value)`` of the one input, or of ``source``, into every output place."""
    return Transform(function, source)


def produce(outputs: Mapping[str, Iterable[object]]) -> BuiltIn:
    """Put the same values into the same places at every firing: place → one value a token."""
    return Produce({place: list(values) for place, values in outputs.items()})


Actions = Mapping[str, Action | BuiltIn]


def bind_actions(compiled: EngineNet, actions: Actions) -> list[Bound]:
    """One bound action a transition, in declaration order.

    Where none is given: a built-in one that the net describes (``passthrough``, ``fork``, ``produce``), or passthrough.

    Raises PetriError ``PETRI_BAD_BINDING`` for an action of a transition that the net lacks, or one that cannot do it.
    """
    ids = [t.id for t in compiled.transitions]
    check_known("an action", "transition", actions, ids)
    described = {t.id: described_built_in(t.action) for t in compiled.net.transitions if t.action}
    passthrough = Passthrough()
    return [_bind(compiled, t, actions.get(t.id) or described.get(t.id) or passthrough) for t in compiled.transitions]


def described_built_in(description: Mapping[str, object]) -> BuiltIn | None:
    """The built-in action that a net file describes as a map with one key; None for one that runs foreign code."""
    match dict(description):
        case {"passthrough": None}:
            return Passthrough()
        case {"fork": None}:
            return fork()
        case {"fork": str(source)}:
            return fork(source)
        case {"produce": Mapping() as outputs}:
            return produce(outputs)
        case _:
            return None


def _bind(compiled: EngineNet, t: EngineTransition, action: Action | BuiltIn) -> Bound:
    rule = t.rule
    if isinstance(action, BuiltIn):
        target = Target(t.id, tuple(compiled.places[a.place] for a in t.inputs), rule)
        return Bound(None, rule.places, action.bind(target), False, rule.budget)
    in_thread = getattr(action, "__petri_blocking__", False)
    if in_thread and inspect.iscoroutinefunction(action):
        raise bad_binding(f"the action of {t.id!r} is marked blocking, but it is asynchronous")
    return Bound(action, rule.places, lambda firing: NO_OUTPUTS, bool(in_thread), rule.budget)


def check_known(what: str, kind: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse ``what`` that is meant for a transition or place that the net does not have."""
    names = list(known)
    have = set(names)
    for name in given:
        if name not in have:
            near = get_close_matches(name, names, 1)
            hint = f"did you mean {near[0]!r}?" if near else ""
            raise bad_binding(f"{what} is given for the {kind} {name!r}, which the net does not have", hint=hint)


def bad_binding(message: str, *, hint: str = "") -> PetriError:
    return PetriError("PETRI_BAD_BINDING", message, hint=hint)


def _must_conform(word: str, target: Target, places: frozenset[str]) -> None:
    if not target.rule.conforms(places):
        raise bad_binding(
            f"{word} on transition {target.transition!r} produces {_listed(places) or 'nothing'}, "
            "which its declared output never allows",
            hint="bind an action that chooses a branch",
        )


def _listed(places: Iterable[str]) -> str:
    return ", ".join(repr(p) for p in sorted(places))


def _n(inputs: Sequence[str]) -> str:
    return str(len(inputs)) if inputs else "none"
