"""Options that several commands have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import Annotated, Any, Literal

import typer

Colour = Annotated[
    Literal["auto", "always", "never"], typer.Option(help="Colour: auto asks the terminal, NO_COLOR and FORCE_COLOR.")
]
StoreUrl = Annotated[
    str | None,
    typer.Option("--store", metavar="PATH", help="Where sessions are kept: $PETRI_STORE, else .petri/petri.db."),
]
SessionId = Annotated[
    str | None,
    typer.Option(
        "--session", metavar="ID", help="Which session; $PETRI_SESSION, else the only live one, where not said."
    ),
]
SessionNamed = Annotated[
    str | None, typer.Option("--session", metavar="ID", help="Which session, as the other commands are told it.")
]
LogCase = Annotated[str | None, typer.Option("--case", metavar="COLUMN", help="Column of the case.")]
LogActivity = Annotated[str | None, typer.Option("--activity", metavar="COLUMN", help="Column of the activity.")]
LogTimestamp = Annotated[
    str | None, typer.Option("--timestamp", metavar="COLUMN", help="Column of the time (of the end).")
]
LogStart = Annotated[str | None, typer.Option("--start", metavar="COLUMN", help="Column of the time of the start.")]
LogResource = Annotated[str | None, typer.Option("--resource", metavar="COLUMN", help="Column of the resource.")]
LogOutcome = Annotated[
    str | None,
    typer.Option("--outcome", metavar="COLUMN", help="Column that says how an event went: failures are retries."),
]
LogSuccess = Annotated[
    str | None, typer.Option("--success", metavar="VALUES", help="Outcomes that are a success, such as ok,passed.")
]
LogLifecycle = Annotated[
    Literal["events", "pairs"],
    typer.Option("--lifecycle", help="pairs: a start and its complete are one event."),
]
Force = Annotated[bool, typer.Option("--force", help="Write over a file of another kind, too.")]
AllSessions = Annotated[bool, typer.Option("--all-sessions", help="Every session of the store, as one log.")]
ByItem = Annotated[bool, typer.Option("--by-item", help="Of sessions: each item of a foreach is a case of its own.")]
StdinName = Annotated[
    str, typer.Option(metavar="NAME", help="What to call standard input; the ending says what it is.")
]
Widths = Annotated[
    list[str] | None,
    typer.Option("--width", "-w", metavar="ID=N", help="Items of the foreach ID (2 where not said); may be repeated."),
]

_NUMBER = re.compile(r"[0-9]{1,9}")
"""More digits are more items than anything can have, and Python refuses to read some thousands of them."""
_SAID = 60
"""Characters of a wrong value that the message repeats."""


def widths(given: Iterable[str] | None) -> dict[str, int]:
    """What ``--width ID=N`` says. Raises BadParameter."""
    found: dict[str, int] = {}
    for text in given or ():
        name, equals, number = text.rpartition("=")
        if not (equals and name and _NUMBER.fullmatch(number)):
            said = text if len(text) <= _SAID else text[: _SAID - 1] + "…"
            wanted = "the id of a foreach and how many items it gets, such as each_pkg=3"
            raise typer.BadParameter(f"{said!r} is not ID=N: {wanted}", param_hint="--width")
        found[name] = _once(found, name, int(number), "--width")
    return found


def one_session(argument: str | None, option: str | None) -> str | None:
    """The session that a command is about which takes it either way. Raises BadParameter where they are two."""
    if argument is not None and option is not None and argument != option:
        raise typer.BadParameter(f"it is {argument} already", param_hint="--session")
    return argument if option is None else option


def lease_option(told: str) -> Any:
    """``--lease SECONDS``, bounded as the durations of a plan are. told: its line in the help."""
    from petri_cli.plan.duration import LONGEST

    return typer.Option("--lease", min=0.1, max=LONGEST, metavar="SECONDS", callback=_number, help=told)


def _number(value: float | None) -> float | None:
    if value is not None and isnan(value):
        raise typer.BadParameter("nan is not a number of seconds")
    return value


def capacities(given: Iterable[str] | None) -> dict[str, int]:
    """What ``--what-if RESOURCE=N`` says. Raises BadParameter."""
    found: dict[str, int] = {}
    for text in given or ():
        name, equals, number = text.rpartition("=")
        if not (equals and name and _NUMBER.fullmatch(number) and int(number)):
            said = text if len(text) <= _SAID else text[: _SAID - 1] + "…"
            wanted = "the id of a resource and its capacity, at least 1, such as ci_slots=5"
            raise typer.BadParameter(f"{said!r} is not RESOURCE=N: {wanted}", param_hint="--what-if")
        found[name] = _once(found, name, int(number), "--what-if")
    return found


def refuse_of_session(options: Sequence[str]) -> None:
    """Raises BadParameter for options that only the log of a file has."""
    if options:
        raise typer.BadParameter("it is about a log in a file, and this is a session", param_hint=", ".join(options))


def _once(found: Mapping[str, int], name: str, number: int, option: str) -> int:
    """``number``, unless another one was given for the same name. Raises BadParameter."""
    if found.get(name, number) != number:
        raise typer.BadParameter(f"{name} is given twice, as {found[name]} and as {number}", param_hint=option)
    return number
