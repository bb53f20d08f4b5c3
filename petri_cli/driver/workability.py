"""Whether a sound plan can be worked on: what ``petri plan`` checks beyond ``petri analyze``.

A plan may be analysed long before anybody knows how its work is done. Before it is committed, that has to be said.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from petri_cli.document.fields import did_you_mean
from petri_cli.driver.settings import body_of, is_work, setting, tasks_of
from petri_cli.driver.units import too_many_units
from petri_cli.driver.verifiers import kind_of, single_verifiers, verifier_of
from petri_cli.errors import PetriError, Problem
from petri_cli.plan.model import Choice, Foreach, Loop, Plan, PlanNode, Task
from petri_cli.plan.words import is_expression

if TYPE_CHECKING:
    from petri_cli.plan.expression import Reference

# What reads expressions and commands is imported where there are some: most plans are analysed without it.


def workability(plan: Plan) -> list[Problem]:
    """What stands in the way of doing the plan, in document order; empty when nothing does.

    PETRI_TOO_MANY_UNITS: resources that no run could bear; PETRI_NEEDS_VERIFIER: work that somebody claims, and nobody
    sees the exit status of; PETRI_BAD_EXPRESSION: a condition in prose, a verifier that reads the result it is to
    judge, ``item`` outside of every foreach, ``loop`` outside of every loop; PETRI_BAD_SUBSTITUTION: a value where no
    shell can be given one; PETRI_UNKNOWN_TASK: a command or an input that speaks of a task which is not there;
    PETRI_BAD_SCHEMA: a verifier's schema that is none.
    """
    problems: list[Problem] = []
    if too_many := too_many_units(plan):
        problems.append(too_many)
    for node in plan.nodes:
        for what, text in _conditions(node):
            problems += _expression(plan, node, what, text)
        if isinstance(node, Task | Foreach) and is_work(node):
            problems += _verifier(plan, node)
            problems += _schemas(plan, node)
            for what, text, items in _texts(plan, node):
                if "{" in text:
                    problems += _text(plan, node, what, text, items)
            for what, text in _shell_commands(plan, node):
                if "{" in text:
                    problems += _shell_command(plan, node, what, text)
    return problems


def foretold(plan: Plan) -> tuple[Problem, ...]:
    """:func:`workability` as warnings, for who only analyses the plan.

    A plan that says of none of its work how it is done or verified is a sketch: that this is left open needs no saying.
    """
    works = [node for node in plan.nodes if isinstance(node, Task | Foreach) and is_work(node)]
    sketch = not plan.defaults and not any(node.settings for node in works)
    if sketch and not too_many_units(plan) and not any(True for node in plan.nodes for _ in _conditions(node)):
        return ()
    sketch = sketch or all(body_of(plan, node) == "pull" and verifier_of(plan, node) == "exit-code" for node in works)
    problems = (p for p in workability(plan) if not (sketch and p.code == "PETRI_NEEDS_VERIFIER"))
    return tuple(replace(p, severity="warning") for p in problems)


def _conditions(node: PlanNode) -> Iterator[tuple[str, str]]:
    match node:
        case Choice(branches=branches):
            yield from (("when", b.when) for b in branches if b.when is not None)
        case Loop(until=str() as until):
            yield "until", until
        case Foreach(over=str() as over) if is_expression(over):
            yield "over", over


def _verifier(plan: Plan, node: Task | Foreach) -> list[Problem]:
    kinds = {kind_of(spec) for spec in single_verifiers(verifier_of(plan, node))}
    if body_of(plan, node) != "pull" or "exit-code" not in kinds:
        return []
    worker = setting(plan, node, "worker")
    how = "says how it is done" if worker == "shell" else f"runs its worker `{worker}`: somebody claims it"
    who = f"task `{node.id}`" if isinstance(node, Task) else f"the discovery of `{node.id}`"
    message = f"nothing {how}, so nobody sees the exit status of {who}"
    body = "add `run`, `python` or a declared worker" if worker == "shell" else f"declare `{worker}` below `workers:`"
    hint = f"{body}; or `verify` it otherwise: human, command, schema, files or python"
    return [Problem("PETRI_NEEDS_VERIFIER", message, node.where, hint)]


def _schemas(plan: Plan, node: Task | Foreach) -> Iterator[Problem]:
    for spec in single_verifiers(verifier_of(plan, node)):
        if kind_of(spec) != "schema":
            continue
        from petri_cli.driver.evidence import schema_error  # and so a library that takes its time

        if wrong := schema_error(spec["schema"]):
            yield Problem("PETRI_BAD_SCHEMA", f"the schema that verifies `{node.id}` is wrong, at {wrong}", node.where)


def _texts(plan: Plan, node: Task | Foreach) -> Iterator[tuple[str, str, bool]]:
    """Texts that values are put into: what it is, the text, whether ``{item}`` is a hole in it."""
    yield from (("run", text, True) for text in _strings(node.settings.get("run")))
    yield from (("with", text, False) for text in _strings(node.settings.get("with")))
    if body_of(plan, node) == "worker":
        name = setting(plan, node, "worker")
        yield from (
            (f"the worker `{name}`", text, True) for text in _strings(plan.settings["workers"][name]["command"])
        )
    for spec in single_verifiers(verifier_of(plan, node)):
        if kind_of(spec) in ("command", "files"):
            yield from (("verify", text, True) for text in _strings(spec))


def _shell_commands(plan: Plan, node: Task | Foreach) -> Iterator[tuple[str, str]]:
    """Those of the texts that a shell reads."""
    body = body_of(plan, node)
    if body == "run" and isinstance(run := node.settings["run"], str):
        yield "run", run
    if body == "worker":
        name = setting(plan, node, "worker")
        if isinstance(command := plan.settings["workers"][name]["command"], str):
            yield f"the worker `{name}`", command
    for spec in single_verifiers(verifier_of(plan, node)):
        if kind_of(spec) == "command" and isinstance(spec["command"], str):
            yield "verify", spec["command"]


def _shell_command(plan: Plan, node: Task | Foreach, what: str, text: str) -> Iterator[Problem]:
    """Values that stand where a shell could not be given them."""
    from petri_cli.driver.substitution import unwritable
    from petri_cli.plan.template import template

    with suppress(PetriError):  # which is told of already
        yield from (_told(node, what, error) for error in unwritable(text, template(text, tasks_of(plan))))


def _strings(data: Any) -> Iterator[str]:
    stack = [data]
    while stack:
        part = stack.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict | list | tuple):
            stack.extend(reversed(list(part.values()) if isinstance(part, dict) else part))


def _text(plan: Plan, node: Task | Foreach, what: str, text: str, items: bool) -> list[Problem]:
    from petri_cli.driver.substitution import is_one_expression
    from petri_cli.plan.template import holes

    if what == "with" and is_one_expression(text):
        return _expression(plan, node, what, text)
    try:
        found = holes(text, tasks_of(plan), items=items)
    except PetriError as error:
        return [_told(node, what, error)]
    if what == "verify" and isinstance(node, Task) and any(r.head == node.id for r in found):
        message = f"its verifier reads the result of `{node.id}`, which is none before it is verified"
        hint = "a `command` finds the report with the result on its standard input"
        return [Problem("PETRI_BAD_EXPRESSION", message, node.where, hint)]
    return [p for reference in found for p in _reference(plan, node, what, reference)]


def _expression(plan: Plan, node: PlanNode, what: str, text: str) -> list[Problem]:
    from petri_cli.plan.expression import parse, references

    try:
        found = parse(text)
    except PetriError as error:
        return [_told(node, what, error)]
    return [p for reference in references(found) for p in _reference(plan, node, what, reference)]


def _told(node: PlanNode, what: str, error: PetriError) -> Problem:
    return Problem(error.code, f"{what}: {error.message}", node.where, error.hint)


def _reference(plan: Plan, node: PlanNode, what: str, reference: Reference) -> list[Problem]:
    """What is wrong with a path, as it is seen from a node."""
    from petri_cli.plan.expression_tree import ITEM, LOOP

    if reference.head == ITEM:
        if any(isinstance(n, Foreach) for n in plan.ancestors(node.index)):
            return []
        message = f"{what} speaks of the item, and there is no foreach around it"
        return [Problem("PETRI_BAD_EXPRESSION", message, node.where, "write {{item}} for the text {item}")]
    if reference.head == LOOP:
        if isinstance(node, Loop) or any(isinstance(n, Loop) for n in plan.ancestors(node.index)):
            return []
        return [
            Problem("PETRI_BAD_EXPRESSION", f"{what} speaks of a round, and there is no loop around it", node.where)
        ]
    tasks = tasks_of(plan)
    if reference.head in tasks:
        return []
    hint = did_you_mean(reference.head, tuple(sorted(tasks)))
    message = f"{what} reads the result of `{reference.head}`, and there is no such task"
    return [Problem("PETRI_UNKNOWN_TASK", message, node.where, hint)]
