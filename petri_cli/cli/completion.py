"""What may come next on a command line: the answer to a shell that completes, before typer is imported.

To import typer and to make the options of a command takes longer than a person waits for a key. What there is to know
of them is therefore written down: ``help/completion.json``, made by ``python -m docs.generate``. The shells ask and are
answered as typer's scripts do it (``petri --install-completion``): words in the environment, one word a line back.

Names of sessions and what their plans contain are read from the store as it is: nothing is locked, written or folded.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from petri_cli.cli.stored_names import Store

ASKED = "_PETRI_COMPLETE"
TABLE = Path(__file__).parent / "help" / "completion.json"
PLAIN = re.compile(r"\w[\w.-]*")
"""Names that are offered. A shell evaluates what it is told; a store or a plan may come from anybody."""

Word = tuple[str, str]
"""A word, and what it means."""


def answer() -> int | None:
    """Answer the shell that asks in the environment: the exit code; None where none asks, or one not known here."""
    shell = {"complete_bash": _bash, "complete_zsh": _zsh, "complete_fish": _fish}.get(os.environ.get(ASKED, ""))
    if shell is None or not TABLE.exists():
        return None
    try:
        return shell()
    except Exception:  # a shell would show a traceback in the middle of what is being typed
        return 1


def _bash() -> int:
    words = _split(os.environ.get("COMP_WORDS", ""))
    at = int(os.environ.get("COMP_CWORD", "0"))
    before, word = words[1:at], words[at] if at < len(words) else ""
    if word == "=":  # to bash, = is a word of its own
        before, word = [*before, word], ""
    before = [w for w in before if w != "="]
    _write("".join(f"{value}\n" for value, _ in complete(before, word)))
    return 0


def _zsh() -> int:
    found = complete(*_typed())
    items = "\n".join(f'"{_quoted(value)}"' + (f':"{_quoted(told)}"' if told else "") for value, told in found)
    _write(f"_arguments '*: :(({items}))'\n" if found else "_files\n")
    return 0


def _fish() -> int:
    found = complete(*_typed())
    if os.environ.get("_TYPER_COMPLETE_FISH_ACTION") == "is-args":
        return 0 if found else 1
    _write("".join(f"{value}\t{told}\n" if told else f"{value}\n" for value, told in found))
    return 0


def _typed() -> tuple[list[str], str]:
    line = os.environ.get("_TYPER_COMPLETE_ARGS", "")
    words = _split(line)[1:]
    return (words[:-1], words[-1]) if words and not line.endswith(" ") else (words, "")


def _split(line: str) -> list[str]:
    """The words of a line that may end within quotes."""
    import shlex

    try:
        return shlex.split(line)
    except ValueError:
        return line.split()


def _quoted(text: str) -> str:
    """Within double quotes within single quotes, as ``_arguments`` reads it after ``eval``."""
    return re.sub(r"""["'`$\\\n]""", "", text).replace(":", "\\\\:")


def _write(text: str) -> None:
    """In UTF-8, whatever the locale: that is what names are in."""
    os.write(1, text.encode())


def complete(before: Sequence[str], word: str) -> list[Word]:
    """What ``word`` may become after the words ``before`` it; nothing where the shell should offer files."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    name = next((w for w in before if not w.startswith("-")), None)
    if name is None:
        offered = table["options"] if word.startswith("-") else table["commands"]
        return [(w, told["help"]) for w, told in offered.items() if w.startswith(word)]
    command = table["commands"].get(name)
    if command is None:
        return []
    given = _Given(command["options"], before[before.index(name) + 1 :])
    if given.waiting:
        return _values(command["options"][given.waiting]["value"], word, given.options)
    option, equals, value = word.partition("=")
    if equals and option in command["options"]:
        kind = command["options"][option]["value"]
        return [(f"{option}={w}", told) for w, told in _values(kind, value, given.options)]
    if word.startswith("-"):
        return [(w, told["help"]) for w, told in command["options"].items() if w.startswith(word)]
    kinds = command["arguments"]
    kind = kinds[min(given.arguments, len(kinds) - 1)] if kinds else None
    return _values(kind, word, given.options)


class _Given:
    """What is on the line already: options with their values, how many arguments, an option that waits for a value."""

    def __init__(self, known: dict[str, Any], words: Sequence[str]) -> None:
        self.options: dict[str, str] = {}
        self.arguments = 0
        self.waiting = ""
        for word in words:
            option, equals, value = word.partition("=")
            if self.waiting:
                self.options[self.waiting] = word
                self.waiting = ""
            elif option in known and known[option]["value"] is not None:
                if equals:
                    self.options[option] = value
                else:
                    self.waiting = option
            elif not word.startswith("-") or word == "-":
                self.arguments += 1


def _values(kind: Any, word: str, options: dict[str, str]) -> list[Word]:
    """Values of a kind that begin with ``word``; for a list, these."""
    if isinstance(kind, list):
        return [(w, "") for w in kind if w.startswith(word)]
    source = _SOURCES.get(kind)
    if source is None:
        return []
    words = ((w, told) for w, told in source(options) if w.startswith(word) and PLAIN.fullmatch(w.rstrip("=")))
    return list(dict(words).items())


# What is in the store


def _sessions(options: dict[str, str]) -> Iterator[Word]:
    """The latest first."""
    from petri_cli.cli.stored_names import Store

    with Store(options.get("--store")) as store:
        for name in store.sessions():
            yield name, store.objective(name)


def _session(options: dict[str, str], store: Store) -> str:
    """The session that is named, on the line or in the environment; else the latest."""
    return options.get("--session") or os.environ.get("PETRI_SESSION") or next(iter(store.sessions()), "")


def _of_plan(kind: str, ending: str = "") -> Callable[[dict[str, str]], Iterator[Word]]:
    def found(options: dict[str, str]) -> Iterator[Word]:
        from petri_cli.cli.stored_names import Store, names

        with Store(options.get("--store")) as store:
            session = _session(options, store)
            for name, told in names(store.plan(session), kind):
                yield f"{name}{ending}", told

    return found


def _claims(options: dict[str, str]) -> Iterator[Word]:
    from petri_cli.cli.stored_names import Store

    with Store(options.get("--store")) as store:
        yield from store.claims(_session(options, store))


# What is shipped


def _shipped(kind: Any) -> Callable[[dict[str, str]], Iterator[Word]]:
    def found(options: dict[str, str]) -> Iterator[Word]:
        from petri_cli import data

        return ((name, "") for name in data.names(kind))

    return found


def _templates(options: dict[str, str]) -> Iterator[Word]:
    yield ("net", "")
    yield from _shipped("samples")(options)


_SOURCES: dict[str, Callable[[dict[str, str]], Iterator[Word]]] = {
    "session": _sessions,
    "task": _of_plan("task"),
    "resource=": _of_plan("resource", "="),
    "foreach=": _of_plan("foreach", "="),
    "claim": _claims,
    "schema": _shipped("schemas"),
    "code": _shipped("codes"),
    "template": _templates,
}
