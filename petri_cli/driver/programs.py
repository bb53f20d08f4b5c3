"""Actions that run foreign code: a program in a process group of its own, a Python function by its name."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Any

from petri_cli.engine.actions import Action, ActionContext
from petri_cli.engine.outputs import OutputRule, output_rule
from petri_cli.errors import PetriError
from petri_cli.net.model import Transition

TERM_GRACE = 0.4
"""Seconds between asking a process group to end and ending it."""


class ProgramFailed(Exception):
    """A program ended with a status other than 0."""


def shell(t: Transition, command: str | Sequence[str]) -> Action:
    """Runs a command for ``t``: text through the shell, a list of words as it is.

    The program gets ``{"transition": …, "inputs": {place: [values]}, "reads": {place: value}}`` on standard input.
    What it writes is read as JSON, or else as text, and goes to every output outside a time-out; an object that has
    only output places as keys says what each of them gets (a list: one token an element). A status other than 0 fails
    the firing. Its process group is ended when the firing is given up.
    """
    rule = output_rule(t)

    async def run(ctx: ActionContext) -> None:
        starting = asyncio.ensure_future(_start(command))
        try:
            process = await asyncio.shield(starting)
        except asyncio.CancelledError:  # given up meanwhile: asyncio itself would end the program alone, not its group
            await _end_group(await starting)
            raise
        try:
            out, err = await process.communicate(_question(t, ctx))
        except asyncio.CancelledError:
            await _end_group(process)
            raise
        _log(err, ctx)
        if process.returncode:
            raise ProgramFailed(_why(process.returncode, err))
        _answer(out.decode("utf-8", "replace"), rule, ctx, _name(t, ctx))

    return run


def _start(command: str | Sequence[str]) -> Coroutine[Any, Any, Process]:
    settings: dict[str, Any] = {"stdin": PIPE, "stdout": PIPE, "stderr": PIPE, "start_new_session": True}
    if isinstance(command, str):
        return asyncio.create_subprocess_shell(as_bytes(command), **settings)
    return asyncio.create_subprocess_exec(*map(as_bytes, command), **settings)


def as_bytes(word: str) -> bytes:
    """A word as programs get it: in UTF-8 whatever the locale, as a plan has it; what came as bytes, unchanged."""
    return word.encode("utf-8", "surrogateescape")


async def _end_group(process: Process) -> None:
    """End the process and all that it started: asked first, then made to."""
    _kill(process, signal.SIGTERM)
    try:
        await _ended(process)
    finally:  # whoever cancels this, too, shall not keep it from ending the group
        _kill(process, signal.SIGKILL)
    await _ended(process)


async def _ended(process: Process) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(process.wait(), TERM_GRACE)


def _kill(process: Process, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)  # it leads a group of its own, see start_new_session


def _question(t: Transition, ctx: ActionContext) -> bytes:
    reads = {}
    for place in t.reads:
        with suppress(LookupError):  # it has itself taken the only token there
            reads[place] = ctx.read(place)
    inputs = {i.place: ctx.inputs(i.place) for i in t.inputs}
    question = {"transition": t.id, "inputs": inputs, "reads": reads}
    return json.dumps(question, ensure_ascii=False, default=repr).encode() + b"\n"


def _answer(text: str, rule: OutputRule, ctx: ActionContext, name: str) -> None:
    try:
        answer = json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError):
        answer = text.rstrip("\n")
    if isinstance(answer, dict) and answer and answer.keys() <= rule.places:
        for place, value in answer.items():
            ctx.output(place, *(value if isinstance(value, list) else [value]), name=name)
        return
    if not rule.conforms(rule.usual):
        raise ProgramFailed(f"it has to say which of {', '.join(sorted(rule.places))} gets what, as a JSON object")
    for place in sorted(rule.usual):
        ctx.output(place, *[answer] * rule.copies[place], name=name)


def _no_number(constant: str) -> None:
    raise ValueError(f"JSON has no {constant}")


def _name(t: Transition, ctx: ActionContext) -> str:
    """The one name that all consumed tokens have, else none."""
    names = {token.name for i in t.inputs for token in ctx.input_tokens(i.place)}
    return names.pop() if len(names) == 1 else ""


def _log(err: bytes, ctx: ActionContext) -> None:
    for line in err.decode("utf-8", "replace").splitlines():
        ctx.log(line)


def _why(status: int, err: bytes) -> str:
    last = (err.decode("utf-8", "replace").strip().splitlines() or [""])[-1]
    said = f": {last}" if last else ""
    if status < 0:
        with suppress(ValueError):
            return f"ended by {signal.Signals(-status).name}{said}"
    return f"exit status {status}{said}"


def function(name: str, t: Transition) -> Callable[..., Any]:
    """The function ``module:function``. Raises PetriError ``PETRI_BAD_BINDING`` when there is none."""
    module, _, path = name.partition(":")
    try:
        found: Any = import_module(module)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise _no_function(name, t, str(error)) from None
    if not callable(found):
        raise _no_function(name, t, "it is not a function")
    return found  # type: ignore[no-any-return]


def _no_function(name: str, t: Transition, why: str) -> PetriError:
    hint = "modules are looked for in the current folder, too"
    return PetriError("PETRI_BAD_BINDING", f"transition {t.id!r} calls {name!r}: {why}", hint=hint)
