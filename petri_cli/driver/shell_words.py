"""Words of a list of shell commands: which of them are reserved, and where a ``case`` stands with its parentheses.

A word is reserved only where a command may begin (IEEE 1003.1, XCU 2.4), and the ``)`` behind a pattern of ``case``
closes nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final, Literal

RESERVED: Final = frozenset(("if", "then", "else", "elif", "fi", "do", "done", "while", "until", "{", "}", "!", "time"))
"""Behind each of them a command may begin."""
READERS: Final = frozenset(("eval", "let", "trap", "read", "unset", "getopts", "mapfile", "readarray", "compgen"))
"""Commands that read their arguments as a language, or as names, whose subscripts bash works out."""
TESTERS: Final = frozenset(("[", "test", "printf"))
"""Commands whose option `-v` takes a name."""
SETTERS: Final = frozenset(("export", "readonly", "declare", "typeset", "local"))
"""The same, but for what stands behind ``NAME=``."""
PASSING: Final = frozenset(("command", "builtin", "exec"))
"""Commands behind which another one is named."""
CHANGERS: Final = frozenset(("alias", "shopt", "function", "coproc"))
"""Commands behind which a text may be read otherwise."""

_ASSIGNMENT: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\+?=.*", re.DOTALL)
_QUOTES: Final = re.compile(r"['\"\\]")
_OPEN: Final = re.compile(r"[$`\0]")
"""Of a name that is only known when it is run."""
_PLAIN_NAME: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")

Case = Literal["subject", "in", "first", "pattern", "body"]
"""What comes next in a ``case``: what is compared, ``in``, a pattern or ``esac``, the rest of a pattern, commands."""


class Unclear(Exception):
    """What follows cannot be told for sure."""


class WorkedOut(Unclear):
    """The same, where a shell would work out a value as arithmetic: in a variable, too."""


@dataclass(frozen=True, slots=True)
class Document:
    """A here-document that is to come. quoted: nothing in it is replaced; tabs: leading ones are dropped (``<<-``)."""

    delimiter: str
    quoted: bool
    tabs: bool


@dataclass(slots=True)
class Words:
    """The present word, and what it may be. word: its text, as far as it is plain; first: the name of the command."""

    word: str = ""
    begun: int = 0
    """Where in the text the word begins."""
    started: bool = False
    plain: bool = True
    begins: bool = True
    """A reserved word may come."""
    first: str = ""
    count: int = 0
    timed: bool = False
    before: str = ""
    """The word before this one."""
    passed: bool = False
    """``command`` or the like stands before the name of the command."""
    target: bool = False
    """The word is that of a redirection."""
    conditional: bool = False
    """Within ``[[ … ]]``."""
    nested: bool = False
    """Within parentheses or backticks."""
    cases: list[Case] = field(default_factory=list)

    def plain_part(self, sign: str) -> None:
        self.started = True
        if self.plain:
            self.word += sign

    def quoted_part(self) -> None:
        """What is quoted or expanded makes no reserved word; what came before it is kept."""
        self.started = True
        self.plain = False

    def end(self, written: str = "") -> None:
        """The word, if there is one, has ended. written: all of it, with its quotes."""
        if not self.started:
            return
        word = self.word if self.plain else ""
        assigns = _ASSIGNMENT.fullmatch(self.word) is not None
        self.word, self.started, self.plain = "", False, True
        if self.target:
            self.target = False
        elif self.cases and self.cases[-1] != "body":
            self._of_case(word)
        elif self.conditional:
            self.conditional = word != "]]"
        else:
            self.count += 1
            self._of_command(word, assigns, written)

    def _of_case(self, word: str) -> None:
        match self.cases[-1]:
            case "subject":
                self.cases[-1] = "in"
            case "in":
                if word != "in":
                    raise Unclear("a `case` without `in` stands before it")
                self.cases[-1] = "first"
            case "first" if word == "esac":
                self.cases.pop()
                self.begins = True
            case _:
                self.cases[-1] = "pattern"

    def _of_command(self, word: str, assigns: bool, written: str) -> None:
        if self.begins and word in RESERVED:
            self.count, self.timed = 0, word == "time"
            return
        if self.timed and word.startswith("-"):
            raise Unclear("`time` with an option stands before it, which shells read differently")
        self.timed = False
        if self.first in SETTERS and word.startswith(("-", "+")) and "i" in word:
            raise WorkedOut("a variable for numbers stands before it, whose value bash works out")
        self.before = word
        if self.begins and word == "case":
            self.cases.append("subject")
            self.begins, self.count = False, 0
            return
        if self.begins and word == "esac":
            if not self.cases:
                raise Unclear("an `esac` without `case` stands before it")
            self.cases.pop()
            return
        if word == "case" and (self.nested or self.cases):
            raise Unclear("`case` stands before it, where it may be a word or begin a command: put it in quotes")
        if self.first in ("for", "select") and self.count == 3 and word == "do":
            self.next_command()
            return
        self.begins = False
        if not self.first and not assigns:
            self._named(word or _unquoted(written))

    def _named(self, name: str) -> None:
        if name in CHANGERS:
            raise Unclear(f"`{name}` stands before it, behind which a shell may read otherwise")
        self.passed = self.passed or name in PASSING
        if name in PASSING or (self.passed and name.startswith("-")):
            return
        self.first = name or "?"
        self.conditional = name == "[["

    def next_command(self) -> None:
        self.begins, self.first, self.count, self.target, self.passed = True, "", 0, False, False
        self.before = ""

    def separated(self, sign: str) -> None:
        """Behind ``;``, ``&`` or ``|``, which may also stand between patterns, or within ``[[ … ]]``."""
        if self.cases and self.cases[-1] != "body":
            if sign != "|":
                raise Unclear("a `case` stands before it that is not understood")
            return
        if not self.conditional:
            self.next_command()

    def redirected(self) -> None:
        """The next word is where something is written to or read from; none behind it is reserved."""
        if self.cases and self.cases[-1] != "body":
            raise Unclear("a `case` stands before it that is not understood")
        if not self.conditional:
            self.begins, self.target = False, True

    def targeted(self) -> None:
        self.target = False

    def next_pattern(self) -> None:
        """Behind ``;;``."""
        if not self.cases or self.cases[-1] != "body":
            raise Unclear("a `;;` without `case` stands before it")
        self.cases[-1] = "first"
        self.next_command()

    def opens_pattern(self) -> bool:
        """Whether a ``(`` only stands before a pattern."""
        if not self.cases or self.cases[-1] == "body":
            return False
        if self.cases[-1] != "first" or self.started:
            raise Unclear("a `(` in a pattern of `case` stands before it")
        self.cases[-1] = "pattern"
        return True

    def ends_pattern(self) -> bool:
        """Whether a ``)`` ends a pattern."""
        if not self.cases or self.cases[-1] == "body":
            return False
        if self.cases[-1] != "pattern":
            raise Unclear("a `case` stands before it that is not understood")
        self.cases[-1] = "body"
        self.next_command()
        return True

    def before_parenthesis(self) -> None:
        """A ``(`` begins a list of commands, or stands behind the name of a function."""
        if self.conditional:
            raise Unclear("a `(` within `[[ … ]]` stands before it")
        if self.started and not (self.plain and _PLAIN_NAME.fullmatch(self.word)):
            raise Unclear("a `(` within a word stands before it, which shells read differently")
        self.end()
        self.next_command()


def _unquoted(written: str) -> str:
    """The name of a command that is written with quotes; empty where it is only known when it is run."""
    return "" if _OPEN.search(written) else _QUOTES.sub("", written)


def delimiter(text: str, at: int, end: int, *, tabs: bool) -> tuple[Document, int]:
    """The word behind ``<<``, and where it ends."""
    while at < end and text[at] in " \t":
        at += 1
    name, quoted = "", False
    while at < end and text[at] not in " \t\n;&|<>()":
        sign = text[at]
        if sign in "$`\0":
            raise Unclear("a here-document stands before it whose end is not told by a plain word")
        if sign == "\\":
            name, quoted, at = name + text[at + 1 : at + 2], True, at + 2
        elif sign in "'\"":
            close = text.find(sign, at + 1, end)
            inside = text[at + 1 : close]
            if close < 0 or any(c in inside for c in "\n\0\\$`"):
                raise Unclear("a here-document stands before it whose end is not told by a plain word")
            name, quoted, at = name + inside, True, close + 1
        else:
            name, at = name + sign, at + 1
    if not name or "\n" in name or "\0" in name:
        raise Unclear("a here-document stands before it whose end is not told by a plain word")
    return Document(name, quoted, tabs), at
