"""``petri``: the group of subcommands, each imported when it is called.

A command returns its exit code. What a user did wrong arrives here as a PetriError or a usage error and leaves as a
sentence and exit code 2; anything else is our fault, and shown as one.
"""

from __future__ import annotations

import gc
import re
import sys
from importlib import import_module
from math import isfinite
from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand, TyperGroup

from petri_cli.cli.exit import CONFLICTS, MEANING, Exit
from petri_cli.cli.stored_help import stored_help

COMMANDS = {
    "analyze": "Judge plans and nets; with --fix, edit the unsound ones.",
    "plan": "Commit a plan as the next revision of a session, if it is sound.",
    "run": "Execute a plan in a session, or a net; or simulate either.",
    "status": "Where a session stands: marking, claims, resources, every step.",
    "insights": "What the log suggests to change in the plan, with counts.",
    "mine": "Find a model in an event log, and how well it fits.",
    "create": "Open a session.",
    "cancel": "End a session for good.",
    "claim": "For workers: take a piece of work that waits for whoever comes.",
    "heartbeat": "For workers: the work on a claim goes on.",
    "report": "For workers: what came of a claim; it moves nothing.",
    "verify": "Adjudicate what was reported, where no driver does.",
    "approve": "For people: a word on work that was reported.",
    "inject": "Tell a session of something that happened outside.",
    "export": "Write a plan, its net, or the log of a session in other formats.",
    "explain": "What a code means, with an example and the way out.",
    "schema": "Print a JSON Schema.",
    "init": "Write a commented plan to start from.",
    "mcp": "The same tools for agents, over the Model Context Protocol.",
}

_SETTINGS = {"help_option_names": ["-h", "--help"]}
_UsageError = cast(type[Exception], typer.BadParameter.__base__)


def _epilog() -> str:
    rows = "\n".join(f"  {code.value:>3}  {MEANING[code]}" for code in Exit)
    return f"\b\nExit codes:\n{rows}"


class PetriCommand(TyperCommand):
    """A subcommand whose usage line says ``FILE`` for what must be given, as people know it from other commands."""

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        return [re.sub(r"^\{(.*)\}$", r"\1", piece) for piece in super().collect_usage_pieces(ctx)]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """No number that an option takes may be nan or inf: neither compares as a limit should."""
        rest = super().parse_args(ctx, args)
        for parameter in self.params:
            value = ctx.params.get(parameter.name)
            if isinstance(value, float) and not isfinite(value):
                raise typer.BadParameter(f"{value} is no finite number.", ctx=ctx, param=parameter)
        return rest


class PetriGroup(TyperGroup):
    """Subcommands by name: the list of them costs no import."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name not in COMMANDS:
            return None
        if cmd_name not in self.commands:
            self.commands[cmd_name] = _load(cmd_name)
        return self.commands[cmd_name]

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        if args and args[0] not in COMMANDS and not ctx.resilient_parsing and not args[0].startswith("-"):
            from difflib import get_close_matches

            near = get_close_matches(args[0], COMMANDS, n=1)
            ctx.fail(f"No such command {args[0]!r}." + (f" Did you mean {near[0]!r}?" if near else ""))
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


def _load(name: str) -> Any:
    run = getattr(import_module(f"petri_cli.cli.{name}"), name)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=PetriCommand, context_settings=_SETTINGS, short_help=COMMANDS[name])(run)
    return typer.main.get_command(alone)


app = typer.Typer(
    name="petri",
    cls=PetriGroup,
    context_settings=_SETTINGS,
    epilog=_epilog(),
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        from petri_cli.version import __version__

        typer.echo(f"petri {__version__}")
        raise typer.Exit


def _show_config(wanted: bool) -> None:
    if wanted:
        from petri_cli.cli.config import show_config

        show_config()
        raise typer.Exit


@app.callback()
def petri(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
    config: Annotated[
        bool,
        typer.Option(
            "--show-config",
            callback=_show_config,
            is_eager=True,
            help="Print what a call here goes by (store, session, colour, extras), and where each value comes from.",
        ),
    ] = False,
) -> None:
    """Long plans, safe to run: compile a plan to a Petri net, prove it sound, or see the state it would die in."""


COLLECT_EVERY = 50_000
"""Objects between two looks for cycles: at the default of 700, a tenth of a short call is spent looking for none."""


def main(args: list[str] | None = None) -> int:
    """Run the command line; returns the exit code and never raises."""
    gc.set_threshold(COLLECT_EVERY)
    if None in (sys.stdin, sys.stdout, sys.stderr):
        from petri_cli.cli.streams import occupy_standard_streams

        occupy_standard_streams()
    try:
        text = stored_help(sys.argv[1:] if args is None else args)
        if text is not None:
            typer.echo(text, nl=False)
            return Exit.OK
        code = app(args=args, prog_name="petri", standalone_mode=False)
        return int(code or 0)
    except Exception as error:
        return _ended_by(error)
    except SystemExit as ended:
        # typer ends so when the reader of --help has gone away
        return Exit.OK if isinstance(ended.__context__, BrokenPipeError) else _code_of(ended)
    except KeyboardInterrupt:
        return _say("petri: interrupted", Exit.INTERRUPTED)


def _code_of(ended: SystemExit) -> int:
    return ended.code if isinstance(ended.code, int) else Exit.OK if ended.code is None else Exit.WRONG


def _ended_by(error: Exception) -> int:
    """Say what ended the command, and with which code."""
    from petri_cli.errors import InputError, PetriError

    if isinstance(error, _UsageError):
        return _show(error)
    if isinstance(error, typer.Abort):
        return _say("petri: interrupted", Exit.INTERRUPTED)
    if isinstance(error, PetriError):
        problems = error.problems if isinstance(error, InputError) else (error.problem,)
        code = Exit.CONFLICT if error.code in CONFLICTS else Exit.WRONG
        return _say("\n".join(str(p) for p in problems), code)
    if isinstance(error, BrokenPipeError):
        return Exit.OK
    from petri_cli.cli.streams import output_failed, say_fault

    if isinstance(error, OSError) and _echoing(error):
        return _say(str(output_failed(error).problem), Exit.WRONG)

    if isinstance(error, OSError):
        from petri_cli.cli.inputs import current_folder

        try:
            current_folder()
        except PetriError as gone:  # whatever was asked of the system, that is why it failed
            return _say(str(gone.problem), Exit.WRONG)

    say_fault(error, "running this command")
    return Exit.FAULT


def _show(error: Exception) -> int:
    """Say what is wrong with the call, on standard error, whatever state that is in."""
    from petri_cli.cli.streams import silence

    try:
        cast(Any, error).show()
    except OSError:
        silence(sys.stderr)
    return Exit.WRONG


def _echoing(error: OSError) -> bool:
    """Whether typer was writing the help or the version when ``error`` came up."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and at.tb_frame.f_code.co_name == "echo"


def _say(text: str, code: Exit) -> int:
    from petri_cli.cli.streams import say

    say(text)
    return code
