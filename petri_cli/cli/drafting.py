"""``petri plan FILE --from-objective``: a model's plan, shown as a difference, and written when it is accepted."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import typer

from petri_cli.api import Analysis
from petri_cli.cli.exit import Exit
from petri_cli.cli.fixing import replace_file
from petri_cli.cli.mending import model_client
from petri_cli.cli.streams import say
from petri_cli.document import read_bytes
from petri_cli.document.source import text_of
from petri_cli.driver.commit import Document
from petri_cli.errors import PetriError, Position
from petri_cli.llm.drafting import Try, draft
from petri_cli.plan.model import Plan
from petri_cli.plan.printer import print_plan, print_plan_json
from petri_cli.render.diff import diff
from petri_cli.render.look import visible
from petri_cli.soundness.result import Budget


def write_draft(file: str, objective: str, budget: Budget, *, tries: int, accepted: bool) -> Exit | None:
    """Write the plan that a model drafts for ``objective`` to ``file``; None when it was accepted and is there.

    A file that is there already is what the model is asked to change. accepted: nobody is asked. Raises PetriError.
    """
    path = Path(file)
    if file == "-" or path.is_dir():
        hint = "name the file that the plan is to be written to"
        raise PetriError("PETRI_CANNOT_WRITE", "a drafted plan needs a file", where=Position(file), hint=hint)
    data = read_bytes(file) if path.exists() else None
    before = "" if data is None else text_of(data, file)
    name = path.name.partition(".")[0] or "plan"
    found = draft(model_client(), objective, name=name, before=before, tries=tries, budget=budget, told=_tell)
    if found.document is None:
        say(f"petri: no sound plan in {tries} {'try' if tries == 1 else 'tries'}: nothing is written")
        return Exit.UNSOUND
    text = _written(found.document, found.analysis, file)
    sys.stdout.write(_shown(diff(before, text, file)))
    sys.stdout.flush()
    if not (accepted or _asked(file)):
        say(f"petri: {file} is left as it is (--yes accepts without being asked)")
        return Exit.UNSOUND
    if data is None:
        _create(path, text)
        return None
    if read_bytes(file) != data:
        message = "the file has changed since the model was asked; it is left as it is"
        raise PetriError("PETRI_CANNOT_EDIT", message, where=Position(file), hint="try again")
    replace_file(file, text.encode(), file)
    return None


def _written(document: Document, analysis: Analysis | None, file: str) -> str:
    """The text of the plan in the format that the file's name asks for."""
    json = file.lower().endswith(".json")
    if analysis is None or not isinstance(analysis.subject, Plan) or json == (document.format == "json"):
        return document.text
    return print_plan_json(analysis.subject) if json else print_plan(analysis.subject)


def _tell(this: Try) -> None:
    """One try: what it cost, and why it will not do."""
    spent = this.answer.spent()
    cost = f", {spent['cost']:g}" if "cost" in spent else ""
    tokens = f"{spent['inputTokens']:,} + {spent['outputTokens']:,} tokens{cost}"
    said = _first(this.against.split("\n")) if this.against else "sound"
    say(f"petri: {visible(str(spent['name']))} ({tokens}): {visible(said)}")


def _first(lines: Sequence[str]) -> str:
    return lines[0] if len(lines) == 1 else f"{lines[0]} (and {len(lines) - 1} more)"


def _shown(text: str) -> str:
    """What a model wrote steers no terminal."""
    return "".join(f"{visible(line)}\n" for line in text.splitlines())


def _asked(file: str) -> bool:
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    return typer.confirm(f"Write {file}, and commit it?", default=False)


def _create(path: Path, text: str) -> None:
    try:
        with path.open("x", encoding="utf-8") as stream:
            stream.write(text)
    except OSError as error:
        reason = error.strerror or str(error)
        raise PetriError("PETRI_CANNOT_WRITE", f"cannot write: {reason}", where=Position(str(path))) from None
